// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/print.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "blockyard/program/detail/sample_program.h"

namespace blockyard::program {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Print, puts_names_into_the_instructions) {
  const std::string text = print(detail::sample_program());
  EXPECT_TRUE(has(text, "program sample\n"));
  EXPECT_TRUE(has(text, "aoindex i = 1:norb\n"));
  EXPECT_TRUE(has(text, "subindex ii of i\n"));
  EXPECT_TRUE(has(text, "hidden single temp asub[ii,j]\n"));
  EXPECT_TRUE(has(text, "sparse served sp[i,s]\n"));
  EXPECT_TRUE(has(text, "print_text        \"a \\\"text\\\"\\n\", 1"));
  EXPECT_TRUE(has(text, "ti[i] * tj[j], accumulate scaled"));
  EXPECT_TRUE(has(text, "execute           fill, a[i,j] 2"));
  EXPECT_TRUE(has(text, "bind_region       c[:,j]"));
  EXPECT_TRUE(has(text, "allocate          lo[i,*]"));
  EXPECT_TRUE(has(text, "compare_int       <="));
  EXPECT_TRUE(has(text, "# sample.sial:11\n")) << text;
}

TEST(Print, the_table_has_a_line_for_each_opcode) {
  const std::string text = print_opcode_table();
  EXPECT_EQ(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(opcode_count + 2));
  EXPECT_TRUE(has(text, "| 0 | `halt` |"));
}

TEST(Print, the_page_holds_the_table_as_it_is) {
  std::ifstream page(BLOCKYARD_BYTECODE_PAGE);
  std::stringstream text;
  text << page.rdbuf();
  EXPECT_TRUE(has(text.str(), print_opcode_table()))
      << "docs/bytecode.md is out of date: put the output of `blockyard dump --opcodes` in it";
}

}  // namespace
}  // namespace blockyard::program
