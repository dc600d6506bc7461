// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/hmac.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace blockyard::rpc {
namespace {

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::byte byte : digest) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}
std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(Sha256, has_the_published_values) {
  EXPECT_EQ(hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256(bytes("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(bytes(std::string(1000000, 'a')))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hmac, has_the_values_of_rfc_4231) {
  EXPECT_EQ(hex(hmac(bytes(std::string(20, '\x0b')), bytes("Hi There"))),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac(bytes("Jefe"), bytes("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac(bytes(std::string(131, '\xaa')),
                     bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, tells_digests_apart) {
  const Digest one = random_bytes();
  Digest two = one;
  EXPECT_TRUE(is_same(one, two));
  two[31] ^= std::byte{1};
  EXPECT_FALSE(is_same(one, two));
  EXPECT_FALSE(is_same(one, random_bytes()));
}

}  // namespace
}  // namespace blockyard::rpc
