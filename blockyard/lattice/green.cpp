// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/green.h"

#include <algorithm>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::lattice {

using tensor::blas::Op;

TileSet::TileSet(const Axes& axes)
    : extended_(axes.extended()),
      bands_(axes.bands),
      plane_(static_cast<std::size_t>(axes.sites) * static_cast<std::size_t>(axes.sites)),
      tile_values_(2 * static_cast<std::size_t>(axes.bands * axes.bands) * 2 * plane_) {}

void TileSet::add(int row, int column) {
  const auto side = static_cast<std::size_t>(extended_);
  if (index_.empty()) index_.assign(side * side, -1);
  auto& index = index_[static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column)];
  if (index >= 0) return;
  index = static_cast<std::int32_t>(pairs_.size());
  pairs_.push_back({row, column});
}

TileSet::TileSet(const Axes& axes, std::span<const Channel> channels, const ring::Range& units)
    : TileSet(axes) {
  if (channels.empty()) return;
  const bool has_pp = std::ranges::any_of(channels, is_pp);
  const bool has_ph = !std::ranges::all_of(channels, is_pp);
  const int last = axes.compact() - 1;
  const int off = axes.offset();
  for (Extent unit = units.begin; unit < units.end; ++unit)
    for (const int w2 : {static_cast<int>(unit), last - static_cast<int>(unit)})
      for (int w1 = 0; w1 <= last; ++w1) {
        add(w1 + off, w2 + off);
        for (int nu = 0; nu < axes.exchange; ++nu) {
          if (has_pp) add(nu + last - w1 + off, nu + last - w2 + off);
          if (!has_ph) continue;
          add(w2 + nu + off, w1 + nu + off);
          add(w1 + off, w1 + nu + off);
          add(w2 + nu + off, w2 + off);
        }
      }
}

TileSet TileSet::all(const Axes& axes) {
  TileSet set(axes);
  for (int column = 0; column < axes.extended(); ++column)
    for (int row = 0; row < axes.extended(); ++row) set.add(row, column);
  return set;
}

TileSet TileSet::diagonal(const Axes& axes) {
  TileSet set(axes);
  for (int w = 0; w < axes.extended(); ++w) set.add(w, w);
  return set;
}

std::size_t TileSet::find(int row, int column) const {
  return static_cast<std::size_t>(
      index_[static_cast<std::size_t>(row) * static_cast<std::size_t>(extended_) +
             static_cast<std::size_t>(column)]);
}

bool TileSet::has(int row, int column) const {
  return index_[static_cast<std::size_t>(row) * static_cast<std::size_t>(extended_) +
                static_cast<std::size_t>(column)] >= 0;
}

SampleGreen::Spin SampleGreen::prepare(const SpinSample& sample) const {
  const std::size_t n = sample.count();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sample.vertices[i].band; });
  Spin spin;
  for (const std::size_t i : order) spin.vertices.push_back(sample.vertices[i]);
  for (int band = 0; band <= axes_.bands; ++band)
    spin.first.push_back(static_cast<int>(
        std::ranges::lower_bound(spin.vertices, band, {}, &Vertex::band) - spin.vertices.begin()));
  const auto reorder = [&](const std::vector<double>& from, std::vector<double>& to) {
    to.reserve(from.size());
    if (from.empty()) return;
    for (const std::size_t j : order)
      for (const std::size_t i : order) to.push_back(from[j * n + i]);
  };
  reorder(sample.real, spin.real);
  reorder(sample.imaginary, spin.imaginary);
  const auto frequencies = static_cast<std::size_t>(axes_.extended());
  spin.left.resize(frequencies);
  spin.right.resize(frequencies);
  return spin;
}

void SampleGreen::make_left(Spin& spin, int w) const {
  auto& left = spin.left[static_cast<std::size_t>(w)];
  if (!left.empty()) return;
  const auto nk = static_cast<std::size_t>(axes_.sites);
  left.resize(2 * nk * spin.vertices.size());
  for (std::size_t i = 0; i < spin.vertices.size(); ++i) {
    const Complex time = std::polar(1.0, axes_.frequency(w) * spin.vertices[i].tau);
    for (std::size_t k = 0; k < nk; ++k) {
      const Complex phase = time * cluster_.phase(static_cast<int>(k), spin.vertices[i].site);
      left[2 * nk * i + k] = phase.real();
      left[2 * nk * i + nk + k] = phase.imag();
    }
  }
}

void SampleGreen::make_right(Spin& spin, int w) const {
  auto& right = spin.right[static_cast<std::size_t>(w)];
  if (!right.empty()) return;
  const auto nk = static_cast<std::size_t>(axes_.sites);
  const std::size_t n = spin.vertices.size();
  std::vector<double> phases(2 * nk * n);  // n x (2 nk): real, then imaginary columns
  for (std::size_t j = 0; j < n; ++j) {
    const Complex time = std::polar(1.0, -axes_.frequency(w) * spin.vertices[j].tau);
    for (std::size_t k = 0; k < nk; ++k) {
      const Complex phase =
          time * std::conj(cluster_.phase(static_cast<int>(k), spin.vertices[j].site));
      phases[k * n + j] = phase.real();
      phases[(nk + k) * n + j] = phase.imag();
    }
  }
  // A block for each band: of the vertices j of that band only.
  right.assign(phases.size() * static_cast<std::size_t>(axes_.bands), 0.0);
  for (int band = 0; band < axes_.bands; ++band) {
    double* block = right.data() + static_cast<std::size_t>(band) * phases.size();
    multiply(spin, band, spin.real, phases, block);
    if (spin.imaginary.empty()) continue;
    std::vector<double> other(phases.size(), 0.0);
    multiply(spin, band, spin.imaginary, phases, other.data());
    for (std::size_t at = 0; at < nk * n; ++at) {
      block[at] -= other[nk * n + at];
      block[nk * n + at] += other[at];
    }
  }
}

