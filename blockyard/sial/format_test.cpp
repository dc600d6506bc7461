// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/format.h"

#include <gtest/gtest.h>

namespace blockyard::sial {
namespace {

/// Formats, and checks that a second time changes nothing.
std::string formatted(std::string_view source) {
  const auto once = format(source);
  EXPECT_FALSE(has_error(once.found)) << render_text(once.found);
  EXPECT_EQ(format(once.text).text, once.text);
  return once.text;
}

TEST(Format, IndentsByTwo) {
  EXPECT_EQ(formatted("sial t\nscalar x\ndo i\nif x>1.0\nx=2.0\nelse\nx=3.0\nendif\nenddo i\n"
                      "endsial t"),
            "sial t\n  scalar x\n  do i\n    if x > 1.0\n      x = 2.0\n    else\n      x = 3.0\n"
            "    endif\n  enddo i\nendsial t\n");
}

TEST(Format, LeavesTheMarkOfUtf8Out) {
  EXPECT_EQ(formatted("\xef\xbb\xbfsial t\nprint \"a\"\nendsial t"),
            "sial t\n  print \"a\"\nendsial t\n");
}

TEST(Format, WritesTheNewNotation) {
  EXPECT_EQ(formatted("sial t\naoindex i = 1,norb\ntemp a(i)\nscalar x\nrequest a(i) k\n"
                      "print_scalar x\nsip_barrier now\nif (x<1.0)\nelseif (x<2.0)\nendif\n"
                      "endsial t"),
            "sial t\n  aoindex i = 1:norb\n  temp a[i]\n  scalar x\n  request a[i]\n  print x\n"
            "  sip_barrier\n  if (x < 1.0)\n  else if (x < 2.0)\n  endif\nendsial t\n");
}

TEST(Format, CommasOfListsStayWhereThoseOfRangesGo) {
  EXPECT_EQ(formatted("sial t\npredefined int n\npredefined aoindex i = 1,n\naoindex j=1 , n\n"
                      "predefined static c(i,j)\npersistent static d[i,j]\nendsial t"),
            "sial t\n  predefined int n\n  predefined aoindex i = 1:n\n  aoindex j = 1:n\n"
            "  predefined static c[i,j]\n  persistent static d[i,j]\nendsial t\n");
}

TEST(Format, KeepsCommentsAndSingleEmptyLines) {
  EXPECT_EQ(
      formatted("\n\n# top\n\n\nsial t # head\n# in\nscalar x     # far\nendsial t\n\n# end\n\n"),
      "# top\n\nsial t  # head\n  # in\n  scalar x   # far\nendsial t\n\n# end\n");
}

TEST(Format, WhatGoesOnAfterACommentIsNotCut) {
  EXPECT_EQ(formatted("sial t\naoindex i = 1:2\ndistributed a[i]\ndelete &  # old\n  a\n"
                      "create & # c\n a\nendsial t"),
            "sial t\n  aoindex i = 1:2\n  distributed a[i]\n  delete &  # old\n      a\n"
            "  create &  # c\n      a\nendsial t\n");
}

TEST(Format, NamesOfImportsThatEndLikeKeywordsAreNames) {
  EXPECT_EQ(formatted("import \"lib\"\nsial t\naoindex i = 1,2\nmax_index = a[i,j]*b[i,j]\n"
                      "endsial t"),
            "import \"lib\"\nsial t\n  aoindex i = 1:2\n  max_index = a[i,j]*b[i,j]\n"
            "endsial t\n");
}

TEST(Format, KeepsLineBreaks) {
  EXPECT_EQ(formatted("sial t\nscalar x\nx = 1.0 + & # why\n 2.0 &\n+ 3.0\nendsial t"),
            "sial t\n  scalar x\n  x = 1.0 + &  # why\n      2.0 &\n      + 3.0\nendsial t\n");
}

TEST(Format, SignsWithOneOperandAreTight) {
  EXPECT_EQ(formatted("sial t\nscalar x\nspecial f rr\nx = - 1.0*( x- -2.0 )**sqrt( x )\n"
                      "execute f x - 1.0\nx = (scalar) ( 1+2 )\nendsial t"),
            "sial t\n  scalar x\n  special f rr\n  x = -1.0*(x - -2.0)**sqrt(x)\n"
            "  execute f x -1.0\n  x = (scalar)(1 + 2)\nendsial t\n");
}

TEST(Format, TextsAndNumbersStayAsTheyAre) {
  EXPECT_EQ(formatted("sial T\nscalar Xx\nXX = 1D-3\nprint \"a,b  (c) \\n do\"\nEndSial t"),
            "sial T\n  scalar Xx\n  XX = 1D-3\n  print \"a,b  (c) \\n do\"\nendsial t\n");
}

TEST(Format, ABrokenSourceIsNotTouched) {
  const auto result = format("sial t\nx = \nendsial t");
  EXPECT_EQ(result.text, "sial t\nx = \nendsial t");
  EXPECT_TRUE(has_error(result.found));
}

TEST(Format, KeepsCommentsOfLinesThatGoOnApart) {
  const auto once = format(
      "sial p\nindex s = 1:2\ndo s & # a\n# b\n# c\nprint s & # d\n & # e\n # f\nenddo s\n"
      "print & # g\n & # h\n \"x\" # i\nendsial p\n");
  ASSERT_FALSE(has_error(once.found)) << render_text(once.found);
  for (const char* comment :
       {"# a\n", "# b\n", "# c\n", "# d\n", "# e\n", "# f\n", "# g\n", "# h\n"})
    EXPECT_NE(once.text.find(comment), std::string::npos) << comment << once.text;
  EXPECT_EQ(format(once.text).text, once.text);
}

TEST(Format, LeavesACompiledProgramAsItIs) {
  const auto refused = format("BYPROG\r\n\x02\n$\n");
  ASSERT_EQ(refused.found.size(), 1u);
  EXPECT_EQ(refused.found.front().code, "compiled-program");
  EXPECT_EQ(refused.text, "BYPROG\r\n\x02\n$\n");
}

}  // namespace
}  // namespace blockyard::sial
