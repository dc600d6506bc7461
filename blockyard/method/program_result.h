// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "blockyard/worker/worker.h"

namespace blockyard::method {

/// A program of a job that has ended. `name` is that of its file without folder and ending; the
/// caller keeps what both refer to.
struct ProgramResult {
  std::string_view name;
  const worker::Outcome* outcome = nullptr;
};

/// The program of a method, whatever its shells: scf_rhf or scf_uhf for "scf". Null if the job had
/// none, or ended before it.
inline const ProgramResult* find_step(std::span<const ProgramResult> results,
                                      const std::string& method) {
  for (const ProgramResult& step : results)
    if (step.name == method + "_rhf" || step.name == method + "_uhf") return &step;
  return nullptr;
}

/// A static array that a program left, or null.
inline const worker::DenseArray* find_array(const ProgramResult& step, std::string_view name) {
  const auto found = step.outcome->arrays.find(name);
  return found == step.outcome->arrays.end() ? nullptr : &found->second;
}

}  // namespace blockyard::method
