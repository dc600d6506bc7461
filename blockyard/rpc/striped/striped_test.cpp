// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/striped/striped.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/rpc/pair/pair.h"

namespace blockyard::rpc::striped {
namespace {

/// Both ends of a connection over several pairs.
struct Link {
  explicit Link(std::size_t members, const std::vector<pair::Options>& options = {}) {
    std::vector<Transport*> near, far;
    for (std::size_t k = 0; k < members; ++k) {
      auto [one, two] = pair::make(k < options.size() ? options[k] : pair::Options{});
      near.push_back(ends.emplace_back(std::move(one)).get());
      far.push_back(ends.emplace_back(std::move(two)).get());
    }
    client = over(near), server = over(far);
  }
  std::vector<std::unique_ptr<Transport>> ends;
  std::unique_ptr<Transport> client, server;
};

std::vector<std::byte> counted(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::byte>(k * 7 + k / 256);
  return bytes;
}

/// Short and long parts, one of them empty.
void send_in_parts(Transport& over, Bytes bytes) {
  const std::array<Bytes, 6> parts = {bytes.first(5),
                                      bytes.subspan(5, 0),
                                      bytes.subspan(5, 70'001),
                                      bytes.subspan(70'006, 100'000),
                                      bytes.subspan(170'006, 8),
                                      bytes.subspan(170'014)};
  send_all(over, parts);
}

TEST(Striped, bytes_arrive_in_order_whatever_the_members_do) {
  const auto there = counted(600'000), back = counted(300'000);
  for (const std::size_t members : {1, 2, 3, 16}) {
    std::vector<pair::Options> options;
    for (std::size_t k = 0; k < members; ++k)
      options.push_back({.seed = k, .room = 5000 + 999 * k});
    const Link link(members, options);
    std::vector<std::byte> arrived(there.size()), returned(back.size());
    std::thread sends([&] { send_in_parts(*link.client, there); });
    std::thread answers([&] { send_in_parts(*link.server, back); });
    std::thread receives([&] {
      const std::span<std::byte> all(arrived);
      EXPECT_TRUE(receive_all(*link.server, all.first(3)));
      EXPECT_TRUE(receive_all(*link.server, all.subspan(3, 1000)));  // less than a record
      EXPECT_TRUE(receive_all(*link.server, all.subspan(1003)));
    });
    EXPECT_TRUE(receive_all(*link.client, returned));
    sends.join(), answers.join(), receives.join();
    EXPECT_TRUE(arrived == there) << members;
    EXPECT_TRUE(returned == back) << members;
  }
}

/// Any member, at any point: neither end waits for ever, and nothing wrong arrives.
TEST(Striped, a_member_that_is_cut_ends_all) {
  const auto sent = counted(600'000);
  for (const std::size_t cut : {0, 1, 2})
    for (const std::uint64_t after : {0, 1, 40'000, 100'000}) {
      std::vector<pair::Options> options(3);
      options[cut].cut_after = after;
      const Link link(3, options);
      std::thread sends([&] {
        try {
          send_in_parts(*link.client, sent);
        } catch (const base::Error&) {  // it may also have sent all before it is told
        }
      });
      std::vector<std::byte> got(sent.size());
      bool is_whole = false;
      try {
        is_whole = receive_all(*link.server, got);
      } catch (const base::Error&) {
      }
      EXPECT_FALSE(is_whole) << cut << " " << after;
      link.server->cut();
      sends.join();
    }
}

TEST(Striped, a_member_that_stalls_is_ended_by_a_cut_of_either_end) {
  const auto sent = counted(600'000);
  for (const std::size_t stalled : {0, 1, 2}) {
    std::vector<pair::Options> options(3);
    options[stalled].stall_after = 30'000;
    const Link link(3, options);
    std::thread receives([&] {
      std::vector<std::byte> got(sent.size());
      bool is_whole = false;
      try {
        is_whole = receive_all(*link.server, got);
      } catch (const base::Error&) {
      }
      EXPECT_FALSE(is_whole);
    });
    send_in_parts(*link.client, sent);
    link.client->cut();
    receives.join();
  }
}

TEST(Striped, what_is_no_record_is_refused) {
  for (const std::array<std::uint32_t, 2> head :
       {std::array{0U, 0U}, std::array{5U, 2U}, std::array{9U << 20, 1U}}) {
    auto [near, far] = pair::make();
    const auto server = over({far.get()});
    const Bytes bytes = std::as_bytes(std::span(head));
    send_all(*near, {&bytes, 1});
    std::byte byte{};
    EXPECT_THROW(static_cast<void>(server->receive({&byte, 1})), base::Error);
  }
}

}  // namespace
}  // namespace blockyard::rpc::striped
