// SPDX-License-Identifier: Apache-2.0
// Plans of small programs against numbers made by hand, and against what a run counts.
#include "blockyard/plan/plan.h"

#include <gtest/gtest.h>

#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/job/run.h"
#include "blockyard/plan/test_jobs.h"

namespace blockyard::plan {
namespace {

TEST(Plan, counts_flops_of_contractions_by_extents) {
  const JobPlan plan = plan_of(job_of({program("p", fill + multiply)}));
  // Blocks i <= j of 3, 4, 5: each 2 * e_i * e_j * 12 flops, the sum over k being all 12 elements.
  const double pairs = 3 * 3 + 3 * 4 + 3 * 5 + 4 * 4 + 4 * 5 + 5 * 5;
  EXPECT_EQ(plan.work.flops, 2 * pairs * 12);
  EXPECT_EQ(plan.work.iterations, 9 + 6);
  EXPECT_EQ(plan.work.gets, 6 * 3 * 2);
  EXPECT_EQ(plan.work.puts, 9 + 6 + 3);
}

TEST(Plan, counts_blocks_and_bytes_that_are_written_once_each) {
  const JobPlan plan = plan_of(job_of({program("p", fill + multiply)}));
  const ArrayPlan& e = array_of(plan.programs[0], "e");
  EXPECT_EQ(e.blocks, 9);
  EXPECT_EQ(e.bytes, 12 * 12 * 8);
  EXPECT_EQ(e.peak_bytes, 12 * 12 * 8);
  EXPECT_EQ(e.largest_block, 5 * 5 * 8);
  EXPECT_EQ(plan.programs[0].alive_bytes, 2 * 12 * 12 * 8);
}

TEST(Plan, a_single_worker_reads_each_block_once_between_barriers) {
  const JobPlan plan = plan_of(job_of({program("p", fill + multiply)}));
  // One worker reads blocks (i,k) and (k,j) for i <= j: all nine of them.
  EXPECT_EQ(plan.work.gets - plan.work.cache_hits, 9);
  EXPECT_EQ(plan.work.local_bytes, 12 * 12 * 8 + 2 * 12 * 12 * 8);
  EXPECT_EQ(plan.work.fabric_bytes, 0);
}

TEST(Plan, deleted_arrays_go_and_labels_stay) {
  const std::string second = R"(
restore_persistent e "kept"
pardo i, j
  get e[i,j]
  t[i,j] = e[i,j]
  put d[i,j] = t[i,j]
endpardo i, j
delete d
sip_barrier
)";
  const job::Job job =
      job_of({program("p", fill + multiply + "delete d\nset_persistent e \"kept\"\n"),
              program("q", second), program("r", fill)});
  const JobPlan plan = plan_of(job);
  const double whole = 12 * 12 * 8;
  EXPECT_EQ(plan.programs[0].alive_bytes, 2 * whole);
  EXPECT_EQ(plan.programs[1].alive_bytes, 2 * whole);
  EXPECT_EQ(plan.programs[2].alive_bytes, 2 * whole) << "what is kept, and d";
  EXPECT_EQ(array_of(plan.programs[1], "d").peak_bytes, whole);
}

TEST(Plan, of_known_ints_takes_the_way_that_the_program_takes) {
  const std::string code = R"(
n = 2
do k
  where k >= n
  if n == 2
    do i
    do j
      s[i,j] = s[i,k]*s[k,j]
    enddo j
    enddo i
  else
    stop
  endif
enddo k
)";
  EXPECT_EQ(plan_of(job_of({program("p", code)})).work.flops, 2 * 12 * 12 * (4 + 5));
}

TEST(Plan, of_a_table_of_numbers_takes_the_way_that_the_program_takes) {
  const std::string code = R"(
do h
  table[h] = 0.0
  if h == 2
    table[h] = 1.0
  endif
enddo h
do k
  if table[(index)k] > 0.5
    do i
      t[i,k] = 1.0
      x += t[i,k]*t[i,k]
    enddo i
  endif
enddo k
)";
  const std::string text =
      "sial p" + std::string(head) + "index h = 1:3\nstatic table[h]\n" + code + "endsial p\n";
  EXPECT_EQ(plan_of(job_of({text})).work.flops, 2 * 12 * 4);
}

const std::string converge = R"(
do k
  do i
    do j
      t[i,j] = 1.0
      x += t[i,j]*t[i,j]
    enddo j
  enddo i
  if x < 1.0
    exit
  endif
enddo k
)";

