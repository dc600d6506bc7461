// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  /// `where` runs the where code at a pc for the current index values.
  using Where = std::function<bool(std::int32_t)>;
  /// `holds` runs one of its conditions.
  Loops(const Naming& naming, LoopNest& nest, Blocks& blocks, Transport& transport,
        wire::Access& here, const Options& options, Where where, Sieve::Holds holds)
      : naming_(naming),
        nest_(nest),
        blocks_(blocks),
        transport_(transport),
        here_(here),
        options_(options),
        where_(std::move(where)),
        holds_(std::move(holds)),
        fixed_(naming.program.pardos.size()),
        near_(naming.program, naming.tables,
              {options.workers, options.servers, options.process_of}) {}

  /// Opens a loop at its first iteration; false (and no loop is open) if it has none here.
  [[nodiscard]] bool begin_do(std::int32_t index);
  [[nodiscard]] bool begin_pardo(std::int32_t pardo);
  /// The next iteration; false after the last one, when the loop is closed.
  [[nodiscard]] bool next_do();
  [[nodiscard]] bool next_pardo();
  /// Closes the innermost loop early.
  void leave_do();
  void leave_pardo();
  [[nodiscard]] bool is_in_pardo() const noexcept { return nest_.pardo() != nullptr; }
  /// Outside of pardos: what a checkpoint holds of the loops.
  void save(ProgramState& state) const {
    for (const OpenLoop& loop : nest_.open()) state.loops.push_back({loop.id, loop.last});
    state.entered.assign(nest_.entered().begin(), nest_.entered().end());
    state.index_values = nest_.values();
  }
  void load(const ProgramState& state) {
    std::vector<std::pair<std::int32_t, std::int64_t>> open;
    for (const ProgramState::OpenDo& loop : state.loops) open.emplace_back(loop.index, loop.last);
    nest_.restore(state.index_values, open, state.entered);
  }
  /// At a barrier: balanced dealing begins with worker 0 again.
  void restart_dealing() noexcept { nest_.restart_dealing(); }

  [[nodiscard]] const LoopNest& nest() const noexcept { return nest_; }
  /// Whether the pardo run of this counter is open.
  [[nodiscard]] bool is_open(std::uint64_t counter) const {
    const OpenLoop* const pardo = nest_.pardo();
    return pardo != nullptr && pardo->counter == counter;
  }
  /// For look-ahead: chunk `number` (from 1) of the pardo that is open, if it is known. Asks for
  /// the one after the current in advance, without waiting.
  [[nodiscard]] std::int64_t chunk_number() const noexcept { return chunk_number_; }
  [[nodiscard]] const wire::Chunk* chunk_ahead(std::int64_t number);

  /// Of pardos, on this worker.
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  /// Waited for chunks.
  [[nodiscard]] double chunk_seconds() const noexcept { return chunk_seconds_; }

 private:
  [[nodiscard]] bool next_mine(OpenLoop& loop);
  [[nodiscard]] std::shared_ptr<const Sieve> sieve_of(std::int32_t pardo, const Iterations& loop);
  void count(OpenLoop& loop);
  void list_near(OpenLoop& loop);
  void take_chunk(OpenLoop& loop);
  [[nodiscard]] bool take_unasked(OpenLoop& loop);
  [[nodiscard]] wire::Ticket ask_for_chunk(const OpenLoop& loop);
  void close_pardo();

  const Naming& naming_;
  LoopNest& nest_;
  Blocks& blocks_;
  Transport& transport_;
  wire::Access& here_;  ///< the iteration is set here
  const Options& options_;
  Where where_;
  Sieve::Holds holds_;
  std::vector<std::optional<FixedConditions>> fixed_;  ///< of each pardo, once it was begun
  // Chunks of the pardo that is open (there is one at most).
  wire::Chunk chunk_;
  wire::Chunk next_chunk_;
  NearLists near_;
  std::int64_t chunk_number_ = 0;  ///< of chunk_; 0: none was taken yet
  wire::Ticket asked_ = 0;         ///< for the chunk after chunk_; 0: not yet
  bool has_next_chunk_ = false;
  bool has_told_lists_ = false;
  std::uint64_t iterations_ = 0;
  double chunk_seconds_ = 0;
};

}  // namespace blockyard::worker::detail
