// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/meter.h"

#include <algorithm>
#include <map>

#include "blockyard/base/clock.h"

namespace blockyard::worker::detail {

Meter::Meter(const Setting& setting, const Parts& parts, std::size_t number)
    : setting_(setting),
      parts_(parts),
      profile_(setting.options.recording, setting.program().code.size(),
               setting.program().pardos.size(), static_cast<std::uint16_t>(number)),
      frames_before_(setting.frames.uses()) {}

void Meter::begin_program() { begin_seconds_ = base::now_seconds(); }

Metrics Meter::metrics() const {
  Metrics m;
  m.seconds = base::now_seconds() - begin_seconds_;
  m.barrier_seconds = setting_.transport.counts().collect_seconds;
  m.transfer_seconds = setting_.transport.counts().settle_seconds;
  m.instructions = instructions_;
  m.block_operations = parts_.arithmetic.operations();
  m.flops = parts_.arithmetic.flops();
  if (block::Residency* const device = parts_.device.residency()) {
    m.device_number = parts_.device.number();
    m.device = device->take_counts();
    m.device.host_requests = setting_.frames.uses().requests - frames_before_.requests;
    m.device.host_hits = setting_.frames.uses().hits - frames_before_.hits;
  }
  m.iterations = parts_.loops.iterations();
  m.gets = parts_.blocks.cache().requests();
  m.cache_hits = parts_.blocks.cache().hits();
  m.bytes_received = parts_.blocks.cache().bytes_received();
  m.bytes_sent = setting_.transport.counts().bytes_sent;
  m.peak_bytes = static_cast<std::uint64_t>(setting_.frames.peak_bytes());
  m.supers = parts_.supers.uses();
  m.block_wait_seconds = parts_.blocks.fetched().wait_seconds();
  m.disk_wait_seconds = parts_.blocks.fetched().disk_seconds();
  m.chunk_wait_seconds = parts_.loops.chunk_seconds();
  m.checkpoint_seconds = checkpoint_seconds_;
  m.bytes_from_servers = setting_.transport.counts().from_servers;
  m.bytes_to_servers = setting_.transport.counts().to_servers;
  m.prefetches = parts_.blocks.cache().prefetches();
  add_lines(m);
  if (profile_.is_on()) add_profile(m);
  return m;
}

void Meter::add_lines(Metrics& m) const {
  const program::Program& program = setting_.program();
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    if (!has_effect(program.code[k].opcode, program::effect::gets)) continue;
    const auto pc = static_cast<std::int32_t>(k);
    const FetchWait& wait = parts_.blocks.fetched().wait_at(pc);
    if (wait.gets == 0) continue;
    const auto& selector = program.selectors[static_cast<std::size_t>(program.code[k].a)];
    const DepthChoice& choice = parts_.transfers.choice(pc);
    m.lines.push_back(
        {setting_.naming.place(pc), setting_.naming.array(selector.array), wait.gets, wait.hits,
         wait.early_hits, wait.accesses, wait.blocked, wait.seconds, wait.first_seconds,
         choice.depth, choice.wasted,
         setting_.options.prefetch.is_auto ? choice.reason() : "as set by --prefetch"});
    m.wasted_prefetches += choice.wasted;
  }
  std::ranges::sort(m.lines, std::greater{}, &LineWait::wait_seconds);
}

/// Instructions of one line are told together.
void Meter::add_profile(Metrics& m) const {
  const program::Program& program = setting_.program();
  std::map<std::pair<std::uint32_t, std::uint32_t>, LineTime> lines;
  std::vector<std::int32_t> begins(program.pardos.size(), 0);
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const program::OpcodeRow& row = row_of(program.code[pc].opcode);
    if (row.control == program::Control::loop_begin &&
        row.operands[0] == program::OperandKind::pardo)
      begins[static_cast<std::size_t>(program.code[pc].a)] = static_cast<std::int32_t>(pc);
    const Profile::At& at = profile_.at()[pc];
    if (at.times == 0) continue;
    const program::SourceLine source = program.lines[pc];
    LineTime& line = lines[{source.file, source.line}];
    line.place = setting_.naming.place(static_cast<std::int32_t>(pc));
    line.times = std::max(line.times, at.times);
    line.seconds += at.seconds;
    line.block_wait_seconds += at.waits.block_seconds;
    line.disk_wait_seconds += at.waits.disk_seconds;
    line.barrier_wait_seconds += at.waits.barrier_seconds;
    line.put_wait_seconds += at.waits.put_seconds;
  }
  for (auto& [where, line] : lines) m.line_times.push_back(std::move(line));
  std::ranges::sort(m.line_times, std::greater{}, &LineTime::seconds);
  for (std::size_t k = 0; k < program.pardos.size(); ++k) {
    const Profile::Pardo& pardo = profile_.pardos()[k];
    if (pardo.entered == 0) continue;
    m.pardos.push_back({setting_.naming.place(begins[k]),
                        std::string(flow::name_of(policy_of(
                            program.pardos[k], setting_.options.policy, setting_.options.workers))),
                        pardo.entered, pardo.iterations, pardo.seconds, pardo.wait_seconds});
  }
}

Waits Meter::waits() const noexcept {
  return {parts_.blocks.fetched().wait_seconds(), parts_.blocks.fetched().disk_seconds(),
          setting_.transport.counts().collect_seconds, setting_.transport.counts().settle_seconds};
}

/// Purposes: own arrays and temps, blocks fetched, blocks fetched early, puts under way.
void Meter::note_memory(double now) noexcept {
  const auto puts = static_cast<std::int64_t>(setting_.transport.put_bytes());
  const std::int64_t held = parts_.blocks.cache().held_bytes();
  const std::int64_t early = parts_.blocks.cache().early_bytes();
  profile_.memory().add(
      {now, {setting_.frames.used_bytes() - held - puts, held - early, early, puts}});
}

void Meter::show_live() const noexcept {
  Live* live = setting_.options.live;
  if (live == nullptr) return;
  constexpr auto relaxed = std::memory_order_relaxed;
  live->doing.store(Doing::work, relaxed);
  live->pc.store(setting_.here.pc, relaxed);
  live->iterations.store(parts_.loops.iterations(), relaxed);
  live->operations.store(parts_.arithmetic.operations(), relaxed);
  live->block_wait_seconds.store(parts_.blocks.fetched().wait_seconds(), relaxed);
  live->barrier_seconds.store(setting_.transport.counts().collect_seconds, relaxed);
  live->used_bytes.store(setting_.frames.used_bytes(), relaxed);
}

}  // namespace blockyard::worker::detail
