// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "blockyard/base/error.h"

namespace blockyard::base {

namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which headers may lack

std::span<std::byte> map(int file, std::size_t bytes, int protection) noexcept {
  void* at = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) return {};
  return {static_cast<std::byte*>(at), bytes};
}

std::uint64_t name_by_chance() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

std::string text_of(std::uint64_t name) { return fmt::format("blockyard-{:016x}", name); }

/// A file longer than the limit of this process would kill it.
bool may_be_so_long(std::size_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : name_(name_by_chance()) {
  errno = EFBIG;
  if (may_be_so_long(bytes)) file_ = memfd_create(text_of(name_).c_str(), MFD_CLOEXEC);
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0)
    bytes_ = map(file_, bytes, PROT_READ | PROT_WRITE);
  if (bytes_.data() != nullptr) return;
  const int cause = errno;
  if (file_ >= 0) ::close(file_);
  throw Error(Errc::no_memory, fmt::format("cannot make {} bytes of shared memory: {}", bytes,
                                           std::strerror(cause)));
}

SharedMemory SharedMemory::open(const MemoryAddress& address, Access access) noexcept {
  SharedMemory memory;
  const std::string path = fmt::format("/proc/{}/fd/{}", address.pid, address.file);
  // In another namespace of processes the same number means another one.
  std::array<char, 64> found{};
  const auto length = readlink(path.c_str(), found.data(), found.size());
  if (length <= 0 || std::string_view(found.data(), static_cast<std::size_t>(length))
                             .find(text_of(address.name)) == std::string_view::npos)
    return memory;
  const bool is_updated = access == Access::update;
  const int file = ::open(path.c_str(), (is_updated ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (file < 0) return memory;
  memory.bytes_ = map(file, address.bytes, is_updated ? PROT_READ | PROT_WRITE : PROT_READ);
  ::close(file);
  return memory;
}

SharedMemory::~SharedMemory() {
  if (bytes_.data() != nullptr) munmap(bytes_.data(), bytes_.size());
  if (file_ >= 0) ::close(file_);
}

MemoryAddress SharedMemory::address() const noexcept {
  return {getpid(), file_, bytes_.size(), name_};
}

bool SharedMemory::claim(std::size_t offset, std::size_t bytes) noexcept {
  // One call for all pages: less time than touching each.
  if (madvise(bytes_.data() + offset, bytes, populate_write) == 0) return true;
  if (errno != EINVAL) return false;  // older systems do not know it
  return fallocate(file_, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
}

void SharedMemory::give_back(std::size_t offset, std::size_t bytes) noexcept {
  static_cast<void>(fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(offset), static_cast<off_t>(bytes)));
}

}  // namespace blockyard::base
