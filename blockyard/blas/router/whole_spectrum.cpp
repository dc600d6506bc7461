// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "blockyard/blas/router/whole_work.h"

namespace blockyard::blas {

namespace {

/// Eigenvalues and singular values, with vectors or without.
template <class T>
class Spectrum final : WholeWork<T> {
 public:
  Spectrum(const WholeCall<T>& call, const On& on) : WholeWork<T>(call, on) {}
  [[nodiscard]] bool compute() {
    switch (call_.task) {
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
  using WholeWork<T>::call_, WholeWork<T>::run_, WholeWork<T>::say;

  void write_values(const std::vector<T>& numbers) {
    std::transform(numbers.begin(), numbers.end() - 1, call_.values,
                   [](const T& value) { return std::real(value); });
    say(rounded(numbers.back()));
  }

  [[nodiscard]] bool find_eigenvalues() {
    const std::int64_t n = call_.n;
    View<T> view = triangle<T>(call_.a, n, call_.lda, call_.uplo);
    view.has_real_diagonal = is_complex<T>;
    const Block<T> a = run_.send(view), extra = run_.make(n + 1);
    const std::uint32_t flags = (call_.uplo == 'U' ? upper : 0U) |
                                (wants_vectors(call_) ? std::uint32_t{blockyard_vectors} : 0U);
    run_.run(BLOCKYARD_SPECTRUM, flags, {a, n, n}, {a, n, n}, {extra});
    const std::vector<T>& numbers = run_.fetch(extra);
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
    const Block<T> a = run_.send(whole<T>(call_.a, n, n, call_.lda)), extra = run_.make(values + 1),
                   right = run_.make(has_right ? n * n : 1);
    const std::uint32_t flags = blockyard_general |
                                (has_right ? std::uint32_t{blockyard_vectors} : 0U) |
                                (has_left ? std::uint32_t{blockyard_left_vectors} : 0U);
    run_.run(BLOCKYARD_SPECTRUM, flags, {right, n, has_right ? n : 0}, {a, n, n}, {extra});
    const std::vector<T>& numbers = run_.fetch(extra);
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
    const Block<T> a = run_.send(whole<T>(call_.a, m, n, call_.lda)), extra = run_.make(least + 1);
    const bool has_vectors = wants_vectors(call_);
    const Block<T> u = run_.make(has_vectors ? m * least : 1);
    const std::uint32_t flags =
        blockyard_singular | (has_vectors ? std::uint32_t{blockyard_vectors} : 0U);
    run_.run(BLOCKYARD_SPECTRUM, flags, {u, m, has_vectors ? least : 0}, {a, m, n}, {extra});
    const std::vector<T>& numbers = run_.fetch(extra);
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
};

}  // namespace

template <class T>
bool compute_spectrum(const WholeCall<T>& call, const On& on) {
  return Spectrum<T>(call, on).compute();
}

template bool compute_spectrum(const WholeCall<float>&, const On&);
template bool compute_spectrum(const WholeCall<double>&, const On&);
template bool compute_spectrum(const WholeCall<c64>&, const On&);
template bool compute_spectrum(const WholeCall<c128>&, const On&);

}  // namespace blockyard::blas
