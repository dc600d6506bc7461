// SPDX-License-Identifier: Apache-2.0
// Blocks to and from the file of a server in a checkpoint. Served when nothing else waits.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "blockyard/array/block_id.h"
#include "blockyard/base/error.h"
#include "blockyard/server/block_table.h"
#include "blockyard/store/checkpoint_file.h"

namespace blockyard::server {

using base::Errc;
using base::Error;

namespace {

// A group of records is an array of the program or a label.
constexpr std::string_view array_prefix = "array ";
constexpr std::string_view label_prefix = "label ";

/// Of values that only a label holds.
constexpr std::int32_t no_array = -1;

std::int32_t array_of(std::string_view group) {
  group.remove_prefix(array_prefix.size());
  std::int32_t number = 0;
  const auto end = std::from_chars(group.data(), group.data() + group.size(), number);
  base::require(end.ec == std::errc(), "the groups of the file are what SaveBlocks writes");
  return number;
}

/// The part of the checkpoint that a file is, from its name: "server-1".
std::string part_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

wire::Any BlockTable::answer(const wire::SaveBlocks& op) {
  memory_.wait_for_transfers();
  store::CheckpointWriter file(memory_.store(), op.path, {op.checkpoint, part_of(op.path)});
  std::vector<std::byte> scratch;
  std::unordered_map<const Slot*, store::CheckpointRecord> written;
  const auto add = [&](std::uint32_t group, std::uint64_t number, const SlotRef& slot) {
    if (const auto before = written.find(slot.get()); before != written.end())
      return file.add_same(group, number, before->second);
    file.add(group, number, memory_.values_of(*slot, scratch));
    if (slot.use_count() > 1) written.emplace(slot.get(), file.last());
  };
  for (const auto& [number_of_array, array] : arrays_) {
    const auto group = file.add_group(fmt::format("{}{}", array_prefix, number_of_array));
    for (const auto& [number, block] : array.blocks) add(group, number, block.slot);
  }
  for (const auto& [label, slots] : labels_) {
    const auto group = file.add_group(fmt::format("{}{}", label_prefix, label));
    for (const auto& [number, slot] : slots) add(group, number, slot);
  }
  file.finish();
  return wire::Done{op.ticket};
}

/// None that cannot have blocks for this server. Any one file names all labels.
wire::Any BlockTable::answer(const wire::LoadBlocks& op) {
  for (const int number : array::former_homes(op.server, op.servers, op.saved))
    load_file(op, fmt::format("{}{}", op.path, number));
  return wire::Done{op.ticket};
}

void BlockTable::load_file(const wire::LoadBlocks& op, const std::string& path) {
  store::CheckpointReader file(memory_.store(), path, {op.checkpoint, part_of(path)});
  // A label is known on every server, also where it has no blocks.
  for (const std::string& group : file.groups())
    if (group.starts_with(label_prefix)) labels_[group.substr(label_prefix.size())];
  std::unordered_map<std::uint64_t, SlotRef> by_offset;  // of those that may be shared
  for (const store::CheckpointRecord& record : file.records()) {
    const std::string& group = file.groups()[record.group];
    if (array::home_of({0, record.number}, op.servers) != op.server) continue;
    SlotRef& slot = by_offset[record.offset];
    if (slot == nullptr)
      slot =
          load_values(group.starts_with(label_prefix) ? no_array : array_of(group), file, record);
    if (group.starts_with(label_prefix))
      labels_[group.substr(label_prefix.size())][record.number] = slot;
    else
      find_or_make({array_of(group), record.number}).slot = slot;
  }
}

SlotRef BlockTable::load_values(std::int32_t array, store::CheckpointReader& file,
                                const store::CheckpointRecord& record) {
  if (record.bytes == 0)
    throw Error(Errc::bad_input, "a checkpoint file holds a block of no values");
  memory_.wait_for_room(record.bytes);
  auto buffer = std::make_shared<base::Buffer>(pool_.allocate(record.bytes));
  file.read(record, buffer->bytes());
  return memory_.adopt(array, std::move(buffer));
}

}  // namespace blockyard::server
