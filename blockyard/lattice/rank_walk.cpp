// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/rank_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/ring/result.h"

namespace blockyard::lattice {

namespace {

constexpr std::size_t fields_of_a_walker = 3;
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : sum / static_cast<double>(values.size() - 1);
}

}  // namespace

double OrderSeries::autocorrelation() const {
  const auto bin = static_cast<std::size_t>(std::sqrt(static_cast<double>(series_.size())));
  if (bin < 2) return 0.5;
  std::vector<double> bins;
  for (std::size_t at = 0; at + bin <= series_.size(); at += bin)
    bins.push_back(mean_of(std::span(series_).subspan(at, bin)));
  const double of_one = variance_of(series_);
  return of_one > 0 ? 0.5 * static_cast<double>(bin) * variance_of(bins) / of_one : 0.5;
}

RankWalk::RankWalk(Setting setting) : setting_(std::move(setting)) {
  const HubbardJob& job = setting_.job;
  const fabric::Fabric& fabric = setting_.member.fabric;
  for (std::int64_t number = fabric.rank(); number < job.walkers; number += fabric.size()) {
    places_.push_back(
        {number,
         Walker(job.model, setting_.bare, job.seed, static_cast<std::uint64_t>(number), job.shift),
         {}});
    if (setting_.from != nullptr) load(places_.back());
  }
}

std::int64_t RankWalk::samples_of(const Place& place) const {
  const HubbardJob& job = setting_.job;
  return job.samples / job.walkers + (place.number < job.samples % job.walkers ? 1 : 0);
}

/// Walker by walker, so that a bin has as many samples in a row as there can be: the fewer, the
/// more bins are correlated with each other. None is empty, however few samples a walker gives.
int RankWalk::bin_of_next(const Place& place) const {
  const HubbardJob& job = setting_.job;
  const std::int64_t before = place.number * (job.samples / job.walkers) +
                              std::min(place.number, job.samples % job.walkers);
  return static_cast<int>((before + place.given) * job.options.bins / job.samples);
}

void RankWalk::load(Place& place) {
  const std::vector<std::byte> bytes = setting_.from->walker(place.number);
  base::FieldReader in(bytes);
  in.fields(place.warm, place.given);
  place.walker.load(in);
  place.orders.load(in);
  setting_.sampled(place.given);
}

std::vector<std::byte> RankWalk::states() const {
  base::FieldWriter out;
  out.field(std::uint64_t{places_.size()});
  for (const Place& place : places_) {
    base::FieldWriter one;
    one.fields(place.warm, place.given);
    place.walker.save(one);
    place.orders.save(one);
    out.fields(place.number, one.take());
  }
  return out.take();
}

void RankWalk::advance(Place& place, std::int64_t steps) {
  constexpr std::int64_t serve_every = 16;
  const HubbardJob& job = setting_.job;
  const std::int64_t samples = samples_of(place);
  for (; steps > 0 && place.warm < job.warm_up; --steps) {
    place.walker.sweep();
    // The first sweeps are far from what they lead to; the last ones get used to guidance.
    if (4 * place.warm >= job.warm_up && 2 * place.warm < job.warm_up) place.walker.note();
    if (place.warm + 1 == job.warm_up / 2) place.walker.guide();
    if (place.warm++ % serve_every == 0) setting_.run.serve();
  }
  for (; steps > 0 && place.given < samples; --steps) {
    for (std::int64_t sweep = 0; sweep < job.sweeps; ++sweep) place.walker.sweep();
    place.orders.add(place.walker.order(), place.walker.weight());
    setting_.run.give(place.walker.sample(), bin_of_next(place));
    ++place.given;
    setting_.sampled(1);
  }
}

