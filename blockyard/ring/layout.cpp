// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::ring {

using base::Errc;
using base::Error;

namespace {

/// Where part `part` of `parts` as equal ones begins.
Extent begin_of(Extent units, int parts, int part) {
  const Extent length = units / parts;
  const Extent longer = units % parts;
  return part * length + std::min<Extent>(part, longer);
}

/// Of the rings of `size` ranks or more that all ranks make.
int longest_ring(int ranks, int size) {
  const int rings = ranks / size;
  return (ranks + rings - 1) / rings;
}

constexpr Extent most_bytes = Extent{1} << 62;

Extent product(Extent a, Extent b) {
  Extent result = 0;
  return __builtin_mul_overflow(a, b, &result) ? most_bytes : std::min(result, most_bytes);
}

Extent sum(Extent a, Extent b) { return std::min(a + b, most_bytes); }

/// Items that a place has memory for: those of others in its slots, and its own.
Extent items_bytes(const Memory& memory, int size, Extent most_units) {
  if (size == 1) return memory.item_bytes;
  const Extent slots = Extent{memory.slots} * memory.lanes;
  if (memory.route == Route::ring) return product(slots + 1, memory.item_bytes);
  const Extent part = memory.part_bytes ? memory.part_bytes(most_units) : memory.item_bytes;
  // Own ones stay until the last place has its part: as many as there are slots.
  return sum(product(slots, memory.item_bytes), product(slots * (size - 1), part));
}

/// The largest size whose rings have a unit for each place.
int largest_size(int ranks, Extent units) {
  auto size = static_cast<int>(std::min<Extent>(ranks, units));
  while (size > 1 && longest_ring(ranks, size) > units) --size;
  return size;
}

}  // namespace

Layout::Layout(int ranks, int size, Extent units, std::span<const double> speeds) : units_(units) {
  if (size < 1 || size > ranks)
    throw Error(Errc::bad_input,
                fmt::format("a ring of {} ranks does not fit {} rank{}: take --ring {} or less, or "
                            "start more ranks",
                            size, ranks, ranks == 1 ? "" : "s", ranks));
  const int rings = ranks / size;
  for (int ring = 0; ring <= rings; ++ring)
    first_.push_back(static_cast<int>(begin_of(ranks, rings, ring)));
  if (places(0) > units)
    throw Error(Errc::bad_input,
                fmt::format("the array can be cut into {} slices only, but {} ranks in rings of {} "
                            "or more make one of {}: take --ring {} or less, or fewer ranks",
                            units, ranks, size, places(0), largest_size(ranks, units)));
  if (speeds.empty()) return;
  base::require(speeds.size() == static_cast<std::size_t>(ranks), "each rank has its speed");
  for (int ring = 0; ring < rings; ++ring) {
    const auto of_ring = speeds.subspan(static_cast<std::size_t>(rank({ring, 0})),
                                        static_cast<std::size_t>(places(ring)));
    const double all = std::accumulate(of_ring.begin(), of_ring.end(), 0.0);
    // One unit for each place, the others in proportion.
    const auto shared = static_cast<double>(units - places(ring));
    double sum = 0;
    for (int place = 0; place < places(ring); ++place) {
      begin_.push_back(place + std::llround(shared * sum / all));
      sum += of_ring[static_cast<std::size_t>(place)];
    }
  }
}

int Layout::places(int ring) const {
  const auto at = static_cast<std::size_t>(ring);
  return first_.at(at + 1) - first_[at];
}

Seat Layout::seat(int rank) const {
  const auto after = std::ranges::upper_bound(first_, rank);
  const auto ring = static_cast<int>(after - first_.begin()) - 1;
  return {ring, rank - first_.at(static_cast<std::size_t>(ring))};
}

int Layout::rank(const Seat& seat) const {
  return first_.at(static_cast<std::size_t>(seat.ring)) + seat.place;
}

