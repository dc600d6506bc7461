// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/parse.h"

#include <gtest/gtest.h>

#include "blockyard/sial/lex.h"

namespace blockyard::sial {
namespace {

struct Parsed {
  ast::Unit unit;
  std::vector<Diagnostic> found;
};

Parsed parse_text(std::string_view text) {
  Findings findings;
  const auto file = findings.add_source({"t.sial", std::string(text)});
  Parsed result;
  result.unit = parse(lex(file, findings), findings);
  result.found = findings.take();
  return result;
}

std::string in_program(std::string_view lines) {
  return "sial t\n" + std::string(lines) + "\nendsial t\n";
}

/// The right side of an assignment, printed again.
std::string value(std::string_view text) {
  const auto parsed = parse_text(in_program("x = " + std::string(text)));
  EXPECT_TRUE(parsed.found.empty()) << render_text(parsed.found);
  if (parsed.unit.body.empty()) return "";
  return print_expression(std::get<ast::Assign>(parsed.unit.body.front().what).value);
}

std::vector<std::string> codes(const Parsed& parsed) {
  std::vector<std::string> result;
  for (const auto& d : parsed.found) result.push_back(d.code);
  return result;
}

TEST(Parse, MinusBindsTighterThanPower) { EXPECT_EQ(value("-2.0**2.0"), "-2.0**2.0"); }

TEST(Parse, BracketsThatMatterStay) {
  EXPECT_EQ(value("(a + b)*c - (d - e)"), "(a + b)*c - (d - e)");
  EXPECT_EQ(value("((a*b))+c"), "a*b + c");
}

TEST(Parse, ACastTakesTheNextValueOnly) { EXPECT_EQ(value("(scalar)i * 2.0"), "(scalar)i*2.0"); }

TEST(Parse, RootNeedsNoBrackets) { EXPECT_EQ(value("sqrt x + 1.0"), "sqrt(x) + 1.0"); }

TEST(Parse, BothBracketsSelectBlocks) { EXPECT_EQ(value("a(i,j)*b[j,k]"), "a[i,j]*b[j,k]"); }

TEST(Parse, ChainsAreFlatHoweverLong) {
  std::string text = "1.0";
  for (int k = 0; k < 100000; ++k) text += "+1.0";
  const auto parsed = parse_text(in_program("x = " + text));
  EXPECT_TRUE(parsed.found.empty());
  EXPECT_EQ(std::get<ast::Assign>(parsed.unit.body.front().what).value.parts.size(), 100001u);
}

TEST(Parse, DeepBracketsAreRefused) {
  const auto parsed =
      parse_text(in_program("x = " + std::string(100000, '(') + "1.0" + std::string(100000, ')')));
  EXPECT_EQ(codes(parsed), std::vector<std::string>{"too-deep"});
}

TEST(Parse, DeepSignsAndCastsAreRefused) {
  std::string casts;
  for (int k = 0; k < 100000; ++k) casts += "(int)";
  EXPECT_EQ(codes(parse_text(in_program("x = " + std::string(100000, '-') + "1.0"))),
            std::vector<std::string>{"too-deep"});
  EXPECT_EQ(codes(parse_text(in_program("x = " + casts + "1.0"))),
            std::vector<std::string>{"too-deep"});
}

TEST(Parse, DeepBlocksAreRefused) {
  std::string text;
  for (int k = 0; k < 100000; ++k) text += "if x > 1\n";
  const auto parsed = parse_text(in_program(text));
  ASSERT_FALSE(parsed.found.empty());
  EXPECT_TRUE(has_error(parsed.found));
}

TEST(Parse, EveryBrokenLineIsReportedOnce) {
  const auto parsed = parse_text(in_program("x = \ny = 1 +\nz = 1\nputt a[i] = 1.0 2.0"));
  EXPECT_EQ(codes(parsed),
            (std::vector<std::string>{"unexpected", "unexpected", "unknown-statement"}));
  EXPECT_EQ(parsed.unit.body.size(), 3u);
}

TEST(Parse, AMissingEndIsReportedAtTheBeginning) {
  const auto parsed = parse_text(in_program("pardo i\ndo j\nx = 1.0\nendpardo i"));
  ASSERT_EQ(codes(parsed), std::vector<std::string>{"unclosed"});
  EXPECT_EQ(parsed.found.front().line, 3u);
}

TEST(Parse, WordsOfOursMayBeNamesOfOldPrograms) {
  const auto parsed =
      parse_text(in_program("scalar and\nscalar abs\nscalar cycle\ncycle = abs + and"));
  EXPECT_TRUE(parsed.found.empty()) << render_text(parsed.found);
}

TEST(Parse, OldStatementsAreRead) {
  const auto parsed = parse_text(
      in_program("scalar x\nrequest a(i,j) k\nprint_scalar x\nsip_barrier here\ncycle i"));
  EXPECT_TRUE(parsed.found.empty()) << render_text(parsed.found);
  EXPECT_EQ(parsed.unit.body.size(), 4u);
}

TEST(Parse, ElseIfInOneOrTwoWordsIsABranch) {
  const auto parsed =
      parse_text(in_program("if x > 1\ny = 1\nelse if x > 0\ny = 2\nelseif x > -1\nelse\nendif"));
  EXPECT_TRUE(parsed.found.empty());
  EXPECT_EQ(std::get<ast::If>(parsed.unit.body.front().what).branches.size(), 3u);
}

}  // namespace
}  // namespace blockyard::sial
