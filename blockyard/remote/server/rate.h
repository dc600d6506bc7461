// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace blockyard::remote {

/// How much of something there is in a second: the mean over the last ten. One thread.
class Rate {
 public:
  static constexpr std::size_t window_seconds = 10;

  void add(double now_seconds, double amount) {
    forget_before(now_seconds);
    amounts_[slot(last_)] += amount;
  }
  /// A rate that is younger than the window is the mean since its first second.
  [[nodiscard]] double a_second(double now_seconds) {
    forget_before(now_seconds);
    double sum = 0;
    for (const double amount : amounts_) sum += amount;
    const double begin = static_cast<double>(
        std::max(first_, last_ - static_cast<std::int64_t>(window_seconds) + 1));
    return sum / std::max(1.0, now_seconds - begin);
  }

 private:
  [[nodiscard]] static std::size_t slot(std::int64_t second) {
    return static_cast<std::size_t>(second) % window_seconds;
  }
  void forget_before(double now_seconds) {
    const auto now = static_cast<std::int64_t>(std::floor(now_seconds));
    if (last_ < 0) first_ = last_ = now;
    const auto most = static_cast<std::int64_t>(window_seconds);
    for (std::int64_t second = std::max(last_ + 1, now - most + 1); second <= now; ++second)
      amounts_[slot(second)] = 0;
    last_ = std::max(last_, now);
  }

  std::array<double, window_seconds> amounts_{};  ///< of each second
  std::int64_t first_ = -1, last_ = -1;
};

}  // namespace blockyard::remote
