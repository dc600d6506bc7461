// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/offload_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/report/detail/html.h"

namespace blockyard::report::detail {

namespace {

using Json = nlohmann::ordered_json;

struct Part {
  const char* key;
  const char* title;
};
constexpr std::array<Part, 6> parts = {{{"to_server", "to server"},
                                        {"to_device", "to device"},
                                        {"plan", "plan"},
                                        {"compute", "compute"},
                                        {"from_device", "from device"},
                                        {"from_server", "from server"}}};

double number(const Json& row, const char* key) { return row.at(key).get<double>(); }
std::string text(const Json& row, const char* key) {
  return escaped(row.at(key).get<std::string>());
}
std::string count_of(const Json& row, const char* key) {
  return fmt::format("{:.0f}", number(row, key));
}
std::string seconds_text(double seconds) { return fmt::format("{:.4f}", seconds); }

/// The class of a call, for people: its threads where there are several.
std::string class_text(const Json& row) {
  const double threads = number(row, "threads");
  return text(row, "shape") + (threads > 1 ? fmt::format(", {:.0f} threads", threads) : "");
}

/// Longest first.
std::vector<const Json*> by_seconds(const Json& rows) {
  std::vector<const Json*> all;
  for (const Json& row : rows) all.push_back(&row);
  std::ranges::stable_sort(all, std::greater(),
                           [](const Json* row) { return number(*row, "seconds"); });
  return all;
}

std::string saved_text(const Json& row) {
  return number(row, "compared") > 0 ? seconds_text(number(row, "saved_seconds")) : "";
}

std::string calls_section(const Json& rows) {
  std::string body;
  for (const Json* one : by_seconds(rows)) {
    const bool is_remote = one->at("place") == "remote";
    body += row({text(*one, "routine"), class_text(*one), text(*one, "place"), text(*one, "why"),
                 count_of(*one, "calls"), seconds_text(number(*one, "seconds")),
                 fmt::format("{:.2f}",
                             number(*one, "flops") / std::max(number(*one, "seconds"), 1e-9) / 1e9),
                 is_remote ? bytes_text(number(*one, "bytes")) : "",
                 is_remote ? count_of(*one, "kept") : "",
                 is_remote ? bytes_text(number(*one, "kept_bytes")) : "",
                 is_remote ? saved_text(*one) : ""});
  }
  return "<section><h2>Calls</h2><p>By routine, class (calls whose flops, and whose flops for each "
         "byte, are alike; the shape is that of the largest one), place, and the reason for the "
         "place; the longest first. Kept: operands that were on the device already. Saved: what "
         "calls of the class were expected to take locally, less what they took; empty where "
         "none was timed.</p>" +
         table(row({"routine", "largest", "place", "why", "calls", "seconds", "Gflop/s", "moved",
                    "kept", "kept bytes", "saved"},
                   "th"),
               body) +
         "</section>\n";
}

std::string split_section(const Json& rows) {
  std::string head = "<tr><th>routine</th><th>largest</th><th>seconds</th>", body;
  for (const Part& part : parts) head += fmt::format("<th>{}</th>", part.title);
  for (const Json* one : by_seconds(rows)) {
    if (one->at("place") != "remote") continue;
    double most = 0;
    for (const Part& part : parts) most = std::max(most, number(*one, part.key));
    body += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>", text(*one, "routine"),
                        class_text(*one), seconds_text(number(*one, "seconds")));
    for (const Part& part : parts)
      body += fmt::format("<td style=\"background: rgba(var(--heat), {:.2f})\">{}</td>",
                          most > 0 ? 0.6 * number(*one, part.key) / most : 0,
                          seconds_text(number(*one, part.key)));
    body += "</tr>\n";
  }
  if (body.empty()) return "";
  return "<section><h2>Where the time goes</h2><p>Seconds of the calls on devices, by step. Steps "
         "overlap, so that they add up to more than a call took; the largest is what limits "
         "it.</p>" +
         table(head + "</tr>", body) + "</section>\n";
}

std::string reasons_section(const Json& rows) {
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> reasons;
  for (const Json& one : rows) {
    auto& [calls, seconds] = reasons[{text(one, "place"), text(one, "why")}];
    calls += number(one, "calls");
    seconds += number(one, "seconds");
  }
  std::string body;
  for (const auto& [key, sums] : reasons)
    body +=
        row({key.first, key.second, fmt::format("{:.0f}", sums.first), seconds_text(sums.second)});
  return "<section><h2>Places</h2><p>The reasons are explained in docs/offload.md.</p>" +
         table(row({"place", "why", "calls", "seconds"}, "th"), body) + "</section>\n";
}

std::string checks_section(const Json& checks) {
  std::string body;
  for (const Json& one : checks)
    body += row({text(one, "routine"), count_of(one, "calls"), count_of(one, "wrong")});
  if (body.empty()) return "";
  return "<section><h2>Compared</h2><p>Calls of devices that were computed locally as well.</p>" +
         table(row({"routine", "calls", "wrong"}, "th"), body) + "</section>\n";
}

}  // namespace

bool is_offload_report(const Json& report) {
  return report.is_object() && report.contains("blockyard_offload_report");
}

std::string offload_page(const Json& report, std::string_view path) {
  try {
    const Json& rows = report.at("routines");
    double seconds = 0, calls = 0;
    for (const Json& one : rows) {
      seconds += number(one, "seconds");
      calls += number(one, "calls");
    }
    return html_page("Offload: " + std::string(path),
                     fmt::format("{:.0f} calls, {:.3f} s", calls, seconds),
                     reasons_section(rows) + calls_section(rows) + split_section(rows) +
                         checks_section(report.at("checks")));
  } catch (const nlohmann::json::exception& error) {
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is not what `blockyard offload run --report` writes: {}",
                                  path, base::reason_in_json(error)));
  }
}

}  // namespace blockyard::report::detail
