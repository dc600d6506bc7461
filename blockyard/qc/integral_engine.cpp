// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/integral_data.h"
#include "blockyard/qc/integrals.h"

// The heavy part of libint2: a minute and gigabytes of compiler. No other file includes it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <libint2/engine.h>
#pragma GCC diagnostic pop

namespace blockyard::qc {

void prepare_boys_function() {
  // An engine asks for the number of its functions times the highest angular momentum.
  constexpr int four = 4 * LIBINT2_MAX_AM_eri;
  constexpr int three = 3 * LIBINT2_MAX_AM_3eri;
  constexpr int two = 2 * LIBINT2_MAX_AM_2eri;
  static_cast<void>(libint2::FmEval_Chebyshev7<double>::instance(std::max({four, three, two})));
}

namespace {

using libint2::Operator;

libint2::Engine make_engine(const Integrals::Data& data, Operator kind) {
  libint2::Engine engine(kind, data.most_primitives, data.highest_momentum, 0);
  engine.set_precision(data.options.primitive_threshold);
  if (kind == Operator::nuclear) engine.set_params(data.charges);
  return engine;
}

/// Three or two centres: the missing ones hold a function that is 1 everywhere.
libint2::Engine make_fitting_engine(const Integrals::Data& data, libint2::BraKet centres) {
  return {Operator::coulomb,
          std::max(data.most_primitives, data.most_auxiliary_primitives),
          std::max(data.highest_momentum, data.highest_auxiliary_momentum),
          0,
          data.options.primitive_threshold,
          libint2::operator_traits<Operator::coulomb>::default_params(),
          centres};
}

/// Where the functions of a range of shells lie in an extent of a block.
class Placement {
 public:
  Placement(const AoBasis& basis, ShellRange range) : basis_(basis), range_(range) {
    base::require(range.count > 0 && range.first + range.count <= basis.shells.size(),
                  "a range of shells that exist");
    const Shell& last = basis.shells[end() - 1];
    extent_ = last.first_function + last.function_count - basis.shells[begin()].first_function;
  }
  [[nodiscard]] std::size_t begin() const { return range_.first; }
  [[nodiscard]] std::size_t end() const { return range_.first + range_.count; }
  [[nodiscard]] Extent extent() const { return extent_; }
  [[nodiscard]] Extent size(std::size_t shell) const { return basis_.shells[shell].function_count; }
  [[nodiscard]] Extent offset(std::size_t shell) const {
    return basis_.shells[shell].first_function - basis_.shells[begin()].first_function;
  }

 private:
  const AoBasis& basis_;
  ShellRange range_;
  Extent extent_ = 0;
};

/// Source block with index 0 fastest, laid into `out` with these strides.
struct Layout {
  std::array<Extent, 4> extents;
  std::array<Extent, 4> strides;
};

void copy_quartet(const double* values, const Layout& layout, double* out) {
  const auto& [n, stride] = layout;
  for (Extent d = 0; d < n[3]; ++d)
    for (Extent c = 0; c < n[2]; ++c)
      for (Extent b = 0; b < n[1]; ++b, values += n[0]) {
        double* row = out + d * stride[3] + c * stride[2] + b * stride[1];
        for (Extent a = 0; a < n[0]; ++a) row[a * stride[0]] = values[a];
      }
}

/// Writes one quartet of shells and its images under the symmetries that the block has.
class QuartetWriter {
 public:
  QuartetWriter(std::array<Placement, 4> places, std::array<bool, 3> symmetric,
                std::span<double> out)
      : places_(places), symmetric_(symmetric), out_(out) {
    Extent stride = 1;
    for (std::size_t k = 0; k < 4; ++k) {
      strides_[k] = stride;
      stride *= places_[k].extent();
    }
    base::require(std::ssize(out) == stride, "the block has one value for each quartet");
  }

  /// values: libint's (dc|ba), so that the index of a is the fastest.
  void write(const double* values, const std::array<std::size_t, 4>& shells) {
    const auto [same_bra, same_ket, same_pairs] = symmetric_;
    const bool other_bra = same_bra && shells[0] != shells[1];
    const bool other_ket = same_ket && shells[2] != shells[3];
    const bool other_pair = same_pairs && (shells[0] != shells[2] || shells[1] != shells[3]);
    for (int swap_pairs = 0; swap_pairs <= int{other_pair}; ++swap_pairs)
      for (int swap_bra = 0; swap_bra <= int{other_bra}; ++swap_bra)
        for (int swap_ket = 0; swap_ket <= int{other_ket}; ++swap_ket) {
          std::array<std::size_t, 4> to = {0, 1, 2, 3};  // index k of values is index to[k] of out
          if (swap_bra) std::swap(to[0], to[1]);
          if (swap_ket) std::swap(to[2], to[3]);
          if (swap_pairs) to = {(to[0] + 2) % 4, (to[1] + 2) % 4, (to[2] + 2) % 4, (to[3] + 2) % 4};
          write_image(values, shells, to);
        }
  }

