// SPDX-License-Identifier: Apache-2.0
// The output of `run --profile`.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "blockyard/base/split.h"
#include "blockyard/base/text.h"
#include "blockyard/report/report.h"

namespace blockyard::report {

namespace {

/// Sums of the workers of one program.
struct Sums : worker::Counts {
  std::map<std::pair<std::string, std::string>, worker::LineWait> lines;
  std::map<std::string, worker::SuperUse> supers;
  block::ResidencyCounts device;
};

Sums sum_of(const job::StepResult& step) {
  Sums sums;
  for (const worker::Metrics& metrics : step.metrics) {
    base::merge<worker::Counts>(worker::worker_metrics(), sums, metrics);
    base::merge(block::device_metrics(), sums.device, metrics.device);
    for (const worker::LineWait& wait : metrics.lines) {
      worker::LineWait& sum = sums.lines[{wait.place, wait.array}];
      sum.place = wait.place;
      sum.array = wait.array;
      sum.gets += wait.gets;
      sum.cache_hits += wait.cache_hits;
      sum.early_hits += wait.early_hits;
      sum.accesses += wait.accesses;
      sum.blocked += wait.blocked;
      sum.wait_seconds += wait.wait_seconds;
      sum.first_wait_seconds = std::max(sum.first_wait_seconds, wait.first_wait_seconds);
      sum.wasted += wait.wasted;
      if (wait.depth >= sum.depth) {
        sum.depth = wait.depth;
        sum.reason = wait.reason;
      }
    }
    for (const auto& [name, use] : metrics.supers) {
      sums.supers[name].calls += use.calls;
      sums.supers[name].device_calls += use.device_calls;
      sums.supers[name].seconds += use.seconds;
    }
  }
  return sums;
}

std::string print_lines(const Sums& sums) {
  constexpr std::size_t shown = 8;
  std::vector<worker::LineWait> lines;
  for (const auto& [key, wait] : sums.lines) lines.push_back(wait);
  std::ranges::sort(lines, std::greater<>(), &worker::LineWait::wait_seconds);
  std::string text;
  for (const worker::LineWait& wait : std::span(lines).first(std::min(shown, lines.size())))
    text += fmt::format(
        "    wait  {:<28} {:<16} {:>10} uses {:>10} blocked {:>10.3f} s\n"
        "          first {:.1f} us, mean {:.1f} us; prefetch {}: {}\n",
        wait.place, wait.array, wait.accesses, wait.blocked, wait.wait_seconds,
        wait.first_wait_seconds * 1e6, wait.mean_wait_seconds() * 1e6, wait.depth, wait.reason);
  return text;
}

std::string print_device(const Sums& sums) {
  const block::ResidencyCounts& counts = sums.device;
  if (counts.runs + counts.copies_in + counts.peer_copies + counts.fallbacks + counts.failures == 0)
    return "";
  const auto percent = [](std::uint64_t part, std::uint64_t of) {
    return of == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(of);
  };
  const auto bytes = [](std::uint64_t n) {
    return base::format_bytes(static_cast<std::int64_t>(n));
  };
  std::string text = fmt::format(
      "    device: {} runs, {} on the host (device memory full); {} copies there ({}), {} back "
      "({}), "
      "{} saved ({})\n            {} copied ahead, of them unused {}; evictions {}, of them "
      "written back {}; waited {:.3f} s; "
      "failures {}\n",
      counts.runs, counts.fallbacks, counts.copies_in, bytes(counts.bytes_in), counts.copies_out,
      bytes(counts.bytes_out), counts.saved_copies, bytes(counts.saved_bytes), counts.ahead_copies,
      counts.ahead_unused, counts.evictions, counts.written_back, counts.wait_seconds,
      counts.failures);
  if (counts.sent_blocks > 0)
    text +=
        fmt::format("            {} of the blocks back went on to the network in {} pieces ({})\n",
                    counts.sent_blocks, counts.sent_pieces, bytes(counts.sent_bytes));
  if (counts.peer_copies > 0)
    text += fmt::format("            {} copies came from devices of other workers ({})\n",
                        counts.peer_copies, bytes(counts.peer_bytes));
  if (counts.direct_blocks > 0)
    text += fmt::format("            {} blocks sent from the device ({})\n", counts.direct_blocks,
                        bytes(counts.direct_bytes));
  if (counts.lock_requests > 0)
    text += fmt::format(
        "            host memory: {:.1f} % of {} requests used again; page-locked: {}, before "
        "{:.1f} % "
        "of {} copies\n",
        percent(counts.host_hits, counts.host_requests), counts.host_requests,
        bytes(counts.locked_bytes), percent(counts.lock_hits, counts.lock_requests),
        counts.lock_requests);
  return text;
}

std::string print_supers(const Sums& sums) {
  std::vector<std::pair<std::string, worker::SuperUse>> uses(sums.supers.begin(),
                                                             sums.supers.end());
  std::ranges::sort(uses, std::greater<>(), [](const auto& use) { return use.second.seconds; });
  std::string text;
  for (const auto& [name, use] : uses)
    text += fmt::format(
        "    execute {:<43} {:>10} calls {:>27.3f} s{}\n", name, use.calls, use.seconds,
        use.device_calls == 0 ? "" : fmt::format(", {} of them on the device", use.device_calls));
  return text;
}

/// How devices launch kernels of the user's own, and why.
std::string print_launches(const job::Results& results) {
  std::string text;
  for (std::size_t k = 0; k < results.devices.size(); ++k)
    for (const std::string_view line : base::split(results.devices[k].choices, '\n'))
      if (!line.empty()) text += fmt::format("  device {} launches {}\n", k, line);
  return text;
}

/// The lines of all programs that compute longest, waits left out.
std::string print_line_times(const job::Results& results) {
  constexpr std::size_t shown = 15;
  std::map<std::string, worker::LineTime> sums;
  for (const job::StepResult& step : results.steps)
    for (const worker::Metrics& metrics : step.metrics)
      for (const worker::LineTime& time : metrics.line_times) {
        worker::LineTime& sum = sums[time.place];
        sum.place = time.place;
        sum.times += time.times;
        sum.block_wait_seconds +=
            time.block_wait_seconds + time.barrier_wait_seconds + time.put_wait_seconds;
        sum.seconds += time.seconds;
      }
  const auto busy = [](const worker::LineTime& time) {
    return std::max(0.0, time.seconds - time.block_wait_seconds);
  };
  std::vector<worker::LineTime> lines;
  double all = 0;
  for (const auto& [place, sum] : sums) {
    lines.push_back(sum);
    all += busy(sum);
  }
  if (all <= 0) return "";
  std::ranges::stable_sort(lines, std::greater<>(), busy);
  std::string text = fmt::format("  {:<38}{:>12}{:>12}{:>6}{:>10}\n", "lines of all programs",
                                 "times", "computing", "", "waiting");
  for (const worker::LineTime& line : std::span(lines).first(std::min(shown, lines.size())))
    text += fmt::format("    {:<36}{:>12}{:>10.3f} s{:>4.0f} %{:>8.3f} s\n",
                        line.place.substr(line.place.find_last_of('/') + 1), line.times, busy(line),
                        100 * busy(line) / all, line.block_wait_seconds);
  return text;
}

}  // namespace

std::string print_profile(const job::Results& results) {
  std::string text = "\nprofile: sums over workers\n";
  for (const job::StepResult& step : results.steps) {
    const Sums sums = sum_of(step);
    text += fmt::format(
        "  {}: {:.3f} s wall; {} block operations, {:.3f} Gflop; waits: blocks {:.3f} s, barriers "
        "{:.3f} s\n    gets {}, in cache {}; received {}, sent {}\n",
        step.name, step.seconds, sums.block_operations, sums.flops * 1e-9,
        sums.block_wait_seconds + sums.transfer_seconds, sums.barrier_seconds, sums.gets,
        sums.cache_hits, base::format_bytes(static_cast<std::int64_t>(sums.bytes_received)),
        base::format_bytes(static_cast<std::int64_t>(sums.bytes_sent)));
    text += print_device(sums) + print_lines(sums) + print_supers(sums);
  }
  text += print_launches(results) + print_line_times(results);
  for (std::size_t s = 0; s < results.servers.size(); ++s) {
    const wire::ServerCounts& server = results.servers[s];
    text += fmt::format("  server {}: {} gets, {} puts, spilled {}, read back {}, peak {}\n", s,
                        server.gets, server.puts,
                        base::format_bytes(static_cast<std::int64_t>(server.spilled_bytes)),
                        base::format_bytes(static_cast<std::int64_t>(server.read_back_bytes)),
                        base::format_bytes(static_cast<std::int64_t>(server.peak_bytes)));
  }
  return text;
}

}  // namespace blockyard::report
