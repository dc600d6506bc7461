// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace blockyard::qc::detail {

/// Density of a shell whose spherical components are occupied by one electron each, in the
/// functions of the basis: the identity for spherical functions (and s, p),
///   out(c,c') = sum over m of  T(m,c) T(m,c'),   chi_m = sum over c of  T(m,c) chi_c
/// for Cartesian ones. First index fastest.
[[nodiscard]] std::vector<double> component_density(int angular_momentum, bool spherical);

}  // namespace blockyard::qc::detail
