// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/detail/sample_program.h"

#include <string>

namespace blockyard::program::detail {
namespace {

class Builder : Sample {
 public:
  Program make() {
    p_.name = "sample";
    p_.files = {"sample.sial", "part.sial"};
    p_.texts = {"a \"text\"\n", "label"};
    p_.literals = {2.0, -0.5};
    p_.ints = {{"norb", true, 0, {0, 2}}, {"n", false, 3, {0, 3}}};
    p_.scalars = {{"x", false, 1.5, {0, 4}}, {"y", true, 0.0, {1, 1}}};
    p_.unused = {"nocc", "tolerance"};
    declare_indexes();
    declare_arrays();
    p_.specials = {{"fill", "wr", {0, 9}}, {"mix", "urw", {0, 10}}};
    declare_selectors();
    p_.products = {{{sel_a, sel_bt}}, {{sel_ti, sel_tj}}, {{sel_a, sel_bt, sel_a}}};
    p_.arguments = {{ArgumentKind::selector, sel_a},
                    {ArgumentKind::literal, 0},
                    {ArgumentKind::selector, sel_whole},
                    {ArgumentKind::int_name, 1},
                    {ArgumentKind::selector, sel_region}};
    emit_main();
    return p_;
  }

 private:
  using K = array::IndexKind;
  using O = Opcode;

  void declare_indexes() {
    const Bound first{false, 1};
    const Bound last{true, norb};
    p_.indexes = {{"i", K::ao, first, last, -1, {0, 5}},
                  {"j", K::ao, first, last, -1, {0, 5}},
                  {"s", K::simple, {false, -1}, {false, 3}, -1, {0, 6}},
                  {"ii", K::ao, first, last, i, {0, 7}}};
  }

  void declare(std::string name, ArrayKind kind, std::vector<std::int32_t> indexes) {
    ArrayDecl array;
    array.name = std::move(name);
    array.kind = kind;
    array.indexes = std::move(indexes);
    array.at = {0, 8};
    p_.arrays.push_back(std::move(array));
  }

  void declare_arrays() {
    declare("a", ArrayKind::temp, {i, j});
    declare("bt", ArrayKind::temp, {j, i});
    declare("ti", ArrayKind::temp, {i});
    declare("tj", ArrayKind::temp, {j});
    declare("lo", ArrayKind::local, {i, j});
    declare("c", ArrayKind::local, {i, j});
    p_.arrays.back().is_contiguous = true;
    declare("sa", ArrayKind::static_, {i, j});
    declare("da", ArrayKind::distributed, {i, j});
    declare("sp", ArrayKind::served, {i, s});
    p_.arrays.back().is_sparse = true;
    declare("asub", ArrayKind::temp, {ii, j});
    p_.arrays.back().is_hidden = true;
    p_.arrays.back().type = ElementType::f32;
  }

  void declare_selectors() {
    using enum SelectorForm;
    p_.selectors = {{block, a, {i, j}},  {block, bt, {j, i}},    {block, ti, {i}},
                    {block, tj, {j}},    {every, lo, {i, -1}},   {region, c, {-1, j}},
                    {block, sa, {i, j}}, {whole, sa, {}},        {block, da, {i, j}},
                    {block, sp, {i, i}}, {block, asub, {ii, j}}, {block, da, {ii, j}}};
  }

  std::int32_t emit(O opcode, std::int32_t a_ = 0, std::int32_t b_ = 0, std::int32_t c_ = 0) {
    p_.code.push_back({opcode, a_, b_, c_});
    p_.lines.push_back({0, static_cast<std::uint32_t>(10 + p_.code.size())});
    return static_cast<std::int32_t>(p_.code.size()) - 1;
  }
  std::int32_t here() const { return static_cast<std::int32_t>(p_.code.size()); }
  Instruction& at(std::int32_t pc) { return p_.code[static_cast<std::size_t>(pc)]; }

