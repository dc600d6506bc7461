// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "blockyard/sial/detail/around.h"
#include "blockyard/sial/detail/flow.h"
#include "blockyard/sial/detail/persistent_map.h"
#include "blockyard/sial/detail/uses.h"

namespace blockyard::sial::detail {
namespace {

using program::ArrayKind;
using program::SelectorForm;

/// A put that every path to here has done since the last barrier.
struct PutDone {
  program::Selector selector;
  Place at;
  std::uint32_t pardo = 0;           ///< number of the pardo around it, 0 for none
  std::vector<std::uint32_t> loops;  ///< for each index, the loop that gave it its value
};

/// A block of a shared array as it is written in the source: array, indexes.
using Blocks = std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, Place>;

struct Nothing {};
using Numbers = PersistentMap<Nothing>;

/// Facts that hold on every path to a point; `here` on some path. Each branch has its own: they
/// share what they have in common.
struct State {
  Numbers written;                                     ///< temps with a value
  PersistentMap<std::shared_ptr<const PutDone>> puts;  ///< arrays put in this epoch
  Numbers here;  ///< blocks by number: fetched, or assigned to without a put
  bool is_reachable = true;
};

/// The facts a caller needs.
struct Summary {
  std::map<std::int32_t, Place> reads;  ///< temps read before they are written
  std::map<std::int32_t, Place> gets;   ///< arrays got before any barrier
  Blocks needs;                         ///< blocks read that it does not fetch before
  State end;
  bool may_wait = false;  ///< has a barrier on some path
  bool is_known = false;  ///< not so while it calls itself
};

class DataFlow {
 public:
  DataFlow(const checked::Unit& unit, Findings& findings) : unit_(unit), findings_(findings) {}

  void run() {
    std::vector<Summary> procs(unit_.procs.size());
    procs_ = &procs;
    for (const std::size_t k : calls_of(unit_).bottom_up) {
      summary_ = Summary();
      state_ = State();
      walk(unit_.procs[k].body);
      summary_.end = state_;
      if (return_) summary_.end = meet(summary_.end, *return_);
      return_.reset();
      summary_.is_known = true;
      procs[k] = std::move(summary_);
    }
    is_program_ = true;
    summary_ = Summary();
    state_ = State();
    walk(unit_.body);
    for (const auto& [array, at] : allocated_)
      if (!removed_.contains(array))
        findings_.warning(
            "never-deallocated", at,
            fmt::format("blocks of '{}' are allocated, but nowhere deallocated", name_of(array)),
            fmt::format("write 'deallocate' after the last use of '{}'", name_of(array)));
  }

 private:
  static State meet(const State& a, const State& b) {
    if (!a.is_reachable) return b;
    if (!b.is_reachable) return a;
    return {Numbers::both(a.written, b.written), decltype(a.puts)::both(a.puts, b.puts),
            Numbers::either(a.here, b.here)};
  }

  void walk(const checked::Body& body) {
    for (const auto& statement : body) {
      at_ = statement.at;
      for (const auto& use : uses_of(unit_, statement)) follow(use, statement);
      std::visit([this](const auto& what) { step(what); }, statement.what);
    }
  }

