// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_task.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "blockyard/blas/router/comparison.h"
#include "blockyard/blas/router/whole_run.h"
#include "blockyard/device/abi_kinds.h"

namespace blockyard::blas {

namespace {

template <class T>
using Block = typename WholeRun<T>::Block;

constexpr std::uint32_t transposed = blockyard_transposed, conjugated = blockyard_conjugate_left,
                        upper = blockyard_upper, unit = blockyard_unit;

/// The flags of op(x), for real elements without conjugation.
template <class T>
std::uint32_t flags_of(char op) noexcept {
  if (op == 'N') return 0;
  return op == 'C' && is_complex<T> ? transposed | conjugated : transposed;
}

template <class T>
View<T> whole(const T* at, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return {.at = at, .rows = rows, .columns = columns, .leading = leading};
}
/// Of which only a triangle is read, or written.
template <class T>
View<T> triangle(const T* at, std::int64_t extent, std::int64_t leading, char uplo) {
  View<T> view = whole(at, extent, extent, leading);
  view.fill = Fill::zero;
  view.is_upper = uplo == 'U';
  return view;
}

void write_integer(void* to, std::int64_t at, std::int64_t value, int width) noexcept {
  if (width == 64)
    static_cast<std::int64_t*>(to)[at] = value;
  else
    static_cast<std::int32_t*>(to)[at] = static_cast<std::int32_t>(value);
}
std::int64_t integer_at(const void* from, std::int64_t at, int width) noexcept {
  if (width == 64) return static_cast<const std::int64_t*>(from)[at];
  return static_cast<const std::int32_t*>(from)[at];
}

template <class T>
std::int64_t rounded(T value) noexcept {
  return static_cast<std::int64_t>(std::llround(std::real(value)));
}

/// One call under way.
template <class T>
class Work {
 public:
  Work(const WholeCall<T>& call, device::Device& device) : call_(call), run_(device) {}
  [[nodiscard]] bool compute() {
    switch (call_.task) {
      case Task::getrf:
      case Task::gesv:
        return factor_lu();
      case Task::getrs:
        return solve_with_lu(run_.send(whole<T>(call_.a, call_.n, call_.n, call_.lda)));
      case Task::potrf:
      case Task::posv:
        return factor_cholesky();
      case Task::potrs:
        return solve_with_cholesky(run_.send(triangle<T>(call_.a, call_.n, call_.lda, call_.uplo)));
      case Task::geqrf:
        return factor_qr();
      case Task::ormqr:
        return reflect();
      case Task::orgqr:
        return generate_q();
      case Task::getri:
        return invert_from_lu();
      case Task::potri:
        return invert_from_cholesky();
      case Task::gels:
        return solve_least_squares();
      case Task::syev:
      case Task::syevd:
      case Task::syevr:
        return find_eigenvalues();
      case Task::geev:
        return find_general_eigenvalues();
      default:
        return find_singular_values();
    }
  }

 private:
  using Operand = typename WholeRun<T>::Operand;

  void say(std::int64_t info) { write_integer(call_.info, 0, info, call_.width); }
  /// The triangle is square, and `right` has as many rows.
  void solve(std::uint32_t flags, std::int64_t n, Block<T> triangle, Block<T> right) {
    run_.run(BLOCKYARD_SOLVE, flags, {right, n, right.elements / n}, {triangle, n, n});
  }

