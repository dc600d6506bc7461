// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "blockyard/wire/messages.h"

namespace blockyard::server {

/// The kind of access to a block, as far as order matters: `accumulate` is put += and put -=,
/// `put` all that replaces values, put *= too.
enum class Verb : std::uint8_t { get, put, accumulate };

[[nodiscard]] std::string_view text_of(Verb verb) noexcept;

/// What counts as one hand: a worker, or an iteration of a worker.
enum class Identity { worker, iteration };

/// An earlier access that a new one must not meet in the same epoch.
struct Clash {
  wire::Access earlier;
  Verb earlier_verb = Verb::get;
};

/// The accesses to one block in the current epoch. Between two barriers, different hands may all
/// get or all accumulate; anything else gives results that depend on time. Two distinct hands for
/// each verb are enough: one of them differs from any later hand. One thread.
class RaceRecord {
 public:
  /// The earlier access that `access` races with, if any; if none, remembers `access`.
  /// An access of a newer epoch forgets the older ones.
  [[nodiscard]] std::optional<Clash> meet(Verb verb, const wire::Access& access, Identity identity);

 private:
  struct Hands {
    std::array<wire::Access, 2> accesses;
    std::uint8_t count = 0;
  };
  std::uint64_t epoch_ = 0;
  std::array<Hands, 3> hands_;  // by Verb
};

}  // namespace blockyard::server
