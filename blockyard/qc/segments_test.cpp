// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/segments.h"

#include <gtest/gtest.h>

#include <numeric>

#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

using testing::error_of;

AoBasis water_basis() {
  return place_basis(load_basis("cc-pvdz", testing::data_folder),
                     testing::molecule_of(testing::water), true);  // O 14, H 5, H 5
}

TEST(Segments, hold_every_function_once_and_split_no_shell) {
  const auto basis = water_basis();
  for (Extent target = 1; target < 40; ++target) {
    const auto segments = segment_shells(basis, target);
    EXPECT_EQ(std::accumulate(segments.extents.begin(), segments.extents.end(), Extent{0}), 24);
    std::size_t next = 0;
    for (std::size_t s = 0; s < segments.shells.size(); ++s) {
      EXPECT_EQ(segments.shells[s].first, next);
      next += segments.shells[s].count;
      EXPECT_LE(segments.extents[s], std::max<Extent>(5, 2 * target));
    }
    EXPECT_EQ(next, basis.shells.size());
    EXPECT_EQ(segments_of_extents(basis, segments.extents).shells, segments.shells);
  }
}

TEST(Segments, keep_atoms_together) {
  EXPECT_EQ(segment_shells(water_basis(), 12).extents, (std::vector<Extent>{14, 10}));
  EXPECT_EQ(segment_shells(water_basis(), 30).extents, (std::vector<Extent>{24}));
}

TEST(Segments, of_a_user_must_fit_the_shells) {
  const auto basis = water_basis();  // O: s s s p p d, so shells begin at 0 1 2 3 6 9 14
  EXPECT_EQ(segments_of_extents(basis, std::vector<Extent>{9, 5, 10}).shells[1],
            (ShellRange{5, 1}));
  const auto error = [&](std::vector<Extent> extents) {
    return error_of([&] { (void)segments_of_extents(basis, extents); });
  };
  EXPECT_EQ(error({9, 3, 12}),
            "AO segment 2 ends after function 12, inside a shell of atom 1: end it after function "
            "9 or 14");
  EXPECT_EQ(error({14, 5}), "the AO segments hold 19 functions, the basis 24");
  EXPECT_EQ(error({14, 15}), "the AO segments hold 29 functions, the basis 24");
  EXPECT_EQ(error({14, 0, 10}), "a segment of 0 functions: at least 1 is needed");
  EXPECT_EQ(error_of([&] { (void)segment_shells(basis, 0); }),
            "a segment of 0 functions: at least 1 is needed");
}

}  // namespace
}  // namespace blockyard::qc
