// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/shared/shared.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/rpc/shared/ring.h"
#include "blockyard/rpc/test_waiting_ends.h"

namespace blockyard::rpc::shared {
namespace {

constexpr double patience_seconds = 60;

std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return ends;
}

/// Both ends of a link; the first bytes of the client are `x`, received.
struct Link {
  Link() : Link(socket_pair()) {}
  explicit Link(const std::array<int, 2>& ends) : server(accept(ends[1], "client")) {
    std::byte first{};
    std::thread receiving([&] { EXPECT_TRUE(receive_all(*server, {&first, 1})); });
    client = offer(ends[0], "server", patience_seconds);
    const std::byte x{'x'};
    const Bytes said(&x, 1);
    send_all(*client, {&said, 1});
    receiving.join();
    EXPECT_EQ(first, x);
  }
  std::unique_ptr<Transport> server, client;
};

std::vector<std::byte> counted(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::byte>(k * 7 + k / 256);
  return bytes;
}

/// Both directions at the same time, several times around.
void expect_carries(Transport& one, Transport& two) {
  const auto there = counted(3 * ring_bytes + 12'345), back = counted(2 * ring_bytes + 1);
  std::vector<std::byte> arrived(there.size()), returned(back.size());
  const auto send = [](Transport& over, const std::vector<std::byte>& bytes) {
    const std::array<Bytes, 3> parts = {Bytes(bytes).first(5), Bytes(bytes).subspan(5, 70'001),
                                        Bytes(bytes).subspan(70'006)};
    send_all(over, parts);
  };
  std::thread sends([&] { send(one, there); }), answers([&] { send(two, back); });
  std::thread receives([&] { EXPECT_TRUE(receive_all(two, arrived)); });
  EXPECT_TRUE(receive_all(one, returned));
  sends.join(), answers.join(), receives.join();
  EXPECT_TRUE(arrived == there);
  EXPECT_TRUE(returned == back);
}

TEST(Shared, memory_carries_all_bytes_in_both_directions) {
  const Link link;
  EXPECT_TRUE(link.client->is_checked());
  EXPECT_TRUE(link.server->is_checked());
  expect_carries(*link.client, *link.server);
}

TEST(Shared, the_end_of_the_other_side_is_told) {
  Link link;
  const std::byte last{'z'};
  const Bytes said(&last, 1);
  send_all(*link.client, {&said, 1});
  link.client.reset();
  std::array<std::byte, 2> rest{};
  EXPECT_EQ(link.server->receive(rest), 1U);  // what was sent before arrives
  EXPECT_EQ(link.server->receive(rest), 0U);
  const auto much = counted(2 * ring_bytes);
  const Bytes all(much);
  EXPECT_THROW(send_all(*link.server, {&all, 1}), base::Error);
}

TEST(Shared, a_cut_ends_what_waits_at_both_ends) {
  const Link link;
  const auto much = counted(2 * ring_bytes);
  const WaitingEnds waiting(*link.client, much);
  link.server->cut();
}

/// As a tunnel does: bytes pass, descriptors do not.
TEST(Shared, through_what_passes_bytes_only_the_socket_carries_them) {
  const auto near = socket_pair(), far = socket_pair();
  const auto pass = [](int from, int to) {
    std::vector<char> bytes(1 << 16);
    for (ssize_t count = 0; (count = ::recv(from, bytes.data(), bytes.size(), 0)) > 0;)
      for (ssize_t sent = 0; sent < count;) {
        const ssize_t now =
            ::send(to, bytes.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
        if (now <= 0) return;
        sent += now;
      }
  };
  std::thread up([&] { pass(near[1], far[0]); }), down([&] { pass(far[0], near[1]); });
  {
    const Link link({near[0], far[1]});
    EXPECT_FALSE(link.client->is_checked());
    expect_carries(*link.client, *link.server);
  }
  up.join(), down.join();
  ::close(near[1]), ::close(far[0]);
}

TEST(Shared, a_client_without_an_offer_is_served) {
  const auto ends = socket_pair();
  const auto server = accept(ends[1], "client");
  ASSERT_EQ(::send(ends[0], "yBrfoo", 6, 0), 6);
  std::array<std::byte, 6> begun{};
  ASSERT_TRUE(receive_all(*server, begun));
  EXPECT_EQ(std::memcmp(begun.data(), "yBrfoo", 6), 0);
  ::close(ends[0]);
}

/// Memory that its owner may cut short would end the server by a signal.
TEST(Shared, memory_that_is_not_sealed_is_refused) {
  const auto ends = socket_pair(), room = socket_pair();
  const int memory = ::memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(memory, 2 * sizeof(RingState)), 0);
  const std::array<int, 2> passed = {memory, room[1]};
  std::array<char, 9> text = {'y', 'B', 'r', 'S', 1, 0, 0, 0, 'x'};
  iovec piece{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof passed)> control{};
  msghdr message{};
  message.msg_iov = &piece, message.msg_iovlen = 1;
  message.msg_control = control.data(), message.msg_controllen = control.size();
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof passed);
  std::memcpy(CMSG_DATA(head), passed.data(), sizeof passed);
  ASSERT_EQ(::sendmsg(ends[0], &message, 0), 9);
  const auto server = accept(ends[1], "client");
  std::byte first{};
  ASSERT_TRUE(receive_all(*server, {&first, 1}));
  EXPECT_EQ(first, std::byte{'x'});
  char answer = 0;
  ASSERT_EQ(::recv(ends[0], &answer, 1, 0), 1);
  EXPECT_EQ(answer, 'P');
  for (const int open : {memory, room[0], room[1], ends[0]}) ::close(open);
}

TEST(Ring, counts_that_cannot_be_end_the_connection) {
  const auto state = std::make_unique<RingState>();
  const Bell silent{[] { return false; }, [] {}};
  RingReader reader(*state, silent);
  RingWriter writer(*state, silent);
  std::byte byte{};
  const Bytes one(&byte, 1);
  state->written = ring_bytes + 1;
  EXPECT_THROW(static_cast<void>(reader.read({&byte, 1})), base::Error);
  state->read = 1;
  EXPECT_THROW(static_cast<void>(writer.write({&one, 1})), base::Error);
}

}  // namespace
}  // namespace blockyard::rpc::shared
