// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/delay/delay.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/rpc/pair/pair.h"

namespace blockyard::rpc::delay {
namespace {

TEST(Delay, is_read_as_people_write_it) {
  const Pace both = parse_pace("100us,1.25GB/s");
  EXPECT_DOUBLE_EQ(both.latency_seconds, 100e-6);
  EXPECT_DOUBLE_EQ(both.bytes_a_second, 1.25e9);
  EXPECT_DOUBLE_EQ(parse_pace("2ms").latency_seconds, 2e-3);
  EXPECT_EQ(parse_pace("2ms").bytes_a_second, 0);
  EXPECT_DOUBLE_EQ(parse_pace("118MB/s").bytes_a_second, 118e6);
  for (const char* text : {"", ",", "1", "1GB", "-1us", "0B/s", "1us,x", "nan s"})
    EXPECT_THROW(static_cast<void>(parse_pace(text)), base::Error) << text;
}

/// A lower bound of time only: a busy machine may take any longer.
TEST(Delay, carries_all_bytes_in_both_directions_no_sooner_than_the_pace_says) {
  auto [near, far] = pair::make({.seed = 3});
  const auto delayed = over(std::move(near), {10e-3, 10e6});
  std::vector<std::byte> sent(200'000), there(sent.size()), back(sent.size());
  for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<std::byte>(k * 7);
  const double began = base::now_seconds();
  std::thread echo([&, &end = *far] {
    EXPECT_TRUE(receive_all(end, there));
    const Bytes all(there);
    send_all(end, {&all, 1});
  });
  const Bytes all(sent);
  send_all(*delayed, {&all, 1});
  EXPECT_TRUE(receive_all(*delayed, back));
  echo.join();
  EXPECT_EQ(back, sent);
  EXPECT_GE(base::now_seconds() - began, 2 * (10e-3 + 200'000 / 10e6));
}

TEST(Delay, tells_the_end_of_the_other_side_and_ends_a_wait) {
  auto [near, far] = pair::make({});
  const auto delayed = over(std::move(near), {1e-3, 0});
  far->cut();
  std::byte byte{};
  EXPECT_EQ(delayed->receive({&byte, 1}), 0U);
  auto [other, silent] = pair::make({});
  const auto waiting = over(std::move(other), {30, 0});
  const Bytes one(&byte, 1);
  send_all(*waiting, {&one, 1});  // it would arrive in half a minute
  std::thread cutter([&] { waiting->cut(); });
  EXPECT_EQ(waiting->receive({&byte, 1}), 0U);
  cutter.join();
}

}  // namespace
}  // namespace blockyard::rpc::delay
