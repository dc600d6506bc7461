// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/checks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "blockyard/ga/checks_text.h"
#include "blockyard/ga/code_place.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/patch.h"
#include "blockyard/garray/places.h"

namespace blockyard::ga {

namespace {

using array::Box;
using array::Indexes;
using fabric::Element;
using fabric::Group;
using fabric::Memory;
using fabric::Reduction;
using garray::Access;
using garray::Array;
using garray::Moments;

/// The fill of new memory: as a float or a double no number, as an integer one that no
/// program has by chance.
constexpr std::uint32_t unwritten_word = 0x7FFB10C4;

bool is_filled(const Array& array) { return array.kind.bytes % sizeof(unwritten_word) == 0; }

bool is_unwritten(const std::byte* element, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(unwritten_word)) {
    std::uint32_t word = 0;
    std::memcpy(&word, element + at, sizeof(word));
    if (word != unwritten_word) return false;
  }
  return true;
}

/// Two groups may give their arrays the same numbers, but not if they have a rank in common.
std::uint64_t key_of(const Array& array) {
  const auto first = static_cast<std::uint64_t>(runtime().team(array.group).ranks.front());
  return array.id * 0x9E3779B97F4A7C15U + first;
}

/// Whether `box` now has the elements of both; only if they make a box.
bool join(Box& box, const Box& more) {
  std::size_t differs = box.axes;
  bool is_inside = true;
  for (std::size_t d = 0; d < box.axes; ++d) {
    is_inside = is_inside && more.first[d] >= box.first[d] && more.end[d] <= box.end[d];
    if (box.first[d] == more.first[d] && box.end[d] == more.end[d]) continue;
    if (differs < box.axes)
      return is_inside && [&] {
        for (std::size_t e = d; e < box.axes; ++e)
          if (more.first[e] < box.first[e] || more.end[e] > box.end[e]) return false;
        return true;
      }();
    differs = d;
  }
  if (is_inside) return true;
  if (more.first[differs] > box.end[differs] || more.end[differs] < box.first[differs])
    return false;
  box.first[differs] = std::min(box.first[differs], more.first[differs]);
  box.end[differs] = std::max(box.end[differs], more.end[differs]);
  return true;
}

/// The program ends as always, and with exit code 1. The runtime of Fortran would flush its files
/// only after all such functions.
void fail_at_exit() {
  using Flush = void (*)(const std::int32_t* unit);
  if (void* const flush = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4"))
    reinterpret_cast<Flush>(flush)(nullptr);  // all units
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void Checks::begin(const Memory& memory) {
  const std::lock_guard lock(mutex_);
  const auto ranks = static_cast<std::size_t>(memory.size());
  rank_ = memory.rank();
  clock_.assign(2 * ranks, 0);
  moments_ = Moments(memory.size());
  origins_.assign(ranks, {});
  own_origins_.clear();
  sent_origins_ = 0;
}

std::uint32_t Checks::origin_here() {
  const Call& call = current_call();
  const auto [found, is_new] = own_origins_.try_emplace(
      {call.name, call.caller, call.tongue.is_fortran},
      static_cast<std::uint32_t>(origins_[static_cast<std::size_t>(rank_)].size()));
  if (is_new)
    origins_[static_cast<std::size_t>(rank_)].push_back(
        {call.name, code_place(call.caller), call.tongue.is_fortran});
  return found->second;
}

std::uint32_t Checks::moment_now() {
  if (!is_noted_) moments_.add(clock_);
  is_noted_ = true;
  return static_cast<std::uint32_t>(moments_.count() - 1);
}

bool Checks::is_too_many(std::size_t more) {
  constexpr std::size_t most = std::size_t{1} << 28;
  noted_bytes_ += more;
  if (noted_bytes_ <= most) return false;
  noted_bytes_ -= more;
  if (!is_full_)
    std::fputs(fmt::format("[{}] check: accesses between two syncs need more than {} bytes: the "
                           "others are not compared\n",
                           rank_, most)
                   .c_str(),
               stderr);
  is_full_ = true;
  return true;
}

void Checks::keep(const Noted& noted) {
  const Access& access = noted.access;
  const auto [found, is_new] = last_.try_emplace(
      {access.array, access.origin, access.moment, access.locks, access.use}, noted_.size());
  if (!is_new) {
    Noted& last = noted_[found->second];
    if (last.updates == noted.updates && join(last.access.box, access.box)) return;
  }
  if (is_too_many(sizeof(Noted))) return;
  found->second = noted_.size();
  noted_.push_back(noted);
}

Checks::Noted Checks::noted(const Array& array, Use use, const Box& box, std::uint32_t origin,
                            std::uint64_t locks) {
  const std::uint64_t key = key_of(array);
  Known& known = arrays_[key];
  if (known.name.empty()) known.name = array.name;
  return {.access = {.array = key,
                     .locks = locks,
                     .origin = origin,
                     .moment = moment_now(),
                     .rank = rank_,
                     .use = use,
                     .box = box},
          .updates = known.updates,
          .group = runtime().team(array.group).group};
}

void Checks::note(const Array& array, Use use, const Box& box) {
  if (array.id == 0 || box.is_empty()) return;
  const std::lock_guard lock(mutex_);
  if (use == Use::put || use == Use::accumulate) is_fenced_ = false;
  keep(noted(array, use, box, origin_here(), locks_));
}

void Checks::note(const Array& array, Use use, std::vector<array::Extent> numbers) {
  if (array.id == 0 || numbers.empty()) return;
  const std::lock_guard lock(mutex_);
  if (use == Use::put || use == Use::accumulate) is_fenced_ = false;
  const Noted head = noted(array, use, array.whole(), origin_here(), locks_);
  const Access& access = head.access;
  Listed& listed =
      listed_[{{access.array, access.origin, access.moment, access.locks, use}, head.updates}];
  listed.noted = head;
  const std::size_t had = listed.numbers.capacity();
  if (listed.numbers.empty()) {
    listed.numbers = std::move(numbers);
  } else {
    listed.numbers.insert(listed.numbers.end(), numbers.begin(), numbers.end());
  }
  // Each element is kept once, and sorted seldom.
  constexpr std::size_t least = std::size_t{1} << 20;
  if (listed.numbers.size() > 2 * listed.sorted + least) {
    garray::sort_unique(listed.numbers);
    listed.sorted = listed.numbers.size();
  }
  const std::size_t has = listed.numbers.capacity();
  if (has > had && is_too_many((has - had) * sizeof(array::Extent)))
    listed.numbers.resize(listed.sorted);
}

void Checks::lock(int number) {
  const std::lock_guard lock(mutex_);
  locks_ |= std::uint64_t{1} << (number % 64);
}

void Checks::unlock(int number) {
  const std::lock_guard lock(mutex_);
  locks_ &= ~(std::uint64_t{1} << (number % 64));
}

void Checks::open(const Array& array, std::vector<Box> boxes) {
  if (array.id == 0) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [&](const OpenAccess& open) { return open.syncs != syncs_; });
  open_.push_back({key_of(array), std::move(boxes), origin_here(), moment_now(), locks_, syncs_});
}

void Checks::close(const Array& array, const std::vector<Box>& boxes, bool is_written) {
  if (array.id == 0) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t key = key_of(array);
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const OpenAccess& open) {
    return open.array == key && open.boxes == boxes;
  });
  if (found == open_.end()) return;
  const OpenAccess open = std::move(*found);
  open_.erase(found);
  // When ranks met in between, it is unknown on which side of it the memory was used.
  if (open.syncs != syncs_ || open.moment != moment_now()) return;
  for (const Box& box : open.boxes)
    if (!box.is_empty())
      keep(noted(array, is_written ? Use::write : Use::read, box, open.origin, open.locks));
}

