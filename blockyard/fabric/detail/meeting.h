// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace blockyard::fabric::detail {

enum class Collective : std::uint8_t { barrier, broadcast, reduce, tell };

/// What a rank brings to a collective, or what several brought, joined: nothing, the bytes of the
/// root, the sums, or all that was told, in the order of ranks.
struct Offer {
  Collective kind = Collective::barrier;
  std::int32_t root = 0;
  std::uint64_t length = 0;  ///< of the memory of each
  std::vector<std::byte> bytes;
  std::string error = {};  ///< they do not fit together; empty if all is well
};

[[nodiscard]] std::vector<std::byte> encode(const Offer& offer);
[[nodiscard]] Offer decode(std::span<const std::byte> bytes);

/// Joins the offers of ranks, in their order.
[[nodiscard]] Offer join(std::vector<Offer> offers);

/// How the ranks of a process meet all others, along the tree of rank_tree.h: each joins its own
/// offer with those of the ranks below it and gives them to its parent; what rank 0 has then goes
/// down the same way. So the number of ranks alone determines the order of joining, and no rank
/// talks to more than a few. One thread at a time.
class Meetings {
 public:
  using Result = std::shared_ptr<const Offer>;
  /// Brings an offer, or a result, to take_offer or take_result of the process of `to`.
  using Send = std::function<void(int from, int to, const Offer& offer)>;

  Meetings(std::span<const int> process_of, int process, Send send_offer, Send send_result);

  /// A rank of this process comes.
  void come(int rank, Offer mine) { take_offer(rank, rank, std::move(mine)); }
  /// `to`: a rank of this process; `from`: a child of it.
  void take_offer(int from, int to, Offer offer);
  void take_result(int to, const Result& result);
  /// The result of the meeting to which a rank of this process came, once there is one.
  [[nodiscard]] bool is_over(int rank) const { return places_.at(index(rank))->result != nullptr; }
  [[nodiscard]] Result take(int rank) { return std::move(places_.at(index(rank))->result); }

 private:
  struct Place {
    std::vector<int> children;
    std::vector<Offer> offers;  ///< its own, those of its children
    std::size_t came = 0;
    Result result;
  };
  static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }
  [[nodiscard]] bool is_here(int rank) const { return places_[index(rank)] != nullptr; }

  std::vector<std::unique_ptr<Place>> places_;  ///< by rank; null: of other processes
  Send send_offer_, send_result_;
};

}  // namespace blockyard::fabric::detail
