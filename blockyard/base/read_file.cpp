// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::base {

void refuse_folder(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(Errc::io, fmt::format("cannot read {}: it is a folder", path));
}

std::string read_file(const std::string& path) {
  refuse_folder(path);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad())
    throw Error(Errc::io, fmt::format("cannot read {}: {}", path,
                                      errno != 0 ? std::strerror(errno) : "not a file"));
  return std::move(text).str();
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.substr(text.starts_with(mark) ? mark.size() : 0);
}

std::string read_text(const std::string& path) {
  return std::string(without_byte_order_mark(read_file(path)));
}

}  // namespace blockyard::base
