// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/fabric/mpi/mpi_world.h"
#include "blockyard/fabric/rank_threads.h"
#include "blockyard/job/basis_guess.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/detail/worker_run.h"
#include "blockyard/job/guess.h"
#include "blockyard/job/keep.h"
#include "blockyard/job/kept_bytes.h"
#include "blockyard/job/processes.h"
#include "blockyard/job/results_bytes.h"
#include "blockyard/job/scratch.h"
#include "blockyard/job/trace_events.h"
#include "blockyard/server/server.h"
#include "blockyard/store/lock.h"
#include "blockyard/store/whole_file.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::job {

namespace {

constexpr double patience_seconds = fabric::RankThreads::patience_seconds;

/// The ranks of one run in this process. mutex_ guards the warnings of results_; print_mutex_ the
/// hook `print`.
/// A slot of results_ that belongs to a worker is written by that worker only.
class Run {
 public:
  Run(const Job& job, const Hooks& hooks, const SavedRun* from, fabric::MpiSession* session,
      worker::Kept guess)
      : job_(job),
        hooks_(hooks),
        from_(from),
        session_(session),
        process_(session != nullptr ? session->process() : 0),
        process_of_(place_ranks(job)),
        pool_(job.run.device.keeps_memory
                  ? static_cast<std::size_t>(job.memory.total_bytes - job.memory.shared_bytes)
                  : 0),
        guess_(std::move(guess)) {
    for (const Step& step : job.steps) results_.steps.push_back({step.name, 0, {}, {}, {}});
    if (from != nullptr) std::copy(from->done.begin(), from->done.end(), results_.steps.begin());
    const auto workers = std::span(process_of_).first(static_cast<std::size_t>(job.workers));
    const auto here = std::ranges::equal_range(workers, process_);  // they are in order
    workers_here_ = static_cast<int>(here.size());
    results_.first_worker = static_cast<int>(here.begin() - workers.begin());
    for (StepResult& step : results_.steps)
      step.metrics.resize(process_ == 0 ? workers.size() : here.size());
    read_files();
    const auto set_up = [this] {
      tensor::blas::map_buffers(workers_here_);
      set_up_files();
      set_up_devices();
    };
    fabric::agree(session_, set_up);
    origin_seconds_ = base::now_seconds();
    make_world();
  }

  /// `spent_seconds`: what the run has taken before.
  Results execute(double spent_seconds) {
    const double begin = base::now_seconds();
    make_recordings();
    for (int rank = 0; rank < job_.workers + job_.servers; ++rank) {
      if (!is_here(rank)) continue;
      ranks_->start(*endpoints_[static_cast<std::size_t>(rank)], [this, rank] {
        rank < job_.workers ? run_worker(rank) : run_server(rank - job_.workers);
      });
    }
    ranks_->watch([this] { look_around(); });
    end_devices();
    ranks_->end();
    if (const std::exception_ptr error = ranks_->error()) std::rethrow_exception(error);
    if (!results_.unconverged.empty()) results_.steps.resize(results_.steps_run);
    results_.seconds = base::now_seconds() - begin;
    results_.peak_block_bytes = static_cast<std::int64_t>(pool_.peak_live_bytes());
    results_.peak_rss_bytes = peak_rss_bytes();
    take_recordings();
    results_.seconds += spent_seconds;
    if (session_ != nullptr) gather_results();
    if (process_ == 0) deliver();
    return std::move(results_);
  }

 private:
  [[nodiscard]] bool is_here(int rank) const {
    return process_of_[static_cast<std::size_t>(rank)] == process_;
  }

  /// Process 0 reads: another run may replace the files meanwhile. It also looks for the folder of
  /// checkpoints before any process makes it.
  void read_files() {
    const auto read = [this] {
      std::error_code ignored;
      makes_folder_ = !std::filesystem::exists(job_.run.checkpoint_folder, ignored);
      if (!job_.run.persistent.empty()) kept_ = read_kept(job_.run.persistent);
      if (has_guess_file(job_) && from_ == nullptr) read_guess(job_, guess_);
      leave_out_guess(job_, guess_, kept_);
    };
    if (session_ == nullptr) return read();
    const auto kept = fabric::share(session_, [&] {
      read();
      return encode(kept_);
    });
    const auto guess = fabric::share(session_, [this] { return encode(guess_); });
    if (process_ == 0) return;
    kept_ = decode_kept(kept);
    guess_ = decode_kept(guess);
  }

  /// The steps that may fail in one process before the ranks begin.
  void set_up_files() {
    scratch_.emplace(scratch_parent(job_.run.scratch));
    for (const std::string& file : {job_.run.persistent, job_.run.save})
      if (process_ == 0 && !file.empty()) store::check_replaceable(file);
    // Held by another run it can be taken later; what cannot be locked is told before the run.
    if (process_ == 0 && !job_.run.persistent.empty())
      static_cast<void>(store::FileLock::try_take(lock_of(job_.run.persistent)));
    if (!job_.run.checkpoint_folder.empty())
      checkpoints_.emplace(job_, hooks_, results_, from_, process_ == 0, makes_folder_);
  }

