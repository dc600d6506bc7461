// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "blockyard/base/error.h"

namespace blockyard::job {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "blockyard-scratch-";
constexpr std::string_view pattern = "XXXXXX";
constexpr std::string_view lock_name = "lock";

bool is_ours(const fs::path& path) {
  const std::string name = path.filename().string();
  struct stat status {};
  return name.starts_with(prefix) && name.size() == prefix.size() + pattern.size() &&
         ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

/// Needs no descriptor while the folder holds nothing but the lock, which is so but for an instant:
/// spill files lose their names at once.
void remove_folder(const fs::path& path) noexcept {
  ::unlink((path / lock_name).c_str());
  if (::rmdir(path.c_str()) == 0) return;
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

/// A folder whose lock can be taken does not belong to an active run. A lock of another host may
/// not be seen here (a file system may keep locks to each host), so its folders stay.
void remove_dead(const fs::path& parent) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (!is_ours(entry.path())) continue;
    const fs::path file = entry.path() / lock_name;
    const auto holder = store::holder_of(file);
    if (holder && !holder->is_of_this_host()) continue;
    try {
      const auto lock = store::FileLock::try_take(file);
      if (lock && lock->is_sure()) remove_folder(entry.path());
    } catch (const base::Error&) {
      // It went meanwhile, or cannot be looked into: no reason for this run not to begin.
    }
  }
}

}  // namespace

fs::path scratch_parent(const std::string& given) {
  if (!given.empty()) return given;
  std::error_code error;
  fs::path found = fs::temp_directory_path(error);
  if (!error) return found;
  const char* const set = std::getenv("TMPDIR");
  throw base::Error(
      base::Errc::io,
      fmt::format("the folder for temporary files, {}, cannot be used: {}; make it, "
                  "or set TMPDIR to another",
                  set != nullptr ? fmt::format("TMPDIR={}", set) : "/tmp", error.message()));
}

ScratchFolder::ScratchFolder(const fs::path& parent) {
  std::error_code status;
  fs::create_directories(parent, status);
  remove_dead(parent);
  while (!lock_) {
    std::string name = (parent / fmt::format("{}{}", prefix, pattern)).string();
    if (mkdtemp(name.data()) == nullptr)
      throw base::Error(
          base::Errc::io,
          fmt::format("cannot make a folder for spilled blocks in {}: {}; choose another "
                      "with --scratch",
                      parent.string(), strerror(errno)));
    path_ = name;
    auto lock = try_lock();
    if (lock) lock_.emplace(std::move(*lock));
  }
}

std::optional<store::FileLock> ScratchFolder::try_lock() const try {
  return store::FileLock::try_take(path_ / lock_name);
} catch (const base::Error&) {
  if (!fs::exists(path_)) return std::nullopt;
  ::rmdir(path_.c_str());
  throw;
}

ScratchFolder::~ScratchFolder() { remove(); }

void ScratchFolder::remove() const noexcept { remove_folder(path_); }

}  // namespace blockyard::job
