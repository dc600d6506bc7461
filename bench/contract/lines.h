// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::bench {

/// One JSON object a line, to a file or, if it has no name, standard output. Throws Error{io}.
inline void write_lines(const std::vector<nlohmann::ordered_json>& records,
                        const std::string& json_file) {
  std::ofstream file(json_file);
  std::ostream& lines = json_file.empty() ? std::cout : file;
  for (const auto& one : records) lines << one.dump() << '\n';
  if (!lines.flush()) throw base::Error(base::Errc::io, "cannot write " + json_file);
}

}  // namespace blockyard::bench
