// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/parts.h"

#include <algorithm>

#include "blockyard/device/abi_kinds.h"

namespace blockyard::blas {

namespace {

using Where = Source::Where;

/// Names of indexes: rows of the result, its columns, what is summed.
enum Name : std::int32_t { row = 0, column = 1, sum = 2 };

blockyard_operand matrix(std::int32_t first, std::int64_t rows, std::int32_t second,
                         std::int64_t columns) {
  blockyard_operand operand{};
  operand.order = 2;
  operand.name[0] = first, operand.name[1] = second;
  operand.extent[0] = rows, operand.extent[1] = columns;
  return operand;
}

/// The operand whose op is `rows` x `columns`.
blockyard_operand op_of(char op, std::int32_t first, std::int64_t rows, std::int32_t second,
                        std::int64_t columns) {
  return op == 'N' ? matrix(first, rows, second, columns) : matrix(second, columns, first, rows);
}

template <class T>
blockyard_operation operation_of(std::uint32_t kind) {
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = kind;
  operation.element = element<T>;
  return operation;
}

/// result = alpha op(left) op(right) + beta result
template <class T>
Step<T> product(const Part<T>& part, std::int64_t k, char op_left, char op_right, T alpha, T beta) {
  Step<T> step;
  step.operation = operation_of<T>(BLOCKYARD_CONTRACT);
  const std::int64_t m = part.result.rows, n = part.result.columns;
  step.operation.result = matrix(row, m, column, n);
  step.operation.left = op_of(op_left, row, m, sum, k);
  step.operation.right = op_of(op_right, sum, k, column, n);
  if constexpr (is_complex<T>) {
    if (op_left == 'C') step.operation.flags |= blockyard_conjugate_left;
    if (op_right == 'C') step.operation.flags |= blockyard_conjugate_right;
  }
  step.alpha = alpha;
  step.beta = beta;
  return step;
}

/// Columns of a result, or rows where `a` stands on the right.
template <class T>
View<T> panel(const T* at, std::int64_t leading, const Call<T>& call, std::int64_t from,
              std::int64_t to) {
  if (call.side == 'R')
    return {.at = at + from, .rows = to - from, .columns = call.n, .leading = leading};
  return {.at = at + from * leading, .rows = call.m, .columns = to - from, .leading = leading};
}

/// Whether what belongs to some of the sums is contiguous in both operands of the first part, which
/// is packed for it; if that is short.
template <class T>
bool is_by_sums(const Call<T>& call, std::int64_t width) {
  constexpr std::int64_t most_bytes = std::int64_t{32} << 20;
  return call.form == Form::gemm && call.op_a == 'N' &&
         call.k * width * static_cast<std::int64_t>(sizeof(T)) <= most_bytes;
}

template <class T>
Part<T> part_of_gemm(const Call<T>& call, std::int64_t from, std::int64_t to, bool has_operand) {
  Part<T> part;
  part.result = panel(call.c, call.ldc, call, from, to);
  part.is_read = call.beta != T{};
  char op_right = call.op_b;
  if (call.op_b == 'N') {
    part.operand = View<T>{
        .at = call.b + from * call.ldb, .rows = call.k, .columns = to - from, .leading = call.ldb};
    if (from == 0 && !has_operand && is_by_sums(call, to))
      part.operand->is_transposed = true, op_right = 'T';
  } else {
    part.operand =
        View<T>{.at = call.b + from, .rows = to - from, .columns = call.k, .leading = call.ldb};
  }
  part.steps = {product(part, call.k, call.op_a, op_right, call.alpha, call.beta)};
  part.steps[0].right = {Where::part, 0};
  return part;
}

/// symm, hemm, trmm: the shared operand holds zeros, or what the other triangle says.
template <class T>
Part<T> part_of_square(const Call<T>& call, std::int64_t from, std::int64_t to) {
  const bool is_left = call.side == 'L', is_triangle = call.form == Form::trmm;
  Part<T> part;
  part.result = panel(call.c, call.ldc, call, from, to);
  part.is_read = !is_triangle && call.beta != T{};
  part.operand = is_triangle ? part.result : panel(call.b, call.ldb, call, from, to);
  const T beta = is_triangle ? T{} : call.beta;
  part.steps = {is_left ? product(part, call.m, call.op_a, 'N', call.alpha, beta)
                        : product(part, call.n, 'N', call.op_a, call.alpha, beta)};
  (is_left ? part.steps[0].right : part.steps[0].left) = {Where::part, 0};
  return part;
}

template <class T>
Part<T> part_of_solution(const Call<T>& call, std::int64_t from, std::int64_t to) {
  Part<T> part;
  part.result = panel(call.c, call.ldc, call, from, to);
  part.is_read = true;
  Step<T> step;
  step.operation = operation_of<T>(BLOCKYARD_SOLVE);
  step.operation.result = matrix(row, part.result.rows, column, part.result.columns);
  const std::int64_t extent = call.side == 'L' ? call.m : call.n;
  step.operation.left = matrix(sum, extent, sum + 1, extent);
  std::uint32_t& flags = step.operation.flags;
  if (call.uplo == 'U') flags |= blockyard_upper;
  if (call.diag == 'U') flags |= blockyard_unit;
  if (call.side == 'R') flags |= blockyard_from_right;
  if (call.op_a != 'N') flags |= blockyard_transposed;
  if (is_complex<T> && call.op_a == 'C') flags |= blockyard_conjugate_left;
  step.alpha = call.alpha;
  part.steps = {step};
  return part;
}

/// Some columns of a triangle, with the rows that its longest column has. The shared operands are
/// k x n, so that the columns of any range follow each other.
template <class T>
Part<T> part_of_triangle(const Call<T>& call, std::int64_t from, std::int64_t to) {
  const bool is_upper = call.uplo == 'U';
  const std::int64_t first = is_upper ? call.n - to : from, last = is_upper ? call.n - from : to;
  const std::int64_t top = is_upper ? 0 : first, bottom = is_upper ? last : call.n;
  Part<T> part;
  part.result = {.at = call.c + top + first * call.ldc,
                 .rows = bottom - top,
                 .columns = last - first,
                 .leading = call.ldc,
                 .fill = Fill::zero,
                 .is_upper = is_upper,
                 .has_real_diagonal = is_hermitian(call.form),
                 .shift = first - top};
  part.is_read = call.beta != T{};
  const bool is_product = call.form == Form::gemmt;
  const bool conjugates =
      is_product ? call.op_a == 'C' : is_hermitian(call.form) && call.op_a != 'N';
  const char left = conjugates ? 'C' : 'T';
  const Source rows = {Where::first, top * call.k}, columns = {Where::first, first * call.k};
  const auto add = [&](T alpha, T beta, const Source& one, const Source& two) {
    Step<T> step = product(part, call.k, left, 'N', alpha, beta);
    if (is_complex<T> &&
        (is_product ? call.op_b == 'C' : is_hermitian(call.form) && call.op_a == 'N'))
      step.operation.flags |= blockyard_conjugate_right;
    step.left = one;
    step.right = two;
    part.steps.push_back(step);
  };
  if (!has_b(call.form)) {
    add(call.alpha, call.beta, rows, columns);
    return part;
  }
  T other = call.alpha;
  if constexpr (is_complex<T>)
    if (is_hermitian(call.form)) other = std::conj(call.alpha);
  add(call.alpha, call.beta, rows, {Where::second, columns.offset});
  if (is_product) return part;
  add(other, T(1), {Where::second, rows.offset}, columns);
  return part;
}

}  // namespace

template <class T>
std::vector<View<T>> shared_operands(const Call<T>& call) {
  if (call.form == Form::gemm) {
    const bool is_plain = call.op_a == 'N';
    return {{.at = call.a,
             .rows = is_plain ? call.m : call.k,
             .columns = is_plain ? call.k : call.m,
             .leading = call.lda}};
  }
  if (is_rank_update(call.form)) {
    const auto view = [&](const T* at, std::int64_t leading, bool turns) {
      return View<T>{.at = at,
                     .rows = turns ? call.n : call.k,
                     .columns = turns ? call.k : call.n,
                     .leading = leading,
                     .is_transposed = turns};
    };
    const bool turns = call.op_a == 'N';
    if (!has_b(call.form)) return {view(call.a, call.lda, turns)};
    return {view(call.a, call.lda, turns),
            view(call.b, call.ldb, call.form == Form::gemmt ? call.op_b != 'N' : turns)};
  }
  const std::int64_t extent = call.side == 'L' ? call.m : call.n;
  return {{.at = call.a,
           .rows = extent,
           .columns = extent,
           .leading = call.lda,
           .fill = is_in_place(call.form)    ? Fill::zero
                   : is_hermitian(call.form) ? Fill::conjugated
                                             : Fill::mirrored,
           .is_upper = call.uplo == 'U',
           .has_unit_diagonal = is_in_place(call.form) && call.diag == 'U',
           .has_real_diagonal = call.form == Form::hemm}};
}

template <class T>
Part<T> part_of(const Call<T>& call, std::int64_t from, std::int64_t to, bool has_operand) {
  if (call.form == Form::gemm) return part_of_gemm(call, from, to, has_operand);
  if (call.form == Form::trsm) return part_of_solution(call, from, to);
  return is_rank_update(call.form) ? part_of_triangle(call, from, to)
                                   : part_of_square(call, from, to);
}

template <class T>
std::vector<Step<T>> steps_by_sums(const Call<T>& call, std::int64_t width, std::int64_t count) {
  std::vector<Step<T>> steps;
  if (!is_by_sums(call, width)) return steps;
  const Part<T> part = part_of(call, 0, width);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from = call.k * i / count, to = call.k * (i + 1) / count;
    steps.push_back(product(part, to - from, 'N', call.op_b == 'C' ? 'C' : 'T', call.alpha,
                            i == 0 ? call.beta : T(1)));
    steps.back().left = {Where::first, from * call.m};
    steps.back().right = {Where::part, from * width};
  }
  return steps;
}

