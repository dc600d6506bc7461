// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/program/detail/rules.h"

namespace blockyard::program::detail {
namespace {

/// One instruction against its line of the table, and the rules that a line cannot say.
class Operands {
 public:
  Operands(const Program& program, std::size_t pc)
      : p_(program), pc_(pc), at_(program.code[pc]), row_(row_of(at_.opcode)) {}

  void verify() {
    const std::array<std::int32_t, 3> values = {at_.a, at_.b, at_.c};
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!is_in_range(row_.operands[k], values[k]))
        bad(fmt::format("operand {} is {}, beyond its table or range", "abc"[k], values[k]));
    verify_forms();
    verify_parts();
    verify_types();
    verify_arrays();
    verify_values();
  }

 private:
  bool is_in_range(OperandKind kind, std::int32_t value) const {
    switch (kind) {
      case OperandKind::none:
        return value == 0;
      case OperandKind::integer:
        return true;
      case OperandKind::literal:
        return is_entry(value, p_.literals.size());
      case OperandKind::text:
        return is_entry(value, p_.texts.size());
      case OperandKind::target:
        return is_entry(value, p_.code.size());
      case OperandKind::int_name:
        return is_entry(value, p_.ints.size());
      case OperandKind::scalar:
        return is_entry(value, p_.scalars.size());
      case OperandKind::index:
        return is_entry(value, p_.indexes.size());
      case OperandKind::array:
        return is_entry(value, p_.arrays.size());
      case OperandKind::selector:
        return is_entry(value, p_.selectors.size());
      case OperandKind::product:
        return is_entry(value, p_.products.size());
      case OperandKind::pardo:
        return is_entry(value, p_.pardos.size());
      case OperandKind::special:
        return is_entry(value, p_.specials.size());
      case OperandKind::argument:
        return is_entry(value, p_.arguments.size() + 1);
      case OperandKind::count:
        return value >= 0 && value <= 1000;
      case OperandKind::mode:
        return is_entry(value, 4);
      case OperandKind::relation:
        return is_entry(value, 6);
      case OperandKind::number:
        return is_entry(value, 2);
      case OperandKind::flags:
        return (value & ~all_flags) == 0;
    }
    return false;
  }

  /// The forms of selector that each opcode takes.
  void verify_forms() {
    const auto whole_block = [this](std::int32_t selector) {
      const Selector& selected = entry(p_.selectors, selector);
      if (selected.form != SelectorForm::block) bad("a selector of the wrong form");
      for (std::size_t k = 0; k < selected.indexes.size(); ++k)
        if (is_slice(p_, selected, k)) bad("a part of a block cannot be sent");
    };
    const auto wanted = [this](std::int32_t selector, std::initializer_list<SelectorForm> forms) {
      if (std::ranges::find(forms, entry(p_.selectors, selector).form) == forms.end())
        bad("a selector of the wrong form");
    };
    using enum SelectorForm;
    switch (at_.opcode) {
      case Opcode::exists:
      case Opcode::get:
      case Opcode::put_scalar:
        whole_block(at_.a);
        break;
      case Opcode::put:
        whole_block(at_.a);
        wanted(at_.b, {block});
        break;
      case Opcode::push_block:
      case Opcode::block_product:
        wanted(at_.a, {block});
        break;
      case Opcode::block_copy:
        wanted(at_.a, {block, region});
        wanted(at_.b, {block, region});
        break;
      case Opcode::block_fill:
      case Opcode::print_block:
        wanted(at_.a, {block, region});
        break;
      case Opcode::bind_region:
      case Opcode::allocate_region:
      case Opcode::deallocate_region:
        wanted(at_.a, {region});
        break;
      case Opcode::allocate:
      case Opcode::deallocate:
        wanted(at_.a, {every});
        break;
      default:
        break;
    }
  }

  /// conj, real and imag are of what is read: of the source of a copy, a factor, a number.
  void verify_parts() {
    const std::array<std::int32_t, 3> values = {at_.a, at_.b, at_.c};
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool may_be_part =
          (at_.opcode == Opcode::block_copy && k == 1) ||
          ((at_.opcode == Opcode::push_block || at_.opcode == Opcode::bind_region) && k == 0);
      if (row_.operands[k] == OperandKind::selector && !may_be_part &&
          entry(p_.selectors, values[k]).part != Part::all)
        bad("a part of the elements where whole ones are needed");
    }
  }

  /// Complex elements never become real ones unsaid; what is sent has the type of its array.
  void verify_types() {
    if (at_.opcode != Opcode::block_copy && at_.opcode != Opcode::block_product &&
        at_.opcode != Opcode::put)
      return;
    const auto to = type_of(p_, entry(p_.selectors, at_.a));
    const auto from = at_.opcode == Opcode::block_product
                          ? type_of(p_, entry(p_.products, at_.b), ElementType::f64)
                          : type_of(p_, entry(p_.selectors, at_.b));
    if (array::is_complex(from) && !array::is_complex(to))
      bad("complex elements are assigned to real ones");
    if (at_.opcode == Opcode::put && from != to) bad("the two sides of a put differ in type");
  }

