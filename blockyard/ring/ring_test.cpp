// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <random>

#include "blockyard/base/error.h"
#include "blockyard/ring/exact.h"
#include "blockyard/ring/result.h"
#include "blockyard/ring/team.h"

namespace blockyard::ring {
namespace {

constexpr Extent units = 13;
constexpr std::size_t values_of_unit = 5;

/// value (unit, k) of a slice += sign * x[0] * x[unit * values_of_unit + k]: as doubles, or
/// exactly.
class SumUpdate final : public Update {
 public:
  SumUpdate(Range range, const ExactScale* exact) : range_(range), exact_(exact) {}

  void apply(std::span<const Item> items, const Slice& slice, device::Stream* /*stream*/) override {
    for (const Item& item : items) {
      double sign = 0;
      std::memcpy(&sign, item.head.data(), sizeof sign);
      const auto* x = reinterpret_cast<const double*>(item.payload.data());
      const bool is_part = item.payload.size() < part_from_bytes;
      const std::size_t first =
          is_part ? 0 : static_cast<std::size_t>(range_.begin) * values_of_unit;
      for (std::size_t i = 0; i < static_cast<std::size_t>(range_.count()) * values_of_unit; ++i) {
        const double value = sign * x[first + i] * x[first + i];
        std::byte* at = slice.host.data() + i * sizeof(double);
        if (exact_ != nullptr)
          *reinterpret_cast<std::int64_t*>(at) += exact_->integer_of(value);
        else
          *reinterpret_cast<double*>(at) += value;
      }
    }
  }

  static constexpr std::size_t part_from_bytes = units * values_of_unit * sizeof(double);

 private:
  Range range_;
  const ExactScale* exact_;
};

/// On the way `direct` a place gets its units only.
class PartUpdate final : public Update {
 public:
  PartUpdate(SumUpdate& sums, const Layout& layout, int ring, base::BufferPool& pool)
      : sums_(sums), layout_(layout), ring_(ring), pool_(pool) {}
  void apply(std::span<const Item> items, const Slice& slice, device::Stream* stream) override {
    sums_.apply(items, slice, stream);
  }
  [[nodiscard]] fabric::Payload part(const Item& item, int place) override {
    const Range range = layout_.range({ring_, place});
    constexpr std::size_t unit_bytes = values_of_unit * sizeof(double);
    auto part = pool_.allocate(static_cast<std::size_t>(range.count()) * unit_bytes);
    std::memcpy(part.data(),
                item.payload.data() + static_cast<std::size_t>(range.begin) * unit_bytes,
                part.size());
    return std::make_shared<const base::Buffer>(std::move(part));
  }

