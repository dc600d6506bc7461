// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/atomic_problem.h"

#include <algorithm>
#include <cmath>

namespace blockyard::qc::detail {
namespace {

std::size_t components(std::size_t l) { return 2 * l + 1; }

/// The elements of a matrix over n shells of l that belong to the first component of both.
std::vector<double> radial_part(const std::vector<double>& block, std::size_t n, std::size_t l) {
  const std::size_t m = components(l);
  std::vector<double> radial(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) radial[i + n * j] = block[i * m + n * m * (j * m)];
  return radial;
}

/// out(i,rest) = sum over p of  c(p,i) in(p,rest),  p primitives, then the first index of `in` is
/// moved to the end: out is [rest + ... , i].
std::vector<double> contract_first(const std::vector<double>& in, const std::vector<double>& c,
                                   std::size_t primitives) {
  const std::size_t count = c.size() / primitives;
  const std::size_t rest = in.size() / primitives;
  std::vector<double> out(rest * count, 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t r = 0; r < rest; ++r)
      for (std::size_t p = 0; p < primitives; ++p)
        out[r + rest * i] += c[p + primitives * i] * in[p + primitives * r];
  return out;
}

/// out(i,j) = sum over p,q of  c(p,i) c(q,j) in(p,q)
std::vector<double> contract_pair(const std::vector<double>& in, const std::vector<double>& c,
                                  std::size_t primitives) {
  return contract_first(contract_first(in, c, primitives), c, primitives);
}

}  // namespace

std::vector<AtomicProblem::Shells> AtomicProblem::group(const std::vector<Contraction>& sorted) {
  std::vector<Shells> groups(static_cast<std::size_t>(sorted.back().angular_momentum) + 1);
  for (const auto& contraction : sorted) {
    auto& exponents = groups[static_cast<std::size_t>(contraction.angular_momentum)].exponents;
    exponents.insert(exponents.end(), contraction.exponents.begin(), contraction.exponents.end());
  }
  std::size_t first = 0;
  for (auto& [exponents, coefficients, contractions, range] : groups) {
    std::sort(exponents.begin(), exponents.end());
    exponents.erase(std::unique(exponents.begin(), exponents.end()), exponents.end());
    range = {first, exponents.size()};
    first += exponents.size();
  }
  for (const auto& contraction : sorted) {
    auto& group = groups[static_cast<std::size_t>(contraction.angular_momentum)];
    const std::size_t column = group.exponents.size() * group.contractions++;
    group.coefficients.resize(column + group.exponents.size(), 0.0);
    for (std::size_t k = 0; k < contraction.exponents.size(); ++k) {
      const auto place = std::lower_bound(group.exponents.begin(), group.exponents.end(),
                                          contraction.exponents[k]) -
                         group.exponents.begin();
      group.coefficients[column + static_cast<std::size_t>(place)] += contraction.coefficients[k];
    }
  }
  return groups;
}

AtomicProblem::AtomicProblem(const FreeAtom& atom, const std::vector<Contraction>& sorted)
    : shells_(group(sorted)),
      overlap_(momenta()),
      core_(momenta()),
      field_(momenta(), std::vector<std::vector<double>>(momenta())) {
  BasisSet primitives;
  for (std::size_t l = 0; l < momenta(); ++l)
    for (const double exponent : shells_[l].exponents)
      primitives.elements[atom.atomic_number].push_back({static_cast<int>(l), {exponent}, {1.0}});
  if (atom.core != nullptr) primitives.cores[atom.atomic_number] = *atom.core;
  const std::array<AtomSets, 1> sets = {AtomSets{&primitives, &primitives}};
  Molecule alone{{{.atomic_number = atom.atomic_number}}, 0, 1};
  take_cores(sets, alone);
  const Integrals integrals(alone, place_basis(sets, alone, true));
  IntegralEngine engine(integrals);
  for (std::size_t l = 0; l < momenta(); ++l)
    if (count(l) != 0) add_one_electron(engine, l);
  for (std::size_t l = 0; l < momenta(); ++l)
    for (std::size_t other = l; other < momenta(); ++other)
      if (count(l) != 0 && count(other) != 0) add_field(engine, l, other);
}

void AtomicProblem::normalise(Shells& shells, const std::vector<double>& overlap) {
  const std::size_t n = shells.exponents.size();
  const auto norms = contract_pair(overlap, shells.coefficients, n);
  for (std::size_t k = 0; k < shells.contractions; ++k)
    for (std::size_t p = 0; p < n; ++p)
      shells.coefficients[p + n * k] /= std::sqrt(norms[k * (shells.contractions + 1)]);
}

void AtomicProblem::add_one_electron(IntegralEngine& engine, std::size_t l) {
  auto& shells = shells_[l];
  const std::size_t n = shells.exponents.size();
  const std::size_t functions = n * components(l);
  std::vector<double> block(functions * functions);
  std::vector<double> potential(block.size());
  engine.overlap(shells.range, shells.range, block);
  const auto overlap = radial_part(block, n, l);
  normalise(shells, overlap);
  overlap_[l] = contract_pair(overlap, shells.coefficients, n);
  engine.kinetic(shells.range, shells.range, block);
  engine.nuclear_attraction(shells.range, shells.range, potential);
  std::transform(block.begin(), block.end(), potential.begin(), block.begin(), std::plus<>());
  engine.core_potential(shells.range, shells.range, potential);
  std::transform(block.begin(), block.end(), potential.begin(), block.begin(), std::plus<>());
  core_[l] = contract_pair(radial_part(block, n, l), shells.coefficients, n);
}

void AtomicProblem::add_field(IntegralEngine& engine, std::size_t l, std::size_t other) {
  const std::size_t ml = components(l), mo = components(other);
  const std::size_t n = shells_[l].exponents.size(), o = shells_[other].exponents.size();
  const std::size_t no = o * mo;  // functions of `other`
  const ShellRange b = shells_[other].range;
  std::vector<double> coulomb(ml * ml * no * no);   // (i j|b b)
  std::vector<double> exchange(ml * no * ml * no);  // (i b|j b)
  std::vector<double> field(n * n * o * o, 0.0);
  const double share = 1.0 / static_cast<double>(ml);
  // By pairs of shells: all integrals of a heavy atom would take hundreds of megabytes.
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      const ShellRange si{shells_[l].range.first + i, 1}, sj{shells_[l].range.first + j, 1};
      engine.electron_repulsion(si, sj, b, b, coulomb);
      engine.electron_repulsion(si, b, sj, b, exchange);
      for (std::size_t q = 0; q < no; ++q)
        for (std::size_t p = q % mo; p < no; p += mo) {  // p and q have the same component
          double sum = 0;
          for (std::size_t m = 0; m < ml; ++m)
            sum += coulomb[m + ml * (m + ml * (p + no * q))] -
                   0.5 * exchange[m + ml * (p + no * (m + ml * q))];
          const std::size_t s = p / mo, t = q / mo;
          field[i + n * (j + n * (s + o * t))] += share * sum;
          if (i != j) field[j + n * (i + n * (t + o * s))] += share * sum;
        }
    }
  const auto half = contract_pair(field, shells_[l].coefficients, n);
  field_[l][other] = contract_pair(half, shells_[other].coefficients, o);
  if (l == other) return;
  // The same sum over the components of both, with the pairs the other way round.
  const std::size_t pairs = shells_[l].contractions * shells_[l].contractions;
  const std::size_t other_pairs = field_[l][other].size() / pairs;
  field_[other][l].resize(field_[l][other].size());
  for (std::size_t kl = 0; kl < other_pairs; ++kl)
    for (std::size_t ij = 0; ij < pairs; ++ij)
      field_[other][l][kl + other_pairs * ij] =
          static_cast<double>(ml) / static_cast<double>(mo) * field_[l][other][ij + pairs * kl];
}

RadialMatrices AtomicProblem::fock(const RadialMatrices& density) const {
  RadialMatrices result = core_;
  for (std::size_t l = 0; l < momenta(); ++l)
    for (std::size_t other = 0; other < momenta(); ++other)
      for (std::size_t pair = 0; pair < density[other].size(); ++pair)
        for (std::size_t k = 0; k < result[l].size(); ++k)
          result[l][k] += density[other][pair] * field_[l][other][k + result[l].size() * pair];
  return result;
}

}  // namespace blockyard::qc::detail
