// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/letters/letter_memory.h"

namespace blockyard::fabric::letters {

namespace {

constexpr std::string_view quarrel_head = "processes came to different collective calls:";

/// The collective that ranks of some nodes called: one tag and name, or a conflict.
struct Summary {
  std::uint64_t tag = 0;
  std::int32_t rank = 0;
  std::int32_t is_quarrel = 0;
};

Summary summary_in(std::span<const std::byte> bytes) {
  Summary summary;
  std::memcpy(&summary, bytes.data(), sizeof(summary));
  return summary;
}

std::string text_in(std::span<const std::byte> bytes) {
  const auto text = bytes.subspan(sizeof(Summary));
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

std::vector<std::byte> encode(const Summary& summary, std::string_view text) {
  std::vector<std::byte> bytes(sizeof(summary) + text.size());
  std::memcpy(bytes.data(), &summary, sizeof(summary));
  if (!text.empty()) std::memcpy(bytes.data() + sizeof(summary), text.data(), text.size());
  return bytes;
}

/// " [0] Zero, [1] Fill"
std::string words_of(std::span<const std::byte> bytes) {
  const Summary summary = summary_in(bytes);
  const std::string text = text_in(bytes);
  if (summary.is_quarrel != 0) return text;
  return fmt::format(" [{}] {}", summary.rank, text.empty() ? "a sync" : text);
}

void merge_summaries(std::vector<std::byte>& mine, const std::vector<std::byte>& theirs) {
  constexpr std::size_t enough = 1500;
  const Summary a = summary_in(mine), b = summary_in(theirs);
  if (a.tag == b.tag && a.is_quarrel == 0 && b.is_quarrel == 0) return;
  std::string text = words_of(mine);
  if (text.size() < enough) text += "," + words_of(theirs);
  mine = encode({a.tag, a.rank, 1}, text);
}

}  // namespace

LetterMemory::Bytes LetterMemory::fold(Team& team, Bytes mine, const Merge& merge) {
  const std::size_t count = team.leaders.size(), me = team.my_node;
  const std::uint64_t round = ++team.round;
  std::size_t step = 1;
  for (; step < count && (me & step) == 0; step *= 2)
    if (me + step < count) merge(mine, office_->await(team.name, round, team.leaders[me + step]));
  if (me != 0) {
    const int parent = team.leaders[me - step];
    office_->send_round(team.name, round, parent, std::move(mine));
    mine = office_->await(team.name, round, parent);
  }
  while ((step /= 2) > 0)
    if (me + step < count) office_->send_round(team.name, round, team.leaders[me + step], mine);
  return mine;
}

void LetterMemory::spread(Team& team, std::span<std::byte> bytes, std::size_t root) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  const std::size_t count = team.leaders.size(), me = (team.my_node + count - root) % count;
  const auto leader = [&](std::size_t from_root) {
    return team.leaders[(from_root + root) % count];
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto part = bytes.subspan(at, std::min(piece, bytes.size() - at));
    const std::uint64_t round = ++team.round;
    std::size_t step = 1;
    while (step < count && (me & step) == 0) step *= 2;
    if (me != 0) {
      const Bytes found = office_->await(team.name, round, leader(me - step));
      std::copy(found.begin(), found.end(), part.begin());
    }
    while ((step /= 2) > 0)
      if (me + step < count)
        office_->send_round(team.name, round, leader(me + step), {part.begin(), part.end()});
  }
}

/// After the ranks of this node met: do those of all nodes agree? Throws at all of them if not.
void LetterMemory::settle_meeting(Team& team, const Meeting& meeting, std::string_view quarrel) {
  std::string words;
  if (is_leader(team)) {
    const bool is_quarrel = !quarrel.empty();
    const Bytes all = fold(team,
                           encode({meeting.tag, rank_, is_quarrel ? 1 : 0},
                                  is_quarrel ? quarrel.substr(quarrel_head.size()) : meeting.what),
                           merge_summaries);
    if (summary_in(all).is_quarrel != 0) words = text_in(all);
  }
  if (quarrel.empty()) {  // else the others of this node have gone
    std::uint64_t length = words.size();
    node_->broadcast(team.here, std::as_writable_bytes(std::span(&length, 1)), 0);
    words.resize(length);
    if (length > 0) node_->broadcast(team.here, std::as_writable_bytes(std::span(words)), 0);
  }
  if (!words.empty())
    throw base::Error(base::Errc::bad_input, fmt::format("{}{}", quarrel_head, words));
}

void LetterMemory::barrier(Group group, const Meeting& meeting) {
  Team& all = team(group);
  std::string quarrel;
  try {
    node_->barrier(all.here, meeting);
  } catch (const base::Error& error) {
    quarrel = error.what();
    if (all.is_here() || !is_leader(all) || !quarrel.starts_with(quarrel_head)) throw;
  }
  if (!all.is_here()) settle_meeting(all, meeting, quarrel);
}

void LetterMemory::broadcast(Group group, std::span<std::byte> bytes, int member) {
  Team& all = team(group);
  const auto root = static_cast<std::size_t>(all.node_at[static_cast<std::size_t>(member)]);
  if (root == all.my_node) {
    const auto at = std::find(all.members.begin(), all.members.end(), member);
    node_->broadcast(all.here, bytes, static_cast<int>(at - all.members.begin()));
  }
  if (all.is_here()) return;
  if (is_leader(all)) spread(all, bytes, root);
  if (root != all.my_node) node_->broadcast(all.here, bytes, 0);
}

void LetterMemory::reduce(Group group, Element element, Reduction reduction, void* values,
                          std::size_t count) {
  Team& all = team(group);
  node_->reduce(all.here, element, reduction, values, count);
  if (all.is_here()) return;
  const std::size_t width = size_of(element), most = (std::size_t{1} << 20) / width;
  auto* bytes = static_cast<std::byte*>(values);
  for (std::size_t at = 0; is_leader(all) && at < count; at += most) {
    const std::size_t length = std::min(most, count - at);
    std::byte* part = bytes + at * width;
    const Bytes sum =
        fold(all, {part, part + length * width}, [&](Bytes& mine, const Bytes& theirs) {
          combine(element, reduction, mine.data(), theirs.data(), length);
        });
    std::copy(sum.begin(), sum.end(), part);
  }
  node_->broadcast(all.here, {bytes, count * width}, 0);
}

}  // namespace blockyard::fabric::letters
