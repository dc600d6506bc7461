// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/routed_whole.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/router.h"
#include "blockyard/blas/router/whole_task.h"
#include "blockyard/blas/shim/factors_in_pieces.h"

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
              const LocalCalls<T>& others, const std::function<void()>& local)
      : call_(call), symbol_(symbol), threads_(threads), others_(others), local_(local) {}
  std::string name() const override { return routine_in(symbol_); }
  std::string shape() const override {
    return fmt::format("{} x {} x {}", call_.m, call_.n, call_.k);
  }
  double flops() const override { return flops_of(call_); }
  double moved_bytes() const override { return blas::moved_bytes(call_); }
  std::int64_t extent() const override { return 1; }
  void compute_there(DeviceProducts& device, std::int64_t& complete) override {
    device.make_room(blas::room_bytes(call_));
    complete = blas::compute_there(call_, device) ? 1 : 0;
    is_there_ = complete == 1;
  }
  std::int64_t room_bytes(std::int64_t) const override { return blas::room_bytes(call_); }
  bool compute_in_pieces(std::int64_t, const std::function<void(Routed&)>& compute) override {
    return factor_in_pieces(call_, threads_, others_, compute);
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
  const LocalCalls<T>& others_;
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
                 const LocalCalls<T>& others, const std::function<void()>& local) {
  RoutedWhole<T> routed(call, symbol, threads, others, local);
  route(routed);
  return routed.is_there();
}

template <class T>
void compute_piece(const WholeCall<T>& call, int threads, const LocalCalls<T>& others,
                   const std::function<void(Routed&)>& compute) {
  const std::string name = others.name_of(call.task);
  const std::function<void()> local = [&] { others(call); };
  RoutedWhole<T> routed(call, name, threads, others, local);
  compute(routed);
}

template bool is_offered(const WholeCall<float>&) noexcept;
template bool is_offered(const WholeCall<double>&) noexcept;
template bool is_offered(const WholeCall<c64>&) noexcept;
template bool is_offered(const WholeCall<c128>&) noexcept;
template bool route_whole(const WholeCall<float>&, std::string_view, int, const LocalCalls<float>&,
                          const std::function<void()>&);
template void compute_piece(const WholeCall<float>&, int, const LocalCalls<float>&,
                            const std::function<void(Routed&)>&);
template bool route_whole(const WholeCall<double>&, std::string_view, int,
                          const LocalCalls<double>&, const std::function<void()>&);
template void compute_piece(const WholeCall<double>&, int, const LocalCalls<double>&,
                            const std::function<void(Routed&)>&);
template bool route_whole(const WholeCall<c64>&, std::string_view, int, const LocalCalls<c64>&,
                          const std::function<void()>&);
template void compute_piece(const WholeCall<c64>&, int, const LocalCalls<c64>&,
                            const std::function<void(Routed&)>&);
template bool route_whole(const WholeCall<c128>&, std::string_view, int, const LocalCalls<c128>&,
                          const std::function<void()>&);
template void compute_piece(const WholeCall<c128>&, int, const LocalCalls<c128>&,
                            const std::function<void(Routed&)>&);

}  // namespace blockyard::blas
