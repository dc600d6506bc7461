// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/costs.h"

#include <algorithm>

namespace blockyard::blas {

namespace {

constexpr double newest = 0.3;      // weight of the last call
constexpr double hysteresis = 0.9;  // of the time here, which a call there has to beat

constexpr int most_refusals = 3;  // of a routine, after which it is not offered any more

double blend(double old, double now) { return old == 0 ? now : old + newest * (now - old); }

}  // namespace

double Costs::local_estimate(double flops) const noexcept {
  return local_rate_ == 0 ? 0 : flops / local_rate_;
}

double Costs::device_estimate(double flops, double bytes) const noexcept {
  const double computing = device_rate_ == 0 ? 0 : flops / device_rate_;
  return factor_ * (latency_seconds_ + bytes * byte_seconds_ + computing);
}

double Costs::allowance() const noexcept { return 0.02 + 0.03 * local_seconds_ - lost_seconds_; }

bool Costs::prefers_device(double flops, double bytes) const noexcept {
  if (local_rate_ == 0 || refusals_ >= most_refusals) return false;
  const double here = local_estimate(flops), there = device_estimate(flops, bytes);
  if (device_rate_ > 0 && there < hysteresis * here) return true;
  // A trial: what it may cost is what sending alone says, or what it took before.
  const double loss = std::max(there - here, device_rate_ == 0 ? there : 0.0);
  return loss < allowance() && (device_rate_ == 0 || lost_seconds_ > 0);
}

void Costs::note_local(double flops, double seconds) noexcept {
  local_seconds_ += seconds;
  local_rate_ = blend(local_rate_, flops / std::max(seconds, 1e-9));
}

void Costs::note_refusal(double seconds) noexcept {
  lost_seconds_ += seconds;
  ++refusals_;
}

/// Sending and computing overlap, so that they are not told apart: the factor takes up the rest.
void Costs::note_device(double flops, double bytes, double seconds) noexcept {
  lost_seconds_ += std::max(0.0, seconds - local_estimate(flops));
  const double sending = latency_seconds_ + bytes * byte_seconds_;
  if (device_rate_ == 0)
    device_rate_ = flops / std::max({seconds - sending, seconds / 2, 1e-9});
  else
    factor_ = blend(factor_, factor_ * seconds / device_estimate(flops, bytes));
}

}  // namespace blockyard::blas
