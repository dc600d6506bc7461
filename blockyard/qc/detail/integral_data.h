// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "blockyard/qc/detail/core_integrals.h"
#include "blockyard/qc/detail/libint_shell.h"
#include "blockyard/qc/detail/shell_family.h"
#include "blockyard/qc/integrals.h"

namespace blockyard::qc {

/// Makes the table of the Boys function that all engines share as long as any will need it.
/// libint2 2.7 makes it longer when an engine asks for more, while others read it. Before any
/// engine; one thread.
void prepare_boys_function();

/// Read by every engine, written only by the constructor of Integrals.
struct Integrals::Data {
  AoBasis basis;
  IntegralOptions options;
  std::vector<std::pair<double, std::array<double, 3>>> charges;  // e, bohr
  std::vector<libint2::Shell> shells;                             // as basis.shells
  std::vector<libint2::ShellPair> pairs;                          // [a * shells + b]
  std::vector<double> bounds;                                     // [a * shells + b]
  std::vector<detail::ShellFamily> families;                      // of all shells, in order
  std::size_t most_primitives = 1;
  int highest_momentum = 0;
  std::unique_ptr<const detail::CoreIntegrals> cores;  // null: no effective cores

  AoBasis auxiliary;
  std::vector<libint2::Shell> auxiliary_shells;     // as auxiliary.shells
  std::vector<libint2::ShellPair> auxiliary_pairs;  // of each with a function that is 1 everywhere
  std::vector<double> auxiliary_bounds;             // max over the functions of sqrt (P|P)
  std::size_t most_auxiliary_primitives = 1;
  int highest_auxiliary_momentum = 0;

  [[nodiscard]] const libint2::ShellPair& pair(std::size_t a, std::size_t b) const {
    return pairs[a * shells.size() + b];
  }
  [[nodiscard]] double bound(std::size_t a, std::size_t b) const {
    return bounds[a * shells.size() + b];
  }
  /// The shells of a range, family by family.
  [[nodiscard]] std::vector<detail::FamilyPiece> pieces_of(ShellRange range) const;
  void add_auxiliary(AoBasis functions);
  void add_pairs();
  /// bounds(a,b) = max over the functions of  sqrt|(ab|ab)|. Needs the pairs.
  void add_bounds();
  void add_auxiliary_bounds();
};

}  // namespace blockyard::qc
