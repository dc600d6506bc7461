// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "blockyard/garray/transfer.h"

namespace blockyard::garray {

/// An array and a box of it: what collective operations work on.
struct Patch {
  const Array& array;
  Box box;
};

[[nodiscard]] inline Patch whole(const Array& array) { return {array, array.whole()}; }

/// Calls visit(piece, data) for the parts of the patch that this rank holds; data: of the first
/// element of piece.box.
template <class Visit>
void for_each_own(const Patch& patch, const Visit& visit) {
  const Array& array = patch.array;
  if (array.me < 0) return;
  array.distribution.for_each_piece(patch.box, [&](const Piece& piece) {
    if (piece.rank == array.me)
      visit(piece, array.bases[static_cast<std::size_t>(array.me)] +
                       static_cast<std::size_t>(piece.offset) * array.kind.bytes);
  });
}

/// Memory for a box: element `first` of it, and the strides in elements along its axes.
struct View {
  std::byte* data = nullptr;
  Indexes strides{};
};

/// A patch as the operand of an operation whose result is a patch of the same shape: the elements
/// that belong to a part of the result. Shapes are the same when their axes of extent other than 1
/// are, in order (`is_transposed`: in the opposite order), or else, if `may_reshape`, when there
/// are as many elements; they are taken in the order of both patches then (`is_transposed`: of the
/// operand's with its last axis fastest).
class Operand {
 public:
  /// Throws Error{bad_input} if the shapes differ.
  Operand(const Runtime& runtime, const Patch& patch, const Box& result, bool is_transposed = false,
          bool may_reshape = true);

  /// For `part` of the result, strides along the axes of the result. In place where one rank of
  /// this node holds all of it; else a copy, which lasts until the next call.
  [[nodiscard]] View part(const Box& part);
  /// Copies these elements to memory of the caller.
  void copy(const Box& part, Local to);
  /// The box of the operand that belongs to a part, if the shapes are the same.
  [[nodiscard]] bool is_same_shape() const noexcept { return is_same_; }
  [[nodiscard]] Box box_of(const Box& part) const;
  /// Which axis of the operand runs along axis d of the result; -1: none.
  [[nodiscard]] int axis_along(std::size_t d) const noexcept { return axis_along_[d]; }

 private:
  void copy_in_order(const Box& part, Local to);

  const Runtime& runtime_;
  const Array& array_;
  Box box_, result_;
  bool is_same_ = false, is_transposed_;
  std::array<int, array::max_axes> axis_along_{};
  std::vector<std::byte> copy_;
};

/// Calls visit(offset in each) for the elements of `box`, first axis fastest; strides: of each.
/// Axes that follow each other in all of them are one loop, and where its elements do, too, it is
/// one that compilers vectorise: all of `visit` is put into both loops.
template <std::size_t Count, class Visit>
[[gnu::flatten]] void for_each_offset(const Box& box, const std::array<Indexes, Count>& strides,
                                      const Visit& visit) {
  if (box.is_empty()) return;
  Indexes extents{box.extent(0)}, at{};
  std::array<Indexes, Count> steps{};
  std::size_t axes = 1;
  for (std::size_t k = 0; k < Count; ++k) steps[k][0] = strides[k][0];
  for (std::size_t d = 1; d < box.axes; ++d) {
    bool follows = true;
    for (std::size_t k = 0; k < Count; ++k)
      follows = follows && strides[k][d] == extents[axes - 1] * steps[k][axes - 1];
    if (follows) {
      extents[axes - 1] *= box.extent(d);
      continue;
    }
    extents[axes] = box.extent(d);
    for (std::size_t k = 0; k < Count; ++k) steps[k][axes] = strides[k][d];
    ++axes;
  }
  bool is_dense = true;
  for (std::size_t k = 0; k < Count; ++k) is_dense = is_dense && steps[k][0] == 1;
  std::array<Extent, Count> line{};
  for (;;) {
    std::array<Extent, Count> offset = line;
    if (is_dense) {
      for (Extent i = 0; i < extents[0]; ++i) {
        for (std::size_t k = 0; k < Count; ++k) offset[k] = line[k] + i;
        visit(offset);
      }
    } else {
      for (Extent i = 0; i < extents[0]; ++i) {
        visit(offset);
        for (std::size_t k = 0; k < Count; ++k) offset[k] += steps[k][0];
      }
    }
    std::size_t d = 1;
    for (; d < axes; ++d) {
      for (std::size_t k = 0; k < Count; ++k) line[k] += steps[k][d];
      if (++at[d] < extents[d]) break;
      for (std::size_t k = 0; k < Count; ++k) line[k] -= extents[d] * steps[k][d];
      at[d] = 0;
    }
    if (d >= axes) return;
  }
}

/// The element type of arrays that are calculated with. Throws Error{bad_input} if it has none, or
/// if `other` has another.
[[nodiscard]] fabric::Element element_of(const Array& array);
void require_same_kind(const Array& array, const Array& other);
void require_same_shape(const Array& array, const Array& other);

}  // namespace blockyard::garray
