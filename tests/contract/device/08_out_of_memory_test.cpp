// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _08_out_of_memory_is_an_answer) {
  Device device = open("memory=1000");
  EXPECT_FALSE(device.allocate(1001).has_value());
  const Memory most = allocate(device, 900);
  EXPECT_FALSE(device.allocate(101).has_value());
  EXPECT_TRUE(device.allocate(100).has_value());
}

TEST_P(DeviceContract, _08_out_of_memory_ends_when_memory_comes_back) {
  Device device = open("memory=1000");
  auto first = device.allocate(800);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(device.allocate(800).has_value());
  first.reset();
  EXPECT_TRUE(device.allocate(800).has_value());
}

TEST_P(DeviceContract, _08_out_of_memory_harms_no_work) {
  Device device = open("memory=1000");
  Stream stream = device.open_stream();
  const auto values = counted<double>(100);
  const Memory memory = send(device, stream, values);
  EXPECT_FALSE(device.allocate(1000).has_value());
  EXPECT_EQ(receive<double>(stream, memory), values);
}

}  // namespace
}  // namespace blockyard::device::contract
