// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/costs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace blockyard::blas {

namespace {

constexpr double newest = 0.3;  // weight of the last call
constexpr double hysteresis =
    0.9;                     // of the time where calls are, which the other place has to beat
constexpr double doubt = 2;  // by which a guess may be wrong

constexpr int most_refusals = 3;  // of a class, after which it is offered rarely

double blend(double old, double now) { return old == 0 ? now : old + newest * (now - old); }

/// Steps of a factor of four.
int step_of(double value) {
  return static_cast<int>(std::floor(std::log2(std::max(value, 1e-3)) / 2));
}

}  // namespace

Costs::Costs(const Guess& guess) noexcept
    : local_rate_(guess.local_rate),
      device_rate_(guess.device_rate),
      byte_seconds_(guess.byte_seconds),
      latency_seconds_(guess.latency_seconds),
      refusals_(std::min(guess.refusals, most_refusals - 1)) {}

double Costs::local_estimate(double flops) const noexcept {
  return local_rate_ == 0 ? 0 : flops / local_rate_;
}

double Costs::device_estimate(double flops, double bytes) const noexcept {
  const double computing = device_rate_ == 0 ? 0 : flops / device_rate_;
  return factor_ * (latency_seconds_ + bytes * byte_seconds_ + computing);
}

Guess Costs::as_guess() const noexcept {
  return {local_rate_, device_rate_ / factor_, byte_seconds_ * factor_, latency_seconds_ * factor_,
          refusals_};
}

bool Costs::prefers_device(double flops, double bytes, const Trials& trials,
                           double queue_seconds) noexcept {
  const bool was_there = std::exchange(is_there_, false);
  is_trial_ = false;
  if (local_rate_ == 0) return false;
  if (refusals_ >= most_refusals) return is_there_ = is_trial_ = is_offered_again(trials);
  const double here = local_estimate(flops);
  const double there = device_estimate(flops, bytes) + queue_seconds;
  const double least = is_device_guessed_ ? 1 / doubt : was_there ? 1 / hysteresis : hysteresis;
  if (device_rate_ > 0 && there < least * here) return is_there_ = true;
  // A trial: what it may cost is what sending alone says, or what it took before.
  const bool is_unknown = device_rate_ == 0;
  const double loss =
      is_unknown ? std::max(there - here, there) : (is_device_guessed_ ? doubt : 1) * there - here;
  is_trial_ = loss < trials.allowance() && (is_device_guessed_ || has_lost_);
  return is_there_ = is_trial_;
}

/// A refusal may have been of the moment, or of what the operands held: each one doubles the number
/// of calls before the next offer.
bool Costs::is_offered_again(const Trials& trials) noexcept {
  constexpr int most_doublings = 20;
  return ++passed_over_ >= std::int64_t{1} << std::min(refusals_, most_doublings) &&
         refusal_seconds_ < trials.allowance();
}

void Costs::note_local(double flops, double seconds, Trials& trials) noexcept {
  trials.note_work(seconds);
  const double rate = flops / std::max(seconds, 1e-9);
  local_rate_ = is_local_guessed_ ? rate : blend(local_rate_, rate);
  is_local_guessed_ = false;
}

void Costs::note_refusal(double seconds, Trials& trials) noexcept {
  trials.note_loss(seconds);
  ++refusals_;
  refusal_seconds_ = seconds;
  passed_over_ = 0;
}

/// Sending and computing overlap, so that they are not told apart: the factor takes up the rest.
void Costs::note_device(double flops, double bytes, double seconds, Trials& trials,
                        double queue_seconds) noexcept {
  refusals_ = 0;
  const double loss = std::max(0.0, seconds - local_estimate(flops));
  trials.note_loss(loss);
  has_lost_ = has_lost_ || loss > 0;
  seconds = std::max(seconds - queue_seconds, seconds / 2);
  const double sending = latency_seconds_ + bytes * byte_seconds_;
  if (!is_device_guessed_) {
    factor_ = blend(factor_, factor_ * seconds / device_estimate(flops, bytes));
    return;
  }
  is_device_guessed_ = false;
  device_rate_ = flops / std::max({seconds - sending, seconds / 2, 1e-9});
  factor_ = 1;
}

CallClass class_of(std::string routine, int threads, double flops, double bytes) {
  return {std::move(routine), threads, step_of(flops), step_of(flops / std::max(bytes, 1.0))};
}

Costs& CostBook::of(const CallClass& which, const Guess& first) {
  if (const auto known = all_.find(which); known != all_.end()) return known->second;
  Guess guess = first;
  int nearest = -1;
  for (const auto& [other, costs] : all_) {
    if (other.routine != which.routine) continue;
    const int distance = std::abs(other.size - which.size) +
                         std::abs(other.intensity - which.intensity) +
                         100 * std::abs(other.threads - which.threads);
    if (nearest >= 0 && distance >= nearest) continue;
    nearest = distance;
    guess = costs.as_guess();
    // Another number of threads says nothing of the rate here.
    if (other.threads != which.threads) guess.local_rate = first.local_rate;
  }
  return all_.emplace(which, Costs(guess)).first->second;
}

}  // namespace blockyard::blas
