// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/sial/ast.h"
#include "blockyard/sial/checked.h"
#include "blockyard/sial/detail/names.h"

namespace blockyard::sial::detail {

/// conj, real or imag of a value.
bool is_transparent(const ast::Expr& source);

/// Turns trees into the checked form: names and types. Checks that depend on the order of
/// statements are left to flow.h. One file of members per topic.
class Checker {
 public:
  Checker(const std::vector<ast::Unit>& units, Findings& findings);
  checked::Unit run();

 private:
  using Expr = checked::Expr;
  using Block = checked::Block;
  using Terms = std::vector<checked::Term>;
  using Indexes = std::vector<std::int32_t>;
  /// Deepest evaluation stack of an expression; the rest of program::max_stack is for bounds of
  /// regions and what an instruction pushes itself.
  static constexpr int most_stack = 40;

  // Names (checker.cpp)
  void warn_unused();
  void qualify_names();
  Symbol* find(const ast::Name& name, SymbolKind kind);
  [[nodiscard]] const program::ArrayDecl& array_of(const Block& block) const;
  [[nodiscard]] bool is_simple(std::int32_t index) const;
  [[nodiscard]] std::string list_of(const Indexes& indexes) const;
  void error(std::string_view code, Place at, std::string message, std::string hint = {}) {
    findings_.error(code, at, std::move(message), std::move(hint));
  }

  // Declarations (checker_declaration.cpp)
  void declare_all();
  void declare(const ast::Declaration& declaration);
  void declare_int(const ast::Declaration& declaration);
  void declare_scalar(const ast::Declaration& declaration);
  void declare_index(const ast::Declaration& declaration);
  void declare_subindex(const ast::Declaration& declaration);
  void declare_array(const ast::Declaration& declaration);
  void declare_special(const ast::Declaration& declaration);
  [[nodiscard]] bool are_alike(const program::ArrayDecl& one,
                               const program::ArrayDecl& other) const;
  void report_unlike(const ast::Name& name, const program::SourceLine& first);
  program::Bound check_bound(const ast::Bound& bound, bool is_simple_index);
  void check_modifiers(const ast::Declaration& declaration);

  // Blocks (checker_block.cpp)
  Block check_block(const ast::Expr& source);
  Block check_region(const ast::Expr& source, std::int32_t array);
  bool match_counts(const ast::Expr& source, std::int32_t array);
  std::int32_t check_position(const ast::Expr& source, std::int32_t array, std::size_t position);
  Block check_wildcards(const ast::Expr& source, std::int32_t array);
  Block check_whole(const ast::Name& name, std::int32_t array) const;
  bool is_index_name(const ast::Expr& source) const;
  [[nodiscard]] bool is_scalar_valued(const Block& block) const;
  [[nodiscard]] Indexes names_of(const Block& block) const;
  bool match_kinds(std::int32_t index, std::int32_t declared, Place at, const std::string& array);

  // Values (checker_expression.cpp)
  Expr check_value(const ast::Expr& source);
  Expr check_typed(const ast::Expr& source, checked::Type type, std::string_view what);
  Expr check_condition(const ast::Expr& source);
  Expr check_where(const ast::Expr& source, bool is_pardo);
  Expr check_number(const ast::Expr& source);
  Expr check_name(const ast::Expr& source);
  Expr check_chain(const ast::Expr& source);
  Expr check_power(const ast::Expr& source);
  Expr check_negate(const ast::Expr& source);
  Expr check_cast(const ast::Expr& source);
  Expr check_function(const ast::Expr& source);
  Expr check_scalar(const ast::Expr& source, std::string_view what);
  Expr check_part(const ast::Expr& source, Expr value);
  Expr check_relation(const ast::Expr& source);
  Expr check_exists(const ast::Expr& source);
  Expr check_contraction(const ast::Expr& source);
  bool limit_stack(const Expr& value);

  // Block expressions: as terms (checker_terms.cpp), their brackets (checker_brackets.cpp), and
  // their indexes (checker_indexes.cpp)

