// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "blockyard/base/error.h"
#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor {
namespace {

template <class T>
void check_lengths(std::span<const T> x, std::span<T> y) {
  if (x.size() != y.size())
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("blocks of {} and {} elements in one operation", x.size(), y.size()));
}

/// The reals of x, two for each complex number.
template <class T>
std::span<const Real<T>> reals(std::span<const T> x) noexcept {
  constexpr std::size_t parts = sizeof(T) / sizeof(Real<T>);
  return {reinterpret_cast<const Real<T>*>(x.data()), x.size() * parts};
}

/// largest |x[i]|; a NaN if there is one, in any place.
template <class R>
R max_abs_real(std::span<const R> x) noexcept {
  R largest = 0;
  for (const R value : x) {
    const R size = std::abs(value);
    if (!(size <= largest)) largest = size;
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

}  // namespace

template <Element T>
void fill(std::span<T> x, std::type_identity_t<T> value) noexcept {
  detail::kernels<T>().fill(std::ssize(x), value, x.data());
}

template <Element T>
void scale(std::span<T> x, std::type_identity_t<T> alpha) noexcept {
  const Extent count = std::ssize(x);
  detail::kernels<T>().axpby(count, 1, alpha, x.data(), count, T(0), x.data(), count);
}

template <Element T>
void add_scalar(std::span<T> x, std::type_identity_t<T> value) noexcept {
  detail::kernels<T>().add_scalar(std::ssize(x), value, x.data());
}

template <Element T>
void axpy(std::type_identity_t<T> alpha, std::span<const T> x, std::span<T> y) {
  axpby<T>(alpha, x, T(1), y);
}

template <Element T>
void axpby(std::type_identity_t<T> alpha, std::span<const T> x, std::type_identity_t<T> beta,
           std::span<T> y) {
  check_lengths<T>(x, y);
  const Extent count = std::ssize(x);
  detail::kernels<T>().axpby(count, 1, alpha, x.data(), count, beta, y.data(), count);
}

template <Element T>
T dot(std::span<const T> x, std::span<const T> y) {
  check_lengths<const T>(x, y);
  return detail::kernels<T>().dot(std::ssize(x), x.data(), y.data());
}

template <Element T>
T dot_conjugate(std::span<const T> x, std::span<const T> y) {
  check_lengths<const T>(x, y);
  return detail::kernels<T>().dot_conjugate(std::ssize(x), x.data(), y.data());
}

template <Element T>
T sum(std::span<const T> x) noexcept {
  return detail::kernels<T>().sum(std::ssize(x), x.data());
}

template <Element T>
Real<T> norm2(std::span<const T> x) noexcept {
  using R = Real<T>;
  const auto values = reals(x);
  const R squares = detail::kernels<R>().dot(std::ssize(values), values.data(), values.data());
  // Where the squares left the safe range, a second pass works on values scaled to at most 1.
  constexpr R smallest = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon();
  if (squares >= smallest && squares <= std::numeric_limits<R>::max()) return std::sqrt(squares);
  const R largest = max_abs_real(values);
  if (largest == R(0) || !std::isfinite(largest)) return largest;
  R scaled = 0;
  for (const R value : values) scaled += (value / largest) * (value / largest);
  return largest * std::sqrt(scaled);
}

template <Element T>
Real<T> max_abs(std::span<const T> x) noexcept {
  if constexpr (std::same_as<T, Real<T>>) {
    return max_abs_real(x);
  } else {
    Real<T> largest = 0;
    for (const T& value : x) {
      const Real<T> size = std::abs(value);
      if (!(size <= largest)) largest = size;
      if (std::isnan(largest)) return largest;
    }
    return largest;
  }
}

template void fill<float>(std::span<float>, float) noexcept;
template void scale<float>(std::span<float>, float) noexcept;
template void add_scalar<float>(std::span<float>, float) noexcept;
template void axpy<float>(float, std::span<const float>, std::span<float>);
template void axpby<float>(float, std::span<const float>, float, std::span<float>);
template float dot<float>(std::span<const float>, std::span<const float>);
template float dot_conjugate<float>(std::span<const float>, std::span<const float>);
template float sum<float>(std::span<const float>) noexcept;
template float norm2<float>(std::span<const float>) noexcept;
template float max_abs<float>(std::span<const float>) noexcept;

template void fill<double>(std::span<double>, double) noexcept;
template void scale<double>(std::span<double>, double) noexcept;
template void add_scalar<double>(std::span<double>, double) noexcept;
template void axpy<double>(double, std::span<const double>, std::span<double>);
template void axpby<double>(double, std::span<const double>, double, std::span<double>);
template double dot<double>(std::span<const double>, std::span<const double>);
template double dot_conjugate<double>(std::span<const double>, std::span<const double>);
template double sum<double>(std::span<const double>) noexcept;
template double norm2<double>(std::span<const double>) noexcept;
template double max_abs<double>(std::span<const double>) noexcept;

template void fill<c64>(std::span<c64>, c64) noexcept;
template void scale<c64>(std::span<c64>, c64) noexcept;
template void add_scalar<c64>(std::span<c64>, c64) noexcept;
template void axpy<c64>(c64, std::span<const c64>, std::span<c64>);
template void axpby<c64>(c64, std::span<const c64>, c64, std::span<c64>);
template c64 dot<c64>(std::span<const c64>, std::span<const c64>);
template c64 dot_conjugate<c64>(std::span<const c64>, std::span<const c64>);
template c64 sum<c64>(std::span<const c64>) noexcept;
template float norm2<c64>(std::span<const c64>) noexcept;
template float max_abs<c64>(std::span<const c64>) noexcept;

template void fill<c128>(std::span<c128>, c128) noexcept;
template void scale<c128>(std::span<c128>, c128) noexcept;
template void add_scalar<c128>(std::span<c128>, c128) noexcept;
template void axpy<c128>(c128, std::span<const c128>, std::span<c128>);
template void axpby<c128>(c128, std::span<const c128>, c128, std::span<c128>);
template c128 dot<c128>(std::span<const c128>, std::span<const c128>);
template c128 dot_conjugate<c128>(std::span<const c128>, std::span<const c128>);
template c128 sum<c128>(std::span<const c128>) noexcept;
template double norm2<c128>(std::span<const c128>) noexcept;
template double max_abs<c128>(std::span<const c128>) noexcept;

}  // namespace blockyard::tensor
