// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/compile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "blockyard/program/print.h"
#include "blockyard/program/verify.h"
#include "blockyard/sial/findings.h"
#include "blockyard/sial/test_indexes.h"

namespace blockyard::sial {
namespace {

constexpr std::string_view declarations = R"(
subindex ii of i
temp a[i,j]
temp b[j,k]
temp c[i,k]
temp part[ii,j]
distributed d[i,j]
scalar x
int n
)";

std::string program(std::string_view lines) {
  return "sial t" + with_indexes(declarations) + std::string(lines) + "\nendsial t\n";
}

/// The instructions of a program as "opcode operands", without pcs and lines.
std::vector<std::string> code(std::string_view lines) {
  const auto compiled = compile_text(program(lines));
  if (!compiled.program) {
    ADD_FAILURE() << render_text(compiled.found);
    return {};
  }
  program::verify(*compiled.program);
  const std::string text = program::print(*compiled.program);
  std::vector<std::string> result;
  std::size_t at = text.find("\ncode\n") + 6;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    line = line.substr(8, line.rfind('#') - 8);
    line.resize(line.find_last_not_of(' ') + 1);
    const auto gap = line.find("  ");
    if (gap != std::string::npos) line.erase(gap, line.find_first_not_of(' ', gap) - gap - 1);
    result.push_back(line);
    at = end + 1;
  }
  return result;
}

std::vector<std::string> in_loops(std::string_view lines) {
  auto result = code("do i\ndo j\ndo k\n" + std::string(lines) + "\nenddo k\nenddo j\nenddo i");
  if (result.size() < 7) return {};
  return {result.begin() + 3, result.end() - 4};
}

std::vector<std::string> codes(std::string_view source) {
  std::vector<std::string> result;
  for (const auto& d : compile_text(source).found)
    if (d.severity == Severity::error) result.push_back(d.code);
  return result;
}

using Lines = std::vector<std::string>;

TEST(Compile, AProductIsOneInstruction) {
  EXPECT_EQ(in_loops("c[i,k] = a[i,j]*b[j,k]"),
            Lines{"block_product c[i,k], a[i,j] * b[j,k], set"});
}

TEST(Compile, AccumulationNeedsNoTemporary) {
  EXPECT_EQ(
      in_loops("c[i,k] -= x*a[i,j]*b[j,k]"),
      (Lines{"push_scalar x", "block_product c[i,k], a[i,j] * b[j,k], accumulate negate scaled"}));
}

TEST(Compile, ASumIsOneInstructionForEachTerm) {
  EXPECT_EQ(in_loops("a[i,j] = d[i,j] - 2.0*d[j,i]"),
            (Lines{"block_copy a[i,j], d[i,j], set", "push_literal 2",
                   "block_copy a[i,j], d[j,i], accumulate negate scaled"}));
}

TEST(Compile, AResultReadByALaterTermGoesThroughATemp) {
  EXPECT_EQ(in_loops("a[i,j] = d[i,j] + a[j,i]"),
            (Lines{"block_copy $1[i,j], d[i,j], set", "block_copy $1[i,j], a[j,i], accumulate",
                   "block_copy a[i,j], $1[i,j], set"}));
}

TEST(Compile, AResultReadByTheFirstTermOnlyNeedsNoTemp) {
  EXPECT_EQ(in_loops("a[i,j] = a[j,i] + d[i,j]"),
            (Lines{"block_copy a[i,j], a[j,i], set", "block_copy a[i,j], d[i,j], accumulate"}));
}

TEST(Compile, BracketsInProductsAreTemps) {
  EXPECT_EQ(in_loops("c[i,k] = (a[i,j] + d[i,j])*b[j,k]"),
            (Lines{"block_copy $1[i,j], a[i,j], set", "block_copy $1[i,j], d[i,j], accumulate",
                   "block_product c[i,k], $1[i,j] * b[j,k], set"}));
}

TEST(Compile, AScaledBracketIsDistributed) {
  EXPECT_EQ(in_loops("a[i,j] = x*(a[i,j] - d[i,j])"), in_loops("a[i,j] = x*a[i,j] - x*d[i,j]"));
}

