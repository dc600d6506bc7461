// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "blockyard/base/checked.h"
#include "blockyard/base/error.h"

namespace blockyard::garray {

using base::Errc;
using base::Error;

void refuse(const Array& array, std::string_view text) {
  throw Error(Errc::bad_input, fmt::format("(\"{}\"): {}", array.name, text));
}

void refuse(std::string_view text) { throw Error(Errc::bad_input, fmt::format(": {}", text)); }

Runtime::Runtime(std::unique_ptr<fabric::Memory> memory) : memory_(std::move(memory)) {
  world_.ranks.resize(static_cast<std::size_t>(memory_->size()));
  std::iota(world_.ranks.begin(), world_.ranks.end(), 0);
  world_.me = memory_->rank();
  world_.group = fabric::Memory::everyone;
  world_.is_live = true;
  Team mirror{.ranks = {}, .is_live = true};
  for (const int rank : world_.ranks)
    if (memory_->node_of(rank) == memory_->node_of(world_.me)) {
      if (rank == world_.me) mirror.me = static_cast<int>(mirror.ranks.size());
      mirror.ranks.push_back(rank);
    }
  mirror.group =
      mirror.ranks.size() == world_.ranks.size() ? world_.group : memory_->join(mirror.ranks);
  teams_.push_back(std::move(mirror));
  arrays_.reserve(most_chunks);
}

const Team& Runtime::team(int group) const {
  const Team& found = roster(group);
  if (found.me < 0) refuse(fmt::format("this process is not a member of group {}", group));
  return found;
}

const Team& Runtime::roster(int group) const {
  if (group == world_group) return world_;
  if (!is_group(group)) refuse(fmt::format("{} is not a processor group", group));
  return teams_[static_cast<std::size_t>(group)];
}

bool Runtime::is_group(int group) const noexcept {
  if (group == world_group) return true;
  return group >= 0 && group < static_cast<int>(teams_.size()) &&
         teams_[static_cast<std::size_t>(group)].is_live;
}

void Runtime::set_default_group(int group) {
  static_cast<void>(roster(group));
  default_group_ = group;
}

int Runtime::make_group(int parent, std::span<const int> members) {
  const Team& from = team(parent);
  Team made{.ranks = {}, .is_live = true};
  std::vector<bool> is_listed(world_.ranks.size());
  for (const int member : members) {
    if (member < 0 || member >= static_cast<int>(from.ranks.size()))
      refuse(fmt::format("process {} is outside 0..{}", member, from.ranks.size() - 1));
    const int rank = from.ranks[static_cast<std::size_t>(member)];
    if (is_listed[static_cast<std::size_t>(rank)])
      refuse(fmt::format("process {} is in the list twice", member));
    is_listed[static_cast<std::size_t>(rank)] = true;
    if (rank == memory_->rank()) made.me = static_cast<int>(made.ranks.size());
    made.ranks.push_back(rank);
  }
  if (made.me >= 0) made.group = memory_->join(made.ranks);
  teams_.push_back(std::move(made));
  return static_cast<int>(teams_.size()) - 1;
}

void Runtime::end_group(int group) {
  if (group <= mirror_group) refuse(fmt::format("group {} always lives", group));
  static_cast<void>(roster(group));
  for (const Array* array : live_arrays())
    if (array->group == group && array->is_made)
      refuse(
          fmt::format("group {} still has the array \"{}\": destroy it first", group, array->name));
  Team& gone = teams_[static_cast<std::size_t>(group)];
  if (gone.me >= 0) memory_->leave(gone.group);
  gone = {};
  if (default_group_ == group) default_group_ = world_group;
}

Array& Runtime::new_array() {
  int handle = first_handle - static_cast<int>(array_count_);
  if (unused_.empty()) {
    if (array_count_ / chunk_length == arrays_.size()) {
      if (arrays_.size() == most_chunks) refuse("there are too many arrays: destroy some");
      arrays_.push_back(std::make_unique<std::unique_ptr<Array>[]>(chunk_length));
    }
    ++array_count_;
  } else {
    handle = unused_.back();
    unused_.pop_back();
  }
  auto& slot = arrays_[place_of(handle) / chunk_length][place_of(handle) % chunk_length];
  slot = std::make_unique<Array>();
  slot->handle = handle;
  return *slot;
}

bool Runtime::is_array(int handle) const noexcept { return find(handle) != nullptr; }

void Runtime::refuse_handle(int handle) const {
  refuse(fmt::format(
      "{} is not the handle of a live array{}", handle,
      handle <= first_handle && place_of(handle) < array_count_ ? ": it was destroyed" : ""));
}

std::vector<const Array*> Runtime::live_arrays() const {
  std::vector<const Array*> arrays;
  for (std::size_t at = 0; at < array_count_; ++at)
    if (const auto& array = arrays_[at / chunk_length][at % chunk_length])
      arrays.push_back(array.get());
  return arrays;
}

Distribution Runtime::distribution_of(const Array& array) const {
  const Layout& layout = array.layout;
  const int all = static_cast<int>(team(array.group).ranks.size());
  const int ranks = layout.holders.empty() ? all : static_cast<int>(layout.holders.size());
  const auto on_grid = [&](Distribution::Dealing dealing) {
    return Distribution::on_grid(array.extents, layout.edges, layout.grid, dealing);
  };
  Distribution made;
  switch (layout.form) {
    case Layout::Form::regular:
      made = Distribution::regular(array.extents, ranks, layout.edges);
      break;
    case Layout::Form::irregular:
      made = Distribution::irregular(array.extents, layout.begins, ranks);
      break;
    case Layout::Form::cyclic:
      made = Distribution::block_cyclic(array.extents, layout.edges, ranks);
      break;
    case Layout::Form::matrix:
      made = on_grid(Distribution::Dealing::matrix);
      break;
    case Layout::Form::tiled:
      made = on_grid(Distribution::Dealing::tiled);
      break;
    case Layout::Form::tiled_irregular:
      made = Distribution::tiled_irregular(array.extents, layout.begins, layout.grid);
      break;
  }
  if (made.ranks() != ranks)
    refuse(array, fmt::format("its grid has {} processes, but the group {}", made.ranks(), ranks));
  if (!layout.widths.empty()) made.pad(layout.widths);
  if (!layout.holders.empty()) made.restrict_to(layout.holders, all);
  return made;
}

void Runtime::attach(Array& array, fabric::Region region) {
  const Team& team = this->team(array.group);
  array.me = team.me;
  array.region = region;
  array.bases.resize(team.ranks.size());
  for (std::size_t m = 0; m < team.ranks.size(); ++m)
    array.bases[m] = memory_->reach(region, static_cast<int>(m));
  array.is_made = true;
  array.is_plain = array.distribution.is_direct() && !is_checked;
  array.is_near = std::find(array.bases.begin(), array.bases.end(), nullptr) == array.bases.end();
  array.is_counted = is_counted;
}

void Runtime::adopt(Array& array, fabric::Region region) {
  attach(array, region);
  held_bytes_ += array.bytes_held_by(array.me);
}

void Runtime::allocate(Array& array) {
  if (array.is_made) refuse(array, "has memory already");
  if (array.extents.empty()) refuse(array, "has no extents and no type yet");
  settle_group(array);
  const Team& team = this->team(array.group);
  array.distribution = distribution_of(array);
  if (!base::product(array.distribution.most_elements(), static_cast<Extent>(array.kind.bytes)))
    refuse(array, "has more bytes than there are addresses");
  const std::size_t bytes = array.bytes_held_by(team.me);
  std::int32_t is_beyond = most_bytes && held_bytes_ + bytes > *most_bytes ? 1 : 0;
  if (most_bytes) {
    memory_->reduce(team.group, fabric::Element::i32, fabric::Reduction::max, &is_beyond, 1);
    if (is_beyond != 0)
      throw Error(Errc::no_memory,
                  fmt::format("(\"{}\"): {} bytes are wanted here, {} are held, and the limit that "
                              "this program set is {} bytes a process",
                              array.name, bytes, held_bytes_, *most_bytes));
  }
  const fabric::Allocation made = memory_->allocate(team.group, bytes);
  if (made.region < 0)
    throw Error(Errc::no_memory,
                fmt::format("(\"{}\"): process {} has no memory for its part: {} bytes are wanted, "
                            "{} are left to {}",
                            array.name, made.member, made.wanted, made.left, made.limit));
  array.id = made.id;
  adopt(array, made.region);
}

void Runtime::deallocate(Array& array) {
  if (array.is_made && !array.is_guest) {
    memory_->release(array.region);
    held_bytes_ -= std::min(held_bytes_, array.bytes_held_by(array.me));
  }
  array.is_made = array.is_guest = false;
  array.region = -1;
}

void Runtime::forget(Array& array) {
  const int handle = array.handle;
  arrays_[place_of(handle) / chunk_length][place_of(handle) % chunk_length].reset();
  unused_.push_back(handle);
}

void Runtime::sync(int group, const fabric::Meeting& meeting) {
  memory_->fence(-1);
  memory_->barrier(team(group).group, meeting);
}

int Runtime::register_kind(std::size_t bytes) {
  if (bytes == 0) refuse("a type has at least one byte");
  const auto hole = std::find(user_kinds_.begin(), user_kinds_.end(), 0U);
  const auto at = hole - user_kinds_.begin();
  if (hole == user_kinds_.end())
    user_kinds_.push_back(bytes);
  else
    *hole = bytes;
  return first_user_kind + static_cast<int>(at);
}

void Runtime::deregister_kind(int code) {
  if (code < first_user_kind || !kind(code)) refuse(fmt::format("{} is not a user's type", code));
  user_kinds_[static_cast<std::size_t>(code - first_user_kind)] = 0;
}

std::optional<Kind> Runtime::kind(int code, int fortran_integer) const {
  if (code < first_user_kind) return kind_of(code, fortran_integer);
  const auto at = static_cast<std::size_t>(code - first_user_kind);
  if (at >= user_kinds_.size() || user_kinds_[at] == 0) return std::nullopt;
  return Kind{code, user_kinds_[at], std::nullopt};
}

}  // namespace blockyard::garray
