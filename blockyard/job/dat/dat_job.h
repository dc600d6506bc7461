// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blockyard/job/dat/dat.h"
#include "blockyard/job/job.h"
#include "blockyard/job/spec.h"

namespace blockyard::job::dat {

/// A job of what a file holds: its constants and segments, its arrays as data of predefined static
/// arrays, completed where they describe shells, its molecule, if it has a whole one. What of it
/// the run will compute again with the same result is left out. Its programs stay to be found.
[[nodiscard]] Spec make_spec(const DatFile& file);

/// The molecule and the basis that the arrays of a job describe, for a job that says no other;
/// nothing if there are none. Throws Error{bad_input} if they are not complete.
[[nodiscard]] std::optional<std::pair<MoleculeSpec, BasisSpec>> molecule_of_arrays(
    const Spec& spec);

/// Throws Error{bad_input} if a job gives arrays of another molecule or basis than its own.
void check_molecule_arrays(const Spec& spec, const qc::System& system);

/// read_dat_file and make_spec, and its programs, looked for in `folders`; none: in the folder of
/// the file. Errors begin with its name.
[[nodiscard]] Spec read_dat_job(const std::string& path, const std::vector<std::string>& folders);

/// The file of a job that `prepare` made of `spec`: constants, segments, arrays, molecule, the
/// names of the programs with the ending .siox. Throws Error{bad_input} if a number does not fit
/// the layout.
[[nodiscard]] DatFile make_dat(const Job& job, const Spec& spec);

/// Adds what such a file says in arrays of a molecule, its basis and its segments, as data of
/// predefined static arrays. Those that are there stay; shells that are there are not mixed with
/// ours.
void add_molecule_arrays(const qc::System& system, worker::Environment& environment);

}  // namespace blockyard::job::dat
