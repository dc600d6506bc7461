// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace blockyard::input {
struct Spec;
}

namespace blockyard::job {

struct Job;

/// A choice made for a run, and its reason, for the report.
struct Decision {
  std::string what;
  std::string choice;
  std::string reason;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Ranks, memory, segments, dealing, look-ahead and placement of a job that is ready to run.
[[nodiscard]] std::vector<Decision> decisions_of(const input::Spec& spec, const Job& job);

}  // namespace blockyard::job
