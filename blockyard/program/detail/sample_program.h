// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/program/program.h"

namespace blockyard::program::detail {

/// Entries of the tables of sample_program, by name.
struct Sample {
  static constexpr std::int32_t norb = 0, n = 1, x = 0;
  static constexpr std::int32_t i = 0, j = 1, s = 2, ii = 3;
  static constexpr std::int32_t a = 0, bt = 1, ti = 2, tj = 3, lo = 4, c = 5, sa = 6, da = 7,
                                sp = 8, asub = 9;
  static constexpr std::int32_t sel_a = 0, sel_bt = 1, sel_ti = 2, sel_tj = 3, sel_every = 4,
                                sel_region = 5, sel_sa = 6, sel_whole = 7, sel_da = 8, sel_sp = 9,
                                sel_asub = 10, sel_slice = 11;
};

/// For tests: a program by hand that has every kind of table entry and most opcodes.
[[nodiscard]] Program sample_program();

}  // namespace blockyard::program::detail
