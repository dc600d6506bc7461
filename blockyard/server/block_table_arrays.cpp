// SPDX-License-Identifier: Apache-2.0
// The requests about whole arrays and labels. None is served while requests for blocks wait.
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
  if (const auto array = arrays_.find(op.array); array != arrays_.end())
    for (const auto& [number, block] : array->second.blocks) kept.emplace(number, block.slot);
  return wire::Done{op.ticket};
}

wire::Any BlockTable::answer(const wire::RestoreArray& op) {
  const auto kept = labels_.find(op.label);
  if (kept == labels_.end()) return wire::Failed{op.ticket, wire::Failure::no_label, {}, "", ""};
  arrays_.erase(op.array);
  for (const auto& [number, slot] : kept->second) find_or_make({op.array, number}).slot = slot;
  return wire::Done{op.ticket};
}

wire::Any BlockTable::answer(const wire::ListBlocks& op) const {
  if (op.label.empty()) return new_blocks(op);
  wire::BlockList found{op.ticket, false, {}};
  if (const auto kept = labels_.find(op.label); kept != labels_.end()) {
    found.is_known = true;
    for (const auto& entry : kept->second) found.numbers.push_back(entry.first);
  }
  return found;
}

/// Those that the worker does not know: all, unless the generation is the one it knows.
wire::BlockList BlockTable::new_blocks(const wire::ListBlocks& op) const {
  wire::BlockList found{op.ticket, true, {}};
  const auto array = arrays_.find(op.array);
  if (array == arrays_.end()) return found;
  const auto& [blocks, numbers, generation] = array->second;
  const std::uint64_t known = op.generation == generation ? op.known : 0;
  if (known > numbers.size())
    throw base::Error(base::Errc::comm, "a worker knows of more blocks than its server has");
  found.numbers.assign(numbers.begin() + static_cast<std::ptrdiff_t>(known), numbers.end());
  found.generation = generation;
  return found;
}

}  // namespace blockyard::server
