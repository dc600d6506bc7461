// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace blockyard::report {

/// What the processes of a program wrote at their ends, together: calls by routine, class, place
/// and reason, and those that were compared.
struct OffloadReport {
  std::string table;  ///< for people: a line for each routine and place
  std::string json;   ///< for programs, and for `blockyard report`
};

/// Of all files in a folder.
[[nodiscard]] OffloadReport read_offload_reports(const std::filesystem::path& folder);

}  // namespace blockyard::report
