// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

// Plain loops for the n*n matrices of atoms: n is below 30 or so, first index fastest.
namespace blockyard::qc::detail {

[[nodiscard]] inline std::vector<double> multiply(const std::vector<double>& a,
                                                  const std::vector<double>& b, std::size_t n) {
  std::vector<double> c(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i) c[i + j * n] += a[i + k * n] * b[k + j * n];
  return c;
}

[[nodiscard]] inline std::vector<double> transpose(const std::vector<double>& a, std::size_t n) {
  std::vector<double> t(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) t[j + i * n] = a[i + j * n];
  return t;
}

}  // namespace blockyard::qc::detail
