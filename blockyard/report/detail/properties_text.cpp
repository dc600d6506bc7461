// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/properties_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "blockyard/base/decimal.h"
#include "blockyard/job/method_results.h"
#include "blockyard/qc/units.h"

namespace blockyard::report::detail {

using base::decimal;
using base::Extent;

namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string print_dipoles(const std::vector<method::Dipole>& dipoles) {
  if (dipoles.empty()) return "";
  std::string text = fmt::format("  {:<20} {:>12} {:>12} {:>12} {:>12}\n", "dipole moments, debye",
                                 "x", "y", "z", "length");
  for (const method::Dipole& dipole : dipoles) {
    text += fmt::format("    {:<19}", upper(dipole.method));
    for (const double part : dipole.e_bohr)
      text += fmt::format(" {:>12}", decimal(part * qc::debye_per_au, 6));
    text += fmt::format(" {:>12}\n", decimal(dipole.length_debye(), 6));
  }
  return text;
}

std::string print_level(const method::OrbitalLevels& levels, Extent p) {
  const double energy = levels.hartree[static_cast<std::size_t>(p)];
  const std::string_view name = p + 1 == levels.occupied ? "  HOMO"
                                : p == levels.occupied   ? "  LUMO"
                                                         : "";
  return fmt::format("    {:<6} {:<12} {:>20} {:>12}{}\n", p + 1,
                     p < levels.occupied ? "occupied" : "virtual", decimal(energy, 6),
                     decimal(energy * qc::ev_per_hartree, 3), name);
}

/// All occupied levels and the lowest virtual ones, of large molecules those around the gap.
std::string print_levels(const method::OrbitalLevels& levels) {
  constexpr Extent most_occupied = 12, most_virtual = 4;
  const auto count = static_cast<Extent>(levels.hartree.size());
  const Extent first = std::max<Extent>(0, levels.occupied - most_occupied);
  const Extent last = std::min(count, levels.occupied + most_virtual);
  const std::string title = levels.spin == "both" ? "orbitals" : levels.spin + " orbitals";
  std::string text = fmt::format("  {:<23} {:>20} {:>12}\n", title, "hartree", "eV");
  if (first > 0) text += fmt::format("    ... {} below\n", first);
  for (Extent p = first; p < last; ++p) text += print_level(levels, p);
  if (last < count) text += fmt::format("    ... {} above\n", count - last);
  return text;
}

std::string print_charges(const job::Job& job, const method::AtomicCharges& charges) {
  const std::vector<qc::Atom>& atoms = job.chemistry->system.molecule.atoms;
  std::string text =
      fmt::format("  {:<24} {:>20}{}\n", fmt::format("Mulliken, {}", upper(charges.method)),
                  "charge, e", charges.spin.empty() ? "" : fmt::format(" {:>12}", "spin"));
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    text += fmt::format("    {:<6} {:<13} {:>20}", k + 1, qc::name_of(atoms[k]),
                        decimal(charges.e[k], 6));
    if (!charges.spin.empty()) text += fmt::format(" {:>12}", decimal(charges.spin[k], 6));
    text += '\n';
  }
  return text;
}

}  // namespace

std::string print_geometry(const qc::Molecule& molecule) {
  std::string text =
      fmt::format("  {:<10} {:>13} {:>14} {:>14}   angstrom\n", "geometry", "x", "y", "z");
  for (std::size_t k = 0; k < molecule.atoms.size(); ++k) {
    text += fmt::format("    {:>4} {:<6}", k + 1, qc::name_of(molecule.atoms[k]));
    for (const double part : molecule.atoms[k].position_bohr)
      text += fmt::format(" {:>14}", decimal(part * qc::angstrom_per_bohr, 8));
    text += '\n';
  }
  return text;
}

std::string print_properties(const job::Job& job, const job::Results& results) {
  const method::Properties found = job::properties_of(job, results);
  std::string text;
  for (const method::OrbitalLevels& levels : found.levels) text += print_levels(levels);
  text += print_dipoles(job::method_results(job, results).dipoles);
  for (const method::AtomicCharges& charges : found.charges) text += print_charges(job, charges);
  for (const method::MethodDiagnostics& one : found.diagnostics)
    text +=
        fmt::format("  {:<24} {:>20} {:>12}\n    {:<20} {:>20} {:>12}\n", "diagnostics", "T1", "D1",
                    upper(one.method), decimal(one.singles.t1, 6), decimal(one.singles.d1, 6));
  return text;
}

}  // namespace blockyard::report::detail
