// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/vectors.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace blockyard::blas {

namespace {

/// Calls with fewer elements take less time than a message.
constexpr std::int64_t least_elements = 4096;

template <class T>
T conjugate(const T& value) noexcept {
  if constexpr (is_complex<T>) return std::conj(value);
  return value;
}

struct Bytes {
  std::uintptr_t begin, end;
  [[nodiscard]] bool overlaps(const Bytes& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
};

template <class T>
Bytes bytes_of(const T* at, std::int64_t elements) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  return {begin, begin + static_cast<std::uintptr_t>(elements) * sizeof(T)};
}
template <class T>
Bytes vector_bytes(const T* at, std::int64_t count, std::int64_t step) noexcept {
  return bytes_of(at, (count - 1) * std::abs(step) + 1);
}

constexpr bool is_square(VectorForm form) noexcept {
  return form == VectorForm::symv || form == VectorForm::hemv || form == VectorForm::trmv ||
         form == VectorForm::trsv;
}
constexpr bool is_update(VectorForm form) noexcept {
  return form == VectorForm::ger || form == VectorForm::gerc;
}
constexpr bool is_dot(VectorForm form) noexcept {
  return form == VectorForm::dot || form == VectorForm::dotc;
}
constexpr bool is_in_place(VectorForm form) noexcept {
  return form == VectorForm::trmv || form == VectorForm::trsv;
}
constexpr bool has_matrix(VectorForm form) noexcept {
  return form != VectorForm::axpy && !is_dot(form);
}

/// Elements of x and of y.
template <class T>
std::pair<std::int64_t, std::int64_t> lengths_of(const VectorCall<T>& call) noexcept {
  if (call.form == VectorForm::gemv && call.op == 'N') return {call.n, call.m};
  if (call.form == VectorForm::gemv || is_update(call.form)) return {call.m, call.n};
  return {call.n, call.n};
}

template <class T>
bool overlaps(const VectorCall<T>& call) noexcept {
  const auto [nx, ny] = lengths_of(call);
  const Bytes x = vector_bytes(call.x, nx, call.incx);
  const std::int64_t rows = is_square(call.form) ? call.n : call.m;
  const Bytes a = bytes_of(call.a, (call.n - 1) * call.lda + rows);
  if (is_in_place(call.form)) return a.overlaps(x);
  const Bytes y = vector_bytes(call.y, ny, call.incy);
  if (is_update(call.form)) return a.overlaps(x) || a.overlaps(y);
  return !is_dot(call.form) && (x.overlaps(y) || (has_matrix(call.form) && a.overlaps(y)));
}

bool is_one_of(char flag, std::string_view allowed) noexcept {
  return allowed.find(flag) != std::string_view::npos;
}

}  // namespace

template <class T>
std::string name_of(VectorForm form) {
  constexpr std::array<const char*, 10> names = {"gemv", "ger",  "gerc", "symv", "hemv",
                                                 "trmv", "trsv", "dot",  "dotc", "axpy"};
  std::string name = names[static_cast<std::size_t>(form)];
  if (is_complex<T> && (form == VectorForm::ger || form == VectorForm::dot)) name += 'u';
  return name_of<T>(Form::gemm).front() + name;
}

template <class T>
bool is_usual(const VectorCall<T>& call) noexcept {
  const std::int64_t rows = is_square(call.form) ? call.n : call.m;
  if (call.n <= 0 || rows <= 0 || call.alpha == T{} || call.incx == 0 || call.x == nullptr)
    return false;
  if (!is_in_place(call.form) && (call.incy == 0 || call.y == nullptr)) return false;
  if (!is_one_of(call.uplo, "UL") || !is_one_of(call.op, "NTC") || !is_one_of(call.diag, "NU"))
    return false;
  if (has_matrix(call.form) && (call.a == nullptr || call.lda < rows)) return false;
  return (has_matrix(call.form) ? call.n >= (least_elements + rows - 1) / rows
                                : call.n >= least_elements) &&
         !overlaps(call);
}

/// The matrix is the transposed one; where that would have to be conjugated too, it counts so.
template <class T>
VectorCall<T> by_columns(VectorCall<T> call) noexcept {
  if (is_update(call.form)) {
    std::swap(call.m, call.n);
    std::swap(call.x, call.y);
    std::swap(call.incx, call.incy);
    call.has_conjugate_x = call.form == VectorForm::gerc;
    call.form = VectorForm::ger;
    return call;
  }
  if (is_square(call.form) && is_one_of(call.uplo, "UL")) call.uplo = call.uplo == 'U' ? 'L' : 'U';
  if (call.form == VectorForm::gemv) std::swap(call.m, call.n);
  call.is_conjugated = call.form == VectorForm::hemv;
  if (call.form == VectorForm::gemv || is_in_place(call.form)) {
    call.is_conjugated = call.op == 'C';
    call.op = call.op == 'N' ? 'T' : is_one_of(call.op, "TC") ? 'N' : call.op;
  }
  return call;
}

template <class T>
typename DenseVectors<T>::Strided DenseVectors<T>::strided(T* at, std::int64_t count,
                                                           std::int64_t step) noexcept {
  return {step < 0 ? at - (count - 1) * step : at, step};
}

