// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/store/posix.h"

namespace blockyard::app {

namespace fs = std::filesystem;

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
    store::write_file_atomically(path, std::as_bytes(std::span(text)));
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  std::string cause;
  if (access(folder.c_str(), W_OK) != 0)
    cause = strerror(errno);
  else if (fs::exists(path) && !fs::is_regular_file(path))
    cause = "it is there and no file";
  if (!cause.empty())
    throw base::Error(base::Errc::io, fmt::format("cannot write {}: {}", path, cause));
}

}  // namespace blockyard::app
