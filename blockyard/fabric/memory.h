// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "blockyard/fabric/strided.h"

namespace blockyard::fabric {

/// A set of ranks that take part in collectives, numbered within it ("member").
using Group = int;
/// Memory of the members of a group that all ranks of the group reach one-sidedly.
using Region = int;
/// Names a transfer that was begun and may not be complete. 0: already complete.
using Transfer = std::uint64_t;

/// The outcome of an allocation, the same at all members.
struct Allocation {
  Region region = -1;      ///< -1: out of memory
  std::uint64_t id = 0;    ///< equal at all members, and of no other live region of the group
  int member = -1;         ///< the member that has too little
  std::size_t wanted = 0;  ///< bytes, there
  std::size_t left = 0;    ///< bytes, there
  std::string limit;       ///< whose limit it is
};

/// The collective a member called, to detect members that called different ones.
struct Meeting {
  std::uint64_t tag = 0;       ///< equal at all members, or they are in different collectives
  std::string_view what = {};  ///< for the message then
};

/// One-sided access: ranks read, write and add to memory of each other without the other's help.
/// One object per rank. Collectives: one thread at a time; the others: any thread, where
/// takes_any_thread() says so.
/// A failure ends the run of all (Error{comm}). Where ranks are on several nodes its end is
/// also collective, and waits for transfers that are under way.
class Memory {
 public:
  static constexpr Group everyone = 0;

  virtual ~Memory() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// False: MPI, where it was started so, allows transfers from the thread of the collectives
  /// alone.
  [[nodiscard]] virtual bool takes_any_thread() const noexcept { return true; }
  /// The number of the node that a rank is on; nodes are counted from 0 in the order of ranks.
  [[nodiscard]] virtual int node_of(int rank) const noexcept = 0;

  /// Collective among these ranks, which need not be sorted. Others do not take part.
  [[nodiscard]] virtual Group join(std::span<const int> ranks) = 0;
  /// Collective among the members.
  virtual void leave(Group group) = 0;
  /// The ranks of a group, by member.
  [[nodiscard]] virtual std::span<const int> ranks_of(Group group) const = 0;

  /// Collective among the members. Each gives its own length. Contents are undefined.
  [[nodiscard]] virtual Allocation allocate(Group group, std::size_t bytes) = 0;
  /// Collective among the members.
  virtual void release(Region region) = 0;
  /// Where the memory of a member begins; null if it is on another node.
  [[nodiscard]] virtual std::byte* reach(Region region, int member) const noexcept = 0;

  /// Between the memory of a member, from `offset` on, and the caller's.
  virtual Transfer get(Region region, int member, std::size_t offset, const Strided& rows,
                       void* near) = 0;
  virtual Transfer put(Region region, int member, std::size_t offset, const Strided& rows,
                       const void* near) = 0;
  /// far += factor * near, atomic for each element against other accumulates.
  virtual Transfer accumulate(Region region, int member, std::size_t offset, const Strided& rows,
                              const void* near, Element element, const void* factor) = 0;
  /// One value of `bytes` each, at these offsets. The three of them are complete on return.
  virtual void gather(Region region, int member, std::span<const std::int64_t> offsets,
                      std::size_t bytes, void* near) = 0;
  virtual void scatter(Region region, int member, std::span<const std::int64_t> offsets,
                       std::size_t bytes, const void* near) = 0;
  virtual void scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                           const void* near, Element element, const void* factor) = 0;
  /// Adds to an integer, returns what it was. Element: i32 or i64.
  [[nodiscard]] virtual std::int64_t fetch_and_add(Region region, int member, std::size_t offset,
                                                   Element element, std::int64_t increment) = 0;
  /// A mutex of `mutex_bytes` at an aligned offset, open if all of them are zero; first come, first
  /// served, not recursive.
  static constexpr std::size_t mutex_bytes = 64;
  virtual void lock(Region region, int member, std::size_t offset) = 0;
  /// False: it was not locked. The caller fences before.
  [[nodiscard]] virtual bool unlock(Region region, int member, std::size_t offset) = 0;
  /// Completes this rank's puts and accumulates to the memory of a rank (-1: all).
  virtual void fence(int rank) = 0;
  /// Whether the caller's memory may be used again; with `must_wait` it returns true.
  [[nodiscard]] virtual bool done(Transfer transfer, bool must_wait) = 0;

  /// Collective among the members. All writes before it are visible to all members after it.
  virtual void barrier(Group group, const Meeting& meeting = {}) = 0;
  /// Collective. Copies `bytes` of a member to all.
  virtual void broadcast(Group group, std::span<std::byte> bytes, int member) = 0;
  /// Collective. values[i] becomes the combination over members: of each node in the order of
  /// members, then over nodes. The same bits at all members and in every run.
  virtual void reduce(Group group, Element element, Reduction reduction, void* values,
                      std::size_t count) = 0;

  /// Ends the run of all ranks with this cause. Any thread.
  virtual void abort(std::string_view cause) noexcept = 0;
};

}  // namespace blockyard::fabric
