// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "blockyard/ga/ints.h"
#include "blockyard/ga/tongue.h"
#include "blockyard/garray/patch.h"

// Between the callers' indexes and the model's, which count from 0, first axis fastest, ends past
// the last. Errors say the caller's words.
namespace blockyard::ga {

using array::Box;
using array::Distribution;
using array::Extent;
using array::Indexes;
using garray::Array;
using garray::Local;

/// "extents 512 x 512, double", axes in the caller's order.
[[nodiscard]] std::string describe(Tongue tongue, const Array& array);

/// Calls with i and j for the subscripts: throws Error{bad_input} for an array of more axes.
void require_flat(const Array& array);
[[nodiscard]] std::vector<Extent> extents_of(Tongue tongue, std::size_t axes, Ints extents);
/// A patch of an array. Throws Error{bad_input} that names the first bad end.
[[nodiscard]] Box box_of(Tongue tongue, const Array& array, Ints lo, Ints hi,
                         std::string_view lo_name = "lo", std::string_view hi_name = "hi");
/// The same; none where it has no elements or leaves the array.
[[nodiscard]] std::optional<Box> box_within(Tongue tongue, const Array& array, Ints lo, Ints hi);
/// The same for collective operations, which accept patches without elements: hi is lo - 1.
[[nodiscard]] Box operand_box_of(Tongue tongue, const Array& array, Ints lo, Ints hi,
                                 std::string_view lo_name = "lo", std::string_view hi_name = "hi");
/// The same, which may leave the array on any side.
[[nodiscard]] Box wide_box_of(Tongue tongue, const Array& array, Ints lo, Ints hi);
[[nodiscard]] Indexes indexes_of(Tongue tongue, const Array& array, Ints subscripts);
/// The memory of a caller that has the elements of `box`.
[[nodiscard]] Local local_of(Tongue tongue, const Array& array, const Box& box, void* memory,
                             Ints ld);

/// A patch in one block in memory of this node that is at most two axes wide; `data` is null for
/// all others, wrong ones too.
struct NearRows {
  std::byte* data = nullptr;
  std::size_t bytes = 0;   ///< of a row
  int rank = -1;           ///< whose memory
  std::size_t offset = 0;  ///< in it, in bytes
  std::size_t rows = 1;
  std::size_t step = 0;  ///< bytes from one row to the next
};
template <class Int>
[[nodiscard]] NearRows near_rows(Tongue tongue, const Array& array, const Int* lo,
                                 const Int* hi) noexcept {
  const std::size_t axes = array.axes();
  const Extent base = tongue.first();
  Distribution::Spot spot;
  Extent length = 1, rows = 1, step = 0;
  for (std::size_t d = 0; d < axes; ++d) {
    const std::size_t axis = tongue.axis(d, axes);
    const Extent first = lo[axis] - base, last = hi[axis] - base;
    if (first < 0 || last >= array.extents[d] || last < first) return {};
    if (d == 0) {
      length = last - first + 1;
    } else if (last > first) {
      if (d > 1) return {};
      rows = last - first + 1;
      step = spot.length;
    }
    if (!array.distribution.step(spot, d, first, last)) return {};
  }
  const int rank = array.distribution.holder_of(spot.block);
  std::byte* memory = array.bases[static_cast<std::size_t>(rank)];
  if (memory == nullptr) return {};
  const std::size_t offset = static_cast<std::size_t>(spot.offset) * array.kind.bytes;
  const auto bytes_of = [&](Extent elements) {
    return static_cast<std::size_t>(elements) * array.kind.bytes;
  };
  return {memory + offset, bytes_of(length), rank, offset, static_cast<std::size_t>(rows),
          bytes_of(step)};
}
[[nodiscard]] inline NearRows near_rows(Tongue tongue, const Array& array, Ints lo,
                                        Ints hi) noexcept {
  if (!array.is_plain) return {};
  if (lo.wide() != nullptr) return near_rows(tongue, array, lo.wide(), hi.wide());
  return near_rows(tongue, array, lo.narrow(), hi.narrow());
}
/// Bytes from one row to the next in the caller's memory; 0: his rows are too short.
[[nodiscard]] inline std::size_t step_of(Tongue tongue, const Array& array, const NearRows& near,
                                         Ints ld) noexcept {
  if (near.rows == 1) return near.bytes;
  const Extent length = ld[tongue.is_fortran ? 0 : array.axes() - 2];
  const std::size_t step = length > 0 ? static_cast<std::size_t>(length) * array.kind.bytes : 0;
  return step >= near.bytes ? step : 0;
}

/// Writes both ends of a box, or what stands for none.
void write_box(Tongue tongue, const Box& box, Ints lo, Ints hi);
void write_indexes(Tongue tongue, std::size_t axes, const Indexes& at, Ints subscripts);
/// 1 for the axes of a block without elements.
void write_ld(Tongue tongue, std::size_t axes, const Indexes& strides, Ints ld);

}  // namespace blockyard::ga
