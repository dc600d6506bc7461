// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/hubbard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/blockyard/join.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/ring_report.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/text.h"
#include "blockyard/job/program_file.h"

namespace blockyard::app {

namespace {

using Json = nlohmann::ordered_json;
using lattice::HubbardJob;
using lattice::HubbardReport;

/// G by momentum and frequency, averaged over spins, of the first band.
Json green_json(const HubbardReport& report) {
  const lattice::Axes& axes = report.problem.axes;
  const auto bands = static_cast<std::size_t>(axes.bands * axes.bands);
  Json list = Json::array();
  for (int w = axes.extended() / 2; w < axes.extended() && !report.g4.g.empty(); ++w)
    for (int k = 0; k < axes.sites; ++k) {
      const std::size_t up = bands * 2 * static_cast<std::size_t>(k + axes.sites * w);
      const auto mean = [&](const std::vector<lattice::Complex>& values) {
        return (values[up] + values[up + bands]) / 2.0;
      };
      const lattice::Complex g = mean(report.g4.g);
      const lattice::Complex error = report.g4.g_error.empty() ? 0.0 : mean(report.g4.g_error);
      list.push_back({{"k", report.problem.momenta[static_cast<std::size_t>(k)]},
                      {"n", w - axes.extended() / 2},
                      {"re", g.real()},
                      {"im", g.imag()},
                      {"error", std::abs(error)}});
    }
  return list;
}

Json leading_json(const std::vector<lattice::Leading>& leading, bool is_pairing,
                  bool is_eigenvalue) {
  Json list = Json::array();
  for (const lattice::Leading& one : leading) {
    if (lattice::is_pp(one.channel) != is_pairing) continue;
    list.push_back({{"q", one.momentum},
                    {"value", is_eigenvalue ? one.eigenvalue : one.susceptibility},
                    {"error", is_eigenvalue ? one.eigenvalue_error : one.susceptibility_error}});
  }
  return list;
}

Json json_of(const HubbardJob& job, const HubbardReport& report) {
  return {{"title", job.title},
          {"sign", {report.g4.sign.real(), report.g4.sign_error}},
          {"order", {report.walk.order.value, report.walk.order.error}},
          {"autocorrelation_sweeps", report.walk.autocorrelation_sweeps},
          {"worst_residue", report.walk.worst_residue},
          {"samples", report.g4.samples},
          {"g", green_json(report)},
          {"eigenvalues",
           {{"pairing", leading_json(report.g4.leading, true, true)},
            {"spin", leading_json(report.g4.leading, false, true)}}},
          {"spin_susceptibility", leading_json(report.g4.leading, false, false)},
          {"ring", ring_json(report.g4)},
          {"output", job.output},
          {"seconds", report.g4.seconds}};
}

std::string text_of(const HubbardJob& job, const HubbardReport& report) {
  std::string text = fmt::format(
      "order {:.2f} +- {:.2f}, autocorrelation {:.1f} sweeps; sign {:.4f} +- {:.4f}; {} samples\n",
      report.walk.order.value, report.walk.order.error, report.walk.autocorrelation_sweeps,
      report.g4.sign.real(), report.g4.sign_error, report.g4.samples);
  for (const auto& one : green_json(report)) {
    if (one["n"] != 0) continue;
    text +=
        fmt::format("G(k = {}, w0) = {:.5f} {:+.5f}i +- {:.5f}\n", one["k"].dump(),
                    one["re"].get<double>(), one["im"].get<double>(), one["error"].get<double>());
  }
  for (const lattice::Leading& one : report.g4.leading) {
    const bool is_pairing = lattice::is_pp(one.channel);
    text += fmt::format("{} at q = [{}, {}]: leading eigenvalue {:.4f} +- {:.4f}",
                        is_pairing ? "pairing" : "spin", one.momentum[0], one.momentum[1],
                        one.eigenvalue, one.eigenvalue_error);
    text += is_pairing ? "\n"
                       : fmt::format(", susceptibility {:.4f} +- {:.4f}\n", one.susceptibility,
                                     one.susceptibility_error);
  }
  return text + ring_text(report.g4) + "written to " + job.output + "\n";
}

/// A line on a terminal, at most a few times a second. Any thread.
lattice::Progress progress_line(bool quiet) {
  if (quiet || isatty(STDERR_FILENO) != 1) return {};
  const auto next = std::make_shared<std::atomic<double>>(0);  // shared with copies of the function
  return [next](std::int64_t done, std::int64_t all) {
    constexpr double wait_seconds = 0.25;
    const double now = base::now_seconds();
    double due = *next;
    if (now < due && done < all) return;
    if (!next->compare_exchange_strong(due, now + wait_seconds)) return;
    print_error("\r\033[K{} of {} samples", done, all);
    if (done >= all) print_error("\r\033[K");
  };
}

std::int64_t array_bytes(const lattice::G4Plan& plan) {
  return plan.shape.units() * static_cast<std::int64_t>(plan.shape.unit_values() * sizeof(double));
}

Json plan_json(const HubbardJob& job, const lattice::G4Plan& plan, int ranks) {
  return {{"title", job.title},
          {"sites", job.model.sites()},
          {"ranks", ranks},
          {"g4_bytes", array_bytes(plan)},
          {"slices", plan.shape.units()},
          {"bins", plan.shape.bins},
          {"ring",
           {{"size", plan.ring},
            {"reason", plan.reason},
            {"slice_bytes", plan.slice_bytes},
            {"rank_bytes", plan.rank_bytes},
            {"budget_bytes", job.options.memory_bytes}}},
          {"travel",
           {{"what", name_of(plan.travel)},
            {"reason", plan.travel_reason},
            {"item_bytes", plan.item_bytes},
            {"sent_bytes", plan.sent_bytes}}}};
}

std::string plan_text(const HubbardJob& job, const lattice::G4Plan& plan, int ranks) {
  const auto bytes = [](std::int64_t count) { return base::format_bytes(count); };
  return fmt::format(
      "{} sites, U = {}, beta = {}; {} samples of {} walkers\n"
      "G4: {} in {} channel{} and {} bin{}, at most {} slices\n"
      "{} rank{} in rings of {}: {}\n"
      "each rank: slice {}, in all {} of {}\n"
      "{} travels: {}\n"
      "sent in a ring for each sample: {}\n",
      job.model.sites() * job.model.layers, job.model.u, job.model.beta, job.samples, job.walkers,
      bytes(array_bytes(plan)), plan.shape.channels.size(),
      plan.shape.channels.size() == 1 ? "" : "s", plan.shape.bins, plan.shape.bins == 1 ? "" : "s",
      plan.shape.units(), ranks, ranks == 1 ? "" : "s", plan.ring, plan.reason,
      bytes(plan.slice_bytes), bytes(plan.rank_bytes), bytes(job.options.memory_bytes),
      plan.travel == lattice::Travel::g ? "the Green's function" : "the sample", plan.travel_reason,
      bytes(plan.sent_bytes));
}

/// Puts in what the command line says, which wins.
void merge(const HubbardRun& run, HubbardJob& job) {
  if (!run.ring.empty()) job.options.ring = ring::parse_size(run.ring);
  lattice::Checkpointing& checkpoints = job.checkpoints;
  if (!run.checkpoint.empty())
    checkpoints.seconds = base::parse_seconds(run.checkpoint, "--checkpoint");
  if (!run.checkpoint_dir.empty()) checkpoints.folder = run.checkpoint_dir;
  if (checkpoints.seconds && checkpoints.folder.empty())
    checkpoints.folder = std::filesystem::path(job.file).stem().string() + ".checkpoint";
}

/// A signal lets a run with checkpoints go on to the end of the round, a second one does not.
bool ends_at_checkpoint(const HubbardJob& job) {
  return !job.checkpoints.folder.empty() && noted_signal() != 0 && !is_urgent();
}

int simulate(const HubbardRun& run, HubbardJob& job, fabric::MpiSession* session) {
  ring::Team team = make_team(session, run.ranks);
  team.stop_reason = [&job] {
    return noted_signal() == 0 || ends_at_checkpoint(job) ? std::string()
                                                          : describe_signal(noted_signal());
  };
  job.checkpoints.requests = checkpoint_signals;
  job.checkpoints.ends = [&job] { return ends_at_checkpoint(job); };
  if (!run.memory.empty() || job.options.memory_bytes == 0)
    job.options.memory_bytes = memory_of_rank(run.memory, team);
  else
    job.options.memory_bytes /= team.ranks_here;
  const bool is_lead = session == nullptr || session->process() == 0;
  if (is_lead) {
    check_writable(job.output);
    check_writable(run.json);
    if (!run.quiet && run.json != "-" && !job.title.empty()) print_out("{}\n", job.title);
  }
  HubbardReport report;
  try {
    report = lattice::simulate(job, team, is_lead ? progress_line(run.quiet) : lattice::Progress());
  } catch (const base::Error& error) {
    if (noted_signal() == 0) throw;
    const std::string signal = describe_signal(noted_signal());
    const std::string_view cause = error.what();
    if (is_lead)
      print_error("error: {}{}\n", cause.starts_with(signal) ? "" : signal + ": ", cause);
    return 128 + noted_signal();
  }
  if (!is_lead) return 0;
  if (!run.json.empty()) Output(stdout).write_file(run.json, json_of(job, report).dump(1) + "\n");
  if (!run.quiet && run.json != "-") print_out("{}", text_of(job, report));
  return 0;
}

}  // namespace

int run_hubbard(const HubbardRun& run) {
  auto session = join_processes(run.fabric);
  return run_quietly(session.get(), [&] {
    HubbardJob job = read_hubbard_job(job::read_file(run.file), run.file);
    merge(run, job);
    return simulate(run, job, session.get());
  });
}

int plan_hubbard(const HubbardRun& run, int processes) {
  HubbardJob job = read_hubbard_job(job::read_file(run.file), run.file);
  ring::Team team;
  team.ranks_here = run.ranks > 0 ? run.ranks : (processes > 1 ? 1 : base::usable_cores());
  if (!run.memory.empty() || job.options.memory_bytes == 0)
    job.options.memory_bytes = memory_of_rank(run.memory, team);
  else
    job.options.memory_bytes /= team.ranks_here;
  check_writable(run.json);
  const int ranks = processes * team.ranks_here;
  const lattice::G4Plan plan = lattice::plan_of(job, ranks);
  Output output(run.json == "-" ? stderr : stdout);
  output.print(plan_text(job, plan, ranks));
  if (!run.json.empty()) output.write_file(run.json, plan_json(job, plan, ranks).dump(1) + "\n");
  return 0;
}

int resume_hubbard(const HubbardRun& run) {
  auto session = join_processes(run.fabric);
  return run_quietly(session.get(), [&] {
    const lattice::SavedHead head = lattice::CheckpointIn(run.file).head();
    HubbardJob job = read_hubbard_job(head.source, head.file);
    job.checkpoints.folder = std::filesystem::path(run.file).parent_path().string();
    if (job.checkpoints.folder.empty()) job.checkpoints.folder = ".";
    merge(run, job);
    job.checkpoints.from = run.file;
    if ((!session || session->process() == 0) && !run.quiet)
      print_error("resuming {} from {}\n", base::showable(head.file), run.file);
    return simulate(run, job, session.get());
  });
}

}  // namespace blockyard::app
