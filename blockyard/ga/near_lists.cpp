// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/near_lists.h"

namespace blockyard::ga {

void ListRecord::number(std::span<const Line> at, std::size_t first, std::size_t count) {
  Extent* const numbers = numbers_.data() + first;
  for (std::size_t d = at.size(); d-- > 0;) {
    const Extent extent = array_.extents[d];
    for (std::size_t i = 0; i < count; ++i) numbers[i] = numbers[i] * extent + at[d][i];
  }
}

void ListRecord::end(const garray::Addresses& addresses, Use use, const void* values) {
  if (report_ != nullptr) {
    const auto& ranks = runtime().team(array_.group).ranks;
    const auto counts = addresses.counts();
    for (std::size_t member = 0; member < counts.size(); ++member)
      if (counts[member] > 0)
        count_bytes(*report_, ranks[member], counts[member] * array_.kind.bytes);
  }
  if (checks_ == nullptr) return;
  if (values != nullptr) checks_->look(array_, numbers_, values);
  checks_->note(array_, use, std::move(numbers_));
}

}  // namespace blockyard::ga
