// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/verify.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/program/detail/rules.h"

namespace blockyard::program {

void verify(const Program& program) {
  detail::verify_tables(program);
  detail::verify_operands(program);
  detail::verify_calls(program, detail::verify_flow(program));
}

std::optional<Fault> fault_of(const Program& program) {
  try {
    verify(program);
  } catch (const detail::Refusal& refusal) {
    return Fault{refusal.what(), refusal.line()};
  }
  return std::nullopt;
}

namespace detail {

Refusal::Refusal(std::string_view what, std::optional<SourceLine> at)
    : base::Error(base::Errc::bad_input, fmt::format("not a valid program: {}", what)), line_(at) {}

void refuse(std::string_view what) { throw Refusal(what); }

void refuse_at(const Program& program, std::size_t pc, std::string_view what) {
  throw Refusal(
      fmt::format("instruction {} ({}): {}", pc, row_of(program.code[pc].opcode).name, what),
      pc < program.lines.size() ? std::optional(program.lines[pc]) : std::nullopt);
}

}  // namespace detail
}  // namespace blockyard::program
