// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "blockyard/block/residency_counts.h"
#include "blockyard/wire/server_counts.h"
#include "blockyard/worker/metrics.h"

namespace blockyard::report {
namespace {

template <class Counts>
void expect_rows_in(const std::string& page, std::span<const base::Metric<Counts>> rows) {
  for (const base::Metric<Counts>& row : rows) {
    const std::string line = fmt::format("\n| `{}` | {} | {} | {} |\n", row.name, name_of(row.unit),
                                         name_of(row.merge), row.meaning);
    EXPECT_NE(page.find(line), std::string::npos) << "docs/report.md lacks:" << line;
  }
}

TEST(Metrics, are_listed_in_the_page_as_their_rows_say) {
  std::ifstream file(BLOCKYARD_REPORT_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  expect_rows_in(page.str(), worker::worker_metrics());
  expect_rows_in(page.str(), wire::server_metrics());
  expect_rows_in(page.str(), block::device_metrics());
}

TEST(Metrics, of_workers_become_one_as_their_rows_say) {
  worker::Counts all;
  worker::Counts more;
  more.seconds = 2;
  more.gets = 3;
  more.peak_bytes = 5;
  for (int k = 0; k < 2; ++k) base::merge(worker::worker_metrics(), all, more);
  EXPECT_EQ(all.seconds, 4);
  EXPECT_EQ(all.gets, 6U);
  EXPECT_EQ(all.peak_bytes, 5U);
  const worker::Counts rest = base::since(worker::worker_metrics(), all, more);
  EXPECT_EQ(rest.gets, 3U);
  EXPECT_EQ(rest.peak_bytes, 5U);
}

}  // namespace
}  // namespace blockyard::report
