// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/emitter.h"

namespace blockyard::sial::detail {

/// do_begin i, exit;  [where; jump_if_false next]...;  body;  next: do_next i, first;  exit:
void Emitter::put(const checked::Do& what) {
  const auto line = line_;
  const std::int32_t index = tables_.index(what.index);
  const Pc begin = emit(O::do_begin, index);
  const Pc first = here();
  loops_.push_back({false, index, hints_, {begin}, {}});
  for (const auto& where : what.where) {
    line_ = {where.at.file, where.at.line};
    value(where);
    loops_.back().to_next.push_back(emit(O::jump_if_false));
    tables_.release_hidden();
  }
  body(what.body);
  line_ = line;
  close(emit(O::do_next, index, first));
}

/// pardo_begin p, exit;  [where; where_end];  body;  next: pardo_next p;  exit:
void Emitter::put(const checked::Pardo& what) {
  const auto line = line_;
  const auto id = static_cast<std::int32_t>(program_.pardos.size());
  program::PardoDecl entry;
  for (const auto index : what.indexes) entry.indexes.push_back(tables_.index(index));
  entry.policy = what.policy;
  program_.pardos.push_back(entry);
  const Pc begin = emit(O::pardo_begin, id);
  loops_.push_back({true, id, hints_, {begin}, {}});
  if (!what.where.empty()) {
    entry.where = here();
    for (std::size_t k = 0; k < what.where.size(); ++k) {
      line_ = {what.where[k].at.file, what.where[k].at.line};
      value(what.where[k]);
      if (k > 0) emit(O::and_);
    }
    emit(O::where_end);
  }
  entry.body = here();
  program_.pardos[static_cast<std::size_t>(id)] = std::move(entry);
  body(what.body);
  line_ = line;
  close(emit(O::pardo_next, id));
}

/// Aims jumps that leave the innermost loop, or continue with its next iteration, at `next`.
void Emitter::close(Pc next) {
  for (const Pc jump : loops_.back().to_next) aim(jump, next);
  for (const Pc jump : loops_.back().to_exit) aim(jump, here());
  loops_.pop_back();
}

void Emitter::leave(const Loop& loop) {
  emit(loop.is_pardo ? O::pardo_leave : O::do_leave, loop.id);
}

void Emitter::put(const checked::Leave& what) {
  using checked::LeaveKind;
  if (what.kind == LeaveKind::stop) {
    emit(O::stop);
    return;
  }
  const std::size_t first = loops_.size() - what.loops;
  const bool is_cycle = what.kind == LeaveKind::cycle;
  const int hints = what.kind == LeaveKind::return_ ? 0 : loops_[first].hints;
  for (int k = hints; k < hints_; ++k) emit(O::gpu_end);
  for (std::size_t k = loops_.size(); k > first + (is_cycle ? 1 : 0); --k) leave(loops_[k - 1]);
  if (what.kind == LeaveKind::return_) {
    emit(O::return_);
    return;
  }
  auto& jumps = is_cycle ? loops_[first].to_next : loops_[first].to_exit;
  jumps.push_back(emit(O::jump));
}

void Emitter::put(const checked::Section& what) {
  const auto line = line_;
  emit(O::section_begin);
  body(what.body);
  line_ = line;
  emit(O::section_end);
}

void Emitter::put(const checked::Gpu& what) {
  emit(O::gpu_begin);
  ++hints_;
  body(what.body);
  --hints_;
  emit(O::gpu_end);
}

void Emitter::put(const checked::If& what) {
  std::vector<Pc> to_end;
  for (std::size_t k = 0; k < what.branches.size(); ++k) {
    const auto& branch = what.branches[k];
    line_ = {branch.condition.at.file, branch.condition.at.line};
    value(branch.condition);
    tables_.release_hidden();
    const Pc skip = emit(O::jump_if_false);
    body(branch.body);
    if (k + 1 < what.branches.size() || !what.otherwise.empty()) to_end.push_back(emit(O::jump));
    aim(skip, here());
  }
  body(what.otherwise);
  for (const Pc jump : to_end) aim(jump, here());
}

void Emitter::put(const checked::Call& what) { calls_.emplace_back(emit(O::call), what.proc); }

}  // namespace blockyard::sial::detail
