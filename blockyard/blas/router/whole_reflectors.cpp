// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "blockyard/blas/router/comparison.h"
#include "blockyard/blas/router/whole_work.h"

namespace blockyard::blas {

namespace {

/// QR, its Q, and least squares by it.
template <class T>
class Reflectors final : WholeWork<T> {
 public:
  Reflectors(const WholeCall<T>& call, const On& on) : WholeWork<T>(call, on) {}
  [[nodiscard]] bool compute() {
    switch (call_.task) {
      case Task::geqrf:
        return factor_qr();
      case Task::ormqr:
        return reflect();
      case Task::orgqr:
        return generate_q();
      default:
        return solve_least_squares();
    }
  }

 private:
  using WholeWork<T>::call_, WholeWork<T>::run_, WholeWork<T>::say, WholeWork<T>::solve,
      WholeWork<T>::right_sides;

  [[nodiscard]] bool factor_qr() {
    const std::int64_t m = call_.m, n = call_.n;
    const View<T> view = whole<T>(call_.a, m, n, call_.lda);
    const Block<T> a = run_.send(view), extra = run_.make(std::min(m, n) + 1);
    run_.run(BLOCKYARD_FACTOR, blockyard_qr, {a, m, n}, {a, m, n}, {extra});
    const std::vector<T>&factors = run_.fetch(a), &numbers = run_.fetch(extra);
    if (!run_.synchronise()) return false;
    unpack(view, factors.data(), call_.a);
    std::copy_n(numbers.begin(), std::min(m, n), call_.tau);
    say(0);
    return true;
  }

  /// Of the reflectors only what is below the diagonal is read.
  [[nodiscard]] bool reflect() {
    const bool is_left = call_.side == 'L';
    const std::int64_t m = call_.m, n = call_.n, k = call_.k, rows = is_left ? m : n;
    View<T> view = whole<T>(call_.a, rows, k, call_.lda);
    view.fill = Fill::zero;
    view.has_unit_diagonal = true;
    const Block<T> q = run_.send_operand(view), tau = run_.send(whole<T>(call_.tau, k, 1, k)),
                   c = run_.send(right_sides());
    const std::uint32_t side = is_left ? 0U : static_cast<std::uint32_t>(blockyard_from_right);
    run_.run(BLOCKYARD_REFLECT, side | flags_of<T>(call_.op), {c, m, n}, {q, rows, k}, {tau});
    const std::vector<T>& turned = run_.fetch(c);
    if (!run_.synchronise()) return false;
    unpack(right_sides(), turned.data(), call_.b);
    say(0);
    return true;
  }

  [[nodiscard]] bool generate_q() {
    const std::int64_t m = call_.m, n = call_.n, k = call_.k;
    View<T> view = whole<T>(call_.a, m, k, call_.lda);
    view.fill = Fill::zero;
    view.has_unit_diagonal = true;
    const Block<T> reflectors = run_.send(view), tau = run_.send(whole<T>(call_.tau, k, 1, k)),
                   q = run_.send(identity<T>(m, n));
    run_.run(BLOCKYARD_REFLECT, 0, {q, m, n}, {reflectors, m, k}, {tau});
    const std::vector<T>& made = run_.fetch(q);
    if (!run_.synchronise()) return false;
    unpack(whole<T>(call_.a, m, n, call_.lda), made.data(), call_.a);
    say(0);
    return true;
  }

  /// Whether gels computes with the numbers as they are: it scales those that are very large or
  /// very small, and leaves a matrix of zeros as it is.
  [[nodiscard]] static bool is_moderate(const std::vector<T>& values, bool may_be_zero) {
    constexpr double small =
        std::numeric_limits<RealOf<T>>::min() / std::numeric_limits<RealOf<T>>::epsilon();
    double largest = 0;
    for (const T& value : values) {
      const double size = std::abs(value);
      if (!(size <= 1 / small)) return false;  // also what is not a number
      largest = std::max(largest, size);
    }
    return largest >= small || (may_be_zero && largest == 0);
  }

