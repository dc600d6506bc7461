// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/ga_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/report/detail/html.h"

namespace blockyard::report::detail {

namespace {

using Json = nlohmann::ordered_json;

std::string calls_section(const Json& calls) {
  std::string rows;
  for (const Json& call : calls)
    rows += row({escaped(call.at("call").get<std::string>()),
                 escaped(call.at("line").get<std::string>()),
                 fmt::format("{}", call.at("calls").get<std::uint64_t>()),
                 fmt::format("{:.6f}", call.at("seconds").get<double>()),
                 fmt::format("{:.6f}", call.at("most_seconds").get<double>()),
                 bytes_text(call.at("own_bytes").get<double>()),
                 bytes_text(call.at("node_bytes").get<double>()),
                 bytes_text(call.at("far_bytes").get<double>())});
  return "<section><h2>Calls</h2><p>By place in the program, all processes together; the longest "
         "first. Bytes are those moved to or from memory of the process itself, of others of its "
         "node, and of other nodes; what operations use in place is not among them.</p>" +
         table(row({"call", "line", "calls", "seconds", "most of one process", "itself", "node",
                    "other nodes"},
                   "th"),
               rows) +
         "</section>\n";
}

/// Nothing in a report of an older version, which does not have them.
std::string sizes_section(const Json& report) {
  if (!report.contains("size_limits")) return "";
  std::string head = "<tr><th>call</th><th>line</th>", rows;
  for (const Json& limit : report.at("size_limits"))
    head += fmt::format("<th>to {}</th>", bytes_text(limit.get<double>()));
  for (const Json& call : report.at("calls")) {
    const auto sizes = call.at("sizes").get<std::vector<std::uint64_t>>();
    std::uint64_t most = 0;
    for (const std::uint64_t count : sizes) most = std::max(most, count);
    if (most == 0) continue;
    rows += fmt::format("<tr><td>{}</td><td>{}</td>", escaped(call.at("call").get<std::string>()),
                        escaped(call.at("line").get<std::string>()));
    for (const std::uint64_t count : sizes)
      rows += fmt::format("<td style=\"background: rgba(var(--heat), {:.2f})\">{}</td>",
                          0.6 * static_cast<double>(count) / static_cast<double>(most), count);
    rows += "</tr>\n";
  }
  return "<section><h2>Sizes</h2><p>How many transfers of which size each place made; a patch that "
         "several processes hold is a transfer for each of them. Many small ones are slower than "
         "one patch of all.</p>" +
         table(head + "<th>longer</th></tr>", rows) + "</section>\n";
}

std::string hot_section(const Json& report) {
  if (!report.contains("hot") || report.at("hot").empty()) return "";
  std::string rows;
  for (const Json& hot : report.at("hot"))
    rows += row({escaped(hot.at("element").get<std::string>()),
                 fmt::format("{}", hot.at("uses").get<std::uint64_t>())});
  return "<section><h2>Hot elements</h2><p>The single elements that were moved or counted most "
         "often, such as counters that all processes go to.</p>" +
         table(row({"element", "uses"}, "th"), rows) + "</section>\n";
}

std::string ranks_section(const Json& ranks) {
  std::string rows;
  for (const Json& rank : ranks) {
    const double seconds = rank.at("seconds").get<double>();
    const double waiting = rank.at("waiting_seconds").get<double>();
    rows += row({fmt::format("{}", rank.at("rank").get<int>()),
                 fmt::format("{}", rank.at("node").get<int>()), fmt::format("{:.3f}", seconds),
                 fmt::format("{:.3f}", waiting),
                 fmt::format("{:.1f} %", seconds > 0 ? 100 * waiting / seconds : 0)});
  }
  return "<section><h2>Processes</h2><p>Time from start to end, and in collectives, where a "
         "process "
         "waits for the others.</p>" +
         table(row({"rank", "node", "seconds", "in collectives", "share"}, "th"), rows) +
         "</section>\n";
}

/// Of many processes by groups of consecutive ones, as the report has what they moved.
std::string traffic_section(const Json& report) {
  const Json& ranks = report.at("ranks");
  const std::size_t each = std::max<std::size_t>(1, report.value("ranks_in_group", std::size_t{1}));
  std::vector<std::vector<double>> sums((ranks.size() + each - 1) / each);
  for (auto& row : sums) row.resize(sums.size());
  double most = 1;
  for (std::size_t from = 0; from < ranks.size(); ++from)
    for (std::size_t to = 0; to < sums.size(); ++to) {
      double& sum = sums[from / each][to];
      sum += ranks[from].at("bytes_to").at(to).get<double>();
      most = std::max(most, sum);
    }
  const auto name = [&](std::size_t group) {
    const std::size_t first = group * each, last = std::min(first + each, ranks.size()) - 1;
    return last > first ? fmt::format("{} to {}", first, last) : fmt::format("{}", first);
  };
  std::string head = "<tr><th>from</th>", rows;
  for (std::size_t to = 0; to < sums.size(); ++to) head += fmt::format("<th>{}</th>", name(to));
  for (std::size_t from = 0; from < sums.size(); ++from) {
    rows += fmt::format("<tr><th>{}</th>", name(from));
    for (const double bytes : sums[from])
      rows += fmt::format("<td style=\"background: rgba(var(--heat), {:.2f})\">{}</td>",
                          0.6 * bytes / most, bytes_text(bytes));
    rows += "</tr>\n";
  }
  return "<section><h2>Traffic</h2><p>Bytes that each process moved to or from the memory of each "
         "other; of more than 64 processes, groups of them.</p>" +
         table(head + "</tr>", rows) + "</section>\n";
}

std::string arrays_section(const Json& arrays) {
  std::string rows;
  for (const Json& array : arrays)
    rows += row({escaped(array.at("name").get<std::string>()),
                 fmt::format("{}", array.at("made").get<std::uint64_t>()),
                 bytes_text(array.at("bytes").get<double>()),
                 bytes_text(array.at("most_bytes").get<double>())});
  return "<section><h2>Arrays</h2><p>The most memory that arrays of a name had at one time.</p>" +
         table(row({"array", "made", "all processes", "most of one process"}, "th"), rows) +
         "</section>\n";
}

}  // namespace

bool is_ga_report(const Json& report) {
  return report.is_object() && report.contains("blockyard_ga_report");
}

std::string ga_page(const Json& report, std::string_view path) {
  try {
    const Json& ranks = report.at("ranks");
    return html_page(
        "Global Arrays: " + std::string(path), fmt::format("{} processes", ranks.size()),
        calls_section(report.at("calls")) + sizes_section(report) + hot_section(report) +
            ranks_section(ranks) + traffic_section(report) + arrays_section(report.at("arrays")));
  } catch (const nlohmann::json::exception& error) {
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is not what BLOCKYARD_GA_REPORT writes: {}", path,
                                  base::reason_in_json(error)));
  }
}

}  // namespace blockyard::report::detail
