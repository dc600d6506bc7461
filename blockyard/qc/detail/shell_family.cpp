// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/shell_family.h"

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::qc::detail {

namespace {

/// How many steps of a contracted quartet a call for one quartet of primitives takes.
constexpr double steps_of_call = 16;

bool holds(const std::vector<double>& exponents, double exponent) {
  return std::ranges::find(exponents, exponent) != exponents.end();
}

bool shares(const libint2::Shell& shell, const std::vector<double>& exponents) {
  return std::ranges::any_of(shell.alpha, [&](double alpha) { return holds(exponents, alpha); });
}

void fill(ShellFamily& family, std::span<const libint2::Shell> shells,
          const std::vector<double>& exponents) {
  const libint2::Shell& first = shells[family.first];
  for (const double exponent : exponents)
    family.primitives.push_back(
        {{exponent}, {{first.contr[0].l, first.contr[0].pure, {1.0}}}, first.O});
  family.coefficients.resize(exponents.size() * family.count);
  for (std::size_t s = 0; s < family.count; ++s) {
    const libint2::Shell& shell = shells[family.first + s];
    family.written += shell.alpha.size();
    for (std::size_t k = 0; k < shell.alpha.size(); ++k) {
      const auto at = static_cast<std::size_t>(std::ranges::find(exponents, shell.alpha[k]) -
                                               exponents.begin());
      family.coefficients[at + exponents.size() * s] +=
          shell.contr[0].coeff[k] / family.primitives[at].contr[0].coeff[0];
    }
  }
}

/// to[k] += factor from[k]
void add(double factor, const double* from, std::size_t count, double* to) {
  if (factor == 0.0) return;
  for (std::size_t k = 0; k < count; ++k) to[k] += factor * from[k];
}

double coefficient(const FamilyPiece& piece, std::size_t primitive, std::size_t number) {
  return piece.family->coefficients[primitive + piece.family->primitives.size() *
                                                    (piece.first + number - piece.family->first)];
}

/// Adds `from` to the place of each shell of the piece, by its coefficient of the primitive.
void spread(const FamilyPiece& piece, std::size_t primitive, std::span<const double> from,
            std::span<double> to) {
  for (std::size_t s = 0; s < piece.count; ++s)
    add(coefficient(piece, primitive, s), from.data(), from.size(), to.data() + s * from.size());
}

}  // namespace

std::vector<ShellFamily> families_of(std::span<const libint2::Shell> shells,
                                     std::span<const std::size_t> atoms) {
  base::require(shells.size() == atoms.size(), "an atom of each shell");
  std::vector<ShellFamily> families;
  for (std::size_t first = 0; first < shells.size();) {
    std::vector<double> exponents(shells[first].alpha.begin(), shells[first].alpha.end());
    std::size_t end = first + 1;
    for (; end < shells.size(); ++end) {
      const libint2::Shell& next = shells[end];
      if (atoms[end] != atoms[first] || next.contr[0].l != shells[first].contr[0].l ||
          !shares(next, exponents))
        break;
      for (const double alpha : next.alpha)
        if (!holds(exponents, alpha)) exponents.push_back(alpha);
    }
    ShellFamily& family = families.emplace_back();
    family.first = first;
    family.count = end - first;
    fill(family, shells, exponents);
    first = end;
  }
  return families;
}

bool pays_by_primitives(const std::array<FamilyPiece, 4>& pieces) {
  double by_shells = 1, by_primitives = steps_of_call;
  for (const FamilyPiece& piece : pieces) {
    const auto primitives = static_cast<double>(piece.family->primitives.size());
    by_shells *= static_cast<double>(piece.family->written) * static_cast<double>(piece.count) /
                 static_cast<double>(piece.family->count);
    by_primitives *= primitives;
  }
  return by_primitives < by_shells;
}

double primitive_share(const ShellFamily& family) {
  const FamilyPiece whole{&family, family.first, family.count};
  if (!pays_by_primitives({whole, whole, whole, whole})) return 1;
  return 2 * static_cast<double>(family.primitives.size()) /  // 2: fourth root of steps_of_call
         static_cast<double>(family.written);
}

void FamilyQuartets::contract_bra(const std::array<FamilyPiece, 4>& pieces, std::size_t c,
                                  std::size_t d, const libint2::ShellPair& ket,
                                  const Compute& compute) {
  const auto& [pa, pb, pc, pd] = pieces;
  const auto& as = pa.family->primitives;
  const auto& bs = pb.family->primitives;
  half_.assign(size_ * pa.count * pb.count, 0.0);
  for (std::size_t b = 0; b < bs.size(); ++b) {
    one_.assign(size_ * pa.count, 0.0);
    for (std::size_t a = 0; a < as.size(); ++a) {
      const double* values = compute(pd.family->primitives[d], pc.family->primitives[c], bs[b],
                                     as[a], ket, bra_[a + as.size() * b]);
      if (values != nullptr) spread(pa, a, {values, size_}, one_);
    }
    spread(pb, b, one_, half_);
  }
}

void FamilyQuartets::compute(const std::array<FamilyPiece, 4>& pieces, double ln_threshold,
                             const Compute& compute) {
  pieces_ = pieces;
  const auto& [pa, pb, pc, pd] = pieces;
  size_ = 1;
  for (const FamilyPiece& piece : pieces) size_ *= piece.family->primitives[0].size();
  bra_.clear();
  for (const libint2::Shell& b : pb.family->primitives)
    for (const libint2::Shell& a : pa.family->primitives) bra_.emplace_back(b, a, ln_threshold);
  const std::size_t bra = size_ * pa.count * pb.count;
  all_.assign(bra * pd.count * pc.count, 0.0);
  for (std::size_t c = 0; c < pc.family->primitives.size(); ++c) {
    quarter_.assign(bra * pd.count, 0.0);
    for (std::size_t d = 0; d < pd.family->primitives.size(); ++d) {
      const libint2::ShellPair ket(pd.family->primitives[d], pc.family->primitives[c],
                                   ln_threshold);
      if (ket.primpairs.empty()) continue;
      contract_bra(pieces, c, d, ket, compute);
      spread(pd, d, half_, quarter_);
    }
    spread(pc, c, quarter_, all_);
  }
}

const double* FamilyQuartets::quartet(const std::array<std::size_t, 4>& shells) const {
  const auto at = [&](std::size_t k) { return shells[k] - pieces_[k].first; };
  return all_.data() +
         size_ * (at(0) + pieces_[0].count *
                              (at(1) + pieces_[1].count * (at(3) + pieces_[3].count * at(2))));
}

}  // namespace blockyard::qc::detail
