// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/plan/plan.h"
#include "blockyard/sial/compile.h"

/// Small jobs for tests of plans.
namespace blockyard::plan {

inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Segments of mo: 3, 4 and 5 elements.
inline job::Job job_of(const std::vector<std::string>& texts, int workers = 1,
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

inline JobPlan plan_of(const job::Job& job, const PlanOptions& options = {}) {
  return make_plan(job, assumed_machine(), options);
}

inline const ArrayPlan& array_of(const ProgramPlan& program, std::string_view name) {
  for (const ArrayPlan& array : program.arrays)
    if (array.name == name) return array;
  throw base::Error(base::Errc::internal, "no such array");
}

inline constexpr const char* head = R"(
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

inline std::string program(const std::string& name, const std::string& code) {
  return "sial " + name + head + code + "endsial " + name + "\n";
}

inline const std::string fill = R"(
pardo i, j
  t[i,j] = 1.0
  put d[i,j] = t[i,j]
endpardo i, j
sip_barrier
)";

/// e[i,j] = sum over k of d[i,k] d[k,j] for i <= j, in a pardo that is open.
inline const std::string product_of_blocks = R"(
  where i <= j
  t[i,j] = 0.0
  do k
    get d[i,k]
    get d[k,j]
    t[i,j] += d[i,k]*d[k,j]
  enddo k
  put e[i,j] = t[i,j]
)";

inline const std::string multiply = "pardo i, j \"dynamic\"" + product_of_blocks + R"(
  if i < j
    u[j,i] = t[i,j]
    put e[j,i] += u[j,i]
  endif
endpardo i, j
sip_barrier
)";

/// What large jobs do besides filling d.
inline const std::string large_product = "pardo i, j" + product_of_blocks + "endpardo i, j\n";

/// A program over many segments of mo, each of 2 or 3 elements; index a has the first four.
inline job::Job large_job(std::size_t segments, const std::string& code = large_product) {
  const std::string text = R"(sial large
predefined int count
moindex i = 1:count
moindex j = 1:count
moindex k = 1:count
moindex a = 1:4
distributed d[i,j]
distributed e[i,j]
temp t[i,j]
scalar x
pardo i, j
  t[i,j] = 1.0
  put d[i,j] = t[i,j]
endpardo i, j
sip_barrier
)" + code + "endsial large\n";
  job::Job job = job_of({"sial empty\nendsial empty\n"});
  job.steps = {{"large", *sial::compile_text(text).program}};
  std::vector<Extent> extents(segments);
  for (std::size_t k = 0; k < segments; ++k) extents[k] = k % 3 == 0 ? 2 : 3;
  job.environment.segments.set(array::IndexKind::mo, extents);
  job.environment.ints["count"] = static_cast<std::int64_t>(segments);
  job.memory = job::plan_memory(256 * mebibyte, 0, 1, 1, job::memory_needs(job));
  return job;
}

}  // namespace blockyard::plan
