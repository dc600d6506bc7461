// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/halves.h"

#include <complex>

namespace blockyard::blas {

namespace {

constexpr std::int64_t least = 16;  // of the extent that is halved

/// A matrix as it lies, and what is done to it.
template <class T>
struct Factor {
  const T* at = nullptr;
  std::int64_t leading = 0;
  char op = 'N';
  /// Of op(matrix), from a row and a column on.
  [[nodiscard]] Factor from(std::int64_t row, std::int64_t column) const noexcept {
    const std::int64_t step = op == 'N' ? row + column * leading : column + row * leading;
    return {at + step, leading, op};
  }
};

template <class T>
struct Extents {
  std::int64_t m, n, k;
};

/// c = alpha op(a) op(b) + beta c
template <class T>
Call<T> product(const Call<T>& call, const Extents<T>& extents, const Factor<T>& a,
                const Factor<T>& b, T alpha, T beta, T* c) {
  return {.form = Form::gemm,
          .op_a = a.op,
          .op_b = b.op,
          .m = extents.m,
          .n = extents.n,
          .k = extents.k,
          .alpha = alpha,
          .a = a.at,
          .lda = a.leading,
          .b = b.at,
          .ldb = b.leading,
          .beta = beta,
          .c = c,
          .ldc = call.ldc};
}

/// Halves of the index that is summed: the second call adds to what the first made.
template <class T>
std::vector<Call<T>> halves_of_sum(const Call<T>& call) {
  const Factor<T> a{call.a, call.lda, call.op_a}, b{call.b, call.ldb, call.op_b};
  Call<T> first = call, second = call;
  first.k = call.k / 2;
  second.k = call.k - first.k;
  second.a = a.from(0, first.k).at;
  second.b = b.from(first.k, 0).at;
  second.beta = T(1);
  return {first, second};
}

/// Rows of the result, or the index that is summed: the other operands are sent twice then.
template <class T>
std::vector<Call<T>> halves_of_product(const Call<T>& call) {
  if (call.k > 2 * call.m) return halves_of_sum(call);
  if (call.m < 2 * least) return {};
  const Factor<T> a{call.a, call.lda, call.op_a};
  Call<T> first = call, second = call;
  first.m = call.m / 2;
  second.m = call.m - first.m;
  second.a = a.from(first.m, 0).at;
  second.c = call.c + first.m;
  return {first, second};
}

/// gemmt: two smaller triangles and the square between them, or half of the sum.
template <class T>
std::vector<Call<T>> halves_of_triangle_of_product(const Call<T>& call) {
  if (call.k > call.n) return halves_of_sum(call);
  if (call.n < 2 * least) return {};
  const Factor<T> a{call.a, call.lda, call.op_a}, b{call.b, call.ldb, call.op_b};
  Call<T> first = call, second = call;
  const std::int64_t top = first.n = call.n / 2, rest = second.n = call.n - top;
  second.a = a.from(top, 0).at;
  second.b = b.from(0, top).at;
  second.c = call.c + top * (call.ldc + 1);
  const Call<T> between = call.uplo == 'U' ? product(call, {top, rest, call.k}, a, b.from(0, top),
                                                     call.alpha, call.beta, call.c + top * call.ldc)
                                           : product(call, {rest, top, call.k}, a.from(top, 0), b,
                                                     call.alpha, call.beta, call.c + top);
  return {first, second, between};
}

/// syrk, herk, syr2k, her2k: two smaller triangles and the square between them, or half of the sum.
template <class T>
std::vector<Call<T>> halves_of_update(const Call<T>& call) {
  const bool is_plain = call.op_a == 'N';
  const std::int64_t step = is_plain ? 1 : call.lda, sum_step = is_plain ? call.lda : 1;
  const std::int64_t b_step = is_plain ? 1 : call.ldb, b_sum_step = is_plain ? call.ldb : 1;
  Call<T> first = call, second = call;
  if (call.k > call.n) {
    first.k = call.k / 2;
    second.k = call.k - first.k;
    second.a += first.k * sum_step;
    if (has_b(call.form)) second.b += first.k * b_sum_step;
    second.beta = T(1);
    return {first, second};
  }
  if (call.n < 2 * least) return {};
  const std::int64_t top = first.n = call.n / 2, rest = second.n = call.n - top;
  second.a += top * step;
  if (has_b(call.form)) second.b += top * b_step;
  second.c += top * (call.ldc + 1);
  const bool is_upper = call.uplo == 'U';
  const char turned = is_hermitian(call.form) ? 'C' : 'T';
  const auto rows = [&](const T* at, std::int64_t leading) {
    return Factor<T>{at, leading, is_plain ? 'N' : turned};
  };
  const auto columns = [&](const T* at, std::int64_t leading) {
    return Factor<T>{at, leading, is_plain ? turned : 'N'};
  };
  const Extents<T> extents =
      is_upper ? Extents<T>{top, rest, call.k} : Extents<T>{rest, top, call.k};
  T* const c = is_upper ? call.c + top * call.ldc : call.c + top;
  const Call<T>&of_rows = is_upper ? first : second, &of_columns = is_upper ? second : first;
  if (!has_b(call.form))
    return {first, second,
            product(call, extents, rows(of_rows.a, call.lda), columns(of_columns.a, call.lda),
                    call.alpha, call.beta, c)};
  T other = call.alpha;
  if constexpr (is_complex<T>)
    if (is_hermitian(call.form)) other = std::conj(call.alpha);
  return {first, second,
          product(call, extents, rows(of_rows.a, call.lda), columns(of_columns.b, call.ldb),
                  call.alpha, call.beta, c),
          product(call, extents, rows(of_rows.b, call.ldb), columns(of_columns.a, call.lda), other,
                  T(1), c)};
}

/// Of a square operand: its triangles or symmetric squares on the diagonal, and what is next to
/// them.
template <class T>
struct Square {
  explicit Square(const Call<T>& call)
      : is_left(call.side == 'L'),
        extent(is_left ? call.m : call.n),
        top(extent / 2),
        others(is_left ? call.n : call.m),
        step(is_left ? 1 : call.ldc) {
    first = second = call;
    (is_left ? first.m : first.n) = top;
    (is_left ? second.m : second.n) = extent - top;
    second.a = call.a + top * (call.lda + 1);
    second.c = call.c + top * step;
    if (has_b(call.form)) second.b = call.b + top * (is_left ? 1 : call.ldb);
  }
  bool is_left;
  std::int64_t extent, top, others, step;
  Call<T> first, second;

