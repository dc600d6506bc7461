// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/routed_level3.h"

#include <fmt/format.h>

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/router.h"

namespace blockyard::blas {

namespace {

template <class T>
class RoutedLevel3 final : public Routed {
 public:
  RoutedLevel3(const Call<T>& call, int threads, const std::function<void(const Call<T>&)>& local)
      : call_(call), threads_(threads), local_(local) {}
  std::string name() const override { return name_of<T>(call_.form); }
  std::string shape() const override {
    return fmt::format("{} x {} x {}", call_.m, call_.n, call_.k);
  }
  double flops() const override { return flops_of(call_); }
  double moved_bytes() const override { return blas::moved_bytes(call_); }
  std::int64_t extent() const override { return split_extent(call_); }
  void compute_there(DeviceProducts& device, std::int64_t& complete) override {
    device.compute(call_, complete);
  }
  void compute_here(std::int64_t complete) override { local_(rest_of(call_, complete)); }
  /// The middle of a triangle is not a call of the same routine.
  bool is_shareable() const override { return !is_rank_update(call_.form); }
  void compute_share_there(DeviceProducts& device, Shares& shares, int number) override {
    device.compute(call_, shares, number);
  }
  void compute_share_here(std::int64_t from, std::int64_t to) override {
    Call<T> part = rest_of(call_, from);
    (call_.side == 'R' ? part.m : part.n) = to - from;
    local_(part);
  }
  int threads() const override { return threads_; }
  char product_letter() const override { return name().front(); }
  std::unique_ptr<Comparison> comparison() const override { return compare_level3(call_); }

 private:
  const Call<T>& call_;
  int threads_;
  const std::function<void(const Call<T>&)>& local_;
};

}  // namespace

template <class T>
bool is_offered(const Call<T>& call) noexcept {
  return router_threshold(flops_of(call)) && is_usual(call);
}

template <class T>
void route_level3(const Call<T>& call, int threads,
                  const std::function<void(const Call<T>&)>& local) noexcept {
  RoutedLevel3<T> routed(call, threads, local);
  route(routed);
}

template bool is_offered(const Call<float>&) noexcept;
template bool is_offered(const Call<double>&) noexcept;
template bool is_offered(const Call<c64>&) noexcept;
template bool is_offered(const Call<c128>&) noexcept;
template void route_level3(const Call<float>&, int,
                           const std::function<void(const Call<float>&)>&) noexcept;
template void route_level3(const Call<double>&, int,
                           const std::function<void(const Call<double>&)>&) noexcept;
template void route_level3(const Call<c64>&, int,
                           const std::function<void(const Call<c64>&)>&) noexcept;
template void route_level3(const Call<c128>&, int,
                           const std::function<void(const Call<c128>&)>&) noexcept;

}  // namespace blockyard::blas
