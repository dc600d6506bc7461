// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "blockyard/base/text.h"
#include "blockyard/job/energies.h"
#include "blockyard/job/report.h"
#include "blockyard/qc/element.h"

namespace blockyard::job {

namespace {

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<10} {}\n", name, text);
}

/// "1 worker", "2 workers".
std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string print_orbitals(const Orbitals& orbitals, const std::string& title) {
  const std::span<const Extent> all = orbitals.segments;
  const auto frozen = static_cast<std::size_t>(orbitals.frozen_segments);
  const auto occupied = static_cast<std::size_t>(orbitals.occupied_segments);
  return line(title, fmt::format("{} frozen, {} active occupied, {} virtual in segments of {}",
                                 orbitals.frozen, orbitals.active_occupied, orbitals.virtual_,
                                 fmt::format("{}{}{} | {}", fmt::join(all.first(frozen), " "),
                                             frozen > 0 ? " | " : "",
                                             fmt::join(all.subspan(frozen, occupied), " "),
                                             fmt::join(all.subspan(frozen + occupied), " "))));
}

std::string print_chemistry(const Chemistry& chemistry) {
  const qc::Molecule& molecule = chemistry.system.molecule;
  std::string text = line(
      "molecule", fmt::format("{}: {}, charge {}, multiplicity {}, {}", formula(molecule),
                              counted(static_cast<std::int64_t>(molecule.atoms.size()), "atom"),
                              molecule.charge, molecule.multiplicity,
                              counted(chemistry.electrons, "electron")));
  text += line("basis",
               fmt::format("{}, {}: {} in segments of {}", chemistry.basis_name,
                           chemistry.system.integrals.basis().spherical ? "spherical" : "Cartesian",
                           counted(chemistry.basis_functions(), "function"),
                           fmt::join(chemistry.system.segments.extents, " ")));
  if (!chemistry.system.pivots.empty())
    text += line("integrals", fmt::format("correlated ones from {} Cholesky vectors",
                                          chemistry.system.pivots.size()));
  if (const auto& auxiliary = chemistry.system.integrals.auxiliary(); auxiliary.function_count > 0)
    text += line("integrals", fmt::format("correlated ones fitted by {}, {} functions",
                                          chemistry.auxiliary_name, auxiliary.function_count));
  if (!chemistry.unrestricted) return text + print_orbitals(chemistry.alpha, "orbitals");
  text += print_orbitals(chemistry.alpha, "alpha");
  text += print_orbitals(chemistry.beta, "beta");
  return text;
}

std::string print_memory(const Job& job) {
  const MemoryPlan& plan = job.memory;
  std::string text = fmt::format(
      "{}: {} for each worker, {} for each server; arrays take at most {}",
      base::format_bytes(plan.total_bytes), base::format_bytes(plan.worker_bytes),
      base::format_bytes(plan.server_bytes), base::format_bytes(plan.distributed_bytes));
  if (plan.spilled_bytes > 0)
    text += fmt::format(", of which up to {} go to disk", base::format_bytes(plan.spilled_bytes));
  return text;
}

/// Sums of the workers of one program.
struct Sums {
  double wait_seconds = 0;
  double barrier_seconds = 0;
  double flops = 0;
  std::uint64_t gets = 0;
  std::uint64_t hits = 0;
  std::uint64_t operations = 0;
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::map<std::pair<std::string, std::string>, worker::LineWait> lines;
  std::map<std::string, worker::SuperUse> supers;
  block::ResidencyCounts device;
};

