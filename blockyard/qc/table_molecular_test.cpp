// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "blockyard/qc/table_fixture.h"

namespace blockyard::qc {
namespace {

using array::IndexKind;
using testing::Block;
using testing::ChemistryTable;

/// What a Fock batch adds to F of one spin for each integral (ab|cd): the table of the old super
/// instructions.
void add_by_definition(std::string_view name, const Block& v,
                       const std::array<std::size_t, 4>& first, const Block& own,
                       const Block& other, Block& f) {
  const auto at = [](std::size_t p, std::size_t q) { return p + 24 * q; };
  const auto n = [&](std::size_t k) { return static_cast<std::size_t>(v.extents[k]); };
  for (std::size_t d = first[3]; d < first[3] + n(3); ++d)
    for (std::size_t c = first[2]; c < first[2] + n(2); ++c)
      for (std::size_t b = first[1]; b < first[1] + n(1); ++b)
        for (std::size_t a = first[0]; a < first[0] + n(0); ++a) {
          const double i =
              v.values[a - first[0] +
                       n(0) * (b - first[1] + n(1) * (c - first[2] + n(2) * (d - first[3])))];
          const auto both = [&](std::size_t p, std::size_t q) {
            return own.values[at(p, q)] + other.values[at(p, q)];
          };
          const auto add = [&](std::size_t p, std::size_t q, double value) {
            f.values[at(p, q)] += value;
          };
          const auto twice = [&](std::size_t p, std::size_t q, double value) {
            add(p, q, value);
            add(q, p, value);
          };
          const auto k = [&](std::size_t p, std::size_t q) { return -own.values[at(p, q)] * i; };
          if (name == "compute_ubatch1" || name == "compute_ubatch4") {
            twice(a, b, 2 * both(c, d) * i);
            twice(c, d, 2 * both(a, b) * i);
            twice(a, c, k(b, d)), twice(a, d, k(b, c)), twice(b, c, k(a, d)), twice(b, d, k(a, c));
          } else if (name == "compute_ubatch2") {
            add(a, b, 2 * both(c, d) * i);
            twice(c, d, both(a, b) * i);
            twice(a, c, k(b, d)), twice(a, d, k(b, c));
          } else if (name == "compute_ubatch7") {
            add(a, b, both(c, d) * i);
            add(c, d, both(a, b) * i);
            twice(a, c, k(b, d));
          } else {  // compute_ubatch8
            twice(a, b, 2 * both(c, d) * i);
            add(a, c, k(b, d)), add(a, d, k(b, c)), add(b, c, k(a, d)), add(b, d, k(a, c));
          }
        }
}

TEST_F(ChemistryTable, each_fock_batch_adds_what_its_row_says) {
  Block alpha = Block::whole({24, 24}), beta = alpha;
  for (std::size_t p = 0; p < 24; ++p)
    for (std::size_t q = 0; q < 24; ++q) {
      alpha.values[p + 24 * q] = 1.0 / static_cast<double>(1 + p + q);
      beta.values[p + 24 * q] = 0.3 * static_cast<double>((p * q) % 7);
    }
  const std::vector<Extent> extents = {14, 10};
  const std::array<std::size_t, 2> offset = {0, 14};
  for (const auto& [name, segments] : {std::pair{"compute_ubatch1", std::array{1, 2, 1, 2}},
                                       {"compute_ubatch4", {1, 2, 2, 1}},
                                       {"compute_ubatch2", {1, 1, 1, 2}},
                                       {"compute_ubatch7", {1, 1, 2, 2}},
                                       {"compute_ubatch8", {1, 2, 1, 2}}}) {
    std::vector<Extent> shape;
    std::array<std::size_t, 4> first{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto s = static_cast<std::size_t>(segments[k] - 1);
      shape.push_back(extents[s]);
      first[k] = offset[s];
    }
    Block v(shape, {segments.begin(), segments.end()}, std::vector(4, IndexKind::ao)),
        integrals = v;
    Block fa = Block::whole({24, 24}), fb = fa, expected_a = fa, expected_b = fa;
    run("compute_integral_batch", {&integrals});
    run(name, {&v, &alpha, &beta, &fa, &fb});
    add_by_definition(name, integrals, first, alpha, beta, expected_a);
    add_by_definition(name, integrals, first, beta, alpha, expected_b);
    for (std::size_t k = 0; k < fa.values.size(); ++k) {
      ASSERT_NEAR(fa.values[k], expected_a.values[k], 1e-11) << name;
      ASSERT_NEAR(fb.values[k], expected_b.values[k], 1e-11) << name;
    }
  }
}

TEST_F(ChemistryTable, overlap_is_of_normalised_functions) {
  Block s({14, 14}, {1, 1}, {IndexKind::ao, IndexKind::ao});
  run("return_ovl", {&s});
  for (std::size_t k = 0; k < 14; ++k) EXPECT_NEAR(s.values[k * 15], 1.0, 1e-12);
  EXPECT_NEAR(s.values[3 * 14], 0.0, 1e-15);  // an s with a p function of one atom
  EXPECT_NEAR(s.values[1], s.values[14], 1e-15);
}

TEST_F(ChemistryTable, what_older_programs_call_and_we_do_not_need_changes_nothing) {
  Block matrix = Block::whole({24, 24}), zmax = Block::scalar(3), imax = Block::scalar(4);
  run("compute_int_scratchmem", {&matrix, &zmax, &imax});
  EXPECT_EQ(matrix.values, std::vector<double>(24 * 24, 0.0));
  Block flags({1, 1}, {2, 3}, {IndexKind::simple, IndexKind::simple});
  flags.values = {7.0};
  run("set_flags2", {&flags});
  EXPECT_EQ(flags.values[0], 7.0);
  Block ecp({14, 10}, {1, 2}, {IndexKind::ao, IndexKind::ao});
  ecp.values[5] = 1.0;
  run("return_1el_ecpints", {&ecp});
  EXPECT_EQ(ecp.values, std::vector<double>(140, 0.0));
}

}  // namespace
}  // namespace blockyard::qc
