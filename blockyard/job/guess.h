// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/job.h"
#include "blockyard/worker/worker.h"

/// Orbitals, amplitudes and multipliers that a job saves as the start of a later one: `--save` and
/// `--guess`. A file of persistent arrays (docs/disk.md) with some labels of sialib/README.md; a
/// program finds those of the earlier job with "guess_" before their names. Orbitals may be those
/// of another basis, which the file describes (saved_basis.h) and from which they are projected, or
/// of the other reference: a closed shell's serve both spins. One thread at a time, as keep.h.
namespace blockyard::job {

/// Whether the job starts from a file. REQUIRES: the job's guess_job is set.
[[nodiscard]] bool has_guess_file(const Job& job);

/// Throws unless orbitals of the atoms of `saved` can be put on those of the job: the same elements
/// with effective cores of as many electrons.
void check_guess_atoms(const Job& job, const qc::Molecule& saved);

/// Orbitals to start from, in the basis of the job, as SCF wants them: the first `occupied` ones,
/// and zeros for the others. `basis`: that of `orbitals`; null: the job's own.
[[nodiscard]] worker::DenseArray start_orbitals(const Job& job, worker::DenseArray orbitals,
                                                base::Extent occupied, const qc::AoBasis* basis);

/// Looks at the file of job.run.guess and sets the int constants orbital_guess, amplitude_guess
/// and multiplier_guess of our programs to 1 for what it holds (else 0).
/// Throws Error{bad_input} with what does not fit the job: another molecule, other numbers of
/// orbitals, none at all.
void set_guess_constants(Job& job);

/// What every worker begins with from the file of job.run.guess, besides `kept`.
void read_guess(const Job& job, worker::Kept& kept);

/// Puts the amplitudes of the file to the servers, in the segments of this job (worker 0).
void load_guess(const Job& job, worker::Worker& worker);

/// Writes the available orbitals and amplitudes to the file of job.run.save (worker 0).
void save_guess(const Job& job, worker::Worker& worker);

}  // namespace blockyard::job
