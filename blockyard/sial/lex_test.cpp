// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/lex.h"

#include <gtest/gtest.h>

namespace blockyard::sial {
namespace {

struct Lexed {
  Findings findings;
  Tokens tokens;
};

Lexed lex_text(std::string_view text) {
  Lexed result;
  const auto file = result.findings.add_source({"t.sial", std::string(text)});
  result.tokens = lex(file, result.findings);
  return result;
}

/// The texts of all tokens, parted by blanks; line ends as `;`.
std::string words(const Tokens& tokens) {
  std::string result;
  for (const auto& token : tokens)
    if (token.kind == TokenKind::new_line)
      result += ";";
    else if (token.kind != TokenKind::end)
      result += (result.empty() || result.back() == ';' ? "" : " ") + token.text;
  return result;
}

TEST(Lex, NamesAndKeywordsBecomeLowerCase) {
  EXPECT_EQ(words(lex_text("DO Mu\nEndDo mu").tokens), "do mu;enddo mu;");
}

TEST(Lex, QualifiedNamesAreOneToken) {
  EXPECT_EQ(words(lex_text("call Lib.proc_1").tokens), "call lib.proc_1;");
}

TEST(Lex, RealsHavePointsOrExponentsOfBothLetters) {
  const auto lexed = lex_text("1.5 .5 1. 1.0e-3 1d-3 2E+4 7");
  std::string kinds;
  for (const auto& token : lexed.tokens) kinds += token.kind == TokenKind::real ? 'r' : '.';
  EXPECT_EQ(kinds, "rrrrrr...");
  EXPECT_EQ(words(lexed.tokens), "1.5 .5 1. 1.0e-3 1e-3 2e4 7;");
  EXPECT_FALSE(lexed.findings.has_error());
}

TEST(Lex, RangesOfNumbersAreNotReals) { EXPECT_EQ(words(lex_text("1:norb").tokens), "1 : norb;"); }

TEST(Lex, TheLongestOperatorWins) {
  EXPECT_EQ(words(lex_text("a**b*=c<=d!=e").tokens), "a ** b *= c <= d != e;");
}

TEST(Lex, EscapesInTextsAreReplacedAndOthersStay) {
  const auto lexed = lex_text(R"(print "a\tb\"c\\d\q")");
  EXPECT_EQ(lexed.tokens.at(1).text, "a\tb\"c\\d\\q");
}

TEST(Lex, AmpersandAtTheEndContinuesTheLine) {
  EXPECT_EQ(words(lex_text("x = 1 + & # why\n  2\ny = 3").tokens), "x = 1 + # why 2;y = 3;");
}

TEST(Lex, CommentsAreTokensWithoutTrailingBlanks) {
  const auto lexed = lex_text("x # note  \r\n");
  EXPECT_EQ(lexed.tokens.at(1).kind, TokenKind::comment);
  EXPECT_EQ(lexed.tokens.at(1).text, "# note");
}

TEST(Lex, PlacesAreLinesAndColumnsFromOne) {
  const auto lexed = lex_text("x\n  yy = 1");
  const Place place = lexed.tokens.at(2).at;
  EXPECT_EQ(place, (Place{0, 2, 3, 2}));
}

TEST(Lex, ARunOfStrangeBytesIsOneFinding) {
  auto lexed = lex_text("x = \xff\xfe\x80\x01 1");
  EXPECT_EQ(lexed.findings.error_count(), 1u);
  EXPECT_EQ(words(lexed.tokens), "x = 1;");
}

TEST(Lex, AnOpenTextEndsWithItsLine) {
  auto lexed = lex_text("print \"open\nx = 1");
  EXPECT_EQ(lexed.findings.take().at(0).code, "unterminated-string");
  EXPECT_EQ(words(lexed.tokens), "print open;x = 1;");
}

TEST(Lex, EmptySourceIsOneEmptyLine) { EXPECT_EQ(words(lex_text("").tokens), ";"); }

}  // namespace
}  // namespace blockyard::sial
