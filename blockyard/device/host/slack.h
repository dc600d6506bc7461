// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// Memory that may be read some way past its end.
namespace blockyard::device::host {

/// Bytes after an operand of so many that can be read. OpenBLAS reads them (0.3.21, all
/// processors): in gelqf, gebrd and heevd up to min(rows, columns) - 1 elements after a complex
/// matrix, in ssymv four after a real one. It does not use what it finds there, but where memory
/// ended at the end of what is mapped, it ended the process.
inline std::uint64_t slack_bytes(std::uint64_t bytes) noexcept {
  constexpr double largest_element = 16;
  return 64 + static_cast<std::uint64_t>(std::sqrt(largest_element * static_cast<double>(bytes)));
}

/// Allocates workspaces. In these lie tall matrices of some 32 columns, past which OpenBLAS reads
/// up to a column.
template <class T>
struct SlackAllocator {
  using value_type = T;
  SlackAllocator() = default;
  template <class U>
  explicit SlackAllocator(const SlackAllocator<U>&) noexcept {}
  bool operator==(const SlackAllocator&) const = default;

  [[nodiscard]] T* allocate(std::size_t count) {
    return std::allocator<T>{}.allocate(count + slack_of(count));
  }
  void deallocate(T* at, std::size_t count) noexcept {
    std::allocator<T>{}.deallocate(at, count + slack_of(count));
  }

 private:
  static std::size_t slack_of(std::size_t count) noexcept {
    return slack_bytes(count * sizeof(T)) / sizeof(T) + count / 16 + 1;
  }
};

/// A vector for routines of LAPACK.
template <class T>
using Workspace = std::vector<T, SlackAllocator<T>>;

}  // namespace blockyard::device::host
