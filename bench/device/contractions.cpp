// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "bench/device/subject.h"
#include "blockyard/device/operation.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::bench {
namespace {

using base::Extent;
using device::Memory;
using tensor::ContractSpec;
using tensor::Shape;

template <class T>
constexpr const char* type_name = sizeof(T) == 8 ? "f64" : "f32";

/// Two operands and a result, on the host and on the device.
template <class T>
class Operands {
 public:
  /// Nothing if the device has no room.
  [[nodiscard]] static std::optional<Operands> make(const Subject& subject, Extent elements) {
    const Extent bytes = elements * static_cast<Extent>(sizeof(T));
    auto left = subject.device.allocate(bytes), right = subject.device.allocate(bytes),
         result = subject.device.allocate(bytes);
    if (!left || !right || !result) return std::nullopt;
    return Operands(subject, elements, std::move(*left), std::move(*right), std::move(*result));
  }

  /// Seconds of an operation on the device; nothing if it cannot, or has no room.
  [[nodiscard]] std::optional<double> on_device(const blockyard_operation& operation) {
    const auto plan = subject_->device.open_plan(operation);
    if (!plan) return std::nullopt;
    const auto workspace = subject_->device.allocate(plan->workspace_bytes());
    if (!workspace) return std::nullopt;
    device::Stream stream = subject_->device.open_stream();
    return best_of(*subject_, [&] {
      stream.run(*plan, {1, 0, result_.address(), left_.address(), right_.address(),
                         workspace->address()});
      stream.synchronise();
    });
  }

  /// Seconds of the host's product of two matrices of m x m.
  [[nodiscard]] double on_host(Extent m) {
    using tensor::blas::Op;
    std::vector<T> c(host_left_.size());
    return best_of(*subject_, [&] {
      tensor::blas::gemm<T>(Op::none, Op::none, m, m, m, T(1), host_left_.data(), m,
                            host_right_.data(), m, T(0), c.data(), m);
    });
  }

 private:
  Operands(const Subject& subject, Extent elements, Memory left, Memory right, Memory result)
      : subject_(&subject),
        left_(std::move(left)),
        right_(std::move(right)),
        result_(std::move(result)),
        host_left_(static_cast<std::size_t>(elements)),
        host_right_(host_left_.size()) {
    std::minstd_rand random(1);
    for (auto* values : {&host_left_, &host_right_})
      for (T& value : *values) value = static_cast<T>(random()) / T(1u << 31) - T(0.5);
    device::Stream stream = subject.device.open_stream();
    stream.copy_in(left_.address(), std::as_bytes(std::span(host_left_)));
    stream.copy_in(right_.address(), std::as_bytes(std::span(host_right_)));
    stream.synchronise();
  }

  const Subject* subject_;
  Memory left_, right_, result_;
  std::vector<T> host_left_, host_right_;
};

struct Peers {
  Extent extent;
  std::optional<double> device_gemm;  ///< seconds
  double host_gemm;
};

void report(const Subject& subject, const char* type, const char* kind, const Peers& peers,
            double seconds) {
  const auto m = static_cast<double>(peers.extent * peers.extent);
  const double gflop = 2e-9 * m * m * m;
  nlohmann::ordered_json figures = {{"extent", peers.extent}, {"gflops", gflop / seconds}};
  if (peers.device_gemm) {
    figures["device_gemm_gflops"] = gflop / *peers.device_gemm;
    figures["ratio_to_device_gemm"] = *peers.device_gemm / seconds;
  }
  figures["host_gemm_gflops"] = gflop / peers.host_gemm;
  figures["ratio_to_host_gemm"] = peers.host_gemm / seconds;
  fmt::print(stderr, "{:8} {} {} {:2}^4: {:8.1f} Gflop/s; gemm here {:8.1f}, of the host {:8.1f}\n",
             subject.name, type, kind, peers.extent, gflop / seconds,
             peers.device_gemm ? gflop / *peers.device_gemm : 0.0, gflop / peers.host_gemm);
  print(subject, fmt::format("contract {} {} {}", type, kind, peers.extent), figures);
}

/// Seconds of the slowest way of the device with blocks of one extent; nothing if it has no room.
template <class T>
std::optional<double> measure(const Subject& subject, Extent extent) {
  const Shape block({extent, extent, extent, extent});
  const Extent m = extent * extent;
  const Shape matrix({m, m});
  auto operands = Operands<T>::make(subject, block.element_count());
  if (!operands) return std::nullopt;
  const auto on_device = [&](const ContractSpec& spec, const Shape& shape) {
    return operands->on_device(
        device::contract_operation(device::element_of<T>, spec, shape, shape, shape));
  };
  const auto straight = on_device({{0, 1, 2, 3}, {0, 1, 4, 5}, {4, 5, 2, 3}}, block);
  const auto permuted = on_device({{0, 1, 2, 3}, {4, 1, 0, 5}, {2, 5, 3, 4}}, block);
  const Peers peers{extent, on_device({{0, 1}, {0, 2}, {2, 1}}, matrix), operands->on_host(m)};
  if (straight) report(subject, type_name<T>, "straight", peers, *straight);
  if (permuted) report(subject, type_name<T>, "permuted", peers, *permuted);
  return std::max(straight.value_or(0), permuted.value_or(0));
}

template <class T>
void measure_all(const Subject& subject) {
  double slowest = 0;
  Extent last = 1;
  for (const Extent extent : {8, 16, 24, 32, 40, 48, 56, 64}) {
    const double growth = static_cast<double>(extent) / static_cast<double>(last);
    const double expected = slowest * std::pow(growth, 6);
    if (expected > subject.most_seconds) {
      fmt::print(stderr, "{:8} {} {}^4 left out: it would take {:.2g} s\n", subject.name,
                 type_name<T>, extent, expected);
      return;
    }
    const auto seconds = measure<T>(subject, extent);
    if (!seconds) {
      fmt::print(stderr, "{:8} {} {}^4 left out: no room\n", subject.name, type_name<T>, extent);
      return;
    }
    slowest = *seconds;
    last = extent;
  }
}

}  // namespace

void measure_contractions(const Subject& subject) {
  measure_all<double>(subject);
  measure_all<float>(subject);
}

}  // namespace blockyard::bench
