// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "blockyard/input/settings.h"
#include "blockyard/method/energies.h"

/// Several jobs of one command, in one table.
namespace blockyard::report {

/// The outcome of one job.
struct ListedJob {
  std::string name;  ///< "h2o.toml", "basis.name=cc-pvdz", or both
  std::string file;
  input::Settings settings;              ///< those of a scan
  std::string error;                     ///< empty: it went well
  std::vector<method::Energy> energies;  ///< of a method
  std::string results;                   ///< results_json; empty: there are none
  bool is_converged = true;
};

/// A row for each job, as it ends; a heading where the kinds of energies change.
class JobTable {
 public:
  /// name_width: of the longest name.
  explicit JobTable(std::size_t name_width) : name_width_(name_width) {}
  [[nodiscard]] std::string row(const ListedJob& job);

 private:
  std::size_t name_width_;
  std::vector<std::string> heading_;
};

/// One JSON object with a list `jobs`: `file`, `settings`, `error` (null if it went well),
/// `results` (as of a single job, null if there are none).
[[nodiscard]] std::string list_json(std::span<const ListedJob> jobs);

}  // namespace blockyard::report
