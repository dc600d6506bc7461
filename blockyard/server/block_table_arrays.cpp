// SPDX-License-Identifier: Apache-2.0
// The requests about whole arrays and labels. None is served while requests for blocks wait.
#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/server/block_table.h"

namespace blockyard::server {

void BlockTable::start_on_array(int from, const wire::Any& message) {
  std::visit(
      [&](const auto& op) {
        if constexpr (requires { answer(op); }) {
          outbox_.reply(from, answer(op));
        } else {
          throw base::Error(base::Errc::comm, "a server got a message that only workers take");
        }
      },
      message);
}

void BlockTable::lend(const Lent& lent, int number, int servers) {
  auto& kept = labels_[lent.label];
  for (std::uint64_t block = 0; block < lent.block_bytes.size(); ++block)
    if (array::home_of({0, block}, servers) == number)
      kept.emplace(block, memory_.lend(lent, block));
}

wire::Any BlockTable::answer(const wire::DeleteArray& op) {
  arrays_.erase(op.array);
  return wire::Done{op.ticket};
}

wire::Any BlockTable::answer(const wire::EndProgram& op) {
  arrays_.clear();
  return wire::Done{op.ticket};
}

/// The label and the array share the values from now on; changing them makes a copy.
wire::Any BlockTable::answer(const wire::KeepArray& op) {
  auto& kept = labels_[op.label];
  kept.clear();
  for (const auto& [number, block] : arrays_[op.array]) kept.emplace(number, block.slot);
  return wire::Done{op.ticket};
}

wire::Any BlockTable::answer(const wire::RestoreArray& op) {
  const auto kept = labels_.find(op.label);
  if (kept == labels_.end()) return wire::Failed{op.ticket, wire::Failure::no_label, {}, "", ""};
  Blocks& blocks = arrays_[op.array];
  blocks.clear();
  for (const auto& [number, slot] : kept->second) blocks[number].slot = slot;
  return wire::Done{op.ticket};
}

wire::Any BlockTable::answer(const wire::ListBlocks& op) const {
  wire::BlockList found{op.ticket, true, {}};
  const auto add_all = [&](const auto& blocks) {
    for (const auto& entry : blocks) found.numbers.push_back(entry.first);
  };
  if (!op.label.empty()) {
    const auto kept = labels_.find(op.label);
    found.is_known = kept != labels_.end();
    if (found.is_known) add_all(kept->second);
  } else if (const auto blocks = arrays_.find(op.array); blocks != arrays_.end()) {
    add_all(blocks->second);
  }
  std::sort(found.numbers.begin(), found.numbers.end());
  return found;
}

}  // namespace blockyard::server