 private:
  void write_image(const double* values, const std::array<std::size_t, 4>& shells,
                   const std::array<std::size_t, 4>& to) {
    Layout layout{};
    double* first = out_.data();
    for (std::size_t k = 0; k < 4; ++k) {
      layout.extents[k] = places_[k].size(shells[k]);
      layout.strides[k] = strides_[to[k]];
      first += places_[to[k]].offset(shells[k]) * strides_[to[k]];
    }
    copy_quartet(values, layout, first);
  }

  std::array<Placement, 4> places_;
  std::array<bool, 3> symmetric_;  // a = b, c = d, ab = cd
  std::array<Extent, 4> strides_{};
  std::span<double> out_;
};

}  // namespace

void Integrals::Data::add_bounds() {
  auto engine = make_engine(*this, Operator::coulomb);
  const std::size_t count = shells.size();
  bounds.resize(count * count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const auto& [sa, sb] = std::tie(shells[a], shells[b]);
      engine.compute2<Operator::coulomb, libint2::BraKet::xx_xx, 0>(sa, sb, sa, sb, &pair(a, b),
                                                                    &pair(a, b));
      double largest = 0.0;
      if (const double* values = engine.results()[0])
        for (std::size_t i = 0; i < sa.size() * sb.size(); ++i)
          largest = std::max(largest, std::abs(values[i * (sa.size() * sb.size() + 1)]));
      bounds[a * count + b] = bounds[b * count + a] = std::sqrt(largest);
    }
}

void Integrals::Data::add_auxiliary_bounds() {
  if (auxiliary_shells.empty()) return;
  auto engine = make_fitting_engine(*this, libint2::BraKet::xs_xs);
  const auto& unit = libint2::Shell::unit();
  for (std::size_t p = 0; p < auxiliary_shells.size(); ++p) {
    const auto& shell = auxiliary_shells[p];
    engine.compute2<Operator::coulomb, libint2::BraKet::xs_xs, 0>(
        shell, unit, shell, unit, &auxiliary_pairs[p], &auxiliary_pairs[p]);
    double largest = 0.0;
    if (const double* values = engine.results()[0])
      for (std::size_t i = 0; i < shell.size(); ++i)
        largest = std::max(largest, std::abs(values[i * (shell.size() + 1)]));
    auxiliary_bounds.push_back(std::sqrt(largest));
  }
}

struct IntegralEngine::Engines {
  const Integrals& shared;
  const Integrals::Data& data;
  libint2::Engine overlap = make_engine(data, Operator::overlap);
  libint2::Engine kinetic = make_engine(data, Operator::kinetic);
  libint2::Engine nuclear = make_engine(data, Operator::nuclear);
  libint2::Engine dipole = make_engine(data, Operator::emultipole1);
  libint2::Engine repulsion = make_engine(data, Operator::coulomb);
  std::optional<libint2::Engine> fitting = {};  // made at the first use
  std::optional<libint2::Engine> metric = {};
  detail::FamilyQuartets by_primitives = {};

  /// Values of a quartet with the order of `electron_repulsion`; null: negligible.
  const double* quartet(std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    repulsion.compute2<Operator::coulomb, libint2::BraKet::xx_xx, 0>(
        data.shells[d], data.shells[c], data.shells[b], data.shells[a], &data.pair(d, c),
        &data.pair(b, a));
    return repulsion.results()[0];
  }

  void compute_by_primitives(const std::array<detail::FamilyPiece, 4>& pieces) {
    by_primitives.compute(pieces, std::log(data.options.primitive_threshold),
                          [&](const auto& d, const auto& c, const auto& b, const auto& a,
                              const auto& dc, const auto& ba) -> const double* {
                            repulsion.compute2<Operator::coulomb, libint2::BraKet::xx_xx, 0>(
                                d, c, b, a, &dc, &ba);
                            return repulsion.results()[0];
                          });
  }

  [[nodiscard]] bool is_negligible(const std::array<detail::FamilyPiece, 4>& pieces) const {
    const auto largest = [&](const detail::FamilyPiece& a, const detail::FamilyPiece& b) {
      double bound = 0;
      for (std::size_t sa = a.first; sa < a.end(); ++sa)
        for (std::size_t sb = b.first; sb < b.end(); ++sb)
          bound = std::max(bound, data.bound(sa, sb));
      return bound;
    };
    return largest(pieces[0], pieces[1]) * largest(pieces[2], pieces[3]) <
           data.options.schwarz_threshold;
  }

