// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace blockyard::remote {

/// How long the other end has been silent. Where this process did not run for a while, since it or
/// its machine was stopped, nothing could be heard: that time does not count. One thread.
class Silence {
 public:
  /// step: how often it is asked at least, while this process runs.
  Silence(double began_seconds, double step_seconds) noexcept
      : began_(began_seconds), asked_(began_seconds), step_(step_seconds) {}

  /// Seconds to `now` since something was heard last, or since the beginning if that is later.
  [[nodiscard]] double until(double now_seconds, double heard_seconds) noexcept {
    if (now_seconds - asked_ > 2 * step_)
      began_ = now_seconds - std::max(0.0, asked_ - std::max(heard_seconds, began_));
    asked_ = now_seconds;
    return now_seconds - std::max(heard_seconds, began_);
  }

 private:
  double began_, asked_, step_;
};

}  // namespace blockyard::remote
