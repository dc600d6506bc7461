// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/job/run.h"

namespace blockyard::job {

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
};

/// The excited states that a method finds, lowest first.
struct Excitations {
  std::string key;  ///< of JSON: cis, cis_d, eom_ccsd
  std::string title;
  std::vector<double> hartree;       ///< above the ground state
  std::vector<double> singles_part;  ///< of the norm of each
};

/// The results of our own programs, from their final scalars (sialib/README.md).
struct MethodResults {
  std::vector<Energy> energies;
  std::vector<IterationCount> iterations;
  std::vector<Dipole> dipoles;
  std::vector<Excitations> excitations;
  bool converged = false;
};

/// Where nothing can be correlated, all energies of the method that come after SCF are 0, and a
/// note says so.
[[nodiscard]] MethodResults method_results(const Job& job, const Results& results);

/// What a user should know of a job of ours; empty: nothing.
[[nodiscard]] std::string note_of(const Job& job);

}  // namespace blockyard::job
