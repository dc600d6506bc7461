// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

/// What the parts of the program that calls FFTW share: numbers, the definition, and the count.
namespace transforms {

using Complex = std::complex<double>;
inline int failures = 0, tests = 0;
inline int executions = 0;  ///< of plans

/// By the definition, over all indexes of a dense array, the last one fastest: sums of values times
/// weight(axis, j, k).
template <class Weight>
std::vector<Complex> sums(std::vector<Complex> values, const std::vector<int>& n,
                          const Weight& weight) {
  std::size_t inner = 1;
  for (std::size_t axis = n.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(n[axis]);
    std::vector<Complex> made(values.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
      const std::size_t k = at / inner % extent, first = at - k * inner;
      for (std::size_t j = 0; j < extent; ++j)
        made[at] += values[first + j * inner] * weight(axis, j, k);
    }
    values = std::move(made);
    inner *= extent;
  }
  return values;
}

inline std::vector<Complex> transform(std::vector<Complex> values, const std::vector<int>& n,
                                      int sign) {
  return sums(std::move(values), n, [&](std::size_t axis, std::size_t j, std::size_t k) {
    const auto extent = static_cast<std::size_t>(n[axis]);
    return std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % extent) /
                               static_cast<double>(extent));
  });
}

template <class T>
std::vector<T> drawn(std::size_t count) {
  static unsigned state = 1;
  const auto next = [] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 16) / 65536 - 0.5;
  };
  std::vector<T> made(count);
  for (T& value : made) {
    if constexpr (sizeof(T) == 2 * sizeof(decltype(std::real(T{}))))
      value = {static_cast<typename T::value_type>(next()),
               static_cast<typename T::value_type>(next())};
    else
      value = static_cast<T>(next());
  }
  return made;
}

template <class T>
std::vector<Complex> wide(const std::vector<T>& values) {
  std::vector<Complex> made;
  for (const T& value : values) made.push_back(Complex(value));
  return made;
}

inline void judge(const char* what, const std::vector<Complex>& found,
                  const std::vector<Complex>& wanted, double bound) {
  ++tests;
  double worst = found.size() == wanted.size() ? 0 : 1e300;
  for (std::size_t k = 0; k < std::min(found.size(), wanted.size()); ++k) {
    const double error = std::abs(found[k] - wanted[k]);
    worst = std::isnan(error) ? 1e300 : std::max(worst, error);
  }
  if (worst <= bound) return;
  ++failures;
  std::printf("%s: error %g\n", what, worst);
}

/// Split arrays, real transforms, and Fortran's names of everything.
void check_split();
void check_real_to_real();
void check_fortran();
/// Transforms that a device with little memory computes in passes.
void check_large();

}  // namespace transforms
