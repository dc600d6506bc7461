// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/symbols.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace blockyard::sial {
namespace {

TEST(DeclaredNames, OfAProgramAndItsImportsSayWhereAndWhat) {
  MapLoader loader({{"main.sial",
                     "sial main\n  import \"defs.sial\"\n"
                     "  distributed  V[mu, nu]  # the potential\n"
                     "  proc twice\n  endproc\nendsial main\n"},
                    {"defs.sial",
                     "sial defs\naoindex mu = 1:norb\naoindex nu = 1:norb\n"
                     "endsial defs\n"}});
  const auto names = declared_names("main.sial", loader);
  const auto found = std::ranges::find(names, "v", &DeclaredName::name);
  ASSERT_NE(found, names.end());
  EXPECT_EQ(found->kind, "distributed");
  EXPECT_EQ(found->declaration, "distributed  V[mu, nu]  # the potential");
  EXPECT_EQ(found->indexes, (std::vector<std::string>{"mu", "nu"}));
  EXPECT_EQ(found->line, 3u);
  EXPECT_EQ(found->column, 16u);
  EXPECT_NE(std::ranges::find(names, "twice", &DeclaredName::name), names.end());
  const auto imported = std::ranges::find(names, "nu", &DeclaredName::name);
  ASSERT_NE(imported, names.end());
  EXPECT_EQ(imported->file, "defs.sial");
  EXPECT_EQ(imported->line, 3u);
}

TEST(DeclaredNames, OfABrokenProgramAreThoseThatCanBeRead) {
  std::map<std::string, std::string, std::less<>> texts;
  texts["main.sial"] = "sial main\nscalar x\ndistributed V[\nint n\nx = \nendsial\n";
  MapLoader loader(texts);
  const auto names = declared_names("main.sial", loader);
  EXPECT_NE(std::ranges::find(names, "x", &DeclaredName::name), names.end());
  EXPECT_NE(std::ranges::find(names, "n", &DeclaredName::name), names.end());
}

TEST(NamesIn, SkipsCommentsAndStrings) {
  const auto names = names_in("x = Y # z\nprint \"w\"\n");
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[1].name, "y");
  EXPECT_EQ(names[1].column, 5u);
  EXPECT_EQ(names[2].name, "print");
}

}  // namespace
}  // namespace blockyard::sial
