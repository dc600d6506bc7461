// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/offload_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "blockyard/base/text.h"

namespace blockyard::report {

namespace {

using Json = nlohmann::ordered_json;

/// By which calls are told apart; all other numbers add up.
constexpr std::string_view keys[] = {"routine", "threads",         "flops_power",
                                     "place",   "intensity_power", "why"};

std::string key_of(const Json& one) {
  std::string key;
  for (const std::string_view name : keys)
    if (one.contains(name)) key += one.at(name).dump() + " ";
  return key;
}

/// Adds each row of `more` to the row with the same key, whose shape is that of the larger calls.
void add_rows(std::map<std::string, Json>& rows, const Json& more) {
  for (const Json& one : more) {
    const auto [found, is_new] = rows.emplace(key_of(one), one);
    if (is_new) continue;
    Json& sum = found->second;
    const auto each = [](const Json& row) {
      return row.value("flops", 0.0) / std::max(row.value("calls", 0.0), 1.0);
    };
    if (one.contains("shape") && each(one) > each(sum)) sum["shape"] = one["shape"];
    for (const auto& [name, value] : one.items())
      if (value.is_number() && std::ranges::find(keys, name) == std::end(keys))
        sum[name] = sum.at(name).get<double>() + value.get<double>();
  }
}

Json values_of(const std::map<std::string, Json>& rows) {
  Json all = Json::array();
  for (const auto& [key, row] : rows) all.push_back(row);
  return all;
}

struct Line {
  double calls = 0, flops = 0, bytes = 0, seconds = 0, kept = 0, compared = 0, saved_seconds = 0;
};

std::string text_of(const std::string& routine, const std::string& place, const Line& line) {
  std::string text =
      fmt::format("{:<12}{:<8}{:>8.0f}{:>12.3f}{:>14}{:>12.1f}", routine, place, line.calls,
                  line.seconds, base::format_bytes(static_cast<std::int64_t>(line.bytes)),
                  line.flops / std::max(line.seconds, 1e-9) / 1e9);
  if (place == "remote") {
    text += fmt::format("{:>8.0f}", line.kept);
    if (line.compared > 0) text += fmt::format("{:>12.3f}", line.saved_seconds);
  }
  return text + "\n";
}

std::string table_of(const Json& routines, const Json& checks) {
  if (routines.empty())
    return "no call was worth a device (or the program is static, or has no calls of BLAS, LAPACK "
           "or FFTW)\n";
  std::map<std::pair<std::string, std::string>, Line> lines;  // by routine and place
  for (const Json& one : routines) {
    Line& line = lines[{one.at("routine"), one.at("place")}];
    for (const auto& [name, part] :
         {std::pair("calls", &Line::calls), std::pair("flops", &Line::flops),
          std::pair("bytes", &Line::bytes), std::pair("seconds", &Line::seconds),
          std::pair("kept", &Line::kept), std::pair("compared", &Line::compared),
          std::pair("saved_seconds", &Line::saved_seconds)})
      line.*part += one.at(name).get<double>();
  }
  std::string text = fmt::format("{:<12}{:<8}{:>8}{:>12}{:>14}{:>12}{:>8}{:>12}\n", "routine",
                                 "place", "calls", "seconds", "moved", "Gflop/s", "kept", "saved");
  for (const auto& [key, line] : lines) text += text_of(key.first, key.second, line);
  for (const Json& one : checks)
    text +=
        fmt::format("{:<12}checked {:>8.0f}, wrong {:.0f}\n", one.at("routine").get<std::string>(),
                    one.at("calls").get<double>(), one.at("wrong").get<double>());
  return text;
}

}  // namespace

OffloadReport read_offload_reports(const std::filesystem::path& folder) {
  std::map<std::string, Json> all_routines, all_checks;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    const auto json = Json::parse(in, nullptr, false);
    if (json.is_discarded()) continue;  // of a process that was killed while it wrote
    add_rows(all_routines, json.at("routines"));
    add_rows(all_checks, json.at("checks"));
  }
  const Json routines = values_of(all_routines), checks = values_of(all_checks);
  const Json json = {{"blockyard_offload_report", 1}, {"routines", routines}, {"checks", checks}};
  return {table_of(routines, checks), json.dump(2) + "\n"};
}

}  // namespace blockyard::report