  /// Temps of an iteration end with it; puts are taken as done, since an empty loop does not
  /// excuse a missing barrier.
  void step(const checked::Do& what) {
    const Around::Mark mark = around_.mark();
    around_.enter_do(what.index);
    learn(what.where);
    loop(what.body);
    if (pardo_ == 0 && repeats_ == 0 && !state_.puts.is_empty()) repeat(what);
    around_.return_to(mark);
  }
  void learn(const std::vector<checked::Expr>& where) {
    for (const checked::Expr& condition : where) around_.learn(condition);
  }
  /// A second time, for what the first iteration leaves undone. Only puts of the same blocks in
  /// every iteration count: those without the index of the loop.
  void repeat(const checked::Do& what) {
    const State after = state_;
    after.puts.for_each([&](std::uint32_t array, const auto& put) {
      if (varies(*put, what.index)) state_.puts.erase(array);
    });
    if (!state_.puts.is_empty()) {
      ++repeats_;
      loop(what.body);
      --repeats_;
    }
    state_ = after;
  }
  [[nodiscard]] bool varies(const PutDone& put, std::int32_t loop) const {
    return std::ranges::any_of(put.selector.indexes, [&](std::int32_t index) {
      return index == loop || (index >= 0 && entry(index).parent == loop);
    });
  }
  void step(const checked::Pardo& what) {
    const std::uint32_t outer = pardo_;
    pardo_ = ++pardo_count_;
    const Around::Mark mark = around_.mark();
    for (const std::int32_t index : what.indexes) around_.enter_pardo(index);
    learn(what.where);
    loop(what.body);
    around_.return_to(mark);
    pardo_ = outer;
  }
  void loop(const checked::Body& body) {
    const Numbers written = state_.written;
    walk(body);
    state_.written = written;
    state_.is_reachable = true;
  }
  void step(const checked::Section& what) {
    walk(what.body);
    step(checked::Barrier{});
  }
  void step(const checked::Gpu& what) { walk(what.body); }
  void step(const checked::If& what) {
    const State before = state_;
    std::optional<State> after;
    for (const auto& branch : what.branches) {
      state_ = before;
      const Around::Mark mark = around_.mark();
      around_.learn(branch.condition);
      walk(branch.body);
      around_.return_to(mark);
      after = after ? meet(*after, state_) : state_;
    }
    state_ = before;
    walk(what.otherwise);
    state_ = meet(*after, state_);
  }
  void step(const checked::Leave& what) {
    if (what.kind == checked::LeaveKind::return_)
      return_ = return_ ? meet(*return_, state_) : state_;
    state_.is_reachable = false;
  }
  void step(const checked::Barrier&) {
    state_.puts = {};
    summary_.may_wait = true;
  }
  void step(const checked::ArrayWide& what) {
    if (what.is_removal) state_.puts.erase(number(what.array));
  }
  void step(const checked::Allocate& what) {
    const std::int32_t array = what.blocks.selector.array;
    if (what.is_removal)
      removed_.insert(array);
    else
      allocated_.emplace(array, what.blocks.at);
  }
  void step(const checked::Call& what) {
    const Summary& callee = (*procs_)[what.proc];
    const std::string& name = unit_.procs[what.proc].name;
    for (const auto& [array, at] : callee.reads)
      read(array, at_, fmt::format("'{}' reads temp '{}', which", name, name_of(array)), at);
    for (const auto& [array, at] : callee.gets)
      get(array, nullptr, at_,
          fmt::format("'{}' gets blocks of '{}', which", name, name_of(array)));
    for (const auto& [block, at] : callee.needs)
      need(block, at_, fmt::format("'{}' reads {}, which", name, text_of(block)), at);
    if (!callee.is_known) knows_all_ = false;
    if (callee.may_wait) {
      state_.puts = {};
      summary_.may_wait = true;
    }
    state_.written = Numbers::either(state_.written, callee.end.written);
    state_.here = Numbers::either(state_.here, callee.end.here);
    callee.end.puts.for_each([&](std::uint32_t array, const auto& of_callee) {
      if (state_.puts.contains(array)) return;
      PutDone put = *of_callee;
      for (std::size_t k = 0; k < put.loops.size(); ++k)
        if (put.loops[k] == 0) put.loops[k] = around_.loop_of(put.selector.indexes[k]);
      state_.puts.insert(array, std::make_shared<const PutDone>(std::move(put)));
    });
  }
  void step(const auto&) {}

