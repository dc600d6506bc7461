// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The units of energies and moments. CODATA 2018.
namespace blockyard::qc {

inline constexpr double ev_per_hartree = 27.211386245988;
/// A debye is 1e-21 C m^2/s over the speed of light; e bohr is 8.4783536255e-30 C m.
inline constexpr double debye_per_au = 2.541746473;

}  // namespace blockyard::qc
