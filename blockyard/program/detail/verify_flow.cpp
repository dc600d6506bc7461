// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "blockyard/program/detail/rules.h"
#include "blockyard/program/flow.h"

namespace blockyard::program::detail {
namespace {

constexpr std::int32_t none = -1;

/// The state before an instruction. Every path to it must agree.
struct State {
  std::size_t routine = 0;
  std::int32_t open = none;  ///< innermost open loop of the routine
  bool in_where = false;
  std::string stack;                  ///< types of the values, the top one last
  std::vector<std::int32_t> regions;  ///< selectors that bind_region has set
  friend bool operator==(const State&, const State&) = default;
};

class Walk {
 public:
  explicit Walk(const Program& program) : p_(program), states_(program.code.size()) {}

  Flow walk() {
    if (p_.code.empty()) refuse("no instructions");
    enter_routine(0);
    while (!pending_.empty()) {
      pc_ = pending_.back();
      pending_.pop_back();
      step(*states_[pc_]);
    }
    return std::move(flow_);
  }

 private:
  std::size_t enter_routine(std::int32_t pc) {
    const auto [at, is_new] = routine_at_.try_emplace(pc, flow_.routines.size());
    if (is_new) {
      flow_.routines.emplace_back().entry = pc;
      State state;
      state.routine = at->second;
      reach(pc, std::move(state));
    }
    return at->second;
  }

  void reach(std::int64_t pc, State state) {
    if (pc >= static_cast<std::int64_t>(p_.code.size())) bad("the code ends without halt");
    const ProcDecl proc = proc_at(p_, static_cast<std::int32_t>(pc));
    if (proc.begin != flow_.routines[state.routine].entry) bad("control enters another procedure");
    auto& known = states_[static_cast<std::size_t>(pc)];
    if (known && *known != state)
      bad(
          fmt::format("instruction {} is reached with other loops, values or regions, or from "
                      "another routine, than on another path",
                      pc));
    if (known) return;
    known = std::move(state);
    pending_.push_back(static_cast<std::size_t>(pc));
  }

  void step(State state) {
    const Instruction& at = p_.code[pc_];
    use_names(state);
    use_regions(state);
    verify_section(state);
    pop(state);
    if (!is_expression(at.opcode)) {
      const bool keeps_stack = at.opcode == Opcode::bind_region;
      if (!keeps_stack && !state.stack.empty()) bad("values are left on the stack");
    }
    if (at.opcode == Opcode::bind_region) bind(state);
    for (const char type : row_of(at.opcode).pushes)
      state.stack.push_back(value_type(p_, at, type));
    if (state.stack.size() > max_stack) bad("too many values on the stack");
    go_on(std::move(state));
  }

  // ---- names and regions

  template <class Visit>
  void each_selector(const Visit& visit) const {
    for_each_operand(p_, p_.code[pc_], [&](const Operand& operand) {
      if (operand.kind == OperandKind::selector) visit(operand.id);
    });
  }

  /// Notes each index that is used here and that no open loop of the routine binds.
  void use_names(const State& state) {
    const Instruction& at = p_.code[pc_];
    if (const PardoDecl* pardo = pardo_of(p_, at); pardo != nullptr && begins_loop(at))
      for (const auto index : pardo->indexes) use_parent(state, index);
    for_each_operand(p_, at, [&](const Operand& operand) {
      if (operand.kind != OperandKind::index) return;
      if (begins_loop(at)) use_parent(state, operand.id);
      if (row_of(at.opcode).control == Control::next) use(state, operand.id);
    });
    each_selector([&](std::int32_t selector) {
      for (const auto index : entry(p_.selectors, selector).indexes)
        if (index != -1) use(state, index);
    });
  }

  static bool begins_loop(const Instruction& at) {
    return row_of(at.opcode).control == Control::loop_begin;
  }

  void use_parent(const State& state, std::int32_t index) {
    const auto parent = entry(p_.indexes, index).parent;
    if (parent != -1) use(state, parent);
  }

