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

namespace detail {

void refuse(std::string_view what) {
  throw base::Error(base::Errc::bad_input, fmt::format("not a valid program: {}", what));
}

void refuse_at(const Program& program, std::size_t pc, std::string_view what) {
  throw base::Error(base::Errc::bad_input,
                    fmt::format("not a valid program: instruction {} ({}): {}", pc,
                                row_of(program.code[pc].opcode).name, what));
}

}  // namespace detail
}  // namespace blockyard::program
