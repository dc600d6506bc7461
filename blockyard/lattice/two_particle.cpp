// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/two_particle.h"

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

namespace {

std::size_t size(int count) { return static_cast<std::size_t>(count); }

}  // namespace

std::size_t SliceShape::row() const noexcept {
  const std::size_t pairs = size(axes.bands * axes.bands);
  return pairs * pairs * 2 * size(axes.sites);
}

std::size_t SliceShape::channel_values() const noexcept {
  return size(axes.exchange) * size(exchange_momenta) * size(axes.compact()) * size(axes.sites) *
         row();
}

std::size_t SliceShape::unit_values() const noexcept {
  return size(bins) * 2 * channels.size() * channel_values();
}

std::size_t SliceShape::at(int bin, int side, std::size_t channel, int nu, int q,
                           int w1) const noexcept {
  const std::size_t before = (size(bin) * 2 + size(side)) * channels.size() + channel;
  const std::size_t momentum = size(nu) * size(exchange_momenta) + size(q);
  return before * channel_values() +
         (momentum * size(axes.compact()) + size(w1)) * size(axes.sites) * row();
}

TwoParticle::TwoParticle(const Cluster& cluster, SliceShape shape, const TileSet& set,
                         ring::Range units, bool plain_kernels)
    : cluster_(cluster),
      shape_(std::move(shape)),
      set_(set),
      units_(units),
      kernels_(row_kernels(plain_kernels)) {
  constexpr int most_momenta = 1024;
  base::require(shape_.axes.sites <= most_momenta, "a cluster has at most 1024 sites");
  const std::size_t bands = size(shape_.axes.bands * shape_.axes.bands);
  legs_.resize(2 * 2 * bands * 2 * size(shape_.axes.sites));
  combined_.resize(2 * bands * 2 * size(shape_.axes.sites));
  const int nk = shape_.axes.sites;
  for (const int q : cluster.exchange())
    for (const bool is_pp : {true, false}) {
      Turn& turn = turns_.emplace_back();
      for (int k = 0; k < nk; ++k) {
        const int turned = is_pp ? cluster.minus(q, k) : cluster.add(k, q);
        turn.at.push_back(is_pp ? turned : turned * nk);
        turn.row.push_back(is_pp ? turned * nk : turned);
      }
    }
}

const double* TwoParticle::tile(const SampleTiles& sample, int row, int column, int s, int b1,
                                int b2) const {
  return sample.tiles + set_.at(set_.find(row, column), s, b1, b2);
}

double* TwoParticle::leg(int which, int s, int a, int b) {
  const int nb = shape_.axes.bands;
  return legs_.data() + size(a + nb * (b + nb * (s + 2 * which))) * 2 * size(shape_.axes.sites);
}

/// leg(0, s, a, b)(k) = H(a, b; k, w1; k + q, w1 + nu)
/// leg(1, s, a, b)(k) = H(a, b; k + q, w2 + nu; k, w2)
void TwoParticle::make_legs(const SampleTiles& sample, const Block& block) {
  const Axes& axes = shape_.axes;
  const int nk = axes.sites;
  const int off = axes.offset();
  for (int s = 0; s < 2; ++s)
    for (int b = 0; b < axes.bands; ++b)
      for (int a = 0; a < axes.bands; ++a) {
        const double* first = tile(sample, block.w1 + off, block.w1 + block.nu + off, s, b, a);
        const double* second = tile(sample, block.w2 + block.nu + off, block.w2 + off, s, b, a);
        double* u = leg(0, s, a, b);
        double* v = leg(1, s, a, b);
        for (int k = 0; k < nk; ++k) {
          const int shifted = cluster_.add(k, block.q);
          const std::size_t in_first = size(shifted * nk + k);
          const std::size_t in_second = size(k * nk + shifted);
          u[k] = first[in_first];
          u[nk + k] = first[set_.plane() + in_first];
          v[k] = second[in_second];
          v[nk + k] = second[set_.plane() + in_second];
        }
      }
}

/// Sums (charge) or differences (magnetic) of the spins' legs.
void TwoParticle::combine_legs(Channel channel, int sign) {
  if (channel != Channel::ph_magnetic && channel != Channel::ph_charge) return;
  const std::size_t values =
      size(shape_.axes.bands * shape_.axes.bands) * 2 * size(shape_.axes.sites);
  for (std::size_t which = 0; which < 2; ++which)
    for (std::size_t i = 0; i < values; ++i)
      combined_[which * values + i] =
          legs_[2 * which * values + i] + sign * legs_[(2 * which + 1) * values + i];
}

