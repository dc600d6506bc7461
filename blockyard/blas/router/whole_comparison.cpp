// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "blockyard/blas/router/comparison.h"

namespace blockyard::blas {

namespace {

template <class T>
constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();

/// The results of a call of LAPACK as stored after it, and what it overwrites.
template <class T>
struct Outcome {
  std::vector<T> a, b, u, vt, tau;
  std::vector<RealOf<T>> values;
  std::vector<std::complex<double>> eigenvalues;
  std::vector<std::byte> pivots, info;
};

bool is_solution(Task task) noexcept {
  return task == Task::gesv || task == Task::getrs || task == Task::posv || task == Task::potrs;
}
bool is_eigen(Task task) noexcept {
  return task == Task::syev || task == Task::syevd || task == Task::syevr;
}
bool is_inverse(Task task) noexcept { return task == Task::getri || task == Task::potri; }

/// The larger one. What is not a number is larger than all.
double larger(double one, double other) noexcept {
  return std::isnan(one) || one > other ? one : other;
}

template <class T>
class WholeComparison final : public Comparison {
 public:
  explicit WholeComparison(const WholeCall<T>& call) : call_(call), before_(outcome()) {}
  void keep_theirs() override {
    theirs_ = outcome();
    put_back();
  }
  double bound() const noexcept override { return 30; }
  double residual() override {
    const Outcome<T> ours = outcome();
    if (ours.info != theirs_.info) return std::numeric_limits<double>::infinity();
    if (std::ranges::any_of(ours.info, [](std::byte byte) { return byte != std::byte{}; }))
      return 0;  // after a failure only `info` is specified
    if (lacks_differences(ours)) return std::numeric_limits<double>::infinity();
    double worst = 0;
    if (is_solution(call_.task)) worst = of_solutions(ours);
    if (call_.task == Task::ormqr) worst = of(ours.b, theirs_.b, norm_of(ours.b));
    if (call_.task == Task::orgqr) worst = of(ours.a, theirs_.a, norm_of(ours.a));
    if (is_inverse(call_.task)) worst = of_inverses(ours);
    if (call_.task == Task::gels) worst = of_fits(ours);
    if (call_.task == Task::geev) return of_eigenvectors();
    if (!ours.values.empty()) worst = larger(worst, of_values(ours));
    if (has_factors()) worst = larger(worst, of_products(ours));
    return worst;
  }

 private:
  [[nodiscard]] std::int64_t rows() const {
    const Task task = call_.task;
    if (task == Task::ormqr) return call_.side == 'L' ? call_.m : call_.n;
    const bool has_m = task == Task::getrf || task == Task::geqrf || task == Task::orgqr ||
                       task == Task::gels || is_singular();
    return has_m ? call_.m : call_.n;
  }
  [[nodiscard]] std::int64_t columns() const {
    return call_.task == Task::ormqr ? call_.k : call_.n;
  }
  [[nodiscard]] bool is_singular() const {
    return call_.task == Task::gesvd || call_.task == Task::gesdd;
  }
  [[nodiscard]] bool is_cholesky() const {
    return call_.task == Task::potrf || call_.task == Task::posv || call_.task == Task::potrs ||
           call_.task == Task::potri;
  }
  [[nodiscard]] double scale() const {
    return eps<T> * static_cast<double>(std::max({rows(), columns(), std::int64_t{1}}));
  }
  /// Eigenvectors fill the whole of a matrix of which only a triangle is read.
  [[nodiscard]] View<T> view_of_a() const {
    View<T> view{.at = call_.a, .rows = rows(), .columns = columns(), .leading = call_.lda};
    if (is_cholesky()) view.fill = Fill::zero, view.is_upper = call_.uplo == 'U';
    return view;
  }
  [[nodiscard]] View<T> view_of_b() const {
    const bool is_product = call_.task == Task::ormqr;
    return {.at = call_.b,
            .rows = is_product                 ? call_.m
                    : call_.task == Task::gels ? std::max(call_.m, call_.n)
                                               : call_.n,
            .columns = is_product ? call_.n : call_.k,
            .leading = call_.ldb};
  }
  [[nodiscard]] std::int64_t least() const { return std::min(rows(), columns()); }
  [[nodiscard]] View<T> view_of_u() const {
    return {.at = call_.u, .rows = rows(), .columns = least(), .leading = call_.ldu};
  }
  [[nodiscard]] View<T> view_of_vt() const {
    return {.at = call_.vt, .rows = least(), .columns = call_.n, .leading = call_.ldvt};
  }
  [[nodiscard]] char job_vt() const { return call_.task == Task::gesdd ? call_.job : call_.job_vt; }
  [[nodiscard]] bool has_u() const {
    if (call_.task == Task::syevr || call_.task == Task::geev) return call_.job == 'V';
    return is_singular() && (call_.job == 'S' || call_.job == 'A');
  }
  [[nodiscard]] bool has_vt() const {
    if (call_.task == Task::geev) return call_.job_vt == 'V';
    return is_singular() && (job_vt() == 'S' || job_vt() == 'A');
  }
  [[nodiscard]] bool has_b() const {
    return is_solution(call_.task) || call_.task == Task::ormqr || call_.task == Task::gels;
  }
  [[nodiscard]] bool has_pivots() const {
    return call_.task == Task::getrf || call_.task == Task::gesv || call_.task == Task::getri;
  }

