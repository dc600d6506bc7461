// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/tls/tls.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/rpc/pair/pair.h"

namespace blockyard::rpc::tls {
namespace {

std::optional<Digest> known(std::string_view identity) {
  if (identity != "laptop") return std::nullopt;
  return key_of("secret");
}

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// What the server says of a client that sends first and then wants an answer; empty: no
/// error.
std::string refusal(const std::string& identity, std::string_view secret, std::uint64_t seed) {
  auto [client, server] = pair::make({.seed = seed});
  std::string why;
  std::thread serving([&, below = std::move(server)]() mutable {
    try {
      const auto end = accept(std::move(below), known, true);
      std::vector<std::byte> got(5);
      if (receive_all(*end, got)) {
        const Bytes answer = got;
        send_all(*end, {&answer, 1});
      }
    } catch (const base::Error& error) {
      why = error.what();
    }
  });
  try {
    const auto end = connect(std::move(client), identity, key_of(secret));
    const Bytes hello = bytes_of("hello");
    send_all(*end, {&hello, 1});
    std::vector<std::byte> got(5);
    EXPECT_TRUE(receive_all(*end, got));
    EXPECT_EQ(std::memcmp(got.data(), hello.data(), 5), 0);
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("token"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find(secret), std::string::npos) << error.what();
  }
  serving.join();
  return why;
}

class Tls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_available()) GTEST_SKIP() << "this machine has no libssl.so.3";
  }
};

TEST_F(Tls, lets_in_who_knows_the_secret) {
  for (const std::uint64_t seed : {0, 1, 2}) EXPECT_EQ(refusal("laptop", "secret", seed), "");
}

TEST_F(Tls, refuses_another_secret_and_who_is_not_known) {
  EXPECT_NE(refusal("laptop", "wrong", 0), "");
  EXPECT_NE(refusal("stranger", "secret", 0), "");
}

TEST_F(Tls, carries_much_in_both_directions_at_once) {
  auto [below_client, below_server] = pair::make({.seed = 7, .room = 100'000});
  std::vector<std::byte> sent(3'000'000);
  for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<std::byte>(k * 7 + k / 251);
  std::thread serving([&, below = std::move(below_server)]() mutable {
    const auto end = accept(std::move(below), known, true);
    std::vector<std::byte> first(1);
    ASSERT_TRUE(receive_all(*end, first));
    std::thread sending([&] {
      const Bytes all = sent;
      send_all(*end, {&all, 1});
    });
    std::vector<std::byte> got(sent.size());
    EXPECT_TRUE(receive_all(*end, got));
    EXPECT_TRUE(got == sent);
    sending.join();
  });
  const auto end = connect(std::move(below_client), "laptop", key_of("secret"));
  EXPECT_TRUE(end->is_checked());
  const Bytes one = bytes_of("x");
  send_all(*end, {&one, 1});
  std::thread sending([&] {
    const std::vector<Bytes> parts = {Bytes(sent).first(10), Bytes(sent).subspan(10)};
    send_all(*end, parts);
  });
  std::vector<std::byte> got(sent.size());
  EXPECT_TRUE(receive_all(*end, got));
  EXPECT_TRUE(got == sent);
  sending.join();
  serving.join();
}

TEST_F(Tls, notices_what_was_changed_on_its_way) {
  auto [below_client, below_server] = pair::make({.damage_at = 5000});
  bool is_noticed = false;
  std::thread serving([&, below = std::move(below_server)]() mutable {
    try {
      const auto end = accept(std::move(below), known, true);
      std::vector<std::byte> got(20'000);
      static_cast<void>(receive_all(*end, got));
    } catch (const base::Error&) {
      is_noticed = true;
    }
  });
  try {
    const auto end = connect(std::move(below_client), "laptop", key_of("secret"));
    const std::vector<std::byte> much(20'000);
    const Bytes all = much;
    send_all(*end, {&all, 1});
    serving.join();
  } catch (const base::Error&) {
    serving.join();
  }
  EXPECT_TRUE(is_noticed);
}

TEST(TlsAccept, lets_through_what_is_no_tls_unless_it_is_required) {
  for (const bool required : {false, true}) {
    auto [client, server] = pair::make();
    const Bytes plain = bytes_of("yBrf and more");
    send_all(*client, {&plain, 1});
    const auto end = accept(std::move(server), known, required);
    std::vector<std::byte> got(plain.size());
    if (required) {
      EXPECT_THROW(static_cast<void>(receive_all(*end, got)), base::Error);
      continue;
    }
    EXPECT_TRUE(receive_all(*end, got));
    EXPECT_EQ(std::memcmp(got.data(), plain.data(), plain.size()), 0);
    EXPECT_FALSE(end->is_checked());
  }
}

}  // namespace
}  // namespace blockyard::rpc::tls
