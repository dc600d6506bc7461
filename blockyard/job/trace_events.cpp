// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/trace_events.h"

#include <algorithm>

namespace blockyard::job {

std::uint64_t trace_events_of_rank(int ranks) noexcept {
  constexpr std::uint64_t all = 1'000'000, most = 20'000;
  return std::min(most, all / static_cast<std::uint64_t>(ranks));
}

std::uint64_t trace_events_of_rank(int ranks, double seconds) noexcept {
  constexpr double least = 6000, a_second = 8000;
  const double all = least + a_second * seconds;
  return std::min(trace_events_of_rank(ranks),
                  static_cast<std::uint64_t>(all / static_cast<double>(ranks)));
}

}  // namespace blockyard::job
