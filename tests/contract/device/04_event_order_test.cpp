// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _04_event_that_was_never_recorded_is_done) {
  Device device = open();
  const Event event = device.open_event();
  EXPECT_TRUE(event.is_done());
  EXPECT_NO_THROW(event.wait());
}

TEST_P(DeviceContract, _04_event_orders_two_streams) {
  Device device = open();
  Stream writer = device.open_stream(), reader = device.open_stream();
  Event written = device.open_event();
  for (int round = 0; round < 20; ++round) {
    const std::vector<double> values(5, round);
    const Memory memory = allocate(device, 5 * sizeof(double));
    writer.fill(memory.address(), BLOCKYARD_F64, -1, 5);
    writer.copy_in(memory.address(), std::as_bytes(std::span(values)));
    writer.record(written);
    reader.wait(written);
    EXPECT_EQ(receive<double>(reader, memory), values);
  }
}

TEST_P(DeviceContract, _04_event_done_means_the_work_before_it_is_done) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto values = counted<double>(3);
  const Memory memory = send(device, stream, values);
  std::vector<double> back(3);
  stream.copy_out(std::as_writable_bytes(std::span(back)), memory.address());
  Event copied = device.open_event();
  stream.record(copied);
  copied.wait();
  EXPECT_EQ(back, values);
  EXPECT_TRUE(copied.is_done());
}

TEST_P(DeviceContract, _04_event_gets_done_by_asking_often_enough) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto values = counted<double>(3);
  const Memory memory = send(device, stream, values);
  Event sent = device.open_event();
  stream.record(sent);
  while (!sent.is_done()) {
  }
  EXPECT_EQ(receive<double>(stream, memory), values);
}

TEST_P(DeviceContract, _04_event_is_waited_for_as_it_was_recorded) {
  Device device = open();
  Stream a = device.open_stream(), b = device.open_stream();
  Event event = device.open_event();
  const Memory memory = allocate(device, sizeof(double));
  a.fill(memory.address(), BLOCKYARD_F64, 1, 1);
  a.record(event);
  b.wait(event);
  b.record(event);  // a wait for the first record, not for this one: no circle
  a.wait(event);
  a.fill(memory.address(), BLOCKYARD_F64, 2, 1);
  EXPECT_EQ(receive<double>(a, memory), std::vector<double>{2});
  EXPECT_NO_THROW(b.synchronise());
}

TEST_P(DeviceContract, _04_event_may_be_closed_while_a_stream_waits_for_it) {
  Device device = open();
  Stream a = device.open_stream(), b = device.open_stream();
  const Memory memory = allocate(device, sizeof(double));
  {
    Event event = device.open_event();
    a.fill(memory.address(), BLOCKYARD_F64, 3, 1);
    a.record(event);
    b.wait(event);
  }
  EXPECT_EQ(receive<double>(b, memory), std::vector<double>{3});
}

}  // namespace
}  // namespace blockyard::device::contract
