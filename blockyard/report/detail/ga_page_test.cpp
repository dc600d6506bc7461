// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/ga_page.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/base/groups.h"

namespace blockyard::report::detail {
namespace {

using Json = nlohmann::ordered_json;

/// Of processes that all moved 1024 bytes to each group.
Json report_of(int ranks, int in_group) {
  Json report = {{"blockyard_ga_report", 1},
                 {"calls", Json::array()},
                 {"arrays", Json::array()},
                 {"ranks", Json::array()}};
  if (in_group > 0) report["ranks_in_group"] = in_group;
  const int groups = in_group > 0 ? (ranks + in_group - 1) / in_group : ranks;
  for (int rank = 0; rank < ranks; ++rank)
    report["ranks"].push_back(
        {{"rank", rank},
         {"node", 0},
         {"seconds", 2.0},
         {"waiting_seconds", 1.0},
         {"bytes_to", std::vector<int>(static_cast<std::size_t>(groups), 1024)}});
  return report;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(GaPage, shows_the_traffic_of_few_processes_by_process) {
  for (const int in_group : {0, 1}) {
    const std::string page = ga_page(report_of(3, in_group), "run.json");
    EXPECT_NE(page.find("<th>0</th><th>1</th><th>2</th></tr>"), std::string::npos);
    EXPECT_EQ(count(page, ">1.0 KiB</td>"), 9U);
  }
}

TEST(GaPage, shows_the_traffic_of_many_processes_by_groups) {
  const std::string page = ga_page(report_of(130, base::in_each_group(130)), "run.json");
  EXPECT_NE(page.find("<th>0 to 2</th>"), std::string::npos);
  EXPECT_NE(page.find("<th>129</th></tr>"), std::string::npos);
  EXPECT_EQ(count(page, ">3.0 KiB</td>"), 43U * 44);
  EXPECT_EQ(count(page, ">1.0 KiB</td>"), 44U) << "from the last";
}

TEST(GaPage, refuses_a_report_that_lacks_bytes) {
  Json report = report_of(3, 1);
  report["ranks"][1]["bytes_to"] = Json::array();
  EXPECT_THROW(static_cast<void>(ga_page(report, "run.json")), base::Error);
}

}  // namespace
}  // namespace blockyard::report::detail
