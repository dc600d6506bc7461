// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

#include "blockyard/device/host/host.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/lattice/device_slice.h"
#include "blockyard/lattice/g4_update.h"
#include "blockyard/lattice/green.h"
#include "blockyard/lattice/two_particle.h"
#include "blockyard/ring/result.h"
#include "blockyard/ring/ring.h"
#include "blockyard/ring/team.h"

namespace blockyard::lattice {
namespace {

/// A cluster of 3 x 2 sites, drawn samples, and the formulae of docs/lattice.md as they stand
/// there.
struct Model {
  explicit Model(int bands, int exchange, std::uint64_t seed = 1) : random(seed) {
    axes = {bands, 6, 3, exchange, 2.5};
    std::vector<Vector2> points;
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) points.push_back({x, y});
    cluster.emplace(points, points, Vector2{3, 2}, std::vector<Vector2>{{0, 0}, {2, 1}});
    g0.resize(static_cast<std::size_t>(bands * bands * 2 * axes.sites * axes.extended()));
    for (Complex& value : g0) value = {draw(), draw()};
  }
  double draw() { return std::uniform_real_distribution<double>(-1, 1)(random); }

  Sample sample(int up, int down) {
    Sample result{{draw(), draw()}, {}};
    const std::array counts{up, down};
    for (std::size_t s = 0; s < 2; ++s) {
      SpinSample& spin = result.spins[s];
      for (int i = 0; i < counts[s]; ++i)
        spin.vertices.push_back({static_cast<int>(random() % static_cast<unsigned>(axes.bands)),
                                 static_cast<int>(random() % 6), axes.beta * (draw() + 1) / 2});
      for (int i = 0; i < counts[s] * counts[s]; ++i) {
        spin.real.push_back(draw());
        if (s == 1) spin.imaginary.push_back(draw());
      }
    }
    return result;
  }

  /// The stored G(b1, b2, s, k1, k2, w1, w2), by its formula.
  Complex green(const Sample& sample, int b1, int b2, int s, int k1, int k2, int w1, int w2) const {
    const SpinSample& spin = sample.spins[static_cast<std::size_t>(s)];
    Complex value = 0;
    for (int a = 0; a < axes.bands; ++a)
      for (int b = 0; b < axes.bands; ++b) {
        Complex m = 0;
        for (std::size_t j = 0; j < spin.count(); ++j)
          for (std::size_t i = 0; i < spin.count(); ++i) {
            const Vertex& vi = spin.vertices[i];
            const Vertex& vj = spin.vertices[j];
            if (vi.band != a || vj.band != b) continue;
            const std::size_t at = j * spin.count() + i;
            m += cluster->phase(k1, vi.site) * std::polar(1.0, axes.frequency(w1) * vi.tau) *
                 Complex(spin.real[at], spin.imaginary.empty() ? 0.0 : spin.imaginary[at]) *
                 std::polar(1.0, -axes.frequency(w2) * vj.tau) *
                 std::conj(cluster->phase(k2, vj.site));
          }
        value -= bare(b1, a, s, k1, w1) * m / 6.0 * bare(b, b2, s, k2, w2);
      }
    if (k1 == k2 && w1 == w2) value += axes.beta * bare(b1, b2, s, k1, w1);
    return value;
  }
  Complex bare(int b1, int b2, int s, int k, int w) const {
    const int nb = axes.bands;
    return g0[static_cast<std::size_t>(b1 + nb * (b2 + nb * (s + 2 * (k + 6 * w))))];
  }

