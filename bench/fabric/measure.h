// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "blockyard/base/clock.h"

namespace blockyard::bench {

/// The sizes to be measured, in bytes.
[[nodiscard]] inline std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all{8};
  for (std::size_t bytes = 1024; bytes <= std::size_t{16} << 20; bytes *= 4) all.push_back(bytes);
  return all;
}

/// Seconds of one `action`: the median over seven samples of about twenty milliseconds each.
/// `agree`: gives process 0's number of repeats to all that take part.
template <class Action, class Agree>
[[nodiscard]] double time_of(const Action& action, const Agree& agree) {
  constexpr int samples = 7;
  constexpr int first_tries = 4;
  constexpr double sample_seconds = 0.02;
  constexpr double most_repeats = 20000;
  const auto run = [&](int count) {
    const double begin = base::now_seconds();
    for (int k = 0; k < count; ++k) action();
    return (base::now_seconds() - begin) / count;
  };
  (void)run(1);
  const double one = std::max(run(first_tries), 1e-9);
  const int count = agree(static_cast<int>(std::clamp(sample_seconds / one, 3.0, most_repeats)));
  std::vector<double> taken;
  for (int sample = 0; sample < samples; ++sample) taken.push_back(run(count));
  std::ranges::sort(taken);
  return taken[samples / 2];
}

template <class Action>
[[nodiscard]] double time_of(const Action& action) {
  return time_of(action, [](int count) { return count; });
}

}  // namespace blockyard::bench
