// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/memory_plan.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/text.h"
#include "blockyard/server/spiller.h"

namespace blockyard::job {

using base::Errc;
using base::Error;

namespace {

/// Blocks that a server must hold at the least: some arriving, some on the way to and from disk.
constexpr std::int64_t least_server_blocks = 8;
/// Blocks that a worker can ask for ahead, if half of what is left allows it.
constexpr std::int64_t look_ahead_blocks = 2;
constexpr std::int64_t least_server_bytes = std::int64_t{1} << 20;

std::int64_t worker_need(const flow::MemoryNeed& need) {
  return need.static_bytes + need.block_bytes;
}

Error too_little(std::int64_t total, std::int64_t wanted, int workers, const ProgramNeed& worst) {
  const flow::MemoryNeed& need = worst.need;
  std::string text = fmt::format(
      "too little memory: {} needs at least {} and may use {}\n  each of {} workers: {} of static "
      "arrays, {} of blocks",
      worst.program, base::format_bytes(wanted), base::format_bytes(total), workers,
      base::format_bytes(need.static_bytes), base::format_bytes(need.block_bytes));
  if (!need.largest_static.empty()) text += "\n  largest static array: " + need.largest_static;
  text += fmt::format("\n  largest block: {}", base::format_bytes(need.largest_block_bytes));
  if (!need.largest_block.empty()) text += ", of array " + need.largest_block;
  text += fmt::format("\n  use --memory {}M or more, or smaller segments", (wanted >> 20) + 1);
  if (workers > 1) text += fmt::format(", or fewer workers than {}", workers);
  return {Errc::no_memory, text};
}

/// One without a limit is the widest.
base::MemoryRoom tighter(base::MemoryRoom first, base::MemoryRoom second) {
  if (second.limit.empty()) return first;
  return first.limit.empty() || second.bytes < first.bytes ? second : first;
}

/// The part of each of the processes that share `room`.
base::MemoryRoom share_of(std::optional<base::MemoryRoom> room, int processes) {
  if (!room) return {};
  return {room->bytes / std::max(1, processes), std::move(room->limit)};
}

/// The part of `room` for blocks. A run keeps within a tenth and 200 MB above its budget
/// (docs/performance.md); where that would leave nothing, a small run takes less.
std::int64_t part_of(std::int64_t room) {
  constexpr std::int64_t own_bytes = 200'000'000;
  const std::int64_t safe = (room - own_bytes) / 11 * 10;
  return std::min(room / 10 * 7, std::max(safe, room / 4));
}

}  // namespace

MemoryPlan plan_memory(std::int64_t total_bytes, std::int64_t shared_bytes, int workers,
                       int servers, std::span<const ProgramNeed> needs) {
  base::require(!needs.empty() && workers > 0 && servers > 0, "there is something to plan");
  MemoryPlan plan;
  plan.total_bytes = total_bytes;
  plan.shared_bytes = shared_bytes;
  const ProgramNeed& worst = *std::ranges::max_element(
      needs, {}, [](const ProgramNeed& program) { return worker_need(program.need); });
  const std::int64_t least_worker = worker_need(worst.need);
  std::int64_t largest_block = 0;
  for (const ProgramNeed& program : needs) {
    largest_block = std::max(largest_block, program.need.largest_block_bytes);
    plan.distributed_bytes = std::max(plan.distributed_bytes, program.need.distributed_bytes);
  }
  const std::int64_t least_server =
      std::max(least_server_bytes, least_server_blocks * largest_block);
  const std::int64_t wanted = shared_bytes + workers * least_worker + servers * least_server;
  const std::int64_t left = total_bytes - wanted;
  if (left < 0) throw too_little(total_bytes, wanted, workers, worst);
  // A pool rounds each block up by at most an eighth.
  const std::int64_t arrays = plan.distributed_bytes + plan.distributed_bytes / 8;
  // Without room for blocks that are asked for ahead, workers would wait for each one.
  const std::int64_t for_look_ahead = std::clamp(
      workers * look_ahead_blocks * (largest_block + largest_block / 8), left / 8, left / 2);
  const std::int64_t for_servers =
      std::clamp<std::int64_t>(arrays - servers * least_server, 0, left - for_look_ahead);
  // Blocks spilled to disk are copied to private pages of each request (server/spiller.h).
  const bool spills = arrays > servers * least_server + for_servers;
  const std::int64_t pages =
      spills ? std::min(for_servers / servers, server::Spiller::queue_depth * largest_block) : 0;
  plan.server_bytes = least_server + for_servers / servers - pages;
  plan.worker_bytes = least_worker + (left - for_servers) / workers;
  plan.spilled_bytes =
      std::max<std::int64_t>(0, plan.distributed_bytes - servers * plan.server_bytes / 9 * 8);
  return plan;
}

MemoryPlan plan_memory_apart(std::int64_t total_bytes, std::int64_t shared_bytes, int workers,
                             int servers, std::span<const ProgramNeed> needs) {
  std::vector<ProgramNeed> of_workers(needs.begin(), needs.end());
  for (ProgramNeed& program : of_workers) program.need.distributed_bytes = 0;
  MemoryPlan plan = plan_memory(total_bytes, shared_bytes, workers, 1, of_workers);
  for (const ProgramNeed& program : needs)
    plan.distributed_bytes = std::max(plan.distributed_bytes, program.need.distributed_bytes);
  plan.server_bytes = total_bytes - shared_bytes;
  std::int64_t largest_block = 0;
  for (const ProgramNeed& program : needs)
    largest_block = std::max(largest_block, program.need.largest_block_bytes);
  const std::int64_t arrays = plan.distributed_bytes + plan.distributed_bytes / 8;
  if (arrays > servers * plan.server_bytes)  // they spill, through pages of their own
    plan.server_bytes -=
        std::min(plan.server_bytes / 2, server::Spiller::queue_depth * largest_block);
  plan.spilled_bytes =
      std::max<std::int64_t>(0, plan.distributed_bytes - servers * plan.server_bytes / 9 * 8);
  return plan;
}

GrantedMemory granted_memory(int processes_on_node) {
  return {share_of(base::process_memory_room(), 1),
          share_of(base::group_memory_room(), processes_on_node),
          share_of(base::machine_memory_room(), processes_on_node)};
}

GrantedMemory tightest(const GrantedMemory& first, const GrantedMemory& second) {
  return {tighter(first.own, second.own), tighter(first.group, second.group),
          tighter(first.machine, second.machine)};
}

UsualMemory usual_memory(const GrantedMemory& granted, std::int64_t mapped_later) {
  base::MemoryRoom own = granted.own;
  own.bytes = std::max<std::int64_t>(0, own.bytes - mapped_later);
  const base::MemoryRoom least = tighter(std::move(own), tighter(granted.group, granted.machine));
  if (least.limit.empty())
    throw Error(Errc::io, "this machine does not say how much memory is free: give --memory");
  return {part_of(least.bytes), least.limit};
}

std::string memory_warning(std::int64_t wanted_bytes, const GrantedMemory& granted) {
  const base::MemoryRoom room = tighter(granted.own, granted.group);
  if (room.limit.empty() || wanted_bytes <= room.bytes) return "";
  return fmt::format("{} of memory are more than {}, {}: the run may fail or be killed",
                     base::format_bytes(wanted_bytes), room.limit, base::format_bytes(room.bytes));
}

void return_freed_blocks() noexcept {
  // Setting it at all keeps glibc from raising it to the largest size that was ever freed.
  constexpr int least_mapped_bytes = 64 * 1024;
  constexpr int kept_bytes = 128 * 1024;  // as glibc begins
  mallopt(M_MMAP_THRESHOLD, least_mapped_bytes);
  mallopt(M_TRIM_THRESHOLD, kept_bytes);
}

void reuse_freed_memory() noexcept {
  constexpr int least_mapped_bytes = 32 * 1024 * 1024;  // what glibc reaches by itself, at most
  constexpr int kept_bytes = 4 * 1024 * 1024;
  mallopt(M_MMAP_THRESHOLD, least_mapped_bytes);
  mallopt(M_TRIM_THRESHOLD, kept_bytes);
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * std::int64_t{1024};
}

}  // namespace blockyard::job
