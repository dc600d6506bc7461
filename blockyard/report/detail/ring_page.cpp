// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/ring_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/report/detail/html.h"

namespace blockyard::report::detail {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

constexpr int plot_width = 900;

/// A row of a plot: its values by bin, its colour, and what it is called.
struct Band {
  Values values;
  std::string_view colour;
  std::string_view name;
};

double number(const Json& of, const char* key) { return of.at(key).get<double>(); }

std::string whole(const Json& of, const char* key) {
  return fmt::format("{}", of.at(key).get<std::int64_t>());
}

std::string seconds(const Json& of, const char* key) {
  return fmt::format("{:.3f}", number(of, key));
}

std::string size(const Json& of, const char* key) { return bytes_text(number(of, key)); }

std::string legend(const std::vector<Band>& bands) {
  std::string out = "<ul class=\"legend\" style=\"margin-top: 0\">";
  for (const Band& band : bands)
    out += fmt::format("<li><i style=\"background: {}\"></i>{}</li>", band.colour, band.name);
  return out + "</ul>\n";
}

/// Bands one on the other, as steps; `most` has the full height. A bin is as wide in all plots of
/// the same `bins`.
std::string stacked(const std::vector<Band>& bands, double most, std::size_t bins, int height) {
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"100%\" height=\"{1}\" preserveAspectRatio=\"none\" "
      "style=\"background: var(--wash); display: block\">",
      plot_width, height);
  const double width =
      static_cast<double>(plot_width) / static_cast<double>(std::max<std::size_t>(1, bins));
  Values floor(bins, 0.0);
  for (const Band& band : bands) {
    std::string path;
    for (std::size_t bin = 0; bin < std::min(bins, band.values.size()); ++bin) {
      const double tall = most > 0 ? band.values[bin] / most * height : 0;
      if (tall > 0)
        path +=
            fmt::format("M{:.1f} {:.1f}h{:.2f}v{:.1f}h{:.2f}z", width * static_cast<double>(bin),
                        height - floor[bin], width, -tall, -width);
      floor[bin] += tall;
    }
    out += fmt::format("<path fill=\"{}\" d=\"{}\"><title>{}</title></path>", band.colour, path,
                       band.name);
  }
  return out + "</svg>";
}

/// Bins of one rank may be longer than those of another; the plots of all share one scale.
struct Scale {
  double seconds = 0;
  /// At most what memory has room for: a file may say anything, and no plot shows more.
  [[nodiscard]] std::size_t bins(const Json& rank) const {
    constexpr double most = 1e6;
    const double bins = seconds / number(rank, "bin_seconds") + 0.5;
    return static_cast<std::size_t>(bins < most ? std::max(1.0, bins) : most);
  }
};

Scale scale_of(const Json& ranks) {
  Scale scale;
  for (const Json& rank : ranks)
    if (rank.contains("update_seconds"))
      scale.seconds =
          std::max(scale.seconds, number(rank, "bin_seconds") *
                                      static_cast<double>(rank.at("update_seconds").size()));
  return scale;
}

std::string plot_row(const std::string& name, const std::string& plot, const std::string& about) {
  return fmt::format(
      "<tr><th class=\"left\">{}</th><td style=\"width: 80%\">{}</td><td>{}</td></tr>\n", name,
      plot, about);
}

std::vector<Band> activity(const Json& rank) {
  const auto values = [&](const char* key) { return rank.value(key, Values{}); };
  return {{values("update_seconds"), "var(--compute)", "updates"},
          {values("wait_for_items_seconds"), "var(--block)", "waits for items"},
          {values("wait_for_slots_seconds"), "var(--put)", "waits for slots"}};
}

std::string time_line_section(const Json& ring) {
  const Json& ranks = ring.at("time_line");
  const Scale scale = scale_of(ranks);
  if (scale.seconds <= 0) return "";
  constexpr int rank_height = 30, lane_height = 12;
  std::string rows;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const Json& rank = ranks[k];
    const std::size_t bins = scale.bins(rank);
    rows +=
        plot_row(fmt::format("rank {}", k),
                 stacked(activity(rank), number(rank, "bin_seconds"), bins, rank_height),
                 fmt::format("{} s, {} s, {} s", seconds(ring.at("ranks").at(k), "update_seconds"),
                             seconds(ring.at("ranks").at(k), "wait_for_items_seconds"),
                             seconds(ring.at("ranks").at(k), "wait_for_slots_seconds")));
    int number_of_lane = 0;
    for (const Json& lane : rank.value("lanes", Json::array())) {
      const auto applied = lane.at("applied").get<Values>();
      double most = 0, all = 0;
      for (const double items : applied) {
        most = std::max(most, items);
        all += items;
      }
      rows +=
          plot_row(fmt::format("lane {}", number_of_lane++),
                   stacked({{applied, "var(--accent)", "items taken in"}}, most, bins, lane_height),
                   fmt::format("{:.0f} items", all));
    }
  }
  std::vector<Band> names = activity(Json::object());
  names.push_back({{}, "var(--accent)", "items taken in, by lane"});
  return fmt::format(
             "<section id=\"time-line\"><h2>Time line</h2><p>{:.3f} s from left to right. What is "
             "left of a rank's "
             "time it makes items itself, or has ended.</p>",
             scale.seconds) +
         legend(names) +
         table("<tr><th></th><th></th><th>updates, waits for items, for slots</th></tr>", rows) +
         "</section>\n";
}

