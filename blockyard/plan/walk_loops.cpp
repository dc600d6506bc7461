// SPDX-License-Identifier: Apache-2.0
// The part of Walk that steps through loops: which worker does which iteration when, and which
// stand for others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/flow/loop_nest.h"
#include "blockyard/plan/walk.h"
#include "blockyard/wire/chunks.h"

namespace blockyard::plan {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Opcode;
using program::Policy;

namespace {

/// Steps of a loop that is always walked completely, at full precision.
constexpr double small_steps = 2e4;
/// Settings of a pardo that are tried at the least, at full precision; where code refuses many.
constexpr double least_settings = 64;
constexpr double least_settings_with_where = 512;
/// At any precision, and however often the pardo was sampled before.
constexpr double fewest_settings = 8;
constexpr double fewest_settings_with_where = 48;
constexpr double least_values = 3;

/// `count` of the positions 0 .. total-1, one at random from each of as many equal parts.
std::vector<std::int64_t> sample_of(std::int64_t total, std::int64_t count,
                                    std::mt19937_64& random) {
  std::vector<std::int64_t> positions;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const double part = static_cast<double>(total) / static_cast<double>(count);
  for (std::int64_t k = 0; k < count; ++k) {
    const double at = (static_cast<double>(k) + uniform(random)) * part;
    positions.push_back(std::min(total - 1, static_cast<std::int64_t>(at)));
  }
  return positions;
}

}  // namespace

bool Walk::where(std::int32_t pc) {
  const std::int32_t outer = pc_;
  (void)step(pc);
  pc_ = outer;
  const Value truth = pop();
  if (!truth.is_known) has_decided_ = true;
  return !truth.is_known || truth.b;
}

/// The positions of a do loop that are walked, from 0 on; none: all `count` of them.
std::vector<std::int64_t> Walk::sample_of_do(std::int64_t count, std::int32_t pc) {
  const bool is_short = nest_.pardo() == nullptr &&
                        static_cast<double>(count) * trips_.of_body(pc) <= precision_ * small_steps;
  if (ratio_ >= 1 || is_short || !trips_.is_plain(pc)) return {};
  const auto wanted = static_cast<std::int64_t>(
      std::max(least_values, std::ceil(ratio_ * static_cast<double>(count))));
  if (wanted >= count) return {};
  return sample_of(count, wanted, random_);
}

/// Walks a do loop; returns where to go on.
std::int32_t Walk::do_loop(const Instruction& instruction, std::int32_t pc) {
  nest_.require_open(instruction.a);
  if (!nest_.begin_do(instruction.a)) return instruction.b;
  const std::int64_t count = nest_.innermost().last - nest_.value_of(instruction.a) + 1;
  const std::vector<std::int64_t> sample = sample_of_do(count, pc);
  const int outer_ordinal = std::exchange(ordinal_, 0);
  const double outer_weight = weight_;
  const double outer_ratio = ratio_;
  const bool is_in_sample = is_sampling_;
  const double stands_for =
      sample.empty() ? 1.0 : static_cast<double>(count) / static_cast<double>(sample.size());
  weight_ *= stands_for;
  ratio_ = std::min(1.0, ratio_ * stands_for);
  if (stands_for > 1) is_sampled_ = is_sampling_ = true;
  std::int32_t next = instruction.b;
  bool is_open = sample.empty() || nest_.next_do(sample.front());
  for (std::size_t k = 1; is_open; ++k) {
    ++ordinal_;
    open_scope();
    const Stop stop = step(pc + 1);
    close_scope();
    if (stop.why == program::Control::loop_leave) {
      next = stop.pc;
      nest_.close();
      break;
    }
    if (sample.empty())
      is_open = nest_.next_do();
    else
      is_open = nest_.next_do(k < sample.size() ? sample[k] - sample[k - 1] : count);
  }
  ordinal_ = outer_ordinal;
  weight_ = outer_weight;
  ratio_ = outer_ratio;
  is_sampling_ = is_in_sample;
  if (!is_in_sample && stands_for > 1) end_sampled_loop();
  return next;
}

/// Walks a pardo; returns where to go on.
std::int32_t Walk::pardo(const Instruction& instruction) {
  const program::PardoDecl& decl = program_.pardos[static_cast<std::size_t>(instruction.a)];
  for (const std::int32_t index : decl.indexes) nest_.require_open(index);
  const std::int32_t pc = pc_;
  const auto workers = static_cast<int>(ranks_.all_workers());
  Policy policy = flow::policy_of(
      decl, job_.run.pardo == Policy::unset ? Policy::balanced : job_.run.pardo, workers);
  if (policy == Policy::locality)
    policy = Policy::dynamic;  // which iterations go where is not seen
  flow::Iterations& all =
      nest_.begin_pardo(instruction.a, {Policy::every_worker, 0, 1, 0}).iterations;
  charge({}, work_.core_seconds);
  const double outer_ratio = ratio_;
  const double body = trips_.of_body(pc);
  const double allowed =
      std::max(precision_ * small_steps, static_cast<double>(all.settings()) * body * ratio_);
  const std::vector<std::int64_t> candidates = candidates_of(all, allowed);
  const auto count = candidates.empty() ? static_cast<double>(all.settings())
                                        : static_cast<double>(candidates.size());
  if (count * body <= allowed) {
    ratio_ = 1;
    deal(all, policy);
  } else {
    const double least = least_sample(pc, candidates.empty() && decl.where >= 0);
    const double wanted = std::min(count, std::max(least, std::ceil(allowed / body)));
    ratio_ = std::min(1.0, allowed / (wanted * body));
    sample(all, candidates, static_cast<std::int64_t>(wanted), policy);
  }
  nest_.close();
  ratio_ = outer_ratio;
  pc_ = pc;
  return instruction.b;
}

/// How many settings are tried at the least. A pardo in a loop comes again and again: later samples
/// are half as large each, since their sum counts.
double Walk::least_sample(std::int32_t pc, bool is_filtered) {
  constexpr int most_halvings = 8;
  const int before = std::min(sampled_[pc]++, most_halvings);
  const double full = is_filtered ? least_settings_with_where : least_settings;
  const double fewest = is_filtered ? fewest_settings_with_where : fewest_settings;
  return std::max(fewest, std::ceil(std::ldexp(precision_ * full, -before)));
}

/// One iteration on the worker that works; false if it leaves the pardo.
bool Walk::iterate(std::int32_t body) {
  work_.iterations += weight_ * ranks_.multiplicity();
  open_scope();
  const Stop stop = step(body);
  close_scope();
  charge({}, work_.core_seconds);
  return stop.why != program::Control::loop_leave;
}

/// Goes through all iterations in virtual time: the worker with the earliest clock does its next.
void Walk::deal(flow::Iterations& all, Policy policy) {
  const std::int32_t body = all.pardo().body;
  const auto holds = [&](std::int32_t pc) { return where(pc); };
  const auto workers = static_cast<std::int64_t>(ranks_.all_workers());
  const bool is_shared =
      policy == Policy::static_ || policy == Policy::balanced || policy == Policy::dynamic;
  // Where iterations are: of all, or of each worker.
  std::vector<std::vector<std::int64_t>> settings(
      policy == Policy::static_ || policy == Policy::balanced ? static_cast<std::size_t>(workers)
                                                              : 1);
  while (nest_.next(holds) == flow::Iterations::Step::found) {
    std::int64_t owner = 0;
    if (policy == Policy::static_) owner = all.setting() % workers;
    if (policy == Policy::balanced) owner = (nest_.dealt() + all.passed() - 1) % workers;
    settings[static_cast<std::size_t>(owner)].push_back(all.setting());
  }
  charge_where(policy == Policy::dynamic ? 2 : 1);  // dynamic counts them first
  if (policy == Policy::balanced) nest_.add_dealt(all.passed());
  if (!is_shared) {
    ranks_.switch_to(policy == Policy::every_worker || workers == 1 ? RankModel::everybody : 0);
    for (const std::int64_t setting : settings[0]) {
      all.select(setting, nest_.values_to_set());
      if (!iterate(body)) break;
    }
    return ranks_.switch_to(RankModel::everybody);
  }
  using Turn = std::pair<double, std::int64_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  ranks_.switch_to(RankModel::everybody);
  std::vector<wire::Range> shares;
  const std::int64_t total = std::ssize(settings[0]);  // of a dynamic pardo
  for (std::int64_t w = 0; w < workers; ++w) {
    shares.push_back(policy == Policy::dynamic
                         ? wire::unasked_of(w, total, workers)
                         : wire::Range{0, std::ssize(settings[static_cast<std::size_t>(w)])});
    turns.emplace(ranks_.clock(static_cast<int>(w)), w);
  }
  std::int64_t taken = policy == Policy::dynamic ? shares.back().last : 0;
  while (!turns.empty()) {
    const std::int64_t w = turns.top().second;
    turns.pop();
    wire::Range& share = shares[static_cast<std::size_t>(w)];
    const auto& mine = settings[policy == Policy::dynamic ? 0 : static_cast<std::size_t>(w)];
    if (policy == Policy::dynamic && share.length() == 0) {
      share.first = taken;
      share.last = taken += wire::guided(total - taken, workers);
    }
    if (share.length() == 0) continue;
    ranks_.switch_to(static_cast<int>(w));
    all.select(mine[static_cast<std::size_t>(share.first++)], nest_.values_to_set());
    if (!iterate(body)) share = {0, 0};
    ranks_.switch_to(RankModel::everybody);
    turns.emplace(ranks_.clock(static_cast<int>(w)), w);
  }
}

/// The settings that are iterations, if where code refuses some and trying all costs little
/// compared with the allowed steps; else none.
std::vector<std::int64_t> Walk::candidates_of(flow::Iterations all, double allowed) {
  constexpr double steps_of_where = 20;  // about
  std::vector<std::int64_t> found;
  if (all.pardo().where < 0 || static_cast<double>(all.settings()) * steps_of_where > allowed / 2)
    return found;
  const std::int64_t steps = steps_;
  const auto holds = [&](std::int32_t pc) { return where(pc); };
  while (all.next(nest_.values_to_set(), holds) == flow::Iterations::Step::found)
    found.push_back(all.setting());
  steps_ = steps;
  return found;
}

/// Walks `count` settings that stand for all.
void Walk::sample(flow::Iterations& all, std::span<const std::int64_t> candidates,
                  std::int64_t count, Policy policy) {
  is_sampled_ = is_sampling_ = true;
  const std::int64_t all_of_them = candidates.empty() ? all.settings() : std::ssize(candidates);
  const auto total = static_cast<double>(all_of_them);
  const std::int32_t body = all.pardo().body;
  const double outer = weight_;
  weight_ *= total / static_cast<double>(count);
  std::int64_t where_steps = 0;
  ranks_.switch_to(policy == Policy::every_worker ? RankModel::everybody : 0);
  double sum = 0;
  double sum_of_squares = 0;
  double longest = 0;
  bool has_iteration = false;
  const double before = work_.core_seconds;
  for (const std::int64_t position : sample_of(all_of_them, count, random_)) {
    const auto at = static_cast<std::size_t>(position);
    all.select(candidates.empty() ? position : candidates[at], nest_.values_to_set());
    const bool is_iteration = all.pardo().where < 0 || where(all.pardo().where);
    where_steps += std::exchange(steps_, 0);
    if (!is_iteration) continue;
    has_iteration = true;
    ranks_.clear_caches();
    const double begin = work_.core_seconds;
    (void)iterate(body);
    const double seconds = (work_.core_seconds - begin) / weight_;
    sum += seconds;
    sum_of_squares += seconds * seconds;
    longest = std::max(longest, seconds);
    ranks_.drop_pending();
  }
  ranks_.clear_caches();
  if (!has_iteration)
    assume(
        fmt::format("no iteration, as none of {} settings tried satisfies its conditions (try "
                    "more with --steps)",
                    count));
  const auto n = static_cast<double>(count);
  variance_ += total * total / n * std::max(0.0, sum_of_squares / n - sum * sum / n / n);
  weight_ = outer;
  is_sampling_ = false;
  sampled_core_ = work_.core_seconds - before;
  longest_ = longest;
  ranks_.switch_to(RankModel::everybody);
  steps_ = where_steps;
  charge_where(total / static_cast<double>(count));
  end_sampled_loop();
}

/// The instructions since the last that was charged are those of where code, which every worker
/// runs for all settings.
void Walk::charge_where(double times) {
  const double seconds =
      times * static_cast<double>(std::exchange(steps_, 0)) * machine_.instruction_seconds;
  work_.core_seconds += weight_ * ranks_.multiplicity() * seconds;
  ranks_.compute(weight_ * seconds);
}

/// Accounts for the transfers of a loop that was sampled: a cache that has room for all that the
/// loop reads gets every block at most once.
void Walk::end_sampled_loop() {
  servers_.end_loop();
  const auto workers = static_cast<double>(ranks_.all_workers());
  double volume = 0;
  for (const auto& [array, misses] : deferred_)
    volume += std::min(
        misses[1] / workers,
        static_cast<double>(tables_.grids[static_cast<std::size_t>(array)].element_count()) *
            element_bytes(array));
  const bool all_fit = volume <= cache_room();
  const double cached = std::min(volume, cache_room());
  ranks_.note_cached(cached, cached * ranks_.foreign_share());
  const double core_before = work_.core_seconds;
  double transfer = std::exchange(sampled_transfer_, 0);
  for (const auto& [array, misses] : deferred_) {
    const double most =
        workers *
        static_cast<double>(tables_.grids[static_cast<std::size_t>(array)].element_count()) *
        element_bytes(array);
    const double share = all_fit && misses[1] > most ? most / misses[1] : 1.0;
    work_.cache_hits += misses[0] * (1 - share);
    transfer += fetched(misses[1] * share, ranks_.foreign_share(), misses[0] * share);
    servers_.get_volume(misses[1] * share);
  }
  deferred_.clear();
  charge_disk();
  sampled_core_ += work_.core_seconds - core_before;
  ranks_.share_out(sampled_core_, transfer, longest_);
  sampled_core_ = longest_ = 0;
}

}  // namespace blockyard::plan
