// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/positions.h"

#include <gtest/gtest.h>

#include <sstream>

#include "blockyard/base/error.h"
#include "blockyard/lsp/message.h"

namespace blockyard::lsp {
namespace {

TEST(Lines, GoBetweenBytesAndUtf16Units) {
  const Lines lines(
      "a\xc3\xa9"
      "b\nx\xf0\x9f\x98\x80y");
  EXPECT_EQ(lines.units(0, 3), 2u);  // after the two bytes of e acute
  EXPECT_EQ(lines.bytes(0, 2), 3u);
  EXPECT_EQ(lines.units(1, 5), 3u);  // a character of two units
  EXPECT_EQ(lines.bytes(1, 3), 5u);
  EXPECT_EQ(lines.bytes(0, 99), 4u);
  EXPECT_EQ(lines.units(7, 3), 0u);
}

TEST(Uris, EscapeAndComeBack) {
  EXPECT_EQ(uri_of("/a b/\xc3\xa9.sial"), "file:///a%20b/%C3%A9.sial");
  EXPECT_EQ(path_of("file:///a%20b/%c3%a9.sial"), "/a b/\xc3\xa9.sial");
  EXPECT_EQ(path_of("untitled:1"), "untitled:1");
  EXPECT_EQ(path_of("file:///a%2"), "/a%2");
}

TEST(Messages, ThatAreBrokenAreRefused) {
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    return read_message(in);
  };
  EXPECT_EQ(read("Content-Length: 2\r\n\r\n{}")->dump(), "{}");
  EXPECT_FALSE(read("").has_value());
  EXPECT_TRUE(read("Content-Length: 1\r\n\r\n{")->is_discarded());
  EXPECT_THROW(static_cast<void>(read("Content-Length: x\r\n\r\n")), base::Error);
  EXPECT_THROW(static_cast<void>(read("Content-Length: 99999999999999\r\n\r\n")), base::Error);
  EXPECT_THROW(static_cast<void>(read("Content-Length: 99999999999999999999\r\n\r\n{}")),
               base::Error);
  EXPECT_THROW(static_cast<void>(read("Content-Length: 9\r\n\r\n{}")), base::Error);
  EXPECT_THROW(static_cast<void>(read("Other: 9\r\n\r\n{}")), base::Error);
}

}  // namespace
}  // namespace blockyard::lsp
