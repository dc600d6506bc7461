// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace blockyard::base {

/// Of tests: the lines between ```bytes and ``` of a page, as bytes; text after # is a remark.
inline std::vector<std::byte> worked_example(const std::string& page) {
  std::ifstream file(page);
  EXPECT_TRUE(file) << page;
  std::vector<std::byte> bytes;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      is_inside = line == "```bytes";
      continue;
    }
    if (!is_inside) continue;
    std::istringstream words(line.substr(0, line.find('#')));
    for (unsigned value = 0; words >> std::hex >> value;)
      bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

}  // namespace blockyard::base
