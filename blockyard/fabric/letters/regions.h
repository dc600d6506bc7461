// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "blockyard/fabric/letters/office.h"
#include "blockyard/fabric/memory.h"
#include "blockyard/fabric/node/node_memory.h"
#include "blockyard/fabric/node/region_table.h"

namespace blockyard::fabric::letters {

/// A region, as one member knows it.
struct Shared {
  Region here = -1;               ///< of the node's memory
  std::vector<std::byte*> bases;  ///< by member; null on another node
  std::vector<int> ranks;         ///< by member
  std::vector<Region> numbers;    ///< by member: its number of the region
  std::vector<int> members_here;  ///< by member: its place among those on this node; -1: none
  std::byte* mine = nullptr;
  int me_here = -1;
  bool is_live = false;
};

/// The regions of a process, and the service of other processes' requests: it accesses the
/// memory of this rank as a rank of this node would. Making and ending regions: one thread;
/// reading: any thread; serving: the thread that moves letters.
class Regions final : public Clerk {
 public:
  Regions(Office& office, node::NodeMemory& node);

  [[nodiscard]] Region new_region() { return table_.take(); }
  [[nodiscard]] Shared& shared(Region region) const noexcept { return table_[region]; }
  void forget(Region region) { table_.give_back(region); }

  void serve(int from, const Front& front, std::span<const std::byte> body) override;
  [[nodiscard]] Intake open(int from, const Front& front) override;
  void close(int from, const Front& front, Intake& intake) override;
  bool serve_waiting() override;

 private:
  struct Waiting {
    int from;
    std::uint64_t ticket;
    std::byte* place;
    std::uint32_t number;
  };

  void answer(int to, std::uint64_t ticket, std::int64_t value = 0, Body body = {},
              std::uint64_t piece_bytes = 0);
  void serve_list(int from, const Front& front, std::span<const std::byte> body);
  void serve_mutex(int from, const Front& front);
  void add(const Front& front, const Strided& rows, std::size_t offset, const std::byte* near);

  Office& office_;
  node::NodeMemory& node_;
  node::RegionTable<Shared> table_;
  std::vector<Waiting> waiting_;
};

}  // namespace blockyard::fabric::letters
