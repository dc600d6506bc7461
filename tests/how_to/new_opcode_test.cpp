// SPDX-License-Identifier: Apache-2.0
// The checklist of docs/how_to/opcode.md: a row of the table is all that analyses of programs need.
// Here the table has each opcode once more, under another number and name. An analysis that asks
// for an opcode instead of its row finds nothing in a program that is written with the new ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <iterator>

#include "blockyard/base/error.h"
#include "blockyard/flow/conditions.h"
#include "blockyard/flow/epoch_puts.h"
#include "blockyard/flow/liveness.h"
#include "blockyard/flow/near.h"
#include "blockyard/flow/upcoming.h"
#include "blockyard/plan/plan.h"
#include "blockyard/plan/trips.h"
#include "blockyard/program/file.h"
#include "blockyard/program/flow.h"
#include "blockyard/program/print.h"
#include "blockyard/program/verify.h"
#include "blockyard/sial/compile.h"

// The table of the library, under a name of its own; the one that all code sees follows.
#define opcode_table library_table
#include "blockyard/program/opcode.cpp"
#undef opcode_table

namespace blockyard::program {

std::span<const OpcodeRow> opcode_table() noexcept {
  static const std::vector<OpcodeRow> rows = [] {
    static std::deque<std::string> names;
    const auto old = library_table();
    std::vector<OpcodeRow> all(old.begin(), old.end());
    for (OpcodeRow row : old) {
      row.opcode = static_cast<Opcode>(all.size());
      row.name = names.emplace_back(fmt::format("new_{}", row.name));
      all.push_back(row);
    }
    return all;
  }();
  return rows;
}

}  // namespace blockyard::program

