// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/integrals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "blockyard/qc/linear_algebra.h"
#include "blockyard/qc/segments.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

using std::numbers::pi;
constexpr std::size_t unsigned_of(Extent x) { return static_cast<std::size_t>(x); }

/// One normalised s Gaussian of the exponent on each atom.
Integrals s_functions(const Molecule& molecule, double exponent) {
  BasisSet basis{"one s", {}};
  for (const auto& atom : molecule.atoms)
    basis.elements[atom.atomic_number] = {{0, {exponent}, {1.0}}};
  return {molecule, place_basis(basis, molecule, true)};
}

TEST(Integrals, of_s_functions_are_the_closed_formulas) {
  const double alpha = 0.8, distance = 1.3;
  const Molecule molecule{{{1, {0, 0, 0}}, {1, {0, 0, distance}}}, 0, 1};
  const auto integrals = s_functions(molecule, alpha);
  IntegralEngine engine(integrals);
  const auto all = integrals.all_shells();
  std::vector<double> block(4);

  // Szabo & Ostlund (1996), appendix A: eqs. A.9, A.11, A.33, A.41
  const double decay = std::exp(-alpha * distance * distance / 2);
  engine.overlap(all, all, block);
  EXPECT_NEAR(block[0], 1.0, 1e-14);
  EXPECT_NEAR(block[1], decay, 1e-14);
  engine.kinetic(all, all, block);
  EXPECT_NEAR(block[0], 1.5 * alpha, 1e-13);
  EXPECT_NEAR(block[2], 0.5 * alpha * (3 - alpha * distance * distance) * decay, 1e-13);
  const auto boys = [](double t) { return 0.5 * std::sqrt(pi / t) * std::erf(std::sqrt(t)); };
  engine.nuclear_attraction(all, all, block);
  const double unit = 2 * std::sqrt(2 * alpha / pi);
  EXPECT_NEAR(block[0], -unit * (1 + boys(2 * alpha * distance * distance)), 1e-13);
  engine.dipole(Axis::z, all, all, block);
  EXPECT_NEAR(block[3], distance, 1e-13);
  EXPECT_NEAR(block[1], 0.5 * distance * decay, 1e-13);
  engine.dipole(Axis::x, all, all, block);
  EXPECT_NEAR(block[1], 0.0, 1e-14);

  std::vector<double> quartets(16);
  engine.electron_repulsion(all, all, all, all, quartets);
  EXPECT_NEAR(quartets[0], 2 * std::sqrt(alpha / pi), 1e-13);  // (11|11)
  EXPECT_NEAR(quartets[12],                                    // (11|22)
              2 * std::sqrt(alpha / pi) * boys(alpha * distance * distance), 1e-13);
}

TEST(Integrals, of_a_local_core_potential_are_the_closed_formula) {
  // A local potential c exp(-z r^2) and s functions: three Gaussians on a line.
  const double alpha = 0.8, distance = 1.3, c = -2.5, zeta = 0.4;
  BasisSet set{"one s", {{3, {{0, {alpha}, {1.0}}}}}, {{3, {2, {{0, {2}, {zeta}, {c}}}}}}};
  Molecule molecule{{{3, {0, 0, 0}}, {3, {0, 0, distance}, 0, 0, true}}, 0, 2};
  const std::vector<AtomSets> sets(2, AtomSets{&set, &set});
  take_cores(sets, molecule);
  const Integrals integrals(molecule, place_basis(sets, molecule, true));
  IntegralEngine engine(integrals);
  const auto all = integrals.all_shells();
  std::vector<double> block(4);
  engine.core_potential(all, all, block);
  const auto expected = [&](double a, double b) {  // functions at a and b on the axis
    const double p = 2 * alpha + zeta, q = alpha * (a + b) / p;
    const double exponent = alpha * (a * a + b * b) - p * q * q;
    return c * std::pow(2 * alpha / p, 1.5) * std::exp(-exponent);
  };
  EXPECT_NEAR(block[0], expected(0, 0), 1e-14);
  EXPECT_NEAR(block[1], expected(0, distance), 1e-14);
  EXPECT_NEAR(block[2], expected(0, distance), 1e-14);
  EXPECT_NEAR(block[3], expected(distance, distance), 1e-14);
}

