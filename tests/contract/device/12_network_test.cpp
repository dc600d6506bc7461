// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>

#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _12_what_a_network_reads_are_the_values) {
  Device device = open("network=1");
  Stream stream = device.open_stream();
  const std::vector<double> values = counted<double>(1000);
  const Memory memory = send(device, stream, values);
  Event done = device.open_event();
  stream.record(done);
  constexpr Extent skipped = 30 * sizeof(double);
  const std::byte* const place =
      device.network_pointer(memory.address() + skipped, memory.bytes() - skipped);
  done.wait();
  if (place == nullptr || GetParam().name.starts_with("cuda"))
    GTEST_SKIP() << "only a network library reads the memory of this device";
  std::vector<double> read(values.size() - 30);
  std::memcpy(read.data(), place, read.size() * sizeof(double));
  EXPECT_TRUE(std::ranges::equal(read, std::span(values).subspan(30)));
}

TEST_P(DeviceContract, _12_addresses_for_the_network_are_checked) {
  Device device = open("network=1");
  const Memory memory = allocate(device, 64);
  if (device.network_pointer(memory.address(), 64) == nullptr)
    GTEST_SKIP() << "networks cannot read this device";
  EXPECT_THROW(static_cast<void>(device.network_pointer(memory.address(), 65)), base::Error);
  EXPECT_THROW(static_cast<void>(device.network_pointer(1, 1)), base::Error);
}

TEST_P(DeviceContract, _12_only_what_was_opened_for_it_is_read) {
  Device device = open();
  const Memory memory = allocate(device, 64);
  const std::byte* const place = device.network_pointer(memory.address(), 64);
  const bool shares = device.describe().shares_host_memory != 0;
  EXPECT_EQ(place, shares ? reinterpret_cast<const std::byte*>(memory.address()) : nullptr);
}

}  // namespace
}  // namespace blockyard::device::contract
