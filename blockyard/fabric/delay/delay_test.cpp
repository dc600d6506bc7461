// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/delay/delay.h"

#include <gtest/gtest.h>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::fabric {
namespace {

TEST(Delay, is_read_from_text) {
  EXPECT_DOUBLE_EQ(parse_delay("100us,1GB/s").latency_seconds, 1e-4);
  EXPECT_DOUBLE_EQ(parse_delay("100us,1GB/s").bytes_per_second, 1e9);
  EXPECT_EQ(parse_delay("2s"), (Delay{2, 0}));
  for (const char* text : {"", "100", "us", "100us,", "1ms,fast", "1ms,0GB/s", "-1us", "nanus",
                           "infs", "1us,nanGB/s", "1us,infGB/s"})
    EXPECT_THROW((void)parse_delay(text), base::Error) << text;
}

TEST(Delay, holds_messages_back_for_latency_and_bandwidth_in_their_order) {
  LoopbackWorld world(2);
  const Delay delay{0.004, 1e6};
  const auto a = delayed(world.endpoint(0), delay);
  const auto b = delayed(world.endpoint(1), delay);
  const double begin = base::now_seconds();
  a->send(1, {-1, std::vector<std::byte>(2000, std::byte{1}), nullptr});
  a->send(1, {-1, std::vector<std::byte>(1000, std::byte{2}), nullptr});
  const auto receive = [&](double due) {
    auto message = b->poll(0);  // not before its time, however late this thread asks
    if (!message) message = b->poll(100);
    EXPECT_GE(base::now_seconds() - begin, due);
    return message;
  };
  const auto first = receive(0.006);
  const auto second = receive(0.007);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->head, std::vector<std::byte>(2000, std::byte{1}));
  EXPECT_EQ(second->head.size(), 1000U);
}

TEST(Delay, does_not_slow_down_what_one_tells_oneself) {
  LoopbackWorld world(1);
  const auto a = delayed(world.endpoint(0), {3600, 0});
  a->send(0, {-1, {}, nullptr});
  EXPECT_TRUE(a->poll(0).has_value());
}

}  // namespace
}  // namespace blockyard::fabric
