// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fock_batch.h"

#include <gtest/gtest.h>

#include <random>

#include "blockyard/qc/segments.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

std::vector<double> random_symmetric(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<double> matrix(n * n);
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t a = 0; a <= b; ++a) matrix[a + b * n] = matrix[b + a * n] = value(random);
  return matrix;
}

/// The batch of a quadruple of segments in the loops of the SCF programs, or nothing.
std::optional<FockBatch> batch_of(std::size_t mu, std::size_t nu, std::size_t la, std::size_t si) {
  if (mu == nu && nu == la && la == si) return FockBatch::single;
  if (mu == nu && la == si) return mu < la ? std::optional(FockBatch::equal_bra_ket) : std::nullopt;
  if (mu == nu) return la < si ? std::optional(FockBatch::equal_bra) : std::nullopt;
  std::optional<FockBatch> batch;
  if (mu > nu || la >= si) return batch;
  if (mu == la && nu == si) return FockBatch::bra_equals_ket;
  const bool once = mu == la ? nu < si : nu == la ? mu < si : mu < la;
  if (once) batch = FockBatch::all_different;
  return batch;
}

TEST(FockBatches, of_a_molecule_add_up_to_its_fock_matrices) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of(testing::water), "6-31g*", true);
  const auto segments = segment_shells(integrals.basis(), 4);
  ASSERT_GE(segments.extents.size(), 4U);
  const auto n = static_cast<std::size_t>(integrals.basis().function_count);
  const auto alpha = random_symmetric(n, 1), beta = random_symmetric(n, 2);
  std::vector<double> fock_alpha(n * n), fock_beta(n * n);
  const FockMatrices matrices{static_cast<Extent>(n), {alpha, beta}, {fock_alpha, fock_beta}};
  IntegralEngine engine(integrals);
  const std::size_t count = segments.extents.size();
  for (std::size_t code = 0; code < count * count * count * count; ++code) {
    const std::array<std::size_t, 4> s = {code % count, code / count % count,
                                          code / count / count % count,
                                          code / count / count / count};
    const auto batch = batch_of(s[0], s[1], s[2], s[3]);
    if (!batch) continue;
    std::array<Extent, 4> extents{};
    std::array<Extent, 4> first{};
    std::size_t size = 1;
    for (std::size_t k = 0; k < 4; ++k) {
      extents[k] = segments.extents[s[k]];
      first[k] = integrals.basis().shells[segments.shells[s[k]].first].first_function;
      size *= static_cast<std::size_t>(extents[k]);
    }
    std::vector<double> block(size);
    engine.electron_repulsion(segments.shells[s[0]], segments.shells[s[1]], segments.shells[s[2]],
                              segments.shells[s[3]], block);
    add_fock_batch(*batch, block, extents, first, matrices);
  }

  const auto all = integrals.all_shells();
  std::vector<double> g(n * n * n * n), expected_alpha(n * n), expected_beta(n * n);
  engine.electron_repulsion(all, all, all, all, g);
  for (std::size_t d = 0; d < n; ++d)
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t a = 0; a < n; ++a) {
          const double value = g[a + n * (b + n * (c + n * d))];
          const double both = (alpha[c + n * d] + beta[c + n * d]) * value;
          expected_alpha[a + n * b] += both;
          expected_beta[a + n * b] += both;
          expected_alpha[a + n * c] -= alpha[b + n * d] * value;
          expected_beta[a + n * c] -= beta[b + n * d] * value;
        }
  for (std::size_t k = 0; k < n * n; ++k) {
    ASSERT_NEAR(fock_alpha[k], expected_alpha[k], 1e-10);
    ASSERT_NEAR(fock_beta[k], expected_beta[k], 1e-10);
  }
}

}  // namespace
}  // namespace blockyard::qc
