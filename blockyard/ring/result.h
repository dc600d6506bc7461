// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/ring/layout.h"
#include "blockyard/ring/ring.h"

namespace blockyard::ring {

/// Adds the values of `from` to those of `into`, which are of the same unit in two rings.
using AddUnit = std::function<void(std::span<std::byte> into, std::span<const std::byte> from)>;
[[nodiscard]] AddUnit add_doubles();
[[nodiscard]] AddUnit add_integers();

/// Collective. Adds the slices of all rings into those of ring 0, in the order of rings. Slices are
/// units of the same length one after the other. After every rank's Ring is finished.
void add_rings(Member& member, const Layout& layout, base::BufferPool& pool,
               std::span<std::byte> slice, const AddUnit& add);

/// Collective. Brings the units of ring 0, in order and one at a time, to rank 0: visit(unit,
/// bytes) is called there only.
void visit_units(Member& member, const Layout& layout, base::BufferPool& pool,
                 std::span<const std::byte> slice,
                 const std::function<void(Extent unit, std::span<const std::byte>)>& visit);

/// Which of `groups` a ring is of: rings that follow each other are of one.
[[nodiscard]] constexpr int group_of(int ring, int rings, int groups) noexcept {
  return static_cast<int>(Extent{ring} * groups / rings);
}

/// Collective. The same with the units of all rings, of which only those of a group are added:
/// visit(unit, bytes) gets the sums of a unit one group after the other.
void visit_groups(Member& member, const Layout& layout, base::BufferPool& pool,
                  std::span<const std::byte> slice, int groups, const AddUnit& add,
                  const std::function<void(Extent unit, std::span<const std::byte>)>& visit);

/// Collective. Brings the bytes of each rank, in order and one at a time, to rank 0: visit(rank,
/// bytes) is called there only.
void visit_ranks(Member& member, base::BufferPool& pool, std::span<const std::byte> bytes,
                 const std::function<void(int rank, std::span<const std::byte>)>& visit);

/// Collective. The bytes of each rank, in the order of ranks, at rank 0; nothing elsewhere.
[[nodiscard]] std::vector<std::vector<std::byte>> gather(Member& member, base::BufferPool& pool,
                                                         std::span<const std::byte> bytes);

}  // namespace blockyard::ring
