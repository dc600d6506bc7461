// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "blockyard/job/job.h"
#include "blockyard/store/persist_file.h"
#include "blockyard/worker/worker.h"

/// The results of a job for later jobs: an HDF5 file of what programs kept by set_persistent.
/// One thread at a time: HDF5 has a global lock at best.
namespace blockyard::job {

/// How the labels begin of what a method starts from; set by the run, not by a program.
inline constexpr std::string_view guess_prefix = "guess_";

/// What every worker begins with: scalars, static arrays, and the labels of the arrays whose
/// blocks go to the servers. Empty if the file does not exist.
/// Throws Error{bad_input} if it is not a file of kept arrays, Error{io} if it cannot be read.
[[nodiscard]] worker::Kept read_kept(const std::string& path);

/// The file of the lock that a run holds while it writes the file of kept arrays at `path`.
[[nodiscard]] std::string lock_of(const std::string& path);

/// Takes out of `kept` what `guess` has, and of a job with a method all guesses: those of an
/// earlier run are not for this one.
void leave_out_guess(const Job& job, const worker::Kept& guess, worker::Kept& kept);

/// Puts the blocks of distributed and served arrays of the file to the servers (worker 0).
void load_blocks(const std::string& path, const worker::Kept& kept, worker::Worker& worker);

/// Puts the labels that programs of the job set into its persistent file (worker 0). The other
/// labels stay as they are in the file now: another run may have written to it meanwhile. If the
/// file is gone, they are written as this run began with them. Runs come one after the other, by a
/// lock. All or nothing.
void write_kept(const Job& job, worker::Worker& worker);

/// A whole array of a file.
[[nodiscard]] worker::DenseArray read_dense(const store::PersistReader& reader,
                                            const std::string& label);

/// Puts the array to the servers in blocks of other `segments` than those in the file, if need be,
/// under the label `as` (worker 0).
void load_array(const store::PersistReader& reader, const std::string& label,
                const std::vector<std::vector<base::Extent>>& segments, const std::string& as,
                worker::Worker& worker);

/// Writes a file with just these arrays and scalars. All or nothing (worker 0).
void write_arrays(const std::string& path, const worker::Kept& kept, worker::Worker& worker);

}  // namespace blockyard::job
