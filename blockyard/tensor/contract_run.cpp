// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/tensor/blas.h"
#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/detail/contract_cost.h"
#include "blockyard/tensor/detail/packed_product.h"

namespace blockyard::tensor {
namespace {

using detail::ContractLoop;
using detail::ContractSteps;
using detail::Kernels;
using detail::MatrixKernel;
using detail::OperandSteps;
using detail::SmallProducts;

/// Multiply-adds up to which our own kernel beats a call of the BLAS.
template <class T>
constexpr Extent small_product = std::same_as<T, Real<T>> ? detail::small_product : 128;
template <class T>
constexpr Extent small_turned_product =
    std::same_as<T, Real<T>> ? detail::small_turned_product : 128;

/// Elements of a left matrix that are turned on the stack at a time, and the rows of a register
/// tile: pieces are multiples of these.
constexpr Extent turned_rows = 32;
constexpr Extent most_turned_rows = detail::MatrixSide::most;
constexpr Extent turned_elements = detail::small_turned_depth * turned_rows;

/// The matrices of one call: result = alpha * left * right + beta * result.
template <class T>
struct Call {
  T alpha;
  const T* left;
  const T* right;
  T beta;
  T* result;
};

/// Runs the matrix kernel of a plan.
template <class T>
class MatrixProduct {
 public:
  /// Where takes_runs(), a run takes the products of the first loop.
  MatrixProduct(const ContractSteps& steps, T alpha, T* workspace) noexcept
      : m_(steps.call_m),
        n_(steps.call_n),
        k_(steps.call_k),
        batch_(steps.call_batch),
        kernel_(steps.kernel),
        left_(steps.operand[detail::left_side]),
        right_(steps.operand[detail::right_side]),
        result_(steps.operand[detail::result_side]),
        packed_(steps.packed),
        workspace_(workspace),
        small_{m_,
               n_,
               k_,
               alpha,
               is_column(left_) ? left_.column_stride : m_,
               right_.row_stride,
               right_.column_stride,
               result_.column_stride} {
    if (steps.loop_count == 0 || steps.loops[0].summed || !is_small_in_place()) return;
    takes_runs_ = true;
    const ContractLoop& loop = steps.loops[0];
    small_.count = loop.extent;
    small_.a_step = loop.stride[detail::left_side];
    small_.b_step = loop.stride[detail::right_side];
    small_.c_step = loop.stride[detail::result_side];
  }

  /// Whether run() does all products of the first loop.
  [[nodiscard]] bool takes_runs() const noexcept { return takes_runs_; }

  void run(const Call<T>& call) const {
    switch (kernel_) {
      case MatrixKernel::packed:
        if constexpr (std::same_as<T, Real<T>>)
          detail::run_packed<T>(packed_, detail::panel_kernels<T>(), call.alpha, call.left,
                                call.right, call.beta, call.result, workspace_);
        return;
      case MatrixKernel::batch:
        if constexpr (std::same_as<T, Real<T>>) batch(call);
        return;
      case MatrixKernel::product:
        return strided(call);
      case MatrixKernel::outer:
        return is_small_in_place() ? small(call) : strided(call);
      case MatrixKernel::dot:
        return dot(call);
      case MatrixKernel::gemv_left:
        return gemv(call, left_.row_stride, left_.column_stride, m_, call.left, call.right,
                    right_.row_stride, result_.row_stride);
      case MatrixKernel::gemv_right:
        return gemv(call, right_.column_stride, right_.row_stride, n_, call.right, call.left,
                    left_.column_stride, result_.column_stride);
      case MatrixKernel::gemm:
        return gemm(call);
    }
  }

 private:
  void batch(const Call<T>& call) const noexcept {
    detail::panel_kernels<T>().multiply_batch(
        {batch_, m_, n_, k_, call.alpha, call.left, left_.row_stride, left_.column_stride,
         call.right, right_.row_stride, right_.column_stride, call.beta, call.result,
         result_.row_stride, result_.column_stride});
  }

  static bool is_column(const OperandSteps& operand) noexcept { return operand.row_stride == 1; }

