// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::qc {

/// Consecutive shells: first .. first + count - 1, counted from 0.
struct ShellRange {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ShellRange&, const ShellRange&) = default;
};

/// The accuracy of the repulsion integrals. The defaults leave the energy of the water dimer in
/// aug-cc-pVDZ exact to 1e-11 hartree.
struct IntegralOptions {
  /// Primitive contributions whose s-type estimate is below this are left out. The estimate is not
  /// a bound: with 1e-15 that energy is wrong by 1e-9.
  double primitive_threshold = 1e-18;
  /// Shell quartets whose Schwarz bound  sqrt((ab|ab) (cd|cd))  is below this are zero.
  double schwarz_threshold = 1e-13;
};

/// The data shared by all engines of a molecule: shells, shell pairs, Schwarz bounds. Immutable
/// after construction. Any thread.
class Integrals {
 public:
  /// auxiliary: functions that fit products of two of the basis; none unless they are wanted.
  Integrals(const Molecule& molecule, AoBasis basis, IntegralOptions options = {},
            AoBasis auxiliary = {});
  ~Integrals();
  Integrals(Integrals&&) noexcept;
  Integrals& operator=(Integrals&&) noexcept;

  [[nodiscard]] const AoBasis& basis() const noexcept;
  [[nodiscard]] const AoBasis& auxiliary() const noexcept;
  [[nodiscard]] ShellRange all_shells() const noexcept { return {0, basis().shells.size()}; }
  /// Number of functions in the shells of a range.
  [[nodiscard]] Extent function_count(ShellRange range) const;

  struct Data;  // of this room only: detail/integral_data.h
  [[nodiscard]] const Data& data() const noexcept { return *data_; }

 private:
  friend class IntegralEngine;
  std::unique_ptr<const Data> data_;
};

enum class Axis { x, y, z };

/// Computes blocks of integrals over real functions, in hartree atomic units. Every block `out` has
/// one extent for each range, the functions of its shells, first index fastest, and is overwritten.
/// A wrong size of `out` throws Error{internal}. One thread; the Integrals must outlive it.
/// Source: libint2 (E. Valeev), recurrences of Obara & Saika, J. Chem. Phys. 84, 3963 (1986).
class IntegralEngine {
 public:
  explicit IntegralEngine(const Integrals& shared);
  ~IntegralEngine();
  IntegralEngine(IntegralEngine&&) noexcept;

  [[nodiscard]] const Integrals& shared() const noexcept;

  /// out(a,b) = <a|b>
  void overlap(ShellRange a, ShellRange b, std::span<double> out);
  /// out(a,b) = -1/2 <a|nabla^2|b>
  void kinetic(ShellRange a, ShellRange b, std::span<double> out);
  /// out(a,b) = - sum over A of  Z_A <a| 1/|r - R_A| |b>, Z_A without effective cores
  void nuclear_attraction(ShellRange a, ShellRange b, std::span<double> out);
  /// The attraction by the nuclei of these atoms only.
  void nuclear_attraction_of(std::span<const std::size_t> atoms, ShellRange a, ShellRange b,
                             std::span<double> out);
  /// out(a,b) = <a|U|b> with the effective core potentials U of the basis; zero without any.
  void core_potential(ShellRange a, ShellRange b, std::span<double> out);
  /// out(a,b) = <a|x|b> about the origin, without the charge of the electron
  void dipole(Axis axis, ShellRange a, ShellRange b, std::span<double> out);

  /// out(a,b,c,d) = (ab|cd), chemists' notation: a and b belong to electron 1.
  /// Equal ranges (a = b, c = d, ab = cd) are used: each distinct integral is computed once.
  void electron_repulsion(ShellRange a, ShellRange b, ShellRange c, ShellRange d,
                          std::span<double> out);

  /// out(a,b,P) = (ab|P) with the auxiliary functions of p.
  void fitting(ShellRange a, ShellRange b, ShellRange p, std::span<double> out);
  /// out(P,Q) = (P|Q) of auxiliary functions.
  void fitting_metric(ShellRange p, ShellRange q, std::span<double> out);

 private:
  struct Engines;
  std::unique_ptr<Engines> engines_;
};

}  // namespace blockyard::qc
