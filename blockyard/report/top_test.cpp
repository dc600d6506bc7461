// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/top.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace blockyard::report {
namespace {

constexpr const char* answer = R"json({"job": 4711, "process": 0, "processes": 3,
  "title": "a molecule with a long title that says much about what it is computed for",
  "method": "ccsd(t)", "program": "ccsd_iterations", "number": 3, "programs": 7,
  "seconds": 4000, "program_seconds": 3900, "rss_bytes": 5000000000, "memory_bytes": 8000000000,
  "worker_bytes": 4000000000,
  "workers": [{"worker": 0, "doing": "waits for a block", "place": "/lib/ccsd_iterations.sial:1234",
    "iterations": 123456, "operations": 12345678, "block_wait_seconds": 390,
    "barrier_seconds": 39, "used_bytes": 1234567890}]})json";

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Top, fits_into_the_width_and_shows_every_column) {
  const Top top = read_top(std::array<std::string, 1>{answer}, 0);
  for (const std::size_t width : {120, 80, 60, 40}) {
    const std::string text = print(top, width);
    EXPECT_LE(widest_line(text), width) << text;
    for (const char* part : {"job 4711", "ccsd(t)", "waits: bl", ":1234", "123456", "12345678",
                             "10 %", "1 %", "1.1 GiB", "1 of 3 processes"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(Top, says_when_nothing_runs) {
  EXPECT_EQ(print(read_top({}, 0), 80), "no blockyard runs here\n");
}

}  // namespace
}  // namespace blockyard::report
