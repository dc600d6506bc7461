// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "blockyard/job/job.h"

namespace blockyard::job {

/// A whole job as bytes, molecule, basis and compiled programs included: for checkpoints, and to
/// send it to other ranks. It does not depend on files, but for shared objects of super
/// instructions, which are loaded again by name. A new field raises the version of checkpoints
/// (store/checkpoint_file.cpp).
[[nodiscard]] std::vector<std::byte> encode(const Job& job);
/// The same with `run` in place of the job's.
[[nodiscard]] std::vector<std::byte> encode(const Job& job, const input::RunSpec& run);

/// Throws Error{bad_input} if the bytes are cut short, or a library cannot be loaded.
[[nodiscard]] Job decode_job(std::span<const std::byte> bytes);

}  // namespace blockyard::job
