// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/ucx/worker.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::rpc::ucx {

namespace {

const LibUcp& require_libucp() {
  if (const LibUcp* const lib = find_libucp()) return *lib;
  throw base::Error(base::Errc::comm,
                    "an address that begins with ucx: needs UCX 1.12 or newer (libucp.so.0), which "
                    "this machine does not have; use HOST:PORT");
}

}  // namespace

void fail(const std::string& what, ucs_status_t status) {
  throw base::Error(base::Errc::comm, what + ": " + find_libucp()->ucs_status_string(status));
}

Context::Context() : lib_(require_libucp()) {
  ucp_config_t* config = nullptr;
  if (const ucs_status_t status = lib_.ucp_config_read(nullptr, nullptr, &config); status != UCS_OK)
    fail("UCX cannot read its settings", status);
  ucp_params_t wanted{};
  wanted.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  wanted.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
  wanted.mt_workers_shared = 1;
  const ucs_status_t status =
      lib_.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &wanted, config, &context_);
  lib_.ucp_config_release(config);
  if (status != UCS_OK) fail("UCX cannot be used", status);
}

Context::~Context() { lib_.ucp_cleanup(context_); }

Worker::Worker(std::shared_ptr<Context> context) : context_(std::move(context)) {
  ucp_worker_params_t wanted{};
  wanted.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  wanted.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucs_status_t status = lib().ucp_worker_create(context_->get(), &wanted, &worker_);
  if (status != UCS_OK) fail("UCX cannot be used", status);
  status = lib().ucp_worker_get_efd(worker_, &events_);
  if (status == UCS_OK) return;
  lib().ucp_worker_destroy(worker_);
  fail("UCX cannot wait for its networks", status);
}

Worker::~Worker() { lib().ucp_worker_destroy(worker_); }

bool Worker::wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done,
                  double seconds) {
  const double until = base::now_seconds() + seconds;
  // The thread that listens may have been about to sleep when this one took from the network what
  // it waits for. What was asked for now may need it, too.
  bool has_news = true;
  const auto wake_listener = [&] {
    if (std::exchange(has_news, false) && is_listening_) wake();
  };
  bool is_done = false;
  while (!(is_done = done())) {
    if (lib().ucp_worker_progress(worker_) != 0) {
      has_news = true;
      changed_.notify_all();
      continue;
    }
    const double left = until - base::now_seconds();
    if (left <= 0) break;
    if (is_listening_) {
      wake_listener();
      changed_.wait_for(lock, std::chrono::duration<double>(std::min(left, 3600.0)));
    } else {
      listen(lock, left);
    }
  }
  wake_listener();
  changed_.notify_all();  // another may have to listen now
  return is_done;
}

void Worker::listen(std::unique_lock<std::mutex>& lock, double seconds) {
  if (lib().ucp_worker_arm(worker_) == UCS_ERR_BUSY) return;
  is_listening_ = true;
  lock.unlock();
  pollfd events{events_, POLLIN, 0};
  static_cast<void>(::poll(&events, 1, static_cast<int>(std::min(seconds, 3600.0) * 1000) + 1));
  lock.lock();
  is_listening_ = false;
  changed_.notify_all();
}

}  // namespace blockyard::rpc::ucx