 private:
  SumUpdate& sums_;
  const Layout& layout_;
  int ring_;
  base::BufferPool& pool_;
};

struct Case {
  int ranks = 1;
  int size = 1;
  Options options;
  bool is_exact = false;
  std::optional<std::uint64_t> seed = {};
};

/// The items of rank r are those whose number is r modulo `ranks`, but rank 1 has none; in the end
/// every setting adds the same items.
constexpr int items = 40;

void fill(int number, double& sign, std::span<double> values) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  std::uniform_real_distribution<double> draw(-1, 1);
  sign = number % 3 == 0 ? -1.0 : 1.0;
  for (double& value : values) value = draw(random);
}

int giver_of(int number, int ranks) {
  const int rank = number % ranks;
  return rank == 1 ? 0 : rank;
}

std::vector<std::uint64_t> sums_of(const Case& what) {
  const Layout layout(what.ranks, what.size, units);
  const ExactScale exact(items, 1.0);
  base::BufferPool pool(std::size_t{1} << 26);
  std::vector<std::uint64_t> result;
  Team team;
  team.ranks_here = what.ranks;
  team.delivery_seed = what.seed;
  run_team(team, pool, [&](fabric::Fabric& fabric) {
    Member member(fabric);
    const Seat seat = layout.seat(fabric.rank());
    const Range range = layout.range(seat);
    std::vector<double> slice(static_cast<std::size_t>(range.count()) * values_of_unit, 0.0);
    const auto bytes = std::as_writable_bytes(std::span(slice));
    SumUpdate sums(range, what.is_exact ? &exact : nullptr);
    PartUpdate parts(sums, layout, seat.ring, pool);
    Ring ring(member, layout, what.options, parts, Slice::on_host(bytes));
    for (int number = 0; number < items; ++number) {
      if (giver_of(number, what.ranks) != fabric.rank()) continue;
      double sign = 0;
      auto payload = pool.allocate(SumUpdate::part_from_bytes);
      fill(number, sign, {payload.as<double>(), units * values_of_unit});
      ring.give(std::as_bytes(std::span(&sign, 1)),
                std::make_shared<const base::Buffer>(std::move(payload)));
    }
    ring.finish();
    add_rings(member, layout, pool, bytes, what.is_exact ? add_integers() : add_doubles());
    visit_units(member, layout, pool, bytes, [&](Extent, std::span<const std::byte> unit) {
      const auto* values = reinterpret_cast<const std::uint64_t*>(unit.data());
      result.insert(result.end(), values, values + values_of_unit);
    });
  });
  return result;
}

std::vector<Case> all_cases(bool is_exact) {
  std::vector<Case> cases;
  for (int ranks = 1; ranks <= 7; ++ranks)
    for (int size = 1; size <= ranks; ++size)
      for (const Route route : {Route::ring, Route::direct}) {
        const int kind = ranks + size;
        Options options{route, kind % 2 == 0 ? Direction::both : Direction::right, 1 + kind % 3,
                        2 + kind % 4, 1 + kind % 5};
        cases.push_back({ranks, size, options, is_exact, static_cast<std::uint64_t>(kind)});
      }
  return cases;
}

TEST(Ring, exact_sums_have_the_same_bits_in_every_layout) {
  const auto expected = sums_of({1, 1, {}, true});
  ASSERT_EQ(expected.size(), units * values_of_unit);
  for (const Case& what : all_cases(true))
    EXPECT_EQ(sums_of(what), expected) << what.ranks << " ranks, rings of " << what.size;
}

TEST(Ring, visits_ranks_in_order_whatever_they_bring) {
  base::BufferPool pool(std::size_t{1} << 20);
  std::vector<std::size_t> lengths;
  Team team;
  team.ranks_here = 7;
  team.delivery_seed = 3;
  run_team(team, pool, [&](fabric::Fabric& fabric) {
    Member member(fabric);
    for (int round = 0; round < 2; ++round) {
      const auto rank = static_cast<std::size_t>(fabric.rank());
      const std::vector<std::byte> mine(rank % 3 * 100, std::byte(rank));
      visit_ranks(member, pool, mine, [&](int of, std::span<const std::byte> bytes) {
        EXPECT_EQ(fabric.rank(), 0);
        EXPECT_EQ(static_cast<std::size_t>(of), lengths.size() % 7);
        for (const std::byte one : bytes) EXPECT_EQ(one, std::byte(of));
        lengths.push_back(bytes.size());
      });
    }
  });
  EXPECT_EQ(lengths, (std::vector<std::size_t>{0, 100, 200, 0, 100, 200, 0,  //
                                               0, 100, 200, 0, 100, 200, 0}));
}

TEST(Ring, units_of_a_group_of_rings_are_added) {
  constexpr int ranks = 7, groups = 2;
  base::BufferPool pool(std::size_t{1} << 20);
  std::vector<double> visited;
  Team team;
  team.ranks_here = ranks;
  run_team(team, pool, [&](fabric::Fabric& fabric) {
    Member member(fabric);
    const Layout layout(ranks, 1, units);
    std::vector<double> slice(units, std::pow(10.0, fabric.rank()));
    visit_groups(member, layout, pool, std::as_bytes(std::span(slice)), groups, add_doubles(),
                 [&](Extent, std::span<const std::byte> unit) {
                   const auto* sums = reinterpret_cast<const double*>(unit.data());
                   visited.insert(visited.end(), sums, sums + groups);
                 });
  });
  ASSERT_EQ(visited.size(), units * groups);
  for (std::size_t at = 0; at < visited.size(); at += groups) {
    EXPECT_EQ(visited[at], 1111);
    EXPECT_EQ(visited[at + 1], 1110000);
  }
}

TEST(Ring, sums_of_doubles_agree_to_rounding) {
  const auto expected = sums_of({1, 1, {}});
  for (const Case& what : all_cases(false)) {
    const auto sums = sums_of(what);
    ASSERT_EQ(sums.size(), expected.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      EXPECT_NEAR(std::bit_cast<double>(sums[i]), std::bit_cast<double>(expected[i]), 1e-13);
  }
}

TEST(Ring, an_error_of_one_rank_ends_all_with_its_cause) {
  base::BufferPool pool(1 << 20);
  const Layout layout(3, 3, units);
  Team team;
  team.ranks_here = 3;
  try {
    run_team(team, pool, [&](fabric::Fabric& fabric) {
      Member member(fabric);
      SumUpdate sums(layout.range(layout.seat(fabric.rank())), nullptr);
      std::vector<double> slice(units * values_of_unit);
      Ring ring(member, layout, {}, sums, Slice::on_host(std::as_writable_bytes(std::span(slice))));
      if (fabric.rank() == 1) throw base::Error(base::Errc::bad_input, "sample 7 holds a NaN");
      ring.finish();
    });
    FAIL() << "nothing was thrown";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "sample 7 holds a NaN");
  }
}

TEST(Ring, refuses_a_head_that_is_too_long) {
  base::BufferPool pool(1 << 20);
  const Layout layout(1, 1, units);
  EXPECT_THROW(run_team({}, pool,
                        [&](fabric::Fabric& fabric) {
                          Member member(fabric);
                          SumUpdate sums({}, nullptr);
                          Ring ring(member, layout, {}, sums, {});
                          const std::vector<std::byte> head(most_head_bytes + 1);
                          ring.give(head, nullptr);
                        }),
               base::Error);
}

TEST(Layout, every_rank_has_a_seat_and_every_unit_a_place_in_each_ring) {
  for (int ranks = 1; ranks <= 12; ++ranks)
    for (int size = 1; size <= ranks; ++size) {
      const Layout layout(ranks, size, units);
      std::vector<Extent> held(static_cast<std::size_t>(layout.rings()), 0);
      for (int rank = 0; rank < ranks; ++rank) {
        const Seat seat = layout.seat(rank);
        EXPECT_EQ(layout.rank(seat), rank);
        EXPECT_GE(layout.places(seat.ring), size);
        held[static_cast<std::size_t>(seat.ring)] += layout.range(seat).count();
      }
      for (const Extent count : held) EXPECT_EQ(count, units);
    }
}

TEST(Layout, faster_ranks_have_more_units_and_every_rank_has_one) {
  const std::vector<double> speeds{1, 2, 1, 4, 100, 1, 1};
  const Layout layout(7, 3, units, speeds);  // rings of 4 and of 3
  std::vector<Extent> counts;
  for (int rank = 0; rank < 7; ++rank) {
    const Range range = layout.range(layout.seat(rank));
    counts.push_back(range.count());
    for (Extent unit = range.begin; unit < range.end; ++unit)
      EXPECT_EQ(layout.place_of(layout.seat(rank).ring, unit), layout.seat(rank).place);
  }
  EXPECT_EQ(counts, (std::vector<Extent>{2, 3, 3, 5, 11, 1, 1}));
  EXPECT_EQ(layout.most_units(), 11);
}

TEST(Layout, refuses_a_ring_longer_than_the_ranks_and_one_without_enough_units) {
  EXPECT_THROW(Layout(3, 4, units), base::Error);
  EXPECT_THROW(Layout(4, 4, 3), base::Error);
  EXPECT_THROW(Layout(3, 2, 2), base::Error);  // one ring of three
}

TEST(Ring, ranks_that_do_not_agree_on_it_all_say_so) {
  const auto expect_told = [](int rings_of_last, int slots_of_last) {
    base::BufferPool pool(std::size_t{1} << 20);
    Team team;
    team.ranks_here = 3;
    std::atomic<int> told = 0;
    run_team(team, pool, [&](fabric::Fabric& fabric) {
      const bool is_last = fabric.rank() == 2;
      const Layout layout(3, is_last ? rings_of_last : 3, units);
      Member member(fabric);
      SumUpdate sums(layout.range(layout.seat(fabric.rank())), nullptr);
      Options options;
      if (is_last) options.slots = slots_of_last;
      try {
        const Ring ring(member, layout, options, sums, Slice::on_host({}));
      } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::Errc::bad_input);
        EXPECT_EQ(std::string(error.what()).find("1 of 3 ranks have other rings than rank 0"), 0U)
            << error.what();
        ++told;
      }
    });
    return told.load();
  };
  EXPECT_EQ(expect_told(1, 3), 3);
  EXPECT_EQ(expect_told(3, 4), 3);
  EXPECT_EQ(expect_told(3, 3), 0);
}

