// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "blockyard/sial/compile.h"
#include "blockyard/sial/test_indexes.h"

namespace blockyard::sial {
namespace {

constexpr std::string_view declarations = R"(
temp a[i,j]
temp b[j,k]
temp t[i,s]
distributed d[i,j]
scalar x
int n
special fill w
special look r
)";

/// "line: code" of everything found but unused names; line 1 is the first line after the
/// declarations.
std::vector<std::string> found(std::string_view lines) {
  const std::string head = "sial check" + with_indexes(declarations);
  const auto first = static_cast<std::uint32_t>(std::count(head.begin(), head.end(), '\n'));
  std::vector<std::string> result;
  for (const auto& d : compile_text(head + std::string(lines) + "\nendsial check\n").found)
    if (d.code != "unused-name") result.push_back(std::to_string(d.line - first) + ": " + d.code);
  return result;
}

using List = std::vector<std::string>;

TEST(Check, TheNearestNameIsTheHint) {
  const auto result = compile_text("sial t\nscalar energy\nenrgy = 1.0\nendsial t\n").found;
  ASSERT_FALSE(result.empty());
  EXPECT_EQ(result.back().hint, "did you mean 'energy'?");
}

TEST(Check, TempsWrittenOnEveryPathAreFine) {
  EXPECT_EQ(found("do i\ndo j\nif n > 1\na[i,j] = 1.0\nelse\nexecute fill a[i,j]\nendif\n"
                  "x += a[i,j]*a[i,j]\nenddo j\nenddo i"),
            List{});
}

TEST(Check, ATempWrittenOnOnePathOnlyIsFound) {
  EXPECT_EQ(
      found("do i\ndo j\nif n > 1\na[i,j] = 1.0\nendif\nexecute look a[i,j]\nenddo j\nenddo i"),
      List{"6: unwritten-temp"});
}

TEST(Check, APathThatLeavesDoesNotCount) {
  EXPECT_EQ(found("do i\ndo j\nif n > 1\na[i,j] = 1.0\nelse\ncycle j\nendif\n"
                  "execute look a[i,j]\nenddo j\nenddo i"),
            List{});
}

TEST(Check, ATempEndsWithItsIteration) {
  EXPECT_EQ(found("do i\ndo j\na[i,j] = 1.0\nenddo j\ndo j\nexecute look a[i,j]\nenddo j\nenddo i"),
            List{"6: unwritten-temp"});
}

TEST(Check, ProcsWriteTempsForTheirCallers) {
  EXPECT_EQ(
      found("proc make\na[i,j] = 1.0\nendproc make\nproc use\nx += a[i,j]*a[i,j]\nendproc use\n"
            "do i\ndo j\ncall make\ncall use\nenddo j\nenddo i"),
      List{});
  EXPECT_EQ(
      found("proc use\nx += a[i,j]*a[i,j]\nendproc use\ndo i\ndo j\ncall use\nenddo j\nenddo i"),
      List{"6: unwritten-temp"});
}

TEST(Check, AGetAfterAPutNeedsABarrier) {
  EXPECT_EQ(found("pardo i,j\nput d[i,j] = 1.0\nendpardo i,j\npardo i,j\nget d[i,j]\n"
                  "x += d[i,j]*d[i,j]\nendpardo i,j"),
            List{"5: get-after-put"});
  EXPECT_EQ(found("pardo i,j\nput d[i,j] = 1.0\nendpardo i,j\nsip_barrier\npardo i,j\nget d[i,j]\n"
                  "x += d[i,j]*d[i,j]\nendpardo i,j"),
            List{});
}

TEST(Check, ABarrierInACalledProcIsABarrier) {
  EXPECT_EQ(found("proc wait\nsip_barrier\nendproc wait\npardo i,j\nput d[i,j] = 1.0\n"
                  "endpardo i,j\ncall wait\npardo i,j\nget d[i,j]\nx += d[i,j]*d[i,j]\n"
                  "endpardo i,j"),
            List{});
}

TEST(Check, APutOnOnePathOnlyIsNoFinding) {
  EXPECT_EQ(found("if n > 1\npardo i,j\nput d[i,j] = 1.0\nendpardo i,j\nendif\npardo i,j\n"
                  "get d[i,j]\nx += d[i,j]*d[i,j]\nendpardo i,j"),
            List{});
}

TEST(Check, OneIterationMayGetWhatItPut) {
  EXPECT_EQ(found("pardo i,j\nput d[i,j] = 1.0\nget d[i,j]\nx += d[i,j]*d[i,j]\nendpardo i,j"),
            List{});
  EXPECT_EQ(found("pardo i,j\nput d[i,j] = 1.0\nget d[j,i]\nx += d[j,i]*d[j,i]\nendpardo i,j"),
            List{"3: get-after-put"});
}

/// d[k,..] is put for one i, and only blocks of other i are fetched.
std::vector<std::string> found_in_turn(const std::string& where) {
  return found("do i\ndo k\n" + where +
               "pardo j\nget d[k,j]\nx = d[k,j]*d[k,j]\nput d[i,j] += x\nendpardo j\nenddo k\n"
               "sip_barrier\nenddo i");
}

TEST(Check, ConditionsSayThatBlocksDiffer) {
  EXPECT_EQ(found_in_turn(""), List{"4: get-after-put"});
  EXPECT_EQ(found_in_turn("where k < i\n"), List{});
  EXPECT_EQ(found_in_turn("where i != k\n"), List{});
  EXPECT_EQ(found_in_turn("where k <= i\n"), List{"5: get-after-put"});
  // In another iteration of the pardo i and j are the other way round.
  EXPECT_EQ(found("pardo i,j\nwhere i != j\nput d[i,j] = 1.0\nget d[j,i]\n"
                  "x += d[j,i]*d[j,i]\nendpardo i,j"),
            List{"4: get-after-put"});
}

TEST(Check, ABlockMayBeFetchedByTheNameOfAnEqualIndex) {
  const std::string head = "do i\nget d[i,i]\ndo j\n";
  const std::string tail = "a[i,j] = d[i,j]\nx += a[i,j]*d[j,i]\n";
  EXPECT_EQ(found(head + "where i == j\n" + tail + "enddo j\nenddo i"), List{});
  EXPECT_EQ(found(head + "if j == i\n" + tail + "endif\nenddo j\nenddo i"), List{});
  EXPECT_EQ(found(head + tail + "enddo j\nenddo i"), (List{"4: missing-get", "5: missing-get"}));
}

TEST(Check, RecursionEnds) {
  EXPECT_EQ(found("proc down\nn -= 1\nif n > 0\ncall down\nendif\nendproc down\nn = 3\ncall down"),
            List{});
}

TEST(Check, IndexesOfCallersReachThroughTwoCalls) {
  EXPECT_EQ(found("proc inner\na[i,j] = 1.0\nendproc inner\nproc outer\ndo j\ncall inner\nenddo j\n"
                  "endproc outer\ndo i\ncall outer\nenddo i\ncall outer"),
            List{"12: index-not-bound"});
}

TEST(Check, AnIndexIsNotANumberAndASegmentInOneTerm) {
  EXPECT_EQ(found("do i\ndo j\na[i,j] = 1.0\nt[i,(index)j] = a[i,j]*a[i,j]\nenddo j\nenddo i"),
            List{"4: cast-and-segment"});
}

TEST(Check, AWrongNameDoesNotHideOtherErrors) {
  EXPECT_EQ(found("do q\nenddo q\nx = 1\nn = 1.0\ncall nobody"),
            (List{"1: undeclared-name", "3: type", "4: type", "5: undeclared-name"}));
}

}  // namespace
}  // namespace blockyard::sial
