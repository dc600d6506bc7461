// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/near.h"

#include <algorithm>
#include <utility>

#include "blockyard/program/flow.h"

namespace blockyard::flow {

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
      workers_(bytes_.size()),
      wanted_(bytes_.size()),
      kept_(bytes_.size()),
      dealt_(bytes_.size()),
      lengths_(static_cast<std::size_t>(layout_.workers)) {
  for (int worker = 0; worker < layout_.workers; ++worker)
    workers_[static_cast<std::size_t>(layout_.process_of_worker(worker))].push_back(worker);
  for (int server = 0; server < layout_.servers; ++server)
    process_of_server_.push_back(layout_.process_of_server(server));
}

void NearLists::begin(std::int32_t pardo) {
  for (auto& wanted : wanted_) wanted.clear();
  free_.clear();
  touched_.clear();
  homes_.clear();
  if (processes_ == 1) return;
  std::ranges::fill(is_seen_, std::uint8_t{0});
  find_touched(program_.pardos[static_cast<std::size_t>(pardo)].body);
}

/// The selectors of gets and puts that can be reached from the body, through calls.
void NearLists::find_touched(std::int32_t body) {
  std::vector<std::int32_t> next{body};
  while (!next.empty()) {
    const std::int32_t pc = next.back();
    next.pop_back();
    if (std::exchange(is_seen_[static_cast<std::size_t>(pc)], std::uint8_t{1}) != 0) continue;
    const auto& instruction = program::instruction_at(program_, pc);
    const program::OpcodeRow& row = program::row_of(instruction.opcode);
    if ((row.effects & (program::effect::gets | program::effect::puts)) != 0 &&
        std::ranges::find(touched_, instruction.a) == touched_.end())
      touched_.push_back(instruction.a);
    if (program::pardo_of(program_, instruction) != nullptr) continue;  // the end of the body
    if (row.control == program::Control::call) next.push_back(program::target_of(instruction));
    program::for_each_successor(program_, pc, [&](std::int32_t after) { next.push_back(after); });
  }
}

void NearLists::add(std::int64_t setting, std::span<const std::int64_t> values) {
  if (homes_.empty())
    for (const std::int32_t selector : touched_)
      homes_.emplace_back(program_, tables_, program_.selectors[static_cast<std::size_t>(selector)],
                          values, layout_.servers);
  std::ranges::fill(bytes_, 0);
  for (const HomeBytes& home : homes_) home.add(values, process_of_server_, bytes_);
  for (std::size_t process = 0; process < bytes_.size(); ++process)
    if (workers_[process].empty()) bytes_[process] = 0;  // no worker there
  const auto best = std::ranges::max_element(bytes_);
  std::int64_t second = 0;
  for (auto other = bytes_.begin(); other != bytes_.end(); ++other)
    if (other != best) second = std::max(second, *other);
  if (*best == second) return free_.push_back(setting);
  wanted_[static_cast<std::size_t>(best - bytes_.begin())].push_back({setting, *best - second});
}

/// Each process keeps what is near to it, up to its part of all; the rest fills up the others.
void NearLists::deal() {
  std::size_t count = free_.size();
  for (const auto& wanted : wanted_) count += wanted.size();
  std::vector<std::size_t> part(workers_.size());
  std::size_t workers = 0;
  for (std::size_t process = 0; process < part.size(); ++process) {
    const auto all = static_cast<std::size_t>(layout_.workers);
    const std::size_t first = count * workers / all;
    workers += workers_[process].size();
    part[process] = count * workers / all - first;
    auto& wanted = wanted_[process];
    if (wanted.size() > part[process]) {
      std::ranges::stable_sort(wanted, std::ranges::greater{}, &Near::more);
      for (std::size_t k = part[process]; k < wanted.size(); ++k)
        free_.push_back(wanted[k].setting);
      wanted.resize(part[process]);
      std::ranges::sort(wanted, {}, &Near::setting);
    }
    kept_[process].clear();
    for (const Near& near : wanted) kept_[process].push_back(near.setting);
  }
  std::ranges::sort(free_);
  auto next = free_.cbegin();
  for (std::size_t process = 0; process < part.size(); ++process) {
    const auto first = next;
    next += static_cast<std::ptrdiff_t>(part[process] - kept_[process].size());
    dealt_[process].assign(first, next);
  }
}

/// The run of the `mine`-th of the workers of a process.
void NearLists::append(const Settings& settings, std::size_t mine, std::size_t workers) {
  const auto at = [&](std::size_t worker) {
    return settings.begin() + static_cast<std::ptrdiff_t>(settings.size() * worker / workers);
  };
  order_.insert(order_.end(), at(mine), at(mine + 1));
}

void NearLists::end() {
  deal();
  order_.clear();
  for (int worker = 0; worker < layout_.workers; ++worker) {
    const auto before = order_.size();
    const auto process = static_cast<std::size_t>(layout_.process_of_worker(worker));
    const auto& workers = workers_[process];
    const auto mine =
        static_cast<std::size_t>(std::ranges::find(workers, worker) - workers.begin());
    append(kept_[process], mine, workers.size());
    append(dealt_[process], mine, workers.size());
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

}  // namespace blockyard::flow
