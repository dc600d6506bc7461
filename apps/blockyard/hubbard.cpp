// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/hubbard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/blockyard/join.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/ring_report.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

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

}  // namespace

int run_hubbard(const HubbardRun& run) {
  auto session = join_processes(run.fabric);
  return run_quietly(session.get(), [&] {
    HubbardJob job = read_hubbard_job(run.file);
    const ring::Team team = make_team(session.get(), run.ranks);
    if (!run.memory.empty() || job.options.memory_bytes == 0)
      job.options.memory_bytes = memory_of_rank(run.memory, team);
    else
      job.options.memory_bytes /= team.ranks_here;
    const bool is_lead = !session || session->process() == 0;
    if (is_lead) {
      check_writable(job.output);
      check_writable(run.json);
      if (!run.quiet && run.json != "-" && !job.title.empty()) print_out("{}\n", job.title);
    }
    const HubbardReport report =
        lattice::simulate(job, team, is_lead ? progress_line(run.quiet) : lattice::Progress());
    if (!is_lead) return 0;
    if (!run.json.empty()) Output(stdout).write_file(run.json, json_of(job, report).dump(1) + "\n");
    if (!run.quiet && run.json != "-") print_out("{}", text_of(job, report));
    return 0;
  });
}

}  // namespace blockyard::app
