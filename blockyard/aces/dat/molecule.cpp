// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/molecule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "blockyard/aces/dat/cores.h"
#include "blockyard/aces/dat/file_shells.h"
#include "blockyard/qc/element.h"

namespace blockyard::aces::dat {
namespace {

constexpr std::array<std::string_view, 10> int_names = {
    "ncfps", "npfps", "ivangmom", "indx_cc",  "end_nfps",
    "atom",  "ccbeg", "ccend",    "ixalphas", "ixpcoeffs"};

constexpr int ghost_element = 1;  // a file does not say whose functions a ghost has

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

/// What a coefficient is multiplied by to belong to a normalised primitive, times a constant of
/// the shell.
double factor_of(const FileShell& shell, std::size_t primitive, bool is_bare) {
  return is_bare ? std::pow(shell.exponents[primitive], -(shell.momentum / 2.0 + 0.75)) : 1;
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
      text += fmt::format("  {}", shell.exponents[p]);
      for (std::size_t k = 0; k < shell.contractions(); ++k)
        text += fmt::format(" {}", shell.contraction(k)[p] * factor_of(shell, p, is_bare));
      text += '\n';
    }
  }
  return text;
}

int element_of(double charge, std::size_t centre) {
  const double whole = std::round(charge);
  if (!(std::abs(charge - whole) < 1e-6) || whole < 1 || whole > qc::heaviest_element)
    refuse(
        fmt::format("centre {} has the charge {} with the electrons of its core: only the "
                    "whole charges of nuclei are possible",
                    centre + 1, charge));
  return static_cast<int>(whole);
}

[[noreturn]] void refuse_other(std::string_view what) {
  refuse(fmt::format(
      "the arrays alphas, coords, ... belong to another {} than the one that the job gives: after "
      "a "
      "change of molecule or basis, take the arrays of both (ncfps npfps ivangmom indx_cc ccbeg "
      "ccend end_nfps ixalphas ixpcoeffs atom alphas pcoeffs coords tcoords charge, and with "
      "effective cores ipseux nelecp llmax kfirst klast nlp clp zlp) out of [arrays], and their "
      "numbers (ncenters nshells nalphas ...) out of [constants]",
      what));
}

/// Coefficients relative to the largest: norms differ from program to program.
void scale(std::vector<double>& coefficients) {
  const auto size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  if (coefficients.empty()) return;
  const double largest = *std::ranges::max_element(coefficients, size);
  for (double& one : coefficients) one /= largest;
}

/// Shells must come centre by centre, in the order of the centres: so are segments counted.
void check_order(const std::vector<FileShell>& shells) {
  if (!std::ranges::is_sorted(shells, {}, &FileShell::centre))
    refuse("shells do not come centre by centre, in the order of the centres");
}

}  // namespace

bool is_int_name(std::string_view name) {
  return std::ranges::find(int_names, name) != int_names.end() || is_core_int_name(name);
}

bool has_basis(const DatFile& file) {
  return file.scalar_arrays.contains("alphas") && file.int_arrays.contains("ivangmom");
}

std::pair<input::MoleculeSpec, input::BasisSpec> read_molecule(const DatFile& file) {
  const Centres centres(file, shell_count(file));
  const auto charges = scalars(file, "charge");
  const std::vector<FileShell> shells = read_shells(file, centres, shell_count(file));
  check_order(shells);
  const bool is_bare = has_bare_primitives(shells);
  const auto cores = read_cores(file, centres.count());
  input::MoleculeSpec molecule;
  molecule.units = "bohr";
  input::BasisSpec basis;
  std::map<std::string_view, std::string> basis_of;
  std::int64_t nuclei = 0;  // charge, e
  for (std::size_t centre = 0; centre < centres.count(); ++centre) {
    const int core_electrons = cores[centre] ? cores[centre]->electrons : 0;
    const bool is_ghost = charges[centre] == 0 && core_electrons == 0;
    const int element =
        is_ghost ? ghost_element : element_of(charges[centre] + core_electrons, centre);
    if (!is_ghost) nuclei += element - core_electrons;
    const std::string_view symbol = qc::element_symbol(element);
    const auto at = centres.position(centre);
    molecule.geometry +=
        fmt::format("{} {} {} {}\n", is_ghost ? fmt::format("Gh({})", symbol) : std::string(symbol),
                    at[0], at[1], at[2]);
    std::string text = basis_text(shells, centre, symbol, is_bare);
    if (cores[centre]) text += "ECP\n" + core_text(symbol, *cores[centre]) + "END\n";
    if (basis_of.try_emplace(symbol, text).first->second != text)
      basis.atoms[std::to_string(centre + 1)].set.text = std::move(text);
  }
  const std::int64_t alpha = int_constant(file, "nalpha_occupied");
  const std::int64_t beta = int_constant(file, "nbeta_occupied");
  molecule.charge = nuclei - alpha - beta;
  molecule.multiplicity = alpha - beta + 1;
  for (const auto& [symbol, text] : basis_of) basis.text += text;
  basis.spherical = int_constant(file, "intspherical") != 0;
  return {molecule, basis};
}