TEST(Plan, assumes_the_iterations_of_a_loop_that_the_data_end_and_says_so) {
  PlanOptions options;
  options.walk.iterations = 2;
  const JobPlan plan = plan_of(job_of({program("p", converge)}), options);
  EXPECT_EQ(plan.work.flops, 2 * 2 * 12 * 12);
  ASSERT_EQ(plan.programs[0].assumptions.size(), 1U);
  EXPECT_NE(plan.programs[0].assumptions[0].find("2 iterations"), std::string::npos);
  options.walk.iterations_of["p"] = 3;
  EXPECT_EQ(plan_of(job_of({program("p", converge)}), options).work.flops, 3 * 2 * 12 * 12);
}

TEST(Plan, fails_where_the_run_would_and_names_the_place) {
  try {
    (void)plan_of(job_of({program("p", "x = 1.0\nstop\n")}));
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("text.sial:"), std::string::npos) << error.what();
  }
}

/// Sums over workers of what a run counts.
Work counted(const job::StepResult& step) {
  Work sum;
  for (const worker::Metrics& metrics : step.metrics) {
    sum.flops += metrics.flops;
    sum.iterations += static_cast<double>(metrics.iterations);
    sum.block_operations += static_cast<double>(metrics.block_operations);
    sum.gets += static_cast<double>(metrics.gets);
    sum.cache_hits += static_cast<double>(metrics.cache_hits);
    sum.local_bytes += static_cast<double>(metrics.bytes_received + metrics.bytes_sent);
  }
  return sum;
}

class PlanAndRun : public ::testing::TestWithParam<int> {};

TEST_P(PlanAndRun, count_the_same) {
  const std::string everywhere = R"(
do i
  do j
    get d[i,j]
    s[i,j] = d[i,j]
    u[i,j] = 0.0
    do k
      get d[i,k]
      u[i,j] += d[i,k]*s[k,j]
    enddo k
    put e[i,j] += u[i,j]
  enddo j
enddo i
pardo i
  do j
    s[i,j] *= 2.0
    y += s[i,j]*s[i,j]
  enddo j
endpardo i
sip_barrier
pardo j "static"
  put d[j,j] = 3.0
endpardo j
)";
  job::Job job = job_of({program("p", fill + multiply + everywhere)}, GetParam());
  job.run.prefetch = {.is_auto = false, .fixed = 0};  // what it brings in time would count as a hit
  const Work run_counts = counted(job::run(job, {}).steps[0]);
  const Work planned = plan_of(job).work;
  EXPECT_EQ(planned.flops, run_counts.flops);
  EXPECT_EQ(planned.iterations, run_counts.iterations);
  EXPECT_EQ(planned.block_operations, run_counts.block_operations);
  EXPECT_EQ(planned.gets, run_counts.gets);
  if (GetParam() > 1) return;  // who gets what of a dynamic pardo differs from run to run
  EXPECT_EQ(planned.cache_hits, run_counts.cache_hits);
  EXPECT_EQ(planned.local_bytes, run_counts.local_bytes);
}

INSTANTIATE_TEST_SUITE_P(Workers, PlanAndRun, ::testing::Values(1, 2, 5));

TEST(Plan, of_more_processes_moves_blocks_over_the_fabric) {
  PlanOptions options;
  options.processes = 3;
  const JobPlan aligned = plan_of(job_of({program("p", fill)}), options);
  EXPECT_EQ(aligned.work.fabric_bytes, 0) << "iterations are dealt as homes are";
  const JobPlan one = plan_of(job_of({program("p", fill + multiply)}));
  const JobPlan three = plan_of(job_of({program("p", fill + multiply)}), options);
  EXPECT_EQ(three.work.flops, one.work.flops);
  EXPECT_EQ(three.work.gets, one.work.gets);
  EXPECT_GT(three.work.fabric_bytes, 0);
}

TEST(Plan, counts_the_ranks_of_a_job_for_several_processes_once) {
  job::Job job = job_of({program("p", fill + multiply)}, 2);
  PlanOptions options;
  options.processes = 3;
  const JobPlan multiplied = plan_of(job, options);
  job.processes = 3;
  job.workers = 6;
  job.servers = 3;
  const JobPlan prepared = plan_of(job);
  EXPECT_EQ(prepared.layout.all_workers(), 6);
  EXPECT_EQ(prepared.layout.all_servers(), 3);
  EXPECT_EQ(prepared.work.gets, multiplied.work.gets);
  EXPECT_EQ(prepared.work.fabric_bytes, multiplied.work.fabric_bytes);
  job.serves_apart = true;
  job.workers = 2;
  job.servers = 2;
  const JobPlan apart = plan_of(job);
  EXPECT_EQ(apart.layout.processes, 1);
  EXPECT_EQ(apart.layout.all_workers(), 2);
  EXPECT_EQ(apart.layout.server_bytes, static_cast<double>(2 * job.memory.server_bytes));
}

