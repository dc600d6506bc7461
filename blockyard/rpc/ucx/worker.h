// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "blockyard/rpc/ucx/libucp.h"

namespace blockyard::rpc::ucx {

/// Throws Error{comm} with the text of a status.
[[noreturn]] void fail(const std::string& what, ucs_status_t status);

/// The networks of the machine. Any thread.
class Context {
 public:
  /// Throws Error{comm}.
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  [[nodiscard]] const LibUcp& lib() const noexcept { return lib_; }
  [[nodiscard]] ucp_context_h get() const noexcept { return context_; }

 private:
  const LibUcp& lib_;
  ucp_context_h context_ = nullptr;
};

/// What moves the bytes of a connection or finds new ones. All calls of the library about it are
/// made while `mutex` is held. Several threads may wait: one of them listens to the network for
/// all, and takes no processor time while nothing comes.
class Worker {
 public:
  /// The context is shared by the connections of a listener, which may outlive it.
  explicit Worker(std::shared_ptr<Context> context);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] const LibUcp& lib() const noexcept { return context_->lib(); }
  [[nodiscard]] ucp_worker_h get() const noexcept { return worker_; }
  [[nodiscard]] const std::shared_ptr<Context>& context() const noexcept { return context_; }
  std::mutex mutex;

  /// Returns when `done()`, which is called with the lock held. False: `seconds` have passed.
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done,
                          double seconds = 1e9);
  /// Has waiting threads look again. Any thread, also without the lock; signal handlers too.
  void wake() noexcept { lib().ucp_worker_signal(worker_); }

 private:
  void listen(std::unique_lock<std::mutex>& lock, double seconds);

  std::shared_ptr<Context> context_;
  ucp_worker_h worker_ = nullptr;
  int events_ = -1;            ///< the library's descriptor
  bool is_listening_ = false;  ///< a thread does
  std::condition_variable changed_;
};

}  // namespace blockyard::rpc::ucx