void Checks::made(const garray::Runtime& runtime, const Array& array) {
  if (is_filled(array) && array.me >= 0) {
    const std::size_t words = static_cast<std::size_t>(array.distribution.element_count(array.me)) *
                              array.kind.bytes / sizeof(unwritten_word);
    std::fill_n(reinterpret_cast<std::uint32_t*>(array.bases[static_cast<std::size_t>(array.me)]),
                words, unwritten_word);
  }
  {
    const std::lock_guard lock(mutex_);
    Known& known = arrays_[key_of(array)];
    known = {.name = array.name,
             .maker = static_cast<std::int64_t>(origin_here()),
             .is_told_here = array.me == 0,
             .is_filled = is_filled(array)};
    if (array.distribution.is_padded())
      garray::for_each_own(garray::whole(array), [&](const array::Piece& piece, std::byte*) {
        known.own = piece.box;
        Box padded = piece.box;
        for (std::size_t d = 0; d < padded.axes; ++d) {
          padded.first[d] -= array.distribution.widths()[d];
          padded.end[d] += array.distribution.widths()[d];
        }
        garray::for_each_wrapped(
            array, padded, [&](const Box& part, const Indexes&) { known.ghosts.push_back(part); });
      });
  }
  runtime.memory().barrier(runtime.team(array.group).group);
}

void Checks::ended(const Array& array) {
  const std::lock_guard lock(mutex_);
  if (array.id != 0 && !array.is_guest) arrays_.erase(key_of(array));
}

void Checks::look(const Array& array, const Box& box, const garray::Local& local) {
  if (array.id == 0 || !is_filled(array)) return;
  const auto* values = static_cast<const std::byte*>(local.data);
  const auto bytes = static_cast<array::Extent>(array.kind.bytes);
  array::Extent count = 0, found = -1;
  garray::for_each_offset<1>(box, {local.strides}, [&](const auto& at) {
    if (found < 0 && is_unwritten(values + at[0] * bytes, array.kind.bytes)) found = count;
    ++count;
  });
  if (found < 0) return;
  Indexes at = box.first;
  for (std::size_t d = 0; d < box.axes; ++d) {
    at[d] += found % box.extent(d);
    found /= box.extent(d);
  }
  unwritten(array, at);
}

