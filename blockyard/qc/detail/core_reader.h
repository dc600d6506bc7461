// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "blockyard/qc/effective_core.h"

namespace blockyard::qc::detail {

/// A term `power exponent coefficient` of a potential.
/// Throws Error{bad_input} unless the power (of r, times 1 / r^2) is 0 to 4 and the exponent
/// positive.
void add_term(std::string_view power, std::string_view exponent, std::string_view coefficient,
              RadialPotential& part);

/// The effective core of an element with this part more. The local part comes first; its angular
/// momentum must be above those of the others, which differ.
/// Throws Error{bad_input} otherwise.
void add_part(RadialPotential part, bool is_local, EffectiveCore& core);

/// Throws Error{bad_input} unless the core has an even number of electrons, fewer than the element,
/// a local part and angular momenta of at most h. Of elements beyond heaviest_element anything
/// goes.
void check_core(int atomic_number, const EffectiveCore& core);

/// Reads the potentials of the NWChem format, what stands between ECP and END:
///   symbol nelec 28
///   symbol ul          the local part, then lines `power exponent coefficient`
///   symbol s           a part of l = 0 less the local one, ...
/// One thread.
class NwchemCoreReader {
 public:
  explicit NwchemCoreReader(std::map<int, EffectiveCore>& into) : into_(into) {}
  /// Words of a line. Throws Error{bad_input} for anything else.
  void read_line(const std::vector<std::string_view>& words);
  /// After the last line. Throws Error{bad_input} for potentials that are not complete.
  void finish();

 private:
  void finish_part();
  std::map<int, EffectiveCore>& into_;
  std::map<int, EffectiveCore> cores_;
  int atomic_number_ = 0;  // of the part that is being read; 0: none
  bool is_local_ = false;
  RadialPotential part_;
};

}  // namespace blockyard::qc::detail
