// SPDX-License-Identifier: Apache-2.0
// A server with an array that is held outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "blockyard/base/error.h"
#include "blockyard/server/detail/test_client.h"
#include "blockyard/server/payload.h"
#include "blockyard/store/memory.h"

namespace blockyard::server {
namespace {

constexpr std::size_t block_count = 1000;
const std::size_t block_charge = base::BufferPool::charge(block_count * sizeof(double));
constexpr std::int32_t array_number = 3;

/// Twenty blocks; block n holds n everywhere. Counts what is read.
struct Numbers {
  std::atomic<int> reads = 0;
  Lent lent{"numbers", std::vector<std::size_t>(20, block_count * sizeof(double)),
            [this](std::uint64_t number, std::span<std::byte> into) {
              ++reads;
              std::ranges::fill(values_of<double>(into), static_cast<double>(number));
            }};

  [[nodiscard]] ServerOptions options(std::size_t blocks) const {
    ServerOptions options{blocks * block_charge, "scratch"};
    options.lent = {&lent, 1};
    return options;
  }
};

TEST(LendingServer, reads_blocks_when_they_are_wanted_and_writes_none) {
  Numbers numbers;
  store::MemoryStore files;
  TestClient client(numbers.options(3), files);
  EXPECT_EQ(client.ask(0, wire::RestoreArray{1, array_number, "numbers"}), wire::Done{1});
  EXPECT_EQ(numbers.reads, 0);
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t number = 0; number < 20; ++number)
      ASSERT_EQ(client.get({array_number, number}),
                Values(block_count, static_cast<double>(number)));
  EXPECT_GE(numbers.reads, 37);  // three at most were still there
  EXPECT_EQ(client.statistics().spilled_bytes, 0u);
  EXPECT_LE(client.statistics().peak_bytes, 3 * block_charge);
}

/// The same in memory: every other block is lent where it lies.
struct NumbersInPlace : Numbers {
  std::vector<std::vector<double>> values;

  NumbersInPlace() {
    for (int n = 0; n < 20; ++n) values.emplace_back(block_count, n);
    lent.place = [this](std::uint64_t number) -> const std::byte* {
      return number % 2 == 0 ? reinterpret_cast<const std::byte*>(values[number].data()) : nullptr;
    };
  }
};

TEST(LendingServer, blocks_in_place_are_neither_copied_nor_charged) {
  NumbersInPlace numbers;
  store::MemoryStore files;
  TestClient client(numbers.options(3), files);
  (void)client.ask(0, wire::RestoreArray{1, array_number, "numbers"});
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t number = 0; number < 20; number += 2)
      ASSERT_EQ(client.get({array_number, number}),
                Values(block_count, static_cast<double>(number)));
  EXPECT_EQ(numbers.reads, 0);
  EXPECT_EQ(client.statistics().peak_bytes, 0u);
}

TEST(LendingServer, what_is_put_to_blocks_in_place_does_not_reach_the_lender) {
  NumbersInPlace numbers;
  store::MemoryStore files;
  TestClient client(numbers.options(3), files);
  for (int program = 0; program < 2; ++program) {
    (void)client.ask(0, wire::RestoreArray{1, array_number, "numbers"});
    for (std::uint64_t number = 0; number < 20; ++number) {
      client.put({array_number, number}, Values(block_count, 0.5), wire::PutMode::add);
      if (number % 4 == 0)
        client.put({array_number, number}, Values(block_count, 7), wire::PutMode::set);
    }
    for (std::uint64_t number = 0; number < 20; ++number)
      ASSERT_EQ(client.get({array_number, number}),
                Values(block_count, number % 4 == 0 ? 7.0 : static_cast<double>(number) + 0.5));
    (void)client.ask(0, wire::DeleteArray{1, array_number});
  }
  // The label goes, the array alone has the blocks: they are still never written to.
  (void)client.ask(0, wire::RestoreArray{1, array_number, "numbers"});
  (void)client.ask(0, wire::KeepArray{1, array_number + 1, "numbers"});
  client.put({array_number, 2}, Values(block_count, 1), wire::PutMode::add);
  EXPECT_EQ(client.get({array_number, 2}), Values(block_count, 3));
  EXPECT_EQ(numbers.values[2], Values(block_count, 2));
  EXPECT_LE(client.statistics().peak_bytes, 3 * block_charge);
}

TEST(LendingServer, a_put_makes_a_version_of_its_own) {
  Numbers numbers;
  store::MemoryStore files;
  TestClient client(numbers.options(3), files);
  for (int program = 0; program < 2; ++program) {
    (void)client.ask(0, wire::RestoreArray{1, array_number, "numbers"});
    client.put({array_number, 5}, Values(block_count, 0.5), wire::PutMode::add);
    for (std::uint64_t number = 0; number < 20; ++number)
      ASSERT_EQ(client.get({array_number, number}),
                Values(block_count, static_cast<double>(number) + (number == 5 ? 0.5 : 0.0)));
    (void)client.ask(0, wire::EndProgram{2});
  }
}

TEST(LendingServer, has_only_the_blocks_that_are_at_home_there) {
  Numbers numbers;
  ServerOptions options = numbers.options(3);
  options.number = 1;
  options.servers = 4;
  TestClient client(options);
  EXPECT_EQ(client.ask<wire::BlockList>(0, wire::ListBlocks{1, 0, "numbers"}).numbers,
            (std::vector<std::uint64_t>{1, 5, 9, 13, 17}));
}

TEST(LendingServer, a_failed_read_ends_the_run_with_its_cause) {
  Numbers numbers;
  numbers.lent.read = [](std::uint64_t, std::span<std::byte>) {
    throw base::Error(base::Errc::io, "the file of the array no longer exists");
  };
  TestClient client(numbers.options(3));
  (void)client.ask(0, wire::RestoreArray{1, array_number, "numbers"});
  try {
    (void)client.get({array_number, 0});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no longer exists"), std::string::npos);
  }
}

}  // namespace
}  // namespace blockyard::server
