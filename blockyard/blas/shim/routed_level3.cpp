// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/routed_level3.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "blockyard/blas/halves.h"
#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/router.h"

namespace blockyard::blas {

namespace {

template <class T>
class RoutedLevel3 final : public Routed {
 public:
  RoutedLevel3(const Call<T>& call, int threads, const LocalCalls<T>& others,
               const std::function<void(const Call<T>&)>& local)
      : call_(call), threads_(threads), others_(others), local_(local) {}
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
  std::int64_t room_bytes(std::int64_t memory_bytes) const override {
    return DeviceProducts::room_bytes(call_, memory_bytes);
  }
  bool compute_in_pieces(std::int64_t complete,
                         const std::function<void(Routed&)>& compute) override {
    const std::vector<Call<T>> halves = halves_of(rest_of(call_, complete));
    if (halves.empty() || (call_.form != Form::gemm && !others_.has(Form::gemm))) return false;
    const std::function<void(const Call<T>&)> local = [&](const Call<T>& part) {
      part.form == call_.form ? local_(part) : others_(part);
    };
    for (const Call<T>& half : halves) {
      RoutedLevel3 routed(half, threads_, others_, local);
      compute(routed);
    }
    return true;
  }
  int threads() const override { return threads_; }
  char product_letter() const override { return name().front(); }
  std::unique_ptr<Comparison> comparison() const override { return compare_level3(call_); }

 private:
  const Call<T>& call_;
  int threads_;
  const LocalCalls<T>& others_;
  const std::function<void(const Call<T>&)>& local_;
};

}  // namespace

template <class T>
bool is_offered(const Call<T>& call) noexcept {
  return router_threshold(flops_of(call)) && is_usual(call);
}

template <class T>
void route_level3(const Call<T>& call, int threads, const LocalCalls<T>& others,
                  const std::function<void(const Call<T>&)>& local) {
  RoutedLevel3<T> routed(call, threads, others, local);
  route(routed);
}

/// By columns of blocks; of a block on the diagonal the triangle alone is used.
template <class T>
void compute_by_products(const Call<T>& call, const LocalCalls<T>& others) {
  constexpr std::int64_t width = 64;
  const auto step = [](char op, std::int64_t leading, bool is_row) {
    return (op == 'N') == is_row ? 1 : leading;
  };
  std::vector<T> square(static_cast<std::size_t>(width * width));
  for (std::int64_t from = 0; from < call.n; from += width) {
    const std::int64_t to = std::min(from + width, call.n);
    Call<T> part = call;
    part.form = Form::gemm;
    part.n = to - from;
    part.b += from * step(call.op_b, call.ldb, false);
    const auto rows = [&](std::int64_t first, std::int64_t last) {
      part.m = last - first;
      part.a = call.a + first * step(call.op_a, call.lda, true);
      part.c = call.c + first + from * call.ldc;
      if (part.m > 0) others(part);
    };
    call.uplo == 'U' ? rows(0, from) : rows(to, call.n);
    part.m = part.n;
    part.a = call.a + from * step(call.op_a, call.lda, true);
    part.c = square.data();
    part.ldc = width;
    part.beta = T{};
    others(part);
    for (std::int64_t j = from; j < to; ++j)
      for (std::int64_t i = call.uplo == 'U' ? from : j; i < (call.uplo == 'U' ? j + 1 : to); ++i) {
        T& c = call.c[i + j * call.ldc];
        const T more = square[static_cast<std::size_t>(i - from + (j - from) * width)];
        c = call.beta == T{} ? more : call.beta * c + more;
      }
  }
}

template <class T>
void compute_piece(const Call<T>& call, int threads, const LocalCalls<T>& others,
                   const std::function<void(Routed&)>& compute) {
  const std::function<void(const Call<T>&)> local = [&](const Call<T>& part) { others(part); };
  RoutedLevel3<T> routed(call, threads, others, local);
  compute(routed);
}

template bool is_offered(const Call<float>&) noexcept;
template void compute_by_products(const Call<float>&, const LocalCalls<float>&);
template bool is_offered(const Call<double>&) noexcept;
template void compute_by_products(const Call<double>&, const LocalCalls<double>&);
template bool is_offered(const Call<c64>&) noexcept;
template void compute_by_products(const Call<c64>&, const LocalCalls<c64>&);
template bool is_offered(const Call<c128>&) noexcept;
template void compute_by_products(const Call<c128>&, const LocalCalls<c128>&);
template void route_level3(const Call<float>&, int, const LocalCalls<float>&,
                           const std::function<void(const Call<float>&)>&);
template void route_level3(const Call<double>&, int, const LocalCalls<double>&,
                           const std::function<void(const Call<double>&)>&);
template void route_level3(const Call<c64>&, int, const LocalCalls<c64>&,
                           const std::function<void(const Call<c64>&)>&);
template void route_level3(const Call<c128>&, int, const LocalCalls<c128>&,
                           const std::function<void(const Call<c128>&)>&);
template void compute_piece(const Call<float>&, int, const LocalCalls<float>&,
                            const std::function<void(Routed&)>&);
template void compute_piece(const Call<double>&, int, const LocalCalls<double>&,
                            const std::function<void(Routed&)>&);
template void compute_piece(const Call<c64>&, int, const LocalCalls<c64>&,
                            const std::function<void(Routed&)>&);
template void compute_piece(const Call<c128>&, int, const LocalCalls<c128>&,
                            const std::function<void(Routed&)>&);

}  // namespace blockyard::blas