  /// A product with the part of the operand that is off the diagonal, onto one half of the
  /// result from the other half of `from`.
  [[nodiscard]] Call<T> across(const Call<T>& call, bool is_onto_first,
                               const Factor<T>& off_diagonal, const T* from, std::int64_t leading,
                               T alpha, T beta) const {
    const std::int64_t rest = extent - top, to = is_onto_first ? top : rest, sum = extent - to;
    T* const c = is_onto_first ? first.c : second.c;
    const Factor<T> other{from, leading, 'N'};
    if (is_left) return product(call, {to, others, sum}, off_diagonal, other, alpha, beta, c);
    return product(call, {others, to, sum}, other, off_diagonal, alpha, beta, c);
  }
};

/// The operand in rows from `row` on and columns from `column` on, of which one is its half: as it
/// lies in the triangle that is read.
template <class T>
Factor<T> stored(const Call<T>& call, std::int64_t row, std::int64_t column, char turned) {
  const bool is_there = (call.uplo == 'U') == (row < column);
  if (is_there) return {call.a + row + column * call.lda, call.lda, 'N'};
  return {call.a + column + row * call.lda, call.lda, turned};
}

template <class T>
std::vector<Call<T>> halves_of_symmetric(const Call<T>& call) {
  const Square<T> square(call);
  if (square.extent < 2 * least) return {};
  const std::int64_t top = square.top;
  const char turned = call.form == Form::hemm ? 'C' : 'T';
  const auto above = stored(call, 0, top, turned), below = stored(call, top, 0, turned);
  const Call<T>&first = square.first, &second = square.second;
  return {first, second,
          square.across(call, true, square.is_left ? above : below, second.b, call.ldb, call.alpha,
                        T(1)),
          square.across(call, false, square.is_left ? below : above, first.b, call.ldb, call.alpha,
                        T(1))};
}

/// trmm, trsm: in place, so that the half that the other one needs as it is waits, or comes first.
template <class T>
std::vector<Call<T>> halves_of_triangle(const Call<T>& call) {
  const Square<T> square(call);
  if (square.extent < 2 * least) return {};
  const std::int64_t top = square.top;
  const bool is_upper = call.uplo == 'U', acts_upper = is_upper == (call.op_a == 'N');
  const T* const at = is_upper ? call.a + top * call.lda : call.a + top;
  const Factor<T> off_diagonal{at, call.lda, call.op_a};
  // Onto which half the other one is added.
  const bool is_onto_first = acts_upper == square.is_left;
  Call<T> onto = is_onto_first ? square.first : square.second;
  Call<T> from = is_onto_first ? square.second : square.first;
  if (call.form == Form::trmm)
    return {onto,
            square.across(call, is_onto_first, off_diagonal, from.c, call.ldc, call.alpha, T(1)),
            from};
  onto.alpha = T(1);
  return {from,
          square.across(call, is_onto_first, off_diagonal, from.c, call.ldc, T(-1), call.alpha),
          onto};
}

}  // namespace

template <class T>
std::vector<Call<T>> halves_of(const Call<T>& call) {
  if (call.form == Form::gemm) return halves_of_product(call);
  if (call.form == Form::gemmt) return halves_of_triangle_of_product(call);
  if (is_rank_update(call.form)) return halves_of_update(call);
  return is_in_place(call.form) ? halves_of_triangle(call) : halves_of_symmetric(call);
}

template std::vector<Call<float>> halves_of(const Call<float>&);
template std::vector<Call<double>> halves_of(const Call<double>&);
template std::vector<Call<c64>> halves_of(const Call<c64>&);
template std::vector<Call<c128>> halves_of(const Call<c128>&);

}  // namespace blockyard::blas
