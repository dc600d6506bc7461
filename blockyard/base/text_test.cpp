// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/text.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/base/bytes.h"
#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"

namespace blockyard::base {
namespace {

TEST(Text, finds_the_nearest_name_or_none) {
  const std::vector<std::string> names = {"memory", "workers", "servers"};
  EXPECT_EQ(nearest_name("memroy", names), "memory");
  EXPECT_EQ(nearest_name("Workers", names), "workers");
  EXPECT_EQ(nearest_name("colour", names), "");
  // Two neighbours swapped are one mistake: in a short word two would be too many.
  const std::vector<std::string> short_names = {"run", "top"};
  EXPECT_EQ(nearest_name("rnu", short_names), "run");
  EXPECT_EQ(nearest_name("otp", short_names), "top");
  // Names that have no letter in common are not near, however short.
  const std::vector<std::string> letters = {"i", "k", "xs"};
  EXPECT_EQ(nearest_name("y", letters), "");
  EXPECT_EQ(nearest_name("kk", letters), "k");
  EXPECT_EQ(nearest_name("x", letters), "xs");
}

TEST(Text, reads_amounts_of_memory) {
  EXPECT_EQ(parse_bytes("300M", "memory"), 300LL << 20);
  EXPECT_EQ(parse_bytes("1.5GiB", "memory"), 3LL << 29);
  EXPECT_EQ(parse_bytes("4096", "memory"), 4096);
  EXPECT_EQ(parse_bytes("2kb", "memory"), 2048);
  for (const auto* text : {"", "M", "-1G", "4X", "1e99", "4GG", "nan"})
    EXPECT_THROW((void)parse_bytes(text, "memory"), Error) << text;
}

TEST(Text, prints_amounts_of_memory) {
  EXPECT_EQ(format_bytes(12), "12 B");
  EXPECT_EQ(format_bytes(300LL << 20), "300.0 MiB");
}

TEST(Bytes, come_back_as_written_and_end_with_an_error) {
  ByteWriter out;
  out.value(std::int32_t{-7});
  out.text("block");
  ByteReader in(out.bytes());
  EXPECT_EQ(in.value<std::int32_t>(), -7);
  EXPECT_EQ(in.text(), "block");
  EXPECT_EQ(in.left(), 0U);
  EXPECT_THROW((void)in.value<char>(), Error);
}

TEST(Checksum, changes_with_one_bit) {
  std::vector<std::byte> data(100);
  const auto before = checksum(data);
  data[50] = std::byte{1};
  EXPECT_NE(checksum(data), before);
}

TEST(Text, ReadsLengthsOfTime) {
  EXPECT_EQ(parse_seconds("0s", "--checkpoint"), 0);
  EXPECT_EQ(parse_seconds("10m", "--checkpoint"), 600);
  EXPECT_EQ(parse_seconds("1.5H", "--checkpoint"), 5400);
  for (const char* text : {"", "10", "m", "-1s", "1d", "1e30s", "infs", "1e9s", "300000h"})
    EXPECT_THROW((void)parse_seconds(text, "--checkpoint"), Error) << text;
}

TEST(Text, shows_no_control_characters) {
  EXPECT_EQ(showable("water \x1b]0;title\x07 a\r\n\tb\x7f\xc2\x9bm"),
            "water ?]0;title? a?\n\tb??m");
  EXPECT_EQ(showable("\xc3\xa5ngstr\xc3\xb6m \xc2\xb0"), "\xc3\xa5ngstr\xc3\xb6m \xc2\xb0");
}

}  // namespace
}  // namespace blockyard::base