  /// Any strides, one product at a time.
  void strided(const Call<T>& call) const noexcept {
    for (Extent j = 0; j < n_; ++j)
      for (Extent i = 0; i < m_; ++i) {
        T total(0);
        for (Extent l = 0; l < k_; ++l)
          total += call.left[i * left_.row_stride + l * left_.column_stride] *
                   call.right[l * right_.row_stride + j * right_.column_stride];
        T& y = call.result[i * result_.row_stride + j * result_.column_stride];
        y = call.beta == T(0) ? call.alpha * total : call.alpha * total + call.beta * y;
      }
  }

  void dot(const Call<T>& call) const noexcept {
    if (left_.column_stride != 1 || right_.row_stride != 1) return strided(call);
    const T total = call.alpha * use_.dot(k_, call.left, call.right);
    *call.result = call.beta == T(0) ? total : total + call.beta * *call.result;
  }

  /// y = alpha * a * x + beta * y with `length` values of y; one of a's strides is 1.
  void gemv(const Call<T>& call, Extent row, Extent column, Extent length, const T* a, const T* x,
            Extent incx, Extent incy) const {
    if (std::same_as<T, Real<T>> && row == 1 && incy == 1 && length * k_ <= small_product<T>)
      return use_.small_gemm({length, 1, k_, call.alpha, column, incx, k_, length}, a, x, call.beta,
                             call.result);
    if (row == 1)
      blas::gemv<T>(blas::Op::none, length, k_, call.alpha, a, column, x, incx, call.beta,
                    call.result, incy);
    else
      blas::gemv<T>(blas::Op::transpose, k_, length, call.alpha, a, row, x, incx, call.beta,
                    call.result, incy);
  }

  void small(const Call<T>& call) const noexcept {
    use_.small_gemm(small_, call.left, call.right, call.beta, call.result);
  }
  /// Whether small() does the products as the operands lie.
  bool is_small_in_place() const noexcept {
    if (!is_column(left_)) return false;
    if (kernel_ == MatrixKernel::outer) return is_column(result_);
    return kernel_ == MatrixKernel::gemm && (m_ * n_ * k_ <= small_product<T> || is_narrow());
  }

  /// Our own kernel where the left matrix is stored by rows: some of them at a time are turned on
  /// the stack.
  void small_turned(const Call<T>& call) const noexcept {
    std::array<T, turned_elements> turned;
    detail::MatrixSide from;  // rows of the left matrix
    detail::MatrixSide to;    // its columns, where they will stand
    const Extent fitting = turned_elements / k_ / turned_rows * turned_rows;
    const Extent most = std::min({fitting, most_turned_rows, m_});
    to.extent = k_;
    for (Extent i = 0; i < most; ++i) from.at[i] = i * left_.row_stride;
    for (Extent l = 0; l < k_; ++l) to.at[l] = l * most;
    SmallProducts<T> some = small_;
    some.lda = most;
    for (Extent i = 0; i < m_; i += most) {
      const Extent rows = std::min(most, m_ - i);
      from.extent = rows;
      use_.transpose(to, from, nullptr, 0, call.left + i * left_.row_stride, turned.data(),
                     detail::Reach::first);
      some.m = rows;
      use_.small_gemm(some, turned.data(), call.right, call.beta, call.result + i);
    }
  }

  void gemm(const Call<T>& call) const {
    if (is_small_in_place()) return small(call);
    if (!is_column(left_) && m_ * n_ * k_ <= small_turned_product<T> &&
        k_ <= detail::small_turned_depth)
      return small_turned(call);
    blas::gemm<T>(op(left_), op(right_), m_, n_, k_, call.alpha, call.left, leading(left_),
                  call.right, leading(right_), call.beta, call.result, leading(result_));
  }
  bool is_narrow() const noexcept {
    return std::same_as<T, Real<T>> && left_.column_stride % detail::bad_distance != 0 &&
           detail::is_narrow(m_, n_, k_);
  }
  static blas::Op op(const OperandSteps& operand) noexcept {
    return is_column(operand) ? blas::Op::none : blas::Op::transpose;
  }
  static Extent leading(const OperandSteps& operand) noexcept {
    return is_column(operand) ? operand.column_stride : operand.row_stride;
  }

