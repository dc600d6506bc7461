// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

namespace blockyard::blas {

/// exp(2 pi i number / n), of two tables of about the square root of n.
class Roots {
 public:
  explicit Roots(std::int64_t n) : n_(n) {
    while (low_ * low_ < n) low_ *= 2;
    for (std::int64_t k = 0; k < low_; ++k) fine_.push_back(at(k));
    for (std::int64_t k = 0; k < n; k += low_) coarse_.push_back(at(k));
  }
  [[nodiscard]] std::complex<double> operator()(std::int64_t number) const noexcept {
    return coarse_[static_cast<std::size_t>(number / low_)] *
           fine_[static_cast<std::size_t>(number % low_)];
  }

 private:
  [[nodiscard]] std::complex<double> at(std::int64_t number) const noexcept {
    return std::polar(1.0,
                      2 * std::numbers::pi * static_cast<double>(number) / static_cast<double>(n_));
  }
  std::int64_t n_, low_ = 1;
  std::vector<std::complex<double>> fine_, coarse_;
};

}  // namespace blockyard::blas
