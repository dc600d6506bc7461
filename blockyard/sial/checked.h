// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "blockyard/sial/checked_expression.h"

/// The checked units of one program, with names and types resolved. Nothing here can
/// be wrong in the sense of the language; numbers of entries are those of the tables of `Unit`.
namespace blockyard::sial::checked {

struct Statement;
using Body = std::vector<Statement>;

struct Do {
  std::int32_t index = -1;
  std::vector<Expr> where;
  Body body;
};

struct Pardo {
  std::vector<std::int32_t> indexes;
  program::Policy policy = program::Policy::unset;
  std::vector<Expr> where;
  Body body;
};

struct Section {
  Body body;
};

struct Gpu {
  Body body;
};

struct Branch {
  Expr condition;
  Body body;
};

struct If {
  std::vector<Branch> branches;
  Body otherwise;
};

struct Call {
  std::size_t proc = 0;
};

enum class LeaveKind : std::uint8_t { exit, cycle, return_, stop };

/// `loops` loops are left; the last of them continues with its next value if it is a cycle.
struct Leave {
  LeaveKind kind = LeaveKind::exit;
  std::size_t loops = 1;
};

struct StoreInt {
  std::int32_t id = -1;
  program::Mode mode = program::Mode::set;
  Expr value;
};

struct StoreScalar {
  std::int32_t id = -1;
  program::Mode mode = program::Mode::set;
  Expr value;
};

struct Fill {
  Block target;
  program::Mode mode = program::Mode::set;
  Expr value;
};

/// Mode set, add or subtract.
struct Update {
  Block target;
  program::Mode mode = program::Mode::set;
  std::vector<Term> terms;
};

struct Get {
  Block block;
};

struct Put {
  Block target;
  program::Mode mode = program::Mode::set;
  std::vector<Term> terms;
};

struct PutScalar {
  Block target;
  program::Mode mode = program::Mode::set;
  Expr value;
};

struct Allocate {
  bool is_removal = false;
  Block blocks;
};

struct ArrayWide {
  bool is_removal = false;
  std::int32_t array = -1;
};

struct Argument {
  program::ArgumentKind kind = program::ArgumentKind::selector;
  std::int32_t id = -1;  ///< of a scalar or an int
  double literal = 0;
  std::vector<Block> block;  ///< one if it is a selector
  Place at;
};

struct Execute {
  std::int32_t special = -1;
  std::vector<Argument> arguments;
};

struct Collective {
  std::int32_t scalar = -1;
  Expr value;
};

struct AssertSame {
  std::int32_t scalar = -1;
};

struct Broadcast {
  std::int32_t array = -1;
  Expr worker;
};

struct Persist {
  bool is_restore = false;
  bool is_array = false;
  std::int32_t id = -1;
  std::string label;
};

enum class PrintKind : std::uint8_t { text, int_name, scalar, index, int_, value, block, array };

struct Print {
  PrintKind kind = PrintKind::text;
  std::int32_t newlines = 0;  ///< more than print gives
  std::string text;
  std::int32_t id = -1;
  std::vector<Expr> value;
  std::vector<Block> block;
};

struct Barrier {};

struct Statement {
  Place at;
  std::variant<Barrier, Do, Pardo, Section, Gpu, If, Call, Leave, StoreInt, StoreScalar, Fill,
               Update, Get, Put, PutScalar, Allocate, ArrayWide, Execute, Collective, AssertSame,
               Broadcast, Persist, Print>
      what;
};

struct Proc {
  std::string name;
  Place at;
  Body body;
  bool is_reachable = false;  ///< called from the program, itself or through others
};

struct Unit {
  std::string name;
  std::vector<std::string> files;
  std::vector<program::IntDecl> ints;
  std::vector<program::ScalarDecl> scalars;
  std::vector<program::IndexDecl> indexes;
  std::vector<program::ArrayDecl> arrays;
  std::vector<program::SpecialDecl> specials;
  std::vector<Proc> procs;
  Body body;
};

}  // namespace blockyard::sial::checked

namespace blockyard::sial {

/// The checked program as indented text, for a reader.
[[nodiscard]] std::string print_checked(const checked::Unit& unit);

}  // namespace blockyard::sial