  /// What a block expression is assigned to: its names, its block unless it is a hidden temp, or
  /// a number.
  struct Target {
    Indexes names;
    const Block* block = nullptr;
    bool is_scalar = false;
  };
  [[nodiscard]] bool has_block(const ast::Expr& source, const Indexes& names) const;
  [[nodiscard]] bool has_region(const ast::Expr& source) const;
  void collect_names(const ast::Expr& source, Indexes& names) const;
  void collect_factor_names(const ast::Expr& source, Indexes& names) const;
  [[nodiscard]] Indexes partners_of(const ast::Expr& product, const Target& target) const;
  /// How one factor of a product is taken.
  struct Bracket {
    Indexes needed;         ///< names that the other factors and the result need
    bool is_apart = false;  ///< a hidden temp holds it
  };
  [[nodiscard]] Indexes names_in(const ast::Expr& source) const;
  Indexes free_names(const ast::Expr& source, const Indexes& needed);
  std::vector<Indexes> needed_of(const ast::Expr& product, const Indexes& needed);
  std::vector<Bracket> brackets_of(const ast::Expr& product, const Indexes& needed);
  bool is_closed(const ast::Expr& source, const Indexes& needed);
  bool is_fill(const ast::Expr& value, const Block& target, program::Mode mode);
  [[nodiscard]] bool has_bare_factor(const ast::Expr& source) const;
  bool check_outer(const ast::Expr& product, const Indexes& needed, const Indexes& partners);
  [[nodiscard]] bool is_complex(const ast::Expr& source) const;
  void add_part(const ast::Expr& source, const Target& target, checked::Term& term);
  void add_bracket(const ast::Expr& source, program::Part part, const Target& target,
                   checked::Term& term);
  bool check_types(const Block& target, const Terms& terms);
  [[nodiscard]] checked::Type value_type_of(const Block& block) const;
  Terms check_terms(const ast::Expr& source, const Target& target);
  void add_terms(const ast::Expr& source, bool is_negative, const Target& target, Terms& terms);
  void add_product(const ast::Expr& source, bool is_negative, const Target& target, Terms& terms);
  void add_factors(const ast::Expr& source, char op, const Target& target, const Indexes& partners,
                   checked::Term& term);
  void add_number(const ast::Expr& source, char op, const Target& target, checked::Term& term);
  void add_operand(const ast::Expr& source, const Target& target, checked::Term& term);
  void resolve(Terms& terms, const Target& target);
  void resolve_term(checked::Term& term, const Target& target);
  void resolve_operands(checked::Term& term);
  void check_copy(checked::Operand& operand, const Target& target);
  void check_region_copy(const checked::Operand& operand, const Target& target);
  void check_product_names(const checked::Term& term, const Target& target);
  bool check_casts(const checked::Term& term, const Target& target);
  [[nodiscard]] bool have_same_begin(const Indexes& one, const Indexes& other) const;
  [[nodiscard]] bool are_alike(const Terms& terms) const;
  Indexes result_of(checked::Term& term, const Indexes& needed);
  Indexes result_of(Terms& sum, const Indexes& needed);
  void use_part(Indexes& names, Block& block, const Indexes& wanted);

  // Statements (checker_statement.cpp, checker_array.cpp, checker_control.cpp)
  checked::Body check_body(const ast::Body& body);
  void check(const ast::Barrier& what);
  void check(const ast::Do& what);
  void check(const ast::Pardo& what);
  void check(const ast::Section& what);
  void check(const ast::Gpu& what);
  void check(const ast::If& what);
  void check(const ast::Call& what);
  void check(const ast::Leave& what);
  void check(const ast::Assign& what);
  void check(const ast::Get& what);
  void check(const ast::Put& what);
  void check(const ast::Allocate& what);
  void check(const ast::ArrayWide& what);
  void check(const ast::Clear& what);
  void check(const ast::Execute& what);
  void check(const ast::Collective& what);
  void check(const ast::AssertSame& what);
  void check(const ast::Broadcast& what);
  void check(const ast::Persist& what);
  void check(const ast::Print& what);
  void check(const ast::GpuHint& what);
  void assign_name(const ast::Assign& what);
  void assign_block(const ast::Assign& what);
  bool check_repeated_names(const Block& target, const Indexes& names, const Terms& terms);
  bool check_target_names(const Block& target, const Indexes& names, const Terms& terms);
  bool check_region_target(const Block& target, const Terms& terms);
  bool check_argument(const ast::Expr& source, char intent, checked::Argument& argument);
  bool check_clear(const ast::Name& name, const program::ArrayDecl& array);
  bool check_shared(const Block& block, std::string_view verb);
  bool check_whole_block(const Block& block, std::string_view what, std::string hint);
  void check_put_blocks(const ast::Put& what, Block target, program::Mode mode);
  program::Policy policy_of(const ast::Pardo& loop);
  void check_parent(const ast::Name& index, const ast::Name& parent);
  void print_value(const ast::Expr& source, checked::Print& print);
  void emit(auto what) { out_->push_back({statement_->at, std::move(what)}); }

  const std::vector<ast::Unit>& units_;
  Findings& findings_;
  Names names_;
  checked::Unit result_;
  std::size_t unit_ = 0;                       ///< the unit being checked
  const ast::Statement* statement_ = nullptr;  ///< the statement being checked
  checked::Body* out_ = nullptr;               ///< where its checked form goes
  std::vector<const ast::Statement*> loops_;   ///< open loops, outermost first
  std::optional<std::size_t> section_;         ///< loops around the section being checked
  bool is_in_proc_ = false;
  std::string_view without_brackets_;  ///< the code of an error if no hidden temp can be made
  std::map<const ast::Expr*, Indexes> own_names_;  ///< of factors: what is left of each alone
  /// Of the loops of `clear`, by declared index and how many of it the array has before.
  std::map<std::pair<std::int32_t, int>, std::int32_t> clear_indexes_;
  std::set<std::int32_t> broken_arrays_;             ///< declared with an error: no more about them
  std::map<std::string, std::int32_t> shared_ints_;  ///< predefined, by name
  std::map<std::string, std::int32_t> shared_scalars_;   ///< predefined, by name
  std::map<std::string, std::int32_t> shared_arrays_;    ///< predefined, by name
  std::map<std::string, std::int32_t> shared_specials_;  ///< by name and signature
};

}  // namespace blockyard::sial::detail