TEST(Plan, of_a_large_program_is_sampled_within_its_error) {
  const job::Job job = large_job(100);
  PlanOptions options;
  options.walk.steps = 2e5;
  const JobPlan sampled = plan_of(job, options);
  const JobPlan exact = plan_of(job);
  EXPECT_FALSE(exact.programs[0].is_sampled);
  ASSERT_TRUE(sampled.programs[0].is_sampled);
  EXPECT_GT(sampled.programs[0].error, 0);
  EXPECT_LT(sampled.programs[0].error, 0.2);
  const double five_errors = 5 * sampled.programs[0].error;
  EXPECT_NEAR(sampled.work.flops / exact.work.flops, 1, five_errors);
  EXPECT_NEAR(sampled.work.gets / exact.work.gets, 1, five_errors);
  EXPECT_NEAR(sampled.programs[0].alive_bytes / exact.programs[0].alive_bytes, 1, five_errors);
  EXPECT_NEAR(sampled.seconds / exact.seconds, 1, 0.3);
}

TEST(Plan, says_what_goes_to_disk_and_how_many_processes_would_keep_it) {
  const job::Job job = job_of({program("p", fill + multiply)});
  EXPECT_TRUE(plan_of(job).fits);
  EXPECT_EQ(plan_of(job).least_processes_in_memory, 1);
  job::Job large = large_job(150);
  large.memory = job::plan_memory(3 * mebibyte / 2, 0, 1, 1, job::memory_needs(large));
  const JobPlan plan = plan_of(large);
  EXPECT_FALSE(plan.fits);
  EXPECT_GT(plan.work.spilled_bytes, 0);
  EXPECT_GT(plan.work.read_back_bytes, 0);
  EXPECT_GT(plan.least_processes_in_memory, 1);
}

TEST(MemoryNeed, counts_each_block_that_a_loop_makes) {
  const auto need_of = [](const std::string& body) {
    const job::Job job =
        job_of({program("p", "do i\ndo j\ndo k\n" + body + "enddo k\nenddo j\nenddo i\n")});
    return job::memory_needs(job)[0].need.block_bytes;
  };
  const std::int64_t one = need_of("t[i,j] = 1.0\n");
  const std::int64_t block = need_of("t[i,j] = 1.0\nu[i,j] = 1.0\n") - one;
  EXPECT_GE(block, 5 * 5 * 8);
  EXPECT_EQ(need_of("t[i,j] = 1.0\nt[i,j] = 2.0\n"), one) << "the same block";
  EXPECT_EQ(need_of("t[i,j] = 1.0\nt[j,k] = 1.0\n"), one + block);
  EXPECT_EQ(need_of("t[i,j] = 1.0\nd[i,j] = 1.0\n"), one + block) << "a version of its own";
  EXPECT_EQ(need_of("t[i,j] = 1.0\nput d[i,j] = t[i,j]\n"), one);
}

TEST(MemoryNeed, is_enough_for_products_of_blocks_in_pieces_and_of_many_blocks) {
  const std::string pieces = "s[i,j] = 1.0\nx += s[i,j]*s[j,k]*s[k,i]*s[i,k]*s[k,j]*s[j,i]\n";
  const std::string sums =
      "t[i,j] = 1.0\nu[j,k] = 1.0\nt[i,j] = (t[i,j] + t[i,j])*(u[j,k] + u[j,k])*(u[j,k] - "
      "0.5*u[j,k])*(t[i,j] - 0.5*t[i,j])\n";
  for (const std::string& body : {pieces, sums}) {
    job::Job job =
        job_of({program("p", "do i\ndo j\ndo k\n" + body + "enddo k\nenddo j\nenddo i\n")});
    const flow::MemoryNeed need = job::memory_needs(job)[0].need;
    job.memory.worker_bytes = need.static_bytes + need.block_bytes;
    EXPECT_NO_THROW(static_cast<void>(job::run(job, {}))) << body;
  }
}

TEST(Plan, says_that_a_worker_has_too_little_memory) {
  job::Job job = job_of({program("p", fill + multiply)});
  job.processes = job.workers = job.servers = 2;
  job.memory.worker_bytes = 1;
  EXPECT_NE(plan_of(job).programs[0].assumptions.back().find("want of memory"), std::string::npos);
}

TEST(DiskWarning, counts_the_servers_of_all_processes) {
  job::Job job = large_job(300);
  job.memory = job::plan_memory(3 * mebibyte / 2, 0, 1, 1, job::memory_needs(job));
  job.processes = job.workers = job.servers = 2;
  EXPECT_NE(disk_warning(job, std::nullopt).find("servers have 2"), std::string::npos);
}

}  // namespace
}  // namespace blockyard::plan
