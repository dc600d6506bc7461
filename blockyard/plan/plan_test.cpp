// SPDX-License-Identifier: Apache-2.0
// Plans of small programs against numbers made by hand, and against what a run counts.
#include "blockyard/plan/plan.h"

#include <gtest/gtest.h>

#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/job/run.h"
#include "blockyard/sial/compile.h"

namespace blockyard::plan {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Segments of mo: 3, 4 and 5 elements.
job::Job job_of(const std::vector<std::string>& texts, int workers = 1,
                std::int64_t memory_bytes = 64 * mebibyte) {
  job::Job job;
  for (const std::string& text : texts) {
    sial::Compilation compiled = sial::compile_text(text);
    base::require(compiled.program.has_value(), "the program of the test compiles");
    job.steps.push_back({compiled.program->name, std::move(*compiled.program)});
  }
  job.environment.segments.set(array::IndexKind::mo, {3, 4, 5});
  job.workers = workers;
  job.memory = job::plan_memory(memory_bytes, 0, workers, 1, job::memory_needs(job));
  job.run.memory_bytes = memory_bytes;
  return job;
}

JobPlan plan_of(const job::Job& job, const PlanOptions& options = {}) {
  return make_plan(job, assumed_machine(), options);
}

const ArrayPlan& array_of(const ProgramPlan& program, std::string_view name) {
  for (const ArrayPlan& array : program.arrays)
    if (array.name == name) return array;
  throw base::Error(base::Errc::internal, "no such array");
}

constexpr const char* head = R"(
moindex i = 1:3
moindex j = 1:3
moindex k = 1:3
distributed d[i,j]
distributed e[i,j]
temp t[i,j]
temp u[i,j]
static s[i,j]
scalar x
scalar y
int n
)";

std::string program(const std::string& name, const std::string& code) {
  return "sial " + name + head + code + "endsial " + name + "\n";
}

const std::string fill = R"(
pardo i, j
  t[i,j] = 1.0
  put d[i,j] = t[i,j]
endpardo i, j
sip_barrier
)";

/// e[i,j] = sum over k of d[i,k] d[k,j] for i <= j, in a pardo that is open.
const std::string product_of_blocks = R"(
  where i <= j
  t[i,j] = 0.0
  do k
    get d[i,k]
    get d[k,j]
    t[i,j] += d[i,k]*d[k,j]
  enddo k
  put e[i,j] = t[i,j]
)";

const std::string multiply = "pardo i, j \"dynamic\"" + product_of_blocks + R"(
  if i < j
    u[j,i] = t[i,j]
    put e[j,i] += u[j,i]
  endif
endpardo i, j
sip_barrier
)";

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

/// A program over many segments of mo, each of 2 or 3 elements.
job::Job large_job(std::size_t segments) {
  const std::string text = std::string(R"(sial large
predefined int count
moindex i = 1:count
moindex j = 1:count
moindex k = 1:count
distributed d[i,j]
distributed e[i,j]
temp t[i,j]
pardo i, j
  t[i,j] = 1.0
  put d[i,j] = t[i,j]
endpardo i, j
sip_barrier
pardo i, j)") + product_of_blocks +
                           R"(endpardo i, j
endsial large
)";
  job::Job job = job_of({"sial empty\nendsial empty\n"});
  job.steps = {{"large", *sial::compile_text(text).program}};
  std::vector<Extent> extents(segments);
  for (std::size_t k = 0; k < segments; ++k) extents[k] = k % 3 == 0 ? 2 : 3;
  job.environment.segments.set(array::IndexKind::mo, extents);
  job.environment.ints["count"] = static_cast<std::int64_t>(segments);
  job.memory = job::plan_memory(256 * mebibyte, 0, 1, 1, job::memory_needs(job));
  return job;
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

}  // namespace
}  // namespace blockyard::plan
