// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/diagnostic.h"

#include <gtest/gtest.h>

#include "blockyard/sial/findings.h"

namespace blockyard::sial {
namespace {

std::vector<Diagnostic> report(std::string_view text, Place at) {
  Findings findings;
  at.file = findings.add_source({"p.sial", std::string(text)});
  findings.error("some-code", at, "it is wrong", "mend it");
  return findings.take();
}

TEST(Diagnostic, TheCaretStandsUnderThePlace) {
  EXPECT_EQ(render_text(report("first\n  x = yy\n", {0, 2, 7, 2})),
            "p.sial:2:7: error: it is wrong [some-code]\n"
            "    2 |   x = yy\n"
            "      |       ^~\n"
            "      = mend it\n");
}

TEST(Diagnostic, TabsAndWideLettersKeepTheCaretInPlace) {
  EXPECT_EQ(render_text(report("\t\xc3\xa4\xc3\xb6 q", {0, 1, 7, 1})),
            "p.sial:1:7: error: it is wrong [some-code]\n"
            "    1 | \t\xc3\xa4\xc3\xb6 q\n"
            "      | \t   ^\n"
            "      = mend it\n");
}

TEST(Diagnostic, OfALongLineAPieceIsShown) {
  const auto found = report(std::string(100000, 'x'), {0, 1, 50000, 3});
  EXPECT_LE(found.front().source_line.size(), 200u);
  EXPECT_LT(render_text(found).size(), 1000u);
}

TEST(Diagnostic, ControlBytesDoNotReachTheTerminal) {
  EXPECT_EQ(render_text(report("a\x1b[31mb", {0, 1, 1, 1})).find('\x1b'), std::string::npos);
}

TEST(Diagnostic, JsonEscapesWhatItMust) {
  auto found = report("x", {0, 1, 1, 1});
  found.front().message = "quote \" and \xff byte";
  const std::string json = render_json(found);
  EXPECT_NE(json.find("quote \\\" and"), std::string::npos);
  EXPECT_NE(json.find("\"line\": 1"), std::string::npos);
}

TEST(Findings, AreInTheOrderOfTheSourceAndOncePerPlace) {
  Findings findings;
  const auto file = findings.add_source({"p.sial", "a\nb\n"});
  findings.error("one", {file, 2, 1, 1}, "second");
  findings.warning("two", {file, 1, 1, 1}, "first");
  findings.error("one", {file, 2, 1, 1}, "again");
  const auto found = findings.take();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].message, "first");
  EXPECT_EQ(found[1].message, "second");
}

TEST(Findings, AreLimited) {
  Findings findings;
  const auto file = findings.add_source({"p.sial", "a\n"});
  for (std::uint32_t k = 1; k < 5000; ++k) findings.error("one", {file, 1, k, 1}, "wrong");
  EXPECT_EQ(findings.take().size(), Findings::most);
}

}  // namespace
}  // namespace blockyard::sial
