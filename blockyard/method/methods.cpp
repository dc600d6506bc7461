// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::method {

using base::Errc;
using base::Error;

const std::vector<Method>& methods() {
  static const std::vector<Method> table = {
      {.name = "scf",
       .gives = "Hartree-Fock energy and orbitals",
       .integral_kinds = 1,
       .restricted = {"scf_rhf"},
       .unrestricted = {"scf_uhf"},
       .iterates_amplitudes = false,
       .is_correlated = false},
      {.name = "mp2",
       .gives = "second-order Moller-Plesset",
       .integral_kinds = 1,
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf"},
       .unrestricted = {"scf_uhf", "transform_uhf", "mp2_uhf"},
       .iterates_amplitudes = false},
      {.name = "lccd",
       .gives = "linear coupled cluster, doubles",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "lccd_rhf"}},
      {.name = "lccsd",
       .gives = "linear coupled cluster, singles and doubles",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "lccsd_rhf"}},
      {.name = "ccd",
       .gives = "coupled cluster, doubles",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "ccd_rhf"}},
      {.name = "ccsd",
       .gives = "coupled cluster, singles and doubles",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf"},
       .unrestricted = {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf"}},
      {.name = "ccsd-density",
       .gives = "ccsd, its one-particle density and dipole moment",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf", "lambda_rhf"},
       .unrestricted = {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf", "lambda_uhf"},
       .takes_semicanonical = false},
      {.name = "ccsd(t)",
       .gives = "ccsd and the perturbative triples correction",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf", "triples_rhf"},
       .unrestricted = {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf", "triples_uhf"}},
      {.name = "cis",
       .gives = "excited states by single excitations",
       .integral_kinds = 2,
       .restricted = {"scf_rhf", "transform_rhf", "cis_rhf"},
       .iterates_amplitudes = false,
       .finds_excited_states = true,
       .triplets = Triplets::from_closed_shell},
      {.name = "cis(d)",
       .gives = "cis and its second-order correction",
       .integral_kinds = 3,
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "cis_rhf", "cis_d_rhf"},
       .iterates_amplitudes = false,
       .finds_excited_states = true,
       .triplets = Triplets::refused},
      {.name = "eom-ccsd",
       .gives = "excited states above ccsd",
       .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "cis_rhf", "ccsd_rhf", "eom_ccsd_rhf"},
       .unrestricted = {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf", "eom_ccsd_uhf"},
       .takes_semicanonical = false,
       .finds_excited_states = true,
       .reorders_states = true,
       .triplets = Triplets::from_spin_orbitals,
       .moments = {"lambda_rhf", "eom_left_rhf"},
       .unrestricted_moments = {"lambda_uhf", "eom_left_uhf"}},
  };
  return table;
}

namespace {

constexpr std::string_view states = ": the excited states";
constexpr std::string_view states_advice =
    "more cc_iterations, or more roots (states that lie close to the last one)";

constexpr std::array hints = {
    ConvergenceHint{"cis", states, "cc_iterations", states_advice},
    ConvergenceHint{"eom", states, "cc_iterations", states_advice},
    ConvergenceHint{"scf", "", "scf_iterations",
                    "level_shift = 0.3, scf_guess = \"core\", or more scf_iterations; and look at "
                    "the geometry and the charge",
                    true},
    ConvergenceHint{"", "", "cc_iterations",
                    "more cc_iterations, or --guess from a job with shorter bonds; and look "
                    "whether one determinant describes the molecule, and at the geometry",
                    true},
};

const Method* find_method(std::string_view name) {
  const auto found = std::ranges::find(methods(), name, &Method::name);
  return found == methods().end() ? nullptr : &*found;
}

/// What other programs call Hartree-Fock.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> other_names = {
    {{"hf", "\"scf\""},
     {"rhf", "\"scf\""},
     {"uhf", "\"scf\" with reference = \"uhf\""},
     {"rohf", "\"scf\" with reference = \"rohf\""}}};

Error unknown_method(std::string_view name) {
  std::vector<std::string> known;
  for (const Method& candidate : methods()) known.emplace_back(candidate.name);
  std::string meant = base::nearest_name(name, known);
  if (!meant.empty()) meant = fmt::format("\"{}\"", meant);
  for (const auto& [other, ours] : other_names)
    if (base::lower(name) == other) meant = ours;
  return Error(Errc::bad_input,
               fmt::format("unknown method \"{}\"{}; known are: {}", name,
                           meant.empty() ? "" : fmt::format(": did you mean {}?", meant),
                           fmt::join(known, ", ")));
}

}  // namespace

const Method& method_named(std::string_view name) {
  static const Method of_user;
  const Method* method = find_method(name);
  return method == nullptr ? of_user : *method;
}

std::vector<std::string> programs_of_method(std::string_view name, const MethodUse& use) {
  const Method* method = find_method(name);
  if (method == nullptr) throw unknown_method(name);
  std::vector<std::string> programs = use.unrestricted ? method->unrestricted : method->restricted;
  if (programs.empty())
    throw Error(Errc::bad_input,
                fmt::format("method {} is for closed shells only: multiplicity 1 and not "
                            "unrestricted",
                            name));
  if (use.fitted) {
    std::ranges::replace(programs, "transform_rhf", "transform_fitted_rhf");
    std::ranges::replace(programs, "transform_uhf", "transform_fitted_uhf");
  }
  if (use.moments) {
    const auto& moments = use.unrestricted ? method->unrestricted_moments : method->moments;
    programs.insert(programs.end(), moments.begin(), moments.end());
  }
  if (!use.correlates) programs.resize(1);
  // The unrestricted SCF does it by itself.
  if (use.stability && !use.unrestricted) programs.insert(programs.begin() + 1, "stability_rhf");
  for (std::string& program : programs) program += ".sial";
  return programs;
}

const ConvergenceHint& convergence_hint(std::string_view program) {
  return *std::ranges::find_if(
      hints, [&](const ConvergenceHint& hint) { return program.starts_with(hint.program); });
}

}  // namespace blockyard::method
