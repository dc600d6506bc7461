// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _03_copy_brings_back_what_it_took) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto values = counted<double>(1000);
  const Memory memory = send(device, stream, values);
  EXPECT_EQ(receive<double>(stream, memory), values);
}

TEST_P(DeviceContract, _03_copy_within_the_device_and_from_the_middle) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto values = counted<double>(10);
  const Memory from = send(device, stream, values);
  const Memory to = allocate(device, 4 * sizeof(double));
  stream.copy_within(to.address(), from.address() + 3 * sizeof(double), 4 * sizeof(double));
  EXPECT_EQ(receive<double>(stream, to), (std::vector<double>{4, 5, 6, 7}));
}

TEST_P(DeviceContract, _03_copy_of_nothing_is_allowed) {
  Device device = open();
  Stream stream = device.open_stream();
  const Memory memory = allocate(device, 8);
  stream.copy_in(memory.address(), {});
  stream.copy_out({}, memory.address());
  EXPECT_NO_THROW(stream.synchronise());
}

TEST_P(DeviceContract, _03_copy_happens_in_the_order_of_the_stream) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto first = counted<double>(4);
  const std::vector<double> second = {9, 9};
  const Memory memory = send(device, stream, first);
  stream.copy_in(memory.address(), std::as_bytes(std::span(second)));
  EXPECT_EQ(receive<double>(stream, memory), (std::vector<double>{9, 9, 3, 4}));
}

}  // namespace
}  // namespace blockyard::device::contract
