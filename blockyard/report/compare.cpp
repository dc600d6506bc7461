// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/base/text.h"
#include "blockyard/report/detail/ga_page.h"
#include "blockyard/report/detail/offload_page.h"
#include "blockyard/report/detail/read_run.h"
#include "blockyard/report/detail/ring_page.h"

namespace blockyard::report {

namespace {

using Json = nlohmann::ordered_json;

struct Value {
  std::string unit;
  double number = 0;
  double scale = 0;  ///< weight of a difference of one unit
  bool is_result = false;
};
/// The measurements of a run, by name.
using Values = std::map<std::string, Value>;

/// JSON has null for what is no number.
double number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_null()) return std::numeric_limits<double>::quiet_NaN();
  return found != json.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::string_view file_of(std::string_view place) {
  return place.substr(place.find_last_of('/') + 1);
}

void add(Values& values, const std::string& name, std::string unit, double number, double scale) {
  Value& value = values[name];
  value.unit = std::move(unit);
  value.number += number;
  value.scale = scale;
}

void add_worker(Values& values, const std::string& program, const Json& worker) {
  const auto seconds = [&](const std::string& what, double number) {
    add(values, fmt::format("{} in {}", what, program), "s", number, 1);
  };
  // As on the page (assets/work.js).
  constexpr std::array<std::pair<const char*, const char*>, 6> waits = {
      {{"waiting for blocks", "block_wait_seconds"},
       {"waiting for devices", "device_wait_seconds"},
       {"waiting at barriers", "barrier_seconds"},
       {"waiting for puts", "transfer_seconds"},
       {"waiting for iterations", "chunk_wait_seconds"},
       {"taking checkpoints", "checkpoint_seconds"}}};
  double computing = number_of(worker, "seconds");
  for (const auto& [what, key] : waits) {
    computing -= number_of(worker, key);
    seconds(what, number_of(worker, key));
  }
  seconds("computing", std::max(0.0, computing));
  if (worker.contains("super_instructions"))
    for (const auto& [name, use] : worker["super_instructions"].items())
      seconds("super instruction " + name, number_of(use, "seconds"));
  if (worker.contains("line_times"))
    for (const Json& line : worker["line_times"])
      seconds(fmt::format("line {}", file_of(line.value("place", "?"))),
              number_of(line, "seconds"));
  add(values, fmt::format("bytes received in {}", program), "B",
      number_of(worker, "bytes_received"), 1e-10);
  add(values, fmt::format("contraction work of {}", program), "flop", number_of(worker, "flops"),
      1e-10);
}

Values values_of(const Json& run) {
  Values values;
  if (run.contains("energies"))
    for (const Json& energy : run["energies"])
      values["energy " + energy.value("key", "?")] = {"hartree", number_of(energy, "hartree"), 0,
                                                      true};
  add(values, "wall time", "s", number_of(run, "seconds"), 2);
  add(values, "most memory of a process", "B", number_of(run, "peak_rss_bytes"), 1e-10);
  for (const Json& program : run["programs"]) {
    const std::string name = program.value("name", "?");
    add(values, fmt::format("wall time of {}", name), "s", number_of(program, "seconds"), 1.5);
    if (program.contains("workers"))
      for (const Json& worker : program["workers"]) add_worker(values, name, worker);
  }
  for (const Json& server : run["servers"]) {
    add(values, "written to disk", "B", number_of(server, "spilled_bytes"), 1e-9);
    add(values, "read back from disk", "B", number_of(server, "read_back_bytes"), 1e-9);
  }
  return values;
}

std::string title_of(const Json& run) {
  std::string text = run.value("title", "");
  if (text.empty())
    for (const Json& program : run["programs"])
      text += (text.empty() ? "" : ", ") + program.value("name", "?");
  if (!run.contains("where")) return text;
  const Json& where = run["where"];
  return fmt::format("{}; {} workers, {} processes, on {}, {}", text, where.value("workers", 0),
                     where.value("processes", 0), where.value("host", "?"),
                     where.value("started", "?"));
}

std::map<std::string, std::string> settings_of(const Json& run) {
  std::map<std::string, std::string> settings;
  if (run.contains("decisions"))
    for (const Json& decision : run["decisions"])
      settings[decision.value("what", "?")] = decision.value("choice", "?");
  settings["version"] = run.value("version", "?");
  if (run.contains("where")) settings["processor"] = run["where"].value("processor", "?");
  return settings;
}

std::string text_of(double number, std::string_view unit) {
  if (unit == "hartree") return fmt::format("{:.10f}", number);
  if (unit == "s")
    return number >= 1 ? fmt::format("{:.2f} s", number) : fmt::format("{:.3f} ms", number * 1e3);
  if (unit == "B") return base::format_bytes(static_cast<std::int64_t>(number));
  return fmt::format("{:.4g}", number);
}

std::string change_of(const Difference& d) {
  if (d.is_result) return fmt::format("{:+.2e}", d.after - d.before);
  if (d.before == 0) return "new";
  if (d.after == 0) return "gone";
  const double ratio = d.after / d.before;
  if (ratio >= 2) return fmt::format("x {:.1f}", ratio);
  return fmt::format("{:+.0f} %", 100 * (ratio - 1));
}

/// The compared contents of one file.
struct Run {
  std::string title;
  std::map<std::string, std::string> settings;
  Values values;
};

Run run_of(std::string_view text, std::string_view path) {
  const Json run = detail::parse_shallow(text, path);
  if (detail::is_ring_report(run) || detail::is_offload_report(run) || detail::is_ga_report(run))
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is a report of another kind: only those of programs and jobs "
                                  "of molecules can be compared",
                                  path));
  detail::check_run(run, path);
  try {
    return {title_of(run), settings_of(run), values_of(run)};
  } catch (const Json::exception& error) {  // a value of the wrong type
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is not what `blockyard run --report` writes: {}", path,
                                  base::reason_in_json(error)));
  }
}