Sums sum_of(const StepResult& step) {
  Sums sums;
  for (const worker::Metrics& metrics : step.metrics) {
    sums.wait_seconds += metrics.block_wait_seconds + metrics.transfer_seconds;
    sums.barrier_seconds += metrics.barrier_seconds;
    sums.flops += metrics.flops;
    sums.gets += metrics.gets;
    sums.hits += metrics.cache_hits;
    sums.operations += metrics.block_operations;
    sums.received += metrics.bytes_received;
    sums.sent += metrics.bytes_sent;
    sums.device.add(metrics.device);
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
      "    device: {} runs, {} on the host for want of memory; {} copies there ({}), {} back ({}), "
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
    text +=
        fmt::format("    execute {:<43} {:>10} calls {:>27.3f} s\n", name, use.calls, use.seconds);
  return text;
}

std::string print_states(const Excitations& states) {
  constexpr double ev_of_hartree = 27.211386245988;  // CODATA 2018
  std::string text = fmt::format("  {:<20} {:>20} {:>12}{}\n", states.title + " states", "hartree",
                                 "eV", states.singles_part.empty() ? "" : "  part of singles");
  for (std::size_t k = 0; k < states.hartree.size(); ++k) {
    text += fmt::format("    {:<18} {:>20.10f} {:>12.4f}", k + 1, states.hartree[k],
                        states.hartree[k] * ev_of_hartree);
    if (!states.singles_part.empty()) text += fmt::format("  {:>15.4f}", states.singles_part[k]);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string formula(const qc::Molecule& molecule) {
  std::map<std::string_view, int> counts;
  for (const qc::Atom& atom : molecule.atoms)
    if (!atom.is_ghost) ++counts[qc::element_symbol(atom.atomic_number)];
  std::string text;
  const auto take = [&](std::string_view symbol) {
    const auto found = counts.find(symbol);
    if (found == counts.end()) return;
    text += symbol;
    if (found->second > 1) text += fmt::format("{}", found->second);
    counts.erase(found);
  };
  if (counts.contains("C")) {
    take("C");
    take("H");
  }
  while (!counts.empty()) take(counts.begin()->first);
  return text;
}

std::string_view version() noexcept { return BLOCKYARD_VERSION; }

std::string print_input(const Job& job) {
  std::string text = fmt::format("blockyard {}\n", version());
  if (!job.title.empty()) text += line("title", base::showable(job.title));
  if (job.chemistry) text += print_chemistry(*job.chemistry);
  if (!job.method.empty()) text += line("method", job.method);
  if (const std::string note = note_of(job); !note.empty()) text += line("note", note);
  std::vector<std::string_view> names;
  for (const Step& step : job.steps) names.push_back(step.name);
  return text + line("programs", fmt::format("{}", fmt::join(names, ", ")));
}

std::string print_header(const Job& job) {
  std::string text = print_input(job);
  text += line("ranks", counted(job.workers, "worker") + ", " + counted(job.servers, "server"));
  text += line("memory", print_memory(job));
  return text + "\n";
}

std::string print_summary(const Job& job, const Results& results) {
  std::string text = "\n";
  if (!job.method.empty()) {
    text += fmt::format("  {:<20} {:>20}\n", "energies", "hartree");
    const MethodResults found = method_results(job, results);
    for (const Energy& energy : found.energies)
      text += fmt::format("    {:<18} {:>20.10f}\n", energy.title, energy.hartree);
    for (const Excitations& states : found.excitations) text += print_states(states);
  }
  text += fmt::format("  {:<20} {:>20}\n", "wall time", "seconds");
  for (const StepResult& step : results.steps)
    text += fmt::format("    {:<18} {:>20.2f}\n", step.name, step.seconds);
  text += fmt::format("    {:<18} {:>20.2f}\n", "all", results.seconds);
  return text + line("peak rss", base::format_bytes(results.peak_rss_bytes));
}

std::string print_profile(const Results& results) {
  std::string text = "\nprofile: sums over workers\n";
  for (const StepResult& step : results.steps) {
    const Sums sums = sum_of(step);
    text += fmt::format(
        "  {}: {:.3f} s wall; {} block operations, {:.3f} Gflop; waits: blocks {:.3f} s, barriers "
        "{:.3f} s\n    gets {}, in cache {}; received {}, sent {}\n",
        step.name, step.seconds, sums.operations, sums.flops * 1e-9, sums.wait_seconds,
        sums.barrier_seconds, sums.gets, sums.hits,
        base::format_bytes(static_cast<std::int64_t>(sums.received)),
        base::format_bytes(static_cast<std::int64_t>(sums.sent)));
    text += print_device(sums) + print_lines(sums) + print_supers(sums);
  }
  for (std::size_t s = 0; s < results.servers.size(); ++s) {
    const wire::Statistics& server = results.servers[s];
    text += fmt::format("  server {}: {} gets, {} puts, spilled {}, read back {}, peak {}\n", s,
                        server.gets, server.puts,
                        base::format_bytes(static_cast<std::int64_t>(server.spilled_bytes)),
                        base::format_bytes(static_cast<std::int64_t>(server.read_back_bytes)),
                        base::format_bytes(static_cast<std::int64_t>(server.peak_bytes)));
  }
  return text;
}

}  // namespace blockyard::job
