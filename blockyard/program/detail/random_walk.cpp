// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/detail/random_walk.h"

#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "blockyard/program/detail/rules.h"
#include "blockyard/program/flow.h"

namespace blockyard::program::detail {
namespace {

class RandomWalk {
 public:
  RandomWalk(const Program& program, unsigned seed) : p_(program), random_(seed) {}

  void run(int most_steps) {
    try {
      for (int step = 0; step < most_steps && is_running_; ++step) run_one();
    } catch (const std::out_of_range&) {
      throw std::logic_error("beyond a table at " + std::to_string(pc_));
    }
  }

 private:
  struct Loop {
    bool is_pardo;
    std::int32_t id;
    std::size_t calls;
  };

  void check(bool holds, const char* what) const {
    if (!holds) throw std::logic_error(std::string(what) + " at " + std::to_string(pc_));
  }
  template <class T>
  static const T& at(const std::vector<T>& table, std::int64_t k) {
    return table.at(static_cast<std::size_t>(k));
  }
  bool chance() { return std::uniform_int_distribution<>(0, 1)(random_) == 1; }

  void run_one() {
    const Instruction& now = at(p_.code, pc_);
    (void)at(p_.lines, pc_);
    check(static_cast<std::size_t>(now.opcode) < opcode_table().size(), "unknown opcode");
    const OpcodeRow& row = row_of(now.opcode);
    touch(now, row);
    pop(now, row);
    check(row.opcode == Opcode::bind_region || is_expression(row.opcode) || stack_.empty(),
          "values left");
    for (const char type : row.pushes) stack_ += value_type(p_, now, type);
    check(stack_.size() <= max_stack, "stack too high");
    ++pc_;
    jump(now);
  }

  void touch_selector(std::int32_t id, bool binds) {
    const Selector& selector = at(p_.selectors, id);
    const ArrayDecl& array = at(p_.arrays, selector.array);
    if (selector.form != SelectorForm::whole)
      check(selector.indexes.size() == array.indexes.size(), "order of selector");
    for (const auto index : selector.indexes)
      if (index == -1)
        check(selector.form == SelectorForm::every || selector.form == SelectorForm::region,
              "unnamed position");
      else
        touch_index(index);
    if (selector.form == SelectorForm::region && !binds) check(regions_[id] > 0, "region not set");
  }

  void touch_index(std::int32_t index) {
    (void)at(p_.indexes, index);
    check(bound_[index] > 0, "unbound index");
  }

  void touch(const Instruction& now, const OpcodeRow& row) {
    const bool binds = now.opcode == Opcode::bind_region;
    const std::array<std::int32_t, 3> values = {now.a, now.b, now.c};
    for (std::size_t k = 0; k < 3; ++k) switch (row.operands[k]) {
        case OperandKind::literal:
          (void)at(p_.literals, values[k]);
          break;
        case OperandKind::text:
          (void)at(p_.texts, values[k]);
          break;
        case OperandKind::int_name:
          (void)at(p_.ints, values[k]);
          break;
        case OperandKind::scalar:
          (void)at(p_.scalars, values[k]);
          break;
        case OperandKind::array:
          (void)at(p_.arrays, values[k]);
          break;
        case OperandKind::selector:
          touch_selector(values[k], binds);
          break;
        case OperandKind::product:
          for (const auto operand : at(p_.products, values[k]).operands)
            touch_selector(operand, false);
          break;
        default:
          break;
      }
    if (now.opcode == Opcode::push_index || now.opcode == Opcode::print_index) touch_index(now.a);
    if (now.opcode == Opcode::execute) {
      const auto& signature = at(p_.specials, now.a).signature;
      check(signature.size() == static_cast<std::size_t>(now.c), "count of arguments");
      for (std::int32_t k = 0; k < now.c; ++k)
        if (at(p_.arguments, now.b + k).kind == ArgumentKind::selector)
          touch_selector(at(p_.arguments, now.b + k).id, false);
    }
    if (binds)
      ++regions_[now.a];
    else if (!is_expression(now.opcode))
      regions_.clear();
  }

  void pop_one(char type) {
    check(!stack_.empty() && stack_.back() == type, "wrong value on the stack");
    stack_.pop_back();
  }