void RankWalk::walk() {
  if (setting_.job.checkpoints.folder.empty()) {
    for (Place& place : places_) advance(place, endless);
    return;
  }
  for (;;) {
    const double began = base::now_seconds();
    for (Place& place : places_) advance(place, steps_);
    const double seconds = base::now_seconds() - began;
    setting_.run.land();
    const Decision decision = decide(seconds);
    if (decision.is_over) return;
    if (decision.saves) save();
    if (decision.ends)
      throw base::Error(
          base::Errc::comm,
          fmt::format(
              "the run was asked to stop; to continue from its checkpoint: blockyard resume {}",
              setting_.job.checkpoints.folder));
    setting_.run.go_on();
  }
}

/// The sums over ranks are the same at all of them, and so is what follows from them.
RankWalk::Decision RankWalk::decide(double round_seconds) {
  constexpr double wanted_seconds = 1.0;
  constexpr double fastest_growth = 4.0;
  const Checkpointing& wishes = setting_.job.checkpoints;
  const bool is_asked = wishes.requests && wishes.requests() > answered_;
  const bool ends = wishes.ends && wishes.ends();
  const bool is_due = setting_.folder != nullptr && wishes.seconds &&
                      base::now_seconds() - setting_.folder->saved_at() >= *wishes.seconds;
  double left = 0;
  for (const Place& place : places_) left += static_cast<double>(samples_of(place) - place.given);
  std::array<double, 4> sums = {left, round_seconds, is_asked || is_due || ends ? 1.0 : 0.0,
                                ends ? 1.0 : 0.0};
  setting_.member.fabric.reduce(sums);
  const double mean_seconds = sums[1] / setting_.member.fabric.size();
  const double growth =
      std::min(fastest_growth, wanted_seconds / std::max(mean_seconds, 1e-6 * wanted_seconds));
  const double steps = std::clamp(static_cast<double>(steps_) * growth, 1.0, 1e9);
  steps_ = static_cast<std::int64_t>(steps);
  return {sums[0] == 0, sums[2] > 0, sums[3] > 0};
}

void RankWalk::save() {
  const Checkpointing& wishes = setting_.job.checkpoints;
  // Requests of before are answered by this one.
  if (wishes.requests) answered_ = wishes.requests();
  std::optional<CheckpointOut> out;
  if (setting_.folder != nullptr) out.emplace(setting_.folder->part());
  SavedHead head = setting_.head;
  head.averages = setting_.run.save(
      [&](Extent unit, std::span<const std::byte> sums) { out->write_unit(unit, sums); });
  ring::visit_ranks(setting_.member, setting_.pool, states(),
                    [&](int, std::span<const std::byte> of_rank) {
                      base::FieldReader in(of_rank);
                      std::uint64_t count = 0;
                      for (in.field(count); count > 0; --count) {
                        std::int64_t number = 0;
                        std::vector<std::byte> state;
                        in.fields(number, state);
                        out->write_walker(number, state);
                      }
                    });
  if (!out) return;
  out->write_head(head);
  out->finish();
  setting_.folder->keep();
}

WalkReport RankWalk::report() {
  std::vector<double> told(fields_of_a_walker * static_cast<std::size_t>(setting_.job.walkers));
  for (const Place& place : places_) {
    double* mine = told.data() + fields_of_a_walker * static_cast<std::size_t>(place.number);
    mine[0] = place.orders.mean();
    mine[1] = place.orders.autocorrelation() * static_cast<double>(setting_.job.sweeps);
    mine[2] = place.walker.worst_residue();
  }
  setting_.member.fabric.reduce(told);
  WalkReport report;
  double squares = 0;
  const auto walkers = static_cast<double>(setting_.job.walkers);
  for (std::size_t at = 0; at < told.size(); at += fields_of_a_walker) {
    report.order.value += told[at] / walkers;
    squares += told[at] * told[at] / walkers;
    report.autocorrelation_sweeps += told[at + 1] / walkers;
    report.worst_residue = std::max(report.worst_residue, told[at + 2]);
  }
  const double variance = squares - report.order.value * report.order.value;
  report.order.error =
      setting_.job.walkers > 1 ? std::sqrt(std::max(0.0, variance) / (walkers - 1)) : 0;
  return report;
}

}  // namespace blockyard::lattice
