// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/detail/libint_shell.h"

namespace blockyard::qc::detail {

/// Integrals over the effective core potentials of a basis, by pairs of shells: the local parts by
/// LocalCore (the quadrature of libecpint 1.0.7 has errors of 1e-9 there), the others by libecpint.
/// Immutable. Any thread.
/// Source: libecpint (R. Shaw), J. Chem. Phys. 147, 074108 (2017).
class CoreIntegrals {
 public:
  /// shells: those of the basis, with the coefficients of bare primitives that libint gives them.
  CoreIntegrals(const AoBasis& basis, std::span<const libint2::Shell> shells);
  ~CoreIntegrals();
  CoreIntegrals(const CoreIntegrals&) = delete;
  CoreIntegrals& operator=(const CoreIntegrals&) = delete;

  /// <a|U|b>, hartree, for the functions of two shells, that of a fastest. U: all potentials.
  [[nodiscard]] std::vector<double> of_pair(std::size_t a, std::size_t b) const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

}  // namespace blockyard::qc::detail
