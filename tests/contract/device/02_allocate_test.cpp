// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _02_allocate_gives_aligned_places_that_do_not_overlap) {
  Device device = open();
  const Memory a = allocate(device, 1000), b = allocate(device, 1);
  EXPECT_NE(a.address(), 0u);
  EXPECT_NE(b.address(), 0u);
  EXPECT_EQ(a.address() % 64, 0u);
  EXPECT_EQ(b.address() % 64, 0u);
  EXPECT_TRUE(a.address() + 1000 <= b.address() || b.address() + 1 <= a.address());
}

TEST_P(DeviceContract, _02_allocate_and_release_keep_the_account) {
  Device device = open("memory=10000");
  {
    const Memory memory = allocate(device, 4000);
    EXPECT_EQ(device.describe().free_bytes, 6000u);
  }
  EXPECT_EQ(device.describe().free_bytes, 10000u);
}

TEST_P(DeviceContract, _02_allocate_of_nothing_is_allowed) {
  Device device = open();
  EXPECT_TRUE(device.allocate(0).has_value());
}

TEST_P(DeviceContract, _02_release_of_a_strange_address_is_refused_and_of_none_is_not) {
  const Table& table = *GetParam().table;
  blockyard_device* device = nullptr;
  ASSERT_EQ(table.open(0, GetParam().options.c_str(), &device), BLOCKYARD_OK);
  EXPECT_EQ(table.release(device, 0), BLOCKYARD_OK);
  EXPECT_EQ(table.release(device, 12345), BLOCKYARD_BAD_ARGUMENT);
  char text[8];
  table.last_error(device, text, sizeof text);
  EXPECT_EQ(std::string(text), "the add");  // cut, with the final 0
  table.close(device);
}

}  // namespace
}  // namespace blockyard::device::contract
