// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/router.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/without_signals.h"
#include "blockyard/blas/router/calibration.h"
#include "blockyard/blas/router/costs.h"
#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/reached.h"
#include "blockyard/blas/router/report.h"
#include "blockyard/blas/router/settings.h"
#include "blockyard/blas/router/shares.h"
#include "blockyard/remote/client/client.h"
#include "blockyard/rpc/socket/inherited.h"

namespace blockyard::blas {

namespace {

constexpr double least_worth = 2e6;    // flops, with place auto
constexpr double least_divided = 1e6;  // flops of a call that several devices share
/// The condition for connecting: calls have taken at least this many seconds here, or an earlier
/// measurement predicts that a call gains at least this much.
constexpr double least_worked_seconds = 0.5, least_gained_seconds = 0.05;
/// The parts that the local library computes at a time, concurrently with a device.
constexpr std::int64_t least_local_width = 64, local_shares = 16;
constexpr double hysteresis = 0.9;  // of the time here, which deterministic mode asks of a device
/// A thread that is cancelled ends after the call: what waits in here must not be left half-way.
class WithoutCancellation {
 public:
  WithoutCancellation() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~WithoutCancellation() { ::pthread_setcancelstate(before_, nullptr); }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Set while this thread is in a call: what the local library calls under other names goes straight
/// through, and so does what a signal handler calls, which must not wait for the thread it
/// interrupts.
bool& is_inside() noexcept {
  static thread_local bool inside = false;
  return inside;
}

/// Sets it. What is called may end by an exception of the program: its xerbla may throw.
class Inside {
 public:
  explicit Inside(bool inside) noexcept : before_(std::exchange(is_inside(), inside)) {}
  ~Inside() { is_inside() = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  bool before_;
};

/// Whether there was memory for all that `body` does: a call is computed without it.
template <class Body>
bool finds_memory(Body body) try {
  body();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

CallClass class_of_call(const Routed& call) {
  return class_of(call.name(), call.threads(), call.flops(), call.moved_bytes());
}

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
  [[nodiscard]] bool takes_vectors() const noexcept {
    return settings_.place == Where::remote && !settings_.servers.empty();
  }
  /// Whether calls go there whatever it takes.
  [[nodiscard]] bool is_forced() const noexcept {
    return settings_.place == Where::remote || settings_.place == Where::both;
  }
  void compute(Routed& call);
  void prepare(const Routed& call);
  void write_report() {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (settings_.report.empty()) return;
    // The process may end by a signal handler, which has interrupted what holds the lock.
    is_inside() ? static_cast<void>(lock.try_lock()) : lock.lock();
    if (!lock.owns_lock()) return;
    for (const auto& one : reached_)
      if (const std::unique_lock at(one->mutex, std::try_to_lock); at.owns_lock())
        note_split(one->take_split());
    report_.write(settings_.report);
  }

 private:
  /// A place and the reason for it.
  struct Choice {
    bool is_there = false;
    const char* why = "";
  };
  void compute_here(Routed& call, std::int64_t complete, const char* why, bool may_nest);
  [[nodiscard]] Choice choose(const Routed& call);
  [[nodiscard]] Guess guess_for(const Routed& call) const;
  /// Needs `mutex_`.
  [[nodiscard]] Costs& costs_of(const Routed& call);
  /// Need `mutex_`.
  Report::Sum& report(const Routed& call, Report::Place place, const char* why,
                      Report::Entry entry);
  static void note_split(const Reached::Told& told) noexcept {
    if (told.where != nullptr) Report::add(*told.where, told.split);
  }
  [[nodiscard]] std::int64_t compute_there(Routed& call, Reached& at, const char* why);
  void note_there(const Routed& call, Reached& at, std::int64_t complete, double seconds,
                  double queue, const char* why);
  [[nodiscard]] std::int64_t compute_checked(Routed& call, Reached& at, const char* why);
  void compare(const Routed& call, Comparison& comparison);
  struct Taken {
    Reached* at = nullptr;
    std::unique_lock<std::timed_mutex> lock;
  };
  /// Whether the device has no room for a call, but perhaps for a part of it.
  [[nodiscard]] static bool is_too_large(const Routed& call, const DeviceProducts& products);
  /// Whether it turned out to have less than was expected, since others use it.
  [[nodiscard]] static bool was_too_large(const Routed& call, const Reached& at);
  void compute_shared(Routed& call, const std::vector<Taken>& devices, const char* why);
  void note_share_there(const Routed& call, const std::vector<Taken>& devices, double share,
                        double seconds, double here, const char* why);
  void note_shared(const Routed& call, const std::vector<Taken>& devices, std::int64_t written,
                   double seconds, const char* why);
  /// One that the call may go to, or all that are idle.
  [[nodiscard]] std::vector<Taken> take_devices(const Routed& call);
  /// Why a device has not computed all of a call.
  [[nodiscard]] const char* why_not(const std::vector<Taken>& devices) const;
  /// Of the device that has the least to do for others.
  [[nodiscard]] double least_queue() const noexcept;
  /// Says it the first time.
  void lose(Reached& at, std::string_view why) const;
  [[nodiscard]] bool connect(Reached& at) const;
  /// The idle device that answers and has the least to do for others, the first in the list among
  /// equals, locked; with `waits` one that is at work otherwise.
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

/// The parent's threads and connections are not the child's: it leaves them as they are, but keeps
/// no socket open, so that a server learns when the parent has ended.
void begin_anew() noexcept {
  rpc::socket::close_inherited();
  remote::forget_links();
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

Report::Sum& Router::report(const Routed& call, Report::Place place, const char* why,
                            Report::Entry entry) {
  entry.shape = call.shape();
  return report_.add({class_of_call(call), place, why}, entry);
}

void Router::compute_here(Routed& call, std::int64_t complete, const char* why, bool may_nest) {
  const double share = 1 - static_cast<double>(complete) / static_cast<double>(call.extent());
  const double began = base::now_seconds();
  {
    const Inside inside(!may_nest);
    call.compute_here(complete);
  }
  const double seconds = base::now_seconds() - began, flops = share * call.flops();
  finds_memory([&] {
    const std::lock_guard lock(mutex_);
    costs_of(call).note_local(flops, seconds, costs_.trials());
    report(call, Report::Place::here, why, {.flops = flops, .seconds = seconds});
  });
}

bool Router::connect(Reached& at) const {
  const std::string why = at.connect(settings_);
  if (!why.empty()) lose(at, why);
  return at.products != nullptr;
}

void Router::lose(Reached& at, std::string_view why) const {
  if (!at.lose() || settings_.is_quiet) return;
  finds_memory([&] {
    say(fmt::format("{}; the program continues with {}its own libraries", why,
                    reached_.size() > 1 ? "the other servers and " : ""));
  });
}

Reached* Router::take_one(std::unique_lock<std::timed_mutex>& lock, bool waits) {
  // Copied, since servers change it meanwhile, and an order must not change while it is sorted by.
  std::vector<std::pair<double, Reached*>> all;
  for (const auto& one : reached_) all.emplace_back(one->queue_seconds, one.get());
  if (!settings_.is_deterministic)
    std::ranges::stable_sort(all, {}, &std::pair<double, Reached*>::first);
  for (const auto& [queue, one] : all) {
    lock = std::unique_lock(one->mutex, std::try_to_lock);
    if (lock.owns_lock() && connect(*one)) return one;
  }
  lock = {};
  for (const auto& [queue, one] : all) {
    if (!waits) break;
    lock = std::unique_lock(one->mutex);
    if (connect(*one)) return one;
  }
  return nullptr;
}

/// How much of the call is there.
std::int64_t Router::compute_there(Routed& call, Reached& at, const char* why) {
  std::int64_t complete = 0;
  at.begin_call();
  const double began = base::now_seconds(), queue = at.queue_seconds;
  try {
    call.compute_there(*at.products, complete);
  } catch (const std::exception& error) {
    lose(at, error.what());
    finds_memory([&] {
      const std::lock_guard lock(mutex_);
      costs_of(call).note_refusal(base::now_seconds() - began, costs_.trials());
    });
    return complete;
  }
  if (complete == call.extent()) at.note_computed();
  const double seconds = base::now_seconds() - began;
  finds_memory([&] { note_there(call, at, complete, seconds, queue, why); });
  return complete;
}

void Router::note_there(const Routed& call, Reached& at, std::int64_t complete, double seconds,
                        double queue, const char* why) {
  const double moved = call.moved_bytes() - static_cast<double>(at.products->saved_bytes());
  const std::lock_guard lock(mutex_);
  if (complete == call.extent()) {
    Costs& known = costs_of(call);
    const double here = known.local_estimate(call.flops());
    known.note_device(call.flops(), moved, seconds, costs_.trials(), queue);
    Report::Sum& sum = report(call, Report::Place::there, why,
                              {.flops = call.flops(),
                               .bytes = moved,
                               .seconds = seconds,
                               .kept = static_cast<double>(at.products->saved_operands()),
                               .kept_bytes = static_cast<double>(at.products->saved_bytes()),
                               .local_seconds = here});
    note_split(at.end_call(sum));
  } else if (complete == 0) {
    costs_of(call).note_refusal(seconds, costs_.trials());
  }
}

Guess Router::guess_for(const Routed& call) const {
  return calibration_ ? calibration_->guess(call.product_letter()) : Guess{};
}

Costs& Router::costs_of(const Routed& call) {
  return costs_.of(class_of_call(call), guess_for(call));
}

Router::Choice Router::choose(const Routed& call) {
  if (is_forced()) return {true, "asked"};
  const double flops = call.flops(), bytes = call.moved_bytes();
  if (settings_.is_deterministic) {
    const Guess guess = guess_for(call);
    const Costs known(guess);
    if (guess.device_rate == 0) return {false, "not measured"};
    const bool is_faster =
        known.device_estimate(flops, bytes) < hysteresis * known.local_estimate(flops);
    return {is_faster, is_faster ? "faster" : "slower"};
  }
  const std::lock_guard lock(mutex_);
  Costs& known = costs_of(call);
  const Trials& trials = costs_.trials();
  const bool gains =
      known.local_estimate(flops) - known.device_estimate(flops, bytes) - least_queue() >
          least_gained_seconds &&
      known.as_guess().device_rate > 0;
  if (trials.worked_seconds() <= least_worked_seconds && !gains) return {false, "little work"};
  if (!known.prefers_device(flops, bytes, trials, least_queue())) return {false, "slower"};
  return {true, known.is_trial() ? "trial" : "faster"};
}

double Router::least_queue() const noexcept {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& one : reached_) least = std::min(least, one->queue_seconds.load());
  return least;
}

/// What the device gives is compared with what the local library gives, which stays. Without memory
/// for that it is not compared.
std::int64_t Router::compute_checked(Routed& call, Reached& at, const char* why) {
  std::unique_ptr<Comparison> comparison;
  finds_memory([&] { comparison = call.comparison(); });
  const std::int64_t complete = compute_there(call, at, why);
  if (!comparison || complete < call.extent() || !finds_memory([&] { comparison->keep_theirs(); }))
    return complete;
  compute_here(call, 0, "check", false);  // the device is ours
  finds_memory([&] { compare(call, *comparison); });
  return complete;
}

void Router::compare(const Routed& call, Comparison& comparison) {
  const double residual = comparison.residual();
  const bool is_right = residual <= comparison.bound();  // NaN is not
  {
    const std::lock_guard lock(mutex_);
    report_.add_checked(call.name());
    if (!is_right) report_.add_wrong(call.name());
  }
  if (!is_right && !settings_.is_quiet)
    say(
        fmt::format("{} {}: the result of the device is wrong: its residual is {:.3g}, right is "
                    "below {:.0f}; the program has the local one",
                    call.name(), call.shape(), residual, comparison.bound()));
}

/// The devices from the front, each in a thread of its own; the local library in the caller's
/// thread, from the back with place `both`, otherwise what devices leave.
void Router::compute_shared(Routed& call, const std::vector<Taken>& devices,
                            const char* why_there) {
  const bool by_both = settings_.place == Where::both;
  const int count = static_cast<int>(devices.size());
  Shares shares(call.extent(), std::min(call.extent(), least_local_width), count);
  std::vector<std::string> why(devices.size());
  const double began = base::now_seconds();
  const auto compute_share = [&](const Shares::Range& range) {
    call.compute_share_here(range.from, range.to);
  };
  const auto compute_there = [&](int number) {
    devices[static_cast<std::size_t>(number)].at->begin_call();
    try {
      call.compute_share_there(*devices[static_cast<std::size_t>(number)].at->products, shares,
                               number);
    } catch (const std::exception& error) {
      finds_memory([&] { why[static_cast<std::size_t>(number)] = error.what(); });
    }
    shares.end_front(number);
  };
  std::vector<std::thread> there;
  there.reserve(devices.size());
  for (int number = 0; number < count; ++number) try {
      const base::WithoutSignals quiet;
      there.emplace_back([&compute_there, number] { compute_there(number); });
    } catch (const std::exception&) {  // no thread was available: the others do it
      shares.end_front(number);
    }
  const std::int64_t width = std::max(least_local_width, call.extent() / local_shares);
  while (const auto range = by_both ? shares.take_back(width) : std::nullopt) compute_share(*range);
  while (const auto late = by_both ? shares.wait_for_late() : shares.wait_for_rest())
    compute_share(*late);
  for (std::thread& one : there) one.join();
  for (std::size_t number = 0; number < devices.size(); ++number)
    if (why[number].empty())
      devices[number].at->note_computed();
    else
      lose(*devices[number].at, why[number]);
  const double seconds = base::now_seconds() - began;
  finds_memory([&] { note_shared(call, devices, shares.written(), seconds, why_there); });
}

void Router::note_shared(const Routed& call, const std::vector<Taken>& devices,
                         std::int64_t written, double seconds, const char* why) {
  const double share = static_cast<double>(written) / static_cast<double>(call.extent());
  if (settings_.logs_calls)
    say(fmt::format("{} {}: {} of {} on {}, the rest here", call.name(), call.shape(), written,
                    call.extent(),
                    devices.size() == 1 ? std::string("the device")
                                        : fmt::format("{} devices", devices.size())));
  const std::lock_guard lock(mutex_);
  Costs& known = costs_of(call);
  const double here = known.local_estimate(call.flops());
  if (share == 1) known.note_device(call.flops(), call.moved_bytes(), seconds, costs_.trials());
  if (share > 0) note_share_there(call, devices, share, seconds, here, why);
  if (share < 1)
    report(call, Report::Place::here, "rest",
           {.flops = (1 - share) * call.flops(), .seconds = seconds});
}

void Router::note_share_there(const Routed& call, const std::vector<Taken>& devices, double share,
                              double seconds, double here, const char* why) {
  Report::Entry entry{.flops = share * call.flops(),
                      .bytes = share * call.moved_bytes(),
                      .seconds = seconds,
                      .local_seconds = here};
  for (const Taken& one : devices) {
    if (!one.at->products) continue;
    entry.kept += static_cast<double>(one.at->products->saved_operands());
    entry.kept_bytes += static_cast<double>(one.at->products->saved_bytes());
  }
  Report::Sum& sum = report(call, Report::Place::there, why, entry);
  for (const Taken& one : devices)
    if (one.at->products) note_split(one.at->end_call(sum));
}

const char* Router::why_not(const std::vector<Taken>& devices) const {
  if (devices.empty()) {
    const bool is_any_reached =
        std::ranges::any_of(reached_, [](const auto& one) { return one->is_connected.load(); });
    return is_any_reached ? "busy" : "no server";
  }
  const DeviceProducts* const products = devices[0].at->products.get();
  if (products == nullptr) return "lost";
  return products->lacked_room() ? "no room" : "unsupported";
}

/// More than one device only for what they can share and is worth it.
std::vector<Router::Taken> Router::take_devices(const Routed& call) {
  std::vector<Taken> taken(1);
  taken[0].at = take_one(taken[0].lock, is_forced() || settings_.is_deterministic);
  if (taken[0].at == nullptr) return {};
  const bool is_divided = call.is_shareable() && !settings_.is_checking &&
                          !settings_.is_deterministic && call.flops() > least_divided;
  for (const auto& one : reached_) {
    if (!is_divided || one.get() == taken[0].at) continue;
    std::unique_lock lock(one->mutex, std::try_to_lock);
    if (lock.owns_lock() && connect(*one)) taken.push_back({one.get(), std::move(lock)});
  }
  return taken;
}

bool Router::was_too_large(const Routed& call, const Reached& at) {
  constexpr std::int64_t small = 16;  // a device with less than that left is left alone
  if (!at.products || !at.products->lacked_room()) return false;
  const std::int64_t memory = at.products->memory_bytes();
  return memory > 0 && call.room_bytes(memory) > memory / small;
}

bool Router::is_too_large(const Routed& call, const DeviceProducts& products) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
  const std::int64_t memory = products.memory_bytes();
  return call.room_bytes(memory) > (memory > 0 ? memory : most);
}

void Router::compute(Routed& call) {
  std::int64_t complete = 0;
  bool is_cut = false;  // into calls of their own
  Choice choice;
  std::vector<Taken> devices;
  const bool is_chosen = finds_memory([&] {
    choice = choose(call);
    if (choice.is_there) devices = take_devices(call);
    is_cut = !devices.empty() && is_too_large(call, *devices[0].at->products);
  });
  if (!is_chosen) {
    choice = {false, "no memory"};
    devices.clear();
  }
  if (choice.is_there) {
    const bool is_both =
        settings_.place == Where::both && call.is_shareable() && !settings_.is_checking;
    const bool is_shared = !is_cut && (devices.size() > 1 || (is_both && !devices.empty()));
    if (is_shared)
      compute_shared(call, devices, choice.why);
    else if (!devices.empty() && !is_cut)
      complete = settings_.is_checking ? compute_checked(call, *devices[0].at, choice.why)
                                       : compute_there(call, *devices[0].at, choice.why);
    if (!is_shared) choice.why = is_cut ? "no room" : why_not(devices);
    if (devices.size() == 1 && !is_shared && !is_cut && complete < call.extent())
      finds_memory([&] { is_cut = was_too_large(call, *devices[0].at); });
    for (Taken& one : devices) one.at->end_use(std::move(one.lock));
    if (is_shared) return;
  }
  if (is_cut && call.compute_in_pieces(complete, [this](Routed& piece) { compute(piece); })) return;
  finds_memory([&] {
    if (settings_.logs_calls)
      say(fmt::format("{} {}: {} of {} on the device", call.name(), call.shape(), complete,
                      call.extent()));
  });
  if (complete < call.extent()) compute_here(call, complete, choice.why, call.may_nest());
}

void Router::prepare(const Routed& call) {
  for (const auto& one : reached_) {
    std::unique_lock lock(one->mutex, std::try_to_lock);
    if (!lock.owns_lock()) continue;
    const bool is_there = one->products && choose(call).is_there;
    if (is_there) call.prepare(one->products->device());
    one->end_use(std::move(lock));
    if (is_there) return;
  }
}

__attribute__((destructor)) void write_report_at_end() {
  Router* const known = edge().router.load();
  if (known != nullptr) known->write_report();
}

}  // namespace

void open_router() noexcept { static_cast<void>(router()); }

bool router_threshold(double flops) noexcept {
  return flops >= edge().least.load(std::memory_order_relaxed) && !is_inside();
}

bool router_takes_vectors() noexcept {
  const Router* const known = is_inside() ? nullptr : router();
  return known != nullptr && known->takes_vectors();
}

void prepare_route(const Routed& call) noexcept try {
  Router* const where = is_inside() ? nullptr : edge().router.load();  // it plans before it calls
  if (where == nullptr || !router_threshold(call.flops())) return;
  const Inside inside(true);
  const WithoutCancellation whole;
  where->prepare(call);
} catch (const std::exception&) {  // the call will tell
}

void route(Routed& call) {
  Router* const where = is_inside() ? nullptr : router();
  if (where == nullptr || !router_threshold(call.flops())) return call.compute_here(0);
  const Inside inside(true);
  const WithoutCancellation whole;
  where->compute(call);
}

}  // namespace blockyard::blas
