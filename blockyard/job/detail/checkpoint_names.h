// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/base/fields.h"
#include "blockyard/job/run.h"

/// What the writer and the reader of checkpoints agree on.
namespace blockyard::job::detail {

inline constexpr std::string_view checkpoint_prefix = "checkpoint-";
inline constexpr std::string_view part_ending = ".part";  // of a folder that is not complete
inline constexpr std::string_view manifest_name = "manifest";
inline constexpr std::string_view lock_name = "lock";  // in the folder of all checkpoints of a run

struct Progress {
  std::uint64_t step = 0;
  bool in_program = false;
  int workers = 1;
  int servers = 1;
};

/// The numbers of the complete checkpoints in a folder, the oldest first.
[[nodiscard]] std::vector<std::uint64_t> complete_checkpoints(const std::filesystem::path& folder);

/// Removes what was being written when a run failed or was killed, or removed when it was killed.
void remove_parts(const std::filesystem::path& folder) noexcept;

/// What the report of a run needs of the programs that are over; their metrics are not kept.
void write_results(base::FieldWriter& out, std::span<const StepResult> steps);
[[nodiscard]] std::vector<StepResult> read_results(base::FieldReader& in);

}  // namespace blockyard::job::detail
