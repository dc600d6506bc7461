// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/rank_tree.h"
#include "tests/contract/fabric/worlds.h"

namespace blockyard::contract {
namespace {

using fabric::Fabric;

class FabricWindow : public testing::TestWithParam<World> {};
INSTANTIATE_TEST_SUITE_P(Every, FabricWindow, testing::ValuesIn(all_worlds()),
                         [](const auto& test) { return test.param.name; });

void wait_for(Fabric& fabric, fabric::Ticket ticket) {
  while (!fabric.done(ticket)) {
  }
}

std::vector<double> read(Fabric& fabric, int window, int rank, std::size_t count) {
  std::vector<double> values(count, -1.0);
  wait_for(fabric, fabric.get(window, rank, 0, std::as_writable_bytes(std::span(values))));
  return values;
}

TEST_P(FabricWindow, begins_with_zeros_and_may_differ_in_length) {
  GetParam().run([&](Fabric& fabric) {
    const int window = fabric.window(8 * static_cast<std::size_t>(fabric.rank()));
    for (int rank = 0; rank < fabric.size(); ++rank) {
      const auto count = static_cast<std::size_t>(rank);
      EXPECT_EQ(read(fabric, window, rank, count), std::vector<double>(count, 0.0));
    }
    fabric.barrier();
  });
}

TEST_P(FabricWindow, brings_back_what_was_put_anywhere) {
  GetParam().run([&](Fabric& fabric) {
    const int first = fabric.window(64);
    const int second = fabric.window(static_cast<std::size_t>(fabric.size()) * 8);
    EXPECT_NE(first, second);
    const double value = 10.0 + fabric.rank();
    for (int rank = 0; rank < fabric.size(); ++rank)
      wait_for(fabric, fabric.put(second, rank, static_cast<std::size_t>(fabric.rank()) * 8,
                                  std::as_bytes(std::span(&value, 1))));
    fabric.barrier();
    for (int rank = 0; rank < fabric.size(); ++rank) {
      const auto values = read(fabric, second, rank, static_cast<std::size_t>(fabric.size()));
      for (int from = 0; from < fabric.size(); ++from)
        EXPECT_EQ(values[static_cast<std::size_t>(from)], 10.0 + from);
    }
    EXPECT_EQ(read(fabric, first, 0, 8), std::vector<double>(8, 0.0));
    fabric.barrier();
  });
}

TEST_P(FabricWindow, adds_every_value_once_however_many_add_at_a_time) {
  constexpr int rounds = 300;
  GetParam().run([&](Fabric& fabric) {
    const int window = fabric.window(32);
    const std::array<double, 3> values{1.0, 10.0, 100.0};
    for (int round = 0; round < rounds; ++round)
      wait_for(fabric, fabric.accumulate(window, 0, 8, values));
    fabric.barrier();
    const double times = rounds * fabric.size();
    EXPECT_EQ(read(fabric, window, 0, 4), (std::vector<double>{0, times, 10 * times, 100 * times}));
    fabric.barrier();
  });
}

TEST_P(FabricWindow, gives_one_of_the_values_that_race_to_a_place) {
  GetParam().run([&](Fabric& fabric) {
    const int window = fabric.window(8);
    const double value = 1.0 + fabric.rank();
    for (int round = 0; round < 100; ++round)
      wait_for(fabric, fabric.put(window, 0, 0, std::as_bytes(std::span(&value, 1))));
    const double seen = read(fabric, window, 0, 1)[0];
    EXPECT_GE(seen, 1.0);
    EXPECT_LE(seen, fabric.size());
    EXPECT_EQ(seen, static_cast<int>(seen));
    fabric.barrier();
  });
}

TEST_P(FabricWindow, takes_transfers_of_no_bytes) {
  GetParam().run([&](Fabric& fabric) {
    const int window = fabric.window(0);
    for (int rank = 0; rank < fabric.size(); ++rank) {
      wait_for(fabric, fabric.get(window, rank, 0, {}));
      wait_for(fabric, fabric.put(window, rank, 0, {}));
      wait_for(fabric, fabric.accumulate(window, rank, 0, {}));
    }
    fabric.barrier();
  });
}

TEST_P(FabricWindow, refuses_bytes_outside) {
  GetParam().run([&](Fabric& fabric) {
    const int window = fabric.window(16);
    std::array<std::byte, 16> bytes{};
    EXPECT_THROW((void)fabric.get(window, 0, 1, bytes), base::Error);
    EXPECT_THROW((void)fabric.put(window, 0, 17, {}), base::Error);
    EXPECT_THROW((void)fabric.get(window, 0, ~std::size_t{0}, bytes), base::Error);
    fabric.barrier();
  });
}

TEST_P(FabricWindow, barrier_lets_nobody_through_before_all_came) {
  constexpr int rounds = 50;
  GetParam().run([&](Fabric& fabric) {
    const int window = fabric.window(8);
    const std::array<double, 1> one{1.0};
    for (int round = 1; round <= rounds; ++round) {
      wait_for(fabric, fabric.accumulate(window, 0, 0, one));
      fabric.barrier();
      EXPECT_EQ(read(fabric, window, 0, 1)[0], round * fabric.size());
      fabric.barrier();
    }
  });
}

TEST_P(FabricWindow, broadcast_gives_the_bytes_of_the_root_to_all) {
  GetParam().run([&](Fabric& fabric) {
    for (int root = 0; root < fabric.size(); ++root) {
      std::array<double, 3> values{};
      if (fabric.rank() == root) values = {root + 0.5, 2, 3};
      fabric.broadcast(std::as_writable_bytes(std::span(values)), root);
      EXPECT_EQ(values, (std::array<double, 3>{root + 0.5, 2, 3}));
    }
    fabric.broadcast({}, 0);
  });
}

TEST_P(FabricWindow, reduce_adds_along_the_tree_of_ranks) {
  GetParam().run([&](Fabric& fabric) {
    const auto value_of = [](int rank) { return 1.0 / (rank + 3) + (rank == 1 ? 1e16 : 0.0); };
    const std::function<double(int)> sum_from = [&](int rank) {
      double sum = value_of(rank);
      for (const int child : fabric::children_of(rank, fabric.size())) sum += sum_from(child);
      return sum;
    };
    const double expected = sum_from(0);
    for (int round = 0; round < 20; ++round) {
      std::array<double, 2> values{value_of(fabric.rank()), 1.0};
      fabric.reduce(values);
      EXPECT_EQ(values[0], expected);
      EXPECT_EQ(values[1], fabric.size());
    }
  });
}

TEST_P(FabricWindow, collectives_of_many_megabytes_are_those_of_few_bytes) {
  GetParam().run([&](Fabric& fabric) {
    constexpr std::size_t count = 2'300'001;  // over MPI they go in pieces
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k)
      values[k] = static_cast<double>(k) * (fabric.rank() + 1);
    fabric.reduce(values);
    const int ranks = fabric.size();
    const auto is_sum = [&](std::size_t k) {
      return values[k] == static_cast<double>(k) * (ranks * (ranks + 1) / 2);
    };
    for (std::size_t k = 0; k < count; ++k) ASSERT_TRUE(is_sum(k)) << k;
    if (fabric.rank() != ranks - 1) std::ranges::fill(values, 0.0);
    fabric.broadcast(std::as_writable_bytes(std::span(values)), ranks - 1);
    for (std::size_t k = 0; k < count; ++k) ASSERT_TRUE(is_sum(k)) << k;
  });
}

}  // namespace
}  // namespace blockyard::contract