  [[nodiscard]] Outcome<T> outcome() const {
    Outcome<T> now;
    now.a = dense_copy(view_of_a());
    if (has_b()) now.b = dense_copy(view_of_b());
    if (has_u()) now.u = dense_copy(view_of_u());
    if (has_vt()) now.vt = dense_copy(view_of_vt());
    if (call_.task == Task::geqrf) now.tau.assign(call_.tau, call_.tau + least());
    if (is_singular() || is_eigen(call_.task))
      now.values.assign(call_.values, call_.values + least());
    if (call_.task == Task::geev) now.eigenvalues = eigenvalues();
    const auto bytes = static_cast<std::size_t>(call_.width / 8);
    const auto* const info = static_cast<const std::byte*>(call_.info);
    now.info.assign(info, info + bytes);
    if (has_pivots()) {
      const auto* const first = static_cast<const std::byte*>(call_.pivots);
      now.pivots.assign(first, first + bytes * static_cast<std::size_t>(least()));
    }
    return now;
  }
  [[nodiscard]] std::vector<std::complex<double>> eigenvalues() const {
    std::vector<std::complex<double>> all;
    for (std::int64_t k = 0; k < call_.n; ++k) {
      if constexpr (is_complex<T>)
        all.emplace_back(call_.complex_values[k]);
      else
        all.emplace_back(call_.values[k], call_.imaginary[k]);
    }
    return all;
  }
  /// What the local library reads. What a call does not change it is not written either.
  void put_back() const {
    if (theirs_.a != before_.a) unpack(view_of_a(), before_.a.data(), call_.a);
    if (has_b()) unpack(view_of_b(), before_.b.data(), call_.b);
  }

  /// Whether some of the results that are specified have no difference.
  [[nodiscard]] bool lacks_differences(const Outcome<T>& ours) const {
    const bool is_of_a = is_inverse(call_.task) || call_.task == Task::orgqr ||
                         (has_factors() && !is_singular() && call_.task != Task::syevr);
    // Below the solution, gels leaves what only its norm is specified of.
    const bool is_of_b = has_b() && call_.task != Task::gels;
    return (is_of_a && has_no_difference(ours.a, theirs_.a)) ||
           (is_of_b && has_no_difference(ours.b, theirs_.b)) ||
           has_no_difference(ours.u, theirs_.u) || has_no_difference(ours.vt, theirs_.vt) ||
           has_no_difference(ours.tau, theirs_.tau) ||
           has_no_difference(ours.values, theirs_.values) ||
           has_no_difference(ours.eigenvalues, theirs_.eigenvalues);
  }

  [[nodiscard]] double of(const std::vector<T>& one, const std::vector<T>& other,
                          double size) const {
    if (has_no_difference(one, other)) return std::numeric_limits<double>::infinity();
    const double apart = norm_of(difference(one, other));
    return apart == 0 ? 0 : apart / (scale() * size);
  }

  /// The matrix of the equations times the difference: rows that were exchanged change no norm.
  [[nodiscard]] double of_solutions(const Outcome<T>& ours) const {
    const std::int64_t n = call_.n;
    const std::vector<T> apart = difference(ours.b, theirs_.b);
    const std::vector<T> matrix = finite_part(call_.task == Task::gesv   ? before_.a
                                              : call_.task == Task::posv ? mirrored(before_.a)
                                                                         : made_of(before_));
    const bool turns = call_.task == Task::getrs && call_.op != 'N';
    const std::vector<T> made =
        product(turns ? turned(matrix, n, n, call_.op) : matrix, apart, n, call_.k, n);
    const double residual = norm_of_rest(made);
    return residual == 0 ? 0 : residual / (scale() * norm_of(matrix) * norm_of(ours.b));
  }

