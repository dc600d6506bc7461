// SPDX-License-Identifier: Apache-2.0
// How processes tell each other what they accessed, and compare it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blockyard/ga/checks.h"
#include "blockyard/ga/checks_text.h"

namespace blockyard::ga {

using array::Box;
using fabric::Element;
using fabric::Group;
using fabric::Memory;
using fabric::Reduction;
using garray::Access;
using garray::Moments;

std::string text_of(const array::Box& box, Tongue tongue) {
  std::vector<std::string> axes(box.axes);
  for (std::size_t d = 0; d < box.axes; ++d) {
    const auto from = box.first[d] + tongue.first(), to = box.end[d] - 1 + tongue.first();
    axes[tongue.axis(d, box.axes)] =
        from == to ? fmt::format("{}", from)
                   : fmt::format("{}{}{}", from, tongue.is_fortran ? ":" : "..", to);
  }
  return tongue.is_fortran ? fmt::format("({})", fmt::join(axes, ","))
                           : fmt::format("[{}]", fmt::join(axes, "]["));
}

std::string Checks::packed(std::vector<Noted> noted, fabric::Group group) {
  const auto& origins = origins_[static_cast<std::size_t>(rank_)];
  const std::uint64_t first = group == fabric::Memory::everyone ? sent_origins_ : 0;
  packed_origins_ = origins.size();
  // Only the moments that are asked for go along, under new numbers.
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::int64_t> counts;
  for (Noted& one : noted) {
    const auto [found, is_new] = numbers.try_emplace(one.access.moment, numbers.size());
    if (is_new) {
      const auto moment = moments_.at(one.access.moment);
      counts.insert(counts.end(), moment.begin(), moment.end());
    }
    one.access.moment = found->second;
  }
  Packer packer;
  packer.add(std::span<const std::uint64_t>(&first, 1));
  packer.add(std::span<const std::int64_t>(counts));
  packer.add(std::span<const Noted>(noted));
  for (std::size_t i = first; i < origins.size(); ++i) {
    packer.add(std::string_view(origins[i].call));
    packer.add(std::string_view(origins[i].place));
    packer.add(std::string_view(origins[i].is_fortran ? "f" : "c"));
  }
  return std::move(packer).text();
}

void Checks::unpack(std::string_view text, int rank, Epoch& epoch) {
  Unpacker unpacker(text);
  const std::uint64_t first = unpacker.values<std::uint64_t>().at(0);
  const auto at = static_cast<std::size_t>(rank);
  epoch.moments[at].add(unpacker.values<std::int64_t>());
  const auto noted = unpacker.values<Noted>();
  epoch.noted.insert(epoch.noted.end(), noted.begin(), noted.end());
  if (rank == rank_) return;
  origins_[at].resize(first);
  while (!unpacker.is_empty()) {
    Origin& origin = origins_[at].emplace_back();
    origin.call = unpacker.bytes();
    origin.place = unpacker.bytes();
    origin.is_fortran = unpacker.bytes() == "f";
  }
}

std::vector<Checks::Noted> Checks::taken(Group group) {
  std::vector<Noted> taken, left;
  for (const Noted& noted : noted_)
    (group == Memory::everyone || noted.group == group ? taken : left).push_back(noted);
  noted_ = std::move(left);
  last_.clear();
  ++syncs_;
  return taken;
}

void Checks::synced(Memory& memory, Group group) {
  met(memory, group);
  const auto ranks = memory.ranks_of(group);
  const std::size_t me =
      static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
  std::vector<std::int64_t> lengths(ranks.size() + 1);  // of each member's text, and total writes
  std::string own;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<Noted> all = taken(group);
    if (!all.empty() && ranks.size() > 1) {
      own = packed(all, group);
      lengths[me] = static_cast<std::int64_t>(own.size());
      lengths.back() = std::count_if(all.begin(), all.end(), [](const Noted& noted) {
        return garray::clash(noted.access.use, Use::get);
      });
    }
    if (noted_.empty()) moments_.clear();
    is_noted_ = false;
  }
  if (ranks.size() == 1) return;
  memory.reduce(group, Element::i64, Reduction::sum, lengths.data(), lengths.size());
  Epoch epoch;
  epoch.moments.assign(clock_.size() / 2, Moments(memory.size()));
  for (std::size_t m = 0; m < ranks.size(); ++m) {
    if (lengths[m] == 0 || lengths.back() == 0) continue;
    std::string text = own;
    text.resize(static_cast<std::size_t>(lengths[m]));
    memory.broadcast(group, std::as_writable_bytes(std::span(text)), static_cast<int>(m));
    const std::lock_guard lock(mutex_);
    unpack(text, ranks[m], epoch);
  }
  if (group == Memory::everyone && lengths.back() != 0 && !own.empty()) {
    const std::lock_guard lock(mutex_);
    sent_origins_ = packed_origins_;
  }
  compare(epoch);
}

void Checks::compare(const Epoch& epoch) {
  const std::lock_guard lock(mutex_);
  std::vector<Access> accesses;
  for (const Noted& noted : epoch.noted) {
    accesses.push_back(noted.access);
    age_ghosts(noted);
  }
  garray::find_races(accesses, rank_, epoch.moments,
                     [&](const Access& own, const Access& other, const Box& both) {
                       tell_race(own, other, both);
                     });
}

void Checks::age_ghosts(const Noted& noted) {
  if (!garray::clash(noted.access.use, Use::get)) return;
  const auto found = arrays_.find(noted.access.array);
  if (found == arrays_.end() || noted.updates < found->second.updates) return;
  Known& known = found->second;
  for (const Box& part : known.ghosts) {
    const Box both = array::common(part, noted.access.box);
    if (both.is_empty() || array::common(both, known.own) == both) continue;
    known.stale_rank = noted.access.rank;
    known.stale_origin = noted.access.origin;
  }
}

void Checks::tell_race(const Access& own, const Access& other, const Box& both) {
  const Origin& there = origins_[static_cast<std::size_t>(other.rank)][other.origin];
  tell(fmt::format("race {} {}\t{}", own.origin, there.call, there.place), [&] {
    const bool is_fortran = origins_[static_cast<std::size_t>(rank_)][own.origin].is_fortran;
    return fmt::format(
        "\"{}\"{}: race of {} by process {} with {} by process {}: no sync and no mutex between "
        "them",
        arrays_[own.array].name, text_of(both, {.is_fortran = is_fortran}),
        where(own.rank, own.origin), own.rank, where(other.rank, other.origin), other.rank);
  });
}

}  // namespace blockyard::ga