std::string memory_section(const Json& ring) {
  const Json& ranks = ring.at("time_line");
  const Scale scale = scale_of(ranks);
  if (scale.seconds <= 0) return "";
  double most = 1;
  for (const Json& rank : ring.at("ranks")) most = std::max(most, number(rank, "peak_bytes"));
  constexpr int height = 36;
  const auto bands = [](const Json& rank, const Json& line) {
    const std::size_t bins = line.value("update_seconds", Values{}).size();
    return std::vector<Band>{
        {Values(bins, rank.value("slice_bytes", 0.0)), "var(--barrier)", "slice"},
        {Values(bins, rank.value("tiles_bytes", 0.0)), "var(--disk)", "workspace"},
        {line.value("own_items_bytes", Values{}), "var(--chunk)", "own items"},
        {line.value("visiting_items_bytes", Values{}), "var(--device)", "items of others"}};
  };
  std::string rows;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const Json& rank = ring.at("ranks").at(k);
    rows += plot_row(fmt::format("rank {}", k),
                     stacked(bands(rank, ranks[k]), most, scale.bins(ranks[k]), height),
                     size(rank, "peak_bytes"));
  }
  return "<section id=\"memory\"><h2>Memory over time</h2><p>By purpose. Items of a process are in "
         "memory once, "
         "whichever of its ranks they visit.</p>" +
         legend(bands(Json::object(), Json::object())) +
         table("<tr><th></th><th></th><th>at most</th></tr>", rows) + "</section>\n";
}

std::string ranks_section(const Json& ranks) {
  std::string rows;
  int rank_number = 0;
  for (const Json& rank : ranks)
    rows += row({fmt::format("{}", rank_number++), whole(rank, "ring"), whole(rank, "place"),
                 whole(rank, "given"), whole(rank, "applied"), whole(rank, "updates"),
                 whole(rank, "sent"), size(rank, "sent_bytes"), seconds(rank, "update_seconds"),
                 seconds(rank, "wait_for_items_seconds"), seconds(rank, "wait_for_slots_seconds"),
                 size(rank, "slice_bytes"), size(rank, "items_bytes"), size(rank, "tiles_bytes"),
                 size(rank, "peak_bytes")});
  return "<section id=\"ranks\"><h2>Ranks</h2><p>Items that a rank gave, took in, and sent on; "
         "seconds of updates, "
         "without an item to take in, and without a free slot for one of its own.</p>" +
         table(row({"rank", "ring", "place", "given", "taken in", "updates", "sent", "bytes sent",
                    "updates, s", "waits for items, s", "waits for slots, s", "slice", "items",
                    "workspace", "memory at most"},
                   "th"),
               rows) +
         "</section>\n";
}

std::string lanes_section(const Json& ranks) {
  std::string rows;
  int rank_number = 0;
  for (const Json& rank : ranks) {
    int lane_number = 0;
    for (const Json& lane : rank.at("lanes"))
      rows += row({fmt::format("{}", rank_number), fmt::format("{}", lane_number++),
                   whole(lane, "given"), whole(lane, "applied"), whole(lane, "sent"),
                   size(lane, "sent_bytes")});
    ++rank_number;
  }
  return "<section id=\"lanes\"><h2>Lanes</h2>" +
         table(row({"rank", "lane", "given", "taken in", "sent", "bytes sent"}, "th"), rows) +
         "</section>\n";
}

}  // namespace

bool is_ring_report(const Json& report) {
  return report.is_object() && report.contains("ring") && !report.contains("programs");
}

std::string ring_page(const Json& report, std::string_view path) {
  try {
    const Json& ring = report.at("ring");
    const Json& ranks = ring.at("ranks");
    const std::string title = report.value("title", std::string());
    return html_page(
        title.empty() ? std::string(path) : title,
        fmt::format("{} ranks in rings of {}: {}. {} travels, an item has {}; {:.2f} s",
                    ranks.size(), ring.at("size").get<int>(), ring.at("reason").get<std::string>(),
                    ring.at("travel") == "g" ? "The Green's function" : "The sample",
                    size(ring, "item_bytes"), number(report, "seconds")),
        time_line_section(ring) + memory_section(ring) + ranks_section(ranks) +
            lanes_section(ranks));
  } catch (const nlohmann::json::exception& error) {
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is not what a run over rings writes with --report: {}", path,
                                  base::reason_in_json(error)));
  }
}

}  // namespace blockyard::report::detail