  /// The matrix that was inverted times the difference.
  [[nodiscard]] double of_inverses(const Outcome<T>& ours) const {
    const std::int64_t n = call_.n;
    const bool is_half = call_.task == Task::potri;
    const std::vector<T> matrix = finite_part(made_of(before_));
    const std::vector<T> apart = difference(ours.a, theirs_.a);
    const double residual =
        norm_of_rest(product(matrix, is_half ? mirrored(apart) : apart, n, n, n));
    return residual == 0 ? 0 : residual / (scale() * norm_of(matrix) * norm_of(ours.a));
  }

  /// What the matrix makes of the difference of two solutions of least squares, next to the matrix
  /// times the solution and the right sides.
  [[nodiscard]] double of_fits(const Outcome<T>& ours) const {
    const bool turns = call_.op != 'N';
    const std::int64_t unknowns = turns ? call_.m : call_.n, equations = turns ? call_.n : call_.m,
                       all = std::max(call_.m, call_.n);
    const auto top = [&](const std::vector<T>& b) {
      std::vector<T> x;
      for (std::int64_t j = 0; j < call_.k; ++j)
        x.insert(x.end(), b.begin() + j * all, b.begin() + j * all + unknowns);
      return x;
    };
    const std::vector<T> matrix =
        finite_part(turns ? turned(before_.a, call_.m, call_.n, call_.op) : before_.a);
    const std::vector<T> x = top(ours.b), found = top(theirs_.b);
    if (has_no_difference(x, found)) return std::numeric_limits<double>::infinity();
    const double residual =
        norm_of_rest(product(matrix, difference(x, found), equations, call_.k, unknowns));
    const double size = norm_of(matrix) * norm_of(x) + norm_of(before_.b);
    return residual == 0 ? 0 : residual / (scale() * size);
  }

  /// Of a general matrix: A V - V D and A^H U - U conj(D) of what the device found; without vectors
  /// the sum of the values, which is the trace. Values themselves may be ill-conditioned.
  [[nodiscard]] double of_eigenvectors() const {
    const auto n = static_cast<std::size_t>(call_.n);
    const double size = scale() * norm_of(before_.a);
    std::complex<double> sum = 0, trace = 0;
    for (std::size_t k = 0; k < n; ++k)
      sum += theirs_.eigenvalues[k], trace += std::complex<double>(before_.a[k + k * n]);
    double worst = std::abs(sum - trace) / std::sqrt(static_cast<double>(n));
    for (const bool is_left : {true, false}) {
      const std::vector<T>& vectors = is_left ? theirs_.u : theirs_.vt;
      if (vectors.empty()) continue;
      const std::vector<T> made =
          product(is_left ? turned(before_.a, call_.n, call_.n, 'C') : before_.a, vectors, call_.n,
                  call_.n, call_.n);
      for (std::size_t k = 0; k < n; ++k) {
        const std::complex<double> value =
            is_left ? std::conj(theirs_.eigenvalues[k]) : theirs_.eigenvalues[k];
        // Real vectors of a pair of values: the real part, then the imaginary one.
        const bool has_pair = !is_complex<T> && theirs_.eigenvalues[k].imag() > 0;
        double apart = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = i + k * n;
          const std::complex<double> vector =
              has_pair ? std::complex<double>(std::real(vectors[at]), std::real(vectors[at + n]))
                       : std::complex<double>(vectors[at]);
          const std::complex<double> image =
              has_pair ? std::complex<double>(std::real(made[at]), std::real(made[at + n]))
                       : std::complex<double>(made[at]);
          apart += std::norm(image - value * vector);
        }
        worst = larger(worst, std::sqrt(apart));
        k += has_pair ? 1 : 0;
      }
    }
    return worst == 0 ? 0 : worst / size;
  }

  [[nodiscard]] double of_values(const Outcome<T>& ours) const {
    double largest = 0, apart = 0;
    for (const RealOf<T> value : finite_part(ours.values))
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    for (const RealOf<T> value : difference(ours.values, theirs_.values))
      apart = std::max(apart, std::abs(static_cast<double>(value)));
    return apart == 0 ? 0 : apart / (scale() * largest);
  }

