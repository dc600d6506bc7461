// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/factors_in_pieces.h"

#include <algorithm>
#include <utility>

#include "blockyard/blas/router/whole_work.h"
#include "blockyard/blas/shim/routed_level3.h"
#include "blockyard/blas/shim/routed_whole.h"

namespace blockyard::blas {

namespace {

constexpr std::int64_t least = 64;  // of a matrix that is halved

template <class T>
class Pieces {
 public:
  Pieces(const WholeCall<T>& call, int threads, const LocalCalls<T>& others,
         const std::function<void(Routed&)>& compute)
      : call_(call), threads_(threads), others_(others), compute_(compute) {}

  [[nodiscard]] bool run() {
    const bool is_lu = call_.task == Task::getrf || call_.task == Task::gesv;
    if (!is_lu && call_.task != Task::potrf && call_.task != Task::posv) return false;
    if (std::min(call_.task == Task::getrf ? call_.m : call_.n, call_.n) < least) return false;
    if (!others_.has(is_lu ? Task::getrf : Task::potrf) || !others_.has(Form::gemm) ||
        !others_.has(Form::trsm) || !others_.has(update_form))
      return false;
    if (call_.task == Task::getrf)
      factor_lu();
    else if (call_.task == Task::potrf)
      factor_cholesky();
    else
      solve(is_lu);
    return true;
  }

 private:
  static constexpr Form update_form = is_complex<T> ? Form::herk : Form::syrk;
  static constexpr char adjoint = is_complex<T> ? 'C' : 'T';

  void say(std::int64_t info) const { write_integer(call_.info, 0, info, call_.width); }
  void multiply(const Call<T>& call) const { compute_piece(call, threads_, others_, compute_); }
  /// The info of a smaller factorisation.
  [[nodiscard]] std::int64_t factor(Task task, std::int64_t m, std::int64_t n, T* a,
                                    void* pivots = nullptr) const {
    std::int64_t info = 0;
    WholeCall<T> part{.task = task,
                      .uplo = call_.uplo,
                      .m = m,
                      .n = n,
                      .a = a,
                      .lda = call_.lda,
                      .pivots = pivots,
                      .info = &info,
                      .width = call_.width};
    compute_piece(part, threads_, others_, compute_);
    return integer_at(&info, 0, call_.width);
  }
  [[nodiscard]] void* pivots_from(std::int64_t at) const noexcept {
    return static_cast<std::byte*>(call_.pivots) + at * (call_.width / 8);
  }
  /// Exchanges rows of some columns, by the pivots from..to.
  void exchange(T* at, std::int64_t leading, std::int64_t columns, std::int64_t from,
                std::int64_t to) const {
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = from; i < to; ++i)
        std::swap(at[i + j * leading],
                  at[integer_at(call_.pivots, i, call_.width) - 1 + j * leading]);
  }
  /// op(triangle) x = b, in place of b.
  void solve_triangle(char uplo, char op, char diag, std::int64_t m, std::int64_t n, T* b,
                      std::int64_t ldb) const {
    multiply({.form = Form::trsm,
              .uplo = uplo,
              .op_a = op,
              .diag = diag,
              .m = m,
              .n = n,
              .alpha = T(1),
              .a = call_.a,
              .lda = call_.lda,
              .c = b,
              .ldc = ldb});
  }

  /// The left half, what is above and below the rest, the rest.
  void factor_lu() const {
    const std::int64_t m = call_.m, n = call_.n, lda = call_.lda, left = std::min(m, n) / 2;
    T *const right = call_.a + left * lda, *const rest = right + left;
    std::int64_t info = factor(Task::getrf, m, left, call_.a, call_.pivots);
    exchange(right, lda, n - left, 0, left);
    solve_triangle('L', 'N', 'U', left, n - left, right, lda);
    multiply({.form = Form::gemm,
              .m = m - left,
              .n = n - left,
              .k = left,
              .alpha = T(-1),
              .a = call_.a + left,
              .lda = lda,
              .b = right,
              .ldb = lda,
              .beta = T(1),
              .c = rest,
              .ldc = lda});
    const std::int64_t later = factor(Task::getrf, m - left, n - left, rest, pivots_from(left));
    for (std::int64_t k = left; k < std::min(m, n); ++k)
      write_integer(call_.pivots, k, integer_at(call_.pivots, k, call_.width) + left, call_.width);
    exchange(call_.a, lda, left, left, std::min(m, n));
    if (info == 0 && later > 0) info = left + later;
    say(info);
  }

  void factor_cholesky() const {
    const std::int64_t n = call_.n, lda = call_.lda, top = n / 2;
    const bool is_upper = call_.uplo == 'U';
    T *const off_diagonal = is_upper ? call_.a + top * lda : call_.a + top, *const rest =
                                                                                call_.a +
                                                                                top * (lda + 1);
    const std::int64_t info = factor(Task::potrf, top, top, call_.a);
    if (info != 0) return say(info);
    multiply({.form = Form::trsm,
              .side = is_upper ? 'L' : 'R',
              .uplo = call_.uplo,
              .op_a = adjoint,
              .m = is_upper ? top : n - top,
              .n = is_upper ? n - top : top,
              .alpha = T(1),
              .a = call_.a,
              .lda = lda,
              .c = off_diagonal,
              .ldc = lda});
    multiply({.form = update_form,
              .uplo = call_.uplo,
              .op_a = is_upper ? adjoint : 'N',
              .n = n - top,
              .k = top,
              .alpha = T(-1),
              .a = off_diagonal,
              .lda = lda,
              .beta = T(1),
              .c = rest,
              .ldc = lda});
    const std::int64_t later = factor(Task::potrf, n - top, n - top, rest);
    say(later == 0 ? 0 : top + later);
  }

  /// gesv, posv.
  void solve(bool is_lu) const {
    const std::int64_t n = call_.n, columns = call_.k;
    const std::int64_t info =
        factor(is_lu ? Task::getrf : Task::potrf, n, n, call_.a, call_.pivots);
    say(info);
    if (info != 0) return;
    if (is_lu) {
      exchange(call_.b, call_.ldb, columns, 0, n);
      solve_triangle('L', 'N', 'U', n, columns, call_.b, call_.ldb);
      solve_triangle('U', 'N', 'N', n, columns, call_.b, call_.ldb);
    } else {
      const bool is_upper = call_.uplo == 'U';
      solve_triangle(call_.uplo, is_upper ? adjoint : 'N', 'N', n, columns, call_.b, call_.ldb);
      solve_triangle(call_.uplo, is_upper ? 'N' : adjoint, 'N', n, columns, call_.b, call_.ldb);
    }
  }

  const WholeCall<T>& call_;
  int threads_;
  const LocalCalls<T>& others_;
  const std::function<void(Routed&)>& compute_;
};

}  // namespace

template <class T>
bool factor_in_pieces(const WholeCall<T>& call, int threads, const LocalCalls<T>& others,
                      const std::function<void(Routed&)>& compute) {
  return Pieces<T>(call, threads, others, compute).run();
}

template bool factor_in_pieces(const WholeCall<float>&, int, const LocalCalls<float>&,
                               const std::function<void(Routed&)>&);
template bool factor_in_pieces(const WholeCall<double>&, int, const LocalCalls<double>&,
                               const std::function<void(Routed&)>&);
template bool factor_in_pieces(const WholeCall<c64>&, int, const LocalCalls<c64>&,
                               const std::function<void(Routed&)>&);
template bool factor_in_pieces(const WholeCall<c128>&, int, const LocalCalls<c128>&,
                               const std::function<void(Routed&)>&);

}  // namespace blockyard::blas
