// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/job_bytes.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::job {
namespace {

Job water() {
  input::Spec spec;
  spec.title = "water";
  spec.molecule.emplace().geometry = "O 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n";
  spec.basis.name = "cc-pvdz";
  Job job;
  job.title = spec.title;
  job.method = "ccsd";
  job.chemistry = method::read_chemistry(spec, {"", BLOCKYARD_BASIS_FOLDER, {}});
  input::MethodSpec method;
  method.name = job.method;
  method::add_constants(*job.chemistry, method, job.environment);
  job.environment.arrays["dense"] = {{2, 1}, {0.5, -1}};
  job.steps.resize(2);
  job.steps[1].name = "second";
  for (Step& step : job.steps) {
    step.program.name = "p";
    step.program.files = {"p.sial"};
    step.program.code.resize(1);
    step.program.lines.resize(1);
  }
  job.workers = 3;
  job.memory.total_bytes = 77;
  job.run.scratch = "scratch";
  job.run.seed = 5;
  return job;
}

TEST(JobBytes, bring_back_molecule_basis_constants_and_programs) {
  const Job job = water();
  const Job copy = decode_job(encode(job));
  EXPECT_EQ(copy.title, job.title);
  EXPECT_EQ(copy.run, job.run);
  EXPECT_EQ(copy.memory, job.memory);
  EXPECT_EQ(copy.workers, 3);
  EXPECT_EQ(copy.environment.ints, job.environment.ints);
  EXPECT_EQ(copy.environment.scalars, job.environment.scalars);
  EXPECT_EQ(copy.environment.arrays, job.environment.arrays);
  EXPECT_EQ(copy.environment.segments, job.environment.segments);
  ASSERT_EQ(copy.steps.size(), 2U);
  EXPECT_EQ(copy.steps[1].name, "second");
  EXPECT_EQ(copy.steps[1].program, job.steps[1].program);
  ASSERT_TRUE(copy.chemistry.has_value());
  EXPECT_EQ(copy.chemistry->alpha.segments, job.chemistry->alpha.segments);
  EXPECT_EQ(copy.chemistry->beta.virtual_, job.chemistry->beta.virtual_);
  const qc::System& system = job.chemistry->system;
  const qc::System& copied = copy.chemistry->system;
  EXPECT_EQ(copied.molecule, system.molecule);
  EXPECT_EQ(copied.segments.shells, system.segments.shells);
  ASSERT_EQ(copied.integrals.basis().shells.size(), system.integrals.basis().shells.size());
  EXPECT_EQ(copied.integrals.basis().shells.back().contraction,
            system.integrals.basis().shells.back().contraction);
  EXPECT_EQ(copied.integrals.basis().function_count, 24);
}

TEST(JobBytes, that_end_early_are_refused) {
  const auto bytes = encode(water());
  for (std::size_t kept = 0; kept < bytes.size(); kept += 97)
    EXPECT_THROW((void)decode_job(std::span(bytes).first(kept)), base::Error) << kept;
}

}  // namespace
}  // namespace blockyard::job
