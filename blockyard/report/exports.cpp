// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/job/method_results.h"
#include "blockyard/qc/cube.h"
#include "blockyard/qc/fcidump.h"
#include "blockyard/qc/orbitals.h"

namespace blockyard::report {

using base::Errc;
using base::Error;
using base::Extent;
using method::Chemistry;
using method::Orbitals;

namespace {

constexpr double cube_spacing_bohr = 0.2;
constexpr double cube_margin_bohr = 5;

/// The number of an orbital, from 1, and whether it is one of the beta spin.
struct OrbitalName {
  Extent number = 0;
  bool is_beta = false;
};

std::optional<OrbitalName> parse_orbital(std::string_view what) {
  OrbitalName name;
  name.is_beta = what.ends_with('b');
  if (name.is_beta) what.remove_suffix(1);
  const auto [end, status] = std::from_chars(what.data(), what.data() + what.size(), name.number);
  if (status != std::errc() || end != what.data() + what.size() || name.number < 1)
    return std::nullopt;
  return name;
}

const worker::Outcome& scf_of(const job::Results& results) {
  const auto scf = std::ranges::find_if(results.steps, [](const job::StepResult& step) {
    return step.name == "scf_rhf" || step.name == "scf_uhf";
  });
  base::require(scf != results.steps.end(), "a method begins with SCF");
  return scf->outcome;
}

const worker::DenseArray& array_of(const job::Results& results, std::string_view name) {
  const auto& arrays = scf_of(results).arrays;
  const auto found = arrays.find(name);
  base::require(found != arrays.end(), fmt::format("SCF leaves an array {}", name));
  return found->second;
}

qc::WaveFunction wave_function_of(const job::Job& job, const job::Results& results) {
  const Chemistry& chemistry = *job.chemistry;
  qc::WaveFunction wave{
      chemistry.system.molecule, chemistry.system.integrals.basis(), {}, job.title};
  for (const method::OrbitalLevels& levels : job::properties_of(job, results).levels) {
    const bool is_paired = levels.spin == "both", is_beta = levels.spin == "beta";
    qc::OrbitalSet set{is_beta,
                       array_of(results, is_paired ? "cmo"
                                         : is_beta ? "cb"
                                                   : "ca")
                           .values,
                       levels.hartree, std::vector<double>(levels.hartree.size(), 0.0)};
    std::fill_n(set.occupations.begin(), levels.occupied, is_paired ? 2.0 : 1.0);
    wave.orbitals.push_back(std::move(set));
  }
  return wave;
}

/// Alpha plus or less beta density over basis functions.
std::vector<double> density_of(const job::Job& job, const job::Results& results, double beta_sign) {
  std::vector<double> density = array_of(results, "density").values;
  if (!job.chemistry->unrestricted) return density;
  const std::size_t half = density.size() / 2;
  for (std::size_t k = 0; k < half; ++k) density[k] += beta_sign * density[k + half];
  density.resize(half);
  return density;
}

Extent occupied_of(const Orbitals& orbitals) { return orbitals.frozen + orbitals.active_occupied; }

/// Which orbital homo, lumo or a number is; nothing for a density.
std::optional<OrbitalName> orbital_of(const Chemistry& chemistry, const std::string& what) {
  const bool is_beta = what.ends_with("_beta");
  const Extent occupied = occupied_of(is_beta ? chemistry.beta : chemistry.alpha);
  if (what.starts_with("homo")) return OrbitalName{occupied, is_beta};
  if (what.starts_with("lumo")) return OrbitalName{occupied + 1, is_beta};
  return parse_orbital(what);
}

void check_cube(const Chemistry& chemistry, const CubeWish& wish) {
  const auto refuse = [&](std::string_view why) {
    throw Error(Errc::bad_input, fmt::format("--cube {}={}: {}", wish.what, wish.file, why));
  };
  if (wish.what == "spin" && !chemistry.unrestricted) refuse("a closed shell has no spin density");
  const auto orbital = orbital_of(chemistry, wish.what);
  if (!orbital) return;
  if (orbital->is_beta && !chemistry.unrestricted)
    refuse("a closed shell has the same orbitals for both spins");
  if (orbital->number < 1 || orbital->number > chemistry.basis_functions())
    refuse(fmt::format("the orbitals have numbers from 1 to {}", chemistry.basis_functions()));
}

}  // namespace

CubeWish parse_cube(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string what = base::lower(text.substr(0, equals));
  constexpr std::string_view words[] = {"homo",      "lumo",    "homo_beta",
                                        "lumo_beta", "density", "spin"};
  if (equals == text.npos || equals + 1 == text.size() ||
      (std::ranges::find(words, what) == std::end(words) && !parse_orbital(what)))
    throw Error(Errc::bad_input,
                fmt::format("\"{}\" is not of the form WHAT=FILE, where WHAT is homo, lumo, "
                            "homo_beta, lumo_beta, density, spin, or the number of an orbital (5; "
                            "5b of the beta spin)",
                            text));
  return {what, std::string(text.substr(equals + 1))};
}

void check_exports(const job::Job& job, const Exports& wanted) {
  if (!wanted.wants_orbitals() && wanted.qcschema.empty()) return;
  if (job.method.empty())
    throw Error(Errc::bad_input,
                "--molden, --fcidump, --cube and --qcschema are for methods, not for programs of "
                "your own");
  for (const CubeWish& wish : wanted.cubes) check_cube(*job.chemistry, wish);
  if (wanted.fcidump.empty()) return;
  if (job.chemistry->unrestricted)
    throw Error(Errc::bad_input,
                "--fcidump is for closed shells: its integrals are over orbitals that both spins "
                "share");
  const double bytes = qc::fcidump_bytes(job.chemistry->basis_functions());
  if (bytes > static_cast<double>(job.memory.total_bytes))
    throw Error(Errc::no_memory,
                fmt::format("--fcidump holds all integrals in memory, {}: more than --memory",
                            base::format_bytes(static_cast<std::int64_t>(bytes))));
}

std::string molden_of(const job::Job& job, const job::Results& results) {
  return qc::molden_text(wave_function_of(job, results));
}

std::string fcidump_of(const job::Job& job, const job::Results& results) {
  const Chemistry& chemistry = *job.chemistry;
  return qc::fcidump_text(chemistry.system.integrals,
                          {array_of(results, "cmo").values, array_of(results, "core").values,
                           scf_of(results).scalars.at("nuclear_energy"), chemistry.alpha.frozen,
                           chemistry.alpha.active_occupied});
}

std::string cube_of(const job::Job& job, const job::Results& results, const CubeWish& wish) {
  const Chemistry& chemistry = *job.chemistry;
  const qc::Molecule& molecule = chemistry.system.molecule;
  const qc::AoBasis& basis = chemistry.system.integrals.basis();
  const qc::Grid grid = qc::grid_around(molecule, cube_spacing_bohr, cube_margin_bohr);
  const std::string title = fmt::format("{} {}", job.title, wish.what);
  const auto orbital = orbital_of(chemistry, wish.what);
  if (!orbital)
    return qc::density_cube(molecule, basis, density_of(job, results, wish.what == "spin" ? -1 : 1),
                            grid, title);
  const auto& all = array_of(results, !chemistry.unrestricted ? "cmo"
                                      : orbital->is_beta      ? "cb"
                                                              : "ca");
  const auto n = static_cast<std::size_t>(basis.function_count);
  return qc::orbital_cube(
      molecule, basis,
      std::span(all.values).subspan(static_cast<std::size_t>(orbital->number - 1) * n, n), grid,
      title);
}

}  // namespace blockyard::report
