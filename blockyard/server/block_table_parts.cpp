// SPDX-License-Identifier: Apache-2.0
// Deterministic sums: what each worker adds stays apart until the block is used otherwise.
#include <vector>

#include "blockyard/server/block_table.h"

namespace blockyard::server {

/// Where a put goes: into the block, or into the part of its worker.
SlotRef& BlockTable::slot_of(Block& block, const array::BlockId& id, wire::PutMode mode,
                             int worker) {
  const bool adds = mode == wire::PutMode::add || mode == wire::PutMode::subtract;
  if (!is_deterministic_ || !adds) return block.slot;
  in_parts_.insert(id);
  return block.parts[worker];
}

/// Adds the parts to the block, in the order of workers.
BlockTable::Outcome BlockTable::add_parts(Block& block, const array::BlockId& id) {
  while (!block.parts.empty()) {
    const SlotRef& part = block.parts.begin()->second;
    if (part == nullptr) {  // its first put waits for room
      block.parts.erase(block.parts.begin());
      continue;
    }
    if (const Outcome outcome = bring(*part); outcome != Outcome::served) return outcome;
    if (block.slot == nullptr) {
      block.slot = part;
    } else {
      const fabric::Payload values = part->payload();
      const Outcome outcome = add_values(block.slot, id.array, block.element, values, 1.0);
      if (outcome != Outcome::served) return outcome;
    }
    block.parts.erase(block.parts.begin());
  }
  in_parts_.erase(id);
  return Outcome::served;
}

/// Before a request about a whole array: every block becomes one, or waits to.
void BlockTable::add_all_parts() {
  const std::vector<array::BlockId> ids(in_parts_.begin(), in_parts_.end());
  for (const array::BlockId& id : ids)
    if (!waiting_.contains(id))
      serve_or_queue(*find(id), id, {nobody, wire::GetBlock{0, id, {}}, nullptr});
}

}  // namespace blockyard::server
