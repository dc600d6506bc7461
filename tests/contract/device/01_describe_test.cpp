// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include "blockyard/device/loader.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

TEST_P(DeviceContract, _01_describe_gives_a_complete_table) {
  EXPECT_EQ(table_fault(GetParam().table), "");
}

TEST_P(DeviceContract, _01_describe_counts_at_least_one_device) {
  EXPECT_GE(device_count(*GetParam().table), 1);
}

TEST_P(DeviceContract, _01_describe_names_the_device_and_its_memory) {
  const auto description = open("memory=1000000").describe();
  EXPECT_GT(std::strlen(description.name), 0u);
  EXPECT_EQ(description.memory_bytes, 1000000u);
  EXPECT_EQ(description.free_bytes, 1000000u);
}

TEST_P(DeviceContract, _01_describe_writes_no_more_than_the_caller_has) {
  const Table& table = *GetParam().table;
  blockyard_device* device = nullptr;
  ASSERT_EQ(table.open(0, (GetParam().options + " memory=1000").c_str(), &device), BLOCKYARD_OK);
  blockyard_description description{};
  description.size = offsetof(blockyard_description, free_bytes);
  description.free_bytes = 77;
  EXPECT_EQ(table.describe(device, &description), BLOCKYARD_OK);
  EXPECT_EQ(description.memory_bytes, 1000u);
  EXPECT_EQ(description.free_bytes, 77u);
  table.close(device);
}

TEST_P(DeviceContract, _01_describe_refuses_unknown_options_and_devices_with_a_reason) {
  const auto failure = [](int index, const std::string& options) -> std::string {
    try {
      const Device device(*GetParam().table, index, GetParam().options + " " + options);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::Errc::device);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(failure(0, "colour=red").find("unknown option 'colour=red'"), std::string::npos);
  EXPECT_NE(failure(99, "").find("device"), std::string::npos);
}

TEST(DeviceTable, IsRefusedIfItIsOldShortOrIncomplete) {
  EXPECT_NE(table_fault(nullptr), "");
  Table table = *backends().front().table;
  table.version = 99;
  EXPECT_NE(table_fault(&table).find("version 99"), std::string::npos);
  table = *backends().front().table;
  table.size -= 8;
  EXPECT_NE(table_fault(&table).find("bytes"), std::string::npos);
  table = *backends().front().table;
  table.close = nullptr;
  EXPECT_NE(table_fault(&table).find("function 3"), std::string::npos);
}

TEST(DevicePlugin, ThatIsNoneIsRefusedWithItsPath) {
  const auto failure = [](const std::string& path) -> std::string {
    try {
      const Plugin plugin(path);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(failure("/nowhere/device.so").find("/nowhere/device.so"), std::string::npos);
  EXPECT_NE(failure("libm.so.6").find("does not export"), std::string::npos);
}

}  // namespace
}  // namespace blockyard::device::contract
