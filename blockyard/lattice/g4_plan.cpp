// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/lattice/g4_run.h"

namespace blockyard::lattice {

namespace {

/// The size of a travelling item: vertices with their matrices, or tiles of `units` units. Without
/// channels nothing travels.
std::int64_t item_bytes_of(const SliceShape& shape, const G4Options& options, Travel travel,
                           std::int64_t vertices, Extent units) {
  if (shape.channels.empty()) return 0;
  const std::int64_t width = options.is_single ? sizeof(float) : sizeof(double);
  if (travel == Travel::sample)
    return 2 * (vertices * static_cast<std::int64_t>(sizeof(Vertex)) + vertices * vertices * width);
  return tile_bytes(shape, units) / static_cast<std::int64_t>(sizeof(double)) * width;
}

/// The kind of item that travels, if it may be chosen: the smaller one. On the route `direct` a
/// Green's function has fewer than on `ring`, but that depends on the size of the ring, which is
/// chosen by what travels: so both are compared whole.
void choose_travel(const G4Options& options, std::int64_t vertices, G4Plan& plan) {
  plan.travel = options.travel;
  plan.travel_reason = "as asked";
  if (options.travel != Travel::automatic) return;
  const auto bytes = [&](Travel travel) {
    return item_bytes_of(plan.shape, options, travel, vertices, plan.shape.units());
  };
  const std::int64_t of_sample = bytes(Travel::sample);
  const std::int64_t of_g = bytes(Travel::g);
  plan.travel = of_sample <= of_g ? Travel::sample : Travel::g;
  if (plan.shape.channels.empty()) {
    plan.travel_reason = "without channels nothing travels";
    return;
  }
  plan.travel_reason =
      fmt::format("a sample with {} vertices a spin has {}, its Green's function {}", vertices,
                  base::format_bytes(of_sample), base::format_bytes(of_g));
}

/// Of one sample, to all places of a ring but its own, on average over whose it is.
std::int64_t sent_bytes_of(const G4Plan& plan, const G4Options& options, int size,
                           std::int64_t vertices) {
  const Extent units = plan.shape.units();
  if (options.flow.route == ring::Route::ring || plan.travel == Travel::sample)
    return (size - 1) * plan.item_bytes;
  const ring::Layout layout(size, size, units);
  std::int64_t all = 0;
  for (int place = 0; place < size; ++place)
    all +=
        item_bytes_of(plan.shape, options, plan.travel, vertices, layout.range({0, place}).count());
  return all * (size - 1) / size;
}

/// What rank 0 takes to write the result: for its matrices, and for a unit where rings are bins.
std::function<Extent(int)> result_bytes_of(const Problem& problem, const G4Options& options,
                                           const SliceShape& shape, int ranks) {
  SliceShape of_bin = shape;
  of_bin.bins = 1;
  const std::int64_t matrices = options.has_matrices ? Matrices::bytes_of(problem, of_bin) : 0;
  const auto unit = static_cast<std::int64_t>(of_bin.unit_values() * sizeof(double));
  return [=, &options](int size) {
    const int bins = bins_of_rings(options, ranks / size);
    return bins > 0 ? bins * (matrices + unit) : options.bins * matrices;
  };
}

}  // namespace

/// Exact sums have the same bits however many rings there are: what each ring has is not rounded
/// before it is added.
int bins_of_rings(const G4Options& options, int rings) {
  constexpr int least = 4, most = 16;
  const bool are_bins = options.may_bin_by_ring && !options.is_exact && options.bins == 1 &&
                        options.normalise && !options.has_parts && rings >= least;
  return are_bins ? std::min(rings, most) : 0;
}

G4Plan plan_g4(const Problem& problem, const G4Options& options, int ranks, std::int64_t vertices) {
  G4Plan plan;
  plan.shape = {problem.axes, options.channels, static_cast<int>(problem.exchange_momenta.size()),
                options.bins};
  choose_travel(options, vertices, plan);
  const Extent units = plan.shape.units();
  plan.item_bytes = item_bytes_of(plan.shape, options, plan.travel, vertices, units);
  const auto unit_bytes = static_cast<Extent>(plan.shape.unit_values() * sizeof(double));
  const bool on_device = !options.devices.empty();
  ring::Memory memory;
  memory.budget_bytes = budget_of(options);
  memory.fixed_bytes = device_work_bytes(problem.axes, vertices);
  if (!on_device)  // all plan as rank 0
    memory.result_bytes = result_bytes_of(problem, options, plan.shape, ranks);
  memory.work_bytes = [&](Extent most_units) {
    return cut_batch(plan.shape, most_units, options.flow.batch, on_device).tiles_bytes;
  };
  memory.units = units;
  memory.array_bytes = units * unit_bytes;
  memory.item_bytes = plan.item_bytes;
  memory.part_bytes = [&](Extent most_units) {
    return item_bytes_of(plan.shape, options, plan.travel, vertices, most_units);
  };
  memory.route = options.flow.route;
  memory.slots = options.flow.slots;
  memory.lanes = options.flow.lanes;
  ring::Choice choice;
  if (options.ring == 0) {
    choice = ring::choose_size(memory, ranks);
  } else {
    const ring::Layout layout(ranks, options.ring, units);
    choice = ring::memory_of_ring(memory, options.ring);
    choice.reason = "as asked";
    if (choice.rank_bytes > memory.budget_bytes)
      throw base::Error(base::Errc::no_memory,
                        fmt::format("in rings of {} a rank needs {}, but may use only {}: use "
                                    "--ring auto, or allow more with --memory",
                                    options.ring, base::format_bytes(choice.rank_bytes),
                                    base::format_bytes(memory.budget_bytes)));
  }
  plan.ring = choice.size;
  plan.reason = choice.reason;
  const Extent most_units = (units + choice.size - 1) / choice.size;
  plan.slice_bytes = most_units * unit_bytes;
  plan.sent_bytes = sent_bytes_of(plan, options, choice.size, vertices);
  plan.rank_bytes = choice.rank_bytes;
  plan.fixed_bytes = choice.rank_bytes - choice.slice_bytes - memory.work_bytes(most_units);
  return plan;
}

G4Options common_options(fabric::Fabric& fabric, const G4Options& options) {
  constexpr double most = 9007199254740992;  // 2^53: integers up to here are doubles
  std::vector<double> budgets(static_cast<std::size_t>(fabric.size()), 0.0);
  budgets[static_cast<std::size_t>(fabric.rank())] =
      std::min(most, static_cast<double>(budget_of(options)));
  fabric.reduce(budgets);
  G4Options common = options;
  common.memory_bytes = static_cast<std::int64_t>(*std::ranges::min_element(budgets));
  common.device_bytes = 0;
  return common;
}

std::int64_t budget_of(const G4Options& options) {
  if (options.devices.empty() || options.device_bytes == 0) return options.memory_bytes;
  return std::min(options.memory_bytes, options.device_bytes);
}

std::int64_t memory_of_slice(const G4Plan& plan, const G4Options& options, Extent units) {
  return plan.fixed_bytes + units * static_cast<Extent>(plan.shape.unit_values() * sizeof(double)) +
         cut_batch(plan.shape, units, options.flow.batch, !options.devices.empty()).tiles_bytes;
}

}  // namespace blockyard::lattice
