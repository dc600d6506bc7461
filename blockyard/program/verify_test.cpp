// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <source_location>
#include <string_view>

#include "blockyard/base/error.h"
#include "blockyard/program/detail/random_walk.h"
#include "blockyard/program/detail/sample_program.h"

namespace blockyard::program {
namespace {

using base::Error;
using detail::sample_program;
using S = detail::Sample;
using O = Opcode;

bool is_accepted(const Program& program) {
  try {
    verify(program);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input) << error.what();
    return false;
  }
}

std::string refusal_after(const std::function<void(Program&)>& change) {
  Program program = sample_program();
  change(program);
  try {
    verify(program);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

Instruction& first(Program& program, Opcode opcode) {
  for (auto& at : program.code)
    if (at.opcode == opcode) return at;
  throw std::logic_error("the sample has no such opcode");
}

void expect_refused(std::string_view text, const std::function<void(Program&)>& change,
                    std::source_location at = std::source_location::current()) {
  const std::string found = refusal_after(change);
  EXPECT_NE(found.find(text), std::string::npos) << "line " << at.line() << ": " << found;
}

TEST(Verify, accepts_a_program_with_everything) { EXPECT_TRUE(is_accepted(sample_program())); }

TEST(Verify, refuses_names_that_a_terminal_cannot_show) {
  expect_refused("name cannot be shown", [](Program& p) { p.name = "a\x1b[2J"; });
  expect_refused("name cannot be shown", [](Program& p) { p.name = ""; });
  expect_refused("cannot be shown", [](Program& p) { p.files[0] = "x\r.sial"; });
  expect_refused("text cannot be shown", [](Program& p) { p.texts[0] = std::string(1, '\a'); });
  expect_refused("text cannot be shown", [](Program& p) {
    p.texts[0] =
        "\xc2\x9b"
        "31m";
  });
  expect_refused("cannot be shown", [](Program& p) { p.ints[0].name = "two words"; });
  expect_refused("cannot be shown", [](Program& p) { p.arrays[0].name = std::string(300, 'a'); });
  expect_refused("cannot be shown", [](Program& p) { p.specials[0].name = ""; });
}

TEST(Verify, refuses_broken_declarations) {
  expect_refused("declared twice", [](Program& p) { p.scalars[0].name = "norb"; });
  expect_refused("in no source file", [](Program& p) { p.scalars[0].at.file = 2; });
  expect_refused("in no source file", [](Program& p) { p.lines[3].file = 9; });
  expect_refused("one source line for each", [](Program& p) { p.lines.pop_back(); });
  expect_refused("not a predefined int", [](Program& p) { p.indexes[0].last.value = 1; });
  expect_refused("not a predefined int", [](Program& p) { p.indexes[0].last.value = -1; });
  expect_refused("below 1", [](Program& p) { p.indexes[0].first.value = 0; });
  expect_refused("beyond the table", [](Program& p) { p.indexes[3].parent = 9; });
  expect_refused("does not suit its parent", [](Program& p) { p.indexes[3].parent = 3; });
  expect_refused("does not suit its parent", [](Program& p) { p.indexes[3].parent = 2; });
  expect_refused("index beyond the table", [](Program& p) { p.arrays[0].indexes[0] = 44; });
  expect_refused("more than 8", [](Program& p) { p.arrays[0].indexes.assign(9, 0); });
  expect_refused("hidden, but not a temp", [](Program& p) { p.arrays[S::da].is_hidden = true; });
  expect_refused("has no index", [](Program& p) { p.arrays[0].indexes.clear(); });
  expect_refused("does not suit its parent", [](Program& p) {
    p.indexes[3].kind = array::IndexKind::simple;
    p.indexes[3].parent = S::s;
  });
  expect_refused("beyond r, w, u", [](Program& p) { p.specials[0].signature = "wx"; });
}

TEST(Verify, refuses_selectors_that_do_not_fit) {
  expect_refused("of no array", [](Program& p) { p.selectors[0].array = -1; });
  expect_refused("another order", [](Program& p) { p.selectors[0].indexes.pop_back(); });
  expect_refused("index beyond the table", [](Program& p) { p.selectors[0].indexes[0] = -1; });
  expect_refused("of another kind", [](Program& p) { p.selectors[0].indexes[0] = S::s; });
  expect_refused("is not a subindex",
                 [](Program& p) { p.selectors[S::sel_asub].indexes[0] = S::i; });
  expect_refused("which is a temp or a local",
                 [](Program& p) { p.selectors[S::sel_whole].array = S::a; });
  expect_refused("not a contiguous local",
                 [](Program& p) { p.arrays[S::c].is_contiguous = false; });
  expect_refused("not a local", [](Program& p) { p.arrays[S::lo].kind = ArrayKind::temp; });
  expect_refused("a part of a block",
                 [](Program& p) { p.selectors[S::sel_every].indexes[0] = S::ii; });
  expect_refused("a part of a block",
                 [](Program& p) { p.selectors[S::sel_region].indexes[0] = S::ii; });
  expect_refused("product of one block", [](Program& p) { p.products[0].operands.pop_back(); });
  expect_refused("not a block", [](Program& p) { p.products[0].operands[0] = S::sel_every; });
  expect_refused("not a block", [](Program& p) { p.products[0].operands[0] = 99; });
  expect_refused("has an index twice", [](Program& p) { p.products[0].operands[0] = S::sel_sp; });
  expect_refused("beyond its table", [](Program& p) { p.arguments[1].id = 2; });
  expect_refused("selects all blocks", [](Program& p) { p.arguments[0].id = S::sel_every; });
}

TEST(Verify, refuses_operands_that_do_not_suit_the_opcode) {
  expect_refused("operand a", [](Program& p) { first(p, O::push_literal).a = 2; });
  expect_refused("operand b", [](Program& p) { first(p, O::push_literal).b = 1; });
  expect_refused("operand a", [](Program& p) { first(p, O::jump).a = 9999; });
  expect_refused("operand b", [](Program& p) { first(p, O::store_scalar).b = 4; });
  expect_refused("operand c", [](Program& p) { first(p, O::block_copy).c = 8; });
  expect_refused("unknown opcode", [](Program& p) { p.code[0].opcode = O::opcode_count; });
  expect_refused("wrong form", [](Program& p) { first(p, O::print_block).a = S::sel_every; });
  expect_refused("wrong form", [](Program& p) { first(p, O::block_copy).a = S::sel_whole; });
  expect_refused("wrong form", [](Program& p) { first(p, O::allocate).a = S::sel_region; });
  expect_refused("neither distributed nor served",
                 [](Program& p) { first(p, O::get).a = S::sel_a; });
  expect_refused("cannot be sent", [](Program& p) { first(p, O::get).a = S::sel_slice; });
  expect_refused("not a sparse", [](Program& p) { p.arrays[S::sp].is_sparse = false; });
  expect_refused("not static", [](Program& p) { first(p, O::broadcast).a = S::a; });
  expect_refused("outlive", [](Program& p) { first(p, O::persist_array).a = S::a; });
  expect_refused("cannot multiply", [](Program& p) { first(p, O::put).c = 3; });
  expect_refused("cannot subtract", [](Program& p) { first(p, O::put_scalar).b = 2; });
  expect_refused("two sides do not match",
                 [](Program& p) { first(p, O::block_copy).b = S::sel_ti; });
  expect_refused("two sides do not match", [](Program& p) { first(p, O::put).b = S::sel_bt; });
  expect_refused("names of the product",
                 [](Program& p) { first(p, O::block_product).a = S::sel_ti; });
  expect_refused("not fully contracted", [](Program& p) { first(p, O::push_product).a = 1; });
  expect_refused("as many arguments", [](Program& p) { p.specials[0].signature = "w"; });
  expect_refused("literal is written", [](Program& p) { p.specials[0].signature = "ww"; });
  expect_refused("beyond their table", [](Program& p) { first(p, O::execute).b = 4; });
  expect_refused("more newlines", [](Program& p) { first(p, O::print_text).b = 2000000; });
}

TEST(Verify, refuses_paths_that_disagree) {
  expect_refused("another type", [](Program& p) {
    first(p, O::compare_int).opcode = O::int_add;
    first(p, O::int_add).a = 0;
  });
  expect_refused("another type", [](Program& p) {
    first(p, O::push_literal) = (Instruction{O::push_int, 1});
  });
  expect_refused("another type", [](Program& p) {
    first(p, O::push_int_name) = (Instruction{O::push_scalar, 0});
  });
  expect_refused("reached with other", [](Program& p) { first(p, O::jump_if_false).a += 1; });
  expect_refused("reached with other", [](Program& p) { first(p, O::do_begin).b -= 1; });
  expect_refused("without halt",
                 [](Program& p) { first(p, O::return_) = (Instruction{O::gpu_end}); });
  expect_refused("ends in a loop",
                 [](Program& p) { first(p, O::execute) = (Instruction{O::halt}); });
  expect_refused("return without a call",
                 [](Program& p) { first(p, O::halt) = (Instruction{O::return_}); });
  expect_refused("innermost open loop", [](Program& p) { first(p, O::do_leave).a = S::j; });
  expect_refused("region", [](Program& p) {
    first(p, O::bind_region).a = S::sel_region;
    p.selectors.push_back(p.selectors[S::sel_region]);
    first(p, O::allocate_region).a = static_cast<int>(p.selectors.size()) - 1;
  });
  expect_refused("does not follow it", [](Program& p) { p.pardos[0].body += 1; });
  expect_refused("does not follow it", [](Program& p) { p.pardos[0].where = 0; });
  expect_refused("more than compute",
                 [](Program& p) { first(p, O::exists) = (Instruction{O::barrier}); });
  expect_refused("not a pardo", [](Program& p) {
    first(p, O::section_begin).opcode = O::gpu_begin;
    p.code[static_cast<std::size_t>(p.pardos[0].where) - 2].opcode = O::section_begin;
    first(p, O::pardo_begin) = (Instruction{O::barrier});
  });
}

TEST(Verify, refuses_what_is_wrong_only_across_calls) {
  expect_refused("no loop binds", [](Program& p) {
    first(p, O::barrier) = (Instruction{O::call, first(p, O::call).a});
  });
  expect_refused("has a barrier", [](Program& p) {
    first(p, O::put_scalar) = (Instruction{O::store_scalar, 0, 0});
    p.code[p.code.size() - 1] = (Instruction{O::barrier});
    p.code.push_back({O::return_});
    p.lines.push_back(p.lines[0]);
    p.procs.back().end += 1;
  });
  expect_refused("not a procedure", [](Program& p) { first(p, O::call).a = 0; });
}

TEST(Verify, refuses_a_stack_or_loops_without_bound) {
  Program program = sample_program();
  program.code.assign(max_stack + 1, {O::push_int, 1});
  program.lines.assign(program.code.size(), {0, 1});
  program.pardos.clear();
  EXPECT_FALSE(is_accepted(program));
  program.code.assign(max_loops + 1, {O::do_begin, S::i, 0});
  for (auto& at : program.code) at.b = static_cast<std::int32_t>(max_loops);
  program.lines.assign(program.code.size(), {0, 1});
  EXPECT_FALSE(is_accepted(program));
}

/// Changes one number somewhere in the program.
void change_one(Program& program, std::mt19937& random) {
  const auto below = [&random](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  const auto number = static_cast<std::int32_t>(below(24)) - 2;
  switch (below(10)) {
    case 0:
      program.selectors[below(program.selectors.size())].array = number;
      break;
    case 1: {
      auto& indexes = program.selectors[below(program.selectors.size())].indexes;
      if (!indexes.empty()) indexes[below(indexes.size())] = number;
      break;
    }
    case 2:
      program.products[below(program.products.size())].operands[0] = number;
      break;
    case 3:
      program.arguments[below(program.arguments.size())].id = number;
      break;
    case 4:
      std::swap(program.code[below(program.code.size())], program.code[below(program.code.size())]);
      break;
    case 5:
      program.code[below(program.code.size())].opcode = static_cast<Opcode>(below(opcode_count));
      break;
    case 6:
      program.indexes[below(program.indexes.size())].parent = number;
      break;
    default: {
      auto& at = program.code[below(program.code.size())];
      auto& operand = below(2) == 0 ? at.a : (below(2) == 0 ? at.b : at.c);
      operand = below(2) == 0 ? number : static_cast<std::int32_t>(below(program.code.size()));
    }
  }
}

TEST(Verify, never_lets_a_bad_program_through) {
  std::mt19937 random(20261121);
  int accepted = 0;
  for (unsigned round = 0; round < 60000; ++round) {
    Program program = sample_program();
    for (unsigned k = 0; k <= round % 4; ++k) change_one(program, random);
    if (!is_accepted(program)) continue;
    ++accepted;
    for (unsigned seed = 0; seed < 4; ++seed)
      ASSERT_NO_THROW(detail::walk_at_random(program, seed, 400)) << "round " << round;
  }
  EXPECT_GT(accepted, 1000) << "too few changes are harmless for the test to mean something";
}

TEST(Verify, refuses_complex_elements_in_real_ones) {
  expect_refused("complex elements", [](Program& p) { p.arrays[S::a].type = ElementType::c128; });
}

TEST(Verify, takes_parts_of_complex_elements_where_they_are_read) {
  const auto copy_from_part = [](Program& p) {
    p.arrays[S::a].type = p.arrays[S::bt].type = ElementType::c128;
    p.selectors.push_back({SelectorForm::block, S::a, {S::i, S::j}, Part::real});
    first(p, O::block_copy).b = static_cast<std::int32_t>(p.selectors.size()) - 1;
  };
  expect_refused("(put): complex elements", copy_from_part);  // the copy before it is taken
  expect_refused("part of the elements", [&](Program& p) {
    copy_from_part(p);
    std::swap(first(p, O::block_copy).a, first(p, O::block_copy).b);
  });
  expect_refused("not a complex block", [&](Program& p) {
    copy_from_part(p);
    p.arrays[S::a].type = ElementType::f64;
  });
}

TEST(Verify, wants_numbers_of_the_kind_that_an_opcode_names) {
  expect_refused("another type", [](Program& p) { first(p, O::multiply).a = 1; });
  expect_refused("another type", [](Program& p) { p.scalars[0].is_complex = true; });
  expect_refused("beyond its table", [](Program& p) { first(p, O::multiply).a = 2; });
}

}  // namespace
}  // namespace blockyard::program
