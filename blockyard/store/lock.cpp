// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

bool has_no_locks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

/// Whether the open file still has this name: its holder may have removed it since it was opened.
bool has_name(int descriptor, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

void sign(int descriptor) noexcept {
  const std::string text = fmt::format("{} {}\n", ::getpid(), host_name());
  // Only for messages, and for a host to know its own: the lock is what counts.
  if (::ftruncate(descriptor, 0) == 0) (void)!::write(descriptor, text.data(), text.size());
}

}  // namespace

std::optional<FileLock> FileLock::try_take(const fs::path& path) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0)
      throw base::Error(base::Errc::io, fmt::format("cannot lock {}: {}", path.string(),
                                                    std::generic_category().message(errno)));
    const bool is_locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && !has_no_locks(errno)) {
      ::close(descriptor);
      return std::nullopt;
    }
    if (has_name(descriptor, path)) {
      sign(descriptor);
      return FileLock(path, descriptor, is_locked);
    }
    ::close(descriptor);
  }
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

bool LockHolder::is_of_this_host() const { return host == host_name(); }

std::optional<LockHolder> holder_of(const fs::path& path) {
  std::ifstream in(path);
  LockHolder holder;
  if (in >> holder.process >> holder.host) return holder;
  return std::nullopt;
}

std::string describe_holder(const fs::path& path) {
  const auto holder = holder_of(path);
  return holder ? fmt::format("process {} on {}", holder->process, holder->host)
                : "another process";
}

}  // namespace blockyard::store
