// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/program.h"

#include <fmt/format.h>

namespace blockyard::program {

std::string place_of(const Program& program, std::int32_t pc) {
  const auto at = static_cast<std::size_t>(pc);
  return at < program.lines.size() ? place_of(program, program.lines[at]) : program.name;
}

std::string place_of(const Program& program, const SourceLine& at) {
  const std::string& file = at.file < program.files.size() ? program.files[at.file] : program.name;
  return fmt::format("{}:{}", file, at.line);
}

}  // namespace blockyard::program
