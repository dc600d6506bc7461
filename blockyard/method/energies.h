// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/method/chemistry.h"
#include "blockyard/method/program_result.h"

namespace blockyard::method {

/// A total energy or a part of one, in hartree, by its key in JSON ("mp2_correlation").
struct Energy {
  std::string key;
  std::string title;
  double hartree = 0;
};

struct IterationCount {
  std::string method;
  std::int64_t count = 0;
};

/// A dipole moment in atomic units, from the origin of the geometry.
struct Dipole {
  std::string method;
  std::array<double, 3> e_bohr{};
  [[nodiscard]] double length_debye() const;
};

/// An excitation of one electron in a state: orbitals by number from 1, of spin orbitals "5a",
/// "4b".
struct LeadingExcitation {
  std::string from;
  std::string to;
  double amplitude = 0;
};

/// The excited states that a method finds, lowest first. Lists may be empty: not known.
struct Excitations {
  std::string key;  ///< of JSON: cis, cis_d, eom_ccsd
  std::string title;
  std::vector<double> hartree;                                 ///< above the ground state
  std::vector<double> singles_part;                            ///< of the norm of each
  std::vector<std::vector<LeadingExcitation>> leading = {};    ///< the largest first
  std::vector<std::array<double, 3>> transition_dipoles = {};  ///< e bohr; of EOM-CCSD
                                                               ///< geometric means of both ways
  std::vector<double> oscillator = {};                         ///< oscillator strengths
};

/// <S^2> of an unrestricted reference, and S (S + 1) of its multiplicity, which it exceeds by what
/// other multiplicities mix in.
struct SpinSquare {
  double value = 0;
  double exact = 0;
};

/// The results of our own programs, from their final scalars (sialib/README.md).
struct MethodResults {
  std::vector<Energy> energies;
  std::vector<IterationCount> iterations;
  std::vector<Dipole> dipoles;
  std::vector<Excitations> excitations;
  std::optional<SpinSquare> spin_square = {};  ///< none: a restricted closed shell
  bool converged = false;
};

/// The results of our own programs among those of a job. `method` is empty for the user's own
/// programs, and `chemistry` null without a molecule. Where nothing can be correlated, all energies
/// of the method that come after SCF are 0, and a note says so.
[[nodiscard]] MethodResults method_results(std::string_view method, const Chemistry* chemistry,
                                           std::span<const ProgramResult> results);

/// A note for the user about a job of ours; empty: none.
[[nodiscard]] std::string note_of(std::string_view method, const Chemistry* chemistry);

}  // namespace blockyard::method
