// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/transfer.h"

// Transfers of every n-th element. Only these elements move, and only these are written.
namespace blockyard::garray {

/// The elements first[d], first[d] + steps[d], .. of each axis d, counts[d] of them. Steps are
/// positive.
struct Lattice {
  std::size_t axes = 0;
  Indexes first{};
  Indexes counts{};
  Indexes steps{};

  /// From the first to the last element of each axis.
  [[nodiscard]] Box box() const noexcept {
    Box box{.axes = axes};
    for (std::size_t d = 0; d < axes; ++d) {
      box.first[d] = first[d];
      box.end[d] = counts[d] == 0 ? first[d] : first[d] + (counts[d] - 1) * steps[d] + 1;
    }
    return box;
  }
};

/// The caller's memory for a lattice: the place of its first element, and the bytes from one to
/// the next along each axis, of any sign; 0 where a put takes one value many times.
struct Spread {
  std::byte* data = nullptr;
  Indexes strides_bytes{};
};

// All of these: any rank of the array's group, any thread. REQUIRES: the lattice lies in the array.
// With `pending` they may return before they are complete.

void get(const Runtime& runtime, const Array& array, const Lattice& lattice, const Spread& to,
         Pending* pending = nullptr);
void put(const Runtime& runtime, const Array& array, const Lattice& lattice, const Spread& from,
         Pending* pending = nullptr);
/// array(lattice) += factor * from. Throws Error{bad_input} for elements that cannot be added.
void accumulate(const Runtime& runtime, const Array& array, const Lattice& lattice,
                const Spread& from, const void* factor, Pending* pending = nullptr);

}  // namespace blockyard::garray