  std::mt19937_64 random;
  Axes axes;
  std::optional<Cluster> cluster;
  std::vector<Complex> g0;
};

/// All tiles of a sample; H as docs/lattice.md defines it, by compact or shifted indexes.
struct Tiles {
  Tiles(const Model& model, const Sample& sample)
      : model_(model), set(TileSet::all(model.axes)), values(set.values()) {
    SampleGreen(*model.cluster, model.axes, model.g0).compute(sample, set, values);
  }
  [[nodiscard]] Complex h(int s, int a, int b, int k, int w, int k2, int w2) const {
    const int off = model_.axes.offset();
    const std::size_t at = set.at(set.find(w + off, w2 + off), s, b, a) +
                           static_cast<std::size_t>(k2 * model_.axes.sites + k);
    return {values[at], values[at + set.plane()]};
  }
  const Model& model_;
  TileSet set;
  std::vector<double> values;
};

struct Index {
  int b1, b2, b3, b4, k1, w1, k2, w2, q, nu;
};

Complex formula(Channel channel, const Model& model, const Tiles& g, const Index& i, Complex f) {
  const int last = model.axes.compact() - 1;
  const auto plus = [&](int k) { return model.cluster->add(k, i.q); };
  const auto minus = [&](int k) { return model.cluster->minus(i.q, k); };
  const auto [b1, b2, b3, b4, k1, w1, k2, w2, q, nu] = i;
  const auto exchange = [&](int s, int t) {
    return g.h(s, b3, b1, k1, w1, k2, w2) * g.h(t, b2, b4, plus(k2), w2 + nu, plus(k1), w1 + nu);
  };
  const auto u = [&](int s) { return g.h(s, b2, b1, k1, w1, plus(k1), w1 + nu); };
  const auto v = [&](int s) { return g.h(s, b3, b4, plus(k2), w2 + nu, k2, w2); };
  Complex sum = 0;
  for (int s = 0; s < 2; ++s) {
    const int t = 1 - s;
    switch (channel) {
      case Channel::pp_up_down:
        sum += g.h(s, b1, b3, k1, w1, k2, w2) *
               g.h(t, b2, b4, minus(k1), nu + last - w1, minus(k2), nu + last - w2);
        break;
      case Channel::ph_transverse:
        sum -= exchange(s, t);
        break;
      case Channel::ph_up_up:
        sum += u(s) * v(s) - exchange(s, s);
        break;
      case Channel::ph_up_down:
        sum += u(s) * v(t);
        break;
      case Channel::ph_magnetic:
        sum += u(s) * v(s) - u(s) * v(t) - exchange(s, s);
        break;
      case Channel::ph_charge:
        sum += u(s) * v(s) + u(s) * v(t) - exchange(s, s);
    }
  }
  return f / 2.0 * sum;
}

/// Calls visit(index, where its real part lies in the slice of all units).
template <class Visit>
void for_each_value(const Model& model, const SliceShape& shape, std::size_t channel,
                    const Visit& visit) {
  const Axes& axes = model.axes;
  const int nb = axes.bands;
  for (int nu = 0; nu < axes.exchange; ++nu)
    for (int q = 0; q < 2; ++q)
      for (Extent unit = 0; unit < shape.units(); ++unit)
        for (int side = 0; side < 2; ++side)
          for (int k2 = 0; k2 < axes.sites; ++k2)
            for (int w1 = 0; w1 < axes.compact(); ++w1)
              for (int b = 0; b < nb * nb * nb * nb; ++b)
                for (int k1 = 0; k1 < axes.sites; ++k1) {
                  const std::size_t at = static_cast<std::size_t>(unit) * shape.unit_values() +
                                         shape.at(0, side, channel, nu, q, w1) +
                                         static_cast<std::size_t>(k2) * shape.row() +
                                         static_cast<std::size_t>(b * 2 * axes.sites + k1);
                  visit(Index{b % nb, b / nb % nb, b / nb / nb % nb, b / nb / nb / nb, k1, w1, k2,
                              shape.second_frequency(unit, side),
                              model.cluster->exchange()[static_cast<std::size_t>(q)], nu},
                        at);
                }
}

SliceShape shape_of(const Model& model) {
  return {model.axes, {all_channels.begin(), all_channels.end()}, 2, 1};
}

TEST(SampleGreen, is_the_double_sum_over_vertices) {
  for (const int bands : {1, 2}) {
    Model model(bands, 2);
    const Sample sample = model.sample(5, 3);
    const Tiles g(model, sample);
    double most = 0;
    for (std::size_t p = 0; p < g.set.pairs().size(); p += 3)
      for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 36; k += 5) {
          const auto [row, column] = g.set.pairs()[p];
          const std::size_t at = g.set.at(p, s, bands - 1, 0) + static_cast<std::size_t>(k);
          const Complex value(g.values[at], g.values[at + g.set.plane()]);
          most = std::max(most, std::abs(value - model.green(sample, bands - 1, 0, s, k % 6, k / 6,
                                                             row, column)));
        }
    EXPECT_LT(most, 1e-12);
  }
}

