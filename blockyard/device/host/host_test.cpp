// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/host.h"

#include <gtest/gtest.h>

#include <string>

#include "blockyard/device/abi_kinds.h"

namespace blockyard::device::host {
namespace {

TEST(Host, work_without_memory_leaves_a_text_that_says_so) {
  blockyard_device* device = nullptr;
  ASSERT_EQ(table().open(0, "", &device), BLOCKYARD_OK);
  EXPECT_EQ(table().release(device, 64), BLOCKYARD_BAD_ARGUMENT) << "an earlier failure";
  // Eigenvalues of a matrix whose copy would be longer than any container.
  constexpr std::int64_t n = 1000000000;
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_SPECTRUM;
  operation.element = BLOCKYARD_C128;
  operation.result = {2, {0, 1}, {n, n}};
  operation.left = {2, {0, 1}, {1, 1}};
  operation.right = {1, {0}, {n + 1}};
  blockyard_plan* plan = nullptr;
  ASSERT_EQ(table().plan_open(device, &operation, &plan), BLOCKYARD_OK);
  const blockyard_run run{};
  EXPECT_EQ(table().plan_run(device, plan, nullptr, &run), BLOCKYARD_NO_MEMORY);
  char text[256] = {};
  table().last_error(device, text, sizeof text);
  EXPECT_NE(std::string(text).find("memory"), std::string::npos) << text;
  table().close(device);
}

}  // namespace
}  // namespace blockyard::device::host
