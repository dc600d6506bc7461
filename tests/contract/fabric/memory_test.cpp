// SPDX-License-Identifier: Apache-2.0
// What every Memory promises.
#include "blockyard/fabric/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <string>
#include <vector>

#include "tests/contract/fabric/memory_worlds.h"

namespace blockyard::contract {
namespace {

using fabric::Element;
using fabric::Memory;
using fabric::Reduction;
using fabric::Strided;

class MemoryContract : public testing::TestWithParam<MemoryWorld> {};

Strided row(std::size_t bytes) {
  Strided rows;
  rows.row_bytes = bytes;
  return rows;
}

void settle(Memory& memory) {
  memory.fence(-1);
  memory.barrier(Memory::everyone);
}

TEST_P(MemoryContract, what_is_put_is_what_others_get) {
  GetParam().run([](Memory& memory) {
    const auto made = memory.allocate(Memory::everyone, 800);
    ASSERT_GE(made.region, 0);
    const int next = (memory.rank() + 1) % memory.size();
    std::vector<double> sent(100, memory.rank()), found(100);
    static_cast<void>(memory.done(memory.put(made.region, next, 0, row(800), sent.data()), true));
    settle(memory);
    for (int rank = 0; rank < memory.size(); ++rank) {
      static_cast<void>(
          memory.done(memory.get(made.region, rank, 0, row(800), found.data()), true));
      EXPECT_EQ(found, std::vector<double>(100, (rank + memory.size() - 1) % memory.size()));
    }
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, strided_rows_keep_their_places) {
  GetParam().run([](Memory& memory) {
    const auto made = memory.allocate(Memory::everyone, 20 * 30 * 4);
    if (memory.reach(made.region, memory.rank()) != nullptr) {
      auto* own = reinterpret_cast<int*>(memory.reach(made.region, memory.rank()));
      for (int i = 0; i < 600; ++i) own[i] = 1000 * memory.rank() + i;
    }
    settle(memory);
    const int other = memory.size() - 1;
    Strided rows = row(4 * 5);
    rows.add(3, 4 * 20, 4 * 5);
    rows.add(2, 4 * 20 * 10, 4 * 15);
    std::vector<int> found(30);
    static_cast<void>(memory.done(memory.get(made.region, other, 4 * 7, rows, found.data()), true));
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 5; ++x)
          EXPECT_EQ(found[static_cast<std::size_t>(x + 5 * y + 15 * z)],
                    1000 * other + 7 + x + 20 * y + 200 * z);
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, accumulates_of_all_ranks_add_up) {
  GetParam().run([](Memory& memory) {
    constexpr std::size_t count = 5000;
    const auto made = memory.allocate(Memory::everyone, count * 8);
    const std::vector<double> none(count), ones(count, 1.0);
    static_cast<void>(
        memory.done(memory.put(made.region, memory.rank(), 0, row(count * 8), none.data()), true));
    settle(memory);
    const double factor = 2.0;
    for (int round = 0; round < 10; ++round)
      for (int rank = 0; rank < memory.size(); ++rank)
        static_cast<void>(memory.done(memory.accumulate(made.region, rank, 0, row(count * 8),
                                                        ones.data(), Element::f64, &factor),
                                      true));
    settle(memory);
    std::vector<double> found(count);
    static_cast<void>(
        memory.done(memory.get(made.region, 0, 0, row(count * 8), found.data()), true));
    EXPECT_EQ(found, std::vector<double>(count, 20.0 * memory.size()));
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

/// Rows that lie apart at both ends, or without gaps at one of them.
Strided patch_of(std::size_t row_bytes, std::int64_t count, std::int64_t far, std::int64_t near) {
  Strided rows;
  rows.row_bytes = row_bytes;
  rows.add(count, far, near);
  return rows;
}

TEST_P(MemoryContract, long_patches_of_any_strides_arrive_whole) {
  GetParam().run([](Memory& memory) {
    constexpr std::int64_t width = 3000, count = 250;  // 2 MB of 24 kB rows, or of 8-byte ones
    constexpr std::size_t bytes = (width + 1) * count * 8;
    const auto made = memory.allocate(Memory::everyone, bytes);
    const int next = (memory.rank() + 1) % memory.size();
    const int before = (memory.rank() + memory.size() - 1) % memory.size();
    const Strided shapes[] = {
        row(bytes - 8), patch_of(width * 8, count, (width + 1) * 8, width * 8),
        patch_of(width * 8, count, width * 8, (width + 1) * 8), patch_of(8, 60000, 16, 24)};
    const std::vector<double> none(bytes / 8);
    std::vector<double> sent(bytes / 8), found(bytes / 8), wanted(bytes / 8);
    for (const Strided& rows : shapes) {
      for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = static_cast<double>(i) + 0.5 * memory.rank();
      static_cast<void>(
          memory.done(memory.put(made.region, next, 0, row(bytes), none.data()), true));
      static_cast<void>(memory.done(memory.put(made.region, next, 0, rows, sent.data()), true));
      const double factor = 2.0;
      static_cast<void>(memory.done(
          memory.accumulate(made.region, next, 0, rows, sent.data(), Element::f64, &factor), true));
      settle(memory);
      std::fill(found.begin(), found.end(), -1.0);
      std::fill(wanted.begin(), wanted.end(), -1.0);
      static_cast<void>(
          memory.done(memory.get(made.region, memory.rank(), 0, rows, found.data()), true));
      const auto* all = sent.data();
      fabric::for_each_row(
          rows, reinterpret_cast<const std::byte*>(all), reinterpret_cast<const std::byte*>(all),
          [&](const std::byte*, const std::byte* near) {
            const auto at =
                static_cast<std::size_t>(near - reinterpret_cast<const std::byte*>(all));
            for (std::size_t i = at / 8; i < (at + rows.row_bytes) / 8; ++i)
              wanted[i] = 3 * (static_cast<double>(i) + 0.5 * before);
          });
      EXPECT_EQ(found, wanted);
      memory.barrier(Memory::everyone);
      std::fill(found.begin(), found.end(), -1.0);
      static_cast<void>(memory.done(memory.get(made.region, next, 0, rows, found.data()), true));
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i] != -1.0) wanted[i] = 3 * (static_cast<double>(i) + 0.5 * memory.rank());
      EXPECT_EQ(found, wanted);
      memory.barrier(Memory::everyone);
    }
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, accesses_of_one_rank_keep_their_order) {
  GetParam().run([](Memory& memory) {
    constexpr std::size_t count = 50000;
    const auto made = memory.allocate(Memory::everyone, count * 8);
    const int next = (memory.rank() + 1) % memory.size();
    std::vector<double> values(count);
    for (int round = 0; round < 20; ++round) {
      std::fill(values.begin(), values.end(), round);
      const double last = -round;
      double found = 0;
      const auto long_one = memory.put(made.region, next, 0, row(count * 8), values.data());
      static_cast<void>(
          memory.done(memory.put(made.region, next, (count - 1) * 8, row(8), &last), true));
      static_cast<void>(
          memory.done(memory.get(made.region, next, (count - 1) * 8, row(8), &found), true));
      EXPECT_EQ(found, last);
      static_cast<void>(memory.done(long_one, true));
    }
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, a_mutex_lets_one_rank_in_at_a_time) {
  GetParam().run([](Memory& memory) {
    const int last = memory.size() - 1;
    const auto made =
        memory.allocate(Memory::everyone, memory.rank() == last ? 2 * Memory::mutex_bytes + 16 : 0);
    const std::vector<std::byte> none(2 * Memory::mutex_bytes + 16);
    if (memory.rank() == last)
      static_cast<void>(
          memory.done(memory.put(made.region, last, 0, row(none.size()), none.data()), true));
    settle(memory);
    const std::size_t at = 2 * Memory::mutex_bytes;
    for (int i = 0; i < 50; ++i) {
      memory.lock(made.region, last, Memory::mutex_bytes);
      std::int64_t value = 0;
      static_cast<void>(memory.done(memory.get(made.region, last, at, row(8), &value), true));
      ++value;
      static_cast<void>(memory.done(memory.put(made.region, last, at, row(8), &value), true));
      memory.fence(-1);
      EXPECT_TRUE(memory.unlock(made.region, last, Memory::mutex_bytes));
    }
    settle(memory);
    std::int64_t value = 0;
    static_cast<void>(memory.done(memory.get(made.region, last, at, row(8), &value), true));
    EXPECT_EQ(value, 50 * memory.size());
    EXPECT_FALSE(memory.unlock(made.region, last, 0));
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, a_counter_gives_each_number_once) {
  GetParam().run([](Memory& memory) {
    const auto made = memory.allocate(Memory::everyone, memory.rank() == 0 ? 16 : 0);
    const std::int64_t zero[2] = {0, 0};
    if (memory.rank() == 0)
      static_cast<void>(memory.done(memory.put(made.region, 0, 0, row(16), zero), true));
    settle(memory);
    std::int64_t sum = 0;
    for (int i = 0; i < 200; ++i) sum += memory.fetch_and_add(made.region, 0, 8, Element::i64, 1);
    const std::int64_t all = 200 * memory.size();
    memory.reduce(Memory::everyone, Element::i64, Reduction::sum, &sum, 1);
    EXPECT_EQ(sum, all * (all - 1) / 2);
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, lists_of_values_are_gathered_scattered_and_added) {
  GetParam().run([](Memory& memory) {
    const auto made = memory.allocate(Memory::everyone, 64 * 4);
    std::vector<std::int32_t> own(64), found(3);
    std::iota(own.begin(), own.end(), 100 * memory.rank());
    static_cast<void>(
        memory.done(memory.put(made.region, memory.rank(), 0, row(256), own.data()), true));
    settle(memory);
    const int next = (memory.rank() + 1) % memory.size();
    const std::vector<std::int64_t> places = {4 * 63, 0, 4 * 7};
    memory.gather(made.region, next, places, 4, found.data());
    EXPECT_EQ(found, (std::vector<std::int32_t>{100 * next + 63, 100 * next, 100 * next + 7}));
    memory.barrier(Memory::everyone);
    memory.scatter(made.region, next, places, 4, std::vector<std::int32_t>{1, 2, 3}.data());
    settle(memory);
    const std::int32_t factor = 10;
    const std::vector<std::int32_t> ones(3, 1);
    memory.scatter_add(made.region, 0, places, ones.data(), Element::i32, &factor);
    settle(memory);
    memory.gather(made.region, 0, places, 4, found.data());
    EXPECT_EQ(found, (std::vector<std::int32_t>{1 + 10 * memory.size(), 2 + 10 * memory.size(),
                                                3 + 10 * memory.size()}));
    memory.barrier(Memory::everyone);
    memory.release(made.region);
  });
}

TEST_P(MemoryContract, reductions_are_the_same_at_all_members) {
  GetParam().run([](Memory& memory) {
    for (const std::size_t count : {1U, 7U, 100U, 5000U}) {
      std::vector<double> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i) + memory.rank();
      memory.reduce(Memory::everyone, Element::f64, Reduction::sum, values.data(), count);
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(values[i], static_cast<double>(i) * memory.size() +
                                 memory.size() * (memory.size() - 1) / 2.0);
    }
    std::int32_t most = memory.rank() == 0 ? -5 : memory.rank();
    memory.reduce(Memory::everyone, Element::i32, Reduction::absmax, &most, 1);
    EXPECT_EQ(most, std::max(5, memory.size() - 1));
    for (const Reduction reduction :
         {Reduction::max, Reduction::min, Reduction::absmax, Reduction::absmin})
      for (int bad = 0; bad < memory.size(); ++bad) {
        double value = memory.rank() == bad ? std::nan("") : memory.rank() - 1.5;
        memory.reduce(Memory::everyone, Element::f64, reduction, &value, 1);
        EXPECT_TRUE(std::isnan(value)) << "of rank " << bad;
      }
    std::complex<double> product(0, 1);
    memory.reduce(Memory::everyone, Element::c128, Reduction::product, &product, 1);
    std::complex<double> expected(1);
    for (int i = 0; i < memory.size(); ++i) expected *= std::complex<double>(0, 1);
    EXPECT_EQ(product, expected);
  });
}

TEST_P(MemoryContract, broadcasts_of_any_length_come_from_any_member) {
  GetParam().run([](Memory& memory) {
    for (int root = 0; root < memory.size(); ++root)
      for (const std::size_t count : {1U, 8192U, 100000U}) {
        std::vector<std::byte> bytes(count, std::byte(memory.rank() == root ? 7 + root : 0));
        memory.broadcast(Memory::everyone, bytes, root);
        EXPECT_EQ(bytes, std::vector<std::byte>(count, std::byte(7 + root)));
      }
  });
}

TEST_P(MemoryContract, groups_work_apart_and_again) {
  GetParam().run([](Memory& memory) {
    for (int round = 0; round < 3; ++round) {
      std::vector<int> mine;
      for (int rank = memory.size() - 1; rank >= 0; --rank)
        if (rank % 2 == memory.rank() % 2) mine.push_back(rank);
      const auto group = memory.join(mine);
      EXPECT_EQ(memory.ranks_of(group).size(), mine.size());
      std::int64_t sum = memory.rank();
      memory.reduce(group, Element::i64, Reduction::sum, &sum, 1);
      EXPECT_EQ(sum, std::accumulate(mine.begin(), mine.end(), 0));
      const auto made = memory.allocate(group, 8);
      EXPECT_GE(made.region, 0);
      memory.barrier(group);
      memory.release(made.region);
      memory.leave(group);
    }
  });
}

TEST_P(MemoryContract, too_little_memory_is_told_to_all_alike) {
  GetParam().run([](Memory& memory) {
    const std::size_t too_much = std::size_t{1} << 50;
    const int last = memory.size() - 1;
    const auto made = memory.allocate(Memory::everyone, memory.rank() == last ? too_much : 64);
    EXPECT_EQ(made.region, -1);
    EXPECT_EQ(made.member, last);
    EXPECT_EQ(made.wanted, too_much);
    EXPECT_FALSE(made.limit.empty());
    const auto next = memory.allocate(Memory::everyone, 64);
    EXPECT_GE(next.region, 0);
    memory.barrier(Memory::everyone);
    memory.release(next.region);
  });
}

TEST_P(MemoryContract, transfers_that_nobody_waits_for_end_with_the_memory) {
  constexpr std::size_t bytes = std::size_t{8} << 20, count = bytes / sizeof(double);
  const auto all = static_cast<std::size_t>(GetParam().size);
  std::vector<std::vector<double>> found(all);  // of the ranks here; lasts longer than the memory
  const std::vector<double> ones(count, 1.0);
  GetParam().run([&](Memory& memory) {
    const auto made = memory.allocate(Memory::everyone, 3 * bytes);
    ASSERT_GE(made.region, 0);
    const auto me = static_cast<std::size_t>(memory.rank());
    const int next = (memory.rank() + 1) % memory.size();
    const std::vector<double> own(count, memory.rank() + 1.0);
    static_cast<void>(
        memory.done(memory.put(made.region, memory.rank(), 0, row(bytes), own.data()), true));
    settle(memory);
    found[me].resize(count);
    Strided rows = row(bytes / 32);  // of many pieces
    rows.add(16, static_cast<std::ptrdiff_t>(bytes / 16), static_cast<std::ptrdiff_t>(bytes / 16));
    const double factor = 1;
    static_cast<void>(memory.get(made.region, next, 0, rows, found[me].data()));
    static_cast<void>(memory.put(made.region, next, bytes, row(bytes), ones.data()));
    static_cast<void>(memory.accumulate(made.region, next, 2 * bytes, row(bytes), ones.data(),
                                        Element::f64, &factor));
  });
  for (std::size_t rank = 0; rank < all; ++rank) {
    const double first = found[rank].empty() ? 0.0 : found[rank][0];  // empty: another process's
    EXPECT_EQ(first, found[rank].empty() ? 0.0 : static_cast<double>((rank + 1) % all + 1));
  }
}

TEST_P(MemoryContract, ranks_in_different_collectives_are_told_apart) {
  if (GetParam().size == 1) GTEST_SKIP() << "needs two ranks";
  GetParam().run([](Memory& memory) {
    const bool is_first = memory.rank() == 0;
    try {
      memory.barrier(Memory::everyone, {is_first ? 5U : 6U, is_first ? "Zero" : "Fill"});
      ADD_FAILURE() << "not noticed";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("[0] Zero"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("[1] Fill"), std::string::npos) << error.what();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, MemoryContract, testing::ValuesIn(memory_worlds()),
                         [](const auto& world) { return world.param.name; });

}  // namespace
}  // namespace blockyard::contract
