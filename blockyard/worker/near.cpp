// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/near.h"

#include <algorithm>

#include "blockyard/worker/block_of.h"

namespace blockyard::worker {

using program::Opcode;

namespace {
std::int32_t entry(const std::vector<std::int32_t>& table, std::int64_t at) {
  return table.empty() ? 0 : table[static_cast<std::size_t>(at)];
}
}  // namespace

std::int32_t Layout::process_of_worker(int worker) const { return entry(process_of, worker); }

std::int32_t Layout::process_of_server(int server) const {
  return entry(process_of, std::int64_t{workers} + server);
}

std::int32_t Layout::processes() const {
  return process_of.empty() ? 1 : std::ranges::max(process_of) + 1;
}

NearLists::NearLists(const program::Program& program, const Tables& tables, Layout layout)
    : program_(program),
      tables_(tables),
      layout_(std::move(layout)),
      processes_(layout_.processes()),
      is_seen_(program.code.size()),
      bytes_(static_cast<std::size_t>(processes_)),
      settings_(static_cast<std::size_t>(processes_) + 1),
      sharers_(settings_.size()),
      lengths_(static_cast<std::size_t>(layout_.workers)) {
  for (int worker = 0; worker < layout_.workers; ++worker) {
    sharers_[static_cast<std::size_t>(layout_.process_of_worker(worker))].push_back(worker);
    sharers_.back().push_back(worker);
  }
}

void NearLists::begin(std::int32_t pardo) {
  for (auto& settings : settings_) settings.clear();
  touched_.clear();
  if (processes_ == 1) return;
  std::ranges::fill(is_seen_, std::uint8_t{0});
  const std::int32_t body = program_.pardos[static_cast<std::size_t>(pardo)].body;
  std::int32_t end = body;
  while (program_.code[static_cast<std::size_t>(end)].opcode != Opcode::pardo_next) ++end;
  find_touched(body, end);
}

/// The selectors of gets and puts, through calls.
void NearLists::find_touched(std::int32_t begin, std::int32_t end) {
  for (std::int32_t pc = begin; pc < end; ++pc) {
    const auto& instruction = program_.code[static_cast<std::size_t>(pc)];
    const Opcode opcode = instruction.opcode;
    if (is_seen_[static_cast<std::size_t>(pc)] != 0) return;
    is_seen_[static_cast<std::size_t>(pc)] = 1;
    if (opcode == Opcode::get || opcode == Opcode::put || opcode == Opcode::put_scalar) {
      if (std::ranges::find(touched_, instruction.a) == touched_.end())
        touched_.push_back(instruction.a);
    } else if (opcode == Opcode::call) {
      std::int32_t last = instruction.a;
      while (program_.code[static_cast<std::size_t>(last)].opcode != Opcode::return_) ++last;
      find_touched(instruction.a, last);
    }
  }
}

/// The process that is home of most bytes, or the number of processes.
std::int32_t NearLists::nearest(std::span<const std::int64_t> values) {
  if (processes_ == 1) return 0;
  std::ranges::fill(bytes_, 0);
  for (const std::int32_t selector : touched_) {
    const auto block =
        block_of(program_, tables_, program_.selectors[static_cast<std::size_t>(selector)], values);
    if (!block) continue;
    const std::int32_t home = layout_.process_of_server(array::home_of(block->id, layout_.servers));
    if (sharers_[static_cast<std::size_t>(home)].empty()) continue;  // nobody works there
    bytes_[static_cast<std::size_t>(home)] += static_cast<std::int64_t>(block->bytes);
  }
  const auto most = std::ranges::max_element(bytes_);
  return *most == 0 ? processes_ : static_cast<std::int32_t>(most - bytes_.begin());
}

void NearLists::add(std::int64_t setting, std::span<const std::int64_t> values) {
  settings_[static_cast<std::size_t>(nearest(values))].push_back(setting);
}

void NearLists::end() {
  order_.clear();
  for (int worker = 0; worker < layout_.workers; ++worker) {
    const auto before = order_.size();
    for (std::size_t process = 0; process < settings_.size(); ++process) {
      const auto& settings = settings_[process];
      const auto& sharers = sharers_[process];
      const auto me = std::ranges::find(sharers, worker);
      if (me == sharers.end()) continue;
      const auto mine = me - sharers.begin();
      const auto count = static_cast<std::ptrdiff_t>(settings.size());
      const auto shares = static_cast<std::ptrdiff_t>(sharers.size());
      order_.insert(order_.end(), settings.begin() + count * mine / shares,
                    settings.begin() + count * (mine + 1) / shares);
    }
    lengths_[static_cast<std::size_t>(worker)] = static_cast<std::int64_t>(order_.size() - before);
  }
}

std::pair<int, int> NearLists::neighbours(int worker) const {
  const std::int32_t process = layout_.process_of_worker(worker);
  int first = worker;
  int last = worker + 1;
  while (first > 0 && layout_.process_of_worker(first - 1) == process) --first;
  while (last < layout_.workers && layout_.process_of_worker(last) == process) ++last;
  return {first, last};
}

}  // namespace blockyard::worker
