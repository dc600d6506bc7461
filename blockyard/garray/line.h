// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/patch.h"

// Sparse data on arrays of one axis. All: collective among the group of the result, no sync of
// their own. first .. end - 1: the elements that take part. Flags are of any type, non-zero is set.
// All throw Error{bad_input} for arrays that do not fit.
namespace blockyard::garray {

struct Range {
  Extent first = 0, end = 0;
};

/// g[i] = start + (i - first) * increment
void enumerate(const Array& g, Range range, const void* start, const void* increment);
/// to[i] = from[j], j the last flagged index up to i; 0 where there is none.
void scan_copy(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
               Range range);
/// to[i] = the sum of from since the last flag, without i itself if `is_exclusive`. Elements before
/// the first flag stay as they are.
void scan_add(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
              Range range, bool is_exclusive);
/// The flagged elements of `from` go to to[0], to[1], .. in order. Returns how many, everywhere.
[[nodiscard]] Extent pack(const Runtime& runtime, const Array& from, const Array& to,
                          const Array& flags, Range range);
/// The inverse: the flagged elements of `to` become from[0], from[1], ..
[[nodiscard]] Extent unpack(const Runtime& runtime, const Array& from, const Array& to,
                            const Array& flags, Range range);

}  // namespace blockyard::garray
