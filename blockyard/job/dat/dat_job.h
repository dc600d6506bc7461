// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/dat/dat.h"
#include "blockyard/job/job.h"
#include "blockyard/job/spec.h"

namespace blockyard::job::dat {

/// A job of what a file holds: its programs, looked for in `folder`; its constants and segments;
/// its molecule, if it has one; all other arrays as data of predefined static arrays.
/// Throws Error{bad_input} if the molecule makes no sense.
[[nodiscard]] Spec make_spec(const DatFile& file, const std::string& folder);

/// read_dat_file and make_spec; `folder` empty: that of the file. Errors begin with its name.
[[nodiscard]] Spec read_dat_job(const std::string& path, const std::string& folder);

/// The file of a job that is made ready: constants, segments, arrays, molecule, the names of the
/// programs with the ending .siox. Throws Error{bad_input} if a number does not fit the layout.
[[nodiscard]] DatFile make_dat(const Job& job);

/// Adds what such a file says in arrays of a molecule, its basis and its segments, as data of
/// predefined static arrays, but for those that are there.
void add_molecule_arrays(const qc::System& system, worker::Environment& environment);

}  // namespace blockyard::job::dat