template <class T>
std::int64_t part_elements(const Call<T>& call) noexcept {
  if (call.form == Form::gemm) return std::max(call.m, call.k);
  return call.side == 'R' || is_rank_update(call.form) ? call.n : call.m;
}

template std::vector<View<float>> shared_operands(const Call<float>&);
template std::vector<View<double>> shared_operands(const Call<double>&);
template std::vector<View<c64>> shared_operands(const Call<c64>&);
template std::vector<View<c128>> shared_operands(const Call<c128>&);
template Part<float> part_of(const Call<float>&, std::int64_t, std::int64_t, bool);
template Part<double> part_of(const Call<double>&, std::int64_t, std::int64_t, bool);
template Part<c64> part_of(const Call<c64>&, std::int64_t, std::int64_t, bool);
template Part<c128> part_of(const Call<c128>&, std::int64_t, std::int64_t, bool);
template std::vector<Step<float>> steps_by_sums(const Call<float>&, std::int64_t, std::int64_t);
template std::int64_t part_elements(const Call<float>&) noexcept;
template std::vector<Step<double>> steps_by_sums(const Call<double>&, std::int64_t, std::int64_t);
template std::int64_t part_elements(const Call<double>&) noexcept;
template std::vector<Step<c64>> steps_by_sums(const Call<c64>&, std::int64_t, std::int64_t);
template std::int64_t part_elements(const Call<c64>&) noexcept;
template std::vector<Step<c128>> steps_by_sums(const Call<c128>&, std::int64_t, std::int64_t);
template std::int64_t part_elements(const Call<c128>&) noexcept;

}  // namespace blockyard::blas
