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

TEST(DiskWarning, a_plan_that_fails_gives_none) {
  job::Job job = job_of({program("p", "x = 1.0\nstop\n")});
  job.memory.spilled_bytes = 1;
  EXPECT_EQ(disk_warning(job, std::nullopt), "");
}

}  // namespace
}  // namespace blockyard::plan
