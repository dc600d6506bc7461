// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "blockyard/sial/ast_expression.h"

/// Statements, declarations and the whole file as the parser makes them.
namespace blockyard::sial::ast {

enum class DeclKind : std::uint8_t { int_, scalar, index, subindex, array, special };

struct Declaration {
  DeclKind kind = DeclKind::int_;
  Name keyword;  ///< "int", "aoindex", "temp", ...
  Name name;
  std::vector<Name> modifiers;
  std::optional<Expr> initial;    ///< int, scalar
  std::optional<Bound> first;     ///< index
  std::optional<Bound> last;      ///< index
  std::optional<Name> parent;     ///< subindex
  std::vector<Name> indexes;      ///< array
  std::optional<Name> signature;  ///< special
};

struct Statement;
using Body = std::vector<Statement>;

struct Do {
  Name index;
  std::optional<Name> parent;  ///< of `do ii in i`
  std::vector<Expr> where;
  Body body;
};

struct Pardo {
  std::vector<Name> indexes;
  std::optional<Name> parent;  ///< of `pardo ii in i`
  std::optional<Name> pragma;
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
  Name proc;
};

/// exit, cycle, return, stop
struct Leave {
  std::optional<Name> index;
};

struct Assign {
  Expr target;
  std::string op;
  Expr value;
};

/// get, request, prequest
struct Get {
  Expr block;
};

/// put, prepare
struct Put {
  Expr block;
  std::string op;
  Expr value;
};

/// allocate, deallocate
struct Allocate {
  bool is_contiguous = false;
  Expr target;
};

/// create, delete, destroy
struct ArrayWide {
  Name array;
};

/// Every block of an array becomes zero.
struct Clear {
  Name array;
};

struct Execute {
  Name special;
  std::vector<Expr> arguments;
};

struct Collective {
  Name target;
  std::string op;
  Expr value;
};

struct AssertSame {
  Name target;
};

struct Broadcast {
  Expr worker;
  Name array;
};

/// set_persistent, restore_persistent
struct Persist {
  Name target;
  Name label;
};

/// print, println and the old print_scalar, print_index, print_int
struct Print {
  Expr value;
};

/// sip_barrier, server_barrier
struct Barrier {};

/// gpu_put and its like: accepted, without effect
struct GpuHint {
  std::optional<Expr> operand;
};

struct Statement {
  Place at;  ///< of the first word
  std::string verb;
  std::variant<Barrier, Do, Pardo, Section, Gpu, If, Call, Leave, Assign, Get, Put, Allocate,
               ArrayWide, Clear, Execute, Collective, AssertSame, Broadcast, Persist, Print,
               GpuHint>
      what;
};

struct Proc {
  Name name;
  Body body;
};

struct Import {
  std::string path;
  Place at;
};

struct Unit {
  Name name;
  std::uint32_t file = 0;
  std::vector<Import> imports;
  std::vector<Declaration> declarations;
  std::vector<Proc> procs;
  Body body;
  std::vector<std::size_t> imported;  ///< units of the imports, set when they are loaded
};

}  // namespace blockyard::sial::ast

namespace blockyard::sial {

/// The tree as indented text, for a reader.
[[nodiscard]] std::string print_ast(const ast::Unit& unit);

}  // namespace blockyard::sial
