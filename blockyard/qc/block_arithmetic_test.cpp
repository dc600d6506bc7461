// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/block_arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/qc/denominators.h"
#include "blockyard/qc/triples_ranges.h"

namespace blockyard::qc {
namespace {

using Values = std::vector<double>;
using Numbers = std::vector<Extent>;

Values counted(std::size_t count) {
  Values values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(LargestMagnitude, sees_negative_values_and_nan) {
  EXPECT_EQ(largest_magnitude(Values{1, -3, 2}), 3.0);
  EXPECT_EQ(largest_magnitude({}), 0.0);
  EXPECT_TRUE(std::isnan(largest_magnitude(Values{1, std::nan(""), 2})));
}

TEST(KeepDiagonal, of_two_and_four_indexes) {
  Values two = counted(6);
  keep_diagonal(two, Numbers{2, 3});
  EXPECT_EQ(two, (Values{1, 0, 0, 4, 0, 0}));
  Values four = counted(16);
  keep_diagonal(four, Numbers{2, 2, 2, 2});
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_EQ(four[k] != 0.0, k == 0 || k == 3 || k == 12 || k == 15);
  EXPECT_THROW(keep_diagonal(two, Numbers{6}), base::Error);
}

TEST(TraceOfDiagonal, counts_orbitals_of_the_whole_range) {
  Values two = counted(6);  // p = 4, 5; q = 5, 6, 7: only p = q = 5 is on the diagonal
  EXPECT_EQ(trace_of_diagonal(two, Numbers{2, 3}, Numbers{4, 5}), 2.0);
  EXPECT_EQ(two, (Values{0, 2, 0, 0, 0, 0}));
  Values four = counted(16);
  EXPECT_EQ(trace_of_diagonal(four, Numbers{2, 2, 2, 2}, Numbers{0, 0, 0, 0}), 1.0 + 4 + 13 + 16);
  for (std::size_t k = 0; k < 16; ++k) {
    const bool is_off_both = (k % 2 != k / 2 % 2) && (k / 4 % 2 != k / 8);
    EXPECT_EQ(four[k], is_off_both ? 0.0 : static_cast<double>(k + 1)) << k;
  }
  EXPECT_THROW((void)trace_of_diagonal(two, Numbers{6}, Numbers{0}), base::Error);
}

TEST(RemoveDiagonal, zeroes_only_the_diagonal) {
  Values two = counted(4);
  remove_diagonal(two, Numbers{2, 2});
  EXPECT_EQ(two, (Values{0, 2, 3, 0}));
  EXPECT_THROW(remove_diagonal(two, Numbers{4}), base::Error);
}

TEST(DiagonalUnitMatrix, takes_roots_of_what_is_positive) {
  Values two = {4, 7, 8, -9};
  form_diagonal_unit_matrix(two, Numbers{2, 2}, 0.5);
  EXPECT_EQ(two, (Values{2, 0, 0, 1}));
  two = {4, 7, 8, 16};
  form_diagonal_unit_matrix(two, Numbers{2, 2}, -0.5);
  EXPECT_EQ(two, (Values{0.5, 0, 0, 0.25}));
  form_diagonal_unit_matrix(two, Numbers{2, 2}, 1.0);
  EXPECT_EQ(two, (Values{1, 0, 0, 1}));
  EXPECT_THROW(form_diagonal_unit_matrix(two, Numbers{1, 4}, 1.0), base::Error);
}

TEST(MultiplyByEnergies, undoes_the_division) {
  const Values energies = {-2, -1, 1, 4};
  Values t = counted(4);
  multiply_by_energies(t, Numbers{2, 2}, Numbers{2, 0}, energies);
  EXPECT_EQ(t, (Values{1 * -3.0, 2 * -6.0, 3 * -2.0, 4 * -5.0}));
  divide_by_energies(t, Numbers{2, 2}, Numbers{2, 0}, energies);
  EXPECT_EQ(t, counted(4));
}

TEST(DivideWhereNonzero, leaves_the_rest) {
  Values t = {2, 3, 4};
  divide_where_nonzero(t, Values{4, 0, -2});
  EXPECT_EQ(t, (Values{0.5, 3, -2}));
  EXPECT_THROW(divide_where_nonzero(t, Values{1}), base::Error);
}

TEST(Antisymmetrise, occupied_changes_sign_with_i_and_j) {
  const Numbers extents = {2, 3, 1, 3}, first = {10, 0, 20, 0};
  Values t = counted(18);
  const Values old = t;
  antisymmetrise_occupied(t, extents, first);
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const double value = t[a + 2 * i + 6 * j];
        if (i <= j) {
          EXPECT_EQ(value, i < j ? old[a + 2 * i + 6 * j] : 0.0);
        }
        EXPECT_EQ(value, -t[a + 2 * j + 6 * i]);
      }
  EXPECT_THROW(antisymmetrise_occupied(t, extents, Numbers{10, 0, 20, 3}), base::Error);
}

TEST(Antisymmetrise, virtual_changes_sign_with_a_and_b) {
  const Numbers extents = {3, 1, 3, 1}, first = {10, 0, 10, 5};
  Values t = counted(9);
  antisymmetrise_virtual(t, extents, first);
  EXPECT_EQ(t, (Values{0, -4, -7, 4, 0, -8, 7, 8, 0}));
}

TEST(ZeroEqualOrbitals, compares_orbitals_not_places) {
  Values t(8, 1.0);  // one vector, a = 3 4, i = 0, b = 4 5, j = 0 1
  zero_equal_orbitals(t, Numbers{1, 2, 1, 2, 2}, Numbers{0, 3, 0, 4, 0});
  EXPECT_EQ(t, (Values{0, 0, 0, 0, 1, 0, 1, 1}));
}

TEST(CopyPart, takes_the_slice) {
  Values slice(2);
  copy_part(counted(6), Numbers{2, 3}, Numbers{0, 2}, slice, Numbers{2, 1});
  EXPECT_EQ(slice, (Values{5, 6}));
  EXPECT_THROW(copy_part(counted(6), Numbers{2, 3}, Numbers{0, 3}, slice, Numbers{2, 1}),
               base::Error);
  EXPECT_THROW(copy_part(counted(6), Numbers{2, 3}, Numbers{0, -1}, slice, Numbers{2, 1}),
               base::Error);
}

TEST(CopyOverlap, copies_what_both_blocks_have_and_nothing_else) {
  // Rows 3..4, columns 0..2 into rows 2..5, columns 1..2.
  Values to(4 * 2, -1.0);
  copy_overlap(counted(6), Numbers{2, 3}, Numbers{3, 0}, to, Numbers{4, 2}, Numbers{2, 1});
  EXPECT_EQ(to, (Values{-1, 3, 4, -1, -1, 5, 6, -1}));
  copy_overlap(counted(6), Numbers{2, 3}, Numbers{6, 0}, to, Numbers{4, 2}, Numbers{2, 1});
  EXPECT_EQ(to, (Values{-1, 3, 4, -1, -1, 5, 6, -1}));
  EXPECT_THROW(copy_overlap(counted(6), Numbers{6}, Numbers{0}, to, Numbers{4, 2}, Numbers{0, 0}),
               base::Error);
}

TEST(UnitGuess, picks_the_smallest_and_the_last_of_equals) {
  Values b(2 * 4, 9.0);
  unit_guess(b, 2, Values{3, 1, 2, 1});
  EXPECT_EQ(b, (Values{0, 0, 0, 1, 0, 0, 1, 0}));
  unit_guess(b, 8, Values{1});  // room for more vectors than there are elements
  EXPECT_EQ(b, (Values{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_THROW(unit_guess(b, 3, Values{1}), base::Error);
}

TEST(DivideByEnergies, takes_occupied_less_virtual) {
  const Values energies = {-2.0, -1.0, 0.5, 1.5};
  Values two = {1, 1, 1, 1};  // a = 2 3, i = 0 1
  divide_by_energies(two, Numbers{2, 2}, Numbers{2, 0}, energies);
  EXPECT_EQ(two, (Values{1 / -2.5, 1 / -3.5, 1 / -1.5, 1 / -2.5}));
  Values four = {1, 1};  // a = 2, i = 0, b = 3, j = 0 1
  divide_by_energies(four, Numbers{1, 1, 1, 2}, Numbers{2, 0, 3, 0}, energies);
  EXPECT_EQ(four, (Values{1 / -6.0, 1 / -5.0}));
  Values six = {1, 1};  // a = 2 3, i = 1, b = 2, j = 0, c = 3, k = 1
  divide_by_energies(six, Numbers{2, 1, 1, 1, 1, 1}, Numbers{2, 1, 2, 0, 3, 1}, energies);
  EXPECT_EQ(six, (Values{1 / -6.5, 1 / -7.5}));
  Values shifted = {1};
  divide_by_energies(shifted, Numbers{1, 1}, Numbers{2, 0}, energies, 0.5);
  EXPECT_EQ(shifted, (Values{1 / -2.0}));
}

TEST(DivideByEnergies, an_orbital_without_an_energy_is_refused) {
  Values t = {1, 1};
  EXPECT_THROW(divide_by_energies(t, Numbers{2, 1}, Numbers{3, 0}, Values{1, 2, 3, 4}),
               base::Error);
  EXPECT_THROW(divide_by_energies(t, Numbers{2}, Numbers{0}, Values{1, 2}), base::Error);
}

TEST(TriplesItems, cover_every_ordered_pair_of_occupied_orbitals) {
  const Numbers occupied = {7, 3, 12};
  const auto items = triples_items(occupied, 4, TriplesSpins::aab);
  Extent pairs = 0;
  for (const auto& [i, i_first, i_last, j, j_first, j_last, k] : items) {
    EXPECT_LE(i, j);
    EXPECT_LE(i_last - i_first, 3);  // pieces of at most 4: one segment is not longer than 5
    if (k == 1) pairs += (i_last - i_first + 1) * (j_last - j_first + 1);
  }
  EXPECT_EQ(pairs, 7 * 7 + 3 * 3 + 12 * 12 + 7 * 3 + 7 * 12 + 3 * 12);
  EXPECT_EQ(items.front(), (TriplesItem{1, 5, 7, 1, 5, 7, 1}));
  EXPECT_EQ(items.back(), (TriplesItem{3, 23, 26, 3, 23, 26, 3}));
  for (const auto& item : triples_items(occupied, 4, TriplesSpins::aaa))
    EXPECT_GE(item[6], item[3]);
}

TEST(BlockArithmetic, combines_the_correlated_orbitals_of_both_spins) {
  // One row; frozen 1, alpha occupied 2 3, virtual 4; beta occupied 6, virtual 7 8.
  const std::vector<double> alpha = {1, 2, 3, 4}, beta = {5, 6, 7, 8};
  std::vector<double> both(6);
  combine_columns(alpha, {1, 3}, beta, {1, 2}, 1, both);
  EXPECT_EQ(both, (std::vector<double>{2, 3, 6, 4, 7, 8}));
  EXPECT_THROW(combine_columns(alpha, {0, 3}, beta, {1, 2}, 1, both), base::Error);
}

}  // namespace
}  // namespace blockyard::qc
