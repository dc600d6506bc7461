// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>

#include "blockyard/device/operation.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

/// Memory of the host that is an address too.
template <std::size_t count>
struct alignas(64) Values {
  std::array<double, count> all{};
  [[nodiscard]] Address address() const { return reinterpret_cast<std::uintptr_t>(all.data()); }
};

constexpr Extent count = 1000;
using Block = Values<count>;

Plan axpby(Device& device, Extent elements) {
  return *device.open_plan(axpby_operation(element_of<double>, tensor::Shape({&elements, 1})));
}

TEST_P(DeviceContract, _14_in_place_the_host_sees_what_work_wrote_and_work_what_the_host_wrote) {
  Device device = open();
  if (device.describe().works_in_place == 0) GTEST_SKIP() << "it has only memory of its own";
  const Plan plan = axpby(device, count);
  Stream stream = device.open_stream();
  Event done = device.open_event();
  Block left, result;
  std::ranges::fill(result.all, 1.0);
  double expected = 1.0;
  for (int round = 0; round < 20; ++round) {
    std::ranges::fill(left.all, round);
    stream.run(plan,
               {.alpha = 2.0, .beta = 1.0, .result = result.address(), .left = left.address()});
    stream.record(done);
    done.wait();
    expected += 2.0 * round;
    EXPECT_EQ(std::ranges::count(result.all, expected), count);
    if (round % 5 == 4) std::ranges::fill(result.all, expected = -round);
  }
}

TEST_P(DeviceContract, _14_in_place_goes_with_memory_of_the_device) {
  Device device = open();
  if (device.describe().works_in_place == 0) GTEST_SKIP() << "it has only memory of its own";
  const Plan plan = axpby(device, count);
  Stream stream = device.open_stream();
  Block host;
  const Memory there = allocate(device, count * Extent{sizeof(double)});
  stream.fill(host.address(), BLOCKYARD_F64, 3.0, count);
  stream.copy_within(there.address(), host.address(), there.bytes());
  stream.run(plan, {.alpha = 2.0, .beta = 1.0, .result = host.address(), .left = there.address()});
  const std::vector<double> nines = {9, 9};
  stream.copy_in(host.address() + 64, std::as_bytes(std::span(nines)));
  std::array<double, count> out{};
  stream.copy_out(std::as_writable_bytes(std::span(out)), host.address());
  stream.synchronise();
  EXPECT_EQ(out, host.all);
  EXPECT_EQ(std::ranges::count(out, 9.0), count);
  EXPECT_EQ(receive<double>(stream, there), std::vector<double>(count, 3.0));
}

TEST_P(DeviceContract, _14_in_place_blocks_of_other_lengths_follow_each_other) {
  Device device = open();
  if (device.describe().works_in_place == 0) GTEST_SKIP() << "it has only memory of its own";
  Stream stream = device.open_stream();
  Block left, result;
  for (Extent length = 1; length <= count; length = 2 * length + 1) {
    const Plan plan = axpby(device, length);
    std::ranges::fill(left.all, static_cast<double>(length));
    stream.run(plan, {.result = result.address(), .left = left.address()});
    stream.synchronise();
    EXPECT_EQ(std::ranges::count(result.all, static_cast<double>(length)), length);
  }
}

TEST_P(DeviceContract, _14_in_place_many_blocks_are_used_in_turn) {
  Device device = open();
  if (device.describe().works_in_place == 0) GTEST_SKIP() << "it has only memory of its own";
  constexpr Extent length = 8;
  constexpr std::size_t blocks = 6000;
  const Plan plan = axpby(device, length);
  Stream stream = device.open_stream();
  std::vector<Values<length>> values(blocks);
  for (const double added : {1.0, 2.0}) {
    std::ranges::fill(values[0].all, added);
    for (std::size_t k = 1; k < blocks; ++k)
      stream.run(plan, {.beta = 1.0, .result = values[k].address(), .left = values[0].address()});
    stream.synchronise();
  }
  std::array<double, length> sum{};
  sum.fill(3.0);
  EXPECT_EQ(std::ranges::count(values, sum, &Values<length>::all), blocks - 1);
}

TEST_P(DeviceContract, _14_in_place_events_order_streams) {
  Device device = open();
  if (device.describe().works_in_place == 0) GTEST_SKIP() << "it has only memory of its own";
  const Plan plan = axpby(device, count);
  Stream first = device.open_stream(), second = device.open_stream();
  Block one, two;
  for (int round = 0; round < 20; ++round) {
    Event written = device.open_event(), read = device.open_event();
    first.fill(one.address(), BLOCKYARD_F64, round, count);
    first.record(written);
    second.wait(written);
    second.run(plan, {.beta = 1.0, .result = two.address(), .left = one.address()});
    second.record(read);
    first.wait(read);
  }
  first.synchronise();
  EXPECT_EQ(std::ranges::count(two.all, 190.0), count);
}

}  // namespace
}  // namespace blockyard::device::contract
