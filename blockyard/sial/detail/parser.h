// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/sial/ast.h"
#include "blockyard/sial/token.h"

namespace blockyard::sial::detail {

/// A recursive-descent parser over the tokens of one file. The first error of a line is reported,
/// the rest of that line is left out.
class Parser {
 public:
  Parser(const Tokens& tokens, Findings& findings);
  ast::Unit parse_unit();

 private:
  /// Brackets, blocks and signs within each other: more is refused, so that no input can exhaust
  /// the stack of this or a later stage.
  static constexpr int most_depth = 100;

  // Tokens (parser.cpp)
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  const Token& next();
  [[nodiscard]] bool at_line_end() const;
  [[nodiscard]] bool at_end() const;
  bool accept_symbol(std::string_view text);
  bool accept_name(std::string_view text);
  bool expect_symbol(std::string_view text, std::string_view where);
  ast::Name expect_name(std::string_view what);
  void fail(std::string_view code, Place at, std::string message, std::string hint = {});
  void unexpected(std::string_view wanted, std::string hint = {});
  void skip_line();
  void end_line();
  void skip_empty_lines();
  [[nodiscard]] bool is_variable(const Token& token) const;
  [[nodiscard]] bool is_old_print(const Token& token) const;

  // Expressions (parser_expression.cpp). A condition is an expression of the lowest precedence.
  ast::Expr parse_expression();
  ast::Expr parse_condition();
  ast::Expr parse_any();
  ast::Expr parse_all();
  ast::Expr parse_not();
  ast::Expr parse_relation();
  ast::Expr parse_sum();
  ast::Expr parse_product();
  ast::Expr parse_power();
  ast::Expr parse_unary();
  ast::Expr parse_complex();
  ast::Expr parse_primary();
  ast::Expr parse_name();
  ast::Expr parse_positions(const Token& array);
  ast::Expr parse_position();
  [[nodiscard]] bool at_cast() const;

  // Declarations (parser_declaration.cpp)
  [[nodiscard]] bool at_declaration() const;
  void parse_import();
  void parse_declaration();
  void parse_value_declaration(ast::Declaration& declaration);
  void parse_index(ast::Declaration& declaration);
  void parse_array(ast::Declaration& declaration);
  ast::Bound parse_bound();
  void parse_proc();

  // Statements (parser_statement.cpp, parser_control.cpp)
  ast::Body parse_body(std::string_view closer);
  bool at_closer(std::string_view closer);
  void parse_statement(ast::Body& body);
  bool parse_control(ast::Statement& statement);
  bool parse_foreign_loop(ast::Statement& statement);
  void parse_while(ast::Statement& statement);
  void replace_foreign_declaration();
  void replace_foreign_end(std::string_view innermost);
  bool parse_simple(ast::Statement& statement);
  void parse_assignment(ast::Statement& statement);
  void parse_do(ast::Statement& statement);
  void parse_pardo(ast::Statement& statement);
  void parse_if(ast::Statement& statement);
  ast::Body parse_plain_block(std::string_view closer);
  std::vector<ast::Expr> parse_where();
  void parse_loop_end(std::string_view closer, const std::vector<ast::Name>& indexes,
                      const std::optional<ast::Name>& parent, Place opened);
  void expect_closer(std::string_view closer, Place opened, std::string_view opener);
  std::string parse_operator();
  void parse_transfer(ast::Statement& statement);
  void parse_allocate(ast::Statement& statement);
  void parse_execute(ast::Statement& statement);
  void parse_print(ast::Statement& statement);

  Tokens tokens_;  ///< without comments
  Findings& findings_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool has_failed_ = false;        ///< an error on this line was reported
  std::vector<std::string> open_;  ///< closers of the open blocks, outermost first
  std::set<std::string, std::less<>> declared_;
  ast::Unit unit_;
};

/// Words that no name may have.
[[nodiscard]] bool is_reserved(std::string_view word) noexcept;
[[nodiscard]] std::span<const std::string_view> reserved_words() noexcept;

}  // namespace blockyard::sial::detail