TEST(Integrals, of_local_core_potentials_are_exact_for_each_power_of_r) {
  // Sums of squares from PySCF 2.14, ECPscalar, for potentials -1.7 r^(n-2) exp(-0.9 r^2) on the
  // first atom and s to f functions on all three. The quadrature of libecpint 1.0.7 has errors of
  // 1e-9 for p functions on one atom, with the potential on another.
  const std::vector<double> expected = {602.1465762297323, 68.24138784877778, 26.316607615928767,
                                        19.14297153101991, 20.00669094297931};
  const std::vector<Contraction> functions = {
      {0, {0.7}, {1.0}}, {1, {1.0}, {1.0}}, {2, {1.3}, {1.0}}, {3, {1.6}, {1.0}}};
  for (int power = 0; power <= 4; ++power) {
    BasisSet set{
        "s to f", {{3, functions}, {1, functions}}, {{3, {2, {{0, {power}, {0.9}, {-1.7}}}}}}};
    Molecule molecule{{{3, {0, 0, 0}}, {1, {0.3, 0.5, 1.0}}, {1, {-0.4, 0.9, -0.7}}}, 0, 2};
    const std::vector<AtomSets> sets(3, AtomSets{&set, &set});
    take_cores(sets, molecule);
    const Integrals integrals(molecule, place_basis(sets, molecule, true));
    IntegralEngine engine(integrals);
    std::vector<double> block(std::size_t{48} * 48);
    engine.core_potential(integrals.all_shells(), integrals.all_shells(), block);
    double sum = 0;
    for (const double x : block) sum += x * x;
    EXPECT_NEAR(sum / expected[static_cast<std::size_t>(power)], 1.0, 1e-12) << power;
  }
}

TEST(Integrals, of_a_core_potential_of_s_functions_are_the_closed_formula) {
  // c exp(-z r^2) for l = 0 only, between s functions at the same distance: their averages over
  // angles are sinh(k r) / (k r) exp(-a (r^2 + d^2)), k = 2 a d.
  const double alpha = 0.8, distance = 1.3, c = 2.5, zeta = 0.4;
  BasisSet set{"one s",
               {{3, {{0, {alpha}, {1.0}}}}, {1, {{0, {alpha}, {1.0}}}}},
               {{3, {2, {{1, {2}, {1.0}, {0.0}}, {0, {2}, {zeta}, {c}}}}}}};
  Molecule molecule{{{3, {0, 0, 0}}, {1, {0, 0, distance}}, {1, {distance, 0, 0}}}, 0, 2};
  const std::vector<AtomSets> sets(3, AtomSets{&set, &set});
  take_cores(sets, molecule);
  const Integrals integrals(molecule, place_basis(sets, molecule, true));
  IntegralEngine engine(integrals);
  std::vector<double> block(9);
  engine.core_potential(integrals.all_shells(), integrals.all_shells(), block);
  const double p = 2 * alpha + zeta, k = 2 * alpha * distance;
  const double norm = std::pow(2 * alpha / pi, 1.5);
  const double expected = norm * c * pi / (k * k) * std::sqrt(pi / p) *
                          std::exp(-2 * alpha * distance * distance) * std::expm1(k * k / p);
  for (const std::size_t at : {4U, 5U, 7U, 8U}) EXPECT_NEAR(block[at], expected, 1e-12) << at;
}

TEST(Integrals, of_core_potentials_do_not_depend_on_blocks_or_on_the_orientation) {
  const auto set = load_basis("cc-pvdz-pp", testing::data_folder);
  const auto trace = [&](std::string_view geometry, bool spherical, bool by_blocks) {
    auto molecule = testing::molecule_of(geometry);
    const std::vector<AtomSets> sets(2, AtomSets{&set, &set});
    take_cores(sets, molecule);
    const Integrals integrals(molecule, place_basis(sets, molecule, spherical));
    IntegralEngine engine(integrals);
    const auto segments =
        segment_shells(integrals.basis(), by_blocks ? 10 : integrals.basis().function_count);
    double sum = 0;  // of squares
    for (const auto a : segments.shells)
      for (const auto b : segments.shells) {
        std::vector<double> block(
            unsigned_of(integrals.function_count(a) * integrals.function_count(b)));
        engine.core_potential(a, b, block);
        for (const double x : block) sum += x * x;
      }
    return sum;
  };
  const double whole = trace("Ag 0 0 0\nCu 0 0 2.5\n", true, false);
  EXPECT_GT(whole, 1);
  EXPECT_NEAR(trace("Ag 0 0 0\nCu 0 0 2.5\n", true, true) / whole, 1, 1e-10);
  EXPECT_NEAR(trace("Ag 0 0 0\nCu 1.5 0 2.0\n", true, true) / whole, 1, 1e-9);
}

