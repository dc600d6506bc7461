// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "blockyard/sial/ast.h"

namespace blockyard::sial {
namespace {

using ast::Expr;
using ast::ExprKind;

std::string joined(const std::vector<ast::Name>& names) {
  std::string result;
  for (const auto& name : names) result += (result.empty() ? "" : ",") + name.text;
  return result;
}

int precedence(ExprKind kind) {
  switch (kind) {
    case ExprKind::any:
      return 0;
    case ExprKind::all:
      return 1;
    case ExprKind::not_:
      return 2;
    case ExprKind::relation:
    case ExprKind::exists:
      return 3;
    case ExprKind::sum:
      return 4;
    case ExprKind::product:
      return 5;
    case ExprKind::power:
      return 6;
    case ExprKind::negate:
    case ExprKind::cast:
    case ExprKind::function:
      return 7;
    default:
      return 8;
  }
}

std::string text_of(const Expr& expr);

/// A part, in brackets where it binds weaker than what it stands in.
std::string part_of(const Expr& outer, std::size_t k, bool is_tight) {
  const Expr& part = outer.parts[k];
  const int own = precedence(part.kind);
  const int around = precedence(outer.kind);
  const bool needs_brackets = own < around || (own == around && is_tight);
  return needs_brackets ? "(" + text_of(part) + ")" : text_of(part);
}

std::string chain_of(const Expr& expr) {
  std::string result = part_of(expr, 0, true);
  for (std::size_t k = 1; k < expr.parts.size(); ++k) {
    switch (expr.kind) {
      case ExprKind::any:
        result += " or ";
        break;
      case ExprKind::all:
        result += " and ";
        break;
      case ExprKind::power:
        result += "**";
        break;
      case ExprKind::sum:
        result += fmt::format(" {} ", expr.operators[k - 1]);
        break;
      default:
        result += expr.operators[k - 1];
    }
    result += part_of(expr, k, true);
  }
  return result;
}

std::string text_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::bad:
      return "?";
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::name:
      return expr.text;
    case ExprKind::text:
      return fmt::format("\"{}\"", expr.text);
    case ExprKind::wildcard:
      return "*";
    case ExprKind::range:
      return text_of(expr.parts[0]) + ":" + text_of(expr.parts[1]);
    case ExprKind::block: {
      std::string result = expr.text + "[";
      for (std::size_t k = 0; k < expr.parts.size(); ++k)
        result += (k > 0 ? "," : "") + text_of(expr.parts[k]);
      return result + "]";
    }
    case ExprKind::sum:
    case ExprKind::product:
    case ExprKind::power:
    case ExprKind::all:
    case ExprKind::any:
      return chain_of(expr);
    case ExprKind::negate:
      return "-" + part_of(expr, 0, false);
    case ExprKind::cast:
      return fmt::format("({}){}", expr.text, part_of(expr, 0, false));
    case ExprKind::function:
      return expr.parts.size() == 1 ? fmt::format("{}({})", expr.text, text_of(expr.parts[0]))
                                    : fmt::format("{}({}, {})", expr.text, text_of(expr.parts[0]),
                                                  text_of(expr.parts[1]));
    case ExprKind::relation:
      return fmt::format("{} {} {}", part_of(expr, 0, true), expr.text, part_of(expr, 1, true));
    case ExprKind::not_:
      return "not " + part_of(expr, 0, false);
    case ExprKind::exists:
      return part_of(expr, 0, false) + " exists";
  }
  return "?";
}

