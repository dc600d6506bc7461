// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/fftw.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/router.h"
#include "blockyard/blas/router/transform_passes.h"
#include "blockyard/blas/router/transform_task.h"

namespace blockyard::blas {

namespace {

/// The computations of the plans of this process. FFTW's functions have no argument for it; it is
/// never freed, for programs destroy plans at their very end.
struct Plans {
  std::mutex mutex;
  /// Shared by the table and by an execution under way, whose plan another thread may destroy.
  std::map<std::pair<bool, const void*>, std::shared_ptr<const Transform>> all;
};

Plans& plans();

/// A fork waits until no other thread is at the table, which the child has as well.
void lock_plans() noexcept { plans().mutex.lock(); }
void unlock_plans() noexcept { plans().mutex.unlock(); }

Plans& plans() {
  static auto* const kept = [] {
    static_cast<void>(::pthread_atfork(lock_plans, unlock_plans, unlock_plans));
    return new Plans;
  }();
  return *kept;
}

/// Whether a plan with the same remainder of its address was ever noted. An execution of one that
/// was not may take no longer than without us, so it takes no lock.
std::atomic<bool>& is_noted(const void* plan) noexcept {
  static constinit std::array<std::atomic<bool>, 4096> noted{};
  const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(plan) * 0x9e3779b97f4a7c15ULL;
  return noted[mixed >> 52];
}

class RoutedTransform final : public Routed {
 public:
  RoutedTransform(bool is_single, const Transform& transform, const Arrays& arrays,
                  const std::function<void()>& local)
      : is_single_(is_single), transform_(transform), arrays_(arrays), local_(local) {}
  std::string name() const override {
    const char* const sorts[] = {"c2c", "r2c", "c2r", "r2r"};
    return fmt::format("{}_{}", is_single_ ? "fftwf" : "fftw",
                       sorts[static_cast<std::size_t>(transform_.sort)]);
  }
  std::string shape() const override {
    std::string text;
    for (const Axis& axis : transform_.transformed)
      text += fmt::format("{}{}", text.empty() ? "" : " x ", axis.n);
    return text;
  }
  double flops() const override { return flops_of(transform_); }
  double moved_bytes() const override {
    const double real = is_single_ ? sizeof(float) : sizeof(double);
    return passes_ * real *
           ((transform_.is_real_in() ? 1 : 2) * in_elements(transform_) +
            (transform_.is_real_out() ? 1 : 2) * out_elements(transform_));
  }
  std::int64_t extent() const override { return 1; }
  void compute_there(DeviceProducts& device, std::int64_t& complete) override {
    device.make_room(static_cast<std::int64_t>(2 * moved_bytes()));  // and what it works in
    const On on = device.begin_whole();
    const std::int64_t memory = device.memory_bytes();
    const int count = is_single_ ? blas::compute_there<float>(transform_, arrays_, on, memory)
                                 : blas::compute_there<double>(transform_, arrays_, on, memory);
    complete = count > 0 ? 1 : 0;
    passes_ = std::max(1, count);
  }
  void prepare(device::Device& device) const override {
    if (is_single_)
      blas::prepare<float>(transform_, device);
    else
      blas::prepare<double>(transform_, device);
  }
  void compute_here(std::int64_t) override { local_(); }
  std::unique_ptr<Comparison> comparison() const override {
    return is_single_ ? compare_transform<float>(transform_, arrays_)
                      : compare_transform<double>(transform_, arrays_);
  }

 private:
  bool is_single_;
  const Transform& transform_;
  Arrays arrays_;
  const std::function<void()>& local_;
  int passes_ = 1;  ///< how often its elements went there
};

}  // namespace

void note_plan(bool is_single, void* plan, Transform transform) noexcept try {
  if (plan == nullptr) return;
  open_router();
  if (!is_usual(transform) || !router_threshold(flops_of(transform)))
    return forget_plan(is_single, plan);  // of one at its place whose end was not seen
  const auto noted = std::make_shared<const Transform>(std::move(transform));
  {
    const std::lock_guard lock(plans().mutex);
    plans().all[{is_single, plan}] = noted;
  }
  is_noted(plan).store(true, std::memory_order_release);
  prepare_route(RoutedTransform(is_single, *noted, noted->arrays, {}));
} catch (const std::exception&) {  // no memory: the plan is executed here
}

bool may_go(const void* plan) noexcept { return is_noted(plan).load(std::memory_order_acquire); }

void forget_plan(bool is_single, const void* plan) noexcept {
  if (!may_go(plan)) return;
  const std::lock_guard lock(plans().mutex);
  plans().all.erase({is_single, plan});
}

void execute_plan(bool is_single, const void* plan, const Arrays& arrays,
                  const std::function<void()>& local) noexcept {
  std::shared_ptr<const Transform> found;
  {
    const std::lock_guard lock(plans().mutex);
    const auto at = plans().all.find({is_single, plan});
    if (at != plans().all.end()) found = at->second;
  }
  if (!found) return local();
  const Arrays& meant = arrays.in == nullptr ? found->arrays : arrays;
  if (meant.is_split() != found->arrays.is_split()) return local();
  RoutedTransform routed(is_single, *found, meant, local);
  route(routed);
}

}  // namespace blockyard::blas