template <class T>
std::vector<T> DenseVectors<T>::gathered(const Strided& from, std::int64_t count,
                                         bool conjugates) const {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    const T value = from.first[k * from.step];
    made[static_cast<std::size_t>(k)] = conjugates ? conjugate(value) : value;
  }
  return made;
}

template <class T>
void DenseVectors<T>::set_result(T* at, std::int64_t count, std::int64_t step) {
  const Strided where = strided(at, count, step);
  to_ = where.first;
  to_step_ = where.step;
}

/// conj(A) x = conj(A conj(x)): the vectors are conjugated, and their factors.
template <class T>
DenseVectors<T>::DenseVectors(const VectorCall<T>& call) : is_conjugated_(call.is_conjugated) {
  const auto [nx, ny] = lengths_of(call);
  const T alpha = is_conjugated_ ? conjugate(call.alpha) : call.alpha;
  const T beta = is_conjugated_ ? conjugate(call.beta) : call.beta;
  x_ = gathered(strided(call.x, nx, call.incx), nx, is_conjugated_ || call.has_conjugate_x);
  if (!is_in_place(call.form)) y_ = gathered(strided(call.y, ny, call.incy), ny, is_conjugated_);
  Call<T>& c = dense_;
  c = {.uplo = call.uplo,
       .op_a = call.op,
       .diag = call.diag,
       .m = ny,
       .n = 1,
       .k = nx,
       .alpha = alpha,
       .a = call.a,
       .lda = call.lda,
       .b = x_.data(),
       .ldb = nx,
       .beta = beta,
       .c = y_.data(),
       .ldc = ny};
  if (is_update(call.form)) {
    c = {.op_b = call.form == VectorForm::gerc ? 'C' : 'T',
         .m = call.m,
         .n = call.n,
         .k = 1,
         .alpha = alpha,
         .a = x_.data(),
         .lda = nx,
         .b = y_.data(),
         .ldb = ny,
         .beta = T(1),
         .c = call.a,
         .ldc = call.lda};
    return;
  }
  if (is_dot(call.form)) {  // x times y; the result takes the place of one element more
    y_.push_back(*call.result);
    c = {.op_a = call.form == VectorForm::dotc ? 'C' : 'T',
         .m = 1,
         .n = 1,
         .k = call.n,
         .alpha = alpha,
         .a = x_.data(),
         .lda = call.n,
         .b = y_.data(),
         .ldb = call.n,
         .c = &y_.back(),
         .ldc = 1};
    set_result(call.result, 1, 1);
    return;
  }
  if (call.form == VectorForm::axpy) {  // x times one
    x_.push_back(T(1));
    c = {.m = ny,
         .n = 1,
         .k = 1,
         .alpha = alpha,
         .a = x_.data(),
         .lda = nx,
         .b = &x_.back(),
         .ldb = 1,
         .beta = T(1),
         .c = y_.data(),
         .ldc = ny};
  } else if (call.form == VectorForm::symv || call.form == VectorForm::hemv) {
    c.form = call.form == VectorForm::symv ? Form::symm : Form::hemm;
  } else if (is_in_place(call.form)) {
    c.form = call.form == VectorForm::trmv ? Form::trmm : Form::trsm;
    c.c = x_.data();
    c.b = nullptr;
    set_result(call.x, nx, call.incx);
    return;
  }
  set_result(call.y, ny, call.incy);
}

template <class T>
void DenseVectors<T>::take_result() {
  T* const into = dense_.c;
  for (std::int64_t k = 0; k < dense_.m; ++k)
    into[k] = is_conjugated_ ? conjugate(to_[k * to_step_]) : to_[k * to_step_];
}

template <class T>
void DenseVectors<T>::put_result() const {
  const T* const from = dense_.c;
  for (std::int64_t k = 0; k < dense_.m; ++k)
    to_[k * to_step_] = is_conjugated_ ? conjugate(from[k]) : from[k];
}

template <class T>
void DenseVectors<T>::add_rest(std::int64_t complete) const {
  for (std::int64_t j = complete; j < dense_.n; ++j) {
    const T factor = dense_.alpha * (dense_.op_b == 'C' ? conjugate(dense_.b[j]) : dense_.b[j]);
    for (std::int64_t i = 0; i < dense_.m; ++i)
      dense_.c[i + j * dense_.ldc] += dense_.a[i] * factor;
  }
}

template std::string name_of<float>(VectorForm);
template std::string name_of<double>(VectorForm);
template std::string name_of<c64>(VectorForm);
template std::string name_of<c128>(VectorForm);
template bool is_usual(const VectorCall<float>&) noexcept;
template bool is_usual(const VectorCall<double>&) noexcept;
template bool is_usual(const VectorCall<c64>&) noexcept;
template bool is_usual(const VectorCall<c128>&) noexcept;
template VectorCall<float> by_columns(VectorCall<float>) noexcept;
template VectorCall<double> by_columns(VectorCall<double>) noexcept;
template VectorCall<c64> by_columns(VectorCall<c64>) noexcept;
template VectorCall<c128> by_columns(VectorCall<c128>) noexcept;
template class DenseVectors<float>;
template class DenseVectors<double>;
template class DenseVectors<c64>;
template class DenseVectors<c128>;

}  // namespace blockyard::blas