/// What choose_size() says where nothing fits.
base::Error refusal_of(const Memory& memory, int ranks) {
  try {
    (void)choose_size(memory, ranks);
  } catch (const base::Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {base::Errc::internal, ""};
}

TEST(ChooseSize, leaves_out_sizes_whose_rings_become_longer_than_the_array_has_units) {
  Memory memory;
  memory.array_bytes = 200;
  memory.units = 2;
  memory.budget_bytes = 150;
  EXPECT_EQ(choose_size(memory, 2).size, 2);
  EXPECT_EQ(choose_size(memory, 4).size, 2);
  const base::Error error = refusal_of(memory, 3);
  EXPECT_NE(std::string(error.what()).find("in a ring of 1"), std::string::npos) << error.what();
}

TEST(ChooseSize, takes_the_smallest_ring_that_fits_and_says_what_would) {
  Memory memory;
  memory.array_bytes = 1200;
  memory.units = 12;
  memory.item_bytes = 10;
  memory.budget_bytes = 450;
  const Choice choice = choose_size(memory, 5);
  EXPECT_EQ(choice.size, 3);  // 400 + 4 items
  EXPECT_EQ(choice.slice_bytes, 400);
  EXPECT_EQ(choice.rank_bytes, 440);
  const base::Error error = refusal_of(memory, 2);
  EXPECT_EQ(error.code(), base::Errc::no_memory);
  EXPECT_NE(std::string(error.what()).find("start 3 ranks"), std::string::npos) << error.what();
}

TEST(ChooseSize, counts_slots_for_each_pair_of_places_on_the_route_direct) {
  Memory memory;
  memory.array_bytes = 1200;
  memory.units = 12;
  memory.item_bytes = 10;
  memory.slots = 3;
  memory.lanes = 2;
  EXPECT_EQ(memory_of_ring(memory, 4).rank_bytes, 300 + (3 * 2 + 1) * 10);
  memory.route = Route::direct;
  EXPECT_EQ(memory_of_ring(memory, 1).rank_bytes, 1200 + 10);
  EXPECT_EQ(memory_of_ring(memory, 4).rank_bytes, 300 + 3 * 2 * 10 + 3 * 3 * 2 * 10);
  memory.part_bytes = [](Extent part_units) { return part_units; };
  EXPECT_EQ(memory_of_ring(memory, 4).rank_bytes, 300 + 3 * 2 * 10 + 3 * 3 * 2 * 3);
  // More places need more slots: the error names the ring that needs least.
  memory.part_bytes = {};
  memory.budget_bytes = 100;
  const base::Error error = refusal_of(memory, 12);
  EXPECT_NE(std::string(error.what()).find("in a ring of 4"), std::string::npos) << error.what();
}

TEST(ExactScale, no_sum_within_its_bound_passes_the_range) {
  const ExactScale scale(1000000, 7.3);
  const double most = std::ldexp(1.0, 62);
  EXPECT_LE(1e6 * 7.3 * scale.scale(), most);
  EXPECT_GT(1e6 * 7.3 * scale.scale(), most / 4);
  EXPECT_NEAR(scale.value_of(scale.integer_of(0.1)), 0.1, 1 / scale.scale());
  EXPECT_THROW(ExactScale(1, 0.0), base::Error);
}

}  // namespace
}  // namespace blockyard::ring
