// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/processes.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::job {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

std::vector<std::int32_t> processors(int count) {
  std::vector<std::int32_t> numbers;
  for (int k = 0; k < count; ++k) numbers.push_back(k);
  return numbers;
}

/// That of one of `on_node` processes, which may use all cores of their machine.
Seat seat(const std::string& host, int cores, int on_node, std::int64_t free_bytes) {
  return {host, processors(cores), 0, on_node, {{}, {}, {free_bytes / on_node, "free memory"}}};
}

TEST(Processes, GetTheWorkersOfTheFullestMachine) {
  std::vector<Seat> seats(8, seat("a", 32, 8, 512 * gib));
  seats.insert(seats.end(), 12, seat("b", 32, 12, 512 * gib));
  const ProcessCount count = count_seats(seats);
  EXPECT_EQ(count.all, 20);
  EXPECT_EQ(count.cores / count.on_node, 2);
  EXPECT_EQ(count.on_node, 12);
}

TEST(Processes, GetTheMemoryOfTheFullestMachine) {
  std::vector<Seat> seats(8, seat("a", 32, 8, 480 * gib));
  seats.insert(seats.end(), 12, seat("b", 32, 12, 480 * gib));
  const ProcessCount count = count_seats(seats);
  EXPECT_EQ(count.granted->machine.bytes, 40 * gib);
  EXPECT_EQ(count.granted->machine.limit, "free memory (process 8, on b)");
  EXPECT_LE(12 * usual_memory(*count.granted).bytes, 480 * gib / 10 * 7);
}

TEST(Processes, GetTheMemoryOfTheSmallestMachineAndOfTheTightestLimit) {
  std::vector<Seat> seats = {seat("a", 4, 1, 512 * gib), seat("b", 4, 1, 256 * gib)};
  EXPECT_EQ(count_seats(seats).granted->machine.bytes, 256 * gib);
  seats.push_back(seat("c", 4, 1, 512 * gib));
  seats.back().memory.own = {gib, "limit"};
  const UsualMemory usual = usual_memory(*count_seats(seats).granted);
  EXPECT_LT(usual.bytes, gib);
  EXPECT_EQ(usual.source, "limit (process 2, on c)");
}

TEST(Processes, OfAnyMachineAreWarnedOfTheLimitsThere) {
  std::vector<Seat> seats = {seat("a", 4, 1, 512 * gib), seat("b", 4, 1, 4 * gib)};
  EXPECT_EQ(memory_warning(8 * gib, *count_seats(seats).granted), "") << "free memory changes";
  seats[1].memory.group = {4 * gib, "control group /job"};
  EXPECT_EQ(memory_warning(4 * gib, *count_seats(seats).granted), "");
  EXPECT_EQ(memory_warning(8 * gib, *count_seats(seats).granted),
            "8.0 GiB of memory are more than control group /job (process 1, on b), 4.0 GiB: the "
            "run may fail or be killed");
}

TEST(Processes, OnTheFirstMachineNeedNoPlaceInMessages) {
  const std::vector<Seat> seats = {seat("a", 4, 2, 8 * gib), seat("a", 4, 2, 8 * gib - 2)};
  EXPECT_EQ(count_seats(seats).granted->machine.limit, "free memory");
  EXPECT_EQ(count_seats(seats).cores, 4);
}

TEST(Processes, ThatAreTiedToCoresUseThemTogetherWithinTheQuota) {
  std::vector<Seat> seats(2, seat("a", 2, 2, 8 * gib));
  seats[1].processors = {2, 3};
  EXPECT_EQ(count_seats(seats).cores, 4);
  for (Seat& one : seats) one.quota = 3;
  EXPECT_EQ(count_seats(seats).cores, 3);
}

}  // namespace
}  // namespace blockyard::job
