// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace blockyard::ga {

namespace {

int move_all(Files::Way way, int descriptor, const Files::Bytes& bytes) {
  auto* at = static_cast<char*>(bytes.memory);
  auto offset = static_cast<off_t>(bytes.offset);
  for (std::size_t left = bytes.count; left > 0;) {
    const ssize_t moved = way == Files::Way::read ? ::pread(descriptor, at, left, offset)
                                                  : ::pwrite(descriptor, at, left, offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return file_ends_before;
    at += moved;
    offset += moved;
    left -= static_cast<std::size_t>(moved);
  }
  return file_ok;
}

}  // namespace

std::string text_of_file_code(int code) {
  switch (code) {
    case file_ok:
      return "no error";
    case file_ends_before:
      return "the file ends before the last byte that was asked for";
    case file_is_not_open:
      return "the handle is not one of an open file";
    case file_offset_is_negative:
      return "the offset or the length is less than 0";
    case file_limit_reached:
      return "the file would become longer than the limit it was made with";
    case file_request_is_unknown:
      return "no request has this number, or it was waited for";
    case file_mode_is_unknown:
      return "the mode is not one of -1 (read and write), -2 (write), -3 (read)";
    default:
      return code > 0 ? std::strerror(code) : fmt::format("{} is not an error code", code);
  }
}

void Files::DescriptorKind::release(Raw raw) noexcept { ::close(raw); }

Files::Kept* Files::find(int handle, int& code) {
  const auto found = files_.find(handle);
  const bool is_open = found != files_.end() && found->second.descriptor;
  code = is_open ? file_ok : file_is_not_open;
  return is_open ? &found->second : nullptr;
}

int Files::open(const std::string& path, int flags, double most_bytes, int& handle) {
  constexpr mode_t permissions = 0666;
  Descriptor opened(::open(path.c_str(), flags | O_CLOEXEC, permissions));
  if (!opened) return errno;
  while (files_.contains(next_handle_)) ++next_handle_;
  handle = next_handle_++;
  Kept& kept = files_[handle];
  kept.use.path = path;
  kept.descriptor = std::move(opened);
  kept.most_bytes = most_bytes;
  kept.flags = flags & O_ACCMODE;
  return file_ok;
}

int Files::open_again(int handle) {
  const auto found = files_.find(handle);
  if (found == files_.end()) return file_is_not_open;
  Kept& kept = found->second;
  if (kept.descriptor) return file_ok;  // requests may be using it
  Descriptor opened(::open(kept.use.path.c_str(), kept.flags | O_CLOEXEC));
  if (!opened) return errno;
  kept.descriptor = std::move(opened);
  return file_ok;
}

int Files::make_read_only(int handle) {
  const int code = close(handle, false);
  if (code != file_ok) return code;
  files_.at(handle).flags = O_RDONLY;
  return open_again(handle);
}

int Files::close(int handle, bool must_forget) {
  int code = file_ok;
  Kept* kept = find(handle, code);
  for (const auto& [number, request] : requests_) background_.wait(request.ticket);
  if (kept != nullptr) kept->descriptor = Descriptor();
  if (must_forget) code = files_.erase(handle) == 1 ? file_ok : file_is_not_open;
  return code;
}

int Files::check(Way way, int handle, const Bytes& bytes, int& descriptor) {
  int code = file_ok;
  Kept* kept = find(handle, code);
  if (kept == nullptr) return code;
  if (bytes.offset < 0) return file_offset_is_negative;
  if (way == Way::write && kept->most_bytes > 0 &&
      bytes.offset + static_cast<double>(bytes.count) > kept->most_bytes)
    return file_limit_reached;
  const auto at = static_cast<std::size_t>(way);
  ++kept->use.calls[at];
  kept->use.bytes[at] += bytes.count;
  descriptor = kept->descriptor.get();
  return file_ok;
}

int Files::move(Way way, int handle, const Bytes& bytes) {
  int descriptor = -1;
  const int code = check(way, handle, bytes, descriptor);
  return code != file_ok ? code : move_all(way, descriptor, bytes);
}

int Files::begin(Way way, int handle, const Bytes& bytes, int& request) {
  int descriptor = -1;
  const int code = check(way, handle, bytes, descriptor);
  if (code != file_ok) return code;
  const auto result = std::make_shared<std::atomic<int>>(file_ok);  // shared with the work
  const auto ticket = background_.start(
      0, [way, descriptor, bytes, result] { *result = move_all(way, descriptor, bytes); });
  request = next_request_++;
  requests_[request] = {ticket, result};
  return file_ok;
}

int Files::wait(int request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return file_request_is_unknown;
  background_.wait(found->second.ticket);
  const int code = *found->second.code;
  requests_.erase(found);
  return code;
}

int Files::probe(int request, bool& is_complete) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return file_request_is_unknown;
  is_complete = background_.is_done(found->second.ticket);
  return file_ok;
}

int Files::length(int handle, double& bytes) {
  int code = file_ok;
  const Kept* kept = find(handle, code);
  if (kept == nullptr) return code;
  struct stat status {};
  if (::fstat(kept->descriptor.get(), &status) != 0) return errno;
  bytes = static_cast<double>(status.st_size);
  return file_ok;
}

int Files::truncate(int handle, double bytes) {
  int code = file_ok;
  const Kept* kept = find(handle, code);
  if (kept == nullptr) return code;
  if (bytes < 0) return file_offset_is_negative;
  return ::ftruncate(kept->descriptor.get(), static_cast<off_t>(bytes)) == 0 ? file_ok : errno;
}

int Files::sync(int handle) {
  int code = file_ok;
  const Kept* kept = find(handle, code);
  if (kept == nullptr) return code;
  for (const auto& [number, request] : requests_) background_.wait(request.ticket);
  return ::fsync(kept->descriptor.get()) == 0 ? file_ok : errno;
}

const Files::Use* Files::use(int handle) const {
  const auto found = files_.find(handle);
  return found == files_.end() ? nullptr : &found->second.use;
}

}  // namespace blockyard::ga
