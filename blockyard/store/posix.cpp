// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/handle.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;

struct DescriptorKind {
  using Raw = int;
  static Raw null() noexcept { return -1; }
  static void release(Raw raw) noexcept { ::close(raw); }
};

class Descriptor : public base::Handle<DescriptorKind> {
 public:
  explicit Descriptor(int raw) noexcept : Handle(raw) {}
};

[[noreturn]] void fail(std::string_view verb, const std::filesystem::path& path, int error) {
  throw Error(Errc::io, fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(error)));
}

/// Repeats a system call that a signal broke off.
template <class Call>
auto without_interrupts(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

class PosixFile final : public File {
 public:
  PosixFile(Descriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  void read_at(std::uint64_t offset, std::span<std::byte> into) override {
    while (!into.empty()) {
      const auto count = without_interrupts([&] {
        return ::pread(descriptor_.get(), into.data(), into.size(), static_cast<off_t>(offset));
      });
      if (count < 0) fail("read", path_, errno);
      if (count == 0)
        throw Error(Errc::io,
                    fmt::format("cannot read {}: it ends at byte {}", path_.string(), offset));
      into = into.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> from) override {
    while (!from.empty()) {
      const auto count = without_interrupts([&] {
        return ::pwrite(descriptor_.get(), from.data(), from.size(), static_cast<off_t>(offset));
      });
      if (count < 0) fail("write", path_, errno);
      from = from.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
  }

  void read_rows_at(std::uint64_t offset, Rows into) override {
    move_rows(offset, into, ::preadv,
              [this](std::uint64_t at, std::span<std::byte> rest) { read_at(at, rest); });
  }
  void write_rows_at(std::uint64_t offset, Rows from) override {
    move_rows(offset, from, ::pwritev,
              [this](std::uint64_t at, std::span<std::byte> rest) { write_at(at, rest); });
  }

  [[nodiscard]] std::uint64_t size() override {
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) fail("look at", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

  void reserve(std::uint64_t bytes) override {
    // Only a hint: a disk that is full, or cannot, says so when it is written to.
    (void)::fallocate(descriptor_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  }

  void sync() override {
    if (without_interrupts([&] { return ::fsync(descriptor_.get()); }) != 0)
      fail("write", path_, errno);
  }

 private:
  /// As many rows in a call as the system takes; move_rest(offset, bytes) does what a call leaves.
  template <class Call, class Rest>
  void move_rows(std::uint64_t offset, Rows rows, const Call& call, const Rest& move_rest) {
    constexpr std::size_t most = 1024;  // IOV_MAX
    std::vector<iovec> parts;
    for (; !rows.empty(); rows = rows.subspan(parts.size())) {
      parts.clear();
      for (const auto row : rows.first(std::min(most, rows.size())))
        parts.push_back({row.data(), row.size()});
      const auto moved = without_interrupts([&] {
        return call(descriptor_.get(), parts.data(), static_cast<int>(parts.size()),
                    static_cast<off_t>(offset));
      });
      // Why it moved nothing is for the call that moves the rest to say.
      auto left = moved < 0 ? 0 : static_cast<std::size_t>(moved);
      for (const auto row : rows.first(parts.size())) {
        const std::size_t done = std::min(left, row.size());
        if (done < row.size()) move_rest(offset + done, row.subspan(done));
        left -= done;
        offset += row.size();
      }
    }
  }

  Descriptor descriptor_;
  std::filesystem::path path_;
};

}  // namespace

std::unique_ptr<File> PosixStore::open(const std::filesystem::path& path, OpenMode mode) {
  const bool creates = mode == OpenMode::create || mode == OpenMode::direct;
  const int access = mode == OpenMode::read ? O_RDONLY : O_RDWR;
  const int flags = O_CLOEXEC | access | (creates ? O_CREAT | O_TRUNC : 0);
  const auto open_with = [&](int more) {
    return without_interrupts([&] { return ::open(path.c_str(), flags | more, 0666); });
  };
  int raw = open_with(mode == OpenMode::direct ? O_DIRECT : 0);
  // Some file systems have no direct I/O (tmpfs): they are memory, or cache by themselves.
  if (raw < 0 && mode == OpenMode::direct && errno == EINVAL) raw = open_with(0);
  if (raw < 0) fail(creates ? "create" : "open", path, errno);
  return std::make_unique<PosixFile>(Descriptor(raw), path);
}

void PosixStore::remove(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
}

void sync_file(const std::filesystem::path& path) {
  PosixStore().open(path, OpenMode::read)->sync();
}

void rename_durably(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("write", path, errno);
  sync_folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) fail("open", folder, errno);
  // Some file systems cannot sync a folder (EINVAL); they keep renames in order by themselves.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) fail("write", folder, errno);
}

}  // namespace blockyard::store