  void follow(const Use& use, const checked::Statement& statement) {
    if (use.block == nullptr) return;
    const std::int32_t array = use.block->selector.array;
    const ArrayKind kind = unit_.arrays[static_cast<std::size_t>(array)].kind;
    if (kind == ArrayKind::temp) {
      if (use.access != Access::write)
        read(array, use.at, fmt::format("temp '{}' is read here, but", name_of(array)), use.at);
      else
        state_.written.insert(number(array), {});
    } else if (kind == ArrayKind::distributed || kind == ArrayKind::served) {
      follow_shared(use, statement);
    }
  }

  void follow_shared(const Use& use, const checked::Statement& statement) {
    const std::int32_t array = use.block->selector.array;
    const auto block = key_of(use.block->selector);
    const bool is_put = std::holds_alternative<checked::Put>(statement.what) ||
                        std::holds_alternative<checked::PutScalar>(statement.what);
    if (std::holds_alternative<checked::Get>(statement.what)) {
      get(array, &use.block->selector, use.at,
          fmt::format("'{}' is fetched here, but", name_of(array)));
      state_.here.insert(number(block), {});
    } else if (is_put && use.access != Access::read) {
      PutDone done{use.block->selector, use.at, pardo_, {}};
      for (const std::int32_t index : done.selector.indexes)
        done.loops.push_back(around_.loop_of(index));
      // An iteration may get the blocks it puts itself, whichever worker put them in the last one.
      if (repeats_ > 0 || !state_.puts.contains(number(array)))
        state_.puts.insert_or_assign(number(array),
                                     std::make_shared<const PutDone>(std::move(done)));
    } else if (use.access == Access::write) {
      state_.here.insert(number(block), {});
    } else if (use.access != Access::ask && use.block->selector.form == SelectorForm::block) {
      need(block, use.at, fmt::format("{} is read here, but", text_of(block)), use.at);
    }
  }

  /// A part is read from the block of which it is one.
  [[nodiscard]] Blocks::key_type key_of(const program::Selector& selector) const {
    const auto& declared = unit_.arrays[static_cast<std::size_t>(selector.array)].indexes;
    Blocks::key_type key{selector.array, selector.indexes};
    for (std::size_t k = 0; k < key.second.size() && k < declared.size(); ++k)
      if (key.second[k] >= 0 && entry(key.second[k]).parent >= 0 && entry(declared[k]).parent < 0)
        key.second[k] = entry(key.second[k]).parent;
    return key;
  }

  /// Fetched, perhaps by the name of another index that is equal here.
  [[nodiscard]] bool is_here(const Blocks::key_type& block) {
    if (state_.here.contains(number(block))) return true;
    if (!around_.knows_equal()) return false;
    const auto is_same = [&](std::int32_t a, std::int32_t b) {
      return around_.equal_to(a) == around_.equal_to(b);
    };
    const auto of_array = std::ranges::subrange(blocks_.lower_bound({block.first, {}}),
                                                blocks_.lower_bound({block.first + 1, {}}));
    return std::ranges::any_of(of_array, [&](const auto& one) {
      return state_.here.contains(one.second) &&
             std::ranges::equal(one.first.second, block.second, is_same);
    });
  }

  [[nodiscard]] static std::uint32_t number(std::int32_t array) {
    return static_cast<std::uint32_t>(array);
  }
  [[nodiscard]] std::uint32_t number(const Blocks::key_type& block) {
    return blocks_.emplace(block, static_cast<std::uint32_t>(blocks_.size())).first->second;
  }

  /// Whether a put block is another than this one, since conditions here say that an index differs
  /// which has had the same value since the put.
  [[nodiscard]] bool are_apart(const PutDone& put, const program::Selector& got) const {
    const std::size_t count = std::min(put.selector.indexes.size(), got.indexes.size());
    for (std::size_t k = 0; k < count; ++k) {
      const std::int32_t index = put.selector.indexes[k];
      const bool is_same =
          put.loops[k] != Around::in_pardo && around_.loop_of(index) == put.loops[k];
      if (is_same && around_.are_apart(index, got.indexes[k])) return true;
    }
    return false;
  }

