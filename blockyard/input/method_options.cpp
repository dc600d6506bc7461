// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/method_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace blockyard::input {

namespace {

constexpr std::array options = {
    MethodOption{
        "scf_guess",
        OptionForm::word,
        1,
        {"core", "atomic"},
        "atomic: superposed densities of the atoms; core: orbitals of the core Hamiltonian"},
    MethodOption{
        "scf_direct", OptionForm::truth, 0, {}, "recompute the integrals in each iteration"},
    MethodOption{"scf_iterations",
                 OptionForm::count,
                 100,
                 {},
                 "maximum number of SCF iterations",
                 {},
                 OptionRange::above_zero},
    MethodOption{"scf_energy_convergence",
                 OptionForm::number,
                 1e-10,
                 {},
                 "hartree between iterations",
                 {},
                 OptionRange::above_zero},
    MethodOption{"scf_density_convergence",
                 OptionForm::number,
                 1e-8,
                 {},
                 "largest element of FDS - SDF",
                 {},
                 OptionRange::above_zero},
    MethodOption{"level_shift",
                 OptionForm::number,
                 0,
                 {},
                 "hartree added to the virtual orbitals during the iterations"},
    MethodOption{"damping",
                 OptionForm::number,
                 0,
                 {},
                 "part of the old density in a new one while the error is above 0.1",
                 {},
                 OptionRange::fraction},
    MethodOption{"stability",
                 OptionForm::word,
                 0,
                 {"unknown", "check", "follow"},
                 "check: test whether the solution is a minimum; follow: if not, continue to a "
                 "lower one (open shells, unrestricted)"},
    MethodOption{"unrestricted", OptionForm::truth, 0, {}, "treat a closed shell as an open one"},
    MethodOption{"reference",
                 OptionForm::word,
                 0,
                 {"usual", "uhf", "rohf"},
                 "of open shells: usual and uhf unrestricted, rohf restricted; uhf also treats a "
                 "closed shell as open"},
    MethodOption{"cc_iterations",
                 OptionForm::count,
                 60,
                 {},
                 "maximum number of coupled-cluster iterations, and of steps of excited states",
                 {},
                 OptionRange::above_zero},
    MethodOption{"cc_energy_convergence",
                 OptionForm::number,
                 1e-9,
                 {},
                 "hartree between iterations",
                 {},
                 OptionRange::above_zero},
    MethodOption{"cc_amplitude_convergence",
                 OptionForm::number,
                 1e-7,
                 {},
                 "norm of the change of the amplitudes",
                 {},
                 OptionRange::above_zero},
    MethodOption{"integrals",
                 OptionForm::word,
                 0,
                 {"exact", "cholesky", "df"},
                 "over correlated orbitals: exact, from cholesky vectors, or density-fitted (df)"},
    MethodOption{"cholesky_threshold",
                 OptionForm::number,
                 1e-6,
                 {},
                 "largest error of an integral (ab|ab), hartree; 1e-10 to 1"},
    MethodOption{"four_virtual",
                 OptionForm::word,
                 0,
                 {"stored", "recomputed"},
                 "with Cholesky or density-fitted integrals of a closed shell, those of four "
                 "virtual orbitals are stored, or recomputed block by block in every iteration",
                 "recomputed if they would take more than half of --memory, else stored"},
    MethodOption{"roots",
                 OptionForm::count,
                 3,
                 {},
                 "number of excited states",
                 "3, or as many as there are"},
    MethodOption{"triplets",
                 OptionForm::truth,
                 0,
                 {},
                 "cis and eom-ccsd find triplets of a closed shell, not singlets"},
    MethodOption{
        "oscillator_strengths",
        OptionForm::truth,
        0,
        {},
        "eom-ccsd finds left states and the multipliers of the ground state, too, and from "
        "them transition moments"},
    MethodOption{"excited_convergence",
                 OptionForm::number,
                 1e-6,
                 {},
                 "norm of the residual of a state",
                 {},
                 OptionRange::above_zero},
};

}  // namespace

std::span<const MethodOption> method_options() noexcept { return options; }

const MethodOption* find_method_option(std::string_view key) noexcept {
  const auto found = std::ranges::find(options, key, &MethodOption::key);
  return found == options.end() ? nullptr : &*found;
}

std::string usual_value(const MethodOption& option) {
  if (!option.usual.empty()) return std::string(option.usual);
  if (option.form == OptionForm::truth) return option.standard != 0 ? "true" : "false";
  if (option.form == OptionForm::word)
    return std::string(option.words[static_cast<std::size_t>(option.standard)]);
  return fmt::format("{:g}", option.standard);
}

}  // namespace blockyard::input
