// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/method_options.h"

namespace blockyard::input {

namespace {

constexpr std::array options = {
    MethodOption{"scf_guess", OptionForm::word, 1, {"core", "atomic"}},
    MethodOption{"scf_direct", OptionForm::truth, 0, {}},
    MethodOption{"scf_iterations", OptionForm::count, 100, {}},
    MethodOption{"scf_energy_convergence", OptionForm::number, 1e-10, {}},
    MethodOption{"scf_density_convergence", OptionForm::number, 1e-8, {}},
    MethodOption{"level_shift", OptionForm::number, 0, {}},
    MethodOption{"damping", OptionForm::number, 0, {}},
    MethodOption{"stability", OptionForm::word, 0, {"unknown", "check", "follow"}},
    MethodOption{"unrestricted", OptionForm::truth, 0, {}},
    MethodOption{"reference", OptionForm::word, 0, {"usual", "uhf", "rohf"}},
    MethodOption{"cc_iterations", OptionForm::count, 60, {}},
    MethodOption{"cc_energy_convergence", OptionForm::number, 1e-9, {}},
    MethodOption{"cc_amplitude_convergence", OptionForm::number, 1e-7, {}},
    MethodOption{"integrals", OptionForm::word, 0, {"exact", "cholesky", "df"}},
    MethodOption{"cholesky_threshold", OptionForm::number, 1e-6, {}},
    MethodOption{"four_virtual", OptionForm::word, 0, {"stored", "recomputed"}},
    MethodOption{"roots", OptionForm::count, 3, {}},
    MethodOption{"triplets", OptionForm::truth, 0, {}},
    MethodOption{"oscillator_strengths", OptionForm::truth, 0, {}},
    MethodOption{"excited_convergence", OptionForm::number, 1e-6, {}},
};

}  // namespace

std::span<const MethodOption> method_options() noexcept { return options; }

}  // namespace blockyard::input