  void need(const Blocks::key_type& block, Place at, const std::string& what, Place first) {
    if (!state_.is_reachable || !knows_all_ || is_here(block)) return;
    state_.here.insert(number(block), {});  // once is enough
    if (!is_program_) {
      summary_.needs.emplace(block, first);
      return;
    }
    const bool is_served =
        unit_.arrays[static_cast<std::size_t>(block.first)].kind == ArrayKind::served;
    findings_.warning(
        "missing-get", at, fmt::format("{} is fetched on no path to here", what),
        fmt::format("write '{} {}' before it", is_served ? "request" : "get", text_of(block)));
  }

  void read(std::int32_t array, Place at, const std::string& what, Place first) {
    if (!state_.is_reachable || state_.written.contains(number(array))) return;
    state_.written.insert(number(array), {});  // once is enough
    if (repeats_ > 0) return;
    if (!is_program_) {
      summary_.reads.emplace(array, first);
      return;
    }
    findings_.warning("unwritten-temp", at,
                      fmt::format("{} has no value on every path to here", what),
                      "a temp lives until the end of the iteration in which it is written: give it "
                      "a value first");
  }

  /// One worker may get what it has put itself: the same block in the same iteration of a pardo.
  void get(std::int32_t array, const program::Selector* selector, Place at,
           const std::string& what) {
    if (!state_.is_reachable) return;
    if (!summary_.may_wait) summary_.gets.emplace(array, at);
    const auto* const found = state_.puts.find(number(array));
    if (found == nullptr) return;
    const PutDone& done = **found;
    const bool is_own =
        selector != nullptr && pardo_ != 0 && done.pardo == pardo_ && done.selector == *selector;
    if (selector != nullptr && are_apart(done, *selector)) return;
    if (is_own || !told_.emplace(at.file, at.line, array).second) return;
    findings_.warning(
        "get-after-put", at,
        fmt::format("{} was put {} in the same epoch", what,
                    repeats_ > 0 ? "in the previous iteration of the loop," : "earlier"),
        fmt::format("it is put at {}: write sip_barrier {}", findings_.describe(done.at),
                    repeats_ > 0 ? "at the end of the loop" : "between the two"));
  }

  [[nodiscard]] const program::IndexDecl& entry(std::int32_t index) const {
    return unit_.indexes[static_cast<std::size_t>(index)];
  }
  /// "a[i,j]"
  [[nodiscard]] std::string text_of(const Blocks::key_type& block) const {
    std::string indexes;
    for (const std::int32_t index : block.second)
      indexes += (indexes.empty() ? "" : ",") + (index < 0 ? "*" : entry(index).name);
    return fmt::format("{}[{}]", name_of(block.first), indexes);
  }
  [[nodiscard]] const std::string& name_of(std::int32_t array) const {
    return unit_.arrays[static_cast<std::size_t>(array)].name;
  }

  const checked::Unit& unit_;
  Findings& findings_;
  Around around_;
  std::vector<Summary>* procs_ = nullptr;
  std::map<Blocks::key_type, std::uint32_t> blocks_;  ///< their numbers
  State state_;
  Summary summary_;
  std::optional<State> return_;  ///< what holds at the returns of the proc so far
  std::map<std::int32_t, Place> allocated_;
  std::set<std::int32_t> removed_;
  std::uint32_t pardo_ = 0;
  std::uint32_t pardo_count_ = 0;
  Place at_;
  bool is_program_ = false;
  bool knows_all_ = true;  ///< false after a call of a proc that is still being looked at
  int repeats_ = 0;        ///< loops that are looked at for the second time
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>> told_;
};

}  // namespace

void check_data_flow(const checked::Unit& unit, Findings& findings) {
  DataFlow(unit, findings).run();
}

}  // namespace blockyard::sial::detail
