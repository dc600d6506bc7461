// SPDX-License-Identifier: Apache-2.0
// Plans: what is reordered by our kernels, what cuBLAS multiplies, and what cuTENSOR does in one.
#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "plugins/common/edge_calls.h"
#include "plugins/device_cuda/machine.h"

namespace blockyard::cuda {
namespace {

using plugin::MatrixForm;
using plugin::of_left;
using plugin::of_result;
using plugin::of_right;

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

bool overwrites(const Factors& factors) { return factors.beta[0] == 0 && factors.beta[1] == 0; }

/// Its permutations overwrite, and its plans are for blocks that lie so.
bool is_for_cutensor(const Machine::Plan& plan, const Factors& factors,
                     const Machine::Places& places) {
  const auto lies_well = [](const std::byte* place) {
    return reinterpret_cast<std::uintptr_t>(place) % Cutensor::alignment == 0;
  };
  return (plugin::has_right(plan.operation) || overwrites(factors)) && lies_well(places.result) &&
         lies_well(places.left) && lies_well(places.right);
}

/// A matrix as cuBLAS takes it.
struct Matrix {
  const void* data;
  cublasOperation_t operation;
  const MatrixForm::Operand* lies;
};

}  // namespace

Machine::Plan* Machine::open_plan(const blockyard_operation& operation, plugin::Form form) {
  Plan plan{steps_of(operation, std::move(form)), {}, {}, {}, {}, {}};
  if (plan.suits_cutensor && cutensor_) {
    use();
    auto& agrees = cutensor_agrees_[operation.element];
    if (!agrees) agrees = agree(operation.element);
    if (*agrees) plan.tensors = tensor_plan(plan);
    // The room of our way stays: blocks may lie so that it is taken.
    if (plan.tensors && plan.tensors->workspace_bytes > 0)
      plan.workspace_bytes = std::max(
          plan.workspace_bytes, plan.tensors->workspace_bytes + Cutensor::workspace_alignment);
  }
  return &plans_.emplace_back(std::move(plan));
}

/// CuTENSOR may use what our reordering would, and a little for short sums over many threads.
std::optional<TensorPlan> Machine::tensor_plan(const Steps& steps) const {
  constexpr std::uint64_t little = 4 << 20;
  return cutensor_->plan(steps.operation, std::max(steps.workspace_bytes, little));
}

void Machine::run(Stream& stream, const Plan& plan, const blockyard_run& run,
                  const Places& places) {
  use();
  const std::uint32_t element = plan.operation.element;
  const Factors factors = factors_of(run, element);
  if (plan.whole) return run_whole(stream, plan, run.alpha, places);
  if (plan.transform) return run_transform(stream, plan, run.alpha[0], places);
  if (plan.tensors && is_for_cutensor(plan, factors, places)) {
    run_by_cutensor(stream, plan, factors, places);
  } else if (plugin::has_right(plan.operation)) {
    run_contraction(stream, plan, factors, places);
  } else {
    launch_reorder(stream.raw.get(), element, plan.walk, places.left, places.result,
                   conjugates(plan.operation, of_left), factors);
    enqueued(stream, cudaGetLastError(), "a reordering");
  }
}

Machine::Plan* Machine::open_transform(const blockyard_operation& operation,
                                       const plugin::Transform& transform) {
  use();
  if (!cufft_) cufft_ = CufftLibrary::find();
  if (!cufft_) return nullptr;
  Plan plan{};
  plan.operation = operation;
  plan.transform = CufftPlan::make(*cufft_, transform);
  if (!plan.transform) return nullptr;
  plan.workspace_bytes = plan.transform->workspace_bytes();
  return &plans_.emplace_back(std::move(plan));
}

void Machine::run_transform(Stream& stream, const Plan& plan, double factor, const Places& places) {
  if (!plan.transform->is_aligned(places.result))  // before anything is enqueued
    throw plugin::Refusal(
        "the result of a transform on this device begins at a multiple of a complex element");
  try {
    plan.transform->run(stream.raw.get(), places.result, places.left, places.workspace);
    if (factor == 1) return;
    const auto reals = static_cast<std::int64_t>(plan.transform->result_reals());
    const std::uint32_t element = plan.operation.element;
    const auto narrow = static_cast<float>(factor);
    if (element == BLOCKYARD_F32 || element == BLOCKYARD_C64)
      check(cublasSscal_64(blas_of(stream), reals, &narrow, reinterpret_cast<float*>(places.result),
                           1),
            "cublasSscal");
    else
      check(cublasDscal_64(blas_of(stream), reals, &factor,
                           reinterpret_cast<double*>(places.result), 1),
            "cublasDscal");
  } catch (const std::exception&) {
    stream.has_failed = true;
    throw;
  }
}

Machine::Plan* Machine::open_whole(const blockyard_operation& operation,
                                   const plugin::Whole& whole) {
  use();
  Plan plan{};
  plan.operation = operation;
  plan.whole = whole;
  if (whole.kind != BLOCKYARD_SOLVE) {
    if (!cusolver_) cusolver_ = CusolverLibrary::find();
    if (!cusolver_) return nullptr;
    plan.solver = CusolverPlan::make(*cusolver_, whole);
    if (!plan.solver) return nullptr;
    plan.workspace_bytes = plan.solver->workspace_bytes();
  }
  return &plans_.emplace_back(std::move(plan));
}

void Machine::run_whole(Stream& stream, const Plan& plan, const double alpha[2],
                        const Places& places) {
  const plugin::Whole& whole = *plan.whole;
  const auto solve = [&]<class T>(auto trsm, T*) {
    const Scalar factor(alpha, whole.element);
    const bool is_right = whole.has(blockyard_from_right);
    const cublasOperation_t op = !whole.has(blockyard_transposed)      ? CUBLAS_OP_N
                                 : whole.has(blockyard_conjugate_left) ? CUBLAS_OP_C
                                                                       : CUBLAS_OP_T;
    check(trsm(blas_of(stream), is_right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT,
               whole.has(blockyard_upper) ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, op,
               whole.has(blockyard_unit) ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, whole.rows,
               whole.columns, factor.as<T>(), reinterpret_cast<const T*>(places.left),
               is_right ? whole.columns : whole.rows, reinterpret_cast<T*>(places.result),
               whole.rows),
          "cublas trsm");
  };
  try {
    if (plan.solver)
      return plan.solver->run(stream.raw.get(),
                              {places.result, places.left, places.right, places.workspace});
    switch (whole.element) {
      case BLOCKYARD_F32:
        return solve(cublasStrsm_64, static_cast<float*>(nullptr));
      case BLOCKYARD_F64:
        return solve(cublasDtrsm_64, static_cast<double*>(nullptr));
      case BLOCKYARD_C64:
        return solve(cublasCtrsm_64, static_cast<cuComplex*>(nullptr));
      default:
        return solve(cublasZtrsm_64, static_cast<cuDoubleComplex*>(nullptr));
    }
  } catch (const std::exception&) {
    stream.has_failed = true;
    throw;
  }
}

void Machine::run_by_cutensor(Stream& stream, const Plan& plan, const Factors& factors,
                              const Places& places) {
  const std::uint32_t element = plan.operation.element;
  const Scalar alpha(factors.alpha, element), beta(factors.beta, element);
  constexpr std::uint64_t past = Cutensor::workspace_alignment - 1;
  const Cutensor::Blocks blocks{
      places.left, places.right, places.result,
      reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(places.workspace) + past) & ~past)};
  const bool contracts = plugin::has_right(plan.operation);
  // That it does not read the result where beta is zero is nowhere promised. If it then refuses the
  // call, a result that was to be overwritten is zeros, not what it was.
  if (contracts && overwrites(factors))
    enqueued(stream,
             cudaMemsetAsync(
                 places.result, 0,
                 plugin::element_count(plan.operation.result) * plugin::element_bytes(element),
                 stream.raw.get()),
             "cudaMemsetAsync");
  try {
    if (contracts)
      cutensor_->contract(*plan.tensors, alpha.bytes.data(), beta.bytes.data(), blocks,
                          stream.raw.get());
    else
      cutensor_->permute(*plan.tensors, alpha.bytes.data(), blocks, stream.raw.get());
  } catch (const std::exception&) {
    stream.has_failed = true;
    throw;
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
  for (const std::size_t side : {std::size_t{of_left}, std::size_t{of_right}}) {
    if (!operands[side].is_reordered) continue;
    launch_reorder(stream.raw.get(), element, walk_of(operands[side].axes, of_result, of_left),
                   at[side], room(side), conjugates(plan.operation, side), {});
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
  const auto matrix = [&](std::size_t side, const void* data) -> Matrix {
    const MatrixForm::Operand& lies = form.operand[side];
    const bool conjugate = !lies.is_reordered && conjugates(plan.operation, side);
    const bool transposed = lies.is_transposed != form.is_swapped;
    return {data, conjugate ? CUBLAS_OP_C : transposed ? CUBLAS_OP_T : CUBLAS_OP_N, &lies};
  };
  Matrix a = matrix(of_left, left);
  Matrix b = matrix(of_right, right);
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
