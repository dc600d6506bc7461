// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/dat/molecule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "blockyard/base/error.h"
#include "blockyard/qc/element.h"

namespace blockyard::job::dat {
namespace {

using base::Errc;
using base::Error;

constexpr std::array<std::string_view, 4> scalar_names = {"alphas", "pcoeffs", "coords", "charge"};
constexpr std::array<std::string_view, 10> int_names = {"ncfps",    "npfps",  "ivangmom", "indx_cc",
                                                        "end_nfps", "atom",   "ccbeg",    "ccend",
                                                        "ixalpha",  "ixpcoef"};

/// A shell as the file has it, checked against the lengths of the arrays.
struct FileShell {
  std::size_t centre = 0;  ///< from 0
  int momentum = 0;
  std::span<const double> exponents;
  std::span<const double> coefficients;  ///< contraction by contraction
  [[nodiscard]] std::size_t contractions() const { return coefficients.size() / exponents.size(); }
  [[nodiscard]] std::span<const double> contraction(std::size_t k) const {
    return coefficients.subspan(k * exponents.size(), exponents.size());
  }
};

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::bad_input, what); }

std::span<const double> scalars(const DatFile& file, std::string_view name) {
  const auto found = file.scalar_arrays.find(name);
  if (found == file.scalar_arrays.end()) refuse(fmt::format("there is no scalar array {}", name));
  return found->second.values;
}

/// One value for each shell.
std::span<const std::int32_t> of_shells(const DatFile& file, std::string_view name,
                                        std::size_t shells) {
  const auto found = file.int_arrays.find(name);
  if (found == file.int_arrays.end()) refuse(fmt::format("there is no int array {}", name));
  if (found->second.values.size() < shells)
    refuse(fmt::format("int array {} has {} values for {} shells", name,
                       found->second.values.size(), shells));
  return found->second.values;
}

std::int32_t int_constant(const DatFile& file, std::string_view name) {
  const auto found = file.ints.find(name);
  if (found == file.ints.end()) refuse(fmt::format("there is no int {}", name));
  return found->second;
}

/// `count` values from place `first` (from 1) on.
std::span<const double> part(std::span<const double> values, std::int32_t first, std::int64_t count,
                             std::string_view name) {
  if (first < 1 || count < 1 || first - 1 > std::ssize(values) - count)
    refuse(fmt::format("a shell wants {} values of {} from place {} on, which has {}", count, name,
                       first, values.size()));
  return values.subspan(static_cast<std::size_t>(first - 1), static_cast<std::size_t>(count));
}

std::vector<FileShell> read_shells(const DatFile& file, std::size_t centres) {
  const auto count = static_cast<std::size_t>(std::max(0, int_constant(file, "nshells")));
  const auto atom = of_shells(file, "atom", count);
  const auto momentum = of_shells(file, "ivangmom", count);
  const auto primitives = of_shells(file, "npfps", count);
  const auto contractions = of_shells(file, "ncfps", count);
  const auto exponents_at = of_shells(file, "ixalpha", count);
  const auto coefficients_at = of_shells(file, "ixpcoef", count);
  std::vector<FileShell> shells;
  for (std::size_t s = 0; s < count; ++s) {
    if (atom[s] < 1 || atom[s] > std::ssize(scalars(file, "charge")) ||
        static_cast<std::size_t>(atom[s]) > centres)
      refuse(fmt::format("shell {} stands on centre {} of {}", s + 1, atom[s], centres));
    constexpr int most_momentum = 6;
    if (momentum[s] < 0 || momentum[s] > most_momentum)
      refuse(fmt::format("shell {} has angular momentum {}", s + 1, momentum[s]));
    FileShell shell;
    shell.centre = static_cast<std::size_t>(atom[s] - 1);
    shell.momentum = momentum[s];
    shell.exponents = part(scalars(file, "alphas"), exponents_at[s], primitives[s], "alphas");
    shell.coefficients =
        part(scalars(file, "pcoeffs"), coefficients_at[s],
             std::int64_t{primitives[s]} * std::max(0, contractions[s]), "pcoeffs");
    for (const double exponent : shell.exponents)
      if (!(exponent > 0) || !std::isfinite(exponent))
        refuse(fmt::format("shell {} has the exponent {}", s + 1, exponent));
    shells.push_back(shell);
  }
  if (shells.empty()) refuse("there are no shells");
  return shells;
}

