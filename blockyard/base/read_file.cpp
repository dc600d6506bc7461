// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/base/handle.h"

namespace blockyard::base {

namespace {

struct OpenFileKind {
  using Raw = int;
  static Raw null() noexcept { return -1; }
  static void release(Raw raw) noexcept { ::close(raw); }
};

/// From the current position to the end. Nothing, with errno, if reading fails. A stream of the
/// standard library would take a failure for the end.
std::optional<std::string> read_rest(int descriptor) {
  constexpr std::size_t least_bytes = 65536;
  std::string bytes;
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(std::max(least_bytes, 2 * filled));
    const ::ssize_t count = ::read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

Error cannot_read(std::string_view name, std::string_view reason) {
  return {Errc::io, fmt::format("cannot read {}: {}", name, reason)};
}

}  // namespace

void refuse_folder(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw cannot_read(path, "it is a folder");
}

std::optional<std::string> try_read_file(const std::string& path, std::string& reason) {
  const Handle<OpenFileKind> file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::optional<std::string> bytes;
  if (file) bytes = read_rest(file.get());
  if (!bytes) reason = std::strerror(errno);
  return bytes;
}

std::string read_file(const std::string& path) {
  refuse_folder(path);
  std::string reason;
  std::optional<std::string> bytes = try_read_file(path, reason);
  if (!bytes) throw cannot_read(path, reason);
  return std::move(*bytes);
}

std::string read_descriptor(int descriptor, std::string_view name) {
  std::optional<std::string> bytes = read_rest(descriptor);
  if (!bytes) throw cannot_read(name, std::strerror(errno));
  return std::move(*bytes);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.substr(text.starts_with(mark) ? mark.size() : 0);
}

std::string read_text(const std::string& path) {
  return std::string(without_byte_order_mark(read_file(path)));
}

}  // namespace blockyard::base