void SampleGreen::multiply(const Spin& spin, int band, const std::vector<double>& matrix,
                           const std::vector<double>& phases, double* out) const {
  const auto n = static_cast<Extent>(spin.vertices.size());
  const Extent first = spin.first[static_cast<std::size_t>(band)];
  const Extent count = spin.first[static_cast<std::size_t>(band) + 1] - first;
  if (count == 0) return;
  tensor::blas::gemm<double>(Op::none, Op::none, n, Extent{2} * axes_.sites, count, 1.0,
                             matrix.data() + n * first, n, phases.data() + first, n, 0.0, out, n);
}

Complex SampleGreen::g0(int b1, int b2, int s, int k, int w) const {
  const int nb = axes_.bands;
  return g0_[static_cast<std::size_t>(b1 + nb * (b2 + nb * (s + 2 * (k + axes_.sites * w))))];
}

void SampleGreen::transform_matrix(const Spin& spin, const TileSet::Pair& pair) {
  const int nb = axes_.bands;
  const int nk = axes_.sites;
  const auto plane = static_cast<std::size_t>(nk) * static_cast<std::size_t>(nk);
  work_.resize(4 * plane);
  matrix_.assign(static_cast<std::size_t>(nb * nb) * plane, 0.0);
  const auto n = static_cast<Extent>(spin.vertices.size());
  const double* left = spin.left[static_cast<std::size_t>(pair.row)].data();
  const double* right = spin.right[static_cast<std::size_t>(pair.column)].data();
  const auto at = [&](int row, int column) {
    return work_[static_cast<std::size_t>(column * 2 * nk + row)];
  };
  for (int b2 = 0; b2 < nb; ++b2)
    for (int b1 = 0; b1 < nb; ++b1) {
      const Extent first = spin.first[static_cast<std::size_t>(b1)];
      const Extent count = spin.first[static_cast<std::size_t>(b1) + 1] - first;
      if (count == 0) continue;
      tensor::blas::gemm<double>(Op::none, Op::none, 2 * nk, 2 * nk, count, 1.0,
                                 left + 2 * nk * first, 2 * nk, right + n * 2 * nk * b2 + first, n,
                                 0.0, work_.data(), 2 * nk);
      for (int k2 = 0; k2 < nk; ++k2)
        for (int k1 = 0; k1 < nk; ++k1)
          matrix_[static_cast<std::size_t>(b1 + nb * (b2 + nb * (k1 + nk * k2)))] =
              Complex(at(k1, k2) - at(nk + k1, nk + k2), at(k1, nk + k2) + at(nk + k1, k2)) /
              static_cast<double>(nk);
    }
}

Complex SampleGreen::dressed(int b1, int b2, int s, int k1, int k2,
                             const TileSet::Pair& pair) const {
  const int nb = axes_.bands;
  Complex value = 0;
  for (int a = 0; a < nb; ++a)
    for (int b = 0; b < nb; ++b)
      value -= g0(b1, a, s, k1, pair.row) *
               matrix_[static_cast<std::size_t>(a + nb * (b + nb * (k1 + axes_.sites * k2)))] *
               g0(b, b2, s, k2, pair.column);
  if (k1 == k2 && pair.row == pair.column) value += axes_.beta * g0(b1, b2, s, k1, pair.row);
  return value;
}

void SampleGreen::make_tile(Spin& spin, const TileSet::Pair& pair, int s, double* tile) {
  make_left(spin, pair.row);
  make_right(spin, pair.column);
  transform_matrix(spin, pair);
  const int nk = axes_.sites;
  const auto plane = static_cast<std::size_t>(nk) * static_cast<std::size_t>(nk);
  double* real = tile;
  for (int b2 = 0; b2 < axes_.bands; ++b2)
    for (int b1 = 0; b1 < axes_.bands; ++b1, real += 2 * plane)
      for (int k2 = 0; k2 < nk; ++k2)
        for (int k1 = 0; k1 < nk; ++k1) {
          const Complex value = dressed(b1, b2, s, k1, k2, pair);
          const auto at = static_cast<std::size_t>(k2 * nk + k1);
          real[at] = value.real();
          real[plane + at] = value.imag();
        }
}

void SampleGreen::note_work(const Spin& spin) {
  std::size_t values = spin.real.size() + spin.imaginary.size();
  for (const auto* matrices : {&spin.left, &spin.right})
    for (const auto& matrix : *matrices) values += matrix.size();
  work_bytes_ = std::max(work_bytes_, static_cast<std::int64_t>(values * sizeof(double)));
}

void SampleGreen::compute(const Sample& sample, const TileSet& set, std::span<double> tiles) {
  base::require(tiles.size() == set.values(), "tiles have the length of their set");
  for (int s = 0; s < 2; ++s) {
    Spin spin = prepare(sample.spins[static_cast<std::size_t>(s)]);
    for (std::size_t k = 0; k < set.pairs().size(); ++k)
      make_tile(spin, set.pairs()[k], s, tiles.data() + set.at(k, s, 0, 0));
    note_work(spin);
  }
}

}  // namespace blockyard::lattice
