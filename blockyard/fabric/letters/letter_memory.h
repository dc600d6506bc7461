// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "blockyard/fabric/letters/office.h"
#include "blockyard/fabric/letters/regions.h"
#include "blockyard/fabric/memory.h"
#include "blockyard/fabric/node/node_memory.h"

namespace blockyard::fabric::letters {

/// Memory of ranks on several nodes: shared memory within a node, letters between nodes. Every
/// process is a rank. Transfers: any thread, if it may have one of its own. The rest: one thread at
/// a time.
class LetterMemory final : public Memory {
 public:
  /// Memory of the ranks of this node, whose ranks are numbered there in the order of all;
  /// `meanwhile` is called while it waits, unless it is null.
  using OpenNode =
      std::function<std::unique_ptr<node::NodeMemory>(std::function<void()> meanwhile)>;

  /// Collective. nodes: by rank.
  LetterMemory(int rank, std::vector<int> nodes, const OpenNode& open_node,
               const Office::Open& open_courier, bool has_thread);
  ~LetterMemory() override;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] bool takes_any_thread() const noexcept override { return has_thread_; }
  [[nodiscard]] int node_of(int rank) const noexcept override {
    return nodes_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Group join(std::span<const int> ranks) override;
  void leave(Group group) override;
  [[nodiscard]] std::span<const int> ranks_of(Group group) const override;
  [[nodiscard]] Allocation allocate(Group group, std::size_t bytes) override;
  void release(Region region) override;
  [[nodiscard]] std::byte* reach(Region region, int member) const noexcept override;
  Transfer get(Region region, int member, std::size_t offset, const Strided& rows,
               void* near) override;
  Transfer put(Region region, int member, std::size_t offset, const Strided& rows,
               const void* near) override;
  Transfer accumulate(Region region, int member, std::size_t offset, const Strided& rows,
                      const void* near, Element element, const void* factor) override;
  void gather(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
              void* near) override;
  void scatter(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
               const void* near) override;
  void scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                   const void* near, Element element, const void* factor) override;
  [[nodiscard]] std::int64_t fetch_and_add(Region region, int member, std::size_t offset,
                                           Element element, std::int64_t increment) override;
  void lock(Region region, int member, std::size_t offset) override;
  [[nodiscard]] bool unlock(Region region, int member, std::size_t offset) override;
  void fence(int rank) override;
  [[nodiscard]] bool done(Transfer transfer, bool must_wait) override {
    return office_->done(transfer, must_wait);
  }
  void barrier(Group group, const Meeting& meeting = {}) override;
  void broadcast(Group group, std::span<std::byte> bytes, int member) override;
  void reduce(Group group, Element element, Reduction reduction, void* values,
              std::size_t count) override;
  void abort(std::string_view cause) noexcept override;

 private:
  struct Team {
    std::vector<int> ranks;
    std::uint64_t name = 0;    ///< equal at all members
    Group here = 0;            ///< its ranks on this node
    std::vector<int> members;  ///< their members in the team
    std::vector<int> leaders;  ///< the first rank of each node, in the order of members
    std::size_t my_node = 0;   ///< this node's place there
    std::vector<int> node_at;  ///< by member: the place of its node
    std::uint64_t round = 0;

    [[nodiscard]] bool is_here() const noexcept { return leaders.size() == 1; }
  };
  using Bytes = std::vector<std::byte>;
  using Merge = std::function<void(Bytes& mine, const Bytes& theirs)>;

  [[nodiscard]] Team make_team(std::span<const int> ranks) const;
  [[nodiscard]] Team& team(Group group) const;
  [[nodiscard]] bool is_leader(const Team& team) const noexcept {
    return team.leaders[team.my_node] == rank_;
  }
  /// Merges the leaders' contributions in the order of nodes, at all leaders.
  [[nodiscard]] Bytes fold(Team& team, Bytes mine, const Merge& merge);
  /// Copies the bytes of one leader to all of them.
  void spread(Team& team, std::span<std::byte> bytes, std::size_t root);
  void settle_meeting(Team& team, const Meeting& meeting, std::string_view quarrel);

  [[nodiscard]] Front front_of(Kind kind, Region region, int member, std::size_t offset) const;
  Transfer send(int to, Letter letter);
  [[nodiscard]] int rank_at(Region region, int member) const noexcept;

  bool has_thread_;
  int rank_;
  std::vector<int> nodes_;
  std::unique_ptr<Office> office_;
  std::unique_ptr<node::NodeMemory> node_;
  std::vector<int> rank_here_;  ///< by rank: its number on this node; -1: on another
  std::unique_ptr<Regions> regions_;
  std::vector<std::unique_ptr<Team>> teams_;
  std::map<std::vector<int>, std::uint64_t> joined_;     ///< how often
  std::unique_ptr<std::atomic<std::uint64_t>[]> sent_;   ///< by rank: since the start
  std::unique_ptr<std::atomic<std::uint64_t>[]> there_;  ///< by rank: of these, in place
};

}  // namespace blockyard::fabric::letters