  void use(const State& state, std::int32_t index) {
    if (!flow_.binds(p_, state.open, index)) flow_.routines[state.routine].needs.insert(index);
  }

  /// Regions are set for the next instruction that is not part of an expression, and it uses all.
  void use_regions(State& state) {
    const auto opcode = p_.code[pc_].opcode;
    if (is_expression(opcode) || opcode == Opcode::bind_region) return;
    std::vector<std::int32_t> used;
    each_selector([&](std::int32_t selector) {
      if (entry(p_.selectors, selector).form == SelectorForm::region) used.push_back(selector);
    });
    std::ranges::sort(used);
    used.erase(std::ranges::unique(used).begin(), used.end());
    if (used != state.regions) bad("the regions used here are not those that bind_region set");
    state.regions.clear();
  }

  void bind(State& state) {
    const auto place = std::ranges::lower_bound(state.regions, p_.code[pc_].a);
    if (place != state.regions.end() && *place == p_.code[pc_].a) bad("the region is set already");
    if (state.regions.size() == max_stack) bad("too many regions are set");
    state.regions.insert(place, p_.code[pc_].a);
  }

  // ---- the stack

  void pop(State& state) {
    const Instruction& at = p_.code[pc_];
    if (is_scaled(at)) pop_one(state, value_type(p_, at, 'v'));
    const auto types = row_of(at.opcode).pops;
    for (auto type = types.rbegin(); type != types.rend(); ++type) {
      if (*type != 'r') {
        pop_one(state, value_type(p_, at, *type));
        continue;
      }
      for (const auto index : entry(p_.selectors, at.a).indexes)
        if (index == -1) {
          pop_one(state, 'i');
          pop_one(state, 'i');
        }
    }
  }

  void pop_one(State& state, char type) {
    if (state.stack.empty()) bad("the stack is empty");
    if (state.stack.back() != type) bad("the stack holds a value of another type");
    state.stack.pop_back();
  }

  // ---- loops and jumps

  void go_on(State state) {
    const Instruction& at = p_.code[pc_];
    const auto next = static_cast<std::int64_t>(pc_) + 1;
    const Open::Kind loop = pardo_of(p_, at) != nullptr ? Open::Kind::pardo : Open::Kind::do_;
    switch (row_of(at.opcode).control) {
      case Control::end:
        if (state.routine != 0) bad("the program ends in a proc");
        if (state.open != none) bad("the program ends in a loop");
        return;
      case Control::stop:
        return;
      case Control::jump:
        return reach(target_of(at), std::move(state));
      case Control::branch:
        reach(target_of(at), state);
        break;
      case Control::return_:
        if (state.routine == 0) bad("return without a call");
        if (state.open != none) bad("return from within a loop");
        return;
      case Control::call:
        note_call(state);
        break;
      case Control::loop_begin:
        if (loop == Open::Kind::pardo) return begin_pardo(std::move(state));
        reach(target_of(at), state);
        open(state, loop, at.a);
        break;
      case Control::loop_next:
        verify_top(state, loop, at.a);
        if (loop == Open::Kind::do_) reach(target_of(at), state);
        close(state);
        break;
      case Control::loop_leave:
        verify_top(state, loop, at.a);
        close(state);
        break;
      case Control::where_end:
        if (!state.in_where) bad("where_end outside the where code of a pardo");
        return;
      case Control::next:
        go_on_past_barrier(state);
        break;
    }
    reach(next, std::move(state));
  }

  /// A section also acts as a barrier where it begins: earlier puts can be read in it.
  void go_on_past_barrier(State& state) {
    const Opcode opcode = p_.code[pc_].opcode;
    if (opcode == Opcode::section_end) {
      verify_top(state, Open::Kind::section, 0);
      close(state);
      return;
    }
    if (opcode == Opcode::section_begin || has_effect(opcode, effect::ends_epoch))
      note_barrier(state);
    if (opcode == Opcode::section_begin) open(state, Open::Kind::section, 0);
  }

