// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

/// Doubles in whole pages of the host.
class Pages {
 public:
  explicit Pages(std::size_t page_bytes, std::size_t pages = 4)
      : count_(pages * page_bytes / sizeof(double)),
        data_(static_cast<double*>(
            ::operator new (count_ * sizeof(double), std::align_val_t{page_bytes}))),
        page_bytes_(page_bytes) {
    for (std::size_t k = 0; k < count_; ++k) data_[k] = static_cast<double>(k);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::operator delete (data_, std::align_val_t{page_bytes_}); }
  [[nodiscard]] std::span<double> values() const { return {data_, count_}; }
  [[nodiscard]] std::span<std::byte> bytes() const { return std::as_writable_bytes(values()); }

 private:
  std::size_t count_;
  double* data_;
  std::size_t page_bytes_;
};

TEST_P(DeviceContract, _11_copies_of_locked_pages_are_as_others) {
  Device device = open();
  const auto page = static_cast<std::size_t>(device.describe().lock_page_bytes);
  const Pages from(page == 0 ? 4096 : page), to(page == 0 ? 4096 : page);
  for (const int round : {1, 2}) {
    EXPECT_EQ(device.lock_host(from.bytes()), page != 0) << round;
    EXPECT_EQ(device.lock_host(to.bytes()), page != 0);
    Stream stream = device.open_stream();
    const Memory memory = allocate(device, static_cast<Extent>(from.bytes().size()));
    stream.copy_in(memory.address(), from.bytes());
    stream.copy_out(to.bytes(), memory.address());
    stream.synchronise();
    EXPECT_TRUE(std::ranges::equal(from.values(), to.values()));
    if (page == 0) return;
    device.unlock_host(from.bytes().data());
    device.unlock_host(to.bytes().data());
  }
}

TEST_P(DeviceContract, _11_unlocking_waits_for_the_work_before_it) {
  Device device = open();
  const auto page = static_cast<std::size_t>(device.describe().lock_page_bytes);
  if (page == 0) GTEST_SKIP() << "the device locks nothing";
  auto from = std::make_unique<Pages>(page);
  ASSERT_TRUE(device.lock_host(from->bytes()));
  Stream stream = device.open_stream();
  const Memory memory = allocate(device, static_cast<Extent>(from->bytes().size()));
  stream.copy_in(memory.address(), from->bytes());
  device.unlock_host(from->bytes().data());
  const std::vector<double> expected(from->values().begin(), from->values().end());
  from.reset();
  EXPECT_EQ(receive<double>(stream, memory), expected);
}

TEST_P(DeviceContract, _11_what_cannot_be_locked_is_refused) {
  const Table& table = *GetParam().table;
  blockyard_device* device = nullptr;
  ASSERT_EQ(table.open(0, GetParam().options.c_str(), &device), BLOCKYARD_OK);
  blockyard_description description{};
  description.size = sizeof description;
  ASSERT_EQ(table.describe(device, &description), BLOCKYARD_OK);
  const std::uint64_t page = description.lock_page_bytes;
  EXPECT_EQ(table.host_unlock(device, 0), BLOCKYARD_OK);
  EXPECT_EQ(table.host_unlock(device, 12345), BLOCKYARD_BAD_ARGUMENT);
  if (page == 0) {
    EXPECT_EQ(table.host_lock(device, 4096, 4096), BLOCKYARD_UNSUPPORTED);
  } else {
    const Pages pages(page, 2);
    const auto begin = reinterpret_cast<std::uintptr_t>(pages.bytes().data());
    EXPECT_EQ(table.host_lock(device, begin + page / 2, page), BLOCKYARD_BAD_ARGUMENT);
    EXPECT_EQ(table.host_lock(device, begin, page / 2), BLOCKYARD_BAD_ARGUMENT);
    EXPECT_EQ(table.host_lock(device, begin, 2 * page), BLOCKYARD_OK);
    EXPECT_NE(table.host_lock(device, begin, page), BLOCKYARD_OK);
    table.close(device);  // ends the lock too
    return;
  }
  table.close(device);
}

TEST(SimulatedDevice, LocksNoMoreThanItIsTold) {
  const auto all = backends();
  const auto sim = std::ranges::find(all, "sim_lazy", &Backend::name);
  Device device(*sim->table, 0, "page=64 host_locks=300");
  const Pages first(64), second(64);
  EXPECT_TRUE(device.lock_host(first.bytes()));
  EXPECT_FALSE(device.lock_host(second.bytes()));
  device.unlock_host(first.bytes().data());
  EXPECT_TRUE(device.lock_host(second.bytes()));
}

}  // namespace
}  // namespace blockyard::device::contract