  void set_up_devices() {
    if (workers_here_ == 0) return;  // a process that only serves
    const int place = session_ != nullptr ? session_->process_here() * workers_here_ : 0;
    const int sharing = session_ != nullptr ? session_->processes_here() : 1;
    const DeviceUsers users{workers_here_, std::min(job_.workers, sharing * workers_here_),
                            results_.first_worker - place};
    input::DeviceSpec spec = job_.run.device;
    if (reads_devices()) spec.options += " network=1";
    devices_ = std::make_unique<Devices>(spec, users, job_.memory.total_bytes / 4, pool_,
                                         job_.memory.total_bytes / 2);
    try {
      devices_->wait_until_open([this] {
        const std::string reason = reason_to_stop();
        if (!reason.empty()) throw base::Error(base::Errc::comm, reason);
      });
    } catch (const std::exception& error) {
      if (!devices_->try_end_opening()) {
        give_up(error.what());
        leave_devices();
      }
      throw;
    }
  }

  /// Whether MPI sends blocks from where they are on devices.
  [[nodiscard]] bool reads_devices() const {
    return session_ != nullptr && session_->processes() > 1 &&
           job_.run.device.feeds_network.value_or(fabric::mpi_reads_devices());
  }

  /// A driver that is being loaded is waited for, but not for ever: the job is over.
  void end_devices() {
    if (!devices_) return;
    constexpr double look_seconds = 0.01;
    double end = base::now_seconds() + patience_seconds;
    while (!devices_->try_end_opening()) {
      world_->progress(look_seconds);
      if (!ranks_->error()) {
        stop_if_asked();
        if (ranks_->error()) end = 0;
      }
      if (base::now_seconds() < end) continue;
      if (ranks_->error()) give_up(ranks_->cause());
      leave_devices();
      return;
    }
    results_.device_kind = devices_->kind();
    results_.devices = devices_->infos();
  }

  /// The thread that opens devices uses them whenever its driver returns, so they are leaked.
  void leave_devices() {
    pool_.on_leave(nullptr);
    static_cast<void>(devices_.release());
    results_.has_left_driver = true;
    results_.device_kind = job_.run.device.kind;
    results_.steps.back().warnings.push_back(
        fmt::format("--device {}: its driver was still being loaded {} s after the end of the job",
                    job_.run.device.kind, patience_seconds));
  }

  void make_world() {
    const int ranks = job_.workers + job_.servers;
    if (session_ != nullptr) {
      fabric::MpiOptions options;
      options.reads_devices = reads_devices();
      options.hear = [this](std::string_view text) { print(text); };
      world_ = std::make_unique<fabric::MpiWorld>(*session_, pool_, process_of_, options);
    } else {
      world_ = std::make_unique<fabric::LoopbackWorld>(ranks, job_.run.seed);
    }
    endpoints_.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      if (!is_here(rank)) continue;
      auto& endpoint = endpoints_[static_cast<std::size_t>(rank)] = world_->endpoint(rank);
      if (job_.run.fabric_delay)
        endpoint = fabric::delayed(std::move(endpoint), *job_.run.fabric_delay);
      if (any_rank_ < 0) any_rank_ = rank;
    }
    ranks_.emplace(*world_, [this] { give_up(ranks_->cause()); });
  }

  void make_recordings() {
    constexpr std::size_t memory_samples = 400;
    const auto ranks = static_cast<std::size_t>(job_.workers + job_.servers);
    recordings_.resize(ranks);
    results_.ranks.resize(ranks);
    live_ = std::vector<worker::Live>(static_cast<std::size_t>(workers_here_));
    if (!job_.run.report && !job_.run.has_trace) return;
    const std::uint64_t events =
        job_.run.has_trace ? trace_events_of_rank(static_cast<int>(ranks)) : 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      if (is_here(static_cast<int>(rank)))
        recordings_[rank] = std::make_unique<base::Recording>(base::Recording{
            base::MemoryLine(memory_samples), base::TraceLine(static_cast<std::size_t>(events))});
  }

  /// Clocks of processes differ: what is noted is told since the begin, where all of them met.
  void take_recordings() {
    const std::uint64_t events =
        trace_events_of_rank(job_.workers + job_.servers, results_.seconds);
    for (std::size_t rank = 0; rank < recordings_.size(); ++rank) {
      if (!recordings_[rank]) continue;
      RankRecord& record = results_.ranks[rank];
      record.memory = recordings_[rank]->memory.samples();
      record.trace = recordings_[rank]->trace.take(events);
      for (base::MemorySample& sample : record.memory) sample.at_seconds -= origin_seconds_;
      for (base::TraceEvent& event : record.trace) event.begin_seconds -= origin_seconds_;
    }
  }