namespace blockyard {
namespace {

using program::Instruction;
using program::Opcode;
using program::Program;

/// What the verifier has rules for beyond the row: the new ones stand for opcodes without such.
bool has_rules_of_its_own(Opcode opcode) {
  return opcode == Opcode::bind_region || opcode == Opcode::section_begin ||
         opcode == Opcode::section_end;
}

enum class Which { all, statements };

/// The same program in the new opcodes: all, or those that are no expressions.
Program renewed(Program p, Which which) {
  for (Instruction& instruction : p.code)
    if (!has_rules_of_its_own(instruction.opcode) &&
        (which == Which::all || !program::is_expression(instruction.opcode)))
      instruction.opcode =
          static_cast<Opcode>(static_cast<std::size_t>(instruction.opcode) + program::opcode_count);
  return p;
}

Program compiled() {
  std::ifstream file(PROGRAM);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  sial::Compilation compiled = sial::compile_text(text);
  for (const auto& one : compiled.found)
    if (!compiled.program) ADD_FAILURE() << one.message;
  base::require(compiled.program.has_value(), "the program of the test compiles");
  return std::move(*compiled.program);
}

worker::Environment environment() {
  worker::Environment environment;
  environment.segments.set(array::IndexKind::mo, {3, 4, 5});
  return environment;
}

template <class Item>
std::vector<std::int32_t> numbers(const std::vector<Item>& table) {
  std::vector<std::int32_t> all;
  for (std::size_t k = 0; k < table.size(); ++k) all.push_back(static_cast<std::int32_t>(k));
  return all;
}

/// A program, and what an analysis says of it, as text.
class NewOpcode : public testing::Test {
 protected:
  /// The same of the program in old and in new opcodes, and that is not nothing.
  template <class Analysis>
  void expect_same(const Analysis& analysis, Which which = Which::all) {
    const std::string before = analysis(old_, flow::bind(old_, environment()));
    const Program p = renewed(old_, which);
    EXPECT_FALSE(before.empty());
    EXPECT_EQ(analysis(p, flow::bind(p, environment())), before);
  }
  Program old_ = compiled();
};

TEST_F(NewOpcode, is_verified_printed_and_kept_in_files) {
  const Program p = renewed(old_, Which::all);
  EXPECT_NO_THROW(program::verify(p));
  EXPECT_NE(print(p).find("new_pardo_begin"), std::string::npos);
  EXPECT_EQ(program::read(program::write(p)), p);
}

TEST_F(NewOpcode, has_the_successors_and_operands_of_its_row) {
  expect_same([](const Program& p, const auto&) {
    std::string text;
    for (const std::int32_t pc : numbers(p.code)) {
      text += fmt::format("\n{}:", pc);
      for_each_successor(p, pc, [&](std::int32_t next) { text += fmt::format(" {}", next); });
      for_each_operand(p, instruction_at(p, pc), [&](const program::Operand& operand) {
        text += fmt::format(" {}.{}.{}", static_cast<int>(operand.kind), operand.id,
                            static_cast<int>(operand.use));
      });
    }
    return text;
  });
}

TEST_F(NewOpcode, is_seen_by_the_outline_for_look_ahead) {
  expect_same([](const Program& p, const auto&) {
    const flow::Outline outline(p);
    std::string text;
    for (const std::int32_t pc : numbers(p.code)) {
      const auto& at = outline.at(pc);
      text +=
          fmt::format("\n{}: {} {} {} {} {} {} {} {} {}", pc, at.next, at.begin, at.around, at.line,
                      static_cast<int>(at.condition), static_cast<int>(at.role),
                      static_cast<int>(at.control), at.is_dull, outline.changes(pc, pc + 1).size());
    }
    return text;
  });
}

/// Look-ahead cannot compute what it does not know: values of expressions are the old ones here.
TEST_F(NewOpcode, is_followed_by_look_ahead) {
  const auto gets = [](const Program& p, const flow::Tables& tables) {
    using namespace flow;
    const Naming naming{p, tables};
    const LoopNest loops(naming);
    const Outline outline(p);
    Upcoming upcoming(naming, outline, {program::Policy::balanced}, tables.ints, tables.scalars);
    std::string text;
    for (const std::int32_t pc : numbers(p.code)) {
      if (!program::has_effect(instruction_at(p, pc).opcode, program::effect::ends_epoch)) continue;
      upcoming.restart(pc + 1, loops, 0, {});
      Coming coming;
      int budget = 10000;
      while (upcoming.next(coming, budget) == Upcoming::Step::found)
        text += fmt::format(" {}.{}.{}", coming.pc, coming.block.id.number, coming.is_certain);
    }
    return text;
  };
  expect_same(gets, Which::statements);
}

TEST_F(NewOpcode, counts_for_what_an_epoch_and_a_pardo_change) {
  expect_same([](const Program& p, const auto&) {
    std::string text;
    flow::EpochPuts puts(p);
    for (const std::int32_t pc : numbers(p.code)) {
      if (!program::has_effect(instruction_at(p, pc).opcode, program::effect::ends_epoch)) continue;
      puts.begin(pc, {});
      puts.begin(pc + 1, {});
      for (const std::int32_t array : numbers(p.arrays))
        if (puts.changes(array)) text += fmt::format(" {}", array);
    }
    const auto writes = flow::pardo_writes(p);
    for (const auto& names : {writes.ints, writes.scalars, writes.arrays})
      for (const bool is_written : names) text += is_written ? 'w' : '-';
    return text;
  });
}

TEST_F(NewOpcode, counts_for_which_names_are_live) {
  expect_same([](const Program& p, const auto&) {
    using flow::Variable;
    std::string text;
    const auto add = [&](Variable variable) {
      flow::Liveness liveness(p, variable);
      for (const std::int32_t pc : numbers(p.code)) text += liveness.is_live(pc, {}) ? 'l' : '-';
      text += '\n';
    };
    for (const std::int32_t id : numbers(p.ints)) add({Variable::Kind::int_name, id});
    for (const std::int32_t id : numbers(p.scalars)) add({Variable::Kind::scalar, id});
    for (const std::int32_t id : numbers(p.arrays))
      if (p.arrays[static_cast<std::size_t>(id)].kind == program::ArrayKind::static_)
        add({Variable::Kind::static_array, id});
    return text;
  });
}

/// That `and` joins conditions is the meaning of one opcode, not of a row.
TEST_F(NewOpcode, may_stand_in_where_conditions) {
  expect_same(
      [](const Program& p, const auto&) {
        std::string text;
        for (const program::PardoDecl& pardo : p.pardos) {
          const auto fixed = flow::fixed_conditions(p, pardo);
          text += fmt::format("{}:", fixed.are_all);
          for (const auto& one : fixed.conditions)
            text += fmt::format(" {}-{} {}", one.first, one.end, one.places.size());
        }
        return text;
      },
      Which::statements);
}

TEST_F(NewOpcode, counts_for_memory) {
  expect_same([](const Program& p, const flow::Tables& tables) {
    const flow::MemoryNeed need = flow::memory_need(p, tables);
    return fmt::format("{} {} {} {}", need.static_bytes, need.block_bytes, need.distributed_bytes,
                       need.largest_block_bytes);
  });
}

TEST_F(NewOpcode, counts_for_where_iterations_run) {
  expect_same([](const Program& p, const flow::Tables& tables) {
    flow::NearLists near(p, tables, {2, 2, {0, 1, 1, 0}});
    std::string text;
    for (const std::int32_t pardo : numbers(p.pardos)) {
      near.begin(pardo);
      for (std::int64_t setting = 0; setting < 9; ++setting)
        near.add(setting, std::vector<std::int64_t>{setting % 3 + 1, setting / 3 + 1, 1});
      near.end();
      for (const std::int64_t setting : near.order()) text += fmt::format(" {}", setting);
    }
    return text;
  });
}

TEST_F(NewOpcode, counts_for_the_steps_of_a_plan) {
  expect_same([](const Program& p, const flow::Tables& tables) {
    const plan::Trips trips(p, tables, 7);
    std::string text = fmt::format("{}", trips.all());
    for (const std::int32_t pc : numbers(p.code))
      text += fmt::format(" {}{}", trips.of_body(pc), trips.is_plain(pc) ? "" : "!");
    return text;
  });
}

TEST_F(NewOpcode, is_passed_over_by_a_plan_that_does_not_know_what_it_costs) {
  job::Job job;
  job.steps.push_back({"test", renewed(old_, Which::all)});
  job.environment = environment();
  job.memory = job::plan_memory(std::int64_t{1} << 26, 0, 1, 1, job::memory_needs(job));
  job.run.memory_bytes = std::int64_t{1} << 26;
  EXPECT_NO_THROW((void)plan::make_plan(job, plan::assumed_machine(), {}));
}

}  // namespace
}  // namespace blockyard
