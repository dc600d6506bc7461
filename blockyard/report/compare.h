// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace blockyard::report {

/// One number of two runs.
struct Difference {
  std::string what;  ///< "energy scf", "seconds of ccsd", "wait at ccsd.sial:12 (ccsd)"
  std::string unit;  ///< s, B, hartree or nothing
  double before = 0;
  double after = 0;
  /// How much it matters: seconds of all workers for times; energies come before everything.
  double weight = 0;
  bool is_result = false;  ///< an energy: it should be the same
};

struct Comparison {
  std::string before;  ///< the run, in a line
  std::string after;
  std::vector<std::string>
      settings;  ///< what was chosen otherwise: "workers: 2 workers, 4 workers"
  std::vector<Difference> differences;  ///< those that matter most first
  bool has_other_results = false;       ///< an energy differs by more than the tolerance
};

/// Energies within this are the same, hartree.
inline constexpr double same_energy_hartree = 1e-8;

/// Two reports of `blockyard run --report`. Throws Error{bad_input} with the path of one that
/// is not a report.
[[nodiscard]] Comparison compare(std::string_view before, std::string_view before_path,
                                 std::string_view after, std::string_view after_path);

/// For people: at most `shown` rows. For programs: one JSON object.
[[nodiscard]] std::string print(const Comparison& comparison, std::size_t shown);
[[nodiscard]] std::string json_of(const Comparison& comparison);

}  // namespace blockyard::report
