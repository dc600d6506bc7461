// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/ring_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/memory_left.h"
#include "blockyard/base/text.h"

namespace blockyard::app {

ring::Team make_team(fabric::MpiSession* session, int ranks) {
  ring::Team team;
  team.ranks_here = ranks > 0 ? ranks : (session != nullptr ? 1 : base::usable_cores());
  team.session = session;
  note_signals();
  team.stop_reason = [] {
    return noted_signal() == 0 ? std::string() : describe_signal(noted_signal());
  };
  const bool is_lead = session == nullptr || session->process() == 0;
  team.give_up = [is_lead](const std::string& cause) {
    if (is_lead) print_error("error: {}\n", cause);
    std::fflush(nullptr);
    std::_Exit(noted_signal() != 0 ? 128 + noted_signal() : exit_error);
  };
  return team;
}

std::string sign_error_note(const lattice::G4Report& report) {
  return report.has_sign_bins ? "" : " (of independent samples)";
}

void warn_of_undivided(const lattice::G4Report& report, const std::string& output) {
  if (!report.why_undivided.empty())
    print_error("warning: {}. {} has the sums as they are, without division (normalised = 0)\n",
                report.why_undivided, output);
}

std::int64_t memory_of_rank(std::optional<std::int64_t> memory_bytes, const ring::Team& team) {
  constexpr double share = 0.7;
  const int processes_here = team.session != nullptr ? team.session->processes_here() : 1;
  const std::int64_t bytes = memory_bytes.value_or(
      static_cast<std::int64_t>(share * static_cast<double>(base::memory_left().bytes)) /
      processes_here);
  return bytes / team.ranks_here;
}

lattice::Travel parse_travel(const std::string& text) {
  if (text == "auto") return lattice::Travel::automatic;
  return text == "g" ? lattice::Travel::g : lattice::Travel::sample;
}

std::string name_of(lattice::Travel travel) {
  if (travel == lattice::Travel::automatic) return "auto";
  return travel == lattice::Travel::g ? "g" : "sample";
}

nlohmann::ordered_json ring_json(const lattice::G4Report& report) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (const lattice::RankReport& rank : report.ranks) {
    nlohmann::ordered_json lanes = nlohmann::ordered_json::array();
    for (const ring::LaneCounts& lane : rank.counts.lanes)
      lanes.push_back({{"given", lane.given},
                       {"applied", lane.applied},
                       {"sent", lane.sent},
                       {"sent_bytes", lane.sent_bytes}});
    ranks.push_back({{"ring", rank.ring},
                     {"place", rank.place},
                     {"given", rank.counts.given},
                     {"applied", rank.counts.applied},
                     {"updates", rank.counts.updates},
                     {"sent", rank.counts.sent},
                     {"sent_bytes", rank.counts.sent_bytes},
                     {"lanes", lanes},
                     {"slice_bytes", rank.slice_bytes},
                     {"items_bytes", rank.items_bytes},
                     {"tiles_bytes", rank.tiles_bytes},
                     {"device_slots_bytes", rank.counts.peak_slot_bytes},
                     {"peak_bytes", rank.peak_bytes},
                     {"update_seconds", rank.counts.update_seconds},
                     {"wait_for_items_seconds", rank.counts.wait_for_items_seconds},
                     {"wait_for_slots_seconds", rank.counts.wait_for_slots_seconds}});
  }
  return {{"size", report.ring},
          {"reason", report.reason},
          {"travel", name_of(report.travel)},
          {"device", report.device.empty() ? "none" : report.device},
          {"slice_bytes", report.slice_bytes},
          {"item_bytes", report.item_bytes},
          {"ranks", ranks}};
}

namespace {

nlohmann::ordered_json time_line_json(const lattice::G4Report& report) {
  using Row = ring::History::Row;
  using LaneRow = ring::History::LaneRow;
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (const ring::History& history : report.histories) {
    nlohmann::ordered_json lanes = nlohmann::ordered_json::array();
    for (std::size_t lane = 0; lane < history.lanes(); ++lane)
      lanes.push_back({{"applied", history.row(LaneRow::applied, lane)},
                       {"sent_bytes", history.row(LaneRow::sent_bytes, lane)}});
    nlohmann::ordered_json rank{{"bin_seconds", history.bin_seconds()}};
    if (history.lanes() > 0)
      rank.update({{"update_seconds", history.row(Row::update_seconds)},
                   {"wait_for_items_seconds", history.row(Row::wait_for_items_seconds)},
                   {"wait_for_slots_seconds", history.row(Row::wait_for_slots_seconds)},
                   {"own_items_bytes", history.row(Row::own_bytes)},
                   {"visiting_items_bytes", history.row(Row::visiting_bytes)},
                   {"lanes", lanes}});
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

}  // namespace

void write_ring_json(const nlohmann::ordered_json& json, const lattice::G4Report& report,
                     const std::string& json_path, const std::string& report_path) {
  std::exception_ptr wrong;  // of one file, which does not keep the other from being written
  try {
    if (!json_path.empty()) Output(stdout).write_file(json_path, print_json(json, 1));
  } catch (...) {
    wrong = std::current_exception();
  }
  if (!report_path.empty()) {
    nlohmann::ordered_json more = json;
    more["ring"]["time_line"] = time_line_json(report);
    Output(stdout).write_file(report_path, print_json(more, 1));
  }
  if (wrong) std::rethrow_exception(wrong);
}

std::string ring_text(const lattice::G4Report& report) {
  std::int64_t sent_bytes = 0;
  for (const lattice::RankReport& rank : report.ranks) sent_bytes += rank.counts.sent_bytes;
  return fmt::format(
             "{} rank{} in rings of {}: {}\nslice {}, item {}, sent {} in total, {:.2f} s\n",
             report.ranks.size(), report.ranks.size() == 1 ? "" : "s", report.ring, report.reason,
             base::format_bytes(report.slice_bytes), base::format_bytes(report.item_bytes),
             base::format_bytes(sent_bytes), report.seconds) +
         (report.device.empty() ? "" : fmt::format("slices on: {}\n", report.device));
}

}  // namespace blockyard::app