TEST(SampleGreen, without_vertices_it_is_that_without_interaction) {
  Model model(1, 1);
  const Tiles g(model, model.sample(0, 0));
  EXPECT_EQ(g.h(0, 0, 0, 2, 1, 2, 1), model.axes.beta * model.bare(0, 0, 0, 2, 1));
  EXPECT_EQ(g.h(0, 0, 0, 2, 1, 3, 1), Complex(0));
  EXPECT_EQ(g.h(1, 0, 0, 2, 1, 2, 2), Complex(0));
}

TEST(TwoParticle, every_channel_is_its_formula) {
  for (const int bands : {1, 2})
    for (const bool plain : {true, false}) {
      Model model(bands, bands == 1 ? 3 : 2);
      const SliceShape shape = shape_of(model);
      std::vector<Sample> samples{model.sample(4, 2), model.sample(0, 3)};
      std::vector<Tiles> tiles;
      std::vector<SampleTiles> batch;
      for (const Sample& sample : samples) tiles.emplace_back(model, sample);
      for (std::size_t k = 0; k < tiles.size(); ++k)
        batch.push_back({samples[k].sign, 0, tiles[k].values.data()});
      std::vector<double> slice(static_cast<std::size_t>(shape.units()) * shape.unit_values());
      TwoParticle(*model.cluster, shape, tiles[0].set, {0, shape.units()}, plain).add(batch, slice);
      for (std::size_t c = 0; c < shape.channels.size(); ++c) {
        double most = 0;
        std::size_t step = 0;
        for_each_value(model, shape, c, [&](const Index& index, std::size_t at) {
          if (++step % (bands == 1 ? 1 : 61) != 0) return;
          Complex expected = 0;
          for (std::size_t k = 0; k < tiles.size(); ++k)
            expected += formula(shape.channels[c], model, tiles[k], index, samples[k].sign);
          const Complex value(slice[at], slice[at + 6]);
          most = std::max(most, std::abs(value - expected) / (1 + std::abs(expected)));
        });
        EXPECT_LT(most, 1e-12) << name_of(shape.channels[c]) << " bands " << bands;
      }
    }
}

/// Two samples on a device: all units, all channels. The items are in its memory only.
struct OnDevice {
  OnDevice(int bands, const device::Table& table, const std::string& options,
           Travel travel = Travel::sample)
      : model(bands, 2),
        shape(shape_of(model)),
        set(model.axes, shape.channels, {0, shape.units()}),
        samples{model.sample(4, 2), model.sample(0, 3)},
        device(table, 0, options) {
    base::BufferPool pool(std::size_t{1} << 28);
    const ring::Layout layout(1, 1, shape.units());
    G4Update form({&*model.cluster, shape, model.g0, travel, false, false, {}}, layout, {}, pool);
    slice = DeviceSlice::open(device,
                              {&*model.cluster,
                               shape,
                               {0, shape.units()},
                               model.g0,
                               {},
                               travel == Travel::g ? &set : nullptr},
                              set);
    stream.emplace(device.open_stream());
    std::vector<ring::Item> items;
    for (const Sample& sample : samples) {
      heads.push_back(head_of(travel == Travel::g ? nullptr : &sample, sample.sign, 0, false));
      const fabric::Payload payload = form.payload_of(sample);
      memory.push_back(*device.allocate(static_cast<Extent>(payload->size())));
      stream->copy_in(memory.back().address(), payload->bytes());
      stream->synchronise();
      items.push_back({});
      items.back().bytes = static_cast<Extent>(payload->size());
      items.back().address = memory.back().address();
    }
    for (std::size_t n = 0; n < items.size(); ++n)
      items[n].head = std::as_bytes(std::span(&heads[n], 1));
    slice->apply(items, *stream);
  }
  [[nodiscard]] std::size_t values() const {
    return static_cast<std::size_t>(shape.units()) * shape.unit_values();
  }
  Model model;
  SliceShape shape;
  TileSet set;
  std::vector<Sample> samples;
  std::vector<ItemHead> heads;
  device::Device device;
  std::vector<device::Memory> memory;
  std::unique_ptr<DeviceSlice> slice;
  std::optional<device::Stream> stream;  ///< ends first, as that of a ring
};

