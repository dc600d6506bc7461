// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/routed_vectors.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/router.h"

namespace blockyard::blas {

namespace {

/// The comparison of the dense copies, which follow the program's memory.
template <class T>
class VectorComparison final : public Comparison {
 public:
  explicit VectorComparison(DenseVectors<T>& dense)
      : dense_(dense), copies_(compare_level3(dense.call())) {}
  void keep_theirs() override {
    copies_->keep_theirs();
    if (dense_.is_copied()) dense_.put_result();
  }
  double residual() override {
    if (dense_.is_copied()) dense_.take_result();
    return copies_->residual();
  }
  double bound() const noexcept override { return copies_->bound(); }

 private:
  DenseVectors<T>& dense_;
  std::unique_ptr<Comparison> copies_;
};

template <class T>
class RoutedVectors final : public Routed {
 public:
  RoutedVectors(const VectorCall<T>& call, int threads, const std::function<void()>& local)
      : form_(call.form), dense_(call), threads_(threads), local_(local) {}
  std::string name() const override { return name_of<T>(form_); }
  std::string shape() const override {
    const Call<T>& call = dense_.call();
    return fmt::format("{} x {} x {}", call.m, call.n, call.k);
  }
  double flops() const override { return flops_of(dense_.call()); }
  double moved_bytes() const override { return blas::moved_bytes(dense_.call()); }
  std::int64_t extent() const override { return split_extent(dense_.call()); }
  void compute_there(DeviceProducts& device, std::int64_t& complete) override {
    device.compute(dense_.call(), complete);
    if (complete == extent() && dense_.is_copied()) dense_.put_result();
  }
  void compute_here(std::int64_t complete) override {
    complete == 0 ? local_() : dense_.add_rest(complete);
  }
  std::int64_t room_bytes(std::int64_t memory_bytes) const override {
    return DeviceProducts::room_bytes(dense_.call(), memory_bytes);
  }
  int threads() const override { return threads_; }
  std::unique_ptr<Comparison> comparison() const override {
    return std::make_unique<VectorComparison<T>>(dense_);
  }

 private:
  VectorForm form_;
  mutable DenseVectors<T> dense_;  ///< a comparison follows the program with its copies
  int threads_;
  const std::function<void()>& local_;
};

}  // namespace

template <class T>
bool is_offered(const VectorCall<T>& call) noexcept {
  return router_takes_vectors() && is_usual(call);
}

template <class T>
void route_vectors(const VectorCall<T>& call, int threads, const std::function<void()>& local) {
  std::optional<RoutedVectors<T>> routed;
  try {
    routed.emplace(call, threads, local);
  } catch (const std::bad_alloc&) {  // for the copies
    return local();
  }
  route(*routed);
}

template bool is_offered(const VectorCall<float>&) noexcept;
template bool is_offered(const VectorCall<double>&) noexcept;
template bool is_offered(const VectorCall<c64>&) noexcept;
template bool is_offered(const VectorCall<c128>&) noexcept;
template void route_vectors(const VectorCall<float>&, int, const std::function<void()>&);
template void route_vectors(const VectorCall<double>&, int, const std::function<void()>&);
template void route_vectors(const VectorCall<c64>&, int, const std::function<void()>&);
template void route_vectors(const VectorCall<c128>&, int, const std::function<void()>&);

}  // namespace blockyard::blas
