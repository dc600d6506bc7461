// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "blockyard/device/operation.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

/// Doubles the block again and again on one stream.
std::vector<double> doubled(Device& device, const Plan& plan, double start, int times) {
  Stream stream = device.open_stream();
  auto memory = device.allocate(4 * sizeof(double));
  auto other = device.allocate(4 * sizeof(double));
  stream.fill(memory->address(), BLOCKYARD_F64, start, 4);
  for (int i = 0; i < times; ++i) {
    stream.run(plan, {2, 0, other->address(), memory->address(), 0, 0});
    std::swap(memory, other);
  }
  std::vector<double> values(4);
  stream.copy_out(std::as_writable_bytes(std::span(values)), memory->address());
  stream.synchronise();
  return values;
}

TEST_P(DeviceContract, _09_two_streams_keep_their_own_order) {
  Device device = open();
  Stream a = device.open_stream(), b = device.open_stream();
  const Memory of_a = allocate(device, 80), of_b = allocate(device, 80);
  for (int round = 0; round < 10; ++round) {
    a.fill(of_a.address(), BLOCKYARD_F64, round, 10);
    b.fill(of_b.address(), BLOCKYARD_F64, -round, 10);
  }
  EXPECT_EQ(receive<double>(b, of_b), std::vector<double>(10, -9));
  EXPECT_EQ(receive<double>(a, of_a), std::vector<double>(10, 9));
}

TEST_P(DeviceContract, _09_two_streams_hand_a_block_to_and_fro) {
  Device device = open();
  Stream a = device.open_stream(), b = device.open_stream();
  Event of_a = device.open_event(), of_b = device.open_event();
  const auto plan = device.open_plan(axpby_operation(BLOCKYARD_F64, {4}));
  ASSERT_TRUE(plan.has_value());
  const Memory ones = allocate(device, 32), x = allocate(device, 32);
  a.fill(ones.address(), BLOCKYARD_F64, 1, 4);
  a.fill(x.address(), BLOCKYARD_F64, 0, 4);
  for (int round = 0; round < 10; ++round) {
    a.run(*plan, {1, 2, x.address(), ones.address(), 0, 0});  // x = 2 x + 1
    a.record(of_a);
    b.wait(of_a);
    b.run(*plan, {3, 1, x.address(), ones.address(), 0, 0});  // x = x + 3
    b.record(of_b);
    a.wait(of_b);
  }
  EXPECT_EQ(receive<double>(a, x), std::vector<double>(4, 4 * 1023));
}

TEST_P(DeviceContract, _09_two_streams_of_two_threads_do_not_disturb_each_other) {
  Device device = open();
  const auto plan = device.open_plan(axpby_operation(BLOCKYARD_F64, {4}));
  ASSERT_TRUE(plan.has_value());
  std::vector<double> of_thread;
  std::thread thread([&] { of_thread = doubled(device, *plan, 1, 20); });
  const auto here = doubled(device, *plan, 3, 20);
  thread.join();
  EXPECT_EQ(here, std::vector<double>(4, 3.0 * (1 << 20)));
  EXPECT_EQ(of_thread, std::vector<double>(4, 1 << 20));
}

}  // namespace
}  // namespace blockyard::device::contract
