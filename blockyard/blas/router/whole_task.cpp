// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_task.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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
      case Task::syev:
      case Task::syevd:
        return find_eigenvalues();
      default:
        return find_singular_values();
    }
  }

 private:
  using Operand = typename WholeRun<T>::Operand;

  void say(std::int64_t info) { write_integer(call_.info, 0, info, call_.width); }
  void solve(std::uint32_t flags, Block<T> triangle, Block<T> right) {
    const std::int64_t n = call_.n;
    run_.run(BLOCKYARD_SOLVE, flags, {right, n, call_.k}, {triangle, n, n});
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
    if (solves && info == 0 && !solve_lu(a, 'N', numbers, solution)) return false;
    unpack(whole<T>(call_.a, m, n, call_.lda), factors.data(), call_.a);
    for (std::int64_t k = 0; k < least; ++k)
      write_integer(call_.pivots, k, rounded(numbers[static_cast<std::size_t>(k)]), call_.width);
    if (!solution.empty()) unpack(right_sides(), solution.data(), call_.b);
    say(info);
    return true;
  }

  [[nodiscard]] bool solve_with_lu(Block<T> a) {
    std::vector<T> pivots;
    for (std::int64_t k = 0; k < call_.n; ++k) {
      const std::int64_t pivot = integer_at(call_.pivots, k, call_.width);
      if (pivot < 1 || pivot > call_.n) return false;
      pivots.push_back(T(static_cast<RealOf<T>>(pivot)));
    }
    std::vector<T> solution;
    if (!solve_lu(a, call_.op, pivots, solution)) return false;
    unpack(right_sides(), solution.data(), call_.b);
    say(0);
    return true;
  }

  [[nodiscard]] View<T> right_sides() const {
    const std::int64_t rows = call_.task == Task::ormqr ? call_.m : call_.n;
    return whole<T>(call_.b, rows, call_.task == Task::ormqr ? call_.n : call_.k, call_.ldb);
  }

  /// Exchanges rows as the pivots say, or back.
  void exchange(std::vector<T>& b, const std::vector<T>& pivots, bool is_back) const {
    for (std::int64_t j = 0; j < call_.k; ++j)
      for (std::int64_t step = 0; step < call_.n; ++step) {
        const std::int64_t i = is_back ? call_.n - 1 - step : step;
        const std::int64_t other = rounded(pivots[static_cast<std::size_t>(i)]) - 1;
        std::swap(b[static_cast<std::size_t>(i + j * call_.n)],
                  b[static_cast<std::size_t>(other + j * call_.n)]);
      }
  }

  [[nodiscard]] bool solve_lu(Block<T> a, char op, const std::vector<T>& pivots,
                              std::vector<T>& solution) {
    std::vector<T> packed(static_cast<std::size_t>(call_.n * call_.k));
    pack(right_sides(), packed.data());
    if (op == 'N') exchange(packed, pivots, false);
    const Block<T> b = run_.send(std::move(packed));
    const std::uint32_t flags = flags_of<T>(op);
    if (op == 'N') {
      solve(unit, a, b);
      solve(upper, a, b);
    } else {
      solve(upper | flags, a, b);
      solve(unit | flags, a, b);
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

  [[nodiscard]] bool solve_with_cholesky(Block<T> a) {
    const Block<T> b = run_.send(right_sides());
    const std::uint32_t adjoint = flags_of<T>('C');
    if (call_.uplo == 'U') {
      solve(upper | adjoint, a, b);
      solve(upper, a, b);
    } else {
      solve(0, a, b);
      solve(adjoint, a, b);
    }
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
    if (vectors != nullptr) unpack(whole<T>(call_.a, n, n, call_.lda), vectors->data(), call_.a);
    write_values(numbers);
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
