// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

/// Another open device of the same table.
Device open_other(const Backend& backend) {
  return {*backend.table, device_count(*backend.table) > 1 ? 1 : 0, backend.options};
}

TEST_P(DeviceContract, _13_another_device_gives_its_values) {
  Device here = open(), there = open_other(GetParam());
  Stream theirs = there.open_stream(), stream = here.open_stream();
  std::vector<double> values = counted<double>(1000);
  const Memory from = send(there, theirs, values);
  theirs.synchronise();
  const Memory to = allocate(here, from.bytes());
  stream.fill(to.address(), BLOCKYARD_F64, 7.0, 1000);
  constexpr Extent skipped = 40 * sizeof(double);
  if (!stream.copy_from(there, to.address() + skipped, from.address() + skipped,
                        from.bytes() - skipped))
    GTEST_SKIP() << "no copies between these devices";
  std::fill_n(values.begin(), 40, 7.0);
  EXPECT_EQ(receive<double>(stream, to), values);
}

TEST_P(DeviceContract, _13_copies_between_devices_stay_inside_of_their_memory) {
  Device here = open(), there = open_other(GetParam());
  const Memory to = allocate(here, 64), from = allocate(there, 64);
  Stream stream = here.open_stream();
  if (here.describe().shares_host_memory != 0 ||
      !stream.copy_from(there, to.address(), from.address(), 64))
    GTEST_SKIP() << "no copies between these devices, or no checks";
  EXPECT_THROW((void)stream.copy_from(there, to.address(), from.address() + 8, 64), base::Error);
  EXPECT_THROW((void)stream.copy_from(there, to.address() + 8, from.address(), 64), base::Error);
}

TEST_P(DeviceContract, _13_a_device_copies_from_itself) {
  Device device = open();
  Stream stream = device.open_stream();
  const std::vector<double> values = counted<double>(100);
  const Memory from = send(device, stream, values), to = allocate(device, from.bytes());
  ASSERT_TRUE(stream.copy_from(device, to.address(), from.address(), from.bytes()));
  EXPECT_EQ(receive<double>(stream, to), values);
}

}  // namespace
}  // namespace blockyard::device::contract