  void pop(const Instruction& now, const OpcodeRow& row) {
    if (is_scaled(now)) pop_one(value_type(p_, now, 'v'));
    for (auto type = row.pops.rbegin(); type != row.pops.rend(); ++type)
      if (*type != 'r')
        pop_one(value_type(p_, now, *type));
      else
        for (const auto index : at(p_.selectors, now.a).indexes)
          if (index == -1) {
            pop_one('i');
            pop_one('i');
          }
  }

  void jump(const Instruction& now) {
    const bool is_pardo = pardo_of(p_, now) != nullptr;
    switch (row_of(now.opcode).control) {
      case Control::end:
        check(loops_.empty() && calls_.empty(), "end in a loop or proc");
        is_running_ = false;
        break;
      case Control::stop:
        is_running_ = false;
        break;
      case Control::jump:
        pc_ = target_of(now);
        break;
      case Control::branch:
        if (chance()) pc_ = target_of(now);
        break;
      case Control::call:
        calls_.push_back(pc_);
        pc_ = target_of(now);
        is_running_ = calls_.size() <= max_calls;
        break;
      case Control::return_:
        check(!calls_.empty(), "return without call");
        check(loops_.empty() || loops_.back().calls < calls_.size(), "return from a loop");
        pc_ = calls_.back();
        calls_.pop_back();
        break;
      case Control::loop_begin:
        is_pardo ? begin_pardo(now) : begin_do(now);
        break;
      case Control::loop_next:
        check_top(is_pardo, now.a);
        if (!chance())
          leave();
        else if (is_pardo)
          start_iteration(now.a);
        else
          pc_ = target_of(now);
        break;
      case Control::loop_leave:
        check_top(is_pardo, now.a);
        leave();
        break;
      case Control::where_end:
        check(is_in_where_, "where_end");
        break;
      case Control::next:
        check(!is_in_pardo_ || !(now.opcode == Opcode::section_begin ||
                                 has_effect(now.opcode, effect::ends_epoch)),
              "barrier in a pardo");
        break;
    }
  }

  void begin_do(const Instruction& now) {
    touch_parent(now.a);
    if (chance()) {
      pc_ = now.b;
      return;
    }
    if (bound_[now.a]++ > 0) is_running_ = false;  // reuse of a live index: a run-time error
    loops_.push_back({false, now.a, calls_.size()});
    if (loops_.size() > max_loops) is_running_ = false;
  }

  void touch_parent(std::int32_t index) {
    const auto parent = at(p_.indexes, index).parent;
    if (parent != -1) touch_index(parent);
  }

  void begin_pardo(const Instruction& now) {
    check(!is_in_pardo_, "pardo in a pardo");
    for (const auto index : at(p_.pardos, now.a).indexes) touch_parent(index);
    if (chance()) {
      pc_ = now.b;
      return;
    }
    is_in_pardo_ = true;
    for (const auto index : at(p_.pardos, now.a).indexes) ++bound_[index];
    loops_.push_back({true, now.a, calls_.size()});
    if (loops_.size() > max_loops) is_running_ = false;
    start_iteration(now.a);
  }

  void start_iteration(std::int32_t id) {
    const PardoDecl& pardo = at(p_.pardos, id);
    if (pardo.where != -1) {
      is_in_where_ = true;
      for (pc_ = pardo.where; pc_ < pardo.body;) run_one();
      is_in_where_ = false;
    }
    pc_ = pardo.body;
  }

  void check_top(bool is_pardo, std::int32_t id) const {
    check(!loops_.empty(), "no loop");
    const Loop& top = loops_.back();
    check(top.is_pardo == is_pardo && top.id == id && top.calls == calls_.size(), "wrong loop");
  }

  void leave() {
    const Loop top = loops_.back();
    loops_.pop_back();
    if (top.is_pardo) {
      is_in_pardo_ = false;
      for (const auto index : at(p_.pardos, top.id).indexes) --bound_[index];
    } else {
      --bound_[top.id];
    }
  }

  const Program& p_;
  std::mt19937 random_;
  std::int64_t pc_ = 0;
  bool is_running_ = true;
  bool is_in_where_ = false;
  bool is_in_pardo_ = false;
  std::string stack_;
  std::vector<Loop> loops_;
  std::vector<std::int64_t> calls_;
  std::map<std::int32_t, int> bound_;    ///< open loops over each index
  std::map<std::int32_t, int> regions_;  ///< regions set for the next instruction
};

}  // namespace

void walk_at_random(const Program& program, unsigned seed, int most_steps) {
  RandomWalk(program, seed).run(most_steps);
}

}  // namespace blockyard::program::detail
