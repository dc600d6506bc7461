// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "blockyard/blas/router/whole_work.h"

namespace blockyard::blas {

namespace {

/// LU and Cholesky, what is solved and inverted with them.
template <class T>
class Factors final : WholeWork<T> {
 public:
  Factors(const WholeCall<T>& call, const On& on) : WholeWork<T>(call, on) {}
  [[nodiscard]] bool compute() {
    switch (call_.task) {
      case Task::getrf:
      case Task::gesv:
        return factor_lu();
      case Task::getrs:
        return solve_with_lu(run_.send_operand(whole<T>(call_.a, call_.n, call_.n, call_.lda)));
      case Task::potrf:
      case Task::posv:
        return factor_cholesky();
      case Task::potrs:
        return solve_with_cholesky(
            run_.send_operand(triangle<T>(call_.a, call_.n, call_.lda, call_.uplo)));
      case Task::getri:
        return invert_from_lu();
      default:
        return invert_from_cholesky();
    }
  }

 private:
  using WholeWork<T>::call_, WholeWork<T>::run_, WholeWork<T>::say, WholeWork<T>::solve,
      WholeWork<T>::right_sides;

  [[nodiscard]] bool factor_lu() {
    const bool solves = call_.task == Task::gesv;
    const std::int64_t m = solves ? call_.n : call_.m, n = call_.n, least = std::min(m, n);
    const Block<T> a = run_.send_copy(whole<T>(call_.a, m, n, call_.lda)),
                   extra = run_.make(least + 1);
    run_.run(BLOCKYARD_FACTOR, 0, {a, m, n}, {a, m, n}, {extra});
    const std::vector<T>&factors = run_.fetch(a), &numbers = run_.fetch(extra);
    if (!run_.synchronise()) return false;
    const std::int64_t info = rounded(numbers.back());
    for (std::int64_t k = 0; k < least; ++k) {  // what would be used as a place is one
      const std::int64_t pivot = rounded(numbers[static_cast<std::size_t>(k)]);
      if (pivot <= k || pivot > m) return false;
    }
    std::vector<T> solution;
    if (solves && info == 0 && !solve_lu(a, 'N', numbers, packed_right_sides(), solution))
      return false;
    if (!solves) run_.keep(a, factors);
    unpack(whole<T>(call_.a, m, n, call_.lda), factors.data(), call_.a);
    for (std::int64_t k = 0; k < least; ++k)
      write_integer(call_.pivots, k, rounded(numbers[static_cast<std::size_t>(k)]), call_.width);
    if (!solution.empty()) unpack(right_sides(), solution.data(), call_.b);
    say(info);
    return true;
  }

  /// False: what would be used as a place is none.
  [[nodiscard]] bool read_pivots(std::vector<T>& pivots) const {
    for (std::int64_t k = 0; k < call_.n; ++k) {
      const std::int64_t pivot = integer_at(call_.pivots, k, call_.width);
      if (pivot < 1 || pivot > call_.n) return false;
      pivots.push_back(T(static_cast<RealOf<T>>(pivot)));
    }
    return true;
  }

  [[nodiscard]] bool solve_with_lu(Block<T> a) {
    std::vector<T> pivots, solution;
    if (!read_pivots(pivots) || !solve_lu(a, call_.op, pivots, packed_right_sides(), solution))
      return false;
    unpack(right_sides(), solution.data(), call_.b);
    say(0);
    return true;
  }

  /// A factor without a zero on its diagonal. With one, what is to be inverted has no inverse, and
  /// the routine says where.
  [[nodiscard]] bool is_invertible() const {
    for (std::int64_t k = 0; k < call_.n; ++k)
      if (call_.a[k + k * call_.lda] == T{}) return false;
    return true;
  }

  [[nodiscard]] bool invert_from_lu() {
    const std::int64_t n = call_.n;
    const View<T> view = whole<T>(call_.a, n, n, call_.lda);
    std::vector<T> pivots, inverse;
    if (!is_invertible() || !read_pivots(pivots) ||
        !solve_lu(run_.send_operand(view), 'N', pivots, identity<T>(n, n), inverse))
      return false;
    unpack(view, inverse.data(), call_.a);
    say(0);
    return true;
  }

