// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/node/node_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/memory_left.h"
#include "blockyard/fabric/node/patience.h"

namespace blockyard::fabric::node {

using base::Errc;
using base::Error;

namespace {

std::size_t control_bytes(std::size_t ranks) {
  return sizeof(Control) + ranks * sizeof(Invitation);
}

std::size_t length_in_pages(std::size_t bytes) {
  return (bytes + Pieces::page_bytes - 1) / Pieces::page_bytes * Pieces::page_bytes;
}

/// The crowd of all ranks lies in the first one's arena, after its control.
std::size_t everyone_offset(std::size_t ranks) {
  return (control_bytes(ranks) + cache_line - 1) / cache_line * cache_line;
}

std::size_t head_bytes(std::size_t ranks, bool is_first) {
  return is_first ? everyone_offset(ranks) + Crowd::byte_count(ranks) : control_bytes(ranks);
}

}  // namespace

NodeMemory::NodeMemory(int rank, std::vector<std::byte*> arenas, Own own)
    : rank_(rank),
      arenas_(std::move(arenas)),
      own_(std::move(own)),
      pieces_(length_in_pages(head_bytes(arenas_.size(), rank == 0)), own_.bytes) {
  const std::size_t head = length_in_pages(head_bytes(arenas_.size(), rank == 0));
  if (own_.bytes < head || !own_.claim(0, head))
    throw Error(Errc::no_memory,
                fmt::format("out of shared memory: could not reserve the first {} bytes", head));
  auto& processors = control(rank).processors;
  for (const std::int32_t processor : base::allowed_processors()) {
    const auto bit = static_cast<std::uint32_t>(processor);
    processors[bit / 64 % processors.size()].fetch_or(std::uint64_t{1} << bit % 64);
  }
  auto all = std::make_unique<Members>();
  all->ranks.resize(arenas_.size());
  std::iota(all->ranks.begin(), all->ranks.end(), 0);
  all->mine = static_cast<std::size_t>(rank);
  all->offset = everyone_offset(arenas_.size());
  all->crowd = reinterpret_cast<Crowd*>(arenas_[0] + all->offset);
  groups_.push_back(std::move(all));
}

NodeMemory::~NodeMemory() = default;

Control& NodeMemory::control(int rank) const noexcept {
  return *reinterpret_cast<Control*>(arenas_[static_cast<std::size_t>(rank)]);
}

NodeMemory::Members& NodeMemory::members(Group group) const {
  const auto at = static_cast<std::size_t>(group);
  base::require(at < groups_.size() && groups_[at], "the group is live");
  return *groups_[at];
}

std::span<const int> NodeMemory::ranks_of(Group group) const { return members(group).ranks; }

Group NodeMemory::join(std::span<const int> ranks) {
  auto made = std::make_unique<Members>();
  made->ranks.assign(ranks.begin(), ranks.end());
  const auto me = std::find(ranks.begin(), ranks.end(), rank_);
  base::require(me != ranks.end(), "only members join a group");
  made->mine = static_cast<std::size_t>(me - ranks.begin());
  const auto leader = static_cast<std::size_t>(ranks.front());
  if (made->mine == 0) {
    Allocation result;
    const std::size_t bytes = Crowd::byte_count(ranks.size());
    const auto offset = take(bytes, result);
    if (!offset)
      throw Error(Errc::no_memory, fmt::format("a group of {} processes needs {} bytes; {} has {}",
                                               ranks.size(), bytes, result.limit, result.left));
    made->offset = *offset;
    std::memset(arenas_[leader] + *offset, 0, bytes);
    for (const int other : ranks.subspan(1)) {
      Invitation& invitation = control(other).invitations()[leader];
      for (std::uint32_t seen; (seen = invitation.state.word.load()) % 2 == 1;) {
        wait_a_bit(invitation.state, seen);
      }
      invitation.offset = made->offset;
      invitation.state.word.fetch_add(1);
      invitation.state.wake_all();
    }
  } else {
    Invitation& invitation = control(rank_).invitations()[leader];
    for (std::uint32_t seen; (seen = invitation.state.word.load()) % 2 == 0;) {
      wait_a_bit(invitation.state, seen);
    }
    made->offset = invitation.offset;
    invitation.state.word.fetch_add(1);
    invitation.state.wake_all();
  }
  made->crowd = reinterpret_cast<Crowd*>(arenas_[leader] + made->offset);
  const auto hole = std::find(groups_.begin(), groups_.end(), nullptr);
  const auto group = static_cast<Group>(hole - groups_.begin());
  if (hole == groups_.end())
    groups_.push_back(std::move(made));
  else
    *hole = std::move(made);
  return group;
}

void NodeMemory::leave(Group group) {
  base::require(group != everyone, "the group of all ranks cannot be left");
  Members& gone = members(group);
  barrier(group);
  // The last to leave the barrier may still look at it: the first member waits for all.
  gone.crowd->seats()[gone.mine].rounds.fetch_add(1, std::memory_order_release);
  if (gone.mine == 0) {
    for (std::size_t m = 0; m < gone.ranks.size(); ++m)
      while (gone.crowd->seats()[m].rounds.load(std::memory_order_acquire) == 0) {
        check_alive();
        if (own_.meanwhile) own_.meanwhile();
        std::this_thread::yield();
      }
    give(gone.offset);
  }
  groups_[static_cast<std::size_t>(group)].reset();
}

bool NodeMemory::claim(std::size_t offset, Allocation& result) {
  const std::vector<Pieces::Pages> runs = pieces_.claim(offset);
  const auto refused =
      std::ranges::find_if(runs, [&](const Pieces::Pages& pages) { return !claim(pages, result); });
  std::for_each(refused, runs.end(), [&](const Pieces::Pages& pages) { pieces_.unclaim(pages); });
  return refused == runs.end();
}

bool NodeMemory::claim(const Pieces::Pages& pages, Allocation& result) {
  constexpr std::size_t step = std::size_t{64} << 20, worth_asking = std::size_t{4} << 20;
  const auto [begin, bytes] = pages;
  if (bytes < worth_asking) return own_.claim(begin, bytes);
  auto& outstanding = control(0).outstanding;
  const auto wanted = static_cast<std::int64_t>(bytes);
  const auto others = outstanding.fetch_add(wanted);
  const base::MemoryLeft left = base::memory_left();
  const auto free = static_cast<std::int64_t>(std::min<std::size_t>(left.bytes, INT64_MAX / 2));
  bool is_enough = others + wanted <= free;
  std::size_t done = 0;
  for (; is_enough && done < bytes; done += std::min(step, bytes - done)) {
    const std::size_t now = std::min(step, bytes - done);
    is_enough = own_.claim(begin + done, now);
    if (!is_enough) break;
    outstanding.fetch_sub(static_cast<std::int64_t>(now));
  }
  if (is_enough) return true;
  outstanding.fetch_sub(static_cast<std::int64_t>(bytes - done));
  result.left = left.bytes;
  result.limit = left.limit;
  return false;
}

std::optional<std::size_t> NodeMemory::take(std::size_t bytes, Allocation& result) {
  result.wanted = bytes;
  const auto offset = pieces_.allocate(bytes);
  if (!offset) {
    result.left = own_.bytes;
    result.limit = "the address space of the process";
    return std::nullopt;
  }
  if (claim(*offset, result)) return offset;
  // Of a large one some pages may be claimed and some not, and all are given back.
  const std::size_t length = pieces_.length_of(*offset);
  if (const auto pages = pieces_.release(*offset)) own_.give_back(pages->offset, pages->bytes);
  if (result.limit.empty()) {
    const auto left = base::memory_left();
    result.left = left.bytes;
    result.limit = left.limit;
  }
  result.wanted = length;
  return std::nullopt;
}

void NodeMemory::give(std::size_t offset) {
  if (const auto pages = pieces_.release(offset)) own_.give_back(pages->offset, pages->bytes);
}

Allocation NodeMemory::allocate(Group group, std::size_t bytes) {
  Members& all = members(group);
  Allocation result;
  const auto offset = bytes > 0 ? take(bytes, result) : std::optional<std::size_t>(0);
  Seat* seats = all.crowd->seats();
  const std::size_t set = all.round % 2;
  seats[all.mine].words[set] = {offset ? 1U : 0U, offset.value_or(0), result.wanted, result.left};
  come(all, {});
  for (std::size_t m = 0; m < all.ranks.size(); ++m) {
    const auto& words = seats[m].words[set];
    if (words[0] == 1) continue;
    if (offset && bytes > 0) give(*offset);
    result.member = static_cast<int>(m);
    result.wanted = words[2];
    result.left = words[3];
    if (result.limit.empty()) result.limit = base::memory_left().limit;
    return result;
  }
  result.region = regions_.take();
  Shared& made = regions_[result.region];
  made.ranks = all.ranks;
  made.offset = bytes > 0 ? *offset : 0;
  made.is_live = true;
  made.bases.resize(all.ranks.size());
  for (std::size_t m = 0; m < all.ranks.size(); ++m) {
    result.id = result.id * 0x9E3779B97F4A7C15U + seats[m].words[set][1] + 1;
    made.bases[m] = arenas_[static_cast<std::size_t>(all.ranks[m])] + seats[m].words[set][1];
  }
  return result;
}

void NodeMemory::release(Region region) {
  Shared& gone = regions_[region];
  base::require(gone.is_live, "the region is live");
  if (gone.offset != 0) give(gone.offset);
  gone.is_live = false;
  regions_.give_back(region);
}

std::byte* NodeMemory::reach(Region region, int member) const noexcept {
  return shared(region).bases[static_cast<std::size_t>(member)];
}

void NodeMemory::abort(std::string_view cause) noexcept {
  Control& first = control(0);
  std::uint32_t none = 0;
  if (!first.has_cause.compare_exchange_strong(none, 1)) return;
  const std::size_t length = std::min(cause.size(), first.cause.size() - 1);
  std::memcpy(first.cause.data(), cause.data(), length);
  first.cause[length] = '\0';
  first.has_cause.store(2);
  first.is_aborted.store(1);
}

void NodeMemory::wait_a_bit(Signal& signal, std::uint32_t seen) const {
  check_alive();
  if (!own_.meanwhile) {
    static_cast<void>(wait_for_change(signal, seen, patience()));
    return;
  }
  own_.meanwhile();
  std::this_thread::yield();
}

/// mpirun binds each rank to processors that it chose; all of them count.
Patience NodeMemory::patience() const {
  constexpr std::uint32_t few = 50, many = 3000;
  if (const std::uint32_t spins = spins_.load(std::memory_order_relaxed); spins != 0)
    return {spins};
  std::vector<Processors> ranks(arenas_.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::size_t k = 0; k < ranks[rank].size(); ++k)
      ranks[rank][k] = control(static_cast<int>(rank)).processors[k].load();
    if (ranks[rank] == Processors{}) return {few};
  }
  spins_.store(have_own_processors(ranks, base::processor_quota()) ? many : few,
               std::memory_order_relaxed);
  return {spins_.load(std::memory_order_relaxed)};
}

void NodeMemory::check_alive() const {
  const Control& first = control(0);
  if (first.is_aborted.load(std::memory_order_acquire) != 0)
    throw Error(Errc::comm, std::string_view(first.cause.data()));
}

}  // namespace blockyard::fabric::node