/// The block of all functions, and the ranges of the segments.
struct Water {
  Integrals integrals;
  AoSegments segments;
  IntegralEngine engine;
  std::size_t n;
  explicit Water(bool spherical)
      : integrals(
            testing::integrals_of(testing::molecule_of(testing::water), "cc-pvdz", spherical)),
        segments(segment_shells(integrals.basis(), 7)),
        engine(integrals),
        n(unsigned_of(integrals.basis().function_count)) {}
  /// (ab|cd) of all functions.
  std::vector<double> repulsion() {
    const auto all = integrals.all_shells();
    std::vector<double> values(n * n * n * n);
    engine.electron_repulsion(all, all, all, all, values);
    return values;
  }
};

class IntegralBlocks : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(SphericalAndCartesian, IntegralBlocks, ::testing::Bool());

TEST_P(IntegralBlocks, repulsion_has_its_eight_symmetries) {
  Water water(GetParam());
  const std::size_t n = water.n;
  const std::vector<double> g = water.repulsion();
  const auto at = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return g[a + n * (b + n * (c + n * d))];
  };
  for (std::size_t d = 0; d < n; ++d)
    for (std::size_t c = 0; c <= d; ++c)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t a = 0; a <= b; ++a) {
          const double value = at(a, b, c, d);
          for (const double image : {at(b, a, c, d), at(a, b, d, c), at(b, a, d, c), at(c, d, a, b),
                                     at(d, c, a, b), at(c, d, b, a), at(d, c, b, a)})
            ASSERT_NEAR(value, image, 1e-13);
        }
}

TEST_P(IntegralBlocks, every_block_is_the_part_of_the_whole) {
  Water water(GetParam());
  const std::size_t n = water.n;
  const std::vector<double> whole = water.repulsion();
  const auto& [extents, shells] = water.segments;
  ASSERT_GE(extents.size(), 3U);
  const auto first = [&](std::size_t s) {
    return unsigned_of(water.integrals.basis().shells[shells[s].first].first_function);
  };
  const auto size = [&](std::size_t s) { return unsigned_of(extents[s]); };
  const std::size_t count = extents.size();
  for (std::size_t code = 0; code < count * count * count * count; ++code) {
    const std::size_t p = code % count, q = code / count % count;
    const std::size_t r = code / count / count % count, s = code / count / count / count;
    std::vector<double> block(size(p) * size(q) * size(r) * size(s), 1e9);
    water.engine.electron_repulsion(shells[p], shells[q], shells[r], shells[s], block);
    std::size_t k = 0;
    for (std::size_t d = 0; d < size(s); ++d)
      for (std::size_t c = 0; c < size(r); ++c)
        for (std::size_t b = 0; b < size(q); ++b)
          for (std::size_t a = 0; a < size(p); ++a, ++k)
            ASSERT_NEAR(
                block[k],
                whole[first(p) + a + n * (first(q) + b + n * (first(r) + c + n * (first(s) + d)))],
                1e-12);
  }
}

