// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/job_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "blockyard/base/decimal.h"
#include "blockyard/base/text.h"

namespace blockyard::report {

namespace {

constexpr std::string_view total = " total";

std::vector<std::string> totals_of(const ListedJob& job) {
  std::vector<std::string> titles;
  for (const method::Energy& energy : job.energies)
    if (energy.title.ends_with(total))
      titles.push_back(energy.title.substr(0, energy.title.size() - total.size()));
  return titles;
}

}  // namespace

std::string JobTable::row(const ListedJob& job) {
  std::string text;
  const std::vector<std::string> titles = totals_of(job);
  if (!titles.empty() && titles != heading_) {
    heading_ = titles;
    text += fmt::format("  {:<{}}", "hartree", name_width_);
    for (const std::string& title : titles) text += fmt::format(" {:>18}", title);
    text += '\n';
  }
  text += fmt::format("  {:<{}}", base::showable(job.name), name_width_);
  for (const method::Energy& energy : job.energies)
    if (energy.title.ends_with(total))
      text += fmt::format(" {:>18}", base::decimal(energy.hartree, 10));
  if (!job.error.empty())
    text += job.energies.empty() ? "  failed"
            : job.is_converged   ? "  not saved"
                                 : "  not converged";
  else if (titles.empty())
    text += "  done";
  return text + '\n';
}

std::string list_json(std::span<const ListedJob> jobs) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const ListedJob& job : jobs) {
    Json settings = Json::object();
    for (const input::Setting& setting : job.settings) settings[setting.key] = setting.value;
    Json entry = {
        {"file", job.file}, {"settings", settings}, {"error", nullptr}, {"results", nullptr}};
    if (!job.error.empty()) entry["error"] = job.error;
    if (!job.results.empty()) entry["results"] = Json::parse(job.results);
    list.push_back(std::move(entry));
  }
  return Json({{"jobs", list}}).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace blockyard::report
