// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/garray/runtime.h"

namespace blockyard::garray {

/// The report of a member to the others on its work.
struct Outcome {
  std::int32_t is_failed = 0;
  std::int32_t code = 0;
  char text[1016] = {};
};

template <class Work>
Outcome outcome_of(const Work& work) {
  Outcome outcome;
  try {
    work();
  } catch (const base::Error& error) {
    outcome.is_failed = 1;
    outcome.code = static_cast<std::int32_t>(error.code());
    std::strncpy(outcome.text, error.what(), sizeof outcome.text - 1);
  } catch (const std::bad_alloc&) {
    outcome.is_failed = 1;
    outcome.code = static_cast<std::int32_t>(base::Errc::no_memory);
    std::strncpy(outcome.text, ": there is not enough memory", sizeof outcome.text - 1);
  } catch (const std::exception& error) {
    outcome.is_failed = 1;
    outcome.code = static_cast<std::int32_t>(base::Errc::internal);
    std::strncpy(outcome.text, fmt::format(": {}", error.what()).c_str(), sizeof outcome.text - 1);
  }
  return outcome;
}

/// Collective. Member 0 does `work`; the Error that it throws is thrown at all members.
template <class Work>
void at_first(const Runtime& runtime, int group, const Work& work) {
  const Team& team = runtime.team(group);
  Outcome outcome;
  if (team.me == 0) outcome = outcome_of(work);
  runtime.memory().broadcast(team.group, std::as_writable_bytes(std::span(&outcome, 1)), 0);
  if (outcome.is_failed != 0)
    throw base::Error(static_cast<base::Errc>(outcome.code), outcome.text);
}

/// Collective. Each member does `work`; the Error of the first one that fails is thrown at all.
template <class Work>
void at_all(const Runtime& runtime, int group, const Work& work) {
  const Team& team = runtime.team(group);
  Outcome outcome = outcome_of(work);
  std::vector<std::int32_t> failed(team.ranks.size());
  failed[static_cast<std::size_t>(team.me)] = outcome.is_failed;
  runtime.memory().reduce(team.group, fabric::Element::i32, fabric::Reduction::sum, failed.data(),
                          failed.size());
  const auto member = static_cast<int>(std::ranges::find(failed, 1) - failed.begin());
  if (member == static_cast<int>(failed.size())) return;
  runtime.memory().broadcast(team.group, std::as_writable_bytes(std::span(&outcome, 1)), member);
  throw base::Error(static_cast<base::Errc>(outcome.code),
                    fmt::format("process {}: {}", member, outcome.text));
}

}  // namespace blockyard::garray