TEST(Compile, AFullContractionIsANumber) {
  EXPECT_EQ(in_loops("x = 1.0 + a[i,j]*d[i,j]"),
            (Lines{"push_literal 1", "push_product a[i,j] * d[i,j]", "add", "store_scalar x, ="}));
}

TEST(Compile, ABracketThatSumsAllItsIndexesIsANumber) {
  EXPECT_EQ(in_loops("x = (a[i,j]*d[i,j])/(d[i,j]*d[i,j])"),
            (Lines{"push_product a[i,j] * d[i,j]", "push_product d[i,j] * d[i,j]", "divide",
                   "store_scalar x, ="}));
}

TEST(Compile, PutOfAnExpressionGoesThroughATemp) {
  EXPECT_EQ(in_loops("put d[i,j] += 2.0*a[i,j]"),
            (Lines{"push_literal 2", "block_copy $1[i,j], a[i,j], set scaled",
                   "put d[i,j], $1[i,j], +="}));
  EXPECT_EQ(in_loops("put d[i,j] -= x"),
            (Lines{"push_scalar x", "negate", "put_scalar d[i,j], +="}));
  EXPECT_EQ(in_loops("put d[j,i] = a[i,j]"),
            (Lines{"block_copy $1[j,i], a[i,j], set", "put d[j,i], $1[j,i], ="}));
}

TEST(Compile, ASubindexOnOneSideSelectsAPartOnTheOther) {
  const auto read = code(
      "do i\ndo j\ndo ii in i\npart[ii,j] = a[i,j]\na[i,j] = part[ii,j]\n"
      "enddo ii in i\nenddo j\nenddo i");
  ASSERT_GE(read.size(), 5u);
  EXPECT_EQ(read[3], "block_copy part[ii,j], a[ii,j], set");
  EXPECT_EQ(read[4], "block_copy a[ii,j], part[ii,j], set");
}

TEST(Compile, ExitLeavesTheLoopAndCycleOfAnOuterLoopTheInnerOnes) {
  EXPECT_EQ(code("do i\ndo j\ncycle i\nexit\nenddo j\nenddo i"),
            (Lines{"do_begin i, -> 8", "do_begin j, -> 7", "do_leave j", "jump -> 7", "do_leave j",
                   "jump -> 7", "do_next j, -> 2", "do_next i, -> 1", "halt"}));
}

TEST(Compile, WhereClausesOfAPardoAreJoined) {
  EXPECT_EQ(code("pardo i,j\nwhere i < j\nwhere j != 2\nx = 1.0\nendpardo i,j"),
            (Lines{"pardo_begin i,j, -> 12", "push_index i", "push_index j", "compare_int <",
                   "push_index j", "push_int 2", "compare_int !=", "and", "where_end",
                   "push_literal 1", "store_scalar x, =", "pardo_next i,j", "halt"}));
}

TEST(Compile, OnlyCalledProcsAndUsedNamesAreInTheProgram) {
  const auto compiled = compile_text(
      program("proc used\nx = 1.0\nendproc used\nproc idle\nn = 1\nendproc idle\ncall used"));
  ASSERT_TRUE(compiled.program);
  EXPECT_EQ(compiled.program->code.size(), 5u);
  EXPECT_TRUE(compiled.program->arrays.empty());
  EXPECT_TRUE(compiled.program->ints.empty());
}

TEST(Compile, ImportsAreReadOnceAndSeeEachOther) {
  MapLoader loader({{"m", "import \"a\"\nimport \"b\"\nsial m\ncall a.go\ncall go\nendsial m"},
                    {"a", "import \"b\"\nsial a\nproc go\nshared = 1.0\nendproc go\nendsial a"},
                    {"b", "sial b\nscalar shared\nendsial b"}});
  const auto compiled = compile_file("m", loader);
  ASSERT_TRUE(compiled.program) << render_text(compiled.found);
  EXPECT_EQ(compiled.program->scalars.size(), 1u);
  EXPECT_EQ(compiled.program->files, (std::vector<std::string>{"m", "a", "b"}));
}

