// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/frame.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "blockyard/base/error.h"
#include "blockyard/rpc/pair/pair.h"
#include "blockyard/rpc/socket/socket.h"

namespace blockyard::rpc {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x} ", std::to_integer<int>(byte));
  return text;
}

using Ends = std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>>;

Ends connect_by(const std::string& address) {
  socket::SocketListener listener(parse_address(address));
  Address there = listener.address();
  there.security = Address::Security::plain;  // nobody answers an offer yet
  auto client = socket::connect(there, 5);
  return {std::move(client), listener.accept()};
}

/// Frames of many lengths go to one end and come back from the other as they were.
void expect_echo(Ends ends) {
  std::mt19937_64 random(7);
  std::vector<Outgoing> frames;
  std::vector<std::vector<std::byte>> payloads;
  for (const std::size_t length : {0, 1, 39, 40, 4096, 100000, 300000}) {
    auto& payload = payloads.emplace_back(length);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random());
    std::vector<std::byte> body(length % 5000);
    for (std::byte& byte : body) byte = static_cast<std::byte>(random());
    frames.push_back({static_cast<std::uint16_t>(length % 9), random(), body, payload});
  }
  std::thread echo([&] {
    Frame frame;
    std::vector<std::byte> payload;
    while (receive_frame(*ends.second, frame)) {
      payload.resize(frame.head.payload_bytes);
      receive_payload(*ends.second, frame, payload);
      const Outgoing back{frame.head.kind, frame.head.request, frame.body, payload};
      send_frames(*ends.second, {&back, 1});
    }
  });
  std::thread sender([&] { send_frames(*ends.first, frames); });
  for (std::size_t k = 0; k < frames.size(); ++k) {
    Frame frame;
    ASSERT_TRUE(receive_frame(*ends.first, frame));
    EXPECT_EQ(frame.head.kind, frames[k].kind);
    EXPECT_EQ(frame.head.request, frames[k].request);
    EXPECT_EQ(frame.body, frames[k].body);
    std::vector<std::byte> payload(frame.head.payload_bytes);
    receive_payload(*ends.first, frame, payload);
    EXPECT_EQ(payload, payloads[k]);
  }
  ends.first->cut();
  sender.join();
  echo.join();
}

TEST(Frames, come_back_as_they_were_over_every_transport) {
  expect_echo(pair::make());
  for (const std::uint64_t seed : {1, 2, 3}) expect_echo(pair::make({.seed = seed, .room = 1000}));
  expect_echo(
      connect_by("unix:" + ::testing::TempDir() + "rpc_frames." + std::to_string(::getpid())));
  expect_echo(connect_by("127.0.0.1:0"));
}

/// What a receiver says of `bytes`; "" if it takes them as a frame.
std::string refusal(std::span<const std::byte> bytes) {
  auto [here, there] = pair::make();
  const Bytes part = bytes;
  send_all(*here, {&part, 1});
  here->cut();
  try {
    Frame frame;
    if (!receive_frame(*there, frame)) return "the end";
    std::vector<std::byte> payload(frame.head.payload_bytes);
    receive_payload(*there, frame, payload);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::comm);
    return error.what();
  }
  return "";
}

TEST(Frames, of_which_any_bit_is_wrong_are_refused) {
  const auto payload = bytes_of("payload");
  auto good = encode({3, 4, bytes_of("body"), payload}, true);
  good.insert(good.end(), payload.begin(), payload.end());
  EXPECT_EQ(refusal(good), "");
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] ^= std::byte{16};
    EXPECT_NE(refusal(bad), "") << at;
  }
}

TEST(Frames, that_are_cut_anywhere_are_refused) {
  const auto payload = bytes_of("payload");
  auto good = encode({3, 4, bytes_of("body"), payload}, true);
  good.insert(good.end(), payload.begin(), payload.end());
  EXPECT_EQ(refusal({}), "the end");
  for (std::size_t length = 1; length < good.size(); ++length)
    EXPECT_NE(refusal(std::span(good).first(length)), "") << length;
}

TEST(Frames, that_claim_too_much_are_refused_before_anything_is_allocated) {
  auto bytes = encode({3, 4, {}, {}}, true);
  for (const std::size_t at : {16, 20}) {
    auto bad = bytes;
    for (std::size_t k = at; k < at + 4; ++k) bad[k] = std::byte{0xff};
    EXPECT_NE(refusal(bad).find("too long"), std::string::npos);
  }
}

TEST(Frames, that_are_damaged_on_their_way_are_found) {
  const std::vector<std::byte> payload(1000, std::byte{5});
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{47}, std::uint64_t{1000}}) {
    auto [here, there] = pair::make({.damage_at = at});
    const Outgoing frame{1, 0, bytes_of("body"), payload};
    send_frames(*here, {&frame, 1});
    std::vector<std::byte> received(1000);
    EXPECT_THROW(
        {
          Frame found;
          static_cast<void>(receive_frame(*there, found));
          receive_payload(*there, found, received);
        },
        base::Error)
        << at;
  }
}

TEST(Transports, that_are_cut_wake_whoever_waits) {
  for (const bool is_pair : {true, false}) {
    Ends ends = is_pair ? pair::make() : connect_by("127.0.0.1:0");
    std::thread waiting([&] {
      std::byte byte{};
      try {
        EXPECT_EQ(ends.second->receive({&byte, 1}), 0U);
      } catch (const base::Error&) {
      }
    });
    ends.second->cut();
    waiting.join();
  }
}

TEST(Transports, to_nobody_are_refused_with_the_address) {
  const std::string path = ::testing::TempDir() + "rpc_nobody." + std::to_string(::getpid());
  for (const std::string& address : {"unix:" + path, std::string("127.0.0.1:1")}) try {
      static_cast<void>(socket::connect(parse_address(address), 5));
      ADD_FAILURE() << address;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::Errc::comm);
      EXPECT_NE(std::string(error.what()).find(address), std::string::npos) << error.what();
    }
}

TEST(Listener, takes_over_a_socket_that_was_left_but_not_one_in_use) {
  const Address address =
      parse_address("unix:" + ::testing::TempDir() + "rpc_left." + std::to_string(::getpid()));
  {
    const socket::SocketListener first(address);
    EXPECT_THROW(socket::SocketListener second(address), base::Error);
  }
  // A server that was killed leaves its file.
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  address.path.copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(left);
  socket::SocketListener again(address);
  struct stat status {};
  ASSERT_EQ(::stat(address.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  again.cut();
  EXPECT_EQ(again.accept(), nullptr);
}

TEST(DocsRpc, shows_the_bytes_of_the_example) {
  const auto payload = bytes_of("12345678");
  auto bytes = encode({17, 5, bytes_of("xyz"), payload}, true);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  std::ifstream page(BLOCKYARD_SOURCE_FOLDER "/docs/rpc.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  ASSERT_FALSE(text.empty());
  const std::string all = hex(bytes);
  for (const auto& [from, to] : {std::pair{0, 4},
                                 {4, 6},
                                 {6, 8},
                                 {8, 16},
                                 {16, 20},
                                 {20, 24},
                                 {24, 32},
                                 {32, 40},
                                 {40, 43},
                                 {43, 51}}) {
    const std::string field = all.substr(3 * from, 3 * (to - from) - 1);
    EXPECT_NE(text.find("`" + field + "`"), std::string::npos) << from << ": " << field;
  }
}

}  // namespace
}  // namespace blockyard::rpc
