// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/router.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/blas/router/calibration.h"
#include "blockyard/blas/router/costs.h"
#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/report.h"
#include "blockyard/blas/router/settings.h"
#include "blockyard/blas/router/shares.h"
#include "blockyard/remote/client/client.h"

namespace blockyard::blas {

namespace {

constexpr double least_worth = 2e6;  // flops, with place auto
/// The condition for connecting: calls have taken at least this many seconds here, or an earlier
/// measurement predicts that a call gains at least this much.
constexpr double least_worked_seconds = 0.5, least_gained_seconds = 0.05;
/// The parts that the local library computes at a time, concurrently with a device.
constexpr std::int64_t least_local_width = 64, local_shares = 16;
constexpr double hysteresis = 0.9;  // of the time here, which deterministic mode asks of a device
constexpr double first_pause_seconds = 1, longest_pause_seconds = 60;
/// Of silence, after which a server counts as lost.
constexpr const char* patience = "2s";

/// A thread on which no signal of the program arrives.
template <class Work>
std::thread without_signals(Work work) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread made(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

/// Set while the local library works: what it calls under other names goes straight through.
bool& is_inside() noexcept {
  static thread_local bool inside = false;
  return inside;
}

/// A device that calls may go to. Its mutex guards the rest: one call at a time.
struct Reached {
  explicit Reached(Server given) : server(std::move(given)) {}
  const Server server;
  std::timed_mutex mutex;
  std::unique_ptr<DeviceProducts> products;
  std::shared_ptr<remote::Link> link;  ///< shared with the devices opened by it
  double try_again = 0;                ///< when the next connection may be tried
  double pause_seconds = first_pause_seconds;
  bool has_spoken = false;
};

/// `mutex_` guards the rest; a call that finds all devices at work is computed here.
class Router {
 public:
  Router() : settings_(read_settings()), calibration_(read_calibration(settings_.calibration)) {
    for (const Server& server : settings_.servers)
      reached_.push_back(std::make_unique<Reached>(server));
    if (settings_.is_deterministic && !calibration_ && least() > 0 && !settings_.is_quiet &&
        !settings_.servers.empty())
      say(
          fmt::format("deterministic mode goes by what `blockyard offload calibrate --server {}` "
                      "measures: until then all calls are computed here",
                      settings_.servers.front().address));
  }
  [[nodiscard]] double least() const noexcept {
    if (settings_.servers.empty() || settings_.place == Where::local)
      return std::numeric_limits<double>::infinity();
    return is_forced() ? 0 : least_worth;
  }
  /// Whether calls go there whatever it takes.
  [[nodiscard]] bool is_forced() const noexcept {
    return settings_.place == Where::remote || settings_.place == Where::both;
  }
  void compute(Routed& call);
  void write_report() {
    const std::lock_guard lock(mutex_);
    if (!settings_.report.empty()) report_.write(settings_.report);
  }

 private:
  void compute_here(Routed& call, std::int64_t complete);
  [[nodiscard]] bool is_wanted_there(const Routed& call);
  [[nodiscard]] Guess guess_for(const Routed& call) const;
  /// Needs `mutex_`.
  [[nodiscard]] Costs& costs_of(const Routed& call);
  [[nodiscard]] std::int64_t compute_there(Routed& call, Reached& at);
  [[nodiscard]] std::int64_t compute_checked(Routed& call, Reached& at);
  void compute_by_both(Routed& call, Reached& at);
  [[nodiscard]] bool connect(Reached& at);
  void lose(Reached& at, const std::string& why);
  /// The first device in the list that is idle and answers, locked; with `waits` one that is at
  /// work otherwise.
  [[nodiscard]] Reached* take_one(std::unique_lock<std::timed_mutex>& lock, bool waits);

  const Settings settings_;
  const std::optional<Calibration> calibration_;
  std::vector<std::unique_ptr<Reached>> reached_;
  std::mutex mutex_;  ///< guards costs and report
  CostBook costs_;
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
  is_inside() = was_inside || !call.may_nest();
  call.compute_here(complete);
  is_inside() = was_inside;
  const double seconds = base::now_seconds() - began, flops = share * call.flops();
  const std::lock_guard lock(mutex_);
  costs_of(call).note_local(flops, seconds, costs_.trials());
  report_.add(call.name(), Report::Place::here, flops, 0, seconds);
}

bool Router::connect(Reached& at) {
  if (at.products) return true;
  if (base::now_seconds() < at.try_again) return false;
  try {
    std::string options = fmt::format("server={} patience={}", at.server.address, patience);
    if (!settings_.token.empty()) options += " token=" + settings_.token;
    // Opened here first: it says best what is wrong.
    at.link = remote::link_to(remote::read_options(options));
    at.products = std::make_unique<DeviceProducts>(remote::table(), options, settings_.kept_bytes,
                                                   at.server.device);
    at.pause_seconds = first_pause_seconds;
    return true;
  } catch (const std::exception& error) {
    lose(at, error.what());
    return false;
  }
}

void Router::lose(Reached& at, const std::string& why) {
  at.products.reset();
  at.link.reset();
  at.try_again = base::now_seconds() + at.pause_seconds;
  at.pause_seconds = std::min(2 * at.pause_seconds, longest_pause_seconds);
  if (!at.has_spoken && !settings_.is_quiet)
    say(fmt::format("{}; the program continues with {}its own libraries", why,
                    reached_.size() > 1 ? "the other servers and " : ""));
  at.has_spoken = true;
}

Reached* Router::take_one(std::unique_lock<std::timed_mutex>& lock, bool waits) {
  for (const auto& one : reached_) {
    lock = std::unique_lock(one->mutex, std::try_to_lock);
    if (lock.owns_lock() && connect(*one)) return one.get();
  }
  lock = {};
  for (const auto& one : reached_) {
    if (!waits) break;
    lock = std::unique_lock(one->mutex);
    if (connect(*one)) return one.get();
  }
  return nullptr;
}

/// How much of the call is there.
std::int64_t Router::compute_there(Routed& call, Reached& at) {
  std::int64_t complete = 0;
  const double began = base::now_seconds();
  try {
    call.compute_there(*at.products, complete);
  } catch (const std::exception& error) {
    lose(at, error.what());
    return complete;
  }
  const double seconds = base::now_seconds() - began;
  const double moved = call.moved_bytes() - static_cast<double>(at.products->saved_bytes());
  const std::lock_guard lock(mutex_);
  if (complete == call.extent()) {
    costs_of(call).note_device(call.flops(), moved, seconds, costs_.trials());
    report_.add(call.name(), Report::Place::there, call.flops(), moved, seconds);
  } else if (complete == 0) {
    costs_of(call).note_refusal(seconds, costs_.trials());
  }
  return complete;
}

Guess Router::guess_for(const Routed& call) const {
  return calibration_ ? calibration_->guess(call.product_letter()) : Guess{};
}

Costs& Router::costs_of(const Routed& call) {
  return costs_.of(class_of(call.name(), call.threads(), call.flops(), call.moved_bytes()),
                   guess_for(call));
}

bool Router::is_wanted_there(const Routed& call) {
  if (is_forced()) return true;
  const double flops = call.flops(), bytes = call.moved_bytes();
  if (settings_.is_deterministic) {
    const Guess guess = guess_for(call);
    const Costs known(guess);
    return guess.device_rate > 0 &&
           known.device_estimate(flops, bytes) < hysteresis * known.local_estimate(flops);
  }
  const std::lock_guard lock(mutex_);
  Costs& known = costs_of(call);
  const Trials& trials = costs_.trials();
  const bool gains =
      known.local_estimate(flops) - known.device_estimate(flops, bytes) > least_gained_seconds &&
      known.as_guess().device_rate > 0;
  return (trials.worked_seconds() > least_worked_seconds || gains) &&
         known.prefers_device(flops, bytes, trials);
}

/// What the device gives is compared with what the local library gives, which stays.
std::int64_t Router::compute_checked(Routed& call, Reached& at) {
  const std::unique_ptr<Comparison> comparison = call.comparison();
  const std::int64_t complete = compute_there(call, at);
  if (!comparison || complete < call.extent()) return complete;
  comparison->keep_theirs();
  const bool was_inside = std::exchange(is_inside(), true);  // the device is ours: nothing nests
  compute_here(call, 0);
  is_inside() = was_inside;
  const double residual = comparison->residual();
  const bool is_right = residual <= comparison->bound();  // NaN is not
  {
    const std::lock_guard lock(mutex_);
    report_.add_checked(call.name());
    if (!is_right) report_.add_wrong(call.name());
  }
  if (!is_right && !settings_.is_quiet)
    say(
        fmt::format("{} {}: the result of the device is wrong: its residual is {:.3g}, right is "
                    "below {:.0f}; the program has the local one",
                    call.name(), call.shape(), residual, comparison->bound()));
  return complete;
}

/// The device from the front in a thread of its own, the local library from the back in the
/// caller's.
void Router::compute_by_both(Routed& call, Reached& at) try {
  Shares shares(call.extent(), std::min(call.extent(), least_local_width));
  std::string why;
  const double began = base::now_seconds();
  const auto compute_share = [&](const Shares::Range& range) {
    const bool was_inside = std::exchange(is_inside(), true);
    call.compute_share_here(range.from, range.to);
    is_inside() = was_inside;
  };
  std::thread there = without_signals([&] {
    try {
      call.compute_share_there(*at.products, shares);
    } catch (const std::exception& error) {
      why = error.what();
    }
    shares.end_front();
  });
  const std::int64_t width = std::max(least_local_width, call.extent() / local_shares);
  while (const auto range = shares.take_back(width)) compute_share(*range);
  while (const auto late = shares.wait_for_late()) compute_share(*late);
  there.join();
  if (!why.empty()) lose(at, why);
  const double seconds = base::now_seconds() - began;
  const double share = static_cast<double>(shares.written()) / static_cast<double>(call.extent());
  if (settings_.logs_calls)
    say(fmt::format("{} {}: {} of {} on the device, the rest here", call.name(), call.shape(),
                    shares.written(), call.extent()));
  const std::lock_guard lock(mutex_);
  if (share > 0)
    report_.add(call.name(), Report::Place::there, share * call.flops(), share * call.moved_bytes(),
                seconds);
  if (share < 1)
    report_.add(call.name(), Report::Place::here, (1 - share) * call.flops(), 0, seconds);
} catch (const std::system_error&) {  // no thread was available: nothing is computed yet
  compute_here(call, 0);
}

void Router::compute(Routed& call) {
  std::int64_t complete = 0;
  if (is_wanted_there(call)) {
    std::unique_lock<std::timed_mutex> lock;
    Reached* const at = take_one(lock, is_forced() || settings_.is_deterministic);
    if (at != nullptr) {
      if (settings_.place == Where::both && call.is_shareable() && !settings_.is_checking)
        return compute_by_both(call, *at);
      complete = settings_.is_checking ? compute_checked(call, *at) : compute_there(call, *at);
    }
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