  [[nodiscard]] bool has_factors() const {
    if (is_eigen(call_.task)) return wants_vectors(call_);
    if (is_singular()) return has_u() && has_vt();
    return call_.task == Task::getrf || call_.task == Task::gesv || call_.task == Task::potrf ||
           call_.task == Task::posv || call_.task == Task::geqrf;
  }
  [[nodiscard]] double of_products(const Outcome<T>& ours) const {
    const std::vector<T> made = made_of(ours);
    return of(made, made_of(theirs_), norm_of(made));
  }

  [[nodiscard]] std::vector<T> mirrored(const std::vector<T>& dense) const {
    std::vector<T> full = dense;
    const std::vector<T> other = turned(dense, call_.n, call_.n, 'C');
    for (std::int64_t j = 0; j < call_.n; ++j)
      for (std::int64_t i = 0; i < call_.n; ++i)
        if (call_.uplo == 'U' ? i > j : i < j)
          full[static_cast<std::size_t>(i + j * call_.n)] =
              other[static_cast<std::size_t>(i + j * call_.n)];
    return full;
  }

  /// The product of the factors in `from`: L U, with rows exchanged back where there are pivots, L
  /// L^H, R^H R, Z D Z^H, U S V^H.
  [[nodiscard]] std::vector<T> made_of(const Outcome<T>& from) const {
    const std::int64_t m = rows(), n = columns(), k = least();
    if (is_cholesky()) {
      const std::vector<T> other = turned(from.a, n, n, 'C');
      return call_.uplo == 'U' ? product(other, from.a, n, n, n) : product(from.a, other, n, n, n);
    }
    if (is_eigen(call_.task)) {
      const std::vector<T>& vectors = call_.task == Task::syevr ? from.u : from.a;
      std::vector<T> scaled = vectors;
      for (std::int64_t at = 0; at < n * n; ++at)
        scaled[static_cast<std::size_t>(at)] *= from.values[static_cast<std::size_t>(at / n)];
      return product(scaled, turned(vectors, n, n, 'C'), n, n, n);
    }
    if (is_singular()) {
      std::vector<T> scaled = from.u;
      for (std::int64_t at = 0; at < m * k; ++at)
        scaled[static_cast<std::size_t>(at)] *= from.values[static_cast<std::size_t>(at / m)];
      return product(scaled, from.vt, m, n, k);
    }
    std::vector<T> lower(static_cast<std::size_t>(m * k)), upper(static_cast<std::size_t>(k * n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        const T value = from.a[static_cast<std::size_t>(i + j * m)];
        if (i <= j && i < k) upper[static_cast<std::size_t>(i + j * k)] = value;
        if (i >= j && j < k) lower[static_cast<std::size_t>(i + j * m)] = i == j ? T(1) : value;
      }
    if (call_.task == Task::geqrf) return product(turned(upper, k, n, 'C'), upper, n, n, k);
    std::vector<T> made = product(lower, upper, m, n, k);
    exchange_back(made, from.pivots);
    return made;
  }

  void exchange_back(std::vector<T>& matrix, const std::vector<std::byte>& pivots) const {
    const auto bytes = static_cast<std::size_t>(call_.width / 8);
    for (auto i = static_cast<std::int64_t>(pivots.size() / bytes) - 1; i >= 0; --i) {
      std::int64_t pivot = 0;  // little-endian, positive
      std::memcpy(&pivot, pivots.data() + static_cast<std::size_t>(i) * bytes, bytes);
      for (std::int64_t j = 0; j < columns(); ++j)
        std::swap(matrix[static_cast<std::size_t>(i + j * rows())],
                  matrix[static_cast<std::size_t>(pivot - 1 + j * rows())]);
    }
  }

  const WholeCall<T> call_;
  const Outcome<T> before_;
  Outcome<T> theirs_;
};

}  // namespace

template <class T>
std::unique_ptr<Comparison> compare_whole(const WholeCall<T>& call) {
  return std::make_unique<WholeComparison<T>>(call);
}

template std::unique_ptr<Comparison> compare_whole(const WholeCall<float>&);
template std::unique_ptr<Comparison> compare_whole(const WholeCall<double>&);
template std::unique_ptr<Comparison> compare_whole(const WholeCall<c64>&);
template std::unique_ptr<Comparison> compare_whole(const WholeCall<c128>&);

}  // namespace blockyard::blas
