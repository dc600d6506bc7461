// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fock_batch.h"

#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

/// A matrix block F(pq) that the integrals add to, from the density block D(rs).
struct Term {
  int p, q;  // which of a, b, c, d
  int r, s;
  double factor;  // of D_alpha + D_beta for the Coulomb terms, of D_spin for exchange
  bool mirrored;  // F(qp) gets the same
};

constexpr int a = 0, b = 1, c = 2, d = 3;

struct Terms {
  std::vector<Term> coulomb;
  std::vector<Term> exchange;
};

Terms terms_of(FockBatch batch) {
  switch (batch) {
    case FockBatch::all_different:
      return {{{a, b, c, d, 2.0, true}, {c, d, a, b, 2.0, true}},
              {{a, c, b, d, -1.0, true},
               {a, d, b, c, -1.0, true},
               {b, c, a, d, -1.0, true},
               {b, d, a, c, -1.0, true}}};
    case FockBatch::equal_bra:
      return {{{a, b, c, d, 2.0, false}, {c, d, a, b, 1.0, true}},
              {{a, c, b, d, -1.0, true}, {a, d, b, c, -1.0, true}}};
    case FockBatch::single:
      return {{{a, b, c, d, 1.0, false}}, {{a, c, b, d, -1.0, false}}};
    case FockBatch::equal_bra_ket:
      return {{{a, b, c, d, 1.0, false}, {c, d, a, b, 1.0, false}}, {{a, c, b, d, -1.0, true}}};
    case FockBatch::bra_equals_ket:
      return {{{a, b, c, d, 2.0, true}},
              {{a, c, b, d, -1.0, false},
               {a, d, b, c, -1.0, false},
               {b, c, a, d, -1.0, false},
               {b, d, a, c, -1.0, false}}};
  }
  throw base::Error(base::Errc::internal, "a batch that exists");
}

using Index4 = std::array<Extent, 4>;

/// result(pq) = sum over r,s of  integrals(abcd) density(rs),  dense blocks. The loops follow the
/// integrals in memory; the innermost is a sum or an update over a.
std::vector<double> contract(const Term& term, std::span<const double> integrals, const Index4& n,
                             const std::vector<double>& density) {
  const auto size = [&](int k) { return n[static_cast<std::size_t>(k)]; };
  std::vector<double> result(static_cast<std::size_t>(size(term.p) * size(term.q)), 0.0);
  const bool a_in_result = term.p == a;  // a is always the first of its pair
  Index4 at{};
  const double* values = integrals.data();
  for (at[d] = 0; at[d] < n[d]; ++at[d])
    for (at[c] = 0; at[c] < n[c]; ++at[c])
      for (at[b] = 0; at[b] < n[b]; ++at[b], values += n[a]) {
        const auto place = [&](int first, int second) {
          return at[static_cast<std::size_t>(first)] +
                 size(first) * at[static_cast<std::size_t>(second)];
        };
        double* to = result.data() + place(term.p, term.q);
        const double* from = density.data() + place(term.r, term.s);
        if (a_in_result) {
          const double factor = *from;
          for (Extent i = 0; i < n[a]; ++i) to[i] += factor * values[i];
        } else {
          double sum = 0.0;
          for (Extent i = 0; i < n[a]; ++i) sum += from[i] * values[i];
          *to += sum;
        }
      }
  return result;
}

/// The block of pairs (r,s) of a matrix.
std::vector<double> cut(std::span<const double> matrix, Extent order, const Index4& first,
                        const Index4& n, int r, int s) {
  const auto ri = static_cast<std::size_t>(r), si = static_cast<std::size_t>(s);
  std::vector<double> block;
  block.reserve(static_cast<std::size_t>(n[ri] * n[si]));
  for (Extent j = 0; j < n[si]; ++j)
    for (Extent i = 0; i < n[ri]; ++i)
      block.push_back(matrix[static_cast<std::size_t>(first[ri] + i + order * (first[si] + j))]);
  return block;
}

void add(const Term& term, const std::vector<double>& block, const Index4& first, const Index4& n,
         Extent order, std::span<double> fock) {
  const auto p = static_cast<std::size_t>(term.p), q = static_cast<std::size_t>(term.q);
  for (Extent j = 0; j < n[q]; ++j)
    for (Extent i = 0; i < n[p]; ++i) {
      const double value = term.factor * block[static_cast<std::size_t>(i + n[p] * j)];
      const Extent row = first[p] + i, column = first[q] + j;
      fock[static_cast<std::size_t>(row + order * column)] += value;
      if (term.mirrored) fock[static_cast<std::size_t>(column + order * row)] += value;
    }
}

}  // namespace

void add_fock_batch(FockBatch batch, std::span<const double> integrals,
                    const std::array<Extent, 4>& extents, const std::array<Extent, 4>& first,
                    const FockMatrices& matrices) {
  const Extent order = matrices.n;
  for (std::size_t k = 0; k < 4; ++k)
    base::require(first[k] >= 0 && first[k] + extents[k] <= order, "functions of the matrices");
  const Terms terms = terms_of(batch);
  for (const Term& term : terms.coulomb) {
    auto density = cut(matrices.density[0], order, first, extents, term.r, term.s);
    const auto beta = cut(matrices.density[1], order, first, extents, term.r, term.s);
    for (std::size_t k = 0; k < density.size(); ++k) density[k] += beta[k];
    const auto block = contract(term, integrals, extents, density);
    for (const auto& fock : matrices.fock) add(term, block, first, extents, order, fock);
  }
  for (const Term& term : terms.exchange)
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const auto density = cut(matrices.density[spin], order, first, extents, term.r, term.s);
      add(term, contract(term, integrals, extents, density), first, extents, order,
          matrices.fock[spin]);
    }
}

}  // namespace blockyard::qc