Range Layout::range(const Seat& seat) const {
  const int parts = places(seat.ring);
  if (!begin_.empty()) {
    const auto at = static_cast<std::size_t>(rank(seat));
    return {begin_.at(at), seat.place + 1 < parts ? begin_.at(at + 1) : units_};
  }
  return {begin_of(units_, parts, seat.place), begin_of(units_, parts, seat.place + 1)};
}

Extent Layout::most_units() const {
  Extent most = 0;
  for (int rank = 0; rank < ranks(); ++rank) most = std::max(most, range(seat(rank)).count());
  return most;
}

int Layout::place_of(int ring, Extent unit) const {
  int place = 0;
  while (range({ring, place}).end <= unit) ++place;
  return place;
}

std::uint64_t Layout::checksum() const {
  base::Checksum sum;
  sum.add(std::as_bytes(std::span(first_)));
  sum.add(std::as_bytes(std::span(&units_, 1)));
  sum.add(std::as_bytes(std::span(begin_)));
  return sum.value();
}

Choice memory_of_ring(const Memory& memory, int size) {
  const Extent unit_bytes = memory.array_bytes / std::max<Extent>(1, memory.units);
  Choice choice;
  choice.size = size;
  const Extent most_units = (memory.units + size - 1) / size;
  choice.slice_bytes = most_units * unit_bytes;
  choice.rank_bytes =
      sum(choice.slice_bytes + memory.fixed_bytes, items_bytes(memory, size, most_units));
  if (memory.result_bytes) choice.rank_bytes = sum(choice.rank_bytes, memory.result_bytes(size));
  if (memory.work_bytes) choice.rank_bytes = sum(choice.rank_bytes, memory.work_bytes(most_units));
  return choice;
}

Choice choose_size(const Memory& memory, int ranks) {
  const int largest = largest_size(ranks, memory.units);
  const auto fits = [&](const Choice& choice) { return choice.rank_bytes <= memory.budget_bytes; };
  for (int size = 1; size <= largest; ++size) {
    Choice choice = memory_of_ring(memory, size);
    if (!fits(choice)) continue;
    choice.reason = fmt::format(
        "the smallest ring that fits: a rank needs {} of its {}{}",
        base::format_bytes(choice.rank_bytes), base::format_bytes(memory.budget_bytes),
        size == 1 ? ""
                  : fmt::format("; with one of {} it would need {}", size - 1,
                                base::format_bytes(memory_of_ring(memory, size - 1).rank_bytes)));
    return choice;
  }
  Choice least = memory_of_ring(memory, largest);
  for (int size = largest - 1; size >= 1; --size)
    if (Choice one = memory_of_ring(memory, size); one.rank_bytes < least.rank_bytes)
      least = std::move(one);
  std::string advice = fmt::format("give each rank {}", base::format_bytes(least.rank_bytes));
  // Looking at each of very many sizes would take longer than the advice is worth.
  constexpr Extent nearby = 64;
  for (Extent size = largest + 1; size <= memory.units && size <= INT32_MAX;
       size += std::max<Extent>(1, (size - largest) / nearby)) {
    const Choice more = memory_of_ring(memory, static_cast<int>(size));
    if (!fits(more)) continue;
    advice += fmt::format(", or start {} ranks", size);
    break;
  }
  throw Error(Errc::no_memory,
              fmt::format("an array of {} does not fit {} rank{} with {} each: slice, slots and "
                          "workspace need {} in a ring of {}; {}",
                          base::format_bytes(memory.array_bytes), ranks, ranks == 1 ? "" : "s",
                          base::format_bytes(memory.budget_bytes),
                          base::format_bytes(least.rank_bytes), least.size, advice));
}

int parse_size(const std::string& text) {
  if (text == "auto") return 0;
  int size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size() || size < 1)
    throw Error(Errc::bad_input,
                fmt::format("the size of a ring is 'auto' or a number of ranks, not '{}'", text));
  return size;
}

}  // namespace blockyard::ring
