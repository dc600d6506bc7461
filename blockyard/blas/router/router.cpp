// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/router.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/blas/router/costs.h"
#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/report.h"
#include "blockyard/blas/router/settings.h"
#include "blockyard/remote/client/client.h"

namespace blockyard::blas {

namespace {

constexpr double least_worth = 2e6;  // flops, with place auto
constexpr double first_pause_seconds = 1, longest_pause_seconds = 60;
/// Of silence, after which a server counts as lost.
constexpr const char* patience = "2s";

/// Set while the local library works: what it calls under other names goes straight through.
bool& is_inside() noexcept {
  static thread_local bool inside = false;
  return inside;
}

/// `mutex` guards the rest; a call that finds another one under way on the device is computed here.
class Router {
 public:
  Router() : settings_(read_settings()) {}
  [[nodiscard]] double least() const noexcept {
    if (settings_.server.empty() || settings_.place == Where::local)
      return std::numeric_limits<double>::infinity();
    return settings_.place == Where::remote ? 0 : least_worth;
  }
  void compute(Routed& call);
  void write_report() {
    const std::lock_guard lock(mutex_);
    if (!settings_.report.empty()) report_.write(settings_.report);
  }

 private:
  void compute_here(Routed& call, std::int64_t complete);
  [[nodiscard]] bool is_wanted_there(const Routed& call);
  [[nodiscard]] std::int64_t compute_there(Routed& call);
  [[nodiscard]] bool connect();
  void lose(const std::string& why);

  const Settings settings_;
  std::timed_mutex device_mutex_;  ///< guards products_: one call at a time
  std::unique_ptr<DeviceProducts> products_;
  double try_again_ = 0;  ///< when the next connection may be tried
  double pause_seconds_ = first_pause_seconds;
  bool has_spoken_ = false;
  std::mutex mutex_;                    ///< guards costs and report
  std::map<std::string, Costs> costs_;  ///< by routine
  Report report_;
};

struct Edge {
  std::atomic<Router*> router = nullptr;
  std::atomic<double> least = 0;  ///< until the settings are read all calls ask
};

Edge& edge() noexcept {
  static constinit Edge one;
  return one;
}

/// The parent's threads and connections are not the child's: it leaves them as they are.
void begin_anew() noexcept {
  edge().router = nullptr;
  edge().least = 0;
}

Router* router() noexcept {
  Router* known = edge().router.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  try {
    static const int registered = ::pthread_atfork(nullptr, nullptr, begin_anew);
    static_cast<void>(registered);
    auto made = std::make_unique<Router>();
    if (edge().router.compare_exchange_strong(known, made.get())) {
      known = made.release();  // it stays: calls come until the process has ended
      edge().least = known->least();
    }
  } catch (const std::exception&) {  // no memory: the call is computed here
  }
  return known;
}

void Router::compute_here(Routed& call, std::int64_t complete) {
  const double share = 1 - static_cast<double>(complete) / static_cast<double>(call.extent());
  const double began = base::now_seconds();
  const bool was_inside = is_inside();
  is_inside() = !call.may_nest();
  call.compute_here(complete);
  is_inside() = was_inside;
  const double seconds = base::now_seconds() - began, flops = share * call.flops();
  const std::lock_guard lock(mutex_);
  costs_[call.name()].note_local(flops, seconds);
  report_.add(call.name(), Report::Place::here, flops, 0, seconds);
}

bool Router::connect() {
  if (products_) return true;
  if (base::now_seconds() < try_again_) return false;
  try {
    std::string options = fmt::format("server={} patience={}", settings_.server, patience);
    if (!settings_.token.empty()) options += " token=" + settings_.token;
    // Opened here first: it says best what is wrong.
    const std::shared_ptr<remote::Link> link = remote::link_to(remote::read_options(options));
    products_ = std::make_unique<DeviceProducts>(remote::table(), options, settings_.kept_bytes);
    pause_seconds_ = first_pause_seconds;
    return true;
  } catch (const std::exception& error) {
    lose(error.what());
    return false;
  }
}

void Router::lose(const std::string& why) {
  products_.reset();
  try_again_ = base::now_seconds() + pause_seconds_;
  pause_seconds_ = std::min(2 * pause_seconds_, longest_pause_seconds);
  if (!has_spoken_ && !settings_.is_quiet)
    say(fmt::format("{}; the program goes on with its own libraries", why));
  has_spoken_ = true;
}

/// How much of the call is there.
std::int64_t Router::compute_there(Routed& call) {
  std::int64_t complete = 0;
  const double began = base::now_seconds();
  try {
    call.compute_there(*products_, complete);
  } catch (const std::exception& error) {
    lose(error.what());
    return complete;
  }
  const double seconds = base::now_seconds() - began;
  const double moved = call.moved_bytes() - static_cast<double>(products_->saved_bytes());
  const std::lock_guard lock(mutex_);
  if (complete == call.extent()) {
    costs_[call.name()].note_device(call.flops(), moved, seconds);
    report_.add(call.name(), Report::Place::there, call.flops(), moved, seconds);
  } else if (complete == 0) {
    costs_[call.name()].note_refusal(seconds);
  }
  return complete;
}

bool Router::is_wanted_there(const Routed& call) {
  if (settings_.place == Where::remote) return true;
  const std::lock_guard lock(mutex_);
  const Costs& known = costs_[call.name()];
  return known.is_worth_connecting() && known.prefers_device(call.flops(), call.moved_bytes());
}

void Router::compute(Routed& call) {
  std::int64_t complete = 0;
  if (is_wanted_there(call)) {
    std::unique_lock device(device_mutex_, std::defer_lock);
    if (settings_.place == Where::remote)
      device.lock();
    else
      static_cast<void>(device.try_lock());
    if (device.owns_lock() && connect()) complete = compute_there(call);
  }
  if (settings_.logs_calls)
    say(fmt::format("{} {}: {} of {} on the device", call.name(), call.shape(), complete,
                    call.extent()));
  if (complete < call.extent()) compute_here(call, complete);
}

__attribute__((destructor)) void write_report_at_end() {
  Router* const known = edge().router.load();
  if (known != nullptr) known->write_report();
}

}  // namespace

bool router_threshold(double flops) noexcept {
  return flops >= edge().least.load(std::memory_order_relaxed);
}

void route(Routed& call) noexcept {
  Router* const where = is_inside() ? nullptr : router();
  if (where == nullptr || !router_threshold(call.flops())) return call.compute_here(0);
  where->compute(call);
}

}  // namespace blockyard::blas
