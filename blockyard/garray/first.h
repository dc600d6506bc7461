// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/garray/runtime.h"

namespace blockyard::garray {

/// The report of member 0 to the others on its work.
struct Outcome {
  std::int32_t is_failed = 0;
  std::int32_t code = 0;
  char text[1016] = {};
};

/// Collective. Member 0 does `work`; the Error that it throws is thrown at all members.
template <class Work>
void at_first(const Runtime& runtime, int group, const Work& work) {
  const Team& team = runtime.team(group);
  Outcome outcome;
  if (team.me == 0) {
    try {
      work();
    } catch (const base::Error& error) {
      outcome.is_failed = 1;
      outcome.code = static_cast<std::int32_t>(error.code());
      std::strncpy(outcome.text, error.what(), sizeof outcome.text - 1);
    }
  }
  runtime.memory().broadcast(team.group, std::as_writable_bytes(std::span(&outcome, 1)), 0);
  if (outcome.is_failed != 0)
    throw base::Error(static_cast<base::Errc>(outcome.code), outcome.text);
}

}  // namespace blockyard::garray
