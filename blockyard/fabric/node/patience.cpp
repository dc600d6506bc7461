// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/node/patience.h"

#include <bit>
#include <vector>

namespace blockyard::fabric::node {

namespace {

constexpr std::size_t bits = 64, count = bits * Processors{}.size();

/// A matching of ranks with processors, rank by rank.
class Seats {
 public:
  explicit Seats(std::span<const Processors> ranks) : ranks_(ranks) { holders_.fill(none); }

  /// False: this rank and some that have one have too few processors together.
  [[nodiscard]] bool seat(std::size_t rank) {
    tried_ = {};
    return find(rank);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  [[nodiscard]] bool find(std::size_t rank) {
    // A free one if there is one, else one whose holder finds another.
    for (const bool must_move : {false, true})
      for (std::size_t word = 0; word < tried_.size(); ++word)
        for (std::uint64_t left = ranks_[rank][word]; left != 0; left &= left - 1) {
          const auto bit = static_cast<std::size_t>(std::countr_zero(left));
          if (take(rank, word, bit, must_move)) return true;
        }
    return false;
  }
  [[nodiscard]] bool take(std::size_t rank, std::size_t word, std::size_t bit, bool must_move) {
    std::size_t& holder = holders_[word * bits + bit];
    const std::uint64_t flag = std::uint64_t{1} << bit;
    if (holder != none && (!must_move || (tried_[word] & flag) != 0)) return false;
    tried_[word] |= flag;
    if (holder != none && !find(holder)) return false;
    holder = rank;
    return true;
  }

  std::span<const Processors> ranks_;
  std::array<std::size_t, count> holders_{};  ///< by processor
  Processors tried_{};
};

}  // namespace

bool have_own_processors(std::span<const Processors> ranks, std::optional<int> quota) {
  if (quota && ranks.size() > static_cast<std::size_t>(*quota)) return false;
  Seats seats(ranks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!seats.seat(rank)) return false;
  return true;
}

}  // namespace blockyard::fabric::node
