// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/energy_kernels.h"

#include <gtest/gtest.h>

#include "blockyard/qc/table_fixture.h"

namespace blockyard::qc {
namespace {

using testing::Block;

class EnergyKernels : public ::testing::TestWithParam<const char*> {
 protected:
  EnergyKernels() {
    segments_.set(testing::IndexKind::moa, {3, 2, 4});
    context_.segments = &segments_;
    add_algebra(table_);
  }

  /// What the host form of the instruction and that of its kernel make of the same block.
  void compare(std::vector<Extent> extents, std::vector<std::int64_t> segments, bool is_matrix) {
    const super::Entry& entry = *table_.find(GetParam());
    Block t(extents, segments, std::vector(extents.size(), testing::IndexKind::moa));
    for (std::size_t k = 0; k < t.values.size(); ++k) t.values[k] = 1.0 + static_cast<double>(k);
    Block fock = is_matrix ? Block::whole({9, 9}, testing::IndexKind::moa)
                           : Block::whole({9}, testing::IndexKind::moa);
    for (std::size_t k = 0; k < 9; ++k) {
      const auto energy = static_cast<double>(k * k) - 4.5;
      fock.values[is_matrix ? 10 * k : k] = energy;
    }
    Block shift = Block::scalar(0.25), other = t;
    std::vector<super::Operand> operands = {t.operand(), fock.operand()};
    if (entry.signature.size() == 3) operands.push_back(shift.operand());
    for (std::size_t k = 1; k < operands.size(); ++k) operands[k].access = super::Access::read;
    entry.function(operands, context_);
    const auto call = super::prepared(entry, operands, context_);
    ASSERT_TRUE(call);
    std::vector<const void*> arguments = {other.values.data(), fock.values.data()};
    if (operands.size() == 3) arguments.push_back(shift.values.data());
    arguments.push_back(call->values[0].data());
    std::vector<void*> given;
    for (const void* one : arguments) given.push_back(const_cast<void*>(one));
    const blockyard_range all{0, call->extents[0], 0, 0, 0};
    entry.device->host(&all, given.data());
    for (std::size_t k = 0; k < t.values.size(); ++k)
      EXPECT_DOUBLE_EQ(other.values[k], t.values[k]) << k;
  }

  array::Segments segments_;
  super::Context context_;
  super::Table table_;
};

TEST_P(EnergyKernels, GiveWhatTheHostFormGives) {
  for (const bool is_matrix : {true, false}) {
    compare({4, 3}, {3, 1}, is_matrix);
    compare({4, 3, 2, 3}, {3, 1, 2, 1}, is_matrix);
    compare({4, 3, 2, 3, 2, 2}, {3, 1, 2, 1, 2, 2}, is_matrix);
  }
}

TEST_P(EnergyKernels, LeaveWhatIsWrongToTheHost) {
  const super::Entry& entry = *table_.find(GetParam());
  Block t({4, 3, 2}, {3, 1, 2}, std::vector(3, testing::IndexKind::moa));
  Block fock = Block::whole({9}, testing::IndexKind::moa), shift = Block::scalar(0);
  std::vector<super::Operand> operands = {t.operand(), fock.operand()};
  if (entry.signature.size() == 3) operands.push_back(shift.operand());
  for (std::size_t k = 1; k < operands.size(); ++k) operands[k].access = super::Access::read;
  EXPECT_FALSE(super::prepared(entry, operands, context_)) << "three indexes";
  Block good({4, 3}, {3, 1}, std::vector(2, testing::IndexKind::moa));
  Block few = Block::whole({6}, testing::IndexKind::moa);
  operands[0] = good.operand();
  EXPECT_TRUE(super::prepared(entry, operands, context_));
  operands[1] = few.operand();
  operands[1].access = super::Access::read;
  EXPECT_FALSE(super::prepared(entry, operands, context_)) << "orbitals without energies";
}

INSTANTIATE_TEST_SUITE_P(All, EnergyKernels,
                         ::testing::Values("energy_denominator_rhf", "energy_numerator_rhf",
                                           "energy_ty_denominator_rhf"));

}  // namespace
}  // namespace blockyard::qc
