// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/operation.h"
#include "blockyard/device/sim/sim.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _10_close_while_busy_finishes_the_work_of_a_stream) {
  Device device = open();
  const auto values = counted<double>(8);
  std::vector<double> back(8);
  const Memory memory = allocate(device, 64);
  {
    Stream stream = device.open_stream();
    stream.copy_in(memory.address(), std::as_bytes(std::span(values)));
    stream.copy_out(std::as_writable_bytes(std::span(back)), memory.address());
  }
  EXPECT_EQ(back, values);
}

TEST_P(DeviceContract, _10_close_while_busy_keeps_memory_and_plans_until_the_work_is_done) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto values = counted<double>(8);
  std::vector<double> back(8);
  {
    const auto plan = device.open_plan(axpby_operation(BLOCKYARD_F64, {8}));
    ASSERT_TRUE(plan.has_value());
    const Memory from = allocate(device, 64), to = allocate(device, 64);
    stream.copy_in(from.address(), std::as_bytes(std::span(values)));
    stream.run(*plan, {1, 0, to.address(), from.address(), 0, 0});
    stream.copy_out(std::as_writable_bytes(std::span(back)), to.address());
  }
  stream.synchronise();
  EXPECT_EQ(back, values);
}

TEST_P(DeviceContract, _10_close_while_busy_of_a_device_closes_all_that_is_left) {
  const Table& table = *GetParam().table;
  blockyard_device* device = nullptr;
  ASSERT_EQ(table.open(0, GetParam().options.c_str(), &device), BLOCKYARD_OK);
  blockyard_stream* stream = nullptr;
  blockyard_event* event = nullptr;
  blockyard_plan* plan = nullptr;
  blockyard_address address = 0;
  ASSERT_EQ(table.stream_open(device, &stream), BLOCKYARD_OK);
  ASSERT_EQ(table.event_open(device, &event), BLOCKYARD_OK);
  ASSERT_EQ(table.allocate(device, 64, &address), BLOCKYARD_OK);
  const auto operation = axpby_operation(BLOCKYARD_F64, {8});
  ASSERT_EQ(table.plan_open(device, &operation, &plan), BLOCKYARD_OK);
  std::vector<double> back(8);
  const double seven[2] = {7, 0};
  ASSERT_EQ(table.fill(device, stream, address, BLOCKYARD_F64, seven, 8), BLOCKYARD_OK);
  ASSERT_EQ(table.copy(device, stream, BLOCKYARD_TO_HOST,
                       reinterpret_cast<std::uintptr_t>(back.data()), address, 64),
            BLOCKYARD_OK);
  ASSERT_EQ(table.event_record(device, event, stream), BLOCKYARD_OK);
  table.close(device);  // a leak would be found by the address sanitizer
  EXPECT_EQ(back, std::vector<double>(8, 7));
}

TEST(SimulatedFailure, IsReportedByTheStreamAndPassedAlongEvents) {
  Device device(sim::table(), 0, "fail_after=1");
  Stream a = device.open_stream(), b = device.open_stream();
  Event event = device.open_event();
  auto memory = device.allocate(64);
  ASSERT_TRUE(memory.has_value());
  a.fill(memory->address(), BLOCKYARD_F64, 1, 8);
  a.fill(memory->address(), BLOCKYARD_F64, 2, 8);  // the second piece of work: fails
  a.record(event);
  b.wait(event);
  EXPECT_THROW(b.synchronise(), base::Error);
  EXPECT_THROW(a.synchronise(), base::Error);
  EXPECT_THROW(event.wait(), base::Error);
}

TEST(SimulatedDevice, RefusesWhatLeavesItsMemory) {
  Device device(sim::table(), 0, "");
  Stream stream = device.open_stream();
  auto memory = device.allocate(64);
  ASSERT_TRUE(memory.has_value());
  std::vector<double> values(9);
  EXPECT_THROW(stream.copy_in(memory->address(), std::as_bytes(std::span(values))), base::Error);
  EXPECT_THROW(stream.fill(memory->address() + 8, BLOCKYARD_F64, 0, 8), base::Error);
  const auto host_pointer = reinterpret_cast<std::uintptr_t>(values.data());
  EXPECT_THROW(stream.copy_within(memory->address(), host_pointer, 8), base::Error);
}

TEST(SimulatedDevice, DoesNothingBeforeItMust) {
  Device device(sim::table(), 0, "seed=0");
  Stream stream = device.open_stream();
  auto memory = device.allocate(8);
  ASSERT_TRUE(memory.has_value());
  std::vector<double> value = {1};
  stream.copy_in(memory->address(), std::as_bytes(std::span(value)));
  value[0] = 2;  // too early: the device shows it
  std::vector<double> back(1);
  stream.copy_out(std::as_writable_bytes(std::span(back)), memory->address());
  stream.synchronise();
  EXPECT_EQ(back[0], 2);
}

}  // namespace
}  // namespace blockyard::device::contract
