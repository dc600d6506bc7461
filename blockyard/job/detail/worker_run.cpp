// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/detail/worker_run.h"

#include <algorithm>
#include <initializer_list>

#include "blockyard/base/clock.h"
#include "blockyard/job/guess.h"
#include "blockyard/job/keep.h"
#include "blockyard/job/traffic.h"
#include "blockyard/method/convergence.h"

namespace blockyard::job {
namespace {

worker::Options options_of(const WorkerRun& run) {
  const input::RunSpec& spec = run.job.run;
  const bool is_unset = spec.pardo == program::Policy::unset;
  worker::Options options{run.number,      run.job.workers,
                          run.job.servers, run.job.memory.worker_bytes,
                          spec.check,      is_unset ? program::Policy::balanced : spec.pardo,
                          spec.prefetch};
  options.process_of = run.process_of;
  options.checkpoints = run.checkpoints;
  options.recording = run.recording;
  options.live = &run.live;
  options.devices = run.devices.is_possible() ? &run.devices : nullptr;
  options.learns_placement = spec.device.learns();
  options.respects_hints = spec.device.respects_hints;
  options.honours_intents = spec.device.honours_intents;
  return options;
}

/// All take the results of earlier jobs; the blocks go to the servers before any worker begins.
void begin_with_kept(const WorkerRun& run, worker::Worker& worker) {
  const input::RunSpec& spec = run.job.run;
  worker.kept() = run.kept;
  for (const auto* given :
       std::initializer_list<const worker::Kept*>{&run.guess, &run.job.embedding.kept}) {
    worker.kept().scalars.insert(given->scalars.begin(), given->scalars.end());
    worker.kept().arrays.insert(given->arrays.begin(), given->arrays.end());
    worker.kept().distributed.insert(given->distributed.begin(), given->distributed.end());
    worker.kept().element_types.insert(given->element_types.begin(), given->element_types.end());
  }
  const bool has_guess = has_guess_file(run.job);
  if (spec.persistent.empty() && !has_guess) return;
  if (run.number == 0 && !spec.persistent.empty()) load_blocks(spec.persistent, run.kept, worker);
  if (run.number == 0 && has_guess) load_guess(run.job, worker);
  worker.meet();
}

worker::Outcome run_program(const WorkerRun& run, worker::Worker& worker,
                            worker::Environment& environment, std::size_t k) {
  const program::Program& program = run.job.steps[k].program;
  if (run.from != nullptr && run.from->step == k) {
    SavedWorker state(*run.from, run.number);
    const worker::Resume resume{state, run.from->place, run.from->servers};
    return worker.run(program, environment, &resume, k);
  }
  if (k > 0 && run.checkpoints != nullptr) worker.checkpoint(environment);
  return worker.run(program, environment, nullptr, k);
}

void add_warnings(const WorkerRun& run, StepResult& result, const worker::Outcome& outcome) {
  if (outcome.warnings.empty()) return;
  const std::lock_guard lock(run.mutex);
  for (const std::string& text : outcome.warnings)
    if (std::find(result.warnings.begin(), result.warnings.end(), text) == result.warnings.end())
      result.warnings.push_back(text);
}

/// A file that cannot be written does not affect the other results. An error
/// of another rank ends the run all the same.
template <class Write>
void write_or_lose(const WorkerRun& run, const Write& write) {
  try {
    write();
  } catch (const base::Error& error) {
    if (error.code() == base::Errc::comm || error.code() == base::Errc::internal) throw;
    run.results.lost.emplace_back(error.what());
  }
}

/// False if the job ends here, as a program has not converged; its results are saved first: a
/// later job resumes from them. Every worker finds the same.
bool goes_on(const WorkerRun& run, worker::Worker& worker, const worker::Environment& environment,
             std::size_t k, const worker::Outcome& outcome) {
  if (run.job.method.empty()) return true;
  if (method::has_converged(outcome)) {
    method::refuse_broken_spin(run.job.method, environment, outcome);
    return true;
  }
  const std::string& save = run.job.run.save;
  if (!save.empty()) {
    if (run.number == 0) write_or_lose(run, [&] { save_guess(run.job, worker); });
    worker.meet();
  }
  const std::lock_guard lock(run.mutex);
  run.results.unconverged =
      method::convergence_failure(run.job.steps[k].name, environment, outcome, save);
  run.results.steps_run = k + 1;
  return false;
}

/// Whether the next program follows.
bool run_step(const WorkerRun& run, worker::Worker& worker, worker::Environment& environment,
              std::size_t k) {
  if (run.number == 0 && run.hooks.step_begins) run.hooks.step_begins(k);
  if (run.number == 0 && run.checkpoints != nullptr) run.checkpoints->begin_step(k);
  if (run.step != nullptr) *run.step = k;
  const double begin = base::now_seconds();
  worker::Outcome outcome = run_program(run, worker, environment, k);
  StepResult& result = run.results.steps[k];
  group_traffic(run.job, outcome.metrics);
  result.metrics[static_cast<std::size_t>(run.number - run.results.first_worker)] = outcome.metrics;
  add_warnings(run, result, outcome);
  const bool has_next = goes_on(run, worker, environment, k, outcome);
  // Another program has blocks of other lengths, which would come on top. Not where pages are
  // locked, which takes longer than that memory is worth: what is kept goes when it is in the
  // way.
  if (run.devices.host_locks() == nullptr) {
    worker.free_frames();
    run.pool.free_kept();
  }
  if (run.number == 0) {
    result.seconds = base::now_seconds() - begin;
    result.outcome = std::move(outcome);
  }
  return has_next;
}

/// Keeps what outlives a job whose programs all succeeded.
void keep(const WorkerRun& run, worker::Worker& worker) {
  if (!run.job.run.persistent.empty()) write_or_lose(run, [&] { write_kept(run.job, worker); });
  if (!run.job.run.save.empty()) write_or_lose(run, [&] { save_guess(run.job, worker); });
  if (run.job.embedding.collect) run.job.embedding.collect(worker);
}

}  // namespace

void run_worker(const WorkerRun& run) {
  if (run.job.workers > 1 &&
      run.job.workers * run.job.processes_on_node <= run.job.cores * run.job.processes)
    run.endpoint.stay_awake();
  super::Table supers = super_table(run.job);
  worker::Worker worker(run.endpoint, run.pool, supers, options_of(run), run.tell);
  worker::Environment environment = run.job.environment;
  if (run.from == nullptr) begin_with_kept(run, worker);
  bool goes_on = true;
  for (std::size_t k = run.from != nullptr ? run.from->step : 0;
       goes_on && k < run.job.steps.size(); ++k)
    goes_on = run_step(run, worker, environment, k);
  if (run.number != 0) return;
  if (goes_on) keep(run, worker);
  run.results.servers = worker.server_statistics();
  worker.shut_down_servers();
}

}  // namespace blockyard::job
