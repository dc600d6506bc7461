// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blockyard/garray/array.h"
#include "blockyard/garray/grid_solver.h"

namespace blockyard::garray {

inline constexpr int world_group = -1;
inline constexpr int mirror_group = 0;

/// Ranks that share arrays and do collectives together.
struct Team {
  std::vector<int> ranks;  ///< of the world, by member
  fabric::Group group = 0;
  int me = -1;
  bool is_live = false;
};

/// All arrays and groups of one rank. Making, ending and collectives: one thread; queries of arrays
/// that live: any thread.
class Runtime {
 public:
  explicit Runtime(std::unique_ptr<fabric::Memory> memory);

  [[nodiscard]] fabric::Memory& memory() const noexcept { return *memory_; }
  /// Collective. Ends the memory while this object lasts: only its destructor may follow.
  void end() noexcept { memory_.reset(); }
  [[nodiscard]] bool has_ended() const noexcept { return memory_ == nullptr; }

  /// REQUIRES nothing: a wrong number, and a group without this rank, throw Error{bad_input}.
  [[nodiscard]] const Team& team(int group) const;
  /// The same, also of a group without this rank: `me` is -1 then, and there is no fabric::Group.
  [[nodiscard]] const Team& roster(int group) const;
  [[nodiscard]] bool is_group(int group) const noexcept;
  [[nodiscard]] int default_group() const noexcept { return default_group_; }
  void set_default_group(int group);
  /// Collective among `members`, which are ranks of `parent` (possibly none: halves of a single
  /// process), in this order, the same at all. Others may call it too, and get a roster.
  [[nodiscard]] int make_group(int parent, std::span<const int> members);
  /// Collective among the members. Others end their roster.
  void end_group(int group);

  /// A handle with nothing, not even a group.
  [[nodiscard]] Array& new_array();
  [[nodiscard]] bool is_array(int handle) const noexcept;
  /// Throws Error{bad_input} if it is not live.
  [[nodiscard]] Array& array(int handle) const {
    Array* const found = find(handle);
    if (found == nullptr) [[unlikely]]
      refuse_handle(handle);
    return *found;
  }
  /// The same, with memory.
  [[nodiscard]] Array& made_array(int handle) const {
    Array& found = array(handle);
    if (!found.is_made) [[unlikely]]
      refuse(found, "has no memory yet: allocate it first");
    return found;
  }
  /// Puts an array that has no group into the default one.
  void settle_group(Array& array) const noexcept {
    if (array.group == no_group) array.group = default_group_;
  }
  /// Collective. Gives an array its memory as its layout says. Error{no_memory} at all members
  /// alike if there is not enough.
  void allocate(Array& array);
  /// Collective. Frees its memory; the handle stays.
  void deallocate(Array& array);
  /// Ends a handle that has no memory.
  void forget(Array& array);
  /// Fills in what rests on `region`, which is an array's own or another one's.
  void attach(Array& array, fabric::Region region);
  /// The same, and the array owns the region from now on.
  void adopt(Array& array, fabric::Region region);
  [[nodiscard]] Distribution distribution_of(const Array& array) const;
  [[nodiscard]] std::vector<const Array*> live_arrays() const;

  /// Whether a collective begins and ends with a sync.
  struct Syncs {
    bool first = true, last = true;
  };
  /// Of the coming collective: whichever it is, it uses them up.
  void mask_sync(bool first, bool last) noexcept { syncs_ = {first, last}; }
  Syncs use_mask() noexcept { return std::exchange(syncs_, {}); }
  /// Collective. Does `work` between two syncs of the group, but for those that are masked.
  template <class Work>
  auto collective(int group, const fabric::Meeting& meeting, const Work& work);
  /// Collective. A fence of all and a barrier.
  void sync(int group, const fabric::Meeting& meeting = {});

  bool is_checked = false;  ///< the elements of transfers are looked at
  bool is_counted = false;  ///< transfers that do not pass memory() have to be reported
  std::unique_ptr<GridSolver> grid_solver;  ///< null: LAPACK on one rank solves
  std::optional<std::size_t> most_bytes;    ///< cap on this rank's memory
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

  [[nodiscard]] int register_kind(std::size_t bytes);
  void deregister_kind(int code);
  [[nodiscard]] std::optional<Kind> kind(int code, int fortran_integer = 8) const;

 private:
  static constexpr std::size_t chunk_length = 256, most_chunks = 4096;
  static constexpr int first_handle = -1000;
  [[nodiscard]] static std::size_t place_of(int handle) noexcept {
    return static_cast<std::size_t>(first_handle - handle);
  }
  [[nodiscard]] Array* find(int handle) const noexcept {
    if (handle > first_handle) return nullptr;
    const std::size_t at = place_of(handle);
    if (at >= array_count_) return nullptr;
    return arrays_[at / chunk_length][at % chunk_length].get();
  }
  [[noreturn]] void refuse_handle(int handle) const;

  std::unique_ptr<fabric::Memory> memory_;
  std::vector<Team> teams_;  ///< by number; world, then the mirror group at 0, then those made
  Team world_;
  int default_group_ = world_group;
  std::vector<std::unique_ptr<std::unique_ptr<Array>[]>> arrays_;  ///< never moves
  std::size_t array_count_ = 0;
  std::vector<int> unused_;
  Syncs syncs_;
  std::size_t held_bytes_ = 0;
  std::vector<std::size_t> user_kinds_;
};

template <class Work>
auto Runtime::collective(int group, const fabric::Meeting& meeting, const Work& work) {
  const auto [first, last] = use_mask();
  if (first) sync(group, meeting);
  if constexpr (std::is_void_v<decltype(work())>) {
    work();
    if (last) sync(group, meeting);
  } else {
    auto result = work();
    if (last) sync(group, meeting);
    return result;
  }
}

}  // namespace blockyard::garray
