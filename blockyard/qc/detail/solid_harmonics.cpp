// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/solid_harmonics.h"

#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/detail/libint_shell.h"

namespace blockyard::qc::detail {

std::vector<double> component_density(int angular_momentum, bool spherical) {
  const bool pure = spherical || angular_momentum < 2;
  const auto n = static_cast<std::size_t>(shell_function_count(angular_momentum, pure));
  std::vector<double> density(n * n, 0.0);
  if (pure) {
    for (std::size_t k = 0; k < n; ++k) density[k * (n + 1)] = 1.0;
    return density;
  }
  const auto& harmonics = libint2::solidharmonics::SolidHarmonicsCoefficients<double>::instance(
      static_cast<unsigned int>(angular_momentum));
  for (int m = 0; m < 2 * angular_momentum + 1; ++m) {
    const auto count = harmonics.nnz(static_cast<std::size_t>(m));
    const double* values = harmonics.row_values(static_cast<std::size_t>(m));
    const auto* functions = harmonics.row_idx(static_cast<std::size_t>(m));
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i)
        density[functions[i] + n * functions[j]] += values[i] * values[j];
  }
  return density;
}

}  // namespace blockyard::qc::detail
