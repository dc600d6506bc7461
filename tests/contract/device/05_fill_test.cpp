// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/operation.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

template <class T>
void expect_fill(Device& device, Stream& stream, const Memory& memory, T value) {
  static_cast<void>(device);
  stream.fill(memory.address(), element_of<T>, value, memory.bytes() / Extent{sizeof(T)});
  std::vector<T> back(static_cast<std::size_t>(memory.bytes()) / sizeof(T));
  stream.copy_out(std::as_writable_bytes(std::span(back)), memory.address());
  stream.synchronise();
  EXPECT_EQ(back, std::vector<T>(back.size(), value));
}

TEST_P(DeviceContract, _05_fill_reaches_every_element_of_all_types) {
  Device device = open();
  Stream stream = device.open_stream();
  const Memory memory = allocate(device, 1008);
  expect_fill<float>(device, stream, memory, 1.5F);
  expect_fill<double>(device, stream, memory, -2.5);
  expect_fill<tensor::c64>(device, stream, memory, {1, 2});
  expect_fill<tensor::c128>(device, stream, memory, {3, -4});
}

TEST_P(DeviceContract, _05_fill_touches_nothing_else) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto values = counted<double>(5);
  const Memory memory = send(device, stream, values);
  stream.fill(memory.address() + sizeof(double), BLOCKYARD_F64, 0, 3);
  EXPECT_EQ(receive<double>(stream, memory), (std::vector<double>{1, 0, 0, 0, 5}));
}

}  // namespace
}  // namespace blockyard::device::contract
