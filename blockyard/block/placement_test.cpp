// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/placement.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace blockyard::block {
namespace {

/// A machine on which statements take so long, and a program that runs one of them many times.
struct Machine {
  double host_seconds;            ///< for each flop
  double device_seconds;          ///< for each flop
  double launch_seconds;          ///< at least
  double first_seconds;           ///< more, for the first run there
  double copy_seconds = 1e-9;     ///< for each byte
  double first_host_seconds = 0;  ///< more, for the first run on the host

  /// Seconds for `count` runs; operands are on the device except for `fresh_bytes`.
  double run(Placement& placement, int count, double flops, std::uint64_t fresh_bytes) const {
    double seconds = 0;
    double first = first_seconds;
    for (int k = 0; k < count; ++k) {
      Placement::Side side = Placement::Side::host;
      if (placement.is_open(0)) side = placement.choose(0, {flops, fresh_bytes, 0, 0});
      if (side == Placement::Side::host) {
        placement.host_took(0, flops, host_seconds * flops + (k == 0 ? first_host_seconds : 0));
        seconds += host_seconds * flops;
        continue;
      }
      const double copies = copy_seconds * static_cast<double>(fresh_bytes);
      const double work = std::max(launch_seconds, device_seconds * flops) + first;
      first = 0;
      if (side == Placement::Side::trial) {
        placement.copies_took({.bytes_in = fresh_bytes}, copies);
        placement.device_took(0, flops, work);
      }
      seconds += copies + work;
    }
    return seconds;
  }
};

TEST(Placement, is_nearly_as_good_as_the_better_side) {
  for (const double device_seconds : {1e-11, 1e-10, 9e-10, 1.1e-9, 1e-8})
    for (const double flops : {1e3, 1e5, 1e7})
      for (const std::uint64_t fresh : {std::uint64_t{0}, std::uint64_t{1000000}}) {
        const Machine machine{1e-9, device_seconds, 2e-5, 0.01};
        Placement placement(1);
        const int count = static_cast<int>(2.0 / (1e-9 * flops));  // two seconds on the host
        const double seconds = machine.run(placement, count, flops, fresh);
        const double host = count * 1e-9 * flops;
        const double device =
            count * (std::max(2e-5, device_seconds * flops) + 1e-9 * static_cast<double>(fresh));
        EXPECT_LE(seconds, 1.1 * std::min(host, device) + 0.03)
            << device_seconds << " " << flops << " " << fresh;
      }
}

TEST(Placement, copies_from_other_devices_say_nothing_of_the_link_to_the_host) {
  const double flops = 1e5;
  const std::uint64_t fresh = 1000000;
  const Machine machine{1e-9, 1e-11, 2e-5, 0};
  Placement placement(1);
  machine.run(placement, 50, flops, fresh);
  for (int k = 0; k < 100; ++k)
    placement.copies_took({.bytes_in = fresh, .peer_bytes = fresh}, 1e-7);
  for (int k = 0; k < 20; ++k)
    EXPECT_EQ(placement.choose(0, {flops, fresh, 0, 0}), Placement::Side::host);
  EXPECT_EQ(placement.choose(0, {flops, 0, 0, 0}), Placement::Side::device);
}

TEST(Placement, a_processor_that_may_be_far_slower_is_tried_where_that_is_affordable) {
  const Machine machine{1e-9, 4e-8, 2e-5, 0};
  const auto trials = [&](bool is_processor, double flops, int count) {
    Placement placement(1, is_processor);
    machine.run(placement, 2, flops, 0);  // on the host
    int tried = 0;
    for (int k = 0; k < count; ++k) {
      const bool is_trial =
          placement.is_open(0) && placement.choose(0, {flops, 0, 0, 0}) == Placement::Side::trial;
      if (is_trial) ++tried, placement.device_took(0, flops, 4e-8 * flops);
      if (!is_trial) placement.host_took(0, flops, 1e-9 * flops);
    }
    return tried;
  };
  EXPECT_EQ(trials(true, 1e7, 20), 0) << "ten milliseconds each: too dear for a short job";
  EXPECT_GT(trials(true, 1e7, 5000), 0) << "a long one can afford to know";
  EXPECT_GT(trials(true, 1e5, 20), 0);
  EXPECT_GT(trials(false, 1e7, 20), 0);
}

TEST(Placement, goes_to_a_fast_device_and_stays) {
  const Machine machine{1e-9, 1e-11, 1e-5, 0};
  Placement placement(1);
  machine.run(placement, 100, 1e7, 0);
  EXPECT_EQ(placement.on_device(), 1U);
  // A little slower than the host for a while: no reason to move.
  EXPECT_EQ(placement.choose(0, {1e7, 10000000, 0, 0}), Placement::Side::device);
  EXPECT_EQ(placement.choose(0, {1e7, 1000000000, 0, 0}), Placement::Side::host);
}

TEST(Placement, a_first_run_that_makes_things_ready_does_not_count) {
  const Machine machine{1e-9, 2e-9, 1e-6, 0.01, 1e-9, 0.01};
  Placement placement(1);
  machine.run(placement, 100, 1e5, 0);
  EXPECT_EQ(placement.on_device(), 0U);
}

TEST(Placement, a_host_that_became_fast_is_noticed) {
  Placement placement(1);
  Machine{1e-9, 2e-10, 1e-6, 0}.run(placement, 100, 1e5, 0);
  EXPECT_EQ(placement.on_device(), 1U);
  Machine{1e-11, 2e-10, 1e-6, 0}.run(placement, 20000, 1e5, 0);
  EXPECT_EQ(placement.on_device(), 0U);
}

TEST(Placement, what_only_the_device_has_speaks_for_the_device) {
  const Machine machine{1e-9, 1.2e-9, 1e-6, 0};
  Placement placement(1);
  machine.run(placement, 20, 1e6, 0);
  Placement::Side side = Placement::Side::host;
  for (int k = 0; k < 5000 && side == Placement::Side::host; ++k)
    if (placement.is_open(0)) side = placement.choose(0, {1e6, 0, 100000000, 0});
  EXPECT_NE(side, Placement::Side::host);
}

}  // namespace
}  // namespace blockyard::block
