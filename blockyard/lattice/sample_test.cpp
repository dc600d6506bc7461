// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "blockyard/base/error.h"
#include "blockyard/lattice/channel.h"
#include "blockyard/lattice/cluster.h"

namespace blockyard::lattice {
namespace {

const Axes axes{2, 6, 3, 1, 2.5};

/// The matrix of the second spin is complex.
Sample draw(int up, int down) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(0, 1);
  Sample result{{value(random), value(random)}, {}};
  const std::array counts{up, down};
  for (std::size_t s = 0; s < 2; ++s) {
    SpinSample& spin = result.spins[s];
    for (int i = 0; i < counts[s]; ++i)
      spin.vertices.push_back({i % axes.bands, i, axes.beta * value(random)});
    for (int i = 0; i < counts[s] * counts[s]; ++i) {
      spin.real.push_back(value(random));
      if (s == 1) spin.imaginary.push_back(value(random));
    }
  }
  return result;
}

TEST(Sample, survives_its_payload) {
  const Sample sample = draw(4, 3);
  std::vector<std::byte> payload(payload_bytes(sample, false));
  encode(sample, false, payload);
  Sample back = decode(payload);
  back.sign = sample.sign;
  EXPECT_EQ(back, sample);
  EXPECT_THROW((void)decode(std::span(payload).first(payload.size() - 1)), base::Error);
}

TEST(Sample, refuses_what_is_not_on_the_axes) {
  const Sample good = draw(2, 2);
  check(good, axes);
  const auto refused = [&](const auto& change) {
    Sample bad = good;
    change(bad);
    EXPECT_THROW(check(bad, axes), base::Error);
  };
  refused([](Sample& bad) { bad.spins[0].vertices[1].site = 6; });
  refused([](Sample& bad) { bad.spins[0].vertices[1].band = 2; });
  refused([](Sample& bad) { bad.spins[0].vertices[1].tau = 3.0; });
  refused([](Sample& bad) { bad.spins[1].real[2] = NAN; });
  refused([](Sample& bad) { bad.sign = {INFINITY, 0}; });
}

TEST(Channel, an_unknown_one_names_the_nearest) {
  try {
    (void)parse_channels(std::array<std::string, 1>{"ph_magnetc"});
    FAIL() << "nothing was thrown";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'ph_magnetic'"), std::string::npos);
  }
}

TEST(Channel, none_is_given_twice) {
  const std::array<std::string, 2> texts{"ph_charge", "ph_up_up"};
  EXPECT_EQ(parse_channels(texts), (std::vector{Channel::ph_charge, Channel::ph_up_up}));
  EXPECT_THROW((void)parse_channels(std::array<std::string, 2>{"ph_charge", "ph_charge"}),
               base::Error);
}

TEST(Cluster, refuses_momenta_that_are_not_closed) {
  const std::vector<Vector2> sites{{0, 0}, {1, 0}};
  EXPECT_THROW(Cluster(sites, {{0, 0}, {1, 0}}, {3, 1}, {}), base::Error);
  EXPECT_THROW(Cluster(sites, {{0, 0}, {2, 0}}, {2, 1}, {}), base::Error);
  EXPECT_THROW(Cluster(sites, {{0, 0}, {1, 0}}, {2, 2}, {{0, 1}}), base::Error);
}

}  // namespace
}  // namespace blockyard::lattice