void Checks::look(const Array& array, std::span<const array::Extent> numbers, const void* values) {
  if (array.id == 0 || !is_filled(array)) return;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (is_unwritten(static_cast<const std::byte*>(values) + i * array.kind.bytes,
                     array.kind.bytes))
      return unwritten(array, garray::place_of(array.whole(), numbers[i]));
}

void Checks::unwritten(const Array& array, const Indexes& at) {
  const std::lock_guard lock(mutex_);
  const auto known = arrays_.find(key_of(array));
  if (known == arrays_.end() || !known->second.is_filled) return;
  const std::uint32_t origin = origin_here();
  Box one{.axes = array.axes(), .first = at, .end = at};
  for (std::size_t d = 0; d < one.axes; ++d) ++one.end[d];
  tell(fmt::format("unwritten {} {}", origin, array.name), [&] {
    return fmt::format("\"{}\"{}: nobody wrote this element before {}", array.name,
                       text_of(one, current_call().tongue), where(rank_, origin));
  });
}

void Checks::ghosts_updated(const Array& array) {
  if (array.id == 0) return;
  const std::lock_guard lock(mutex_);
  Known& known = arrays_[key_of(array)];
  ++known.updates;
  known.stale_rank = -1;
}

void Checks::ghosts_read(const Array& array) {
  if (array.id == 0) return;
  const std::lock_guard lock(mutex_);
  const Known& known = arrays_[key_of(array)];
  if (known.stale_rank < 0) return;
  const std::uint32_t origin = origin_here();
  tell(fmt::format("ghosts {} {}", origin, array.name), [&] {
    return fmt::format(
        "\"{}\": {} reads ghost cells that are older than what process {} wrote in {}: update them "
        "before",
        array.name, where(rank_, origin), known.stale_rank,
        where(known.stale_rank, known.stale_origin));
  });
}

void Checks::fenced() {
  const std::lock_guard lock(mutex_);
  is_fenced_ = true;
}

void Checks::step() {
  const std::size_t own = 2 * static_cast<std::size_t>(rank_);
  ++clock_[own];
  if (is_fenced_) ++clock_[own + 1];
  is_noted_ = false;
}

void Checks::hear(std::span<const std::int64_t> counts) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < clock_.size(); ++i) clock_[i] = std::max(clock_[i], counts[i]);
  is_noted_ = false;
}

void Checks::met(Memory& memory, Group group) {
  bool is_asked = false;
  met(memory, group, is_asked);
}

void Checks::met(Memory& memory, Group group, bool& is_asked) {
  std::vector<std::int64_t> counts;
  {
    const std::lock_guard lock(mutex_);
    step();
    counts = clock_;
  }
  counts.push_back(is_asked ? 1 : 0);
  memory.reduce(group, Element::i64, Reduction::max, counts.data(), counts.size());
  is_asked = counts.back() != 0;
  hear(counts);
}

void Checks::heard(Memory& memory, Group group, int member) {
  std::vector<std::int64_t> counts;
  const bool is_root = memory.ranks_of(group)[static_cast<std::size_t>(member)] == rank_;
  {
    const std::lock_guard lock(mutex_);
    if (is_root) step();
    counts = clock_;
  }
  memory.broadcast(group, std::as_writable_bytes(std::span(counts)), member);
  if (!is_root) hear(counts);
}

std::string Checks::where(int rank, std::uint32_t origin) const {
  const auto& all = origins_[static_cast<std::size_t>(rank)];
  if (origin >= all.size()) return "a call";
  const std::string line = lines_of({all[origin].place}).at(all[origin].place);
  return line.empty() ? all[origin].call : fmt::format("{} ({})", all[origin].call, line);
}

void Checks::tell(const std::string& same, const std::function<std::string()>& text) {
  if (!told_.insert(same).second) return;
  ++findings_;
  std::fflush(stdout);
  std::fputs(fmt::format("[{}] check: {}\n", rank_, text()).c_str(), stderr);
}

void Checks::end(const garray::Runtime& runtime) {
  std::map<std::string, int> left;  // by text
  for (const auto& [key, known] : arrays_)
    if (known.maker >= 0 && known.is_told_here)
      ++left[fmt::format("\"{}\": made by {} and never destroyed", known.name,
                         where(rank_, static_cast<std::uint32_t>(known.maker)))];
  for (const auto& [text, count] : left)
    std::fputs(fmt::format("[{}] check: {}{}\n", rank_, text,
                           count > 1 ? fmt::format(" ({} arrays)", count) : std::string())
                   .c_str(),
               stderr);
  std::int64_t all[] = {findings_, static_cast<std::int64_t>(left.size())};
  runtime.memory().reduce(Memory::everyone, Element::i64, Reduction::sum, all, 2);
  if (rank_ == 0)
    std::fputs(fmt::format("check: mistakes in one-sided access: {}; calls that leave arrays: {}\n",
                           all[0], all[1])
                   .c_str(),
               stderr);
  if (all[0] > 0) std::atexit(fail_at_exit);
  noted_.clear();
  last_.clear();
  listed_.clear();
  noted_bytes_ = 0;
  arrays_.clear();
  findings_ = 0;
}

}  // namespace blockyard::ga
