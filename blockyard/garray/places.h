// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/array/box.h"

// Elements of an array by their numbers, first index fastest: the short form of long lists.
namespace blockyard::garray {

/// Places within `whole`.
[[nodiscard]] std::vector<array::Extent> numbers_of(const array::Box& whole,
                                                    std::span<const array::Indexes> places);
[[nodiscard]] array::Indexes place_of(const array::Box& whole, array::Extent number);

/// Sorts the numbers, and leaves one of each. Linear where they lie close to each other.
void sort_unique(std::vector<array::Extent>& numbers);

/// Calls visit(box) for the runs along the first axis of sorted numbers.
template <class Visit>
void for_each_run(const array::Box& whole, std::span<const array::Extent> numbers,
                  const Visit& visit) {
  for (std::size_t i = 0; i < numbers.size();) {
    const array::Indexes first = place_of(whole, numbers[i]);
    const auto room = static_cast<std::size_t>(whole.end[0] - first[0]);
    std::size_t length = 1;
    while (length < room && i + length < numbers.size() &&
           numbers[i + length] == numbers[i + length - 1] + 1)
      ++length;
    array::Box run{.axes = whole.axes, .first = first, .end = first};
    for (std::size_t d = 0; d < run.axes; ++d) ++run.end[d];
    run.end[0] = first[0] + static_cast<array::Extent>(length);
    visit(run);
    i += length;
  }
}

/// The first run of elements that both sorted lists have; empty: none.
[[nodiscard]] array::Box first_common(const array::Box& whole, std::span<const array::Extent> a,
                                      std::span<const array::Extent> b);

}  // namespace blockyard::garray