  void emit_main() {
    emit(O::print_text, 0, 1);
    emit_if();
    const auto outer = emit(O::do_begin, i);
    const auto inner = emit(O::do_begin, j);
    emit_blocks();
    emit_regions();
    emit_subindex();
    const auto call = emit(O::call);
    emit(O::do_next, j, inner + 1);
    at(inner).b = here();
    emit(O::do_next, i, outer + 1);
    at(outer).b = here();
    emit(O::barrier);
    emit_pardo(call);
    emit(O::push_int, 0);
    emit(O::broadcast, sa);
    emit(O::persist_array, da, 1);
    emit(O::print_array, sa, 0);
    emit(O::halt);
    emit_proc(call);
  }

  void emit_if() {
    emit(O::push_int_name, norb);
    emit(O::push_int, 2);
    emit(O::compare_int, 0);
    const auto test = emit(O::jump_if_false);
    emit(O::push_scalar, x);
    emit(O::push_literal, 1);
    emit(O::multiply);
    emit(O::store_scalar, x, 1);
    at(test).a = here();
  }

  void emit_blocks() {
    emit(O::execute, 0, 0, 2);
    emit(O::block_copy, sel_bt, sel_a, 0);
    emit(O::push_literal, 0);
    emit(O::block_fill, sel_ti, 0);
    emit(O::block_copy, sel_tj, sel_tj, flag_accumulate | flag_negate);
    emit(O::push_literal, 1);
    emit(O::block_product, sel_sa, 1, flag_accumulate | flag_scaled);
    emit(O::push_product, 0);
    emit(O::push_index, i);
    emit(O::to_scalar);
    emit(O::add);
    emit(O::store_scalar, x, 0);
    emit(O::put, sel_da, sel_a, 1);
    emit(O::allocate, sel_every);
    emit(O::deallocate, sel_every);
  }

  void emit_regions() {
    for (const auto opcode : {O::allocate_region, O::print_block, O::deallocate_region}) {
      emit_region();
      emit(opcode, sel_region);
    }
    emit_region();
    emit(O::execute, 1, 2, 3);
  }

  void emit_region() {
    emit(O::push_int, 1);
    emit(O::push_int_name, n);
    emit(O::bind_region, sel_region);
  }

  void emit_subindex() {
    const auto begin = emit(O::do_begin, ii);
    emit(O::block_copy, sel_asub, sel_slice, 0);
    const auto leave = emit(O::do_leave, ii);
    const auto jump = emit(O::jump);
    emit(O::do_next, ii, begin + 1);
    at(begin).b = here();
    at(jump).a = here();
    (void)leave;
  }

  void emit_pardo(std::int32_t call) {
    emit(O::section_begin);
    const auto begin = emit(O::pardo_begin, 0);
    p_.pardos = {{{i, j}, Policy::balanced, begin + 1, 0}};
    emit(O::exists, sel_sp);
    emit(O::push_index, i);
    emit(O::push_index, j);
    emit(O::compare_int, 2);
    emit(O::and_);
    emit(O::where_end);
    p_.pardos[0].body = here();
    emit(O::get, sel_da);
    emit(O::block_copy, sel_a, sel_da, 0);
    emit(O::call, at(call).a);
    pardo_call_ = here() - 1;
    emit(O::pardo_next, 0);
    at(begin).b = here();
    emit(O::section_end);
  }

  /// The proc uses i and j of the loops around its calls.
  void emit_proc(std::int32_t call) {
    at(call).a = here();
    at(pardo_call_).a = here();
    emit(O::push_literal, 0);
    emit(O::put_scalar, sel_da, 3);
    emit(O::return_);
    p_.procs = {{at(call).a, here()}};
  }

  Program p_;
  std::int32_t pardo_call_ = 0;
};

}  // namespace

Program sample_program() { return Builder().make(); }

}  // namespace blockyard::program::detail
