// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/router.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
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

constexpr double least_worth = 1e6;  // multiplications, with place auto
constexpr double first_pause_seconds = 1, longest_pause_seconds = 60;
/// Of silence, after which a server counts as lost.
constexpr const char* patience = "2s";

/// The letter of an element type in the names of BLAS.
template <class T>
constexpr char letter = 'd';
template <>
constexpr char letter<float> = 's';
template <>
constexpr char letter<c64> = 'c';
template <>
constexpr char letter<c128> = 'z';

/// `mutex` guards the rest; a call that finds another one under way on the device is computed here.
class Router {
 public:
  Router() : settings_(read_settings()) {}
  [[nodiscard]] double least() const noexcept {
    if (settings_.server.empty() || settings_.place == Where::local)
      return std::numeric_limits<double>::infinity();
    return settings_.place == Where::remote ? 0 : least_worth;
  }
  template <class T>
  void product(const Product<T>& p, const LocalProduct<T>& local);
  void write_report() {
    const std::lock_guard lock(mutex_);
    if (!settings_.report.empty()) report_.write(settings_.report);
  }

 private:
  template <class T>
  void compute_here(const Product<T>& p, const LocalProduct<T>& local);
  template <class T>
  [[nodiscard]] std::int64_t compute_there(const Product<T>& p);
  [[nodiscard]] bool connect();
  void lose(const std::string& why);
  [[nodiscard]] Costs& costs(char type) {
    return costs_[type == 's' ? 0 : type == 'd' ? 1 : type == 'c' ? 2 : 3];
  }
  void log(char type, const std::string& text) const {
    if (settings_.logs_calls) say(fmt::format("{}gemm {}", type, text));
  }

  const Settings settings_;
  std::timed_mutex device_mutex_;  ///< guards products_: one call at a time
  std::unique_ptr<DeviceProducts> products_;
  double try_again_ = 0;  ///< when the next connection may be tried
  double pause_seconds_ = first_pause_seconds;
  bool has_spoken_ = false;
  std::mutex mutex_;  ///< guards costs and report
  std::array<Costs, 4> costs_;
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

/// Set while the local library works: what it calls under other names goes straight through.
bool& is_inside() noexcept {
  static thread_local bool inside = false;
  return inside;
}

template <class T>
void Router::compute_here(const Product<T>& p, const LocalProduct<T>& local) {
  const double began = base::now_seconds();
  local(p);
  const double seconds = base::now_seconds() - began;
  const std::lock_guard lock(mutex_);
  costs(letter<T>).note_local(p.flops(), seconds);
  report_.add(letter<T>, Report::Place::here, p.flops(), 0, seconds);
}

bool Router::connect() {
  if (products_) return true;
  if (base::now_seconds() < try_again_) return false;
  try {
    std::string options = fmt::format("server={} patience={}", settings_.server, patience);
    if (!settings_.token.empty()) options += " token=" + settings_.token;
    // Opened here first: it says best what is wrong.
    const std::shared_ptr<remote::Link> link = remote::link_to(remote::read_options(options));
    products_ = std::make_unique<DeviceProducts>(remote::table(), options);
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

/// How many columns of the result are there.
template <class T>
std::int64_t Router::compute_there(const Product<T>& p) {
  std::int64_t complete = 0;
  const double began = base::now_seconds();
  try {
    products_->compute(p, complete);
  } catch (const std::exception& error) {
    lose(error.what());
    return complete;
  }
  const double seconds = base::now_seconds() - began;
  const std::lock_guard lock(mutex_);
  if (complete == p.n) {
    costs(letter<T>).note_device(p.flops(), moved_bytes(p), seconds);
    report_.add(letter<T>, Report::Place::there, p.flops(), moved_bytes(p), seconds);
  }
  return complete;
}

template <class T>
void Router::product(const Product<T>& p, const LocalProduct<T>& local) {
  bool goes = settings_.place == Where::remote;
  if (!goes) {
    const std::lock_guard lock(mutex_);
    const Costs& known = costs(letter<T>);
    goes = known.is_worth_connecting() && known.prefers_device(p.flops(), moved_bytes(p));
  }
  std::int64_t complete = 0;
  if (goes) {
    std::unique_lock device(device_mutex_, std::defer_lock);
    if (settings_.place == Where::remote)
      device.lock();
    else
      static_cast<void>(device.try_lock());
    if (device.owns_lock() && connect()) complete = compute_there(p);
  }
  log(letter<T>,
      fmt::format("{} x {} x {}: {} of {} columns on the device", p.m, p.n, p.k, complete, p.n));
  if (complete < p.n) compute_here(complete == 0 ? p : p.columns(complete, p.n), local);
}

__attribute__((destructor)) void write_report_at_end() {
  Router* const known = edge().router.load();
  if (known != nullptr) known->write_report();
}

}  // namespace

bool router_threshold(double multiplications) noexcept {
  return multiplications >= edge().least.load(std::memory_order_relaxed);
}

template <class T>
void route(const Product<T>& product, const LocalProduct<T>& local) noexcept {
  Router* const where = is_inside() ? nullptr : router();
  if (where == nullptr ||
      !router_threshold(static_cast<double>(product.m) * static_cast<double>(product.n) *
                        static_cast<double>(product.k)))
    return local(product);
  where->product<T>(product, [&](const Product<T>& part) {
    is_inside() = true;
    local(part);
    is_inside() = false;
  });
}

template void route<float>(const Product<float>&, const LocalProduct<float>&) noexcept;
template void route<double>(const Product<double>&, const LocalProduct<double>&) noexcept;
template void route<c64>(const Product<c64>&, const LocalProduct<c64>&) noexcept;
template void route<c128>(const Product<c128>&, const LocalProduct<c128>&) noexcept;

}  // namespace blockyard::blas
