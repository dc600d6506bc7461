// SPDX-License-Identifier: Apache-2.0
// Plans: what is reordered by our kernels, and what cuBLAS multiplies.
#include <array>
#include <complex>
#include <utility>

#include "plugins/device_cuda/machine.h"

namespace blockyard::cuda {
namespace {

using plugin::MatrixForm;
using plugin::of_left;
using plugin::of_result;
using plugin::of_right;

/// Axes with strides of two sides as kernels walk them, fastest in `to` first.
Walk walk_of(plugin::Axes axes, std::size_t to, std::size_t from) {
  plugin::sort_and_fuse(axes, to);
  Walk walk;
  for (const plugin::Axis& axis : axes) {
    walk.extent[walk.order] = axis.extent;
    walk.to[walk.order] = axis.stride[to];
    walk.from[walk.order++] = axis.stride[from];
  }
  return walk;
}

bool is_complex(std::uint32_t element) {
  return element == BLOCKYARD_C64 || element == BLOCKYARD_C128;
}

/// The imaginary parts of real factors are not read.
Factors factors_of(const blockyard_run& run, std::uint32_t element) {
  Factors factors{{run.alpha[0], run.alpha[1]}, {run.beta[0], run.beta[1]}};
  if (!is_complex(element)) factors.alpha[1] = factors.beta[1] = 0;
  return factors;
}

/// A factor in the element type of a product.
struct Scalar {
  alignas(16) std::array<std::byte, 16> bytes{};
  Scalar(const double parts[2], std::uint32_t element) {
    const bool is_double = element == BLOCKYARD_F64 || element == BLOCKYARD_C128;
    if (is_double)
      store<double>(parts);
    else
      store<float>(parts);
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(bytes.data());
  }

 private:
  template <class Real>
  void store(const double parts[2]) {
    new (bytes.data()) std::complex<Real>(static_cast<Real>(parts[0]), static_cast<Real>(parts[1]));
  }
};

/// A matrix as cuBLAS takes it.
struct Matrix {
  const void* data;
  cublasOperation_t operation;
  const MatrixForm::Operand* lies;
};

}  // namespace

Machine::Plan* Machine::open_plan(const blockyard_operation& operation, plugin::Form form) {
  Plan plan;
  plan.operation = operation;
  if (plugin::has_right(operation)) {
    const bool can_conjugate = is_complex(operation.element);
    plan.form = plugin::matrix_form(
        form, {false, can_conjugate && (operation.flags & blockyard_conjugate_left) != 0,
               can_conjugate && (operation.flags & blockyard_conjugate_right) != 0});
    plan.workspace_bytes = static_cast<std::uint64_t>(plan.form.workspace_elements) *
                           plugin::element_bytes(operation.element);
  } else {
    plan.walk = walk_of(std::move(form.m), of_result, of_left);
  }
  return &plans_.emplace_back(std::move(plan));
}

void Machine::run(Stream& stream, const Plan& plan, const blockyard_run& run,
                  const Places& places) {
  use();
  const std::uint32_t element = plan.operation.element;
  const Factors factors = factors_of(run, element);
  if (plugin::has_right(plan.operation)) {
    run_contraction(stream, plan, factors, places);
  } else {
    launch_reorder(stream.raw.get(), element, plan.walk, places.left, places.result,
                   (plan.operation.flags & blockyard_conjugate_left) != 0, factors);
    enqueued(stream, cudaGetLastError(), "a reordering");
  }
}

void Machine::run_contraction(Stream& stream, const Plan& plan, const Factors& factors,
                              const Places& places) {
  const std::uint32_t element = plan.operation.element;
  const std::uint64_t size = plugin::element_bytes(element);
  const auto& operands = plan.form.operand;
  const auto room = [&](std::size_t side) {
    return places.workspace + static_cast<std::uint64_t>(operands[side].workspace_begin) * size;
  };
  std::array<std::byte*, 3> at = {places.result, places.left, places.right};
  const std::array<unsigned, 3> flag = {0, blockyard_conjugate_left, blockyard_conjugate_right};
  for (const std::size_t side : {std::size_t{of_left}, std::size_t{of_right}}) {
    if (!operands[side].is_reordered) continue;
    launch_reorder(stream.raw.get(), element, walk_of(operands[side].axes, of_result, of_left),
                   at[side], room(side), (plan.operation.flags & flag[side]) != 0, {});
    enqueued(stream, cudaGetLastError(), "a reordering");
    at[side] = room(side);
  }
  if (!operands[of_result].is_reordered)
    return multiply(stream, plan, factors, at[of_left], at[of_right], at[of_result]);
  multiply(stream, plan, {}, at[of_left], at[of_right], room(of_result));
  launch_reorder(stream.raw.get(), element, walk_of(operands[of_result].axes, of_left, of_result),
                 room(of_result), at[of_result], false, factors);
  enqueued(stream, cudaGetLastError(), "a reordering");
}

void Machine::multiply(Stream& stream, const Plan& plan, const Factors& factors, const void* left,
                       const void* right, void* result) {
  const MatrixForm& form = plan.form;
  const std::uint32_t element = plan.operation.element;
  // A reordered operand was conjugated on the way; another lies transposed.
  const auto matrix = [&](std::size_t side, const void* data, unsigned flag) -> Matrix {
    const MatrixForm::Operand& lies = form.operand[side];
    const bool conjugate =
        is_complex(element) && !lies.is_reordered && (plan.operation.flags & flag) != 0;
    bool transposed = lies.is_transposed != form.is_swapped;
    return {data, conjugate ? CUBLAS_OP_C : transposed ? CUBLAS_OP_T : CUBLAS_OP_N, &lies};
  };
  Matrix a = matrix(of_left, left, blockyard_conjugate_left);
  Matrix b = matrix(of_right, right, blockyard_conjugate_right);
  std::int64_t m = form.m, n = form.n;
  if (form.is_swapped) {
    std::swap(a, b);
    std::swap(m, n);
  }
  const MatrixForm::Operand& c = form.operand[of_result];
  const Scalar alpha(factors.alpha, element), beta(factors.beta, element);
  const cublasHandle_t blas = blas_of(stream);
  const auto call = [&]<class T>(auto gemm, T*) {
    const cublasStatus_t code =
        gemm(blas, a.operation, b.operation, m, n, form.k, alpha.as<T>(),
             static_cast<const T*>(a.data), a.lies->leading, a.lies->batch_stride,
             static_cast<const T*>(b.data), b.lies->leading, b.lies->batch_stride, beta.as<T>(),
             static_cast<T*>(result), c.leading, c.batch_stride, form.batch);
    if (code != CUBLAS_STATUS_SUCCESS) stream.has_failed = true;
    check(code, "cublasGemmStridedBatched");
  };
  switch (element) {
    case BLOCKYARD_F32:
      return call(cublasSgemmStridedBatched_64, static_cast<float*>(nullptr));
    case BLOCKYARD_F64:
      return call(cublasDgemmStridedBatched_64, static_cast<double*>(nullptr));
    case BLOCKYARD_C64:
      return call(cublasCgemmStridedBatched_64, static_cast<cuComplex*>(nullptr));
    default:
      return call(cublasZgemmStridedBatched_64, static_cast<cuDoubleComplex*>(nullptr));
  }
}

}  // namespace blockyard::cuda