  [[nodiscard]] bool invert_from_cholesky() {
    const std::int64_t n = call_.n;
    View<T> view = triangle<T>(call_.a, n, call_.lda, call_.uplo);
    if (!is_invertible()) return false;
    const Block<T> b = solve_cholesky(run_.send_operand(view), run_.send(identity<T>(n, n)));
    const std::vector<T>& inverse = run_.fetch(b);
    if (!run_.synchronise()) return false;
    view.has_real_diagonal = true;
    unpack(view, inverse.data(), call_.a);
    say(0);
    return true;
  }

  [[nodiscard]] std::vector<T> packed_right_sides() const {
    const View<T> view = right_sides();
    std::vector<T> packed(static_cast<std::size_t>(view.rows * view.columns));
    pack(view, packed.data());
    return packed;
  }

  /// Exchanges rows as the pivots say, or back.
  void exchange(std::vector<T>& b, const std::vector<T>& pivots, bool is_back) const {
    const auto columns = static_cast<std::int64_t>(b.size()) / call_.n;
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t step = 0; step < call_.n; ++step) {
        const std::int64_t i = is_back ? call_.n - 1 - step : step;
        const std::int64_t other = rounded(pivots[static_cast<std::size_t>(i)]) - 1;
        std::swap(b[static_cast<std::size_t>(i + j * call_.n)],
                  b[static_cast<std::size_t>(other + j * call_.n)]);
      }
  }

  [[nodiscard]] bool solve_lu(Block<T> a, char op, const std::vector<T>& pivots,
                              std::vector<T> packed, std::vector<T>& solution) {
    if (op == 'N') exchange(packed, pivots, false);
    const Block<T> b = run_.send(std::move(packed));
    const std::uint32_t flags = flags_of<T>(op);
    if (op == 'N') {
      solve(unit, call_.n, a, b);
      solve(upper, call_.n, a, b);
    } else {
      solve(upper | flags, call_.n, a, b);
      solve(unit | flags, call_.n, a, b);
    }
    const std::vector<T>& found = run_.fetch(b);
    if (!run_.synchronise()) return false;
    solution = found;
    if (op != 'N') exchange(solution, pivots, true);
    return true;
  }

  [[nodiscard]] bool factor_cholesky() {
    const std::int64_t n = call_.n;
    const View<T> view = triangle<T>(call_.a, n, call_.lda, call_.uplo);
    const Block<T> a = run_.send_copy(view), extra = run_.make(1);
    const std::uint32_t flags = blockyard_cholesky | (call_.uplo == 'U' ? upper : 0U);
    run_.run(BLOCKYARD_FACTOR, flags, {a, n, n}, {a, n, n}, {extra});
    const std::vector<T>&factor = run_.fetch(a), &numbers = run_.fetch(extra);
    if (!run_.synchronise()) return false;
    const std::int64_t info = rounded(numbers[0]);
    if (call_.task == Task::potrf) run_.keep(a, factor);
    if (call_.task == Task::posv && info == 0 && !solve_with_cholesky(a)) return false;
    unpack(view, factor.data(), call_.a);
    say(info);
    return true;
  }

  [[nodiscard]] Block<T> solve_cholesky(Block<T> a, Block<T> b) {
    const std::uint32_t adjoint = flags_of<T>('C');
    if (call_.uplo == 'U') {
      solve(upper | adjoint, call_.n, a, b);
      solve(upper, call_.n, a, b);
    } else {
      solve(0, call_.n, a, b);
      solve(adjoint, call_.n, a, b);
    }
    return b;
  }

  [[nodiscard]] bool solve_with_cholesky(Block<T> a) {
    const Block<T> b = solve_cholesky(a, run_.send(right_sides()));
    const std::vector<T>& solution = run_.fetch(b);
    if (!run_.synchronise()) return false;
    unpack(right_sides(), solution.data(), call_.b);
    say(0);
    return true;
  }
};

}  // namespace

template <class T>
bool compute_by_factors(const WholeCall<T>& call, const On& on) {
  return Factors<T>(call, on).compute();
}

template bool compute_by_factors(const WholeCall<float>&, const On&);
template bool compute_by_factors(const WholeCall<double>&, const On&);
template bool compute_by_factors(const WholeCall<c64>&, const On&);
template bool compute_by_factors(const WholeCall<c128>&, const On&);

}  // namespace blockyard::blas
