// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace blockyard::fabric::detail {

/// Where another process of this node finds a piece of shared memory.
struct MemoryAddress {
  std::int32_t pid = 0;
  std::int32_t file = -1;
  std::uint64_t bytes = 0;
};

/// Memory that processes of one node share: a file without a name, so that nothing is left behind
/// however a process ends. Sole owner of its mapping.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// New memory, zero. Throws Error{no_memory}.
  explicit SharedMemory(std::size_t bytes);
  /// That of another process; empty if it cannot be reached (another node, another user).
  [[nodiscard]] static SharedMemory open(const MemoryAddress& address) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  SharedMemory(SharedMemory&& other) noexcept
      : file_(std::exchange(other.file_, -1)), bytes_(std::exchange(other.bytes_, {})) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] explicit operator bool() const noexcept { return bytes_.data() != nullptr; }
  [[nodiscard]] MemoryAddress address() const noexcept;

 private:
  int file_ = -1;
  std::span<std::byte> bytes_;
};

}  // namespace blockyard::fabric::detail
