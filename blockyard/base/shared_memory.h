// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace blockyard::base {

/// Where another process of this node finds a piece of shared memory.
struct MemoryAddress {
  std::int32_t pid = 0;
  std::int32_t file = -1;
  std::uint64_t bytes = 0;
  std::uint64_t name = 0;  ///< random: guards against another file with that number
};

/// Memory that processes of one node share: a file without a path, so that it disappears
/// however a process ends. Pages take memory once they are touched. Sole owner of its mapping.
class SharedMemory {
 public:
  enum class Access : std::uint8_t { read, update };

  SharedMemory() = default;
  /// New memory, zero. Throws Error{no_memory}.
  explicit SharedMemory(std::size_t bytes);
  /// That of another process; empty if it cannot be reached (another node, another user).
  [[nodiscard]] static SharedMemory open(const MemoryAddress& address,
                                         Access access = Access::update) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  SharedMemory(SharedMemory&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        name_(other.name_),
        bytes_(std::exchange(other.bytes_, {})) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(name_, other.name_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] explicit operator bool() const noexcept { return bytes_.data() != nullptr; }
  [[nodiscard]] MemoryAddress address() const noexcept;

  /// Reserves pages of the system for a part, whole pages, of memory that this process made. False
  /// if there are none: touching unreserved pages then kills the process.
  [[nodiscard]] bool claim(std::size_t offset, std::size_t bytes) noexcept;
  /// Releases the pages of a part, for all processes. They are zero when touched again.
  void give_back(std::size_t offset, std::size_t bytes) noexcept;

 private:
  int file_ = -1;  ///< of memory that this process made
  std::uint64_t name_ = 0;
  std::span<std::byte> bytes_;
};

}  // namespace blockyard::base
