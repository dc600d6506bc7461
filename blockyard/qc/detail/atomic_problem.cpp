// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/atomic_problem.h"

#include <algorithm>

namespace blockyard::qc::detail {
namespace {

std::size_t components(std::size_t l) { return 2 * l + 1; }

Integrals atom_integrals(int atomic_number, const std::vector<Contraction>& contractions) {
  const Molecule atom{{{atomic_number, {}}}, 0, 1};
  const BasisSet basis{"of one atom", {{atomic_number, contractions}}};
  return {atom, place_basis(basis, atom, true)};
}

}  // namespace

AtomicProblem::AtomicProblem(int atomic_number, const std::vector<Contraction>& sorted) {
  const Integrals integrals = atom_integrals(atomic_number, sorted);
  IntegralEngine engine(integrals);
  counts_.resize(static_cast<std::size_t>(sorted.back().angular_momentum) + 1);
  for (const auto& contraction : sorted)
    ++counts_[static_cast<std::size_t>(contraction.angular_momentum)];
  std::size_t first = 0;
  for (const std::size_t count : counts_) {
    ranges_.push_back({first, count});
    first += count;
  }
  overlap_.resize(momenta());
  core_.resize(momenta());
  field_.assign(momenta(), std::vector<std::vector<double>>(momenta()));
  for (std::size_t l = 0; l < momenta(); ++l) {
    if (counts_[l] == 0) continue;
    const std::size_t functions = counts_[l] * components(l);
    std::vector<double> block(functions * functions);
    engine.overlap(ranges_[l], ranges_[l], block);
    overlap_[l] = radial_part(block, l);
    engine.kinetic(ranges_[l], ranges_[l], block);
    core_[l] = radial_part(block, l);
    engine.nuclear_attraction(ranges_[l], ranges_[l], block);
    const auto attraction = radial_part(block, l);
    std::transform(core_[l].begin(), core_[l].end(), attraction.begin(), core_[l].begin(),
                   std::plus<>());
    for (std::size_t other = 0; other < momenta(); ++other)
      if (counts_[other] != 0) add_field(engine, l, other);
  }
}

std::vector<double> AtomicProblem::radial_part(const std::vector<double>& block,
                                               std::size_t l) const {
  const std::size_t n = counts_[l];
  const std::size_t m = components(l);
  std::vector<double> radial(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) radial[i + n * j] = block[i * m + n * m * (j * m)];
  return radial;
}

void AtomicProblem::add_field(IntegralEngine& engine, std::size_t l, std::size_t other) {
  const std::size_t ml = components(l), mo = components(other);
  const std::size_t n = counts_[l], o = counts_[other];
  const std::size_t nl = n * ml, no = o * mo;  // functions
  const ShellRange a = ranges_[l], b = ranges_[other];
  std::vector<double> coulomb(nl * nl * no * no);   // (a a|b b)
  std::vector<double> exchange(nl * no * nl * no);  // (a b|a b)
  engine.electron_repulsion(a, a, b, b, coulomb);
  engine.electron_repulsion(a, b, a, b, exchange);
  auto& field = field_[l][other];
  field.assign(n * n * o * o, 0.0);
  const double share = 1.0 / static_cast<double>(ml);
  for (std::size_t q = 0; q < no; ++q)
    for (std::size_t p = q % mo; p < no; p += mo)  // p and q have the same component
      for (std::size_t j = 0; j < nl; ++j)
        for (std::size_t i = j % ml; i < nl; i += ml)
          field[(i / ml + n * (j / ml)) + n * n * (p / mo + o * (q / mo))] +=
              share * (coulomb[i + nl * (j + nl * (p + no * q))] -
                       0.5 * exchange[i + nl * (p + no * (j + nl * q))]);
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
