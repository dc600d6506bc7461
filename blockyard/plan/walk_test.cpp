// SPDX-License-Identifier: Apache-2.0
// What a walk assumes where data decide, and what its samples stand for.
#include "blockyard/plan/walk.h"

#include <gtest/gtest.h>

#include "blockyard/plan/test_jobs.h"

namespace blockyard::plan {
namespace {

/// x depends on data; index h reaches further than the table.
std::string data_program(const std::string& code) {
  return "sial p" + std::string(head) +
         "index g = 1:3\nindex h = 1:6\nstatic table[g]\ncollective x += 1.0\n" + code +
         "endsial p\n";
}

/// 2 * 12 * 12 flops each time.
const std::string square_block = R"(
  do i
    do j
      t[i,j] = 1.0
      y += t[i,j]*t[i,j]
    enddo j
  enddo i
)";
constexpr double square_flops = 2 * 12 * 12;

TEST(Walk, leaves_out_what_fails_only_if_the_data_lead_there) {
  const std::string code = R"(
do h
  if x < 0.0
    table[(index)h] = 1.0
  endif
enddo h
)" + square_block;
  const JobPlan plan = plan_of(job_of({data_program(code)}));
  EXPECT_EQ(plan.work.flops, square_flops) << "the plan goes on behind it";
  ASSERT_EQ(plan.programs[0].assumptions.size(), 1U) << "one for each place";
  EXPECT_NE(plan.programs[0].assumptions[0].find("outside of the declared range"),
            std::string::npos);
  EXPECT_THROW((void)plan_of(job_of({data_program("do h\ntable[(index)h] = 1.0\nenddo h\n")})),
               base::Error);
}

TEST(Walk, finds_the_exit_of_a_loop_in_an_else) {
  PlanOptions options;
  options.walk.iterations = 2;
  const std::string code = "do h\n" + square_block + R"(
  if x > 0.1
    n = 1
  else
    exit
  endif
  if n == 2
    stop
  endif
enddo h
)";
  const JobPlan plan = plan_of(job_of({data_program(code)}), options);
  EXPECT_EQ(plan.work.flops, 2 * square_flops);
  ASSERT_EQ(plan.programs[0].assumptions.size(), 1U);
}

TEST(Walk, an_exit_has_no_else_in_the_rest_of_its_loop) {
  PlanOptions options;
  options.walk.iterations = 2;
  const std::string code = "do h\n" + square_block + R"(
  if x > 0.1
    exit
  endif
  if h == 6
    stop
  endif
enddo h
)";
  EXPECT_EQ(plan_of(job_of({data_program(code)}), options).work.flops, 2 * square_flops);
}

TEST(Walk, numbers_of_a_table_are_unknown_once_they_come_from_elsewhere) {
  for (const char* const change :
       {"restore_persistent table \"t\"\n", "broadcast_from 0 table\n"}) {
    const std::string code = std::string("do g\ntable[g] = 0.0\nenddo g\n") + change +
                             "do g\nif table[g] > 0.5\n" + square_block + "endif\nenddo g\n";
    EXPECT_EQ(plan_of(job_of({data_program(code)})).work.flops, 3 * square_flops) << change;
  }
}

TEST(Walk, instructions_behind_the_last_statement_on_blocks_take_time) {
  const double second = assumed_machine().instruction_seconds;
  const std::string count = "do h\ny = y + 1.0\nenddo h\n";
  EXPECT_GT(plan_of(job_of({data_program(count)})).work.core_seconds, 6 * 4 * second);
  const JobPlan plan = plan_of(job_of({data_program("pardo i\n" + count + "endpardo i\n")}, 3));
  EXPECT_GT(plan.seconds - assumed_machine().start_seconds, 6 * 4 * second);
  EXPECT_GT(plan.work.core_seconds, 3 * 6 * 4 * second);
}

/// A plan that may step little.
JobPlan sampled_plan(const job::Job& job, const Machine& machine, int processes) {
  PlanOptions options;
  options.processes = processes;
  options.walk.steps = 1e4;
  return make_plan(job, machine, options);
}

TEST(Walk, transfers_of_puts_that_are_sampled_take_time) {
  constexpr int processes = 3;
  Machine machine = assumed_machine();
  machine.fabric_bytes = 1e6;
  const JobPlan plan = sampled_plan(large_job(100, ""), machine, processes);
  ASSERT_TRUE(plan.programs[0].is_sampled);
  const double transfers = plan.work.fabric_bytes / machine.fabric_bytes / processes;
  EXPECT_GE(plan.seconds, transfers);
  EXPECT_LT(plan.seconds, 2 * transfers);
}

TEST(Walk, samples_the_loops_within_a_pardo_of_few_iterations) {
  const job::Job job = large_job(100, R"(
pardo a
  do i
    do j
      get d[i,j]
      x += d[i,j]*d[i,j]
    enddo j
  enddo i
endpardo a
)");
  const JobPlan exact = plan_of(job);
  const JobPlan sampled = sampled_plan(job, assumed_machine(), 1);
  EXPECT_NE(sampled.work.flops, exact.work.flops) << "not all of it is walked";
  EXPECT_NEAR(sampled.work.flops / exact.work.flops, 1, 0.2);
  EXPECT_NEAR(sampled.work.gets / exact.work.gets, 1, 0.01);
  EXPECT_NEAR(sampled.seconds / exact.seconds, 1, 0.3);
}

TEST(Walk, says_that_a_sample_met_no_iteration) {
  const auto pardo = [](const std::string& conditions) {
    return large_job(100,
                     "pardo i, j, k\n" + conditions + "  put d[i,j] = 1.0\nendpardo i, j, k\n");
  };
  const auto assumed = [](const job::Job& job) {
    return sampled_plan(job, assumed_machine(), 1).programs[0].assumptions;
  };
  EXPECT_TRUE(assumed(pardo("")).empty());
  const std::vector<std::string> found = assumed(pardo("  where i + 100*j + 10000*k == 999999\n"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("no iteration, as none of"), std::string::npos) << found[0];
}

TEST(DiskWarning, a_plan_that_fails_gives_none) {
  job::Job job = job_of({program("p", "x = 1.0\nstop\n")});
  job.memory.spilled_bytes = 1;
  EXPECT_EQ(disk_warning(job, std::nullopt), "");
}

}  // namespace
}  // namespace blockyard::plan