  void gather_results() {
    const auto parts = session_->gather(encode_part(results_, workers_here_));
    for (std::size_t process = 1; process < parts.size(); ++process)
      add_part(parts[process], results_);
  }

  /// Until its results are where they last, the run can be resumed.
  void deliver() {
    pool_.free_kept();  // what is written takes memory, too
    const bool is_delivered = !hooks_.deliver || hooks_.deliver(results_);
    if (checkpoints_ && is_delivered && results_.lost.empty() && results_.unconverged.empty())
      checkpoints_->remove_all();
  }

  void give_up(const std::string& cause) {
    scratch_->remove();
    if (hooks_.give_up) hooks_.give_up(cause);
  }

  /// The errors of devices, signals and `look`, while ranks run.
  void look_around() {
    if (devices_)
      if (const std::exception_ptr failure = devices_->failure()) fail(failure);
    if (hooks_.look) hooks_.look({step_, results_.first_worker, live_});
    stop_if_asked();
  }

  void fail(const std::exception_ptr& error) {
    ranks_->fail(*endpoints_[static_cast<std::size_t>(any_rank_)], error);
  }

  [[nodiscard]] std::string reason_to_stop() const {
    return hooks_.stop_reason ? hooks_.stop_reason() : "";
  }

  void stop_if_asked() {
    const std::string reason = reason_to_stop();
    if (!reason.empty()) fail(std::make_exception_ptr(base::Error(base::Errc::comm, reason)));
  }

  /// Of a worker anywhere: process 0 prints.
  void tell(std::string_view text) {
    if (process_ == 0)
      print(text);
    else
      world_->say(text);
  }

  void print(std::string_view text) {
    const std::lock_guard lock(print_mutex_);
    if (hooks_.print) hooks_.print(text);
  }

  void run_server(int number) {
    const server::ServerOptions options{
        static_cast<std::size_t>(job_.memory.server_bytes),
        scratch_->path(),
        number,
        job_.run.check,
        job_.run.deterministic,
        job_.servers,
        job_.embedding.lent,
        recordings_[static_cast<std::size_t>(job_.workers + number)].get()};
    const auto rank = static_cast<std::size_t>(job_.workers + number);
    server::Server(*endpoints_[rank], pool_, options).run();
  }

  void run_worker(int number) {
    const WorkerRun parts{job_,
                          hooks_,
                          from_,
                          number,
                          process_of_,
                          *endpoints_[static_cast<std::size_t>(number)],
                          pool_,
                          *devices_,
                          checkpoints_ ? &*checkpoints_ : nullptr,
                          kept_,
                          guess_,
                          recordings_[static_cast<std::size_t>(number)].get(),
                          live_[static_cast<std::size_t>(number - results_.first_worker)],
                          number == results_.first_worker ? &step_ : nullptr,
                          results_,
                          mutex_,
                          [this](std::string_view text) { tell(text); }};
    job::run_worker(parts);
  }

  const Job& job_;
  const Hooks& hooks_;
  const SavedRun* from_;
  fabric::MpiSession* session_;
  int process_;
  std::vector<int> process_of_;  ///< by rank
  std::optional<ScratchFolder> scratch_;
  base::BufferPool pool_;
  std::unique_ptr<Devices> devices_;  ///< none where no worker is
  std::unique_ptr<fabric::World> world_;
  std::vector<std::unique_ptr<fabric::Fabric>> endpoints_;  ///< by rank; null: of other processes
  /// Each is used by its rank's thread while that runs; by rank, null: of other processes, or none.
  std::vector<std::unique_ptr<base::Recording>> recordings_;
  std::vector<worker::Live> live_;  ///< of the workers here
  int workers_here_ = 0;
  std::atomic<std::size_t> step_ = 0;  ///< of the first worker here
  double origin_seconds_ = 0;
  Results results_;
  std::optional<CheckpointFolder> checkpoints_;
  bool makes_folder_ = false;  ///< that of checkpoints; process 0 knows
  std::mutex mutex_;
  std::mutex print_mutex_;
  int any_rank_ = -1;  ///< of this process
  worker::Kept kept_;
  worker::Kept guess_;
  std::optional<fabric::RankThreads> ranks_;
};

}  // namespace

Results run(const Job& job, const Hooks& hooks, const SavedRun* from, fabric::MpiSession* session) {
  const double begin = base::now_seconds();
  worker::Kept guess;
  if (from == nullptr) guess.arrays = orbitals_of_guess(job, hooks, session);
  const double guess_seconds = base::now_seconds() - begin;
  tensor::blas::limit_blas_threads(1);
  if (job.embedding.reuses_memory)
    reuse_freed_memory();
  else
    return_freed_blocks();
  return Run(job, hooks, from, session, std::move(guess)).execute(guess_seconds);
}

}  // namespace blockyard::job
