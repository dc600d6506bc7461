// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "blockyard/fabric/memory.h"
#include "blockyard/ga/tongue.h"
#include "blockyard/garray/races.h"
#include "blockyard/garray/runtime.h"
#include "blockyard/garray/transfer.h"

namespace blockyard::ga {

using garray::Use;

/// The checks of BLOCKYARD_GA_CHECK: unordered one-sided accesses, gets of elements that were
/// never written, ghost cells read after writes, arrays that were not destroyed. Each finding is
/// reported once on standard error, and the program continues. Accesses: any thread (mutex_ guards
/// all); what is collective: one.
class Checks {
 public:
  /// The rank counts from now on as the one that this memory has.
  void begin(const fabric::Memory& memory);

  // One-sided accesses by the call that this thread is in.
  void note(const garray::Array& array, Use use, const array::Box& box);
  /// Elements by their numbers; see garray/places.h.
  void note(const garray::Array& array, Use use, std::vector<array::Extent> numbers);
  void lock(int number);
  void unlock(int number);
  /// Memory is accessed in place from open() on; close() of the same boxes says how.
  void open(const garray::Array& array, std::vector<array::Box> boxes);
  void close(const garray::Array& array, const std::vector<array::Box>& boxes, bool is_written);

  // Contents. New memory is filled with a value that no program writes.
  void made(const garray::Runtime& runtime, const garray::Array& array);
  void ended(const garray::Array& array);
  /// Elements came here, or are to be added to.
  void look(const garray::Array& array, const array::Box& box, const garray::Local& local);
  void look(const garray::Array& array, std::span<const array::Extent> numbers, const void* values);

  // Ghost cells.
  void ghosts_updated(const garray::Array& array);
  void ghosts_read(const garray::Array& array);

  // Called where ranks meet, before the members continue. Collective.
  void fenced();
  void met(fabric::Memory& memory, fabric::Group group);
  void heard(fabric::Memory& memory, fabric::Group group, int member);
  /// The group of all came to a sync or a part of it: its accesses are compared.
  void synced(fabric::Memory& memory, fabric::Group group);
  /// Reports what is left, and the total number of findings. Collective.
  void end(const garray::Runtime& runtime);

 private:
  struct Origin {
    std::string call, place;  ///< as report.h has it
    bool is_fortran = false;
  };
  struct Known {
    std::string name = {};
    std::int64_t maker = -1;    ///< the call that made it; -1: its memory is not its own
    bool is_told_here = false;  ///< if it is left: by one member
    bool is_filled = false;
    array::Box own = {};
    std::vector<array::Box> ghosts = {};  ///< what its padded block has copies of, `own` included
    std::uint64_t updates = 0;
    int stale_rank = -1;  ///< the rank that wrote to elements in ghosts after the last update
    std::uint32_t stale_origin = 0;
  };
  struct OpenAccess {
    std::uint64_t array = 0;
    std::vector<array::Box> boxes;
    std::uint32_t origin = 0, moment = 0;
    std::uint64_t locks = 0, syncs = 0;
  };
  struct Noted {
    garray::Access access;
    std::uint64_t updates = 0;  ///< of ghost cells, before
    fabric::Group group = 0;
  };
  /// Elements that were used one by one: the box of `noted` is the whole array.
  struct Listed {
    Noted noted;
    std::vector<array::Extent> numbers;
    std::size_t sorted = 0;  ///< the first so many are
  };
  /// The accesses of the members of a group, together.
  struct Epoch {
    std::vector<Noted> noted;
    std::vector<Listed> listed;
    std::vector<garray::Moments> moments;  ///< by rank
  };
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t, Use>;

  [[nodiscard]] std::uint32_t origin_here();
  [[nodiscard]] std::uint32_t moment_now();
  [[nodiscard]] Noted noted(const garray::Array& array, Use use, const array::Box& box,
                            std::uint32_t origin, std::uint64_t locks);
  void keep(const Noted& noted);
  [[nodiscard]] bool is_too_many(std::size_t more);
  /// This rank meets others: its accesses are complete for those that learn of it.
  void step();
  void hear(std::span<const std::int64_t> counts);
  /// As met(). is_asked: whether any member says so.
  void met(fabric::Memory& memory, fabric::Group group, bool& is_asked);
  /// Accesses to arrays of which all that have them are in the group.
  [[nodiscard]] Epoch taken(fabric::Group group);
  [[nodiscard]] std::string packed(Epoch epoch, fabric::Group group);
  void unpack(std::string_view text, int rank, Epoch& epoch);
  /// own: what the others get of this rank.
  void exchange(fabric::Memory& memory, fabric::Group group, const std::string& own);
  void compare(Epoch& epoch);
  void compare_lists(const Epoch& epoch);
  void age_ghosts(const Noted& noted);
  void tell_race(const garray::Access& own, const garray::Access& other, const array::Box& both);
  void unwritten(const garray::Array& array, const array::Indexes& at);
  /// "NGA_Put (scf.c:88)".
  [[nodiscard]] std::string where(int rank, std::uint32_t origin) const;
  /// Prints text() unless `same` was told.
  void tell(const std::string& same, const std::function<std::string()>& text);

  std::mutex mutex_;
  int rank_ = 0;
  std::vector<std::int64_t> clock_;  ///< as Moments has them
  garray::Moments moments_;
  bool is_noted_ = false;  ///< clock_ is the last of moments_
  bool is_fenced_ = true;
  std::vector<std::vector<Origin>> origins_;  ///< by rank
  std::map<std::tuple<const void*, const void*, bool>, std::uint32_t> own_origins_;
  std::size_t sent_origins_ = 0, packed_origins_ = 0;  ///< those that all have; in the last text
  std::vector<Noted> noted_;
  std::map<Key, std::size_t> last_;  ///< the last one of its kind, that boxes are joined with
  std::map<std::pair<Key, std::uint64_t>, Listed> listed_;  ///< by updates of ghost cells, too
  std::size_t noted_bytes_ = 0;
  std::vector<OpenAccess> open_;
  std::map<std::uint64_t, Known> arrays_;
  std::uint64_t locks_ = 0, syncs_ = 0;
  std::set<std::string> told_;
  std::int64_t findings_ = 0;
  bool is_full_ = false;
};

/// Memory that tells the checks where ranks meet. Must not outlive them.
[[nodiscard]] std::unique_ptr<fabric::Memory> checked_memory(std::unique_ptr<fabric::Memory> memory,
                                                             Checks& checks);

}  // namespace blockyard::ga
