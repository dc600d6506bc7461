// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "blockyard/qc/table.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc::testing {

using array::IndexKind;

/// An operand with storage of its own.
struct Block {
  std::string name = "b";
  std::vector<Extent> extents;
  std::vector<std::int64_t> segments;
  std::vector<IndexKind> kinds;
  std::vector<double> values;

  static Block whole(std::vector<Extent> extents, IndexKind kind = IndexKind::ao) {
    const std::size_t order = extents.size();
    return Block(std::move(extents), std::vector<std::int64_t>(order, 1),
                 std::vector<IndexKind>(order, kind));
  }
  static Block scalar(double value) {
    Block block({}, {}, {});
    block.values = {value};
    return block;
  }
  Block(std::vector<Extent> e, std::vector<std::int64_t> s, std::vector<IndexKind> k)
      : extents(std::move(e)), segments(std::move(s)), kinds(std::move(k)) {
    Extent size = 1;
    for (const Extent extent : extents) size *= extent;
    values.assign(static_cast<std::size_t>(size), 0.0);
  }
  super::Operand operand() {
    return {name, values, extents, segments, kinds, super::Access::update};
  }
};

/// Water in cc-pVDZ, AO segments of 14 and 10 functions, MO segments of 3, 2 | 4, 15.
class ChemistryTable : public ::testing::Test {
 protected:
  ChemistryTable() {
    segments_.set(IndexKind::ao, system_.segments.extents);
    segments_.set(IndexKind::moa, {3, 2, 4, 15});
    context_.segments = &segments_;
    context_.ints = &ints_;
    add_chemistry(table_, system_);
  }

  void run(std::string_view name, std::vector<Block*> blocks) {
    const auto* entry = table_.find(name);
    ASSERT_NE(entry, nullptr) << name;
    ASSERT_EQ(entry->signature.size(), blocks.size());
    std::vector<super::Operand> operands;
    for (Block* block : blocks) operands.push_back(block->operand());
    entry->function(operands, context_);
  }

  static System make_system() {
    const auto molecule = molecule_of(water);
    auto integrals = integrals_of(molecule, "cc-pvdz", true);
    auto segments = segment_shells(integrals.basis(), 12);
    return {molecule, std::move(integrals), std::move(segments)};
  }

  System system_ = make_system();
  array::Segments segments_;
  std::map<std::string, std::int64_t, std::less<>> ints_ = {{"baocc", 1}, {"eaocc", 2}};
  super::Context context_;
  super::Table table_;
};

}  // namespace blockyard::qc::testing
