// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/calibration_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/job/run.h"
#include "blockyard/sial/compile.h"

namespace blockyard::plan {

using base::Extent;

namespace {

constexpr int times = 20'000;
constexpr int meetings = 300;
constexpr Extent matrix_rows = 160;

/// {0}: how often. Segments of mo have 4 elements, of moa 20.
constexpr const char* declarations = R"(
index n = 1:{0}
moindex i = 1:64
moindex j = 1:64
moaindex a = 1:8
moaindex b = 1:8
distributed d[i,j]
temp t[i,j]
temp big[a,b]
static m[a,b]
static u[a,b]
special eigen_calc uu
special energy_denominator_rhf ur
scalar x
)";

struct Probe {
  const char* name;
  int times;
  const char* code;
};

constexpr std::array probes = {
    Probe{"opcodes", times, "do n\nx = x + 1.0\nx = x * 0.5\nenddo n\n"},
    Probe{"blocks", times,
          "do i\nwhere i == 1\ndo j\nwhere j == 1\ndo n\nt[i,j] = 1.0\n"
          "t[i,j] *= 2.0\nenddo n\nenddo j\nenddo i\n"},
    Probe{"puts", 1,
          "pardo i, j \"static\"\nt[i,j] = 1.0\nput d[i,j] = t[i,j]\nendpardo i, j\n"
          "set_persistent d \"d\"\n"},
    Probe{"gets", 1,
          "restore_persistent d \"d\"\npardo i, j \"static\"\nget d[i,j]\n"
          "t[i,j] = d[i,j]\nendpardo i, j\n"},
    Probe{"barriers", meetings, "do n\nsip_barrier\nenddo n\n"},
    Probe{"sums", meetings, "do n\ncollective x += 1.0\nenddo n\n"},
    Probe{"denominators", 200,
          "do a\ndo b\nm[a,b] = 1.0\nenddo b\nenddo a\ndo a\nwhere a == 1\n"
          "do b\nwhere b == 5\nbig[a,b] = 1.0\ndo n\n"
          "execute energy_denominator_rhf big[a,b] m\nenddo n\nenddo b\n"
          "enddo a\n"},
    Probe{"eigenvectors", 2,
          "do n\ndo a\ndo b\nm[a,b] = 1.0\nif a == b\nm[a,b] = 2.0\nendif\n"
          "enddo b\nenddo a\nexecute eigen_calc m u\nenddo n\n"}};

}  // namespace

job::Job probe_job(int workers) {
  constexpr std::int64_t least_bytes = std::int64_t{256} << 20;
  constexpr std::int64_t worker_bytes = std::int64_t{1} << 20;
  job::Job job;
  for (const Probe& probe : probes) {
    const std::string text =
        fmt::format("sial {0}\n{1}{2}endsial {0}\n", probe.name,
                    fmt::format(fmt::runtime(declarations), probe.times), probe.code);
    const sial::Compilation compiled = sial::compile_text(text);
    base::require(compiled.program.has_value(), "the programs of calibrate compile");
    job.steps.push_back({probe.name, *compiled.program});
  }
  job.environment.segments.set(array::IndexKind::mo, std::vector<Extent>(64, 4));
  job.environment.segments.set(array::IndexKind::moa, std::vector<Extent>(8, matrix_rows / 8));
  job.environment.ints = {{"baocc", 1}, {"eaocc", 4}, {"bavirt", 5}, {"eavirt", 8}};
  job.workers = workers;
  job.memory = job::plan_memory(std::max(least_bytes, workers * worker_bytes), 0, workers, 1,
                                job::memory_needs(job));
  return job;
}

namespace {

/// The mean over workers.
template <class Of>
double mean(const job::StepResult& step, const Of& of) {
  double sum = 0;
  for (const worker::Metrics& metrics : step.metrics) sum += of(metrics);
  return sum / static_cast<double>(step.metrics.size());
}

double seconds(const job::StepResult& step) {
  return mean(step, [](const worker::Metrics& metrics) { return metrics.seconds; });
}

double super_seconds(const job::StepResult& step, std::string_view name) {
  return mean(step, [&](const worker::Metrics& metrics) {
    const auto found = metrics.supers.find(name);
    return found == metrics.supers.end()
               ? 0.0
               : found->second.seconds / static_cast<double>(found->second.calls);
  });
}

/// The results of a run of the probes, as members of a machine.
Machine measured(const job::Results& results) {
  const auto step = [&](std::size_t k) -> const job::StepResult& { return results.steps[k]; };
  const auto count = [&](std::size_t k, std::uint64_t worker::Metrics::*what) {
    return mean(step(k),
                [&](const worker::Metrics& metrics) { return static_cast<double>(metrics.*what); });
  };
  const auto rows = static_cast<double>(matrix_rows);
  Machine machine;
  machine.instruction_seconds = seconds(step(0)) / count(0, &worker::Metrics::instructions);
  machine.block_seconds = seconds(step(1)) / (2.0 * times);
  machine.put_seconds = seconds(step(2)) / count(2, &worker::Metrics::iterations);
  machine.get_seconds = seconds(step(3)) / count(3, &worker::Metrics::gets);
  machine.barrier_seconds = seconds(step(4)) / meetings;
  machine.collective_seconds = seconds(step(5)) / meetings;
  machine.denominator_seconds =
      super_seconds(step(6), "energy_denominator_rhf") / std::pow(rows / 8, 2);
  machine.eigen_seconds = super_seconds(step(7), "eigen_calc") / std::pow(rows, 3);
  return machine;
}

}  // namespace

void measure_statements(Machine& machine) {
  constexpr int rounds = 3;
  const job::Job job = probe_job(machine.cores);
  for (int round = 0; round < rounds; ++round) {
    const Machine now = measured(job::run(job, {}));
    for (double Machine::*rate :
         {&Machine::instruction_seconds, &Machine::block_seconds, &Machine::put_seconds,
          &Machine::get_seconds, &Machine::barrier_seconds, &Machine::collective_seconds,
          &Machine::denominator_seconds, &Machine::eigen_seconds})
      machine.*rate = round == 0 ? now.*rate : std::min(machine.*rate, now.*rate);
  }
}

}  // namespace blockyard::plan
