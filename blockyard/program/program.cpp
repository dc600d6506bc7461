// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/program.h"

#include <fmt/format.h>

namespace blockyard::program {

std::string place_of(const Program& program, std::int32_t pc) {
  const auto at = static_cast<std::size_t>(pc);
  if (at >= program.lines.size()) return program.name;
  const SourceLine& line = program.lines[at];
  const std::string& file =
      line.file < program.files.size() ? program.files[line.file] : program.name;
  return fmt::format("{}:{}", file, line.line);
}

}  // namespace blockyard::program
