// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "blockyard/flow/bind.h"
#include "blockyard/program/program.h"

namespace blockyard::plan {

/// How many instructions a walk through a program steps over, if every way is taken and no `where`
/// refuses: an estimate from the code alone, to decide what is walked completely. One thread.
class Trips {
 public:
  /// `iterations`: of loops that the program may leave early.
  Trips(const program::Program& program, const flow::Tables& tables, int iterations);

  [[nodiscard]] double all() const { return all_; }
  /// One iteration of the loop that begins at `pc`.
  [[nodiscard]] double of_body(std::int32_t pc) const;
  /// Whether the do loop at `pc` has no barrier, no pardo, no exit, and so may be sampled.
  [[nodiscard]] bool is_plain(std::int32_t pc) const;

 private:
  struct Loop {
    double body = 0;
    bool is_plain = true;
  };
  /// Steps from begin to end; sets `is_plain` to false where there is what forbids sampling.
  double walk(std::int32_t begin, std::int32_t end, bool& is_plain);
  [[nodiscard]] double settings_of(const program::PardoDecl& pardo) const;
  [[nodiscard]] double values_of(std::int32_t index) const;

  const program::Program& program_;
  const flow::Tables& tables_;
  double iterations_;
  std::map<std::int32_t, Loop> loops_;
  std::map<std::int32_t, Loop> procs_;  ///< steps of a proc
  double all_ = 0;
};

}  // namespace blockyard::plan
