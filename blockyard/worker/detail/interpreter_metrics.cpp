// SPDX-License-Identifier: Apache-2.0
// The part of Interpreter that counts what it did.
#include <algorithm>
#include <map>

#include "blockyard/base/clock.h"
#include "blockyard/worker/detail/interpreter.h"

namespace blockyard::worker::detail {

Metrics Interpreter::metrics() {
  Metrics m;
  m.seconds = base::now_seconds() - begin_seconds_;
  m.barrier_seconds = transport_.counts().collect_seconds;
  m.transfer_seconds = transport_.counts().settle_seconds;
  m.instructions = instructions_;
  m.block_operations = arithmetic_.operations();
  m.flops = arithmetic_.flops();
  if (device_ != nullptr) {
    m.device_number = worker_device_.number();
    m.device = device_->take_counts();
    m.device.host_requests = frames_.uses().requests - frames_before_.requests;
    m.device.host_hits = frames_.uses().hits - frames_before_.hits;
  }
  m.iterations = loops_.iterations();
  m.gets = blocks_.cache().requests();
  m.cache_hits = blocks_.cache().hits();
  m.bytes_received = blocks_.cache().bytes_received();
  m.bytes_sent = transport_.counts().bytes_sent;
  m.peak_bytes = static_cast<std::uint64_t>(frames_.peak_bytes());
  m.supers = supers_.uses();
  for (std::size_t k = 0; k < program_.code.size(); ++k) {
    if (!has_effect(program_.code[k].opcode, program::effect::gets)) continue;
    const auto pc = static_cast<std::int32_t>(k);
    const FetchWait& wait = blocks_.fetched().wait_at(pc);
    if (wait.gets == 0) continue;
    const auto& selector = program_.selectors[static_cast<std::size_t>(program_.code[k].a)];
    const DepthChoice& choice = prefetcher_.choice(pc);
    m.lines.push_back({naming_.place(pc), naming_.array(selector.array), wait.gets, wait.hits,
                       wait.early_hits, wait.accesses, wait.blocked, wait.seconds,
                       wait.first_seconds, choice.depth, choice.wasted,
                       options_.prefetch.is_auto ? choice.reason() : "as set by --prefetch"});
    m.wasted_prefetches += choice.wasted;
  }
  m.block_wait_seconds = blocks_.fetched().wait_seconds();
  m.disk_wait_seconds = blocks_.fetched().disk_seconds();
  m.chunk_wait_seconds = loops_.chunk_seconds();
  m.checkpoint_seconds = checkpoint_seconds_;
  m.bytes_from_servers = transport_.counts().from_servers;
  m.bytes_to_servers = transport_.counts().to_servers;
  m.prefetches = blocks_.cache().prefetches();
  std::ranges::sort(m.lines, std::greater{}, &LineWait::wait_seconds);
  if (profile_.is_on()) add_profile(m);
  return m;
}

/// Instructions of one line are told together.
void Interpreter::add_profile(Metrics& m) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, LineTime> lines;
  std::vector<std::int32_t> begins(program_.pardos.size(), 0);
  for (std::size_t pc = 0; pc < program_.code.size(); ++pc) {
    const program::OpcodeRow& row = row_of(program_.code[pc].opcode);
    if (row.control == program::Control::loop_begin &&
        row.operands[0] == program::OperandKind::pardo)
      begins[static_cast<std::size_t>(program_.code[pc].a)] = static_cast<std::int32_t>(pc);
    const Profile::At& at = profile_.at()[pc];
    if (at.times == 0) continue;
    const program::SourceLine source = program_.lines[pc];
    LineTime& line = lines[{source.file, source.line}];
    line.place = naming_.place(static_cast<std::int32_t>(pc));
    line.times = std::max(line.times, at.times);
    line.seconds += at.seconds;
    line.block_wait_seconds += at.waits.block_seconds;
    line.disk_wait_seconds += at.waits.disk_seconds;
    line.barrier_wait_seconds += at.waits.barrier_seconds;
    line.put_wait_seconds += at.waits.put_seconds;
  }
  for (auto& [where, line] : lines) m.line_times.push_back(std::move(line));
  std::ranges::sort(m.line_times, std::greater{}, &LineTime::seconds);
  for (std::size_t k = 0; k < program_.pardos.size(); ++k) {
    const Profile::Pardo& pardo = profile_.pardos()[k];
    if (pardo.entered == 0) continue;
    m.pardos.push_back({naming_.place(begins[k]),
                        std::string(flow::name_of(
                            policy_of(program_.pardos[k], options_.policy, options_.workers))),
                        pardo.entered, pardo.iterations, pardo.seconds, pardo.wait_seconds});
  }
}

Waits Interpreter::waits() const noexcept {
  return {blocks_.fetched().wait_seconds(), blocks_.fetched().disk_seconds(),
          transport_.counts().collect_seconds, transport_.counts().settle_seconds};
}

void Interpreter::act_and_note(const program::Instruction& instruction) {
  const std::int32_t pc = blocks_.pc();
  const Waits before = waits();
  act(instruction);
  const double now = profile_.note(pc, before, waits());
  if (profile_.memory().is_due(now)) note_memory(now);
}

/// Purposes: own arrays and temps, blocks fetched, blocks fetched early, puts under way.
void Interpreter::note_memory(double now) noexcept {
  const auto puts = static_cast<std::int64_t>(transport_.put_bytes());
  const std::int64_t held = blocks_.cache().held_bytes();
  const std::int64_t early = blocks_.cache().early_bytes();
  profile_.memory().add({now, {frames_.used_bytes() - held - puts, held - early, early, puts}});
}

void Interpreter::end_pardo(std::int32_t pardo) {
  if (profile_.is_on()) profile_.end_pardo(pardo, loops_.iterations(), waits());
}

void Interpreter::show_live() const noexcept {
  Live* live = options_.live;
  if (live == nullptr) return;
  constexpr auto relaxed = std::memory_order_relaxed;
  live->doing.store(Doing::work, relaxed);
  live->pc.store(blocks_.pc(), relaxed);
  live->iterations.store(loops_.iterations(), relaxed);
  live->operations.store(arithmetic_.operations(), relaxed);
  live->block_wait_seconds.store(blocks_.fetched().wait_seconds(), relaxed);
  live->barrier_seconds.store(transport_.counts().collect_seconds, relaxed);
  live->used_bytes.store(frames_.used_bytes(), relaxed);
}

}  // namespace blockyard::worker::detail
