// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/garray/runtime.h"

namespace blockyard::garray {

/// The caller's memory for a box: its first element lies at `data`; strides in elements.
struct Local {
  void* data = nullptr;
  Indexes strides{};
};

/// Transfers that were begun. The caller's memory is to be left alone until wait() returns.
class Pending {
 public:
  void add(fabric::Transfer transfer) {
    if (transfer != 0) transfers_.push_back(transfer);
  }
  void wait(fabric::Memory& memory);
  [[nodiscard]] bool is_empty() const noexcept { return transfers_.empty(); }
  /// Whether all are complete.
  [[nodiscard]] bool test(fabric::Memory& memory);

 private:
  std::vector<fabric::Transfer> transfers_;
};

// All of these: any rank of the array's group, any thread. REQUIRES: the box lies in the array.
// With `pending` they may return before they are complete.

void get(const Runtime& runtime, const Array& array, const Box& box, Local to,
         Pending* pending = nullptr);
void put(const Runtime& runtime, const Array& array, const Box& box, Local from,
         Pending* pending = nullptr);
/// array(box) += factor * from. Throws Error{bad_input} for elements that cannot be added.
void accumulate(const Runtime& runtime, const Array& array, const Box& box, Local from,
                const void* factor, Pending* pending = nullptr);

/// A part of each element: `bytes` of it from `offset` on; the caller's memory holds such parts.
struct Field {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};
void get_field(const Runtime& runtime, const Array& array, const Box& box, Field field, Local to,
               Pending* pending = nullptr);
void put_field(const Runtime& runtime, const Array& array, const Box& box, Field field, Local from,
               Pending* pending = nullptr);

/// Throws Error{bad_input} if the array is "read_only"; all do here that write to it.
void require_writable(const Array& array);

/// One element for each of `places`, in any order; `values` are dense.
void gather(const Runtime& runtime, const Array& array, std::span<const Indexes> places,
            void* values);
void scatter(const Runtime& runtime, const Array& array, std::span<const Indexes> places,
             const void* values);
void scatter_add(const Runtime& runtime, const Array& array, std::span<const Indexes> places,
                 const void* values, const void* factor);

/// Adds to one element, returns what it was. Throws Error{bad_input} if it is not an integer.
[[nodiscard]] std::int64_t read_and_add(const Runtime& runtime, const Array& array,
                                        const Indexes& at, std::int64_t increment);

/// The parts of `box`, which may leave the array on any side, that lie in it when indexes wrap.
/// Calls visit(inside, offset): offset[d]: where the part begins in the box.
template <class Visit>
void for_each_wrapped(const Array& array, const Box& box, const Visit& visit) {
  Box part{.axes = box.axes};
  Indexes offset{};
  const auto descend = [&](const auto& self, std::size_t d) -> void {
    if (d == box.axes) {
      visit(part, offset);
      return;
    }
    const Extent extent = array.extents[d];
    for (Extent at = box.first[d]; at < box.end[d];) {
      const Extent wrapped = (at % extent + extent) % extent;
      const Extent length = std::min(box.end[d] - at, extent - wrapped);
      part.first[d] = wrapped;
      part.end[d] = wrapped + length;
      offset[d] = at - box.first[d];
      self(self, d + 1);
      at += length;
    }
  };
  descend(descend, 0);
}

}  // namespace blockyard::garray
