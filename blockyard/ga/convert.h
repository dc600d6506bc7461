// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/ga/ints.h"
#include "blockyard/ga/tongue.h"
#include "blockyard/garray/patch.h"

// Between the callers' indexes and the model's, which count from 0, first axis fastest, ends past
// the last. Errors say the caller's words.
namespace blockyard::ga {

using array::Box;
using array::Extent;
using array::Indexes;
using garray::Array;
using garray::Local;

/// "extents 512 x 512, double", axes in the caller's order.
[[nodiscard]] std::string describe(Tongue tongue, const Array& array);

[[nodiscard]] std::vector<Extent> extents_of(Tongue tongue, std::size_t axes, Ints extents);
/// A patch of an array. Throws Error{bad_input} that names the first bad end.
[[nodiscard]] Box box_of(Tongue tongue, const Array& array, Ints lo, Ints hi,
                         std::string_view lo_name = "lo", std::string_view hi_name = "hi");
/// The same, which may leave the array on any side.
[[nodiscard]] Box wide_box_of(Tongue tongue, const Array& array, Ints lo, Ints hi);
[[nodiscard]] Indexes indexes_of(Tongue tongue, const Array& array, Ints subscripts);
/// The memory of a caller that has the elements of `box`.
[[nodiscard]] Local local_of(Tongue tongue, const Array& array, const Box& box, void* memory,
                             Ints ld);

/// A patch without gaps in memory of this node, and as long in the caller's; `data` is null for all
/// others, wrong ones too.
struct NearRow {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};
[[nodiscard]] NearRow near_row(Tongue tongue, const Array& array, Ints lo, Ints hi) noexcept;

/// Writes both ends of a box, or what stands for none.
void write_box(Tongue tongue, const Box& box, Ints lo, Ints hi);
void write_indexes(Tongue tongue, std::size_t axes, const Indexes& at, Ints subscripts);
void write_ld(Tongue tongue, std::size_t axes, const Indexes& strides, Ints ld);

}  // namespace blockyard::ga
