// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "blockyard/base/clock.h"
#include "blockyard/device/device.h"

namespace blockyard::bench {

/// A device that is measured, and how.
struct Subject {
  std::string name;  ///< in the names of its cases
  device::Device& device;
  double least_seconds;  ///< that each measurement is repeated for
  double most_seconds;   ///< what would run longer is left out
};

/// Best wall seconds of an action, which runs at least twice: the first run may wait for a cold
/// start. What the clock would disturb is repeated within one measurement.
template <class Action>
[[nodiscard]] double best_of(const Subject& subject, const Action& action) {
  constexpr double least_of_clock = 1e-5;
  double best = std::numeric_limits<double>::infinity();
  const double end = base::now_seconds() + subject.least_seconds;
  for (int repeats = 1, runs = 0; runs < 2 || base::now_seconds() < end; ++runs) {
    const double begin = base::now_seconds();
    for (int i = 0; i < repeats; ++i) action();
    const double seconds = base::now_seconds() - begin;
    best = std::min(best, seconds / repeats);
    if (seconds < least_of_clock) repeats *= 2;
  }
  return best;
}

/// Writes one measurement: its case, without the name of the device, and its figures.
void print(const Subject& subject, const std::string& one, const nlohmann::ordered_json& figures);

/// Copies in both directions, of pageable and of locked memory.
void measure_copies(const Subject& subject);
/// What memory costs: of the host, locked or not, of the device, and of the pools of a run.
void measure_allocations(const Subject& subject);
/// Contractions of four-index blocks against plain matrix products here and on the host.
void measure_contractions(const Subject& subject);

}  // namespace blockyard::bench
