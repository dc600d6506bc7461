// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace blockyard::worker::detail {

/// What all workers do together; one kind per step, checked.
enum class Collective : std::uint8_t {
  barrier,
  sum,
  assert_same,
  broadcast,
  persist,
  checkpoint,
  end
};

}  // namespace blockyard::worker::detail