std::string choice_of(const Run& run, const std::string& what) {
  const auto found = run.settings.find(what);
  return found == run.settings.end() ? "?" : found->second;
}

}  // namespace

Comparison compare(std::string_view before, std::string_view before_path, std::string_view after,
                   std::string_view after_path) {
  const Run first = run_of(before, before_path);
  const Run second = run_of(after, after_path);
  Comparison result{first.title, second.title, {}, {}, false};
  std::map<std::string, std::string> names = first.settings;
  names.insert(second.settings.begin(), second.settings.end());
  for (const auto& [what, any] : names) {
    const std::string old = choice_of(first, what);
    const std::string fresh = choice_of(second, what);
    if (old != fresh) result.settings.push_back(fmt::format("{}: {} -> {}", what, old, fresh));
  }
  const Values& mine = first.values;
  const Values& theirs = second.values;
  Values all = mine;
  for (const auto& [name, value] : theirs)
    all.try_emplace(name, value).first->second.scale = value.scale;
  for (const auto& [name, value] : all) {
    Difference d{name, value.unit, 0, 0, 0, value.is_result};
    if (const auto found = mine.find(name); found != mine.end()) d.before = found->second.number;
    if (const auto found = theirs.find(name); found != theirs.end()) d.after = found->second.number;
    const double change = std::fabs(d.after - d.before);
    d.weight = d.is_result ? std::numeric_limits<double>::infinity() : change * value.scale;
    const bool is_other_result = d.is_result && !(change <= same_energy_hartree);  // or no number
    if (is_other_result) result.has_other_results = true;
    if (d.is_result ? is_other_result : change > 0) result.differences.push_back(std::move(d));
  }
  std::ranges::stable_sort(result.differences, std::greater{}, &Difference::weight);
  return result;
}

std::string print(const Comparison& comparison, std::size_t shown) {
  std::string text = fmt::format("before  {}\nafter   {}\n", comparison.before, comparison.after);
  for (const std::string& setting : comparison.settings)
    text += fmt::format("chosen  {}\n", setting);
  if (comparison.has_other_results) text += "\nTHE RESULTS DIFFER\n";
  text += fmt::format("\n  {:<52} {:>16} {:>16} {:>10}\n", "what", "before", "after", "change");
  for (std::size_t k = 0; k < std::min(shown, comparison.differences.size()); ++k) {
    const Difference& d = comparison.differences[k];
    text += fmt::format("  {:<52} {:>16} {:>16} {:>10}\n", d.what, text_of(d.before, d.unit),
                        text_of(d.after, d.unit), change_of(d));
  }
  if (comparison.differences.size() > shown)
    text += fmt::format("  and {} more that matter less (--all)\n",
                        comparison.differences.size() - shown);
  if (comparison.differences.empty()) text += "  nothing differs\n";
  return base::showable(text);
}

std::string json_of(const Comparison& comparison) {
  Json rows = Json::array();
  for (const Difference& d : comparison.differences)
    rows.push_back({{"what", d.what},
                    {"unit", d.unit},
                    {"before", d.before},
                    {"after", d.after},
                    {"is_result", d.is_result}});
  const Json json = {{"before", comparison.before},
                     {"after", comparison.after},
                     {"settings", comparison.settings},
                     {"has_other_results", comparison.has_other_results},
                     {"differences", rows}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace blockyard::report
