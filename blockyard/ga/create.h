// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"

// Making arrays from the words of a caller, C or Fortran.
namespace blockyard::ga {

struct Request {
  Tongue tongue;
  int type = 0;
  int ndim = 0;
  Ints dims = nullptr;
  const char* name = nullptr;
  int group = 0;
};

/// Type, extents and name of an array without memory. Throws Error{bad_input}.
void describe_array(Array& array, const Request& request);
void set_chunks(Tongue tongue, Array& array, Ints chunk);
/// block: blocks of each axis; map: where each begins, axis after axis.
void set_irregular(Tongue tongue, Array& array, Ints block, Ints map);
void set_widths(Tongue tongue, Array& array, Ints widths);
void set_dealt(Tongue tongue, Array& array, garray::Layout::Form form, Ints block, Ints grid);

// All of the rest: collective.

/// The new handle, or 0 if out of memory; the reason is printed then.
[[nodiscard]] int make_regular(const Request& request, Ints chunk, Ints widths);
[[nodiscard]] int make_irregular(const Request& request, Ints block, Ints map, Ints widths);
/// 1, or 0 if out of memory.
[[nodiscard]] int make_memory(Array& array);
void end_memory(Array& array);
void destroy_array(Array& array);
[[nodiscard]] int duplicate_array(const Array& array, const char* name);
/// An array like `array` in memory that Getmem gave.
[[nodiscard]] int adopt_memory(const Array& array, const char* name, void* memory);
/// An array in the memory of another.
void overlay_array(Array& array, const Array& host);

/// The part that a process holds, or block `proc` where blocks are dealt; none of those past the
/// last one.
[[nodiscard]] std::optional<Box> box_held(const Array& array, int proc);
/// The owner of an element; -1: it is outside.
[[nodiscard]] int located(Tongue tongue, const Array& array, Ints subscript);

/// Calls visit(process, or block where they are dealt; part) for the parts of a patch, if it is
/// within the array.
template <class Visit>
void for_each_located(const Array& array, const std::optional<Box>& box, const Visit& visit) {
  if (!box) return;
  array.distribution.for_each_piece(*box, [&](const array::Piece& piece) {
    visit(array.distribution.is_direct() ? piece.rank : base::to_int(piece.block), piece.box);
  });
}

}  // namespace blockyard::ga
