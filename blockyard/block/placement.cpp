// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/placement.h"

#include <algorithm>

namespace blockyard::block {

namespace {

constexpr double weight = 0.25;  // of the newest measurement
constexpr double clear_gain = 0.8;
constexpr std::uint32_t wasted_trials =
    1;                              // the first run of a plan makes it ready, on either side
constexpr double most_of_mean = 4;  // another process may cause one slow run
constexpr std::uint32_t enough_trials = 3;
/// So many times as long as the host a processor's driver may take for what it does badly.
constexpr double worst_slowdown = 16;
constexpr std::uint32_t runs_between_trials = 512;
constexpr double lost_share = 0.03;
constexpr double lost_seconds_at_once = 0.02;

void mix(double& mean, double value, bool is_first) noexcept {
  mean = is_first ? value : (1 - weight) * mean + weight * std::min(value, most_of_mean * mean);
}

}  // namespace

bool Placement::is_open(std::int32_t pc) noexcept {
  Statement& statement = at(pc);
  if (statement.closed_for == 0) return true;
  --statement.closed_for;
  return false;
}

void Placement::close(Statement& statement) noexcept {
  statement.closes_for = std::clamp<std::uint32_t>(2 * statement.closes_for, 16, 4096);
  statement.closed_for = statement.closes_for;
}

bool Placement::may_try(double loss_seconds) const noexcept {
  return lost_seconds_ + loss_seconds <= lost_seconds_at_once + lost_share * worked_seconds_;
}

double Placement::copy_seconds(double bytes) const noexcept { return bytes * byte_seconds_; }

Placement::Side Placement::choose(std::int32_t pc, const Work& work) {
  Statement& statement = at(pc);
  if (statement.host_runs <= wasted_trials) return Side::host;
  const double copies = copy_seconds(static_cast<double>(work.to_device_bytes));
  const double host = statement.host_seconds * work.flops +
                      copy_seconds(static_cast<double>(work.from_device_bytes));
  if (statement.trials < enough_trials) {
    const bool is_new = statement.trials <= wasted_trials;
    const double flop_seconds = is_new ? best_flop_seconds_ : statement.device_seconds;
    const double guess = std::max(launch_seconds_, flop_seconds * work.flops) + copies;
    // With the operands there it may still pay; without hope of that it is not tried.
    const bool has_hope = guess - copies < host;
    const double worst = is_new && is_processor_ ? worst_slowdown * host : 0.0;
    if (has_hope && may_try(std::max(worst, guess - host))) return Side::trial;
    if (is_new) {
      close(statement);
      return Side::host;
    }
  }
  const double device = std::max(launch_seconds_, statement.device_seconds * work.flops) + copies +
                        copy_seconds(work.expected_back_bytes);
  statement.is_on_device =
      statement.is_on_device ? host >= clear_gain * device : device < clear_gain * host;
  if (!statement.is_on_device) {
    // Not even with all operands there: it need not be looked at so often.
    if (device - copies > host) close(statement);
    return Side::host;
  }
  statement.closes_for = 0;
  if (++statement.since_trial < runs_between_trials) return Side::device;
  statement.since_trial = 0;
  // In turn the host is measured again, if that is not too dear.
  const double loss = std::max(0.0, host - device);
  statement.is_host_next = !statement.is_host_next;
  if (!statement.is_host_next || !may_try(loss)) return Side::trial;
  lost_seconds_ += loss;
  return Side::host;
}

void Placement::host_took(std::int32_t pc, double flops, double seconds) noexcept {
  if (flops <= 0) return;
  Statement& statement = at(pc);
  mix(statement.host_seconds, seconds / flops, statement.host_runs++ <= wasted_trials);
  worked_seconds_ += seconds;
}

void Placement::device_took(std::int32_t pc, double flops, double seconds) noexcept {
  if (flops <= 0) return;
  Statement& statement = at(pc);
  lost_seconds_ += std::max(0.0, seconds - statement.host_seconds * flops);
  if (++statement.trials <= wasted_trials) return;
  mix(statement.device_seconds, seconds / flops, statement.trials == wasted_trials + 1);
  launch_seconds_ = launch_seconds_ == 0 ? seconds : std::min(launch_seconds_, seconds);
  const double rate = seconds / flops;
  best_flop_seconds_ = best_flop_seconds_ == 0 ? rate : std::min(best_flop_seconds_, rate);
}

void Placement::copies_took(const ResidencyCounts& copies, double seconds) noexcept {
  if (copies.bytes_in + copies.peer_bytes == 0) return;
  lost_seconds_ += seconds;
  if (copies.peer_bytes > 0) return;
  mix(byte_seconds_, seconds / static_cast<double>(copies.bytes_in), !has_copied_);
  has_copied_ = true;
}

std::size_t Placement::on_device() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(statements_, true, &Statement::is_on_device));
}

}  // namespace blockyard::block
