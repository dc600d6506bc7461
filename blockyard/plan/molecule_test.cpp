// SPDX-License-Identifier: Apache-2.0
// Plans of jobs with a molecule, and the jobs that calibration runs.
#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/plan/calibration_job.h"
#include "blockyard/plan/calibration_programs.h"
#include "blockyard/plan/test_jobs.h"

namespace blockyard::plan {
namespace {

input::Places our_places() { return {BLOCKYARD_PROGRAM_FOLDER, BLOCKYARD_BASIS_FOLDER, {}}; }

input::Spec water() {
  input::Spec spec;
  spec.molecule.emplace().geometry = "O 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n";
  spec.basis.name = "cc-pvdz";
  spec.run.workers = 1;
  return spec;
}

TEST(MoleculePlan, counts_integrals_over_whole_ranges_and_calls_with_few_operands) {
  input::Spec spec = water();
  spec.programs = {"p.sial"};
  input::Places places = our_places();
  places.texts["p.sial"] = R"(sial p
predefined int norb
aoindex m = 1:norb
static v[m,m,m,m]
temp b[m,m,m,m]
special compute_integral_batch w
special triples_energy r
scalar x
execute compute_integral_batch v
execute triples_energy x
endsial p
)";
  spec.run.memory_bytes = 64 * mebibyte;
  const job::Prepared prepared = job::prepare(spec, places);
  ASSERT_TRUE(prepared.job.has_value());
  const JobPlan plan = plan_of(*prepared.job);
  EXPECT_EQ(plan.work.super_calls.at("compute_integral_batch"), 1);
  const double quartets = 12.0 * 12 * 12 * 12 / 8;  // of shells, each once
  EXPECT_GT(plan.work.super_seconds, quartets * assumed_machine().quartet_seconds[0]);
}

TEST(MoleculePlan, finds_segments_that_fit_where_those_of_the_job_do_not) {
  input::Spec spec = water();
  spec.method.emplace().name = "ccsd";
  spec.segments.virtual_ = 19;
  spec.run.memory_bytes = 16 * mebibyte;
  const SegmentTrial chosen = choose_segments(spec, our_places(), assumed_machine(), {});
  EXPECT_LT(chosen.virtual_, 19);
  EXPECT_FALSE(chosen.is_given);
  EXPECT_EQ(spec.segments.virtual_, chosen.virtual_);
  spec.run.memory_bytes = mebibyte;
  try {
    (void)choose_segments(spec, our_places(), assumed_machine(), {});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::no_memory) << error.what();
  }
}

TEST(MoleculePlan, finds_segments_for_what_each_process_of_a_run_takes) {
  input::Spec spec = water();
  spec.method.emplace().name = "ccsd";
  spec.segments.virtual_ = 19;
  job::ProcessCount processes = {.all = 2, .on_node = 2, .cores = 2, .granted = {}};
  base::MemoryRoom& room = processes.granted.emplace().machine;
  room = {64 * mebibyte, "the free memory of this machine"};  // a part of it is for blocks
  const SegmentTrial chosen = choose_segments(spec, our_places(), assumed_machine(), {}, processes);
  EXPECT_LT(chosen.virtual_, 19);
  EXPECT_FALSE(job::prepare(spec, our_places(), processes).job->steps.empty());
  room.bytes = mebibyte;
  EXPECT_THROW((void)choose_segments(spec, our_places(), assumed_machine(), {}, processes),
               base::Error);
}

TEST(Calibration, has_memory_for_any_number_of_cores) {
  for (const int cores : {1, 43, 2048}) {
    EXPECT_NO_THROW((void)probe_job(cores)) << cores;
    EXPECT_NO_THROW((void)job::prepare(calibration_job(cores), our_places())) << cores;
  }
}

}  // namespace
}  // namespace blockyard::plan