  /// The kinds of array that each opcode takes.
  void verify_arrays() {
    switch (at_.opcode) {
      case Opcode::get:
      case Opcode::put:
      case Opcode::put_scalar:
        if (!is_shared(entry(p_.selectors, at_.a).array))
          bad("a transfer of an array that is neither distributed nor served");
        break;
      case Opcode::exists: {
        const auto array = entry(p_.selectors, at_.a).array;
        if (!is_shared(array) || !entry(p_.arrays, array).is_sparse)
          bad("'exists' of an array that is not a sparse distributed or served one");
        break;
      }
      case Opcode::create_array:
      case Opcode::delete_array:
        if (!is_shared(at_.a)) bad("an array that is neither distributed nor served");
        break;
      case Opcode::broadcast:
      case Opcode::print_array:
        if (!is_static(at_.a)) bad("an array that is not static");
        break;
      case Opcode::persist_array:
      case Opcode::restore_array:
        if ((!is_shared(at_.a) && !is_static(at_.a)) || entry(p_.arrays, at_.a).is_predefined)
          bad("an array that cannot outlive the program");
        break;
      case Opcode::persist_scalar:
      case Opcode::restore_scalar:
        if (entry(p_.scalars, at_.a).is_predefined) bad("a predefined scalar cannot be kept");
        break;
      default:
        break;
    }
  }

  void verify_values() {
    switch (at_.opcode) {
      case Opcode::put:
        if (static_cast<Mode>(at_.c) == Mode::multiply) bad("a put cannot multiply by a block");
        verify_names(at_.a, at_.b, true);
        break;
      case Opcode::put_scalar:
        if (static_cast<Mode>(at_.b) == Mode::subtract) bad("a put cannot subtract a scalar");
        break;
      case Opcode::block_copy:
        verify_names(at_.a, at_.b, false);
        break;
      case Opcode::block_product:
        if (!suits(p_, entry(p_.products, at_.b), entry(p_.selectors, at_.a).indexes))
          bad("the names of the product are not those of the result");
        break;
      case Opcode::push_product:
        if (!suits(p_, entry(p_.products, at_.a), {})) bad("the product is not fully contracted");
        break;
      case Opcode::execute:
        verify_execute();
        break;
      case Opcode::print_int:
      case Opcode::print_value:
        verify_newlines(at_.a);
        break;
      case Opcode::print_text:
      case Opcode::print_int_name:
      case Opcode::print_scalar:
      case Opcode::print_index:
      case Opcode::print_block:
      case Opcode::print_array:
        verify_newlines(at_.b);
        break;
      case Opcode::pardo_begin:
        verify_pardo();
        break;
      default:
        break;
    }
  }

  void verify_newlines(std::int32_t count) {
    if (count < 0 || count > 1) bad("more newlines than one");
  }

  void verify_names(std::int32_t to, std::int32_t from, bool in_order) {
    const Selector& left = entry(p_.selectors, to);
    const Selector& right = entry(p_.selectors, from);
    const bool has_region = left.form == SelectorForm::region || right.form == SelectorForm::region;
    if (has_region ? left.indexes.size() != right.indexes.size()
                   : !can_copy(p_, left, right, in_order))
      bad("the indexes of the two sides do not match");
  }

  void verify_execute() {
    const auto& signature = entry(p_.specials, at_.a).signature;
    const auto count = static_cast<std::size_t>(at_.c);
    if (count != signature.size()) bad("not as many arguments as the special declares");
    if (static_cast<std::size_t>(at_.b) + count > p_.arguments.size())
      bad("arguments beyond their table");
    for (std::size_t k = 0; k < count; ++k)
      if (p_.arguments[static_cast<std::size_t>(at_.b) + k].kind == ArgumentKind::literal &&
          signature[k] != 'r')
        bad("a literal is written to");
  }

  /// Code is  pardo_begin [where code ... where_end] body:  so the where code is one straight run
  /// of expression opcodes, which the loop can run for each setting without looking.
  void verify_pardo() {
    const PardoDecl& pardo = entry(p_.pardos, at_.a);
    std::size_t body = pc_ + 1;
    if (pardo.where != -1) {
      if (static_cast<std::size_t>(pardo.where) != body) bad("its where code does not follow it");
      while (body < p_.code.size() && is_expression(p_.code[body].opcode)) ++body;
      if (body == p_.code.size() || p_.code[body].opcode != Opcode::where_end)
        bad("its where code does more than compute a truth");
      ++body;
    }
    if (static_cast<std::size_t>(pardo.body) != body) bad("its body does not follow it");
  }

  bool is_shared(std::int32_t array) const {
    const auto kind = entry(p_.arrays, array).kind;
    return kind == ArrayKind::distributed || kind == ArrayKind::served;
  }
  bool is_static(std::int32_t array) const {
    return entry(p_.arrays, array).kind == ArrayKind::static_;
  }
  [[noreturn]] void bad(std::string_view what) const { refuse_at(p_, pc_, what); }

  const Program& p_;
  std::size_t pc_;
  Instruction at_;
  const OpcodeRow& row_;
};

}  // namespace

void verify_operands(const Program& program) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    if (static_cast<std::size_t>(program.code[pc].opcode) >= opcode_table().size())
      refuse("an unknown opcode");
    Operands(program, pc).verify();
  }
}

}  // namespace blockyard::program::detail
