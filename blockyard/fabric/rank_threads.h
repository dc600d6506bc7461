// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/fabric/fabric.h"
#include "blockyard/fabric/world.h"

namespace blockyard::fabric {

/// The ranks of this process, each on a thread of its own, and the first error of any rank here,
/// which ends the run. One thread makes it, starts, watches and ends; fail(), error() and cause()
/// are for any thread.
class RankThreads {
 public:
  /// How long other processes may take to end after an error, or after the last rank here.
  static constexpr double patience_seconds = 4;

  /// `give_up`: called when other processes did not end in time; ends this one.
  RankThreads(World& world, std::function<void()> give_up)
      : world_(world), give_up_(std::move(give_up)) {}

  /// A rank whose thread cannot be started has failed.
  void start(Fabric& endpoint, std::function<void()> work);
  /// Moves messages until all ranks here have ended. `look`: called ten times a second while none
  /// has failed. What either throws ends the run, as an error of a rank does.
  void watch(const std::function<void()>& look);
  /// Collective among processes. After watch(): all end the run together.
  void end();
  /// Ends the run with this error if it is the first one here.
  void fail(Fabric& endpoint, const std::exception_ptr& error);
  /// Of the first rank here that failed; null: none has.
  [[nodiscard]] std::exception_ptr error() const;
  [[nodiscard]] std::string cause() const;

 private:
  void guard(Fabric& endpoint, const std::function<void()>& work);

  World& world_;
  std::function<void()> give_up_;
  std::vector<std::thread> threads_;
  Fabric* first_ = nullptr;       ///< of those that were started
  std::atomic<int> running_ = 0;  ///< ranks here that have not ended
  mutable std::mutex mutex_;      ///< guards first_error_
  std::exception_ptr first_error_;
};

}  // namespace blockyard::fabric