  void begin_pardo(State state) {
    const Instruction& at = p_.code[pc_];
    if (flow_.is_in_pardo(state.open)) bad("a pardo within a pardo");
    note(flow_.routines[state.routine].pardo);
    reach(target_of(at), state);
    open(state, Open::Kind::pardo, at.a);
    const PardoDecl& pardo = entry(p_.pardos, at.a);
    if (pardo.where != -1) {
      State where = state;
      where.in_where = true;
      reach(pardo.where, std::move(where));
    }
    reach(pardo.body, std::move(state));
  }

  void open(State& state, Open::Kind kind, std::int32_t id) {
    const auto depth = state.open == none ? 1 : entry(flow_.opens, state.open).depth + 1;
    if (depth > max_loops) bad("too many loops in each other");
    flow_.opens.push_back({kind, id, state.open, depth});
    state.open = static_cast<std::int32_t>(flow_.opens.size()) - 1;
  }

  void close(State& state) { state.open = entry(flow_.opens, state.open).outer; }

  void verify_top(const State& state, Open::Kind kind, std::int32_t id) const {
    if (state.open == none) bad("no loop is open");
    const Open& top = entry(flow_.opens, state.open);
    if (top.kind != kind || top.id != id) bad("the innermost open loop is another one");
  }

  /// A section holds nothing but pardos.
  void verify_section(const State& state) const {
    if (state.open == none) return;
    if (entry(flow_.opens, state.open).kind != Open::Kind::section) return;
    const Instruction& at = p_.code[pc_];
    const bool is_pardo = pardo_of(p_, at) != nullptr && begins_loop(at);
    if (!is_pardo && at.opcode != Opcode::section_end && row_of(at.opcode).control != Control::jump)
      bad("a section holds something that is not a pardo");
  }

  void note(std::int32_t& pc) const {
    if (pc == none) pc = static_cast<std::int32_t>(pc_);
  }

  void note_barrier(const State& state) {
    if (flow_.is_in_pardo(state.open)) bad("a barrier within a pardo");
    note(flow_.routines[state.routine].barrier);
  }

  void note_call(const State& state) {
    const std::int32_t entry_pc = target_of(p_.code[pc_]);
    if (std::ranges::find(p_.procs, entry_pc, &ProcDecl::begin) == p_.procs.end())
      bad("a call of something that is not a procedure");
    const std::size_t callee = enter_routine(entry_pc);
    flow_.routines[state.routine].calls.push_back(
        {.pc = static_cast<std::int32_t>(pc_), .callee = callee, .open = state.open});
  }

  [[noreturn]] void bad(std::string_view what) const { refuse_at(p_, pc_, what); }

  const Program& p_;
  std::size_t pc_ = 0;
  std::vector<std::optional<State>> states_;  ///< by pc, nothing where no path has come yet
  std::vector<std::size_t> pending_;
  std::map<std::int32_t, std::size_t> routine_at_;
  Flow flow_;
};

}  // namespace

char value_type(const Program& program, const Instruction& instruction, char letter) {
  const auto& operands = row_of(instruction.opcode).operands;
  switch (letter) {
    case 'n':
      return (operands[0] == OperandKind::number ? instruction.a : instruction.b) == 0 ? 's' : 'z';
    case 'v':
      return is_complex(program, instruction) ? 'z' : 's';
    default:
      return letter;
  }
}

bool Flow::binds(const Program& program, std::int32_t open, std::int32_t index) const {
  for (; open != none; open = entry(opens, open).outer) {
    const Open& loop = entry(opens, open);
    if (loop.kind == Open::Kind::do_ && loop.id == index) return true;
    if (loop.kind != Open::Kind::pardo) continue;
    const auto& indexes = entry(program.pardos, loop.id).indexes;
    if (std::ranges::find(indexes, index) != indexes.end()) return true;
  }
  return false;
}

bool Flow::is_in_pardo(std::int32_t open) const {
  for (; open != none; open = entry(opens, open).outer)
    if (entry(opens, open).kind == Open::Kind::pardo) return true;
  return false;
}

Flow verify_flow(const Program& program) { return Walk(program).walk(); }

}  // namespace blockyard::program::detail
