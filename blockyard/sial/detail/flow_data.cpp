// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "blockyard/sial/detail/flow.h"
#include "blockyard/sial/detail/uses.h"

namespace blockyard::sial::detail {
namespace {

using program::ArrayKind;

/// A put that every path to here has done since the last barrier.
struct PutDone {
  program::Selector selector;
  Place at;
  std::uint32_t pardo = 0;  ///< number of the pardo around it, 0 for none
};

/// What holds on every path to a point.
struct State {
  std::set<std::int32_t> written;        ///< temps with a value
  std::map<std::int32_t, PutDone> puts;  ///< arrays put in this epoch
  bool is_reachable = true;
};

/// What a caller has to know.
struct Summary {
  std::map<std::int32_t, Place> reads;  ///< temps read before they are written
  std::map<std::int32_t, Place> gets;   ///< arrays got before any barrier
  State end;
  bool may_wait = false;  ///< has a barrier on some path
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
            fmt::format("write 'deallocate' where '{}' is no longer needed", name_of(array)));
  }

 private:
  static State meet(const State& a, const State& b) {
    if (!a.is_reachable) return b;
    if (!b.is_reachable) return a;
    State result;
    for (const auto array : a.written)
      if (b.written.contains(array)) result.written.insert(array);
    for (const auto& [array, put] : a.puts)
      if (b.puts.contains(array)) result.puts.emplace(array, put);
    return result;
  }

  void walk(const checked::Body& body) {
    for (const auto& statement : body) {
      at_ = statement.at;
      for (const auto& use : uses_of(unit_, statement)) follow(use, statement);
      std::visit([this](const auto& what) { step(what); }, statement.what);
    }
  }

  /// Temps of an iteration end with it; puts are taken as done, since an empty loop is no excuse
  /// for a missing barrier.
  void step(const checked::Do& what) { loop(what.body); }
  void step(const checked::Pardo& what) {
    const std::uint32_t outer = pardo_;
    pardo_ = ++pardo_count_;
    loop(what.body);
    pardo_ = outer;
  }
  void loop(const checked::Body& body) {
    auto written = state_.written;
    walk(body);
    state_.written = std::move(written);
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
      walk(branch.body);
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
    state_.puts.clear();
    summary_.may_wait = true;
  }
  void step(const checked::ArrayWide& what) {
    if (what.is_removal) state_.puts.erase(what.array);
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
    if (callee.may_wait) {
      state_.puts.clear();
      summary_.may_wait = true;
    }
    state_.written.insert(callee.end.written.begin(), callee.end.written.end());
    for (const auto& put : callee.end.puts) state_.puts.insert(put);
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
        state_.written.insert(array);
    } else if (kind == ArrayKind::distributed || kind == ArrayKind::served) {
      if (std::holds_alternative<checked::Get>(statement.what))
        get(array, &use.block->selector, use.at,
            fmt::format("'{}' is fetched here, but", name_of(array)));
      else if (use.access != Access::read &&
               (std::holds_alternative<checked::Put>(statement.what) ||
                std::holds_alternative<checked::PutScalar>(statement.what)))
        state_.puts.emplace(array, PutDone{use.block->selector, use.at, pardo_});
    }
  }

  void read(std::int32_t array, Place at, const std::string& what, Place first) {
    if (!state_.is_reachable || state_.written.contains(array)) return;
    state_.written.insert(array);  // once is enough
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
    const auto done = state_.puts.find(array);
    if (done == state_.puts.end()) return;
    const bool is_own = selector != nullptr && pardo_ != 0 && done->second.pardo == pardo_ &&
                        done->second.selector == *selector;
    if (is_own) return;
    findings_.warning("get-after-put", at,
                      fmt::format("{} was put earlier in the same epoch", what),
                      fmt::format("it is put at {}: write sip_barrier between the two",
                                  findings_.describe(done->second.at)));
  }

  [[nodiscard]] const std::string& name_of(std::int32_t array) const {
    return unit_.arrays[static_cast<std::size_t>(array)].name;
  }

  const checked::Unit& unit_;
  Findings& findings_;
  std::vector<Summary>* procs_ = nullptr;
  State state_;
  Summary summary_;
  std::optional<State> return_;  ///< what holds at the returns of the proc so far
  std::map<std::int32_t, Place> allocated_;
  std::set<std::int32_t> removed_;
  std::uint32_t pardo_ = 0;
  std::uint32_t pardo_count_ = 0;
  Place at_;
  bool is_program_ = false;
};

}  // namespace

void check_data_flow(const checked::Unit& unit, Findings& findings) {
  DataFlow(unit, findings).run();
}

}  // namespace blockyard::sial::detail
