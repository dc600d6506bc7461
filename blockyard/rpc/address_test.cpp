// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/address.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::rpc {
namespace {

TEST(Address, is_read_as_people_write_it) {
  EXPECT_EQ(format_address(parse_address("unix:/run/x")), "unix:/run/x");
  EXPECT_EQ(format_address(parse_address("/run/x")), "unix:/run/x");
  EXPECT_EQ(format_address(parse_address("./x")), "unix:./x");
  EXPECT_EQ(format_address(parse_address("unix:x")), "unix:x");
  EXPECT_EQ(format_address(parse_address("gpu7")), "gpu7:7464");
  EXPECT_EQ(format_address(parse_address("remote://gpu7:80")), "gpu7:80");
  EXPECT_EQ(format_address(parse_address("tcp:10.0.0.7:80")), "10.0.0.7:80");
  EXPECT_EQ(format_address(parse_address("remote://tls:gpu7")), "tls:gpu7:7464");
  EXPECT_EQ(format_address(parse_address("plain:[::1]:80")), "plain:[::1]:80");
  EXPECT_EQ(format_address(parse_address("[::1]:80")), "[::1]:80");
  EXPECT_EQ(format_address(parse_address("[::1]")), "[::1]:7464");
  EXPECT_EQ(format_address(parse_address("plain:unix:/run/x")), "plain:unix:/run/x");
  EXPECT_EQ(format_address(parse_address("1us@plain:/run/x")), "1us@plain:unix:/run/x");
  EXPECT_EQ(format_address(parse_address("1ms,1GB/s@unix:/run/x")), "1ms,1GB/s@unix:/run/x");
  EXPECT_EQ(format_address(parse_address("1GB/s@tls:gpu7")), "1GB/s@tls:gpu7:7464");
  EXPECT_EQ(format_address(parse_address("ucx://gpu7")), "ucx:gpu7:7464");
  EXPECT_EQ(format_address(parse_address("remote://ucx:[::1]:80")), "ucx:[::1]:80");
  EXPECT_EQ(format_address(parse_address("1ms@plain:ucx:gpu7")), "1ms@plain:ucx:gpu7:7464");
  EXPECT_EQ(format_address(parse_address("tcp://gpu7:80")), "gpu7:80");
  EXPECT_EQ(format_address(parse_address("remote://tls://gpu7")), "tls:gpu7:7464");
  EXPECT_EQ(format_address(parse_address("1ms@plain://ucx://gpu7")), "1ms@plain:ucx:gpu7:7464");
  EXPECT_EQ(parse_address("unix:///run/x").path, "///run/x");
}

TEST(Address, that_is_wrong_is_refused_with_the_reason) {
  for (const std::string text :
       {"", "unix:", ":80", "gpu7:", "gpu7:x", "gpu7:65536", "[::1", "[::1]x", "remote://",
        "gpu7:-1", "1x@gpu7", "1ms@", "ucx:", "ucx:/run/x", "ucx:tls:gpu7", "tls:ucx:gpu7",
        "tpc://gpu7", "1ms@http://gpu7"}) {
    EXPECT_THROW(static_cast<void>(parse_address(text)), base::Error) << text;
  }
  EXPECT_THROW(static_cast<void>(parse_address("/" + std::string(100, 'x'))), base::Error);
}

TEST(Address, several_are_told_apart_also_with_paces) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_addresses("gpu7"), List{"gpu7"});
  EXPECT_EQ(split_addresses("gpu7,,/run/x#1"), (List{"gpu7", "/run/x#1"}));
  EXPECT_EQ(split_addresses("1ms,1GB/s@gpu7,2us@gpu8:1"), (List{"1ms,1GB/s@gpu7", "2us@gpu8:1"}));
  EXPECT_EQ(split_addresses(""), List{});
}

TEST(Address, of_the_loopback_interface_is_told) {
  EXPECT_TRUE(is_loopback(parse_address("localhost")));
  EXPECT_TRUE(is_loopback(parse_address("127.0.0.2:1")));
  EXPECT_TRUE(is_loopback(parse_address("[::1]:1")));
  EXPECT_FALSE(is_loopback(parse_address("0.0.0.0:1")));
  EXPECT_FALSE(is_loopback(parse_address("gpu7")));
}

}  // namespace
}  // namespace blockyard::rpc
