// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/contract/fabric/worlds.h"

namespace blockyard::contract {

using fabric::Fabric;
using fabric::Message;

/// Tests of messages, with what all of them do.
class FabricMessages : public testing::TestWithParam<World> {
 protected:
  [[nodiscard]] static fabric::Payload payload_of(std::size_t count, double first) {
    auto buffer = std::make_shared<base::Buffer>(GetParam().pool->allocate(count * sizeof(double)));
    for (std::size_t i = 0; i < count; ++i)
      buffer->as<double>()[i] = first + static_cast<double>(i);
    return buffer;
  }
};

inline std::string name_of_world(const testing::TestParamInfo<World>& test) {
  return test.param.name;
}

inline std::vector<std::byte> head_of(int number) {
  std::vector<std::byte> head(sizeof number);
  std::memcpy(head.data(), &number, sizeof number);
  return head;
}

inline int number_in(const fabric::Message& message) {
  int number = -1;
  EXPECT_EQ(message.head.size(), sizeof number);
  std::memcpy(&number, message.head.data(), std::min(message.head.size(), sizeof number));
  return number;
}

inline fabric::Message receive(fabric::Fabric& fabric) {
  for (;;) {
    if (auto message = fabric.poll(1.0)) return std::move(*message);
  }
}

}  // namespace blockyard::contract