  [[nodiscard]] bool factor_lu() {
    const bool solves = call_.task == Task::gesv;
    const std::int64_t m = solves ? call_.n : call_.m, n = call_.n, least = std::min(m, n);
    const Block<T> a = run_.send(whole<T>(call_.a, m, n, call_.lda)), beside = run_.make(least + 1);
    run_.run(BLOCKYARD_FACTOR, 0, {a, m, n}, {a, m, n}, {beside});
    const std::vector<T>&factors = run_.fetch(a), &numbers = run_.fetch(beside);
    if (!run_.synchronise()) return false;
    const std::int64_t info = rounded(numbers.back());
    for (std::int64_t k = 0; k < least; ++k) {  // what would be used as a place is one
      const std::int64_t pivot = rounded(numbers[static_cast<std::size_t>(k)]);
      if (pivot <= k || pivot > m) return false;
    }
    std::vector<T> solution;
    if (solves && info == 0 && !solve_lu(a, 'N', numbers, packed_right_sides(), solution))
      return false;
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
  [[nodiscard]] static std::vector<T> identity(std::int64_t rows, std::int64_t columns) {
    std::vector<T> made(static_cast<std::size_t>(rows * columns));
    for (std::int64_t k = 0; k < std::min(rows, columns); ++k)
      made[static_cast<std::size_t>(k + k * rows)] = T(1);
    return made;
  }

  [[nodiscard]] bool invert_from_lu() {
    const std::int64_t n = call_.n;
    const View<T> view = whole<T>(call_.a, n, n, call_.lda);
    std::vector<T> pivots, inverse;
    if (!is_invertible() || !read_pivots(pivots) ||
        !solve_lu(run_.send(view), 'N', pivots, identity(n, n), inverse))
      return false;
    unpack(view, inverse.data(), call_.a);
    say(0);
    return true;
  }

  [[nodiscard]] bool invert_from_cholesky() {
    const std::int64_t n = call_.n;
    const View<T> view = triangle<T>(call_.a, n, call_.lda, call_.uplo);
    if (!is_invertible()) return false;
    const Block<T> b = solve_cholesky(run_.send(view), run_.send(identity(n, n)));
    const std::vector<T>& inverse = run_.fetch(b);
    if (!run_.synchronise()) return false;
    unpack(view, inverse.data(), call_.a);
    say(0);
    return true;
  }

  [[nodiscard]] View<T> right_sides() const {
    const std::int64_t rows = call_.task == Task::ormqr ? call_.m : call_.n;
    return whole<T>(call_.b, rows, call_.task == Task::ormqr ? call_.n : call_.k, call_.ldb);
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
    const Block<T> a = run_.send(view), beside = run_.make(1);
    const std::uint32_t flags = blockyard_cholesky | (call_.uplo == 'U' ? upper : 0U);
    run_.run(BLOCKYARD_FACTOR, flags, {a, n, n}, {a, n, n}, {beside});
    const std::vector<T>&factor = run_.fetch(a), &numbers = run_.fetch(beside);
    if (!run_.synchronise()) return false;
    const std::int64_t info = rounded(numbers[0]);
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

  [[nodiscard]] bool factor_qr() {
    const std::int64_t m = call_.m, n = call_.n;
    const View<T> view = whole<T>(call_.a, m, n, call_.lda);
    const Block<T> a = run_.send(view), beside = run_.make(std::min(m, n) + 1);
    run_.run(BLOCKYARD_FACTOR, blockyard_qr, {a, m, n}, {a, m, n}, {beside});
    const std::vector<T>&factors = run_.fetch(a), &numbers = run_.fetch(beside);
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
    const Block<T> q = run_.send(view), tau = run_.send(whole<T>(call_.tau, k, 1, k)),
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
                   q = run_.send(identity(m, n));
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

  void write_values(const std::vector<T>& numbers) {
    std::transform(numbers.begin(), numbers.end() - 1, call_.values,
                   [](const T& value) { return std::real(value); });
    say(rounded(numbers.back()));
  }

  [[nodiscard]] bool find_eigenvalues() {
    const std::int64_t n = call_.n;
    View<T> view = triangle<T>(call_.a, n, call_.lda, call_.uplo);
    view.has_real_diagonal = is_complex<T>;
    const Block<T> a = run_.send(view), beside = run_.make(n + 1);
    const std::uint32_t flags = (call_.uplo == 'U' ? upper : 0U) |
                                (wants_vectors(call_) ? std::uint32_t{blockyard_vectors} : 0U);
    run_.run(BLOCKYARD_SPECTRUM, flags, {a, n, n}, {a, n, n}, {beside});
    const std::vector<T>& numbers = run_.fetch(beside);
    const std::vector<T>* const vectors = wants_vectors(call_) ? &run_.fetch(a) : nullptr;
    if (!run_.synchronise() || rounded(numbers.back()) != 0) return false;
    const bool is_apart = call_.task == Task::syevr;
    T* const to = is_apart ? call_.u : call_.a;
    if (vectors != nullptr)
      unpack(whole<T>(to, n, n, is_apart ? call_.ldu : call_.lda), vectors->data(), to);
    if (is_apart) {
      write_integer(call_.found, 0, n, call_.width);
      for (std::int64_t k = 0; vectors != nullptr && k < n; ++k) {  // any element may not be 0
        write_integer(call_.support, 2 * k, 1, call_.width);
        write_integer(call_.support, 2 * k + 1, n, call_.width);
      }
    }
    write_values(numbers);
    return true;
  }

  [[nodiscard]] bool find_general_eigenvalues() {
    const std::int64_t n = call_.n, values = is_complex<T> ? n : 2 * n;
    const bool has_left = call_.job == 'V', has_right = call_.job_vt == 'V';
    const Block<T> a = run_.send(whole<T>(call_.a, n, n, call_.lda)),
                   beside = run_.make(values + 1), right = run_.make(has_right ? n * n : 1);
    const std::uint32_t flags = blockyard_general |
                                (has_right ? std::uint32_t{blockyard_vectors} : 0U) |
                                (has_left ? std::uint32_t{blockyard_left_vectors} : 0U);
    run_.run(BLOCKYARD_SPECTRUM, flags, {right, n, has_right ? n : 0}, {a, n, n}, {beside});
    const std::vector<T>& numbers = run_.fetch(beside);
    const std::vector<T>*const of_left = has_left ? &run_.fetch(a) : nullptr, *const of_right =
                                                                                  has_right
                                                                                      ? &run_.fetch(
                                                                                            right)
                                                                                      : nullptr;
    if (!run_.synchronise() || rounded(numbers.back()) != 0) return false;
    if (has_left) unpack(whole<T>(call_.u, n, n, call_.ldu), of_left->data(), call_.u);
    if (has_right) unpack(whole<T>(call_.vt, n, n, call_.ldvt), of_right->data(), call_.vt);
    if constexpr (is_complex<T>) {
      std::copy_n(numbers.begin(), n, call_.complex_values);
    } else {
      std::copy_n(numbers.begin(), n, call_.values);
      std::copy_n(numbers.begin() + n, n, call_.imaginary);
    }
    say(0);
    return true;
  }

  [[nodiscard]] bool find_singular_values() {
    const std::int64_t m = call_.m, n = call_.n, least = std::min(m, n);
    const char job_vt = call_.task == Task::gesdd ? call_.job : call_.job_vt;
    const Block<T> a = run_.send(whole<T>(call_.a, m, n, call_.lda)), beside = run_.make(least + 1);
    const bool has_vectors = wants_vectors(call_);
    const Block<T> u = run_.make(has_vectors ? m * least : 1);
    const std::uint32_t flags =
        blockyard_singular | (has_vectors ? std::uint32_t{blockyard_vectors} : 0U);
    run_.run(BLOCKYARD_SPECTRUM, flags, {u, m, has_vectors ? least : 0}, {a, m, n}, {beside});
    const std::vector<T>& numbers = run_.fetch(beside);
    const std::vector<T>* const left = has_vectors ? &run_.fetch(u) : nullptr;
    const std::vector<T>* const right = has_vectors ? &run_.fetch({a.address, least * n}) : nullptr;
    if (!run_.synchronise() || rounded(numbers.back()) != 0) return false;
    if (has_vectors) {
      write_base(call_.job, *left, m, least, call_.u, call_.ldu);
      write_base(job_vt, *right, least, n, call_.vt, call_.ldvt);
    }
    write_values(numbers);
    return true;
  }

  void write_base(char job, const std::vector<T>& base, std::int64_t rows, std::int64_t columns,
                  T* to, std::int64_t leading) {
    if (job == 'O') to = call_.a, leading = call_.lda;
    if (job != 'N') unpack(whole<T>(to, rows, columns, leading), base.data(), to);
  }

  const WholeCall<T>& call_;
  WholeRun<T> run_;
};

}  // namespace

template <class T>
bool compute_there(const WholeCall<T>& call, device::Device& device) {
  return Work<T>(call, device).compute();
}

template bool compute_there(const WholeCall<float>&, device::Device&);
template bool compute_there(const WholeCall<double>&, device::Device&);
template bool compute_there(const WholeCall<c64>&, device::Device&);
template bool compute_there(const WholeCall<c128>&, device::Device&);

}  // namespace blockyard::blas