void complete_molecule(DatFile& file) {
  const std::size_t count = shell_count(file);
  const Centres centres(file, count);
  const bool is_spherical = int_constant(file, "intspherical") != 0;
  std::map<std::string, std::vector<std::int32_t>> ints;
  std::vector<double> places;
  std::int32_t functions = 0, exponents = 0, coefficients = 0, contractions = 0;
  for (const FileShell& shell : read_shells(file, centres, count)) {
    const auto at = centres.position(shell.centre);
    places.insert(places.end(), at.begin(), at.end());
    const auto of_shell = static_cast<std::int32_t>(shell.contractions());
    functions += of_shell *
                 static_cast<std::int32_t>(qc::shell_function_count(shell.momentum, is_spherical));
    exponents += static_cast<std::int32_t>(shell.exponents.size());
    coefficients += static_cast<std::int32_t>(shell.coefficients.size());
    contractions += of_shell;
    ints["atom"].push_back(static_cast<std::int32_t>(shell.centre + 1));
    ints["end_nfps"].push_back(functions);
    ints["ixalphas"].push_back(shell.exponents_at);
    ints["ixpcoeffs"].push_back(shell.coefficients_at);
    ints["indx_cc"].push_back(shell.first_contraction);
    for (std::size_t k = 0; k < shell.contractions(); ++k) {
      const auto values = shell.contraction(k);
      const auto is_used = [](double value) { return value != 0; };
      const auto first = std::ranges::find_if(values, is_used) - values.begin();
      const auto from_end = std::find_if(values.rbegin(), values.rend(), is_used) - values.rbegin();
      ints["ccbeg"].push_back(static_cast<std::int32_t>(first + 1));
      ints["ccend"].push_back(static_cast<std::int32_t>(std::ssize(values) - from_end));
    }
  }
  for (auto& [name, values] : ints)
    file.int_arrays.try_emplace(name, Array<std::int32_t>{{std::ssize(values)}, values});
  file.scalar_arrays.try_emplace("tcoords",
                                 Array<double>{{3, static_cast<Extent>(count)}, std::move(places)});
  for (const auto& [name, value] : {std::pair{"nalphas", exponents},
                                    {"npcoeffs", coefficients},
                                    {"n_c_funcs", contractions},
                                    {"ntotshells", static_cast<std::int32_t>(count)}})
    file.ints.try_emplace(name, value);
}

void write_molecule(const qc::Molecule& molecule, const qc::AoBasis& basis, DatFile& file) {
  const auto size = [](const auto& list) { return std::ssize(list); };
  std::vector<double> coords, charge, alphas, pcoeffs;
  std::map<std::string, std::vector<std::int32_t>> ints;
  for (const qc::Atom& atom : molecule.atoms) {
    coords.insert(coords.end(), atom.position_bohr.begin(), atom.position_bohr.end());
    charge.push_back(atom.charge());
  }
  for (const qc::Shell& shell : basis.shells) {
    const auto& [momentum, exponents, coefficients] = shell.contraction;
    ints["atom"].push_back(static_cast<std::int32_t>(shell.atom + 1));
    ints["ivangmom"].push_back(momentum);
    ints["ncfps"].push_back(1);
    ints["npfps"].push_back(static_cast<std::int32_t>(exponents.size()));
    alphas.insert(alphas.end(), exponents.begin(), exponents.end());
    pcoeffs.insert(pcoeffs.end(), coefficients.begin(), coefficients.end());
  }
  file.ints["ncenters"] = static_cast<std::int32_t>(molecule.atoms.size());
  file.ints["nshells"] = static_cast<std::int32_t>(basis.shells.size());
  file.ints["naos"] = static_cast<std::int32_t>(basis.function_count);
  file.ints["intspherical"] = basis.spherical ? 1 : 0;
  file.scalar_arrays["coords"] = {{3, size(charge)}, coords};
  file.scalar_arrays["charge"] = {{size(charge)}, charge};
  file.scalar_arrays["alphas"] = {{size(alphas)}, alphas};
  file.scalar_arrays["pcoeffs"] = {{size(pcoeffs)}, pcoeffs};
  for (auto& [name, values] : ints) file.int_arrays[name] = {{size(values)}, values};
  write_cores(molecule, basis, file);
  complete_molecule(file);
}

void check_same_molecule(const DatFile& file, const qc::Molecule& molecule,
                         const qc::AoBasis& basis) {
  const Centres centres(file, shell_count(file));
  const auto shells = read_shells(file, centres, shell_count(file));
  const auto is_near = [](double a, double b) {
    return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(a));
  };
  const auto charges = scalars(file, "charge");
  bool is_same = centres.count() == molecule.atoms.size();
  for (std::size_t k = 0; is_same && k < centres.count(); ++k)
    is_same = is_near(charges[k], molecule.atoms[k].charge()) &&
              std::ranges::equal(centres.position(k), molecule.atoms[k].position_bohr, is_near);
  if (!is_same) refuse_other("molecule");
  std::vector<qc::Contraction> given, placed;
  const bool is_bare = has_bare_primitives(shells);
  for (const FileShell& shell : shells)
    for (std::size_t k = 0; k < shell.contractions(); ++k) {
      auto& [momentum, exponents, coefficients] = given.emplace_back();
      momentum = shell.momentum;
      for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
        if (shell.contraction(k)[p] == 0) continue;
        exponents.push_back(shell.exponents[p]);
        coefficients.push_back(shell.contraction(k)[p] * factor_of(shell, p, is_bare));
      }
    }
  for (const qc::Shell& shell : basis.shells) placed.push_back(shell.contraction);
  for (auto* const all : {&given, &placed})
    for (qc::Contraction& one : *all) scale(one.coefficients);
  is_same = std::ranges::equal(
      given, placed, [&](const qc::Contraction& one, const qc::Contraction& other) {
        return one.angular_momentum == other.angular_momentum &&
               std::ranges::equal(one.exponents, other.exponents, is_near) &&
               std::ranges::equal(one.coefficients, other.coefficients, is_near);
      });
  if (!is_same) refuse_other("basis");
}

}  // namespace blockyard::aces::dat