  /// result: which of the operators of the engine (1, 2, 3 of the dipole are x, y, z).
  void one_electron(libint2::Engine& engine, std::size_t result, ShellRange a, ShellRange b,
                    std::span<double> out) const {
    const Placement rows(data.basis, a);
    const Placement columns(data.basis, b);
    base::require(std::ssize(out) == rows.extent() * columns.extent(),
                  "the block has one value for each pair of functions");
    for (std::size_t sb = columns.begin(); sb < columns.end(); ++sb)
      for (std::size_t sa = rows.begin(); sa < rows.end(); ++sa) {
        // libint runs over the second shell fastest; the operators are symmetric.
        engine.compute(data.shells[sb], data.shells[sa]);
        const double* values = engine.results()[result];
        double* first = out.data() + rows.offset(sa) + columns.offset(sb) * rows.extent();
        for (Extent j = 0; j < columns.size(sb); ++j, first += rows.extent())
          for (Extent i = 0; i < rows.size(sa); ++i)
            first[i] = values ? values[j * rows.size(sa) + i] : 0.0;
      }
  }
};

namespace {

/// The quartets of four pieces of families, each distinct one once. Of equal pairs of ranges those
/// of pieces in descending order are asked for, and within equal pieces those of shells.
void write_pieces(auto& engines, const std::array<detail::FamilyPiece, 4>& pieces,
                  const std::array<bool, 3>& symmetric, QuartetWriter& writer) {
  const auto& data = engines.data;
  const auto& [pa, pb, pc, pd] = pieces;
  const bool same_bra = symmetric[0] && pa.first == pb.first;
  const bool same_ket = symmetric[1] && pc.first == pd.first;
  const bool same_pairs = symmetric[2] && pa.first == pc.first && pb.first == pd.first;
  const bool by_primitives = detail::pays_by_primitives(pieces);
  if (by_primitives) {
    if (engines.is_negligible(pieces)) return;
    engines.compute_by_primitives(pieces);
  }
  for (std::size_t sa = pa.first; sa < pa.end(); ++sa)
    for (std::size_t sb = pb.first; sb < (same_bra ? sa + 1 : pb.end()); ++sb)
      for (std::size_t sc = pc.first; sc < pc.end(); ++sc)
        for (std::size_t sd = pd.first; sd < (same_ket ? sc + 1 : pd.end()); ++sd) {
          if (same_pairs && std::pair(sc, sd) > std::pair(sa, sb)) continue;
          if (data.bound(sa, sb) * data.bound(sc, sd) < data.options.schwarz_threshold) continue;
          const double* values = by_primitives ? engines.by_primitives.quartet({sa, sb, sc, sd})
                                               : engines.quartet(sa, sb, sc, sd);
          if (values != nullptr) writer.write(values, {sa, sb, sc, sd});
        }
}

}  // namespace

IntegralEngine::IntegralEngine(const Integrals& shared)
    : engines_(new Engines{.shared = shared, .data = *shared.data_}) {}
IntegralEngine::~IntegralEngine() = default;
IntegralEngine::IntegralEngine(IntegralEngine&&) noexcept = default;

const Integrals& IntegralEngine::shared() const noexcept { return engines_->shared; }

void IntegralEngine::overlap(ShellRange a, ShellRange b, std::span<double> out) {
  engines_->one_electron(engines_->overlap, 0, a, b, out);
}

void IntegralEngine::kinetic(ShellRange a, ShellRange b, std::span<double> out) {
  engines_->one_electron(engines_->kinetic, 0, a, b, out);
}

void IntegralEngine::nuclear_attraction(ShellRange a, ShellRange b, std::span<double> out) {
  engines_->one_electron(engines_->nuclear, 0, a, b, out);
}

void IntegralEngine::nuclear_attraction_of(std::span<const std::size_t> atoms, ShellRange a,
                                           ShellRange b, std::span<double> out) {
  const auto& all = engines_->data.charges;
  std::remove_cvref_t<decltype(all)> some;
  for (const std::size_t atom : atoms) some.push_back(all.at(atom));
  if (some.empty()) {
    std::ranges::fill(out, 0.0);
    return;
  }
  engines_->nuclear.set_params(some);
  engines_->one_electron(engines_->nuclear, 0, a, b, out);
  engines_->nuclear.set_params(all);
}

void IntegralEngine::core_potential(ShellRange a, ShellRange b, std::span<double> out) {
  const auto& data = engines_->data;
  const Placement rows(data.basis, a), columns(data.basis, b);
  base::require(std::ssize(out) == rows.extent() * columns.extent(),
                "the block has one value for each pair of functions");
  std::fill(out.begin(), out.end(), 0.0);
  if (data.cores == nullptr) return;
  const bool is_symmetric = a == b;
  for (std::size_t sb = columns.begin(); sb < columns.end(); ++sb)
    for (std::size_t sa = is_symmetric ? sb : rows.begin(); sa < rows.end(); ++sa) {
      const std::vector<double> values = data.cores->of_pair(sa, sb);
      const Extent n = rows.size(sa);
      for (Extent j = 0; j < columns.size(sb); ++j)
        for (Extent i = 0; i < n; ++i) {
          const Extent row = rows.offset(sa) + i, column = columns.offset(sb) + j;
          const double value = values[static_cast<std::size_t>(i + n * j)];
          out[static_cast<std::size_t>(row + rows.extent() * column)] = value;
          if (is_symmetric) out[static_cast<std::size_t>(column + rows.extent() * row)] = value;
        }
    }
}

void IntegralEngine::dipole(Axis axis, ShellRange a, ShellRange b, std::span<double> out) {
  engines_->one_electron(engines_->dipole, 1 + static_cast<std::size_t>(axis), a, b, out);
}

void IntegralEngine::electron_repulsion(ShellRange a, ShellRange b, ShellRange c, ShellRange d,
                                        std::span<double> out) {
  const auto& data = engines_->data;
  const std::array<bool, 3> symmetric = {a == b, c == d, a == c && b == d};
  const std::array<Placement, 4> places = {Placement(data.basis, a), Placement(data.basis, b),
                                           Placement(data.basis, c), Placement(data.basis, d)};
  QuartetWriter writer(places, symmetric, out);
  std::fill(out.begin(), out.end(), 0.0);
  const auto as = data.pieces_of(a), bs = data.pieces_of(b), cs = data.pieces_of(c),
             ds = data.pieces_of(d);
  for (const auto& pa : as)
    for (const auto& pb : bs) {
      if (symmetric[0] && pb.first > pa.first) break;
      for (const auto& pc : cs)
        for (const auto& pd : ds) {
          if (symmetric[1] && pd.first > pc.first) break;
          if (symmetric[2] && std::pair(pc.first, pd.first) > std::pair(pa.first, pb.first)) break;
          write_pieces(*engines_, {pa, pb, pc, pd}, symmetric, writer);
        }
    }
}

void IntegralEngine::fitting(ShellRange a, ShellRange b, ShellRange p, std::span<double> out) {
  const auto& data = engines_->data;
  if (!engines_->fitting) engines_->fitting = make_fitting_engine(data, libint2::BraKet::xs_xx);
  auto& engine = *engines_->fitting;
  const Placement rows(data.basis, a), columns(data.basis, b), fits(data.auxiliary, p);
  const Extent plane = rows.extent() * columns.extent();
  base::require(std::ssize(out) == plane * fits.extent(), "one value for each product and fit");
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t sp = fits.begin(); sp < fits.end(); ++sp)
    for (std::size_t sb = columns.begin(); sb < columns.end(); ++sb)
      for (std::size_t sa = rows.begin(); sa < rows.end(); ++sa) {
        if (data.bound(sa, sb) * data.auxiliary_bounds[sp] < data.options.schwarz_threshold)
          continue;
        engine.compute2<Operator::coulomb, libint2::BraKet::xs_xx, 0>(
            data.auxiliary_shells[sp], libint2::Shell::unit(), data.shells[sb], data.shells[sa],
            &data.auxiliary_pairs[sp], &data.pair(sb, sa));
        const double* values = engine.results()[0];
        if (values == nullptr) continue;
        const Layout layout{{rows.size(sa), columns.size(sb), fits.size(sp), 1},
                            {1, rows.extent(), plane, 0}};
        copy_quartet(values, layout,
                     out.data() + rows.offset(sa) + columns.offset(sb) * rows.extent() +
                         fits.offset(sp) * plane);
      }
}

