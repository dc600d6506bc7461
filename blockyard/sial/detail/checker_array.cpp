// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/sial/detail/checker.h"

namespace blockyard::sial::detail {
namespace {

using ast::ExprKind;
using checked::Type;
using program::ArrayKind;
using program::Mode;
using program::SelectorForm;

/// They take whole arrays that are not static.
constexpr std::array<std::string_view, 3> takes_whole = {"blocks_to_list", "list_to_blocks",
                                                         "array_copy"};

}  // namespace

/// Whether `verb` is for the kind of the block's array: get and put for distributed, request and
/// prepare for served ones.
bool Checker::check_shared(const Block& block, std::string_view verb) {
  if (block.selector.array < 0) return false;
  const auto& array = array_of(block);
  const bool is_get = verb == "get" || verb == "request" || verb == "prequest";
  const bool is_for_served = verb != "get" && verb != "put";
  const ArrayKind wanted = is_for_served ? ArrayKind::served : ArrayKind::distributed;
  if (array.kind != wanted) {
    const bool is_shared = array.kind == ArrayKind::distributed || array.kind == ArrayKind::served;
    const std::string_view other =
        is_get ? (is_for_served ? "get" : "request") : (is_for_served ? "put" : "prepare");
    error("array-kind", block.at,
          fmt::format("'{}' of '{}', which is not {}", verb, array.name,
                      is_for_served ? "served" : "distributed"),
          is_shared ? fmt::format("write '{}'", other)
                    : "blocks of this array are at hand without a transfer");
    return false;
  }
  return check_whole_block(block, verb,
                           is_get ? "get the whole block and read the part from it"
                                  : "insert the part into a whole block and put that");
}

/// Whether `what` is of whole blocks: an error if a subindex selects a part.
bool Checker::check_whole_block(const Block& block, std::string_view what, std::string hint) {
  const auto& declared = array_of(block).indexes;
  const auto parent_of = [this](std::int32_t index) {
    return index < 0 ? -1 : result_.indexes[static_cast<std::size_t>(index)].parent;
  };
  for (std::size_t k = 0; k < block.selector.indexes.size(); ++k)
    if (parent_of(block.selector.indexes[k]) >= 0 && parent_of(declared[k]) < 0 &&
        !is_simple(declared[k])) {
      error("part-of-shared-block", block.at, fmt::format("'{}' of a part of a block", what),
            std::move(hint));
      return false;
    }
  return true;
}

void Checker::check(const ast::Get& what) {
  if (what.block.kind != ExprKind::block)
    return error("array-without-indexes", what.block.at,
                 fmt::format("'{}' of a whole array", statement_->verb),
                 "select a block, as in get a[i,j]");
  Block block = check_block(what.block);
  if (check_shared(block, statement_->verb)) emit(checked::Get{std::move(block)});
}

void Checker::check(const ast::Put& what) {
  if (what.block.kind != ExprKind::block)
    return error("array-without-indexes", what.block.at,
                 fmt::format("'{}' to a whole array", statement_->verb),
                 "select a block, as in put a[i,j] = b[i,j]");
  Block target = check_block(what.block);
  if (!check_shared(target, statement_->verb)) return;
  const Mode mode = what.op == "="    ? Mode::set
                    : what.op == "+=" ? Mode::add
                    : what.op == "-=" ? Mode::subtract
                                      : Mode::multiply;
  if (is_fill(what.value, target, mode)) {
    Expr value = check_typed(what.value, value_type_of(target), "the value of the elements");
    if (limit_stack(value)) emit(checked::PutScalar{std::move(target), mode, std::move(value)});
    return;
  }
  check_put_blocks(what, std::move(target), mode);
}

void Checker::check_put_blocks(const ast::Put& what, Block target, Mode mode) {
  const Indexes names = names_of(target);
  if (mode == Mode::multiply)
    return error("elementwise-product", what.value.at,
                 fmt::format("'{} *=' with a block", statement_->verb),
                 "only numbers can multiply a block at its home");
  const std::size_t before = findings_.error_count();
  Terms terms = check_terms(what.value, {names, &target, false});
  if (findings_.error_count() != before || !check_target_names(target, names, terms)) return;
  resolve(terms, {names, &target, false});
  if (!check_types(target, terms)) return;
  emit(checked::Put{std::move(target), mode, std::move(terms)});
}

void Checker::check(const ast::Allocate& what) {
  const ast::Expr& source = what.target;
  if (source.kind == ExprKind::bad) return;
  const std::string& verb = statement_->verb;
  const Symbol* symbol = find({source.text, source.at}, SymbolKind::array);
  if (symbol == nullptr || broken_arrays_.contains(symbol->id)) return;
  const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
  if (array.kind != ArrayKind::local)
    return error("array-kind", source.at,
                 fmt::format("'{}' of '{}', which is not local", verb, array.name),
                 "blocks of other arrays come and go by themselves");
  if (array.is_contiguous != what.is_contiguous)
    return error("contiguous", source.at,
                 array.is_contiguous
                     ? fmt::format("'{}' is contiguous: it has regions", array.name)
                     : fmt::format("'{}' is not contiguous: it has blocks", array.name),
                 fmt::format("write '{} {}{}[...]'", verb, array.is_contiguous ? "contiguous " : "",
                             array.name));
  if (what.is_contiguous && source.kind != ExprKind::block)
    return error("contiguous", source.at, fmt::format("which region of '{}'?", array.name),
                 "write both ends, as in c[1:norb,1:norb]");
  const std::size_t before = findings_.error_count();
  Block blocks = what.is_contiguous ? check_block(source) : check_wildcards(source, symbol->id);
  if (findings_.error_count() == before &&
      (what.is_contiguous || check_whole_block(blocks, verb, "name the index of the whole block")))
    emit(checked::Allocate{verb == "deallocate", std::move(blocks)});
}

void Checker::check(const ast::ArrayWide& what) {
  const std::string& verb = statement_->verb;
  const Symbol* symbol = find(what.array, SymbolKind::array);
  if (symbol == nullptr) return;
  const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
  const ArrayKind wanted = verb == "destroy" ? ArrayKind::served : ArrayKind::distributed;
  if (array.kind != wanted)
    return error("array-kind", what.array.at,
                 fmt::format("'{}' of '{}', which is not {}", verb, array.name,
                             verb == "destroy" ? "served" : "distributed"),
                 array.kind == ArrayKind::served        ? "write 'destroy'"
                 : array.kind == ArrayKind::distributed ? "write 'delete'"
                                                        : "it is for shared arrays");
  emit(checked::ArrayWide{verb != "create", symbol->id});
}

/// Whether the array may stand after `clear` here.
bool Checker::check_clear(const ast::Name& name, const program::ArrayDecl& array) {
  const bool is_shared = array.kind == ArrayKind::distributed || array.kind == ArrayKind::served;
  if (!is_shared && array.kind != ArrayKind::static_) {
    error("array-kind", name.at,
          fmt::format("'clear' of '{}', which is not static, distributed or served", array.name),
          fmt::format("assign to its blocks: {}[{}] = 0.0", array.name, list_of(array.indexes)));
    return false;
  }
  if (array.is_sparse) {
    error("array-kind", name.at, fmt::format("'clear' of '{}', which is sparse", array.name),
          fmt::format("write '{} {}': blocks that do not exist are zero",
                      array.kind == ArrayKind::served ? "destroy" : "delete", array.name));
    return false;
  }
  const auto is_subindex = [this](std::int32_t index) {
    return result_.indexes[static_cast<std::size_t>(index)].parent >= 0;
  };
  if (std::ranges::any_of(array.indexes, is_subindex)) {
    error("array-kind", name.at, fmt::format("'clear' of '{}', which has a subindex", array.name),
          "assign 0.0 to its blocks in loops over the parent and the subindex");
    return false;
  }
  const auto is_pardo = [](const ast::Statement* loop) {
    return std::holds_alternative<ast::Pardo>(loop->what);
  };
  if (is_shared && std::ranges::any_of(loops_, is_pardo)) {
    error("clear-in-pardo", name.at,
          fmt::format("'clear' of the shared array '{}' inside of a pardo", array.name),
          "the workers clear it together: move it before the pardo");
    return false;
  }
  return true;
}

/// Loops over all blocks, with indexes of their own, so that loops around may use those of the
/// declaration. Every worker clears its own static array; a shared one they clear together.
void Checker::check(const ast::Clear& what) {
  const Symbol* symbol = find(what.array, SymbolKind::array);
  if (symbol == nullptr || broken_arrays_.contains(symbol->id)) return;
  const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
  if (!check_clear(what.array, array)) return;
  Block block;
  block.at = what.array.at;
  block.selector.array = symbol->id;
  for (const std::int32_t declared : array.indexes) {
    // The second index of a[i,i] is another one than the first.
    std::pair<std::int32_t, int> key{declared, 0};
    const auto id = static_cast<std::int32_t>(result_.indexes.size());
    auto own = clear_indexes_.emplace(key, id);
    while (std::ranges::count(block.selector.indexes, own.first->second) > 0) {
      ++key.second;
      own = clear_indexes_.emplace(key, id);
    }
    block.selector.indexes.push_back(own.first->second);
    if (!own.second) continue;
    program::IndexDecl made = result_.indexes[static_cast<std::size_t>(declared)];
    made.name = fmt::format("${}.{}", made.name, id);
    result_.indexes.push_back(std::move(made));
  }
  const Indexes indexes = block.selector.indexes;
  const ast::Expr zero{ExprKind::real, what.array.at, "0.0", {}, {}};
  Expr value = check_typed(zero, value_type_of(block), "zero");
  if (array.kind != ArrayKind::static_) {
    checked::Pardo loop{indexes, program::Policy::static_, {}, {}};
    loop.body.push_back(
        {statement_->at, checked::PutScalar{std::move(block), Mode::set, std::move(value)}});
    return emit(std::move(loop));
  }
  checked::Statement inner{statement_->at,
                           checked::Fill{std::move(block), Mode::set, std::move(value)}};
  for (const std::int32_t index : indexes) {
    checked::Do loop{index, {}, {}};
    loop.body.push_back(std::move(inner));
    inner = {statement_->at, std::move(loop)};
  }
  out_->push_back(std::move(inner));
}

void Checker::check(const ast::Execute& what) {
  const Symbol* symbol = find(what.special, SymbolKind::special);
  if (symbol == nullptr) return;
  const std::string signature = result_.specials[static_cast<std::size_t>(symbol->id)].signature;
  if (signature.size() != what.arguments.size())
    return error("argument-count", what.special.at,
                 fmt::format("'{}' takes {} arguments, not {}", what.special.text, signature.size(),
                             what.arguments.size()),
                 fmt::format("it is declared: special {} {}", what.special.text, signature));
  checked::Execute execute;
  execute.special = symbol->id;
  bool is_good = true;
  for (std::size_t k = 0; k < what.arguments.size(); ++k) {
    checked::Argument argument;
    argument.at = what.arguments[k].at;
    is_good = check_argument(what.arguments[k], signature.empty() ? 'r' : signature[k], argument) &&
              is_good;
    execute.arguments.push_back(std::move(argument));
  }
  if (is_good) emit(std::move(execute));
}

bool Checker::check_argument(const ast::Expr& source, char intent, checked::Argument& argument) {
  using program::ArgumentKind;
  if (source.kind == ExprKind::block) {
    argument.block.push_back(check_block(source));
    return argument.block.front().selector.array >= 0;
  }
  const bool is_negative = source.kind == ExprKind::negate;
  const ast::Expr& number = is_negative ? source.parts.front() : source;
  if (number.kind == ExprKind::real) {
    argument.kind = ArgumentKind::literal;
    argument.literal = check_number(number).real * (is_negative ? -1 : 1);
    if (intent == 'r') return true;
    error("argument-kind", source.at, "the super instruction writes to this argument",
          "give it a scalar instead of a number");
    return false;
  }
  if (source.kind != ExprKind::name) {
    error("argument-kind", source.at, "this cannot be an argument of a super instruction",
          "blocks, scalars, ints, static arrays and numbers like 1.0 can");
    return false;
  }
  const ast::Name name{source.text, source.at};
  const Symbol* symbol = names_.find(unit_, name, "name");
  if (symbol == nullptr) return false;
  argument.id = symbol->id;
  switch (symbol->kind) {
    case SymbolKind::scalar:
      argument.kind = ArgumentKind::scalar;
      return true;
    case SymbolKind::int_:
      argument.kind = ArgumentKind::int_name;
      return true;
    case SymbolKind::array:
      break;
    default:
      error("argument-kind", source.at,
            fmt::format("'{}' is {} and cannot be an argument", source.text,
                        with_article(detail::name_of(symbol->kind))),
            "blocks, scalars, ints, static arrays and numbers like 1.0 can");
      return false;
  }
  argument.block.push_back(check_whole(name, symbol->id));
  const auto& array = result_.arrays[static_cast<std::size_t>(symbol->id)];
  const auto& special = std::get<ast::Execute>(statement_->what).special.text;
  const bool is_shared = array.kind == ArrayKind::distributed || array.kind == ArrayKind::served;
  if (array.kind == ArrayKind::static_ ||
      (is_shared &&
       std::find(takes_whole.begin(), takes_whole.end(), special) != takes_whole.end()))
    return true;
  error("array-without-indexes", source.at,
        fmt::format("'{}' is not static: only its blocks can be arguments", array.name),
        fmt::format("select a block: {}[{}]", array.name, list_of(array.indexes)));
  return false;
}

}  // namespace blockyard::sial::detail
