// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/message.h"

#include <charconv>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::lsp {

using base::Errc;
using base::Error;

namespace {

/// Far above any source text: a broken length must not fill the memory.
constexpr std::size_t longest_body = std::size_t{64} << 20;

/// The length that the headers give; nothing at the end of the stream.
std::optional<std::size_t> read_headers(std::istream& in) {
  std::optional<std::size_t> length;
  std::string line;
  while (std::getline(in, line)) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) {
      if (!length) throw Error(Errc::bad_input, "a message without Content-Length");
      return length;
    }
    const std::size_t colon = line.find(':');
    if (base::lower(line.substr(0, colon)) != "content-length") continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    std::size_t value = 0;
    const char* const end = line.data() + line.find_last_not_of(" \t") + 1;
    const char* const from = begin == std::string::npos ? end : line.data() + begin;
    const auto [last, error] = std::from_chars(from, end, value);
    if (last != end || error != std::errc{} || from == end || value > longest_body)
      throw Error(Errc::bad_input, "a message with a bad Content-Length");
    length = value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Json> read_message(std::istream& in) {
  const auto length = read_headers(in);
  if (!length) return std::nullopt;
  std::string body(*length, '\0');
  if (!in.read(body.data(), static_cast<std::streamsize>(body.size())))
    throw Error(Errc::bad_input, "a message that ends too early");
  return Json::parse(body, nullptr, false);
}

void write_message(std::ostream& out, const Json& message) {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  out << "Content-Length: " << body.size() << "\r\n\r\n" << body << std::flush;
}

}  // namespace blockyard::lsp