// A shell alone is computed as it is; many of the same primitives are computed over these.
TEST(Integrals, of_general_contractions_are_those_of_their_shells) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of("Fe 0 0 0\nH 0.3 0.5 1.4\n"), "cc-pvdz", true);
  const auto& shells = integrals.basis().shells;
  IntegralEngine engine(integrals);
  const ShellRange s{0, 6}, p{6, 5}, hydrogen{shells.size() - 3, 3};
  ASSERT_EQ(shells[5].contraction.angular_momentum, 0);
  ASSERT_EQ(shells[10].contraction.angular_momentum, 1);
  const auto offset = [&](ShellRange range, std::size_t shell) {
    return unsigned_of(shells[shell].first_function - shells[range.first].first_function);
  };
  for (const auto& ranges : {std::array{s, s, s, s}, std::array{s, p, s, p}, std::array{p, p, s, s},
                             std::array{p, s, hydrogen, s}}) {
    std::array<std::size_t, 4> stride{};
    std::size_t size = 1;
    for (std::size_t k = 0; k < 4; ++k) {
      stride[k] = size;
      size *= unsigned_of(integrals.function_count(ranges[k]));
    }
    std::vector<double> whole(size);
    engine.electron_repulsion(ranges[0], ranges[1], ranges[2], ranges[3], whole);
    for (std::size_t k = 0; k < 6; ++k) {
      std::array<std::size_t, 4> at{};
      for (std::size_t i = 0; i < 4; ++i)
        at[i] = ranges[i].first + (k * (i + 1) + i) % ranges[i].count;
      std::vector<double> one(
          unsigned_of(shells[at[0]].function_count * shells[at[1]].function_count *
                      shells[at[2]].function_count * shells[at[3]].function_count));
      engine.electron_repulsion({at[0], 1}, {at[1], 1}, {at[2], 1}, {at[3], 1}, one);
      std::size_t first = 0;
      for (std::size_t i = 0; i < 4; ++i) first += stride[i] * offset(ranges[i], at[i]);
      EXPECT_NEAR(whole[first], one[0], 1e-12 * std::max(1.0, std::abs(one[0])));
      EXPECT_NEAR(whole[first + (unsigned_of(shells[at[0]].function_count) - 1) * stride[0]],
                  one[unsigned_of(shells[at[0]].function_count) - 1],
                  1e-12 * std::max(1.0, std::abs(one[0])));
    }
  }
}

TEST_P(IntegralBlocks, schwarz_screening_changes_nothing_that_counts) {
  const auto molecule = testing::molecule_of(testing::water);
  const auto basis = place_basis(load_basis("6-31g*", testing::data_folder), molecule, GetParam());
  const Integrals screened(molecule, basis);
  const Integrals exact(molecule, basis, {0.0, 0.0});
  IntegralEngine one(screened);
  IntegralEngine other(exact);
  const auto n = unsigned_of(basis.function_count);
  std::vector<double> g(n * n * n * n), h(g.size());
  const auto all = screened.all_shells();
  one.electron_repulsion(all, all, all, all, g);
  other.electron_repulsion(all, all, all, all, h);
  for (std::size_t k = 0; k < g.size(); ++k) ASSERT_NEAR(g[k], h[k], 1e-12);
}

TEST(Integrals, over_spherical_functions_do_not_change_when_the_molecule_turns) {
  auto turned = testing::molecule_of(testing::water);
  const double angle = 0.7;
  for (auto& atom : turned.atoms) {
    auto& [x, y, z] = atom.position_bohr;
    const Vector3 old = atom.position_bohr;
    y = std::cos(angle) * old[1] - std::sin(angle) * old[2];
    z = std::sin(angle) * old[1] + std::cos(angle) * old[2];
    const double moved = x;
    x = std::cos(angle) * moved - std::sin(angle) * y;
    y = std::sin(angle) * moved + std::cos(angle) * y;
  }
  Water water(true);
  const auto other = testing::integrals_of(turned, "cc-pvdz", true);
  IntegralEngine engine(other);
  const auto all = other.all_shells();
  const std::size_t n = water.n;
  const auto squares = [&](IntegralEngine& of, auto member) {
    std::vector<double> block(n * n);
    (of.*member)(all, all, block);
    double sum = 0.0;
    for (const double x : block) sum += x * x;
    return sum;
  };
  for (const auto member :
       {&IntegralEngine::overlap, &IntegralEngine::kinetic, &IntegralEngine::nuclear_attraction})
    EXPECT_NEAR(squares(engine, member) / squares(water.engine, member), 1.0, 1e-12);
}

TEST(Integrals, a_block_of_the_wrong_size_is_refused) {
  Water water(true);
  std::vector<double> block(3);
  const auto all = water.integrals.all_shells();
  EXPECT_THROW(water.engine.overlap(all, all, block), base::Error);
  EXPECT_THROW(water.engine.electron_repulsion(all, all, all, all, block), base::Error);
  EXPECT_THROW(water.engine.overlap({1000, 1}, all, block), base::Error);
}

/// A molecule whose basis is fitted by an auxiliary one.
Integrals fitted(const Molecule& molecule, const BasisSet& basis, const BasisSet& auxiliary) {
  return {molecule, place_basis(basis, molecule, true), {}, place_auxiliary(auxiliary, molecule)};
}

