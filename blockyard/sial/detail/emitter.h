// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "blockyard/sial/detail/tables.h"

namespace blockyard::sial::detail {

/// Writes the code of a checked unit: the statements of the program, halt, then the procs.
class Emitter {
 public:
  explicit Emitter(const checked::Unit& unit) : unit_(unit), tables_(unit, program_) {}
  program::Program run();

 private:
  using Expr = checked::Expr;
  using Block = checked::Block;
  using Term = checked::Term;
  using O = program::Opcode;
  using Pc = std::int32_t;

  Pc here() const { return static_cast<Pc>(program_.code.size()); }
  Pc emit(O opcode, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0);
  void aim(Pc instruction, Pc target);
  [[nodiscard]] std::vector<std::string> unused_constants() const;

  // Values (emitter_value.cpp)
  void value(const Expr& value);
  void multiply_brackets(const Expr& value);
  void push(const Expr& value);
  void chain(const Expr& value);
  void truth_chain(const Expr& value, O join);
  std::int32_t bound(const Block& block);

  // Block expressions (emitter_terms.cpp)
  void terms_into(const Block& target, program::Mode mode, const std::vector<Term>& terms);
  void term_into(std::int32_t target, const Block* bind, const Term& term, bool is_added,
                 bool is_negative);
  std::int32_t bracket(const checked::Operand& operand);
  void factor(const Expr& factor, std::int32_t target);
  std::vector<std::int32_t> operands_of(const Term& term);
  std::vector<std::int32_t> names_of(const Block& block) const;
  [[nodiscard]] bool is_put_directly(const Block& target, const std::vector<Term>& terms) const;

  // Statements (emitter.cpp, emitter_control.cpp)
  void body(const checked::Body& body);
  void put(const checked::Barrier& what);
  void put(const checked::Do& what);
  void put(const checked::Pardo& what);
  void put(const checked::Section& what);
  void put(const checked::Gpu& what);
  void put(const checked::If& what);
  void put(const checked::Call& what);
  void put(const checked::Leave& what);
  void put(const checked::StoreInt& what);
  void put(const checked::StoreScalar& what);
  void put(const checked::Fill& what);
  void put(const checked::Update& what);
  void put(const checked::Get& what);
  void put(const checked::Put& what);
  void put(const checked::PutScalar& what);
  void put(const checked::Allocate& what);
  void put(const checked::ArrayWide& what);
  void put(const checked::Execute& what);
  void put(const checked::Collective& what);
  void put(const checked::AssertSame& what);
  void put(const checked::Broadcast& what);
  void put(const checked::Persist& what);
  void put(const checked::Print& what);

  /// A loop being written: what jumps to its end and to its next iteration is aimed when they are
  /// known.
  struct Loop {
    bool is_pardo = false;
    std::int32_t id = 0;
    int hints = 0;  ///< gpu hints open around it
    std::vector<Pc> to_exit;
    std::vector<Pc> to_next;
  };
  void leave(const Loop& loop);
  void close(Pc next);

  const checked::Unit& unit_;
  program::Program program_;
  Tables tables_;
  program::SourceLine line_;
  std::map<const Term*, std::int32_t> products_;  ///< of the expression that is being written
  std::vector<Loop> loops_;
  std::int32_t regions_ = 0;                       ///< bound for the next instruction
  int hints_ = 0;                                  ///< open gpu hints
  std::vector<std::pair<Pc, std::size_t>> calls_;  ///< call instructions and their procs
};

}  // namespace blockyard::sial::detail
