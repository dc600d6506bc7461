// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/server/block_memory.h"
#include "blockyard/server/lent.h"
#include "blockyard/server/outbox.h"
#include "blockyard/server/race_rule.h"
#include "blockyard/store/checkpoint_file.h"

namespace blockyard::server {

/// The blocks of arrays and labels, and the requests about them.
/// Requests for one block are served in the order they came. One that needs values from disk, or
/// room, waits in the queue of its block, and others proceed. A request about a whole array waits
/// for all that came before it, and all that come after it wait for it. One thread.
///
/// Deterministic: what each worker adds to a block is summed apart, and the sums are added in the
/// order of workers before anything else is done with the block. So the bits do not depend on the
/// order of arrival; a block that n workers add to takes n + 1 times its memory, on disk if need
/// be.
class BlockTable {
 public:
  BlockTable(BlockMemory& memory, base::BufferPool& pool, Identity identity, Outbox& outbox,
             bool is_deterministic = false);

  /// Puts those blocks of a lent array under its label that are at home on server `number`.
  void lend(const Lent& lent, int number, int servers);
  /// Serves a block, array or label request, now or later.
  /// Throws Error{comm} if it is malformed, Error{no_memory} if it can never be served.
  void take(Request request);
  /// Resumes waiting requests, after the values of `arrived` came or room was made.
  void resume(std::span<const array::BlockId> arrived);
  [[nodiscard]] bool is_waiting() const noexcept { return !waiting_.empty(); }

 private:
  enum class Outcome { served, coming, no_room };
  struct Block {
    SlotRef slot;  // null until the first put is served
    RaceRecord touched;
    std::map<int, SlotRef> parts;  // deterministic: what workers added and is not in `slot` yet
    array::ElementType element = array::ElementType::f64;  // of the last put
  };
  struct Target {
    wire::Ticket ticket = 0;
    array::BlockId id;
    Verb verb = Verb::get;
    wire::Access access;
  };
  struct Array {
    std::unordered_map<std::uint64_t, Block> blocks;
    std::vector<std::uint64_t> numbers;  // of the blocks, in the order in which they came
    std::uint64_t generation = 0;        // of no other array, nor of this one before blocks went
  };
  static constexpr int nobody = -1;  // in the place of a rank that waits for an answer

  [[nodiscard]] static std::optional<Target> target_of(const wire::Any& message);
  [[nodiscard]] static bool needs_whole_blocks(const wire::Any& message);
  void start(Request request);
  void start_on_block(Request request, const Target& target);
  void start_on_array(int from, const wire::Any& message);
  [[nodiscard]] Block* find(const array::BlockId& id);
  [[nodiscard]] Block& find_or_make(const array::BlockId& id);

  [[nodiscard]] Outcome serve(Block& block, const Request& request);
  [[nodiscard]] Outcome get(Block& block, const Request& request, const wire::GetBlock& op);
  [[nodiscard]] Outcome put(Block& block, const Request& request, const wire::PutBlock& op);
  [[nodiscard]] Outcome put_scalar(Block& block, int from, const wire::PutScalar& op);
  [[nodiscard]] SlotRef& slot_of(Block& block, const array::BlockId& id, wire::PutMode mode,
                                 int worker);
  [[nodiscard]] Outcome install(SlotRef& slot, std::int32_t array, const fabric::Payload& payload);
  [[nodiscard]] Outcome add_values(SlotRef& slot, std::int32_t array, array::ElementType element,
                                   const fabric::Payload& payload, double factor);
  template <class Change>
  [[nodiscard]] Outcome edit(SlotRef& slot, std::int32_t array, std::size_t bytes, bool needs_old,
                             const Change& change);
  [[nodiscard]] Outcome bring(Slot& slot);
  [[nodiscard]] bool has_room(std::size_t bytes, const Slot* kept);
  [[nodiscard]] Outcome drain(const array::BlockId& id);
  void resume_stalled();
  void serve_or_queue(Block& block, const array::BlockId& id, Request request);
  [[nodiscard]] Outcome add_parts(Block& block, const array::BlockId& id);
  void add_all_parts();

  wire::Any answer(const wire::DeleteArray& op);
  wire::Any answer(const wire::EndProgram& op);
  wire::Any answer(const wire::KeepArray& op);
  wire::Any answer(const wire::RestoreArray& op);
  [[nodiscard]] wire::Any answer(const wire::ListBlocks& op) const;
  [[nodiscard]] wire::BlockList new_blocks(const wire::ListBlocks& op) const;
  // block_table_checkpoint.cpp
  [[nodiscard]] wire::Any answer(const wire::SaveBlocks& op);
  wire::Any answer(const wire::LoadBlocks& op);
  void load_file(const wire::LoadBlocks& op, const std::string& path);
  [[nodiscard]] SlotRef load_values(std::int32_t array, store::CheckpointReader& file,
                                    const store::CheckpointRecord& record);

  BlockMemory& memory_;
  base::BufferPool& pool_;
  Identity identity_;
  Outbox& outbox_;
  std::unordered_map<std::int32_t, Array> arrays_;  // those that have blocks
  std::uint64_t last_generation_ = 0;
  std::map<std::string, std::map<std::uint64_t, SlotRef>> labels_;
  std::unordered_map<array::BlockId, std::deque<Request>, array::BlockIdHash> waiting_;
  std::deque<array::BlockId> stalled_;  // blocks whose first request waits for room
  bool is_first_stalled_ = false;       // serving the first of them: it alone may take room
  std::deque<Request> later_;           // after a request about a whole array
  bool is_deterministic_;
  Slot* awaited_ = nullptr;                                          // what said `coming` last
  std::unordered_set<array::BlockId, array::BlockIdHash> in_parts_;  // blocks that have parts
};

}  // namespace blockyard::server
