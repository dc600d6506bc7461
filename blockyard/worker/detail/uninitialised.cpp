// SPDX-License-Identifier: Apache-2.0
// The mark of values that nobody wrote.
#include <cstring>

#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/element.h"

namespace blockyard::worker::detail {

namespace {
constexpr std::uint64_t uninitialised_bits = 0x7ff4b10c0a4d0000ULL;
}

void fill_uninitialised(std::span<double> values) noexcept {
  for (double& value : values) std::memcpy(&value, &uninitialised_bits, sizeof value);
}

bool is_uninitialised(View view) noexcept {
  const Extent count = view.shape.element_count();
  for (Extent n = 0; n < count; ++n) {
    // The quiet bit may be set on the way through a register.
    std::uint64_t bits = 0;
    std::memcpy(&bits, element_of(view, n), sizeof bits);
    if ((bits & ~0x0008000000000000ULL) == uninitialised_bits) return true;
  }
  return false;
}

}  // namespace blockyard::worker::detail
