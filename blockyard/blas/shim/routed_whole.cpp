// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/routed_whole.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/router.h"
#include "blockyard/blas/router/whole_task.h"

namespace blockyard::blas {

namespace {

/// "scipy_dgetrf_64_" and "DGETRF" are dgetrf.
std::string routine_in(std::string_view symbol) {
  if (symbol.starts_with("scipy_")) symbol.remove_prefix(6);
  std::string name(symbol.substr(0, symbol.find('_')));
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

template <class T>
class RoutedWhole final : public Routed {
 public:
  RoutedWhole(const WholeCall<T>& call, std::string_view symbol, int threads,
              const std::function<void()>& local)
      : call_(call), symbol_(symbol), threads_(threads), local_(local) {}
  std::string name() const override { return routine_in(symbol_); }
  std::string shape() const override {
    return fmt::format("{} x {} x {}", call_.m, call_.n, call_.k);
  }
  double flops() const override { return flops_of(call_); }
  double moved_bytes() const override { return blas::moved_bytes(call_); }
  std::int64_t extent() const override { return 1; }
  void compute_there(DeviceProducts& device, std::int64_t& complete) override {
    complete = blas::compute_there(call_, device.device()) ? 1 : 0;
    is_there_ = complete == 1;
  }
  void compute_here(std::int64_t) override { local_(); }
  bool may_nest() const override { return true; }
  int threads() const override { return threads_; }
  std::unique_ptr<Comparison> comparison() const override { return compare_whole(call_); }
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }

 private:
  const WholeCall<T>& call_;
  std::string_view symbol_;
  int threads_;
  const std::function<void()>& local_;
  bool is_there_ = false;
};

}  // namespace

template <class T>
bool is_offered(const WholeCall<T>& call) noexcept {
  return router_threshold(flops_of(call)) && is_usual(call);
}

template <class T>
bool route_whole(const WholeCall<T>& call, std::string_view symbol, int threads,
                 const std::function<void()>& local) noexcept {
  RoutedWhole<T> routed(call, symbol, threads, local);
  route(routed);
  return routed.is_there();
}

template bool is_offered(const WholeCall<float>&) noexcept;
template bool is_offered(const WholeCall<double>&) noexcept;
template bool is_offered(const WholeCall<c64>&) noexcept;
template bool is_offered(const WholeCall<c128>&) noexcept;
template bool route_whole(const WholeCall<float>&, std::string_view, int,
                          const std::function<void()>&) noexcept;
template bool route_whole(const WholeCall<double>&, std::string_view, int,
                          const std::function<void()>&) noexcept;
template bool route_whole(const WholeCall<c64>&, std::string_view, int,
                          const std::function<void()>&) noexcept;
template bool route_whole(const WholeCall<c128>&, std::string_view, int,
                          const std::function<void()>&) noexcept;

}  // namespace blockyard::blas
