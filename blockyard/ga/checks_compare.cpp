// SPDX-License-Identifier: Apache-2.0
// How processes tell each other what they accessed, and compare it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blockyard/ga/checks.h"
#include "blockyard/ga/checks_text.h"
#include "blockyard/garray/places.h"

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

std::string Checks::packed(Epoch epoch, fabric::Group group) {
  const auto& origins = origins_[static_cast<std::size_t>(rank_)];
  const std::uint64_t first = group == fabric::Memory::everyone ? sent_origins_ : 0;
  packed_origins_ = origins.size();
  // Only the moments that are asked for go along, under new numbers.
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::int64_t> counts;
  const auto renumber = [&](Noted& one) {
    const auto [found, is_new] = numbers.try_emplace(one.access.moment, numbers.size());
    if (is_new) {
      const auto moment = moments_.at(one.access.moment);
      counts.insert(counts.end(), moment.begin(), moment.end());
    }
    one.access.moment = found->second;
  };
  for (Noted& one : epoch.noted) renumber(one);
  for (Listed& one : epoch.listed) renumber(one.noted);
  Packer packer;
  packer.add(std::span<const std::uint64_t>(&first, 1));
  packer.add(std::span<const std::int64_t>(counts));
  packer.add(std::span<const Noted>(epoch.noted));
  const std::uint64_t lists = epoch.listed.size();
  packer.add(std::span<const std::uint64_t>(&lists, 1));
  for (Listed& one : epoch.listed) {
    garray::sort_unique(one.numbers);
    packer.add(std::span<const Noted>(&one.noted, 1));
    packer.add(std::span<const array::Extent>(one.numbers));
  }
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
  for (auto left = unpacker.values<std::uint64_t>().at(0); left > 0; --left) {
    Listed& one = epoch.listed.emplace_back();
    one.noted = unpacker.values<Noted>().at(0);
    one.numbers = unpacker.values<array::Extent>();
  }
  if (rank == rank_) return;
  origins_[at].resize(first);
  while (!unpacker.is_empty()) {
    Origin& origin = origins_[at].emplace_back();
    origin.call = unpacker.bytes();
    origin.place = unpacker.bytes();
    origin.is_fortran = unpacker.bytes() == "f";
  }
}

Checks::Epoch Checks::taken(Group group) {
  Epoch taken;
  std::vector<Noted> left;
  const auto is_of = [&](const Noted& noted) {
    return group == Memory::everyone || noted.group == group;
  };
  for (const Noted& noted : noted_) (is_of(noted) ? taken.noted : left).push_back(noted);
  noted_ = std::move(left);
  last_.clear();
  noted_bytes_ = noted_.size() * sizeof(Noted);
  std::erase_if(listed_, [&](auto& one) {
    if (is_of(one.second.noted)) {
      taken.listed.push_back(std::move(one.second));
      return true;
    }
    noted_bytes_ += one.second.numbers.capacity() * sizeof(array::Extent);
    return false;
  });
  ++syncs_;
  return taken;
}

void Checks::synced(Memory& memory, Group group) {
  const auto is_writing = [](const Noted& noted) {
    return garray::clash(noted.access.use, Use::get);
  };
  Epoch mine;
  {
    const std::lock_guard lock(mutex_);
    mine = taken(group);
  }
  bool was_written = std::any_of(mine.noted.begin(), mine.noted.end(), is_writing) ||
                     std::any_of(mine.listed.begin(), mine.listed.end(),
                                 [&](const Listed& one) { return is_writing(one.noted); });
  met(memory, group, was_written);
  const auto ranks = memory.ranks_of(group);
  const bool must_compare = was_written && ranks.size() > 1;
  std::string own;
  {
    const std::lock_guard lock(mutex_);
    if (must_compare && !(mine.noted.empty() && mine.listed.empty()))
      own = packed(std::move(mine), group);
    if (noted_.empty() && listed_.empty()) moments_.clear();
    is_noted_ = false;
  }
  if (must_compare) exchange(memory, group, own);
}

void Checks::exchange(Memory& memory, Group group, const std::string& own) {
  const auto ranks = memory.ranks_of(group);
  const auto me =
      static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
  std::vector<std::int64_t> lengths(ranks.size());  // of each member's text
  lengths[me] = static_cast<std::int64_t>(own.size());
  memory.reduce(group, Element::i64, Reduction::sum, lengths.data(), lengths.size());
  Epoch epoch;
  epoch.moments.assign(clock_.size() / 2, Moments(memory.size()));
  for (std::size_t m = 0; m < ranks.size(); ++m) {
    if (lengths[m] == 0) continue;
    std::string text = own;
    text.resize(static_cast<std::size_t>(lengths[m]));
    memory.broadcast(group, std::as_writable_bytes(std::span(text)), static_cast<int>(m));
    const std::lock_guard lock(mutex_);
    unpack(text, ranks[m], epoch);
  }
  const std::lock_guard lock(mutex_);
  if (group == Memory::everyone && !own.empty()) sent_origins_ = packed_origins_;
  compare(epoch);
}

void Checks::compare(Epoch& epoch) {
  compare_lists(epoch);
  // A list is compared with patches as the runs that it has.
  std::map<std::uint64_t, std::set<int>> patches;  // who has some, by array
  for (const Noted& noted : epoch.noted) patches[noted.access.array].insert(noted.access.rank);
  const auto meets_patches = [&](const Access& list) {
    const auto found = patches.find(list.array);
    return found != patches.end() &&
           (found->second.size() > 1 || !found->second.contains(list.rank));
  };
  for (const Listed& one : epoch.listed) {
    const auto known = arrays_.find(one.noted.access.array);
    const bool has_ghosts = known != arrays_.end() && !known->second.ghosts.empty();
    if (!has_ghosts && !meets_patches(one.noted.access)) continue;
    Noted noted = one.noted;
    garray::for_each_run(one.noted.access.box, one.numbers, [&](const Box& run) {
      noted.access.box = run;
      epoch.noted.push_back(noted);
    });
  }
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

void Checks::compare_lists(const Epoch& epoch) {
  for (const Listed& own : epoch.listed)
    for (const Listed& other : epoch.listed) {
      const Access &a = own.noted.access, &b = other.noted.access;
      if (a.rank != rank_ || b.rank <= rank_ || a.array != b.array ||
          !garray::is_race(a, b, epoch.moments))
        continue;
      const Box both = garray::first_common(a.box, own.numbers, other.numbers);
      if (!both.is_empty()) tell_race(a, b, both);
    }
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
