// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/state.h"
#include "blockyard/worker/detail/transport.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// The loops that are open: they set the index values, open and close scopes, and ask for chunks of
/// iterations. One thread.
class Loops {
 public:
  struct Loop {
    std::int32_t id = 0;  ///< index of a do, entry of pardos of a pardo
    std::int64_t last = 0;
    // Of a pardo:
    Iterations iterations;
    std::int64_t total = 0;     ///< total iterations (dynamic)
    std::uint64_t counter = 0;  ///< shared counter (dynamic)
    [[nodiscard]] bool is_pardo() const noexcept { return counter != 0; }
    /// Number of the current iteration of a pardo, for the race rule.
    [[nodiscard]] std::uint64_t iteration() const noexcept {
      return (counter << 24) + static_cast<std::uint64_t>(iterations.setting()) + 1;
    }
  };
  /// `where` runs the where code at a pc for the current index values.
  using Where = std::function<bool(std::int32_t)>;
  /// `holds` runs one of its conditions.
  Loops(const Naming& naming, Blocks& blocks, Transport& transport, const Options& options,
        Where where, Sieve::Holds holds)
      : naming_(naming),
        blocks_(blocks),
        transport_(transport),
        options_(options),
        where_(std::move(where)),
        holds_(std::move(holds)),
        fixed_(naming.program.pardos.size()),
        entered_(naming.program.pardos.size(), 0),
        near_(naming.program, naming.tables,
              {options.workers, options.servers, options.process_of}) {
    open_.reserve(program::max_loops);
  }

  /// Opens a loop at its first iteration; false (and no loop is open) if it has none here.
  [[nodiscard]] bool begin_do(std::int32_t index);
  [[nodiscard]] bool begin_pardo(std::int32_t pardo);
  /// The next iteration; false after the last one, when the loop is closed.
  [[nodiscard]] bool next_do();
  [[nodiscard]] bool next_pardo();
  /// Closes the innermost loop early.
  void leave_do() { close_do(); }
  void leave_pardo();
  [[nodiscard]] bool is_in_pardo() const noexcept {
    return std::ranges::any_of(open_, [](const Loop& loop) { return loop.counter != 0; });
  }
  /// Outside of pardos: what a checkpoint holds of the loops.
  void save(ProgramState& state) const;
  void load(const ProgramState& state);
  /// At a barrier: balanced dealing begins with worker 0 again.
  void restart_dealing() noexcept { dealt_ = 0; }

  /// Names the `times`-th run of a pardo; never 0.
  [[nodiscard]] static std::uint64_t counter_of(std::int32_t pardo, std::uint64_t times) noexcept {
    return (static_cast<std::uint64_t>(pardo) << 40) | times;
  }
  /// How often each pardo was begun.
  [[nodiscard]] std::span<const std::uint64_t> entered() const noexcept { return entered_; }
  /// From outside in.
  [[nodiscard]] std::span<const Loop> open() const noexcept { return open_; }
  /// Iterations dealt since the barrier by pardos that are closed (balanced).
  [[nodiscard]] std::int64_t dealt() const noexcept { return dealt_; }
  /// Whether the pardo run of this counter is open.
  [[nodiscard]] bool is_open(std::uint64_t counter) const {
    return std::ranges::any_of(open_, [=](const Loop& loop) { return loop.counter == counter; });
  }
  /// For look-ahead: chunk `number` (from 1) of the pardo that is open, if it is known. Asks for
  /// the one after the current in advance, without waiting.
  [[nodiscard]] std::int64_t chunk_number() const noexcept { return chunk_number_; }
  [[nodiscard]] const wire::Chunk* chunk_ahead(std::int64_t number);

  std::uint64_t iterations = 0;  ///< of pardos, on this worker
  double chunk_seconds = 0;      ///< waited for chunks

 private:
  void bind(std::int32_t index);
  [[nodiscard]] bool next_mine(Loop& loop);
  [[nodiscard]] std::shared_ptr<const Sieve> sieve_of(std::int32_t pardo, const Iterations& loop);
  void count(Loop& loop);
  void list_near(Loop& loop);
  void take_chunk(Loop& loop);
  [[nodiscard]] bool take_unasked(Loop& loop);
  [[nodiscard]] wire::Ticket ask_for_chunk(const Loop& loop);
  void close_do();
  void close_pardo();

  const Naming& naming_;
  Blocks& blocks_;
  Transport& transport_;
  const Options& options_;
  Where where_;
  Sieve::Holds holds_;
  std::vector<std::optional<FixedConditions>> fixed_;  ///< of each pardo, once it was begun
  std::vector<Loop> open_;
  std::vector<std::uint64_t> entered_;  ///< how often each pardo was begun
  std::int64_t dealt_ = 0;              ///< iterations dealt since the barrier (balanced)
  // Chunks of the pardo that is open (there is one at most).
  wire::Chunk chunk_;
  wire::Chunk next_chunk_;
  NearLists near_;
  std::int64_t chunk_number_ = 0;  ///< of chunk_; 0: none was taken yet
  wire::Ticket asked_ = 0;         ///< for the chunk after chunk_; 0: not yet
  bool has_next_chunk_ = false;
  bool has_told_lists_ = false;
};

}  // namespace blockyard::worker::detail
