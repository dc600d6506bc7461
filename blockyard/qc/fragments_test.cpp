// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fragments.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/qc/table_fixture.h"

namespace blockyard::qc {
namespace {

using array::IndexKind;
using testing::Block;
using testing::ChemistryTable;

/// Water in two fragments: its oxygen and first hydrogen, and the second hydrogen. AOs in two
/// segments; orbitals: one occupied segment for each fragment, then one virtual one.
class FragmentTable : public ChemistryTable {
 protected:
  FragmentTable() {
    const auto centres = positions(system_.molecule);
    std::vector<double> coordinates;
    for (const Vector3& at : centres) coordinates.insert(coordinates.end(), at.begin(), at.end());
    arrays_ = {
        {"natoms_frag", {{2}, {2, 1}}},    {"watom_frag", {{2, 2}, {1, 3, 2, 0}}},
        {"coords", {{3, 3}, coordinates}}, {"charge", {{3}, nuclear_charges(system_.molecule)}},
        {"w_frag_ao", {{2}, {1, 2}}},      {"w_frag_aocc", {{2}, {1, 2}}},
        {"w_frag_avirt", {{2}, {1, 2}}}};
    context_.arrays = &arrays_;
    ints_["nfrags"] = 2;
    context_.scalars = &scalars_;
  }

  std::map<std::string, array::DenseArray, std::less<>> arrays_;
  std::map<std::string, double, std::less<>> scalars_ = {{"elst_thresh", 100.0}};
};

TEST_F(FragmentTable, distances_and_repulsions_add_up) {
  EXPECT_EQ(atoms_of_fragment(context_, 1), (std::vector<std::size_t>{0, 1}));
  const double least = distance_of_fragments(context_, 1, 2);
  Block one = Block::scalar(1), two = Block::scalar(2), threshold = Block::scalar(least + 1e-9),
        flag = Block::scalar(7);
  run("return_pairs", {&one, &two, &threshold, &flag});
  EXPECT_EQ(flag.values[0], 2.0);
  threshold.values[0] = least - 1e-9;
  run("return_pairs", {&one, &two, &threshold, &flag});
  EXPECT_EQ(flag.values[0], 0.0);
  run("return_pairs", {&one, &one, &threshold, &flag});
  EXPECT_EQ(flag.values[0], 2.0);
  Block between = Block::scalar(0), within = Block::scalar(0), all = Block::scalar(0);
  run("compute_pair_nn", {&one, &two, &between});
  run("moi_nn_repulsion", {&within, &one});
  run("compute_nn_repulsion", {&all});
  EXPECT_NEAR(between.values[0] + within.values[0], all.values[0], 1e-12);
  EXPECT_THROW((void)atoms_of_fragment(context_, 3), base::Error);
}

TEST_F(FragmentTable, integrals_of_fragments_are_parts_of_those_of_the_molecule) {
  const Extent n = system_.integrals.basis().function_count;
  Block one = Block::scalar(1), two = Block::scalar(2);
  Block own = Block::whole({n, n}, IndexKind::ao), around = own, all = own, kinetic = own;
  run("return_h1_moi", {&own, &one});
  run("return_h1frag", {&around, &one});
  run("return_h1", {&all});
  const auto& shells = system_.integrals.basis().shells;
  const auto is_of_one = [&](std::size_t function) {
    for (const Shell& shell : shells)
      if (static_cast<Extent>(function) < shell.first_function + shell.function_count)
        return shell.atom < 2;
    return false;
  };
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_inside = is_of_one(i) && is_of_one(j);
      const std::size_t k = i + size * j;
      EXPECT_NEAR(own.values[k], is_inside ? all.values[k] - around.values[k] : 0.0, 1e-12);
    }
  scalars_["elst_thresh"] = 0.1;
  run("return_h1frag", {&around, &one});
  EXPECT_EQ(around.values, std::vector<double>(size * size, 0.0));
}

TEST_F(FragmentTable, dipole_moments_of_fragments_add_up) {
  const Extent n = system_.integrals.basis().function_count;
  Block of_molecule = Block::whole({n, n}, IndexKind::ao), here = of_molecule;
  for (const double axis : {0.0, 1.0, 2.0}) {
    double sum = 0.0;
    for (const double number : {1.0, 2.0}) {
      Block scratch = Block::scalar(5), fragment = Block::scalar(number),
            code = Block::scalar(axis + 10);
      run("compute_xyz_batch", {&scratch, &fragment, &code});
      EXPECT_EQ(scratch.values[0], 5.0);
      sum += code.values[0];
    }
    Block nuclear = Block::scalar(0), fragment = Block::scalar(1), code = Block::scalar(axis + 1);
    run("compute_dipole_integrals", {&of_molecule, &nuclear, &code});
    EXPECT_NEAR(sum, nuclear.values[0], 1e-12);
    run("compute_xyz_batch", {&here, &fragment, &code});
    EXPECT_EQ(here.values, of_molecule.values);
  }
  Block fragment = Block::scalar(1), code = Block::scalar(4);
  EXPECT_THROW(run("compute_xyz_batch", {&here, &fragment, &code}), base::Error);
}

TEST_F(FragmentTable, segments_of_a_fragment_stand_together) {
  Block fragment = Block::scalar(2), kind = Block::scalar(6);
  run("frag_index_range", {&fragment, &kind});
  EXPECT_EQ(fragment.values[0], 2.0);
  EXPECT_EQ(kind.values[0], 2.0);
  const std::vector<double> owners = {1, 1, 2, 2, 2, 3};
  EXPECT_EQ(segments_of_fragment(owners, 2).first, 3);
  EXPECT_EQ(segments_of_fragment(owners, 2).last, 5);
  EXPECT_EQ(segments_of_fragment(owners, 3).last, 6);
  EXPECT_THROW((void)segments_of_fragment(owners, 4), base::Error);
}

TEST_F(FragmentTable, a_block_is_taken_from_the_matrix_of_its_fragment) {
  segments_.set(IndexKind::moa, {1, 1, 2, 3});  // occupied of 1 and 2, virtual of 1 and 2
  segments_.set(IndexKind::ao, {2, 2});
  Block matrix = Block::whole({2, 4}, IndexKind::simple);
  for (std::size_t k = 0; k < 8; ++k) matrix.values[k] = static_cast<double>(k);
  Block kind = Block::scalar(1), fragment = Block::scalar(2);
  Block block({2, 3}, {2, 4}, {IndexKind::ao, IndexKind::moa});
  run("place_scratch", {&block, &matrix, &kind, &fragment});
  // The orbitals of fragment 2: one occupied, then these three.
  EXPECT_EQ(block.values, (std::vector<double>{2, 3, 4, 5, 6, 7}));
  matrix = Block::whole({2, 3}, IndexKind::simple);
  EXPECT_THROW(run("place_scratch", {&block, &matrix, &kind, &fragment}), base::Error);
}

TEST_F(FragmentTable, vpq_is_a_partial_trace) {
  Block four({1, 2, 2, 2}, {1, 1, 1, 1},
             {IndexKind::moa, IndexKind::moa, IndexKind::moa, IndexKind::moa});
  for (std::size_t k = 0; k < 8; ++k) four.values[k] = static_cast<double>(k);
  Block two({1, 2}, {1, 1}, {IndexKind::moa, IndexKind::moa});
  run("return_vpq", {&four, &two});
  EXPECT_EQ(two.values, (std::vector<double>{0 + 6, 1 + 7}));
}

}  // namespace
}  // namespace blockyard::qc