/// One line per statement, the statements inside of it below, further in.
class Printer {
 public:
  std::string print(const ast::Unit& unit) {
    line(fmt::format("unit {}", unit.name.text));
    ++depth_;
    for (const auto& import : unit.imports) line(fmt::format("import \"{}\"", import.path));
    for (const auto& declaration : unit.declarations) declare(declaration);
    for (const auto& proc : unit.procs) {
      line(fmt::format("proc {}", proc.name.text));
      body(proc.body);
    }
    line("statements");
    body(unit.body);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void declare(const ast::Declaration& d) {
    std::string text = "declare ";
    for (const auto& modifier : d.modifiers) text += modifier.text + " ";
    text += d.keyword.text + " " + d.name.text;
    if (!d.indexes.empty()) text += "[" + joined(d.indexes) + "]";
    if (d.initial) text += " = " + text_of(*d.initial);
    if (d.first && d.last)
      text += fmt::format(" = {}{}:{}{}", d.first->is_negative ? "-" : "", d.first->text,
                          d.last->is_negative ? "-" : "", d.last->text);
    if (d.parent) text += " of " + d.parent->text;
    if (d.signature) text += " " + d.signature->text;
    line(text);
  }

  void body(const ast::Body& body) {
    ++depth_;
    for (const auto& statement : body) {
      verb_ = statement.verb;
      std::visit([this](const auto& what) { put(what); }, statement.what);
    }
    --depth_;
  }

  void where(const std::vector<Expr>& where) {
    ++depth_;
    for (const auto& condition : where) line("where " + text_of(condition));
    --depth_;
  }

  void put(const ast::Barrier&) { line(verb_); }
  void put(const ast::Do& what) {
    line("do " + what.index.text + (what.parent ? " in " + what.parent->text : ""));
    where(what.where);
    body(what.body);
  }
  void put(const ast::Pardo& what) {
    line("pardo " + joined(what.indexes) + (what.parent ? " in " + what.parent->text : "") +
         (what.pragma ? " \"" + what.pragma->text + "\"" : ""));
    where(what.where);
    body(what.body);
  }
  void put(const ast::Section& what) {
    line("section");
    body(what.body);
  }
  void put(const ast::Gpu& what) {
    line("gpu_on");
    body(what.body);
  }
  void put(const ast::If& what) {
    for (const auto& branch : what.branches) {
      line((&branch == &what.branches.front() ? "if " : "else if ") + text_of(branch.condition));
      body(branch.body);
    }
    if (what.otherwise.empty()) return;
    line("else");
    body(what.otherwise);
  }
  void put(const ast::Call& what) { line("call " + what.proc.text); }
  void put(const ast::Leave& what) { line(verb_ + (what.index ? " " + what.index->text : "")); }
  void put(const ast::Assign& what) {
    line(fmt::format("{} {} {}", text_of(what.target), what.op, text_of(what.value)));
  }
  void put(const ast::Get& what) { line(verb_ + " " + text_of(what.block)); }
  void put(const ast::Put& what) {
    line(fmt::format("{} {} {} {}", verb_, text_of(what.block), what.op, text_of(what.value)));
  }
  void put(const ast::Allocate& what) {
    line(fmt::format("{}{} {}", verb_, what.is_contiguous ? " contiguous" : "",
                     text_of(what.target)));
  }
  void put(const ast::Clear& what) { line("clear " + what.array.text); }
  void put(const ast::ArrayWide& what) { line(verb_ + " " + what.array.text); }
  void put(const ast::Execute& what) {
    std::string text = "execute " + what.special.text;
    for (const auto& argument : what.arguments) text += " " + text_of(argument);
    line(text);
  }
  void put(const ast::Collective& what) {
    line(fmt::format("collective {} {} {}", what.target.text, what.op, text_of(what.value)));
  }
  void put(const ast::AssertSame& what) { line("assert_same " + what.target.text); }
  void put(const ast::Broadcast& what) {
    line(fmt::format("broadcast_from {} {}", text_of(what.worker), what.array.text));
  }
  void put(const ast::Persist& what) {
    line(fmt::format("{} {} \"{}\"", verb_, what.target.text, what.label.text));
  }
  void put(const ast::Print& what) { line(verb_ + " " + text_of(what.value)); }
  void put(const ast::GpuHint& what) {
    line(verb_ + (what.operand ? " " + text_of(*what.operand) : ""));
  }

  std::string text_;
  std::string verb_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print_expression(const ast::Expr& expression) { return text_of(expression); }

std::string print_ast(const ast::Unit& unit) { return Printer().print(unit); }

}  // namespace blockyard::sial