TEST(Integrals, of_three_centres_are_those_of_four_with_a_product_in_place_of_the_function) {
  // exp(-a r^2) exp(-a r^2) is one s function of exponent 2 a.
  const double alpha = 0.8;
  const Molecule molecule{{{1, {0, 0, 0}}, {1, {0, 0.4, 1.3}}}, 0, 1};
  const BasisSet basis{"s and p", {{1, {{0, {alpha}, {1.0}}, {1, {1.1}, {1.0}}}}}};
  const BasisSet product{"s", {{1, {{0, {2 * alpha}, {1.0}}}}}};
  const auto integrals = fitted(molecule, basis, product);
  IntegralEngine engine(integrals);
  const auto all = integrals.all_shells();
  const std::size_t n = 8;
  std::vector<double> three(n * n * 2), four(n * n), metric(4), quartet(1);
  engine.fitting(all, all, {0, 2}, three);
  engine.fitting_metric({0, 2}, {0, 2}, metric);
  // Norm of an s function of exponent a: (2 a / pi)^(3/4); the product has the square of alpha's.
  const double scale = std::pow(4 * alpha / pi, 0.75) / std::pow(2 * alpha / pi, 1.5);
  for (const std::size_t p : {0U, 1U}) {
    const std::size_t shell = 2 * p;  // the s function of that atom
    engine.electron_repulsion(all, all, {shell, 1}, {shell, 1}, four);
    for (std::size_t k = 0; k < n * n; ++k)
      EXPECT_NEAR(three[k + n * n * p], scale * four[k], 1e-13);
    for (const std::size_t q : {0U, 1U}) {
      engine.electron_repulsion({shell, 1}, {shell, 1}, {2 * q, 1}, {2 * q, 1}, quartet);
      EXPECT_NEAR(metric[p + 2 * q], scale * scale * quartet[0], 1e-13);
    }
  }
}

TEST(Integrals, fitting_blocks_are_parts_of_the_whole_and_fit_well) {
  const auto molecule = testing::molecule_of(testing::water);
  const auto integrals = fitted(molecule, load_basis("cc-pvdz", testing::data_folder),
                                load_auxiliary("cc-pvtz", testing::data_folder));
  IntegralEngine engine(integrals);
  const auto all = integrals.all_shells();
  const ShellRange fits{0, integrals.auxiliary().shells.size()};
  const auto n = unsigned_of(integrals.basis().function_count);
  const auto count = unsigned_of(integrals.auxiliary().function_count);
  std::vector<double> whole(n * n * count), metric(count * count), vectors(count * count);
  engine.fitting(all, all, fits, whole);
  engine.fitting_metric(fits, fits, metric);
  const ShellRange a{1, 3}, b{4, 2}, p{5, 7};
  const auto function = [](const AoBasis& basis, std::size_t shell) {
    return unsigned_of(basis.shells[shell].first_function);
  };
  const std::size_t a0 = function(integrals.basis(), a.first), b0 = function(integrals.basis(), 4),
                    p0 = function(integrals.auxiliary(), p.first);
  const std::size_t na = function(integrals.basis(), 4) - a0,
                    nb = function(integrals.basis(), 6) - b0,
                    np = function(integrals.auxiliary(), 12) - p0;
  std::vector<double> block(na * nb * np);
  engine.fitting(a, b, p, block);
  for (std::size_t z = 0; z < np; ++z)
    for (std::size_t y = 0; y < nb; ++y)
      for (std::size_t x = 0; x < na; ++x)
        EXPECT_EQ(block[x + na * (y + nb * z)], whole[a0 + x + n * (b0 + y + n * (p0 + z))]);

  EXPECT_EQ(eigen_calc_sqr_inv(metric, vectors, 1e-12), 0);
  std::vector<double> exact(n * n * n * n);
  engine.electron_repulsion(all, all, all, all, exact);
  double largest = 0;
  for (std::size_t ab = 0; ab < n * n; ++ab) {
    double fit = 0;
    for (std::size_t v = 0; v < count; ++v) {
      double part = 0;
      for (std::size_t q = 0; q < count; ++q)
        part += whole[ab + n * n * q] * vectors[q + count * v];
      fit += std::pow(part * metric[v * (count + 1)], 2);
    }
    // A fit by the Coulomb metric never gives more than the integral itself.
    EXPECT_LT(fit, exact[ab * (n * n + 1)] + 1e-12);
    largest = std::max(largest, exact[ab * (n * n + 1)] - fit);
  }
  EXPECT_LT(largest, 0.02);
}

}  // namespace
}  // namespace blockyard::qc