  Extent m_, n_, k_, batch_;
  MatrixKernel kernel_;
  const OperandSteps& left_;
  const OperandSteps& right_;
  const OperandSteps& result_;
  const detail::PackedSteps& packed_;
  T* workspace_;  // of the packed product
  bool takes_runs_ = false;
  SmallProducts<T> small_;  // of one call, with all its places
  const Kernels<T>& use_ = detail::kernels<T>();
};

/// result[i] = alpha * left[i] * right[i] + beta * result[i] along one loop: elementwise products.
template <class T>
void run_products(const ContractLoop& loop, const Call<T>& call) noexcept {
  const auto [left, right, result] = loop.stride;
  if (left == 1 && right == 1 && result == 1)
    return detail::kernels<T>().product(loop.extent, call.alpha, call.left, call.right, call.beta,
                                        call.result);
  for (Extent i = 0; i < loop.extent; ++i) {
    const T x = call.alpha * call.left[i * left] * call.right[i * right];
    T& y = call.result[i * result];
    y = call.beta == T(0) ? x : x + call.beta * y;
  }
}

/// Calls the kernel for each setting of the loops. The first product that reaches a value of the
/// result scales it by beta, the others of a summed loop add.
template <class T>
void run_loops(const ContractSteps& steps, Call<T> call, T* workspace) {
  const MatrixProduct<T> product(steps, call.alpha, workspace);
  const bool is_elementwise =
      steps.kernel == MatrixKernel::product && steps.loop_count > 0 && !steps.loops[0].summed;
  const T beta = call.beta;
  std::array<Extent, detail::ContractIndexes::max_count> at{};
  int summed_away_from_start = 0;
  for (;;) {
    call.beta = summed_away_from_start == 0 ? beta : T(1);
    if (is_elementwise)
      run_products(steps.loops[0], call);
    else
      product.run(call);
    std::size_t i = is_elementwise || product.takes_runs() ? 1 : 0;
    const auto count = static_cast<std::size_t>(steps.loop_count);
    for (; i < count; ++i) {
      const ContractLoop& loop = steps.loops[i];
      const auto [left, right, result] = loop.stride;
      if (loop.summed && at[i] == 0) ++summed_away_from_start;
      call.left += left;
      call.right += right;
      call.result += result;
      if (++at[i] < loop.extent) break;
      at[i] = 0;
      if (loop.summed) --summed_away_from_start;
      call.left -= loop.extent * left;
      call.right -= loop.extent * right;
      call.result -= loop.extent * result;
    }
    if (i == count) return;
  }
}

template <class T>
const T* packed(const OperandSteps& operand, const T* block, std::span<T> workspace) noexcept {
  if (!operand.packing) return block;
  T* copy = workspace.data() + operand.offset;
  detail::run_transform(*operand.packing, T(1), block, T(0), copy, operand.conjugate);
  return copy;
}

}  // namespace

template <Element T>
void run(const ContractPlan& plan, std::type_identity_t<T> alpha, const T* left, const T* right,
         std::type_identity_t<T> beta, T* result, std::type_identity_t<std::span<T>> workspace) {
  const ContractSteps& steps = plan.steps();
  if (plan.is_empty()) return;
  if ((steps.kernel == MatrixKernel::packed || steps.kernel == MatrixKernel::batch) &&
      !std::same_as<T, Real<T>>)
    throw base::Error(base::Errc::bad_input,
                      "a contraction planned for real elements got complex ones");
  if (std::ssize(workspace) < steps.workspace_elements)
    throw base::Error(base::Errc::bad_input, "the workspace of a contraction is too small");
  left += plan.offset(detail::left_side);
  right += plan.offset(detail::right_side);
  result += plan.offset(detail::result_side);
  if (steps.swapped) std::swap(left, right);
  const OperandSteps& unpack = steps.operand[detail::result_side];
  const T* a = packed(steps.operand[detail::left_side], left, workspace);
  const T* b = packed(steps.operand[detail::right_side], right, workspace);
  if (!unpack.packing) return run_loops<T>(steps, {alpha, a, b, beta, result}, workspace.data());
  T* c = workspace.data() + unpack.offset;
  run_loops<T>(steps, {alpha, a, b, T(0), c}, nullptr);
  detail::run_transform(*unpack.packing, T(1), c, beta, result, false);
}

template void run<float>(const ContractPlan&, float, const float*, const float*, float, float*,
                         std::span<float>);
template void run<double>(const ContractPlan&, double, const double*, const double*, double,
                          double*, std::span<double>);
template void run<c64>(const ContractPlan&, c64, const c64*, const c64*, c64, c64*, std::span<c64>);
template void run<c128>(const ContractPlan&, c128, const c128*, const c128*, c128, c128*,
                        std::span<c128>);

}  // namespace blockyard::tensor
