// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blockyard/aces/dat/dat.h"
#include "blockyard/input/spec.h"
#include "blockyard/method/chemistry.h"
#include "blockyard/program/program.h"
#include "blockyard/worker/environment.h"

namespace blockyard::aces::dat {

/// A job of what a file holds: its constants and segments, its arrays as data of predefined static
/// arrays, completed where they describe shells, its molecule, if it has a whole one. What of it
/// the run will compute again with the same result is left out. Its programs stay to be found.
[[nodiscard]] input::Spec make_spec(const DatFile& file);

/// The molecule and the basis that the arrays of a job describe, for a job that says no other;
/// nothing if there are none. Throws Error{bad_input} if they are not complete.
[[nodiscard]] std::optional<std::pair<input::MoleculeSpec, input::BasisSpec>> molecule_of_arrays(
    const input::Spec& spec);

/// Throws Error{bad_input} if a job gives arrays of another molecule or basis than its own.
void check_molecule_arrays(const input::Spec& spec, const qc::System& system);

/// read_dat_file and make_spec, and its programs, looked for in `folders`; none: in the folder of
/// the file. Errors begin with its name.
[[nodiscard]] input::Spec read_dat_job(const std::string& path,
                                       const std::vector<std::string>& folders);

/// A file's description of a job that is ready to run. Views of values that the caller keeps.
struct ReadyJob {
  bool is_own = false;  ///< its programs are the user's own, not those of a method
  /// By the name of their file without folder and ending.
  std::vector<std::pair<std::string_view, const program::Program*>> programs;
  const worker::Environment& environment;
  const method::Chemistry* chemistry = nullptr;  ///< null: no molecule
};

/// The file of a job that was made of `spec`: constants, segments, arrays, molecule, the
/// names of the programs with the ending .siox. Throws Error{bad_input} if a number does not fit
/// the layout.
[[nodiscard]] DatFile make_dat(const ReadyJob& job, const input::Spec& spec);

/// Adds what such a file says in arrays of a molecule, its basis and its segments, as data of
/// predefined static arrays. Those that are there stay; shells that are there are not mixed with
/// ours.
void add_molecule_arrays(const qc::System& system, worker::Environment& environment);

}  // namespace blockyard::aces::dat
