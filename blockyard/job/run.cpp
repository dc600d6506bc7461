// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "blockyard/base/clock.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/convergence.h"
#include "blockyard/job/keep.h"
#include "blockyard/job/scratch.h"
#include "blockyard/server/server.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::job {

namespace {

constexpr double patience_seconds = 4;
constexpr std::chrono::milliseconds look_around{100};

std::filesystem::path scratch_parent(const RunSpec& run) {
  return run.scratch.empty() ? std::filesystem::temp_directory_path()
                             : std::filesystem::path(run.scratch);
}

/// The ranks of one run. mutex_ guards running_ and first_error_; print_mutex_ the hook `print`.
/// A slot of results_ that belongs to a worker is written by that worker only.
class Run {
 public:
  Run(const Job& job, const Hooks& hooks, const SavedRun* from)
      : job_(job),
        hooks_(hooks),
        from_(from),
        scratch_(scratch_parent(job.run)),
        pool_(static_cast<std::size_t>(job.memory.total_bytes)),
        world_(job.workers + job.servers, job.run.seed),
        running_(job.workers + job.servers) {
    if (!job.run.persistent.empty()) kept_ = read_kept(job.run.persistent);
    for (int rank = 0; rank < running_; ++rank) {
      endpoints_.push_back(world_.endpoint(rank));
      if (job.run.fabric_delay)
        endpoints_.back() = fabric::delayed(std::move(endpoints_.back()), *job.run.fabric_delay);
    }
    for (const Step& step : job.steps) results_.steps.push_back({step.name, 0, {}, {}, {}});
    if (from != nullptr) std::copy(from->done.begin(), from->done.end(), results_.steps.begin());
    if (!job.run.checkpoint_folder.empty()) checkpoints_.emplace(job, hooks, results_, from);
    for (StepResult& step : results_.steps)
      step.metrics.resize(static_cast<std::size_t>(job.workers));
  }

  Results execute() {
    const double begin = base::now_seconds();
    std::vector<std::thread> threads;
    for (int w = 0; w < job_.workers; ++w) start(threads, w, [this, w] { run_worker(w); });
    for (int k = 0; k < job_.servers; ++k)
      start(threads, job_.workers + k, [this, k] { run_server(k); });
    watch();
    for (std::thread& thread : threads) thread.join();
    if (first_error_) std::rethrow_exception(first_error_);
    if (checkpoints_) checkpoints_->remove_all();
    results_.seconds = base::now_seconds() - begin;
    results_.peak_block_bytes = static_cast<std::int64_t>(pool_.peak_live_bytes());
    results_.peak_rss_bytes = peak_rss_bytes();
    return std::move(results_);
  }

 private:
  template <class Work>
  void start(std::vector<std::thread>& threads, int rank, const Work& work) {
    try {
      threads.emplace_back([this, rank, work] { guard(rank, work); });
    } catch (const std::system_error& error) {
      guard(rank, [&] {
        throw base::Error(base::Errc::no_memory,
                          fmt::format("cannot start a thread for rank {}: {}", rank, error.what()));
      });
    }
  }

