// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/store/posix.h"

namespace blockyard::store {
namespace {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

[[noreturn]] void fail(const fs::path& path, const std::string& cause) {
  throw Error(Errc::io, fmt::format("cannot write {}: {}", path.string(), cause));
}

[[noreturn]] void fail(const fs::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

/// Where a chain of symbolic links ends; what is there need not exist. /proc has links that only
/// the system can follow: there the chain also ends.
fs::path follow(const fs::path& path) {
  constexpr int most_links = 40;  // as the system's own limit
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code status;
    const fs::path folder = fs::weakly_canonical(fs::absolute(at).parent_path(), status);
    if (folder.native().starts_with("/proc/")) return folder / at.filename();
    const fs::path next = fs::read_symlink(at, status);
    if (status) return at;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  fail(path, ELOOP);
}

/// Whether it is written into, not replaced: a device, a FIFO, a descriptor in /proc.
bool is_written_into(const fs::path& target) {
  std::error_code none;
  if (fs::is_directory(target, none)) fail(target, EISDIR);
  return target.native().starts_with("/proc/") ||
         (fs::exists(target, none) && !fs::is_regular_file(target, none));
}

/// A new file next to `target` that no other process can have made or predicted.
fs::path make_temporary(const fs::path& target, mode_t mode) {
  constexpr std::size_t most_letters = 200;  // of 255 that a name may have
  const std::string name = target.filename().string().substr(0, most_letters);
  std::random_device draw;
  for (;;) {
    fs::path path = target;
    path.replace_filename(fmt::format(".{}.{:08x}{:08x}.tmp", name, draw(), draw()));
    const int made =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (made >= 0) {
      ::close(made);
      return path;
    }
    if (errno != EEXIST) fail(target, errno);
  }
}

/// Gives the new file the access rights of the old one. Only its owner or root can keep the owner.
void take_over_rights(const fs::path& from, const fs::path& to) {
  struct stat old {};
  if (::stat(from.c_str(), &old) != 0) return;
  if (old.st_uid != ::geteuid() || old.st_gid != ::getegid())
    (void)!::chown(to.c_str(), old.st_uid, old.st_gid);
  if (::chmod(to.c_str(), old.st_mode & 07777) != 0) fail(from, errno);
}

void write_into(const fs::path& path, std::span<const std::byte> bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail(path, errno);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) fail(path, error);
}

}  // namespace

Replacement::Replacement(const fs::path& path) : target_(follow(path)) {
  if (is_written_into(target_)) fail(path, "it exists and is not a regular file");
  std::error_code none;
  const bool is_there = fs::exists(target_, none);
  if (is_there && ::access(target_.c_str(), W_OK) != 0) fail(path, errno);
  // The replacement of a private file is private from the first byte on.
  temporary_ = make_temporary(target_, is_there ? 0600 : 0666);
}

Replacement::~Replacement() {
  if (!is_committed_) ::unlink(temporary_.c_str());
}

void Replacement::commit() {
  sync_file(temporary_);
  take_over_rights(target_, temporary_);
  rename_durably(temporary_, target_);
  is_committed_ = true;
}

void write_whole_file(const fs::path& path, std::span<const std::byte> bytes) {
  const fs::path target = follow(path);
  if (is_written_into(target)) {
    write_into(target, bytes);
    return;
  }
  Replacement file(target);
  try {
    const auto written = PosixStore().open(file.temporary(), OpenMode::create);
    written->write_at(0, bytes);
    written->sync();              // by the descriptor that wrote, which is told what went wrong
  } catch (const Error& error) {  // of the file that the user knows
    std::string text = error.what();
    const std::string temporary = file.temporary().string();
    if (const auto at = text.find(temporary); at != std::string::npos)
      text.replace(at, temporary.size(), path.string());
    throw Error(error.code(), text);
  }
  file.commit();
}

void check_writable(const fs::path& path) {
  const fs::path target = follow(path);
  if (!is_written_into(target))
    check_replaceable(target);
  else if (::access(target.c_str(), W_OK) != 0)
    fail(path, errno);
}

void check_replaceable(const fs::path& path) { const Replacement trial(path); }

}  // namespace blockyard::store
