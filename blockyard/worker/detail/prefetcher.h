// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/block/cache.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/loops.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// Asks for blocks before the program comes to their gets. Keeps the next gets of the program, as
/// Upcoming finds them, in a ring; each get line has as many of its own outstanding as its depth
/// says. Blocks the program gets leave the ring; when the two do not agree for a while, the
/// look-ahead begins anew where the program is. Neither results nor races depend on any of this:
/// of arrays that may change in the epoch (EpochPuts) only those blocks are asked for early that
/// the program will get for certain, under the name of the iteration that will, and a put of the
/// program forgets such a block again.
/// Bounded work per get, no allocation. One thread.
class Prefetcher {
 public:
  Prefetcher(const Naming& naming, const Options& options, Blocks& blocks, Loops& loops,
             const std::vector<std::int64_t>& ints, const std::vector<Number>& scalars,
             const std::vector<std::int32_t>& calls);

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// A new epoch begins; the instruction `pc` is the next.
  void begin_epoch(std::int32_t pc);
  /// The program has run the get at `pc`.
  void passed(std::int32_t pc, const array::BlockId& id);
  /// An iteration of a pardo begins: look-ahead may know more now.
  void begin_iteration(std::int32_t pc) {
    if (is_at_wall_) restart(pc);
  }

  /// Calls action(id) for the next gets of the program, the nearest first, as far as they are
  /// known.
  template <class Action>
  void for_next(std::uint64_t most, const Action& action) const {
    for (Turn place = first_; place < end_ && place < first_ + most; ++place)
      action(ring_[place % capacity].block.id);
  }

  /// Of a get line, for the report.
  [[nodiscard]] const DepthChoice& choice(std::int32_t pc) const;

 private:
  using Turn = std::uint64_t;  ///< counts the gets that ever were in the ring
  static constexpr Turn none = ~Turn{0};
  static constexpr std::size_t capacity = 256;
  static constexpr int steps_per_get = 64;
  struct Ahead {
    NamedBlock block;
    std::uint64_t iteration = 0;
    std::int32_t line = 0;
    bool is_asked = false;
    Turn next = none;  ///< of the same line
  };
  struct Line {
    DepthChoice choice;
    int held = 0;   ///< in the ring
    int asked = 0;  ///< of them, asked for
    Turn first_unasked = none;
    Turn last = none;
    std::uint64_t gets_seen = 0;  ///< when the times were looked at last
    std::uint64_t blocked_seen = 0;
    std::uint64_t wasted_seen = 0;
    double transfer_seen = 0;
    double work_seen = 0;
  };
  [[nodiscard]] Ahead& at(Turn place) { return ring_[place % capacity]; }
  void restart(std::int32_t pc);
  void fill();
  [[nodiscard]] bool may_ask(std::int32_t array, bool is_certain) const;
  void append(const Coming& coming);
  [[nodiscard]] bool take_out(std::int32_t line, const array::BlockId& id);
  void pop_first();
  void ask(Line& line, std::int32_t pc);
  void choose(Line& line, std::int32_t pc);
  [[nodiscard]] double work_seconds() const;

  const Blocks& blocks_;
  Loops& loops_;
  block::BlockCache& cache_;
  const std::vector<std::int32_t>& calls_;
  bool is_auto_;
  bool is_on_;
  bool is_checking_;
  Outline outline_;
  EpochPuts puts_;
  Upcoming upcoming_;
  std::vector<Ahead> ring_;
  std::vector<Line> lines_;
  Turn first_ = 0;  ///< the ring holds first_ .. end_ - 1
  Turn end_ = 0;
  bool is_at_wall_ = false;
  int misses_ = 0;    ///< gets that were not in the ring since one was
  int patience_ = 1;  ///< misses after which look-ahead starts anew
};

}  // namespace blockyard::worker::detail
