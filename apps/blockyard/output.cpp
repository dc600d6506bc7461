// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::app {

namespace {

void write(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0)
    return;
  throw base::Error(base::Errc::io, fmt::format("cannot write the output: {}", strerror(errno)));
}

}  // namespace

void Output::print(std::string_view text) { write(stream_, text); }

void Output::write_file(const std::string& path, std::string_view text) {
  if (path == "-")
    write(stdout, text);
  else
    store::write_whole_file(path, std::as_bytes(std::span(text)));
}

void print_text_out(std::string_view text) { write(stdout, text); }

void print_text_error(std::string_view text) noexcept {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

std::string print_json(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void check_writable(const std::string& path) {
  if (!path.empty() && path != "-") store::check_writable(path);
}

bool is_output_taken(const std::vector<std::string>& files) {
  return std::ranges::find(files, "-") != files.end();
}

void open_missing_streams() noexcept {
  // The lowest free number is given, so they are looked at in this order.
  // Input and output the wrong way round: their use is an error, as it was while they were closed.
  constexpr std::array modes = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < static_cast<int>(modes.size()); ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", modes[static_cast<std::size_t>(stream)]);
}

}  // namespace blockyard::app
