// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/places.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace blockyard::garray {

using array::Box;
using array::Extent;
using array::Indexes;

std::vector<Extent> numbers_of(const Box& whole, std::span<const Indexes> places) {
  std::vector<Extent> numbers(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t d = whole.axes; d-- > 0;)
      numbers[i] = numbers[i] * whole.extent(d) + places[i][d] - whole.first[d];
  return numbers;
}

Indexes place_of(const Box& whole, Extent number) {
  Indexes at = whole.first;
  for (std::size_t d = 0; d < whole.axes; ++d) {
    at[d] += number % whole.extent(d);
    number /= whole.extent(d);
  }
  return at;
}

void sort_unique(std::vector<Extent>& numbers) {
  constexpr Extent bits = 64, bits_for_each = 256;
  if (numbers.empty()) return;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const Extent first = *least, range = *most - first + 1;
  if (range / bits_for_each > static_cast<Extent>(numbers.size())) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return;
  }
  std::vector<std::uint64_t> is_there(static_cast<std::size_t>((range + bits - 1) / bits));
  for (const Extent number : numbers)
    is_there[static_cast<std::size_t>((number - first) / bits)] |= std::uint64_t{1}
                                                                   << ((number - first) % bits);
  numbers.clear();
  for (std::size_t w = 0; w < is_there.size(); ++w)
    for (std::uint64_t word = is_there[w]; word != 0; word &= word - 1)
      numbers.push_back(first + static_cast<Extent>(w) * bits + std::countr_zero(word));
}

Box first_common(const Box& whole, std::span<const Extent> a, std::span<const Extent> b) {
  std::vector<Extent> both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Extent left = a[i], right = b[j];
    if (left == right) {
      if (!both.empty() && left != both.back() + 1) break;
      both.push_back(left);
    }
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  Box first{.axes = whole.axes};
  bool is_found = false;
  for_each_run(whole, both, [&](const Box& run) {
    if (!is_found) first = run;
    is_found = true;
  });
  return first;
}

}  // namespace blockyard::garray