/// <chi|chi> of a contraction, of normalised primitives or of r^l exp(-a r^2) along an axis.
double norm_of(const FileShell& shell, std::span<const double> coefficients, bool is_bare) {
  double norm = 0;
  for (std::size_t p = 0; p < coefficients.size(); ++p)
    for (std::size_t q = 0; q < coefficients.size(); ++q) {
      const double a = shell.exponents[p], b = shell.exponents[q];
      double overlap = std::pow(2 * std::sqrt(a * b) / (a + b), shell.momentum + 1.5);
      if (is_bare) {
        overlap = std::pow(std::numbers::pi / (a + b), 1.5);
        for (int k = 1; k <= shell.momentum; ++k) overlap *= (2 * k - 1) / (2 * (a + b));
      }
      norm += coefficients[p] * coefficients[q] * overlap;
    }
  return norm;
}

/// Whether the coefficients belong to bare primitives: only then are all s and p functions of norm
/// 1 (those of higher momentum are scaled in more than one way).
bool has_bare_primitives(const std::vector<FileShell>& shells) {
  constexpr double nearly = 1e-3;
  bool bare = true, normalised = true;
  for (const FileShell& shell : shells)
    for (std::size_t k = 0; k < shell.contractions() && shell.momentum <= 1; ++k) {
      bare = bare && std::abs(norm_of(shell, shell.contraction(k), true) - 1) < nearly;
      normalised = normalised && std::abs(norm_of(shell, shell.contraction(k), false) - 1) < nearly;
    }
  return bare && !normalised;
}

/// The shells of one centre in NWChem format.
std::string basis_text(const std::vector<FileShell>& shells, std::size_t centre,
                       std::string_view symbol, bool is_bare) {
  constexpr std::string_view letters = "SPDFGHI";
  std::string text;
  for (const FileShell& shell : shells) {
    if (shell.centre != centre) continue;
    text += fmt::format("{} {}\n", symbol, letters[static_cast<std::size_t>(shell.momentum)]);
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      const double a = shell.exponents[p];
      text += fmt::format("  {}", a);
      for (std::size_t k = 0; k < shell.contractions(); ++k)
        text += fmt::format(" {}", shell.contraction(k)[p] *
                                       (is_bare ? std::pow(a, -(shell.momentum / 2.0 + 0.75)) : 1));
      text += '\n';
    }
  }
  return text;
}

std::array<double, 3> position(const DatFile& file, const std::vector<FileShell>& shells,
                               std::size_t centre, std::size_t centres) {
  const auto coordinates = scalars(file, "coords");
  std::size_t column = centre;
  if (coordinates.size() == 3 * shells.size() && shells.size() != centres) {
    const auto first = std::ranges::find(shells, centre, &FileShell::centre);
    if (first == shells.end()) refuse(fmt::format("centre {} has no shell", centre + 1));
    column = static_cast<std::size_t>(first - shells.begin());
  } else if (coordinates.size() < 3 * centres) {
    refuse(fmt::format("coords has {} values for {} centres", coordinates.size(), centres));
  }
  return {coordinates[3 * column], coordinates[3 * column + 1], coordinates[3 * column + 2]};
}

int element_of(double charge, std::size_t centre) {
  const double whole = std::round(charge);
  if (!(std::abs(charge - whole) < 1e-6) || whole < 1 || whole > qc::heaviest_element)
    refuse(
        fmt::format("centre {} has charge {}: only whole charges of nuclei are possible, no "
                    "ghost atoms and no effective cores",
                    centre + 1, charge));
  return static_cast<int>(whole);
}

/// Shells must come centre by centre, in the order of the centres: so are segments counted.
void check_order(const std::vector<FileShell>& shells) {
  if (!std::ranges::is_sorted(shells, {}, &FileShell::centre))
    refuse("shells do not come centre by centre, in the order of the centres");
}

}  // namespace

bool is_molecule_name(std::string_view name) {
  return std::ranges::find(scalar_names, name) != scalar_names.end() ||
         std::ranges::find(int_names, name) != int_names.end();
}