template <class Value, class Add>
void TwoParticle::add_bands(const SampleTiles& sample, Channel channel, std::array<int, 4> b,
                            const Block& block, Value* out, const Add& add) {
  const int off = shape_.axes.offset();
  const int nb = shape_.axes.bands;
  const auto [b1, b2, b3, b4] = b;
  RowsTask task;
  task.nk = size(shape_.axes.sites);
  task.stride = shape_.row();
  task.f_real = sample.sign.real() / 2;
  task.f_imaginary = sample.sign.imag() / 2;
  task.scale = scale_;
  const bool is_crossed = channel == Channel::pp_up_down || channel == Channel::ph_transverse;
  if (channel != Channel::ph_up_down) {
    task.products = 2;
    task.p = is_pp(channel) ? 1 : -1;
    const Turn& turn = turns_[2 * size(block.q_index) + (is_pp(channel) ? 0 : 1)];
    task.at = turn.at.data();
    task.row = turn.row.data();
    const int top = block.nu + shape_.axes.compact() - 1 + off;
    for (int s = 0; s < 2; ++s) {
      const int other = is_crossed ? 1 - s : s;
      task.a[s] = tile(sample, block.w1 + off, block.w2 + off, s, is_pp(channel) ? b3 : b1,
                       is_pp(channel) ? b1 : b3);
      task.b[s] = is_pp(channel) ? tile(sample, top - block.w1, top - block.w2, other, b4, b2)
                                 : tile(sample, block.w2 + block.nu + off,
                                        block.w1 + block.nu + off, other, b4, b2);
    }
  }
  if (channel == Channel::ph_up_up || channel == Channel::ph_up_down) {
    task.outers = 2;
    for (int s = 0; s < 2; ++s) {
      task.u[s] = leg(0, s, b2, b1);
      task.v[s] = leg(1, channel == Channel::ph_up_down ? 1 - s : s, b3, b4);
    }
  } else if (!is_crossed) {
    const std::size_t length = 2 * task.nk;
    task.outers = 1;
    task.u[0] = combined_.data() + size(b2 + nb * b1) * length;
    task.v[0] = combined_.data() + size(nb * nb + b3 + nb * b4) * length;
  }
  add(task, out);
}

template <class Value, class Add>
void TwoParticle::add_channel(const SampleTiles& sample, const Block& block, Channel channel,
                              Value* out, const Add& add) {
  combine_legs(channel, channel == Channel::ph_magnetic ? -1 : 1);
  const int nb = shape_.axes.bands;
  for (int b4 = 0; b4 < nb; ++b4)
    for (int b3 = 0; b3 < nb; ++b3)
      for (int b2 = 0; b2 < nb; ++b2)
        for (int b1 = 0; b1 < nb; ++b1, out += 2 * size(shape_.axes.sites))
          add_bands(sample, channel, {b1, b2, b3, b4}, block, out, add);
}

/// All transfers q of the rows of a frequency and its mirror, sample by sample: what stays in the
/// cache is the tiles of one sample, which the mirror of pp has in common, and the rows of one
/// channel.
template <class Value, class Add>
void TwoParticle::add_rows(std::span<const SampleTiles> samples, Extent unit, int nu, int w1,
                           Value* out, const Add& add) {
  const int last = shape_.axes.compact() - 1;
  const auto& exchange = cluster_.exchange();
  for (std::size_t c = 0; c < shape_.channels.size(); ++c) {
    const Channel channel = shape_.channels[c];
    const bool has_legs = channel != Channel::pp_up_down && channel != Channel::ph_transverse;
    for (const SampleTiles& sample : samples)
      for (int side = 0; side < 2; ++side)
        for (std::size_t q = 0; q < exchange.size(); ++q) {
          const Block block{side == 0 ? w1 : last - w1, shape_.second_frequency(unit, side), nu,
                            exchange[q], static_cast<int>(q)};
          if (has_legs) make_legs(sample, block);
          add_channel(sample, block, channel,
                      out + shape_.at(sample.bin, side, c, nu, block.q_index, block.w1), add);
        }
  }
}

template <class Value, class Add>
void TwoParticle::visit(std::span<const SampleTiles> samples, std::span<Value> slice,
                        const Add& add) {
  base::require(slice.size() == size(static_cast<int>(units_.count())) * shape_.unit_values(),
                "a slice has the length of its units");
  for (Extent unit = units_.begin; unit < units_.end; ++unit) {
    Value* at = slice.data() + static_cast<std::size_t>(unit - units_.begin) * shape_.unit_values();
    for (int nu = 0; nu < shape_.axes.exchange; ++nu)
      for (int w1 = 0; w1 < shape_.axes.compact(); ++w1) add_rows(samples, unit, nu, w1, at, add);
  }
}

void TwoParticle::add(std::span<const SampleTiles> samples, std::span<double> slice) {
  visit(samples, slice, [&](const RowsTask& task, double* out) { kernels_.add(task, out); });
}

double TwoParticle::add_exactly(std::span<const SampleTiles> samples, std::span<std::int64_t> slice,
                                const ring::ExactScale& scale) {
  scale_ = scale.scale();
  double most = 0;
  visit(samples, slice, [&](const RowsTask& task, std::int64_t* out) {
    const double size = kernels_.add_exactly(task, out);
    if (!(size <= most)) most = size;
  });
  return most;
}

}  // namespace blockyard::lattice