TEST(DeviceSlice, adds_what_the_host_adds) {
  const std::array<std::pair<const device::Table*, std::string>, 3> kinds{
      {{&device::host::table(), ""},
       {&device::sim::table(), "seed=0"},
       {&device::sim::table(), "seed=2"}}};
  for (const int bands : {1, 2})
    for (const auto& [table, options] : kinds)
      for (const Travel travel : {Travel::sample, Travel::g}) {
        OnDevice on(bands, *table, options, travel);
        std::vector<double> found(on.values()), expected(on.values());
        on.stream->synchronise();
        on.slice->read(std::as_writable_bytes(std::span(found)));
        SampleGreen green(*on.model.cluster, on.model.axes, on.model.g0);
        TwoParticle two(*on.model.cluster, on.shape, on.set, {0, on.shape.units()});
        std::vector<double> tiles(on.set.values());
        for (const Sample& sample : on.samples) {
          green.compute(sample, on.set, tiles);
          const SampleTiles one{sample.sign, 0, tiles.data()};
          two.add(std::span(&one, 1), expected);
        }
        double most = 0, off = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          most = std::max(most, std::abs(expected[i]));
          off = std::max(off, std::abs(found[i] - expected[i]));
        }
        EXPECT_LT(off, 1e-12 * most) << bands << " bands, " << options;
      }
}

TEST(DeviceSlice, leaves_no_work_behind) {
  OnDevice on(1, device::sim::table(), "seed=0");  // copies as late as it can
  on.stream.reset();
  on.slice.reset();
  EXPECT_TRUE(on.device.allocate(1));
}

struct Way {
  int ranks = 1;
  int size = 1;
  Travel travel = Travel::sample;
  ring::Route route = ring::Route::ring;
  bool is_exact = true;
};

/// The bits of G4 when ranks give their samples: rank r those of numbers r, r + ranks, ..
std::vector<std::uint64_t> accumulate(const Way& way) {
  Model model(1, 2, 7);
  const SliceShape shape = shape_of(model);
  std::vector<Sample> samples;
  for (int k = 0; k < 6; ++k) samples.push_back(model.sample(k, 5 - k));
  const ring::Layout layout(way.ranks, way.size, shape.units());
  base::BufferPool pool(std::size_t{1} << 28);
  std::vector<std::uint64_t> result;
  ring::Team team;
  team.ranks_here = way.ranks;
  ring::run_team(team, pool, [&](fabric::Fabric& fabric) {
    ring::Member member(fabric);
    const ring::Seat seat = layout.seat(fabric.rank());
    G4Update::Setting setting{&*model.cluster, shape, model.g0, way.travel, false, false, {}};
    if (way.is_exact) setting.exact.emplace(6, 1e6);
    G4Update update(setting, layout, seat, pool);
    std::vector<double> slice(static_cast<std::size_t>(layout.range(seat).count()) *
                              shape.unit_values());
    const auto bytes = std::as_writable_bytes(std::span(slice));
    ring::Options options;
    options.route = way.route;
    ring::Ring ring(member, layout, options, update, ring::Slice::on_host(bytes));
    for (std::size_t k = static_cast<std::size_t>(fabric.rank()); k < samples.size();
         k += static_cast<std::size_t>(way.ranks)) {
      const ItemHead head = head_of(&samples[k], samples[k].sign, 0, false);
      ring.give(std::as_bytes(std::span(&head, 1)), update.payload_of(samples[k]));
    }
    ring.finish();
    ring::add_rings(member, layout, pool, bytes,
                    way.is_exact ? ring::add_integers() : ring::add_doubles());
    ring::visit_units(member, layout, pool, bytes, [&](Extent, std::span<const std::byte> unit) {
      const auto* values = reinterpret_cast<const std::uint64_t*>(unit.data());
      result.insert(result.end(), values, values + unit.size() / 8);
    });
  });
  return result;
}

TEST(G4Update, exact_sums_have_the_same_bits_in_every_layout_and_form) {
  const auto expected = accumulate({});
  for (const Travel travel : {Travel::sample, Travel::g})
    for (const ring::Route route : {ring::Route::ring, ring::Route::direct})
      for (const auto& [ranks, size] : {std::pair{1, 1}, {2, 2}, {3, 3}, {5, 2}, {3, 1}, {6, 3}})
        EXPECT_TRUE(accumulate({ranks, size, travel, route}) == expected)
            << ranks << " ranks, rings of " << size;
}

}  // namespace
}  // namespace blockyard::lattice