TEST(Compile, FilesMayDeclareTheSamePredefinedIntEach) {
  MapLoader loader(
      {{"m", "import \"a\"\nsial m\npredefined int norb\ncall go\nprint norb\nendsial m"},
       {"a", "sial a\npredefined int norb\nproc go\nprint norb\nendproc go\nendsial a"}});
  const auto compiled = compile_file("m", loader);
  ASSERT_TRUE(compiled.program) << render_text(compiled.found);
  EXPECT_EQ(compiled.program->ints.size(), 1u);
}

/// A program that prints `x` of "a" and `y` of "b", which it imports.
std::vector<Diagnostic> found_in(std::string a, std::string b, std::string lines) {
  MapLoader loader({{"m", "import \"a\"\nimport \"b\"\nsial m\n" + lines + "\nendsial m"},
                    {"a", std::move(a)},
                    {"b", std::move(b)}});
  return check_file("m", loader);
}

TEST(Compile, FilesMayDeclareTheSamePredefinedStaticArrayEach) {
  const std::string array = "aoindex i = 1:2\npredefined static e[i]\n";
  const std::string moindex = "moindex i = 1:2\npredefined static e[i]\n";
  const auto unit = [](std::string name, const std::string& declared) {
    return "sial " + name + "\n" + declared + "proc p" + name + "\nprint e\nendproc p" + name +
           "\nendsial " + name;
  };
  EXPECT_TRUE(found_in(unit("a", array), unit("b", array), "call pa\ncall pb").empty());
  const auto found = found_in(unit("a", array), unit("b", moindex), "call pa\ncall pb");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().code, "predefined-differs");
}

TEST(Compile, APredefinedScalarIsRealOrComplexInAllFiles) {
  const auto found =
      found_in("sial a\npredefined scalar z\nproc pa\nprint z\nendproc pa\nendsial a",
               "sial b\npredefined complex scalar z\nproc pb\nprint z\nendproc pb\nendsial b",
               "call pa\ncall pb");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().code, "predefined-differs");
}

TEST(Compile, ImportsOfOneNameMayNotDeclareTheSame) {
  const auto unit = [](const std::string& proc) {
    return "sial lib\nscalar x\nproc " + proc + "\nx = 1.0\nprint x\nendproc " + proc +
           "\nendsial lib";
  };
  const auto found = found_in(unit("pa"), unit("pb"), "call pa\ncall pb");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().code, "duplicate-unit");
}

TEST(Compile, AFileIsReadOnceWhateverItsPathIsSpelled) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "sial_spellings";
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("lib.sial", "sial lib\nscalar x\nproc p\nx = 1.0\nendproc p\nendsial lib\n");
  write("m.sial", "import \"lib.sial\"\nimport \"" + (folder / "lib.sial").string() +
                      "\"\nsial m\ncall p\nprint x\nendsial m\n");
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  FileLoader loader;
  const auto found = check_file("m.sial", loader);
  fs::current_path(before);
  fs::remove_all(folder);
  EXPECT_TRUE(found.empty()) << render_text(found);
}

TEST(Compile, LoopsOfClearHaveNamesOfTheirOwn) {
  std::string lines = "sial t\nindex i = 1:2\nindex i1 = 1:2\nstatic a[i1]\nstatic b[i]\n";
  for (int k = 0; k < 1100; ++k) lines += "clear a\n";
  EXPECT_TRUE(codes(lines + "clear b\nendsial t\n").empty());
}

TEST(Compile, TheEndOfASectionHasItsLine) {
  const auto compiled =
      compile_text(program("section\npardo i\nx = 1.0\nendpardo i\nendsection\nprint x"));
  ASSERT_TRUE(compiled.program);
  const auto& code = compiled.program->code;
  std::vector<std::uint32_t> lines;
  for (std::size_t pc = 0; pc < code.size(); ++pc)
    if (code[pc].opcode == program::Opcode::section_begin ||
        code[pc].opcode == program::Opcode::section_end)
      lines.push_back(compiled.program->lines[pc].line);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], lines[1]);
}