std::optional<std::pair<MoleculeSpec, BasisSpec>> read_molecule(const DatFile& file) {
  if (!file.scalar_arrays.contains("alphas") || !file.int_arrays.contains("ivangmom"))
    return std::nullopt;
  const auto charges = scalars(file, "charge");
  const auto centres = static_cast<std::size_t>(std::max(0, int_constant(file, "ncenters")));
  if (centres == 0 || charges.size() < centres)
    refuse(fmt::format("charge has {} values for {} centres", charges.size(), centres));
  const std::vector<FileShell> shells = read_shells(file, centres);
  check_order(shells);
  const bool is_bare = has_bare_primitives(shells);
  MoleculeSpec molecule;
  molecule.units = "bohr";
  std::map<int, std::string> basis_of;
  std::int64_t protons = 0;
  for (std::size_t centre = 0; centre < centres; ++centre) {
    const int element = element_of(charges[centre], centre);
    protons += element;
    const std::string_view symbol = qc::element_symbol(element);
    const auto at = position(file, shells, centre, centres);
    molecule.geometry += fmt::format("{} {} {} {}\n", symbol, at[0], at[1], at[2]);
    const std::string text = basis_text(shells, centre, symbol, is_bare);
    if (basis_of.emplace(element, text).first->second != text)
      refuse(fmt::format("two atoms {} have different functions", symbol));
  }
  const std::int64_t alpha = int_constant(file, "nalpha_occupied");
  const std::int64_t beta = int_constant(file, "nbeta_occupied");
  molecule.charge = protons - alpha - beta;
  molecule.multiplicity = alpha - beta + 1;
  BasisSpec basis;
  for (const auto& [element, text] : basis_of) basis.text += text;
  basis.spherical = int_constant(file, "intspherical") != 0;
  return std::pair(molecule, basis);
}

void write_molecule(const qc::Molecule& molecule, const qc::AoBasis& basis, DatFile& file) {
  const auto size = [](const auto& list) { return static_cast<Extent>(list.size()); };
  std::vector<double> coords, charge, alphas, pcoeffs;
  std::map<std::string, std::vector<std::int32_t>> ints;
  for (const qc::Atom& atom : molecule.atoms) {
    coords.insert(coords.end(), atom.position_bohr.begin(), atom.position_bohr.end());
    charge.push_back(atom.atomic_number);
  }
  std::int32_t functions = 0;
  for (const qc::Shell& shell : basis.shells) {
    const auto& [momentum, exponents, coefficients] = shell.contraction;
    functions += static_cast<std::int32_t>(shell.function_count);
    ints["atom"].push_back(static_cast<std::int32_t>(shell.atom + 1));
    ints["ivangmom"].push_back(momentum);
    ints["ncfps"].push_back(1);
    ints["npfps"].push_back(static_cast<std::int32_t>(exponents.size()));
    ints["end_nfps"].push_back(functions);
    ints["indx_cc"].push_back(static_cast<std::int32_t>(ints["indx_cc"].size() + 1));
    ints["ccbeg"].push_back(1);
    ints["ccend"].push_back(static_cast<std::int32_t>(exponents.size()));
    ints["ixalpha"].push_back(static_cast<std::int32_t>(alphas.size() + 1));
    ints["ixpcoef"].push_back(static_cast<std::int32_t>(pcoeffs.size() + 1));
    alphas.insert(alphas.end(), exponents.begin(), exponents.end());
    pcoeffs.insert(pcoeffs.end(), coefficients.begin(), coefficients.end());
  }
  file.ints["ncenters"] = static_cast<std::int32_t>(molecule.atoms.size());
  file.ints["nshells"] = static_cast<std::int32_t>(basis.shells.size());
  file.ints["naos"] = functions;
  file.ints["intspherical"] = basis.spherical ? 1 : 0;
  file.scalar_arrays["coords"] = {{3, size(charge)}, coords};
  file.scalar_arrays["charge"] = {{size(charge)}, charge};
  file.scalar_arrays["alphas"] = {{size(alphas)}, alphas};
  file.scalar_arrays["pcoeffs"] = {{size(pcoeffs)}, pcoeffs};
  for (auto& [name, values] : ints) file.int_arrays[name] = {{size(values)}, values};
}

}  // namespace blockyard::job::dat
