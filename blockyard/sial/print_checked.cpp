// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "blockyard/sial/checked.h"

namespace blockyard::sial {
namespace {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::Term;

std::string_view sign_of(program::Mode mode) {
  constexpr std::array<std::string_view, 4> signs = {"=", "+=", "-=", "*="};
  return signs[static_cast<std::size_t>(mode)];
}

std::string_view sign_of(program::Relation relation) {
  constexpr std::array<std::string_view, 6> signs = {"<", ">", "<=", ">=", "==", "!="};
  return signs[static_cast<std::size_t>(relation)];
}

/// Expressions with all brackets, blocks as sums of products in braces.
class Printer {
 public:
  explicit Printer(const checked::Unit& unit) : unit_(unit) {}

  std::string print() {
    line(fmt::format("program {}", unit_.name));
    body(unit_.body);
    for (const auto& proc : unit_.procs) {
      line(fmt::format("proc {}{}", proc.name, proc.is_reachable ? "" : " (never called)"));
      body(proc.body);
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }

  [[nodiscard]] const std::string& index(std::int32_t id) const {
    return unit_.indexes[static_cast<std::size_t>(id)].name;
  }
  [[nodiscard]] const std::string& array(std::int32_t id) const {
    return unit_.arrays[static_cast<std::size_t>(id)].name;
  }
  [[nodiscard]] const std::string& scalar(std::int32_t id) const {
    return unit_.scalars[static_cast<std::size_t>(id)].name;
  }

  [[nodiscard]] std::string of(const Block& block) const {
    if (block.selector.form == program::SelectorForm::whole) return array(block.selector.array);
    std::string result = array(block.selector.array) + "[";
    std::size_t range = 0;
    for (std::size_t k = 0; k < block.selector.indexes.size(); ++k) {
      const std::int32_t position = block.selector.indexes[k];
      result += k > 0 ? "," : "";
      if (position >= 0) {
        result += index(position);
      } else if (range + 1 < block.ranges.size()) {
        result += of(block.ranges[range]) + ":" + of(block.ranges[range + 1]);
        range += 2;
      } else {
        result += "*";
      }
    }
    return result + "]";
  }

  [[nodiscard]] std::string of(const std::vector<Term>& terms) const {
    std::string result = "{";
    for (const auto& term : terms) {
      result += term.is_negative ? " -" : " +";
      for (const auto& factor : term.factor) result += " " + of(factor) + " *";
      for (std::size_t k = 0; k < term.operands.size(); ++k) {
        const auto& operand = term.operands[k];
        result += k > 0 ? " * " : " ";
        result += operand.sum.empty() ? of(operand.block) : of(operand.sum);
      }
    }
    return result + " }";
  }

  [[nodiscard]] std::string of(const Expr& expr) const {
    switch (expr.kind) {
      case ExprKind::bad:
        return "?";
      case ExprKind::integer:
        return fmt::format("{}", expr.number);
      case ExprKind::literal:
        return fmt::format("{}", expr.real);
      case ExprKind::int_name:
        return unit_.ints[static_cast<std::size_t>(expr.id)].name;
      case ExprKind::scalar:
        return scalar(expr.id);
      case ExprKind::index:
        return index(expr.id);
      case ExprKind::block:
        return of(expr.blocks[0]);
      case ExprKind::contraction:
        return "contract" + of(expr.terms);
      case ExprKind::negate:
        return "-" + of(expr.parts[0]);
      case ExprKind::to_scalar:
        return "scalar(" + of(expr.parts[0]) + ")";
      case ExprKind::to_int:
        return "int(" + of(expr.parts[0]) + ")";
      case ExprKind::square_root:
        return "sqrt(" + of(expr.parts[0]) + ")";
      case ExprKind::absolute:
        return "abs(" + of(expr.parts[0]) + ")";
      case ExprKind::make_complex:
        return "complex(" + of(expr.parts[0]) +
               (expr.parts.size() > 1 ? ", " + of(expr.parts[1]) : "") + ")";
      case ExprKind::real_part:
        return "real(" + of(expr.parts[0]) + ")";
      case ExprKind::imaginary_part:
        return "imag(" + of(expr.parts[0]) + ")";
      case ExprKind::conjugate:
        return "conj(" + of(expr.parts[0]) + ")";
      case ExprKind::not_:
        return "not " + of(expr.parts[0]);
      case ExprKind::exists:
        return of(expr.blocks[0]) + " exists";
      default:
        return chain(expr);
    }
  }

  [[nodiscard]] std::string chain(const Expr& expr) const {
    std::string result = "(" + of(expr.parts[0]);
    for (std::size_t k = 1; k < expr.parts.size(); ++k) {
      switch (expr.kind) {
        case ExprKind::relation:
          result += fmt::format(" {} ", sign_of(expr.relation));
          break;
        case ExprKind::all:
          result += " and ";
          break;
        case ExprKind::any:
          result += " or ";
          break;
        case ExprKind::power:
          result += " ** ";
          break;
        default:
          result += fmt::format(" {} ", expr.operators[k - 1]);
      }
      result += of(expr.parts[k]);
    }
    return result + ")";
  }

  void body(const checked::Body& body) {
    ++depth_;
    for (const auto& statement : body)
      std::visit([this](const auto& what) { put(what); }, statement.what);
    --depth_;
  }

  void where(const std::vector<Expr>& where) {
    ++depth_;
    for (const auto& condition : where) line("where " + of(condition));
    --depth_;
  }

  void put(const checked::Barrier&) { line("barrier"); }
  void put(const checked::Do& what) {
    line("do " + index(what.index));
    where(what.where);
    body(what.body);
  }
  void put(const checked::Pardo& what) {
    constexpr std::array<std::string_view, 7> policies = {
        "", " sequential", " static", " balanced", " dynamic", " every worker", " locality"};
    std::string names;
    for (const auto id : what.indexes) names += (names.empty() ? "" : ",") + index(id);
    line(fmt::format("pardo {}{}", names, policies[static_cast<std::size_t>(what.policy)]));
    where(what.where);
    body(what.body);
  }
  void put(const checked::Section& what) {
    line("section");
    body(what.body);
  }
  void put(const checked::Gpu& what) {
    line("gpu");
    body(what.body);
  }
  void put(const checked::If& what) {
    for (const auto& branch : what.branches) {
      line("if " + of(branch.condition));
      body(branch.body);
    }
    line("else");
    body(what.otherwise);
  }
  void put(const checked::Call& what) { line("call " + unit_.procs[what.proc].name); }
  void put(const checked::Leave& what) {
    constexpr std::array<std::string_view, 4> verbs = {"exit", "cycle", "return", "stop"};
    line(fmt::format("{} loops {}", verbs[static_cast<std::size_t>(what.kind)], what.loops));
  }
  void put(const checked::StoreInt& what) {
    line(fmt::format("{} {} {}", unit_.ints[static_cast<std::size_t>(what.id)].name,
                     sign_of(what.mode), of(what.value)));
  }
  void put(const checked::StoreScalar& what) {
    line(fmt::format("{} {} {}", scalar(what.id), sign_of(what.mode), of(what.value)));
  }
  void put(const checked::Fill& what) {
    line(fmt::format("fill {} {} {}", of(what.target), sign_of(what.mode), of(what.value)));
  }
  void put(const checked::Update& what) {
    line(fmt::format("{} {} {}", of(what.target), sign_of(what.mode), of(what.terms)));
  }
  void put(const checked::Get& what) { line("get " + of(what.block)); }
  void put(const checked::Put& what) {
    line(fmt::format("put {} {} {}", of(what.target), sign_of(what.mode), of(what.terms)));
  }
  void put(const checked::PutScalar& what) {
    line(fmt::format("put {} {} {}", of(what.target), sign_of(what.mode), of(what.value)));
  }
  void put(const checked::Allocate& what) {
    line(fmt::format("{} {}", what.is_removal ? "deallocate" : "allocate", of(what.blocks)));
  }
  void put(const checked::ArrayWide& what) {
    line(fmt::format("{} {}", what.is_removal ? "delete" : "create", array(what.array)));
  }
  void put(const checked::Execute& what) {
    std::string text = "execute " + unit_.specials[static_cast<std::size_t>(what.special)].name;
    for (const auto& argument : what.arguments) {
      switch (argument.kind) {
        case program::ArgumentKind::selector:
          text += " " + of(argument.block.front());
          break;
        case program::ArgumentKind::scalar:
          text += " " + scalar(argument.id);
          break;
        case program::ArgumentKind::int_name:
          text += " " + unit_.ints[static_cast<std::size_t>(argument.id)].name;
          break;
        case program::ArgumentKind::literal:
          text += fmt::format(" {}", argument.literal);
          break;
      }
    }
    line(text);
  }
  void put(const checked::Collective& what) {
    line(fmt::format("collective {} += {}", scalar(what.scalar), of(what.value)));
  }
  void put(const checked::AssertSame& what) { line("assert_same " + scalar(what.scalar)); }
  void put(const checked::Broadcast& what) {
    line(fmt::format("broadcast_from {} {}", of(what.worker), array(what.array)));
  }
  void put(const checked::Persist& what) {
    line(fmt::format("{} {} \"{}\"", what.is_restore ? "restore_persistent" : "set_persistent",
                     what.is_array ? array(what.id) : scalar(what.id), what.label));
  }
  void put(const checked::Print& what) {
    using checked::PrintKind;
    std::string text;
    switch (what.kind) {
      case PrintKind::text:
        text = fmt::format("\"{}\"", what.text);
        break;
      case PrintKind::int_name:
        text = unit_.ints[static_cast<std::size_t>(what.id)].name;
        break;
      case PrintKind::scalar:
        text = scalar(what.id);
        break;
      case PrintKind::index:
        text = index(what.id);
        break;
      case PrintKind::array:
        text = array(what.id);
        break;
      case PrintKind::block:
        text = of(what.block.front());
        break;
      case PrintKind::int_:
      case PrintKind::value:
        text = of(what.value.front());
        break;
    }
    line("print " + text);
  }

  const checked::Unit& unit_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print_checked(const checked::Unit& unit) { return Printer(unit).print(); }

}  // namespace blockyard::sial
