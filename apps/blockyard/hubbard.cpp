// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/hubbard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/ring_report.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/lattice/dca.h"
#include "blockyard/store/apart.h"

namespace blockyard::app {

namespace {

using Json = nlohmann::ordered_json;
using lattice::DcaReport;
using lattice::HubbardJob;
using lattice::HubbardReport;

/// G by momentum and frequency, averaged over spins, of the first band.
Json green_json(const HubbardReport& report) {
  const lattice::Axes& axes = report.problem.axes;
  const auto bands = static_cast<std::size_t>(axes.bands * axes.bands);
  Json list = Json::array();
  const lattice::GreenEstimate& green = report.g4.green;
  for (int w = axes.extended() / 2; w < axes.extended() && !green.mean.empty(); ++w)
    for (int k = 0; k < axes.sites; ++k) {
      const std::size_t at = bands * static_cast<std::size_t>(k + axes.sites * w);
      const lattice::Complex g = green.mean[at];
      const lattice::Complex error = green.mean_error.empty() ? 0.0 : green.mean_error[at];
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

Json eigenvalues_json(const std::vector<lattice::Leading>& leading) {
  return {{"pairing", leading_json(leading, true, true)},
          {"spin", leading_json(leading, false, true)}};
}

Json json_of(const HubbardJob& job, const HubbardReport& report) {
  return {{"title", job.title},
          {"sign", {report.g4.sign.real(), report.g4.sign_error}},
          {"order", {report.walk.order.value, report.walk.order.error}},
          {"autocorrelation_sweeps", report.walk.autocorrelation_sweeps},
          {"worst_residue", report.walk.worst_residue},
          {"samples", report.g4.samples},
          {"effective_samples", report.g4.effective_samples},
          {"normalised", report.g4.why_undivided.empty()},
          {"g", green_json(report)},
          {"eigenvalues", eigenvalues_json(report.g4.leading)},
          {"spin_susceptibility", leading_json(report.g4.leading, false, false)},
          {"ring", ring_json(report.g4)},
          {"output", job.output},
          {"seconds", report.g4.seconds}};
}

Json dca_json(const HubbardJob& job, const DcaReport& report) {
  Json steps = Json::array();
  for (const lattice::DcaStep& step : report.steps)
    steps.push_back({{"iteration", step.number},
                     {"change", step.change},
                     {"error", step.error},
                     {"density", step.density},
                     {"order", step.order},
                     {"sign", step.sign}});
  Json list = Json::array();
  const lattice::LevelFunction& sigma = report.sigma.known;
  const auto momenta = lattice::all_momenta(job.model.lengths);
  for (std::size_t at = 0; at < sigma.values.size(); ++at) {
    const auto k = static_cast<int>(at) / sigma.levels;
    Json one{{"k", momenta[static_cast<std::size_t>(k % sigma.momenta)]}};
    if (sigma.levels > 1) one["level"] = static_cast<int>(at) % sigma.levels;
    one.update({{"n", k / sigma.momenta},
                {"re", sigma.values[at].real()},
                {"im", sigma.values[at].imag()}});
    if (!report.sigma_error.values.empty()) one["error"] = std::abs(report.sigma_error.values[at]);
    list.push_back(std::move(one));
  }
  const std::vector<lattice::Leading>& leading = report.last.g4.leading_of_lattice;
  return {{"converged", report.is_converged},
          {"iterations", steps},
          {"self_energy", list},
          {"eigenvalues", eigenvalues_json(leading)},
          {"spin_susceptibility", leading_json(leading, false, false)},
          {"output", job.dca->output}};
}

std::string step_text(const lattice::DcaStep& step) {
  return fmt::format(
      "iteration {}: self-energy changed by {:.5f}, error {:.5f}; density per spin {:.5f}, order "
      "{:.2f}, "
      "sign {:.4f}\n",
      step.number, step.change, step.error, step.density, step.order, step.sign);
}

std::string leading_text(const std::vector<lattice::Leading>& leading, const HubbardReport& report,
                         std::string_view whose) {
  std::string text;
  for (const lattice::Leading& one : leading) {
    const bool is_pairing = lattice::is_pp(one.channel);
    text += fmt::format("{} at q = [{}, {}]: leading eigenvalue{} {:.4f} +- {:.4f}",
                        is_pairing ? "pairing" : "spin", one.momentum[0], one.momentum[1], whose,
                        one.eigenvalue, one.eigenvalue_error);
    text += is_pairing ? "\n"
                       : fmt::format(", susceptibility from {} frequencies {:.4f} +- {:.4f}\n",
                                     report.problem.axes.compact(), one.susceptibility,
                                     one.susceptibility_error);
  }
  return text;
}

std::string text_of(const HubbardJob& job, const HubbardReport& report) {
  std::string text = fmt::format(
      "order {:.2f} +- {:.2f}, autocorrelation {:.1f} sweeps; sign {:.4f} +- {:.4f}{}; {} "
      "samples\n",
      report.walk.order.value, report.walk.order.error, report.walk.autocorrelation_sweeps,
      report.g4.sign.real(), report.g4.sign_error, sign_error_note(report.g4), report.g4.samples);
  for (const auto& one : green_json(report)) {
    if (one["n"] != 0) continue;
    text +=
        fmt::format("G(k = {}, w0) = {:.5f} {:+.5f}i +- {:.5f}\n", one["k"].dump(),
                    one["re"].get<double>(), one["im"].get<double>(), one["error"].get<double>());
  }
  text += leading_text(report.g4.leading, report, job.dca ? " of the cluster" : "");
  text += leading_text(report.g4.leading_of_lattice, report, " of the lattice");
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

Json dca_plan_json(const lattice::DcaOptions& dca) {
  return {{"iterations", dca.iterations},
          {"patch_points", dca.points},
          {"self_energy_frequencies", dca.frequencies},
          {"output", dca.output}};
}

std::string plan_text(const HubbardJob& job, const lattice::G4Plan& plan, int ranks) {
  const auto bytes = [](std::int64_t count) { return base::format_bytes(count); };
  std::string text;
  if (job.dca)
    text = fmt::format(
        "dynamical cluster approximation: up to {} iterations of {} samples, {} frequencies, {} "
        "momenta of the lattice{}; self-energy to {}\n",
        job.dca->iterations, job.samples, job.dca->frequencies,
        job.model.sites() * (job.dca->directions == 2 ? job.dca->points : 1) * job.dca->points,
        plan.shape.channels.empty() ? "" : ", then G4", job.dca->output);
  text += fmt::format(
      "{} sites, U = {}, beta = {}; {} samples of {} walkers\n"
      "G4: {} in {} channel{} and {} bin{}, at most {} slices\n"
      "{} rank{} in rings of {}: {}\n"
      "each rank: slice {}, in total {} of {}\n",
      job.model.sites() * job.model.layers, job.model.u, job.model.beta, job.samples, job.walkers,
      bytes(array_bytes(plan)), plan.shape.channels.size(),
      plan.shape.channels.size() == 1 ? "" : "s", plan.shape.bins, plan.shape.bins == 1 ? "" : "s",
      plan.shape.units(), ranks, ranks == 1 ? "" : "s", plan.ring, plan.reason,
      bytes(plan.slice_bytes), bytes(plan.rank_bytes), bytes(job.options.memory_bytes));
  if (plan.shape.channels.empty()) return text;
  return text +
         fmt::format("{} travels: {}\nsent in a ring for each sample: {}\n",
                     plan.travel == lattice::Travel::g ? "the Green's function" : "the sample",
                     plan.travel_reason, bytes(plan.sent_bytes));
}

int processes_of(const fabric::MpiSession* session) {
  return session != nullptr ? session->processes() : 1;
}

/// Puts in what the command line says, which wins.
void merge(const HubbardRun& run, const fabric::MpiSession* session, HubbardJob& job) {
  if (run.ring) job.options.ring = *run.ring;
  lattice::Checkpointing& checkpoints = job.checkpoints;
  if (run.checkpoint_seconds) checkpoints.seconds = run.checkpoint_seconds;
  if (!run.checkpoint_dir.empty()) checkpoints.folder = run.checkpoint_dir;
  if (checkpoints.seconds && checkpoints.folder.empty())
    checkpoints.folder = std::filesystem::path(job.file).stem().string() + ".checkpoint";
  checkpoints.options = text_of_options(run, processes_of(session));
}

RingDeviceChoice device_of(const HubbardRun& run, const HubbardJob& job) {
  RingDeviceChoice choice = run.device;
  if (choice.kind.empty()) choice.kind = job.device;
  return choice;
}

/// Collective. Sets the share of a rank in memory and devices, of which the result is the owner.
RingDevices share_machine(const HubbardRun& run, const ring::Team& team, HubbardJob& job) {
  if (run.memory_bytes || job.options.memory_bytes == 0)
    job.options.memory_bytes = memory_of_rank(run.memory_bytes, team);
  else
    job.options.memory_bytes /= team.ranks_here;
  RingDevices devices(device_of(run, job), team.session);
  devices.put_into(job.options, team);
  return devices;
}

/// What a simulation reads is not written over, but for the self-energy that it goes on with.
void check_outputs(const HubbardRun& run, const HubbardJob& job) {
  std::vector<std::string> outputs = {job.output, run.json, run.report};
  if (job.dca) outputs.push_back(job.dca->output);
  for (const std::string& file : outputs) check_writable(file);
  store::check_apart({run.file, job.file}, outputs);
  if (job.dca) store::check_apart({job.dca->restart}, {job.output, run.json, run.report});
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
  const RingDevices devices = share_machine(run, team, job);
  const bool is_lead = session == nullptr || session->process() == 0;
  const bool is_silent = run.quiet || is_output_taken({run.json, run.report});
  fabric::agree(session, [&] {
    if (!is_lead) return;
    check_outputs(run, job);
    if (!is_silent && !job.title.empty()) print_out("{}\n", job.title);
  });
  std::optional<lattice::CheckpointFolder> checkpoints;
  DcaReport report;
  try {
    const lattice::Progress progress = is_lead ? progress_line(run.quiet) : lattice::Progress();
    const auto tell = [&](const lattice::DcaStep& step) {
      if (!is_silent) print_out("{}", step_text(step));
    };
    if (job.dca)
      report = lattice::simulate_dca(job, team, progress, tell, checkpoints);
    else
      report.last = lattice::simulate(job, team, progress, checkpoints);
  } catch (const base::Error& error) {
    if (noted_signal() == 0) throw;
    if (is_lead) print_error("error: {}\n", describe_end(error.what()));
    return 128 + noted_signal();
  }
  if (!is_lead) return 0;
  Json json = json_of(job, report.last);
  if (job.dca) json["dca"] = dca_json(job, report);
  warn_of_errors(job, report.last);
  warn_of_undivided(report.last.g4, job.output);
  if (job.dca && !report.is_converged)
    print_error("warning: not converged to {} after {} iterations; go on with restart = \"{}\"\n",
                job.dca->tolerance, job.dca->iterations, seen_from_job(job.dca->output, job));
  if (!is_silent) {
    print_out("{}", text_of(job, report.last));
    if (job.dca) print_out("self-energy written to {}\n", job.dca->output);
  }
  write_ring_json(json, report.last.g4, run.json, run.report);
  if (checkpoints) checkpoints->remove_all();
  return 0;
}

}  // namespace

void check_lattice_options(const CLI::App& command, const std::string& file,
                           const std::vector<std::string>& known) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !option->get_positional() &&
        std::ranges::find(known, option->get_name()) == known.end())
      throw UsageError(fmt::format(
          "{} does not go with {}, which simulates a lattice: of the options only {} do",
          option->get_name(), file, fmt::join(known, ", ")));
}

HubbardRun hubbard_run(const std::string& file, const RunOptionValues& values,
                       const OutputOptions& output) {
  input::RunSpec run;
  run.device.kind.clear();
  read_usage([&] { merge(values, run); });
  return {file,
          run.workers.value_or(0),
          run.memory_bytes,
          output.json,
          output.quiet,
          run.checkpoint_seconds,
          run.checkpoint_folder,
          {},
          {run.device.kind, run.device.options, run.device.memory_bytes},
          output.report};
}

int run_hubbard(const HubbardRun& run, const std::string& text, fabric::MpiSession* session) {
  HubbardJob job = read_hubbard_job(text, run.file);
  merge(run, session, job);
  return simulate(run, job, session);
}

int plan_hubbard(const HubbardRun& run, int processes) {
  HubbardJob job = read_hubbard_job(base::read_file(run.file), run.file);
  ring::Team team;
  team.ranks_here = run.ranks > 0 ? run.ranks : (processes > 1 ? 1 : base::usable_cores());
  const RingDevices devices = share_machine(run, team, job);
  check_writable(run.json);
  store::check_apart({run.file, job.dca ? job.dca->restart : ""}, {run.json});
  const int ranks = processes * team.ranks_here;
  const lattice::G4Plan plan = lattice::plan_of(job, ranks);
  if (job.dca && !job.dca->restart.empty())
    (void)lattice::read_self_energy(job.dca->restart, job.model, job.dca->frequencies);
  Output output(run.json == "-" ? stderr : stdout);
  output.print(plan_text(job, plan, ranks));
  Json json = plan_json(job, plan, ranks);
  if (job.dca) json["dca"] = dca_plan_json(*job.dca);
  if (!run.json.empty()) output.write_file(run.json, print_json(json, 1));
  return 0;
}

int resume_hubbard(const HubbardRun& command, fabric::MpiSession* session) {
  const lattice::SavedHead head = share_head(command.file, session);
  const HubbardRun run = as_before(command, processes_of(session), head.options);
  HubbardJob job = read_hubbard_job(head.source, head.file);
  set_output(head.output, job);
  job.checkpoints.folder = std::filesystem::path(run.file).parent_path().string();
  if (job.checkpoints.folder.empty()) job.checkpoints.folder = ".";
  merge(run, session, job);
  job.checkpoints.from = run.file;
  if ((session == nullptr || session->process() == 0) && !run.quiet)
    print_error("resuming {} from {}\n", base::showable(head.file), run.file);
  return simulate(run, job, session);
}

}  // namespace blockyard::app
