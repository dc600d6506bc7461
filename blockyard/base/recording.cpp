// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/recording.h"

#include <algorithm>
#include <utility>

namespace blockyard::base {

std::vector<TraceEvent> TraceRing::take() {
  std::rotate(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(next_), events_.end());
  next_ = 0;
  return std::exchange(events_, {});
}

void MemoryLine::add(const MemorySample& sample) noexcept {
  if (capacity_ == 0) return;
  if (samples_.size() == capacity_) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < samples_.size(); k += 2) samples_[kept++] = samples_[k];
    samples_.resize(kept);
    interval_seconds_ *= 2;
  }
  samples_.push_back(sample);
  next_seconds_ = sample.at_seconds + interval_seconds_;
}

}  // namespace blockyard::base
