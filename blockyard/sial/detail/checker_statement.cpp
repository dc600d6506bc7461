// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/sial/detail/checker.h"

namespace blockyard::sial::detail {
namespace {

using ast::ExprKind;
using checked::Type;
using program::Mode;

Mode mode_of(std::string_view op) {
  if (op == "+=") return Mode::add;
  if (op == "-=") return Mode::subtract;
  if (op == "*=") return Mode::multiply;
  return Mode::set;
}

}  // namespace

void Checker::check(const ast::Assign& what) {
  if (what.target.kind == ExprKind::block)
    assign_block(what);
  else if (what.target.kind == ExprKind::name)
    assign_name(what);
}

void Checker::assign_name(const ast::Assign& what) {
  const Mode mode = mode_of(what.op);
  const ast::Name name{what.target.text, what.target.at};
  const Symbol* symbol = names_.find(unit_, name, "name");
  const auto value_of = [&](Type type) {
    return check_typed(what.value, type, fmt::format("the value of '{}'", name.text));
  };
  if (symbol == nullptr) {
    static_cast<void>(check_value(what.value));
    return;
  }
  switch (symbol->kind) {
    case SymbolKind::int_: {
      Expr value = value_of(Type::int_);
      if (limit_stack(value)) emit(checked::StoreInt{symbol->id, mode, std::move(value)});
      break;
    }
    case SymbolKind::scalar: {
      const bool is_complex = result_.scalars[static_cast<std::size_t>(symbol->id)].is_complex;
      Expr value = value_of(is_complex ? Type::complex : Type::scalar);
      if (limit_stack(value)) emit(checked::StoreScalar{symbol->id, mode, std::move(value)});
      break;
    }
    case SymbolKind::index:
      error("assign-to-index", name.at, fmt::format("'{}' is an index", name.text),
            "only its loop gives an index a value");
      break;
    case SymbolKind::array:
      error("array-without-indexes", name.at, fmt::format("'{}' is a whole array", name.text),
            fmt::format("assign to its blocks: {}[{}]", name.text,
                        list_of(result_.arrays[static_cast<std::size_t>(symbol->id)].indexes)));
      break;
    default:
      error("wrong-kind-of-name", name.at,
            fmt::format("'{}' is {} and cannot be assigned to", name.text,
                        with_article(detail::name_of(symbol->kind))),
            {});
  }
}

void Checker::assign_block(const ast::Assign& what) {
  const Mode mode = mode_of(what.op);
  Block target = check_block(what.target);
  if (target.selector.array < 0) {
    if (!has_block(what.value, {})) static_cast<void>(check_value(what.value));
    return;
  }
  Indexes names = names_of(target);
  if (is_fill(what.value, target, mode)) {
    Expr value = check_typed(what.value, value_type_of(target), "the value of the elements");
    if (limit_stack(value)) emit(checked::Fill{std::move(target), mode, std::move(value)});
    return;
  }
  if (mode == Mode::multiply)
    return error("elementwise-product", what.value.at, "'*=' with a block",
                 "elementwise products in place are not supported; write a[i,j] = a[i,j]*b[i,j]");
  const std::size_t before = findings_.error_count();
  Terms terms = check_terms(what.value, {names, &target, false});
  if (findings_.error_count() != before || !check_types(target, terms)) return;
  if (mode == Mode::set && check_repeated_names(target, names, terms))
    return emit(checked::Update{std::move(target), mode, std::move(terms)});
  if (!check_target_names(target, names, terms)) return;
  if (are_alike(terms)) use_part(names, target, terms.front().operands.front().indexes);
  resolve(terms, {names, &target, false});
  if (target.selector.form == program::SelectorForm::region && !check_region_target(target, terms))
    return;
  emit(checked::Update{std::move(target), mode, std::move(terms)});
}

/// A region takes copies only, and, since it has no names for a hidden temp, none of itself after
/// the first term.
bool Checker::check_region_target(const Block& target, const Terms& terms) {
  for (const auto& term : terms) {
    if (term.operands.size() > 1) {
      error("region-in-product", target.at, "a product is assigned to a contiguous region",
            "compute it into a temp block, and copy that");
      return false;
    }
    if (&term != &terms.front() && !term.operands.empty() &&
        term.operands.front().block.selector.array == target.selector.array) {
      error("region-reads-itself", term.at, "a later term reads the array that is assigned to",
            "copy it to a temp block before");
      return false;
    }
  }
  return true;
}

void Checker::check(const ast::Collective& what) {
  const Symbol* symbol = find(what.target, SymbolKind::scalar);
  if (what.op != "+=")
    error("collective", what.target.at, fmt::format("'collective' with '{}'", what.op),
          "the one collective operation is x += value");
  const bool is_complex =
      symbol != nullptr && result_.scalars[static_cast<std::size_t>(symbol->id)].is_complex;
  Expr value = check_typed(what.value, is_complex ? Type::complex : Type::scalar, "what is summed");
  if (symbol != nullptr && limit_stack(value))
    emit(checked::Collective{symbol->id, std::move(value)});
}

void Checker::check(const ast::AssertSame& what) {
  const Symbol* symbol = find(what.target, SymbolKind::scalar);
  if (symbol != nullptr) emit(checked::AssertSame{symbol->id});
}

void Checker::check(const ast::Broadcast& what) {
  Expr worker = check_typed(what.worker, Type::int_, "the number of the worker");
  if (!limit_stack(worker)) return;
  const Symbol* symbol = find(what.array, SymbolKind::array);
  if (symbol == nullptr) return;
  const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
  if (array.kind != program::ArrayKind::static_)
    return error("array-kind", what.array.at, fmt::format("'{}' is not static", array.name),
                 "only static arrays are broadcast");
  emit(checked::Broadcast{symbol->id, std::move(worker)});
}

void Checker::check(const ast::Persist& what) {
  Symbol* symbol = names_.find(unit_, what.target, "array or scalar");
  if (symbol == nullptr) return;
  checked::Persist persist;
  persist.is_restore = statement_->verb == "restore_persistent";
  persist.id = symbol->id;
  persist.label = what.label.text;
  bool is_predefined = false;
  if (symbol->kind == SymbolKind::scalar) {
    is_predefined = result_.scalars[static_cast<std::size_t>(symbol->id)].is_predefined;
  } else if (symbol->kind == SymbolKind::array) {
    const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
    persist.is_array = true;
    is_predefined = array.is_predefined;
    if (array.kind == program::ArrayKind::temp || array.kind == program::ArrayKind::local)
      return error("array-kind", what.target.at,
                   fmt::format("'{}' is temp or local and cannot be kept", array.name),
                   "static, distributed and served arrays are kept");
  } else {
    return error("wrong-kind-of-name", what.target.at,
                 fmt::format("'{}' is {} and cannot be kept", what.target.text,
                             with_article(detail::name_of(symbol->kind))),
                 "arrays and scalars are kept");
  }
  if (is_predefined)
    return error("persistent-predefined", what.target.at,
                 fmt::format("'{}' is predefined: the job gives its value", what.target.text),
                 "keep a copy under another name");
  emit(std::move(persist));
}

void Checker::check(const ast::GpuHint& what) {
  // Accepted for old programs: where data live is the runtime's business.
  if (what.operand && what.operand->kind == ExprKind::name)
    static_cast<void>(names_.find(unit_, {what.operand->text, what.operand->at}, "name"));
  else if (what.operand && what.operand->kind == ExprKind::block)
    static_cast<void>(check_block(*what.operand));
}

void Checker::check(const ast::Print& what) {
  const ast::Expr& source = what.value;
  checked::Print print;
  print.newlines = statement_->verb == "println" ? 1 : 0;
  if (source.kind == ExprKind::text) {
    print.kind = checked::PrintKind::text;
    print.text = source.text;
    return emit(std::move(print));
  }
  const std::size_t before = findings_.error_count();
  print_value(source, print);
  if (findings_.error_count() == before) emit(std::move(print));
}

void Checker::print_value(const ast::Expr& source, checked::Print& print) {
  using checked::PrintKind;
  if (source.kind == ExprKind::name) {
    const Symbol* symbol = names_.find(unit_, {source.text, source.at}, "name");
    if (symbol == nullptr) return;
    print.id = symbol->id;
    switch (symbol->kind) {
      case SymbolKind::int_:
        print.kind = PrintKind::int_name;
        return;
      case SymbolKind::scalar:
        print.kind = PrintKind::scalar;
        return;
      case SymbolKind::index:
        print.kind = PrintKind::index;
        return;
      case SymbolKind::array: {
        print.kind = PrintKind::array;
        const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
        if (array.kind != program::ArrayKind::static_)
          error("array-without-indexes", source.at,
                fmt::format("only blocks of '{}' can be printed", array.name),
                fmt::format("print {}[{}]; whole arrays are printed if they are static", array.name,
                            list_of(array.indexes)));
        return;
      }
      default:
        return error("wrong-kind-of-name", source.at,
                     fmt::format("'{}' is {} and cannot be printed", source.text,
                                 with_article(detail::name_of(symbol->kind))),
                     {});
    }
  }
  if (source.kind == ExprKind::block) {
    print.kind = PrintKind::block;
    print.block.push_back(check_block(source));
    return;
  }
  Expr value = check_value(source);
  if (value.type == Type::bad || !limit_stack(value)) return;
  if (value.type == Type::truth)
    return error("type", source.at, "a condition cannot be printed", "use 'if' and print a text");
  print.kind = value.type == Type::int_ ? PrintKind::int_ : PrintKind::value;
  print.value.push_back(std::move(value));
}

}  // namespace blockyard::sial::detail
