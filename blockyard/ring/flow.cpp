// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/flow.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/ring/detail/direct_flow.h"
#include "blockyard/ring/detail/ring_flow.h"

namespace blockyard::ring {

std::unique_ptr<Flow> make_flow(Route route, const LaneShape& shape) {
  const auto refuse = [](const std::string& why) { throw base::Error(base::Errc::bad_input, why); };
  if (shape.places < 1 || shape.place < 0 || shape.place >= shape.places)
    refuse(fmt::format("place {} is not in a ring of {} places", shape.place, shape.places));
  if (shape.slots < 2)
    refuse(
        fmt::format("a ring needs at least 2 slots at each rank, not {}: with fewer, full ranks "
                    "wait for each other",
                    shape.slots));
  if (route == Route::direct) return std::make_unique<DirectFlow>(shape);
  return std::make_unique<RingFlow>(shape);
}

}  // namespace blockyard::ring