  /// By the QR factors of the matrix or, where it has fewer rows than columns, of its adjoint: then
  /// the adjoints of these factors are the LQ ones that the routine leaves.
  [[nodiscard]] bool solve_least_squares() {
    const bool turns = call_.m < call_.n, fits = turns == (call_.op != 'N');
    const std::int64_t rows = std::max(call_.m, call_.n), columns = std::min(call_.m, call_.n),
                       k = call_.k;
    const View<T> view = whole<T>(call_.a, call_.m, call_.n, call_.lda);
    std::vector<T> a(static_cast<std::size_t>(rows * columns)),
        b(static_cast<std::size_t>((fits ? rows : columns) * k));
    pack(view, a.data());
    if (turns) a = turned(a, call_.m, call_.n, 'C');
    pack(whole<T>(call_.b, fits ? rows : columns, k, call_.ldb), b.data());
    if (!is_moderate(a, false) || !is_moderate(b, true)) return false;
    const Block<T> factors = run_.send(std::move(a)), numbers = run_.make(columns + 1);
    run_.run(BLOCKYARD_FACTOR, blockyard_qr, {factors, rows, columns}, {factors, rows, columns},
             {numbers});
    const std::vector<T>& made = run_.fetch(factors);
    if (!run_.synchronise()) return false;
    std::vector<T> corner(static_cast<std::size_t>(columns * columns));
    for (std::int64_t j = 0; j < columns; ++j) {
      std::copy_n(made.begin() + j * rows, j + 1, corner.begin() + j * columns);
      if (made[static_cast<std::size_t>(j + j * rows)] == T{}) return false;  // `info` is not 0
    }
    const Block<T> triangle = run_.send(std::move(corner)), tau{numbers.address, columns};
    const auto reflect = [&](Block<T> on, std::uint32_t flags) {
      run_.run(BLOCKYARD_REFLECT, flags, {on, rows, k}, {factors, rows, columns}, {tau});
      return &run_.fetch(on);
    };
    std::vector<T> solution(static_cast<std::size_t>(rows * k));
    if (fits) {
      const std::vector<T>* const turned_b = reflect(run_.send(std::move(b)), flags_of<T>('C'));
      if (!run_.synchronise()) return false;
      solution = *turned_b;  // below the solution: what could not be fitted
      const Block<T> x = run_.send(whole<T>(solution.data(), columns, k, rows));
      solve(upper, columns, triangle, x);
      const std::vector<T>& found = run_.fetch(x);
      if (!run_.synchronise()) return false;
      unpack(whole<T>(solution.data(), columns, k, rows), found.data(), solution.data());
    } else {
      const Block<T> y = run_.send(std::move(b));
      solve(upper | flags_of<T>('C'), columns, triangle, y);
      const std::vector<T>& found = run_.fetch(y);
      if (!run_.synchronise()) return false;
      unpack(whole<T>(solution.data(), columns, k, rows), found.data(), solution.data());
      const std::vector<T>* const x = reflect(run_.send(std::move(solution)), 0);
      if (!run_.synchronise()) return false;
      solution = *x;
    }
    unpack(view, turns ? turned(made, rows, columns, 'C').data() : made.data(), call_.a);
    unpack(whole<T>(call_.b, rows, k, call_.ldb), solution.data(), call_.b);
    say(0);
    return true;
  }
};

}  // namespace

template <class T>
bool compute_by_reflectors(const WholeCall<T>& call, const On& on) {
  return Reflectors<T>(call, on).compute();
}

template bool compute_by_reflectors(const WholeCall<float>&, const On&);
template bool compute_by_reflectors(const WholeCall<double>&, const On&);
template bool compute_by_reflectors(const WholeCall<c64>&, const On&);
template bool compute_by_reflectors(const WholeCall<c128>&, const On&);

}  // namespace blockyard::blas
