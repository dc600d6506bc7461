// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "blockyard/fabric/memory.h"
#include "blockyard/fabric/node/hall.h"
#include "blockyard/fabric/node/pieces.h"
#include "blockyard/fabric/node/region_table.h"

namespace blockyard::fabric::node {

/// Memory of the ranks of one node, of which each has given a range of addresses ("arena") that all
/// of them reach: every transfer is a copy by the caller and complete on return.
/// Transfers: any thread. The rest: one thread at a time.
class NodeMemory final : public Memory {
 public:
  struct Own {
    std::size_t bytes = 0;  ///< of this rank's arena
    std::function<bool(std::size_t offset, std::size_t bytes)> claim;
    std::function<void(std::size_t offset, std::size_t bytes)> give_back;
    /// Names of ranks in messages; empty: their numbers.
    std::vector<int> names = {};
    /// What to do again and again while waiting for another rank; null: sleep.
    std::function<void()> meanwhile = {};
  };

  /// arenas: where each rank's begins, as this process sees it; all zero before any rank starts.
  /// To be used once all ranks have constructed theirs. Throws Error{no_memory}.
  NodeMemory(int rank, std::vector<std::byte*> arenas, Own own);
  ~NodeMemory() override;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return static_cast<int>(arenas_.size()); }
  [[nodiscard]] int node_of(int /*rank*/) const noexcept override { return 0; }
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
  [[nodiscard]] bool done(Transfer /*transfer*/, bool /*must_wait*/) override { return true; }
  void barrier(Group group, const Meeting& meeting = {}) override;
  void broadcast(Group group, std::span<std::byte> bytes, int member) override;
  void reduce(Group group, Element element, Reduction reduction, void* values,
              std::size_t count) override;
  void abort(std::string_view cause) noexcept override;

  /// Throws Error{comm} with the cause if any rank called abort.
  void check_alive() const;

 private:
  struct Members {
    std::vector<int> ranks;
    std::size_t mine = 0;
    std::size_t offset = 0;  ///< of the crowd in the first member's arena
    Crowd* crowd = nullptr;
    std::size_t round = 0;
  };
  struct Shared {
    std::vector<std::byte*> bases;  ///< by member
    std::vector<int> ranks;
    std::size_t offset = 0;  ///< of this rank's part
    bool is_live = false;
  };

  [[nodiscard]] Control& control(int rank) const noexcept;
  /// Returns once `signal` is not `seen` any more, or before.
  void wait_a_bit(Signal& signal, std::uint32_t seen) const;
  [[nodiscard]] Patience patience() const;
  [[nodiscard]] int name_of(int rank) const noexcept {
    return own_.names.empty() ? rank : own_.names[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Members& members(Group group) const;
  [[nodiscard]] const Shared& shared(Region region) const noexcept { return regions_[region]; }
  /// Takes memory of this rank's arena with its pages; on failure `result` says why.
  [[nodiscard]] std::optional<std::size_t> take(std::size_t bytes, Allocation& result);
  [[nodiscard]] bool claim(std::size_t offset, Allocation& result);
  /// Pages that follow each other.
  [[nodiscard]] bool claim(const Pieces::Pages& pages, Allocation& result);
  void give(std::size_t offset);
  void come(Members& members, const Meeting& meeting);
  [[noreturn]] void throw_quarrel(const Members& members) const;
  void reduce_piece(Members& members, Element element, Reduction reduction, std::byte* values,
                    std::size_t count, std::size_t width);
  void add_rows(int target, std::byte* far, const Strided& rows, const std::byte* near,
                Element element, const void* factor) const;

  int rank_;
  std::vector<std::byte*> arenas_;
  Own own_;
  Pieces pieces_;
  mutable std::atomic<std::uint32_t> spins_{0};  ///< 0: not all ranks are there yet
  std::vector<std::unique_ptr<Members>> groups_;
  RegionTable<Shared> regions_;
};

}  // namespace blockyard::fabric::node
