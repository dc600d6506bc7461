// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "blockyard/super/super.h"

namespace blockyard::super {

/// An operand with memory of its own, for tests of super instructions.
struct TestOperand {
  TestOperand(std::string its_name, std::vector<Extent> its_extents, Access its_access)
      : name(std::move(its_name)),
        extents(std::move(its_extents)),
        segments(extents.size(), 1),
        kinds(extents.size(), array::IndexKind::ao),
        access(its_access) {
    const Extent count =
        std::accumulate(extents.begin(), extents.end(), Extent{1}, std::multiplies<>());
    values.resize(static_cast<std::size_t>(count));
  }
  [[nodiscard]] Operand view() { return {name, values, extents, segments, kinds, access}; }

  std::string name;
  std::vector<Extent> extents;
  std::vector<std::int64_t> segments;
  std::vector<array::IndexKind> kinds;
  std::vector<double> values;
  Access access;
};

}  // namespace blockyard::super
