// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

/// For tests of what happens when memory runs out. Replaces operators of a whole program, so one
/// of its sources includes it.
namespace blockyard::base {

/// Calls of `new` in this thread that succeed before one fails. Negative: none fails.
inline thread_local std::int64_t allocations_before_failure = -1;

/// Fails an allocation of this thread while it is there, if there are so many.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t number) noexcept { allocations_before_failure = number; }
  ~FailingAllocation() { allocations_before_failure = -1; }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  [[nodiscard]] bool has_failed() const noexcept { return allocations_before_failure < 0; }
};

}  // namespace blockyard::base

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  auto& left = blockyard::base::allocations_before_failure;
  void* const made = left >= 0 && left-- == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
// The one of a sanitizer would not go with the operator below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept try {
  return operator new(bytes);
} catch (const std::bad_alloc&) {
  return nullptr;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
