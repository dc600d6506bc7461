// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/letters/letter_memory.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/memory_left.h"

namespace blockyard::fabric::letters {

namespace {

/// Not of everyone, whose name is 0.
std::uint64_t name_of(std::span<const int> ranks, std::uint64_t times) {
  std::uint64_t name = times + 1;
  for (const int rank : ranks)
    name = (name ^ (static_cast<std::uint64_t>(rank) + 1)) * 0x9E3779B97F4A7C15U + (name >> 29U);
  return name | 1U;
}

}  // namespace

LetterMemory::LetterMemory(int rank, std::vector<int> nodes, const OpenNode& open_node,
                           const Office::Open& open_courier, bool has_thread)
    : has_thread_(has_thread),
      rank_(rank),
      nodes_(std::move(nodes)),
      rank_here_(nodes_.size(), -1) {
  int here = 0;
  for (std::size_t r = 0; r < nodes_.size(); ++r)
    if (nodes_[r] == node_of(rank_)) rank_here_[r] = here++;
  sent_ = std::make_unique<std::atomic<std::uint64_t>[]>(nodes_.size());
  there_ = std::make_unique<std::atomic<std::uint64_t>[]>(nodes_.size());
  office_ = std::make_unique<Office>(open_courier, size(), has_thread);
  std::function<void()> meanwhile;
  if (!has_thread) meanwhile = [this] { office_->move_now(); };
  node_ = open_node(std::move(meanwhile));
  regions_ = std::make_unique<Regions>(*office_, *node_);
  std::vector<int> all(nodes_.size());
  std::iota(all.begin(), all.end(), 0);
  teams_.push_back(std::make_unique<Team>(make_team(all)));
  teams_.front()->here = Memory::everyone;
  office_->was_aborted = [this](std::string_view cause) { node_->abort(cause); };
  office_->begin(*regions_);
}

LetterMemory::~LetterMemory() {
  office_->close([this] { LetterMemory::fence(-1); });
}

LetterMemory::Team LetterMemory::make_team(std::span<const int> ranks) const {
  Team made;
  made.ranks.assign(ranks.begin(), ranks.end());
  std::unordered_map<int, int> leader_at;  // by node: among the leaders
  for (std::size_t m = 0; m < ranks.size(); ++m) {
    const int node = node_of(ranks[m]);
    const auto [at, is_first] = leader_at.try_emplace(node, static_cast<int>(made.leaders.size()));
    made.node_at.push_back(at->second);
    if (is_first) made.leaders.push_back(ranks[m]);
    if (node == node_of(rank_)) {
      made.my_node = static_cast<std::size_t>(made.node_at.back());
      made.members.push_back(static_cast<int>(m));
    }
  }
  return made;
}

LetterMemory::Team& LetterMemory::team(Group group) const {
  const auto at = static_cast<std::size_t>(group);
  base::require(at < teams_.size() && teams_[at], "the group is live");
  return *teams_[at];
}

std::span<const int> LetterMemory::ranks_of(Group group) const { return team(group).ranks; }

Group LetterMemory::join(std::span<const int> ranks) {
  auto made = std::make_unique<Team>(make_team(ranks));
  made->name = name_of(ranks, joined_[made->ranks]++);
  std::vector<int> here;
  for (const int member : made->members)
    here.push_back(rank_here_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(member)])]);
  made->here = node_->join(here);
  const auto hole = std::find(teams_.begin(), teams_.end(), nullptr);
  const auto group = static_cast<Group>(hole - teams_.begin());
  if (hole == teams_.end())
    teams_.push_back(std::move(made));
  else
    *hole = std::move(made);
  return group;
}

void LetterMemory::leave(Group group) {
  base::require(group != everyone, "the group of all ranks cannot be left");
  barrier(group);
  node_->leave(team(group).here);
  teams_[static_cast<std::size_t>(group)].reset();
}

Allocation LetterMemory::allocate(Group group, std::size_t bytes) {
  Team& all = team(group);
  Allocation result = node_->allocate(all.here, bytes);
  const std::size_t count = all.ranks.size();
  const auto me_here = static_cast<int>(
      std::find_if(all.members.begin(), all.members.end(),
                   [&](int m) { return all.ranks[static_cast<std::size_t>(m)] == rank_; }) -
      all.members.begin());
  const bool is_here = result.region >= 0;
  const Region number = is_here ? regions_->new_region() : -1;
  if (is_here) {  // before others know of it
    Shared& made = regions_->shared(number);
    made = {};
    made.here = result.region;
    made.me_here = me_here;
    made.mine = node_->reach(result.region, me_here);
    made.is_live = true;
  }
  enum : std::size_t { state, named, wanted, left, words };
  constexpr std::int64_t has_too_little = 0, is_made = 1, lost_with_others = 2;
  std::vector<std::int64_t> told(count * words);
  const std::size_t mine =
      words * static_cast<std::size_t>(all.members[static_cast<std::size_t>(me_here)]);
  told[mine + state] = is_here                    ? is_made
                       : result.member == me_here ? has_too_little
                                                  : lost_with_others;
  told[mine + named] = number;
  told[mine + wanted] = static_cast<std::int64_t>(result.wanted);
  told[mine + left] = static_cast<std::int64_t>(result.left);
  reduce(group, Element::i64, Reduction::sum, told.data(), told.size());
  result.id = 0;
  for (std::size_t m = 0; m < count; ++m) {
    const std::int64_t* of = told.data() + m * words;
    result.id = result.id * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(of[named]) + 1;
    if (of[state] != has_too_little) continue;
    if (is_here) {
      node_->release(result.region);
      regions_->forget(number);
    }
    result = {.region = -1,
              .id = 0,
              .member = static_cast<int>(m),
              .wanted = static_cast<std::size_t>(of[wanted]),
              .left = static_cast<std::size_t>(of[left]),
              .limit = result.limit.empty() ? base::memory_left().limit : result.limit};
    return result;
  }
  Shared& made = regions_->shared(number);
  made.ranks = all.ranks;
  made.bases.resize(count);
  made.members_here.assign(count, -1);
  for (std::size_t k = 0; k < all.members.size(); ++k) {
    const auto m = static_cast<std::size_t>(all.members[k]);
    made.members_here[m] = static_cast<int>(k);
    made.bases[m] = node_->reach(made.here, static_cast<int>(k));
  }
  made.numbers.resize(count);
  for (std::size_t m = 0; m < count; ++m)
    made.numbers[m] = static_cast<Region>(told[m * words + named]);
  result.region = number;
  return result;
}

void LetterMemory::release(Region region) {
  Shared& gone = regions_->shared(region);
  base::require(gone.is_live, "the region is live");
  node_->release(gone.here);
  gone.is_live = false;
  regions_->forget(region);
}

std::byte* LetterMemory::reach(Region region, int member) const noexcept {
  return regions_->shared(region).bases[static_cast<std::size_t>(member)];
}

void LetterMemory::abort(std::string_view cause) noexcept {
  node_->abort(cause);
  office_->abort(cause);
}

}  // namespace blockyard::fabric::letters
