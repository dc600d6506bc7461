// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/team.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/fabric/mpi/mpi_world.h"

namespace blockyard::ring {

namespace {

constexpr double patience_seconds = 4;
constexpr double look_around_seconds = 0.1;

/// The ranks of this process. mutex_ guards first_error_.
class Here {
 public:
  Here(const Team& team, base::BufferPool& pool)
      : team_(team), process_(team.session != nullptr ? team.session->process() : 0) {
    if (team.session != nullptr) {
      std::vector<int> process_of;
      for (int rank = 0; rank < team.ranks(); ++rank) process_of.push_back(rank / team.ranks_here);
      fabric::MpiOptions options;
      options.reads_devices = team.reads_devices;
      world_ = std::make_unique<fabric::MpiWorld>(*team.session, pool, process_of, options);
    } else {
      world_ = std::make_unique<fabric::LoopbackWorld>(team.ranks(), team.delivery_seed);
    }
    for (int k = 0; k < team.ranks_here; ++k) {
      endpoints_.push_back(world_->endpoint(process_ * team.ranks_here + k));
      if (team.delay)
        endpoints_.back() = fabric::delayed(std::move(endpoints_.back()), *team.delay);
    }
  }

  void run(const std::function<void(fabric::Fabric&)>& work) {
    running_ = team_.ranks_here;
    std::vector<std::thread> threads;
    for (const auto& endpoint : endpoints_) start(threads, *endpoint, work);
    watch();
    for (std::thread& thread : threads) thread.join();
    bool all_came = true;
    try {
      all_came = world_->end(patience_seconds);
    } catch (const base::Error&) {
      if (!first_error_) first_error_ = std::current_exception();
    }
    if (!all_came) give_up();
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  void start(std::vector<std::thread>& threads, fabric::Fabric& endpoint,
             const std::function<void(fabric::Fabric&)>& work) {
    try {
      threads.emplace_back([this, &endpoint, &work] { guard(endpoint, [&] { work(endpoint); }); });
    } catch (const std::system_error& error) {
      guard(endpoint, [&] {
        throw base::Error(
            base::Errc::no_memory,
            fmt::format("cannot start a thread for rank {}: {}", endpoint.rank(), error.what()));
      });
    }
  }

  template <class Work>
  void guard(fabric::Fabric& endpoint, const Work& work) {
    try {
      work();
    } catch (...) {
      fail(endpoint, std::make_exception_ptr(base::current_error()));
    }
    --running_;
    world_->wake();
  }

  void fail(fabric::Fabric& endpoint, const std::exception_ptr& error) {
    {
      const std::lock_guard lock(mutex_);
      if (first_error_) return;
      first_error_ = error;
    }
    endpoint.abort(text());
    world_->wake();
  }

  [[nodiscard]] std::string text() {
    const std::lock_guard lock(mutex_);
    if (!first_error_) return "the run was aborted";
    try {
      std::rethrow_exception(first_error_);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  [[nodiscard]] bool has_failed() {
    const std::lock_guard lock(mutex_);
    return first_error_ != nullptr;
  }

  /// Moves messages until all ranks here ended; asks meanwhile whether to stop.
  void watch() {
    double failed_at = -1;
    while (running_ > 0) {
      world_->progress(look_around_seconds);
      if (has_failed()) {
        const double now = base::now_seconds();
        if (failed_at < 0) failed_at = now;
        if (now > failed_at + patience_seconds) give_up();
        continue;
      }
      const std::string reason = team_.stop_reason ? team_.stop_reason() : "";
      if (!reason.empty())
        fail(*endpoints_.front(), std::make_exception_ptr(base::Error(base::Errc::comm, reason)));
    }
  }

  void give_up() {
    if (team_.give_up) team_.give_up(text());
  }

  const Team& team_;
  int process_;
  std::unique_ptr<fabric::World> world_;
  std::vector<std::unique_ptr<fabric::Fabric>> endpoints_;
  std::mutex mutex_;
  std::exception_ptr first_error_;
  std::atomic<int> running_ = 0;
};

}  // namespace

void run_team(const Team& team, base::BufferPool& pool,
              const std::function<void(fabric::Fabric&)>& work) {
  Here(team, pool).run(work);
}

}  // namespace blockyard::ring