void IntegralEngine::fitting_metric(ShellRange p, ShellRange q, std::span<double> out) {
  const auto& data = engines_->data;
  if (!engines_->metric) engines_->metric = make_fitting_engine(data, libint2::BraKet::xs_xs);
  auto& engine = *engines_->metric;
  const Placement rows(data.auxiliary, p), columns(data.auxiliary, q);
  base::require(std::ssize(out) == rows.extent() * columns.extent(), "one value for each pair");
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t sq = columns.begin(); sq < columns.end(); ++sq)
    for (std::size_t sp = rows.begin(); sp < rows.end(); ++sp) {
      engine.compute2<Operator::coulomb, libint2::BraKet::xs_xs, 0>(
          data.auxiliary_shells[sq], libint2::Shell::unit(), data.auxiliary_shells[sp],
          libint2::Shell::unit(), &data.auxiliary_pairs[sq], &data.auxiliary_pairs[sp]);
      const double* values = engine.results()[0];
      if (values == nullptr) continue;
      const Layout layout{{rows.size(sp), columns.size(sq), 1, 1}, {1, rows.extent(), 0, 0}};
      copy_quartet(values, layout,
                   out.data() + rows.offset(sp) + columns.offset(sq) * rows.extent());
    }
}

}  // namespace blockyard::qc
