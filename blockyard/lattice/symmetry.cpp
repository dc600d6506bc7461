// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/symmetry.h"

#include <algorithm>

namespace blockyard::lattice {

namespace {

constexpr double same = 1e-10;  // of the largest |G0|

Vector2 turned(Vector2 k, int operation) {
  if ((operation & 1) != 0) k[0] = -k[0];
  if ((operation & 2) != 0) k[1] = -k[1];
  if ((operation & 4) != 0) std::swap(k[0], k[1]);
  return k;
}

}  // namespace

Symmetry::Symmetry(const Problem& problem, const SliceShape& shape, bool has_real_signs)
    : problem_(problem), shape_(shape), cluster_(problem.cluster()), out_(shape.unit_values()) {
  constexpr int reflections = 4;
  constexpr int with_exchange = 8;
  const int all = problem.lengths[0] == problem.lengths[1] ? with_exchange : reflections;
  const auto map_of = [&](const auto& turn) {
    Map map;
    for (const Vector2& k : problem_.momenta) map.push_back(cluster_.find(turn(k)));
    return map;
  };
  for (int operation = 0; operation < all; ++operation) {
    Map map = map_of([&](Vector2 k) { return turned(k, operation); });
    const bool is_known = std::ranges::find(maps_, map) != maps_.end();
    if (!is_known && std::ranges::find(map, -1) == map.end() && keeps_g0(map, false))
      maps_.push_back(std::move(map));
  }
  if (!has_real_signs) return;
  Map negated = map_of([](Vector2 k) { return Vector2{-k[0], -k[1]}; });
  if (std::ranges::find(negated, -1) == negated.end() && keeps_g0(negated, true))
    for (const Map& map : maps_) {
      Map both;
      for (const int k : negated) both.push_back(map[static_cast<std::size_t>(k)]);
      conjugate_maps_.push_back(std::move(both));
    }
}

/// Whether G0(k, w) is G0(map k, w), or its conjugate at -w.
bool Symmetry::keeps_g0(const Map& map, bool is_conjugate) const {
  const Axes& axes = problem_.axes;
  const auto block = static_cast<std::size_t>(2 * axes.bands * axes.bands);
  double most = 0;
  double off = 0;
  for (int w = 0; w < axes.extended(); ++w)
    for (int k = 0; k < axes.sites; ++k)
      for (std::size_t i = 0; i < block; ++i) {
        const auto at = [&](int momentum, int frequency) {
          return problem_
              .g0[static_cast<std::size_t>(frequency * axes.sites + momentum) * block + i];
        };
        const int other = map[static_cast<std::size_t>(k)];
        const Complex turned_value =
            is_conjugate ? std::conj(at(other, axes.extended() - 1 - w)) : at(other, w);
        most = std::max(most, std::abs(at(k, w)));
        off = std::max(off, std::abs(at(k, w) - turned_value));
      }
  return off <= same * most;
}

std::vector<Symmetry::Source> Symmetry::sources_of(int q, bool conjugates) const {
  const std::vector<int>& transfers = cluster_.exchange();
  std::vector<Source> sources;
  const auto add = [&](const Map& map, bool is_conjugate) {
    const int to = map[static_cast<std::size_t>(transfers[static_cast<std::size_t>(q)])];
    const auto found = std::ranges::find(transfers, to);
    if (found != transfers.end())
      sources.push_back({&map, static_cast<int>(found - transfers.begin()), is_conjugate});
  };
  for (const Map& map : maps_) add(map, false);
  for (const Map& map : conjugate_maps_)
    if (conjugates) add(map, true);
  return sources;
}

std::span<const double> Symmetry::average(std::span<const double> values) {
  std::ranges::fill(out_, 0.0);
  for (int bin = 0; bin < shape_.bins; ++bin)
    for (int side = 0; side < 2; ++side)
      for (std::size_t channel = 0; channel < shape_.channels.size(); ++channel)
        for (int nu = 0; nu < shape_.axes.exchange; ++nu)
          for (int q = 0; q < shape_.exchange_momenta; ++q)
            average_block(values, bin, side, channel, nu, q);
  return out_;
}

void Symmetry::average_block(std::span<const double> values, int bin, int side, std::size_t channel,
                             int nu, int q) {
  const int nk = shape_.axes.sites;
  const int compact = shape_.axes.compact();
  const std::size_t plane = static_cast<std::size_t>(nk);
  const std::size_t combinations = shape_.row() / (2 * plane);
  const auto sources = sources_of(q, nu == 0);
  const auto points =
      std::ranges::count_if(sources, [](const Source& s) { return !s.is_conjugate; });
  const auto conjugates = std::ssize(sources) - points;
  for (const Source& source : sources) {
    const double share = conjugates > 0 ? 0.5 : 1.0;
    const double weight = share / static_cast<double>(source.is_conjugate ? conjugates : points);
    const int from_side = source.is_conjugate ? 1 - side : side;
    for (int k2 = 0; k2 < nk; ++k2)
      for (int w1 = 0; w1 < compact; ++w1) {
        const int from_w1 = source.is_conjugate ? compact - 1 - w1 : w1;
        const auto from_k2 = static_cast<std::size_t>((*source.map)[static_cast<std::size_t>(k2)]);
        const double* from = values.data() +
                             shape_.at(bin, from_side, channel, nu, source.q, from_w1) +
                             from_k2 * shape_.row();
        double* to = out_.data() + shape_.at(bin, side, channel, nu, q, w1) +
                     static_cast<std::size_t>(k2) * shape_.row();
        for (std::size_t b = 0; b < combinations; ++b)
          for (std::size_t k1 = 0; k1 < plane; ++k1) {
            const std::size_t at = b * 2 * plane + k1;
            const std::size_t other = b * 2 * plane + static_cast<std::size_t>((*source.map)[k1]);
            to[at] += weight * from[other];
            to[at + plane] += (source.is_conjugate ? -weight : weight) * from[other + plane];
          }
      }
  }
}

}  // namespace blockyard::lattice