TEST(Compile, WarningsDoNotHideErrors) {
  Findings findings;
  const auto file = findings.add_source({"m", std::string(700, '\n')});
  for (std::uint32_t line = 1; line <= 600; ++line) findings.warning("w", {file, line, 1, 1}, "w");
  findings.error("e", {file, 650, 1, 1}, "e");
  const auto found = findings.take();
  EXPECT_EQ(found.size(), 500u);
  EXPECT_EQ(found.back().code, "e");
}

TEST(Compile, CirclesOfImportsAreReported) {
  MapLoader loader(
      {{"m", "import \"a\"\nsial m\nendsial m"}, {"a", "import \"m\"\nsial a\nendsial a"}});
  const auto found = check_file("m", loader);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().code, "circular-import");
  EXPECT_EQ(found.front().file, "a");
}

TEST(Compile, TheFilesOfAProgramAreKnownWhateverIsWrongWithThem) {
  MapLoader loader({{"m", "import \"a\"\nimport \"absent\"\nsial m\nx = 1\nendsial m"},
                    {"a", "import \"b\"\nsial a\nendsial a"},
                    {"b", "no program"}});
  EXPECT_EQ(source_files("m", loader), (std::vector<std::string>{"m", "a", "b"}));
}

TEST(Compile, AMissingFileIsADiagnostic) {
  MapLoader loader({});
  EXPECT_EQ(check_file("absent", loader).at(0).code, "file-not-found");
}

TEST(Compile, AFileThatIsNotTextIsOneDiagnostic) {
  MapLoader loader({{"x.byx", "BYPROG\r\n\x02\n\xff\n$\n"},
                    {"photo", std::string("\x89PNG\n\0\0$\n", 9)},
                    {"m", "import \"x.byx\"\nsial m\nendsial m"}});
  const auto only = [&](std::string_view path) {
    const auto found = check_file(path, loader);
    EXPECT_EQ(found.size(), 1u) << path;
    return found.at(0);
  };
  EXPECT_EQ(only("x.byx").code, "compiled-program");
  EXPECT_EQ(only("photo").code, "not-text");
  EXPECT_EQ(only("m").code, "compiled-program");
  EXPECT_EQ(only("m").line, 1u);
}

TEST(Compile, NestedBracketsTakeTimeInProportion) {
  std::string text = "a[i,j]";
  for (int n = 0; n < 40; ++n) text = "(" + text + " + a[i,j])*x";
  EXPECT_TRUE(codes(program("do i\ndo j\nc[i,j] = " + text + "\nenddo j\nenddo i")).empty());
}

TEST(Compile, BracketsOfContractionsInEachOtherAreResolvedOnce) {
  std::string text = "a[i,j]";
  for (int n = 0; n < 40; ++n) text = "(" + text + " + d[i,j])*d[i,j]";
  EXPECT_TRUE(
      codes(program("do i\ndo j\na[i,j] = 1.0\nc[i,j] = " + text + "\nenddo j\nenddo i")).empty());
}

TEST(Compile, NamesAndTextsHaveALength) {
  const std::string name(256, 'n');
  EXPECT_EQ(codes("sial t\nscalar " + name + "\nendsial t\n").at(0), "bad-name");
  EXPECT_EQ(codes("sial t\nprint \"" + std::string(70000, 'x') + "\"\nendsial t\n").at(0),
            "bad-string");
}

TEST(Compile, TheVerifierFindsWhatTheCheckerLetsThrough) {
  std::string indexes;
  std::string loops;
  for (int k = 0; k < 1025; ++k) {  // more than a program may have
    indexes += fmt::format("index i{} = 1:2\n", k);
    loops += fmt::format("do i{0}\nenddo i{0}\n", k);
  }
  EXPECT_EQ(codes("sial t\n" + indexes + loops + "endsial t\n").at(0), "not-executable");
}

TEST(Compile, EveryStageCanBePrinted) {
  MapLoader loader({{"m", program("do i\nx = 1.0\nenddo i")}});
  for (const auto stage : {Stage::tokens, Stage::ast, Stage::checked, Stage::program})
    EXPECT_FALSE(print_stage("m", loader, stage).text.empty());
}

}  // namespace
}  // namespace blockyard::sial
