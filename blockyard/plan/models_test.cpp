// SPDX-License-Identifier: Apache-2.0
// The parts that a plan is made of.
#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/plan/lru.h"
#include "blockyard/plan/machine.h"
#include "blockyard/plan/rank_model.h"
#include "blockyard/plan/server_model.h"

namespace blockyard::plan {
namespace {

TEST(Lru, lets_the_least_recently_used_go_first) {
  Lru list;
  for (std::uint64_t key = 1; key <= 3; ++key) list.add(key, 8, false);
  EXPECT_NE(list.use(1), nullptr);
  EXPECT_EQ(list.oldest().key, 2U);
  list.remove(2);
  EXPECT_EQ(list.oldest().key, 3U);
  EXPECT_EQ(list.use(2), nullptr);
  EXPECT_EQ(list.bytes(), 16);
  list.remove(3);
  list.remove(1);
  EXPECT_TRUE(list.is_empty());
}

TEST(FrameModel, keeps_the_most_of_each_size_class) {
  FrameModel frames;
  const auto charge = [](std::size_t size) {
    return static_cast<double>(base::BufferPool::charge(size));
  };
  frames.take(1000);
  frames.take(1000);
  frames.give_back(1000, 2000);
  frames.take(64000);
  EXPECT_EQ(frames.peak(), 2 * charge(1000) + charge(64000));
  EXPECT_EQ(frames.live(), charge(64000));
  frames.free_kept();
  EXPECT_EQ(frames.peak(), charge(64000)) << "another program begins with what lives on";
}

array::Grid grid_of(std::int64_t blocks) {
  array::Axis axis(array::IndexKind::mo, 1);
  axis.append(1, blocks);
  return array::Grid({axis});
}

TEST(ServerModel, writes_what_does_not_fit_once_and_reads_it_back) {
  const array::Grid grid = grid_of(4);
  ServerModel servers(1, 16, true);
  servers.begin_program({&grid}, {sizeof(double)});
  for (std::uint64_t block = 0; block < 4; ++block) servers.put(0, block, 8, 1, false, 0);
  EXPECT_EQ(servers.spilled_bytes, 16);
  servers.get(0, 0, 8);
  EXPECT_EQ(servers.read_back_bytes, 8);
  EXPECT_EQ(servers.spilled_bytes, 24) << "a block had to go for it";
  servers.get(0, 0, 8);
  EXPECT_EQ(servers.read_back_bytes, 8);
  EXPECT_EQ(servers.alive_bytes(), 32);
}

TEST(ServerModel, blocks_that_stand_for_others_count_by_volume) {
  const array::Grid grid = grid_of(1000);
  ServerModel servers(1, 1e9, false);
  servers.begin_program({&grid}, {sizeof(double)});
  for (std::uint64_t block = 0; block < 10; ++block) servers.put(0, block, 8, 100, false, 0);
  servers.end_loop();
  EXPECT_EQ(servers.alive_bytes(), 8000);
  for (std::uint64_t block = 0; block < 20; ++block) servers.put(0, block, 8, 100, false, 0);
  servers.end_loop();
  EXPECT_EQ(servers.alive_bytes(), 8000) << "no more than there are";
}

TEST(RankModel, everybody_waits_for_the_last) {
  const Machine machine = assumed_machine();
  RankModel ranks({2, 1, 1, 1e6, 1e6}, machine);
  ranks.begin_program();
  ranks.switch_to(1);
  ranks.compute(2.0);
  ranks.switch_to(RankModel::everybody);
  EXPECT_EQ(ranks.clock(0), 0);
  EXPECT_EQ(ranks.meet(0.5), 2.5);
  EXPECT_EQ(ranks.clock(0), 2.5);
}

TEST(RankModel, work_hides_transfers_but_not_all_of_them) {
  const Machine machine = assumed_machine();
  RankModel ranks({1, 1, 1, 1e6, 1e6}, machine);
  ranks.compute(2.0);
  ranks.transfer(1.0);
  EXPECT_DOUBLE_EQ(ranks.pending(), 2.1);
  ranks.transfer(3.0);
  EXPECT_DOUBLE_EQ(ranks.pending(), 4.0);
}

TEST(RankModel, forgets_an_array_with_its_foreign_bytes) {
  const Machine machine = assumed_machine();
  RankModel ranks({2, 1, 1, 1e6, 1e6}, machine);
  constexpr std::uint64_t first_of_array_1 = std::uint64_t{1} << 48;
  EXPECT_FALSE(ranks.request(first_of_array_1, 8, true, 100));
  ranks.forget_array(1);
  EXPECT_FALSE(ranks.request(2 * first_of_array_1, 8, true, 100));
  EXPECT_EQ(ranks.peak_foreign(), 8);
}

TEST(Machine, file_comes_back_as_it_was) {
  Machine machine = assumed_machine();
  machine.name = "this one";
  machine.cores = 7;
  const Machine read = parse_machine(print_machine(machine), "m.toml");
  EXPECT_EQ(read.name, "this one");
  EXPECT_EQ(read.cores, 7);
  EXPECT_EQ(print_machine(read), print_machine(machine));
}

TEST(Machine, file_says_which_key_is_wrong) {
  for (const auto& [text, part] :
       {std::pair{"fabric_byte = 1e9", "fabric_bytes"}, std::pair{"cores = 0", "m.toml:1"},
        std::pair{"contraction_flops = [1.0]", "125"},
        std::pair{"disk_read_bytes = -1", "m.toml:1"}, std::pair{"copy_bytes = 0.0", "above 0"},
        std::pair{"cores = ", "m.toml:1"}}) {
    try {
      (void)parse_machine(text, "m.toml");
      FAIL() << text;
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(Machine, rates_between_measured_sizes_lie_between) {
  const Machine machine = assumed_machine();
  const double small = contraction_rate(machine, 4, 4, 4);
  const double middle = contraction_rate(machine, 8, 8, 8);
  const double large = contraction_rate(machine, 16, 16, 16);
  EXPECT_LT(small, middle);
  EXPECT_LT(middle, large);
  EXPECT_EQ(contraction_rate(machine, 1e6, 1e6, 1e6), contraction_rate(machine, 256, 256, 256));
}

}  // namespace
}  // namespace blockyard::plan
