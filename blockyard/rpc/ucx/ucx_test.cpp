// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/ucx/ucx.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/rpc/test_waiting_ends.h"

namespace blockyard::rpc::ucx {
namespace {

class Ucx : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers do not go with the threads and the memory of UCX";
#endif
    if (!is_available()) GTEST_SKIP() << "this build or this machine has no UCX";
  }
};

/// Both ends of a link; the first byte of the client is received: a server that does not receive
/// takes no part in connecting.
struct Link {
  Link() {
    Address address = parse_address("ucx://127.0.0.1:0");
    const auto listener = listen(address);
    std::thread connects([&] {
      client = connect(address, 60);
      const std::byte x{'x'};
      const Bytes said(&x, 1);
      send_all(*client, {&said, 1});
    });
    server = listener->accept();
    std::byte first{};
    EXPECT_TRUE(receive_all(*server, {&first, 1}));
    connects.join();
  }
  ~Link() {
    for (const auto& end : {&server, &client})
      if (*end) (*end)->cut();  // else the first waits a moment for the second
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  std::unique_ptr<Transport> server, client;
};

std::vector<std::byte> counted(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::byte>(k * 7 + k / 256);
  return bytes;
}

void send_counted(Transport& over, const std::vector<std::byte>& bytes) {
  const std::array<Bytes, 4> parts = {Bytes(bytes).first(5), Bytes(bytes).subspan(5, 700),
                                      Bytes(bytes).subspan(705, 70'001),
                                      Bytes(bytes).subspan(70'706)};
  send_all(over, parts);
}

/// Short parts, long ones, and one that is longer than a message; received as they come and in
/// pieces.
TEST_F(Ucx, all_bytes_arrive_in_both_directions_at_the_same_time) {
  Link link;
  const auto there = counted(9'123'456), back = counted(1'000'001);
  std::vector<std::byte> arrived(there.size()), returned(back.size());
  std::thread sends([&] { send_counted(*link.client, there); });
  std::thread answers([&] { send_counted(*link.server, back); });
  std::thread receives([&] {
    EXPECT_TRUE(receive_all(*link.server, std::span(arrived).first(3)));
    EXPECT_TRUE(receive_all(*link.server, std::span(arrived).subspan(3, 5000)));
    EXPECT_TRUE(receive_all(*link.server, std::span(arrived).subspan(5003)));
  });
  EXPECT_TRUE(receive_all(*link.client, returned));
  sends.join(), answers.join(), receives.join();
  EXPECT_TRUE(arrived == there);
  EXPECT_TRUE(returned == back);
}

TEST_F(Ucx, what_was_sent_before_the_end_arrives_before_it) {
  Link link;
  const auto last = counted(3000);
  const Bytes said(last);
  send_all(*link.server, {&said, 1});
  std::thread ends([&] {
    link.server->cut();
    link.server.reset();
  });
  std::vector<std::byte> got(last.size());
  EXPECT_TRUE(receive_all(*link.client, got));
  EXPECT_TRUE(got == last);
  EXPECT_EQ(link.client->receive(got), 0U);
  link.client.reset();
  ends.join();
}

TEST_F(Ucx, a_cut_ends_what_waits_at_both_ends) {
  Link link;
  const auto much = counted(4 << 20);
  const WaitingEnds waiting(*link.client, much);
  link.server->cut();
  link.client->cut();
}

TEST_F(Ucx, where_nobody_listens_the_address_is_named) {
  Address address = parse_address("ucx://127.0.0.1:0");
  static_cast<void>(listen(address));
  try {
    static_cast<void>(connect(address, 60));
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no server answers at " + format_address(address)),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Ucx, a_listener_that_is_cut_accepts_no_more) {
  Address address = parse_address("ucx://127.0.0.1:0");
  const auto listener = listen(address);
  std::thread waits([&] { EXPECT_EQ(listener->accept(), nullptr); });
  listener->cut();
  waits.join();
}

}  // namespace
}  // namespace blockyard::rpc::ucx