  /// Runs the work of a rank; the first error of all ranks ends the run.
  template <class Work>
  void guard(int rank, const Work& work) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      fail(rank, std::make_exception_ptr(
                     base::Error(base::Errc::no_memory, "the system has no more memory")));
    } catch (...) {
      fail(rank, std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  void fail(int rank, const std::exception_ptr& error) {
    {
      const std::lock_guard lock(mutex_);
      // Others meet the abort only after the first error has been written down here.
      if (first_error_) return;
      first_error_ = error;
    }
    endpoints_[static_cast<std::size_t>(rank)]->abort(text_of(error));
    release_kept();
    changed_.notify_all();
  }

  static std::string text_of(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      return exception.what();
    } catch (...) {
      return "an error of unknown type";
    }
  }

  /// Waits for all ranks; asks meanwhile whether to stop.
  void watch() {
    std::unique_lock lock(mutex_);
    while (running_ > 0 && !first_error_) {
      changed_.wait_for(lock, look_around);
      if (first_error_ || running_ == 0 || !hooks_.stop_reason) continue;
      const std::string reason = hooks_.stop_reason();
      if (reason.empty()) continue;
      lock.unlock();
      fail(0, std::make_exception_ptr(base::Error(base::Errc::comm, reason)));
      lock.lock();
    }
    const auto all_ended = [&] { return running_ == 0; };
    const std::chrono::duration<double> patience(patience_seconds);
    if (changed_.wait_for(lock, patience, all_ended) || !first_error_) return;
    scratch_.remove();
    if (hooks_.give_up) hooks_.give_up(text_of(first_error_));
  }

  void print(std::string_view text) {
    const std::lock_guard lock(print_mutex_);
    if (hooks_.print) hooks_.print(text);
  }

  void run_server(int number) {
    const server::ServerOptions options{static_cast<std::size_t>(job_.memory.server_bytes),
                                        scratch_.path(), number, job_.run.check};
    const auto rank = static_cast<std::size_t>(job_.workers + number);
    server::Server(*endpoints_[rank], pool_, options).run();
  }

  void run_worker(int number) {
    super::Table supers = super_table(job_);
    worker::Options options{
        number,         job_.workers, job_.servers,     job_.memory.worker_bytes,
        job_.run.check, policy(),     job_.run.prefetch};
    options.checkpoints = checkpoints_ ? &*checkpoints_ : nullptr;
    worker::Worker worker(*endpoints_[static_cast<std::size_t>(number)], pool_, supers, options,
                          [this](std::string_view text) { print(text); });
    worker::Environment environment = job_.environment;
    if (from_ == nullptr) begin_with_kept(worker, number);
    for (std::size_t k = from_ != nullptr ? from_->step : 0; k < job_.steps.size(); ++k)
      run_step(worker, environment, number, k);
    if (number != 0) return;
    if (!job_.run.persistent.empty()) write_kept(job_.run.persistent, worker, kept_);
    results_.servers = worker.server_statistics();
    worker.shut_down_servers();
  }

  /// Everybody takes what earlier jobs kept; the blocks go to the servers before anybody begins.
  void begin_with_kept(worker::Worker& worker, int number) {
    if (job_.run.persistent.empty()) return;
    worker.kept() = kept_;
    if (number != 0) return kept_is_loaded_.wait(false);
    load_blocks(job_.run.persistent, worker);
    release_kept();
  }

  void release_kept() {
    kept_is_loaded_ = true;
    kept_is_loaded_.notify_all();
  }

  void run_step(worker::Worker& worker, worker::Environment& environment, int number,
                std::size_t k) {
    if (number == 0 && hooks_.step_begins) hooks_.step_begins(k);
    if (number == 0 && checkpoints_) checkpoints_->begin_step(k);
    const double begin = base::now_seconds();
    worker::Outcome outcome = from_ != nullptr && from_->step == k
                                  ? resume_step(worker, environment, number)
                                  : run_from_begin(worker, environment, k);
    StepResult& result = results_.steps[k];
    result.metrics[static_cast<std::size_t>(number)] = outcome.metrics;
    if (!outcome.warnings.empty()) add_warnings(result, outcome.warnings);
    if (!job_.method.empty()) check_converged(job_.steps[k].name, environment, outcome);
    if (number != 0) return;
    result.seconds = base::now_seconds() - begin;
    result.outcome = std::move(outcome);
  }

  worker::Outcome run_from_begin(worker::Worker& worker, worker::Environment& environment,
                                 std::size_t k) {
    if (k > 0 && checkpoints_) worker.checkpoint(environment);
    return worker.run(job_.steps[k].program, environment);
  }

  worker::Outcome resume_step(worker::Worker& worker, worker::Environment& environment,
                              int number) {
    SavedWorker state(*from_, number);
    const worker::Resume resume{state, from_->place, from_->servers};
    return worker.run(job_.steps[from_->step].program, environment, &resume);
  }

  void add_warnings(StepResult& result, const std::vector<std::string>& warnings) {
    const std::lock_guard lock(mutex_);
    for (const std::string& text : warnings)
      if (std::find(result.warnings.begin(), result.warnings.end(), text) == result.warnings.end())
        result.warnings.push_back(text);
  }

  [[nodiscard]] program::Policy policy() const {
    return job_.run.pardo == program::Policy::unset ? program::Policy::balanced : job_.run.pardo;
  }

  const Job& job_;
  const Hooks& hooks_;
  const SavedRun* from_;
  ScratchFolder scratch_;
  base::BufferPool pool_;
  fabric::LoopbackWorld world_;
  std::vector<std::unique_ptr<fabric::Fabric>> endpoints_;
  Results results_;
  std::optional<CheckpointFolder> checkpoints_;
  std::mutex mutex_;
  std::mutex print_mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  worker::Kept kept_;
  std::atomic<bool> kept_is_loaded_{false};
  std::exception_ptr first_error_;
};

}  // namespace

Results run(const Job& job, const Hooks& hooks, const SavedRun* from) {
  tensor::blas::limit_blas_threads(1);
  return_freed_blocks();
  return Run(job, hooks, from).execute();
}

}  // namespace blockyard::job
