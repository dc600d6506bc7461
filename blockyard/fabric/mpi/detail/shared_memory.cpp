// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "blockyard/base/error.h"

namespace blockyard::fabric::detail {

namespace {

std::span<std::byte> map(int file, std::size_t bytes) noexcept {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return {};
  return {static_cast<std::byte*>(at), bytes};
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) {
  file_ = memfd_create("blockyard", MFD_CLOEXEC);
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0) bytes_ = map(file_, bytes);
  if (bytes_.data() == nullptr)
    throw base::Error(base::Errc::no_memory,
                      "cannot make " + std::to_string(bytes) +
                          " bytes of shared memory: " + std::strerror(errno));
}

SharedMemory SharedMemory::open(const MemoryAddress& address) noexcept {
  SharedMemory memory;
  const std::string path =
      "/proc/" + std::to_string(address.pid) + "/fd/" + std::to_string(address.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return memory;
  memory.bytes_ = map(file, address.bytes);
  ::close(file);
  return memory;
}

SharedMemory::~SharedMemory() {
  if (bytes_.data() != nullptr) munmap(bytes_.data(), bytes_.size());
  if (file_ >= 0) ::close(file_);
}

MemoryAddress SharedMemory::address() const noexcept { return {getpid(), file_, bytes_.size()}; }

}  // namespace blockyard::fabric::detail
