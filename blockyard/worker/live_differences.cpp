// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "blockyard/flow/liveness.h"
#include "blockyard/worker/checkpoint.h"
#include "blockyard/worker/detail/state.h"

namespace blockyard::worker {

using detail::JobState;
using detail::ProgramState;
using detail::SavedFrame;
using flow::Liveness;
using flow::Variable;

namespace {

/// The names of what differs, each once, in the order of the alphabet.
class Differences {
 public:
  Differences(const program::Program& program, const ProgramState& first)
      : program_(program), first_(first), writes_(flow::pardo_writes(program)) {}

  [[nodiscard]] std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }
  void add(std::string name) { names_.insert(std::move(name)); }

  template <class Value, class Decls>
  void compare(Variable::Kind kind, const std::vector<Value>& mine, const std::vector<Value>& other,
               const Decls& decls) {
    for (std::size_t k = 0; k < mine.size(); ++k)
      if (std::memcmp(&mine[k], &other[k], sizeof(Value)) != 0) add_if_live(kind, k, decls[k].name);
  }

  /// Parts of sums: even if they are equal, and even from a single worker, which has the whole.
  void add_parts() {
    for (std::size_t k = 0; k < program_.ints.size(); ++k)
      if (writes_.ints[k]) add_if_live(Variable::Kind::int_name, k, program_.ints[k].name);
    for (std::size_t k = 0; k < program_.scalars.size(); ++k)
      if (writes_.scalars[k]) add_if_live(Variable::Kind::scalar, k, program_.scalars[k].name);
    for (const SavedFrame& frame : first_.frames)
      if (writes_.arrays[static_cast<std::size_t>(frame.id.array)]) add_frame(frame);
  }

  void add_frame(const SavedFrame& frame) {
    const auto& decl = program_.arrays[static_cast<std::size_t>(frame.id.array)];
    if (frame.kind != SavedFrame::Kind::whole)
      add(fmt::format("blocks of array '{}'", decl.name));
    else if (is_live({Variable::Kind::static_array, frame.id.array}))
      add(fmt::format("static array '{}'", decl.name));
  }

 private:
  void add_if_live(Variable::Kind kind, std::size_t id, std::string_view name) {
    if (is_live({kind, static_cast<std::int32_t>(id)}))
      add(fmt::format("{} '{}'", kind == Variable::Kind::scalar ? "scalar" : "int", name));
  }
  [[nodiscard]] bool is_live(Variable variable) {
    // Names marked by set_persistent are read at the end.
    const auto is_marked = [&](const auto& marks) {
      return std::ranges::any_of(marks, [&](const auto& mark) { return mark.id == variable.id; });
    };
    if (variable.kind == Variable::Kind::scalar && is_marked(first_.marked_scalars)) return true;
    if (variable.kind == Variable::Kind::static_array && is_marked(first_.marked_arrays))
      return true;
    return Liveness(program_, variable).is_live(first_.pc, first_.calls);
  }
  const program::Program& program_;
  const ProgramState& first_;
  flow::PardoWrites writes_;
  std::set<std::string> names_;
};

void compare_jobs(const JobState& mine, const JobState& other, std::set<std::string>& names) {
  for (const auto& [label, value] : mine.kept.scalars)
    if (const auto found = other.kept.scalars.find(label);
        found == other.kept.scalars.end() || found->second != value)
      names.insert(fmt::format("what is kept under \"{}\"", label));
  for (const auto& [label, array] : mine.kept.arrays)
    if (const auto found = other.kept.arrays.find(label);
        found == other.kept.arrays.end() || found->second != array)
      names.insert(fmt::format("what is kept under \"{}\"", label));
  for (const auto& [name, array] : mine.arrays)
    if (const auto found = other.arrays.find(name);
        found == other.arrays.end() || found->second != array)
      names.insert(fmt::format("array '{}'", name));
}

bool has_same_shape(const ProgramState& a, const ProgramState& b) {
  return a.pc == b.pc && a.calls == b.calls && a.loops == b.loops &&
         a.index_values == b.index_values && a.ints.size() == b.ints.size() &&
         a.scalars.size() == b.scalars.size() && a.scope == b.scope;
}

void compare_frames(const ProgramState& mine, RecordSource& my_source,
                    const std::vector<std::unique_ptr<ProgramState>>& others,
                    std::span<RecordSource* const> sources, Differences& found) {
  for (const auto& other : others)
    for (std::size_t k = 0; k < std::max(mine.frames.size(), other->frames.size()); ++k)
      if (k >= mine.frames.size() || k >= other->frames.size() ||
          !mine.frames[k].is_same_place(other->frames[k]))
        return found.add_frame(k < mine.frames.size() ? mine.frames[k] : other->frames[k]);
  for (const SavedFrame& frame : mine.frames) {
    const auto values = my_source.next();
    for (RecordSource* const source : sources)
      if (source->next() != values) found.add_frame(frame);
  }
}

}  // namespace

std::vector<std::string> live_differences(const program::Program& program,
                                          std::span<RecordSource* const> sources) {
  const JobState job = detail::decode_job_state(sources[0]->next());
  std::set<std::string> names;
  for (RecordSource* const source : sources.subspan(1))
    compare_jobs(job, detail::decode_job_state(source->next()), names);
  if (!job.in_program) return {names.begin(), names.end()};
  const ProgramState first = detail::decode_program_state(sources[0]->next());
  Differences found(program, first);
  for (const std::string& name : names) found.add(name);
  std::vector<std::unique_ptr<ProgramState>> others;
  for (RecordSource* const source : sources.subspan(1))
    others.push_back(std::make_unique<ProgramState>(detail::decode_program_state(source->next())));
  for (const auto& other : others) {
    if (!has_same_shape(first, *other)) {
      found.add("loops or calls");
      return found.names();
    }
    found.compare(Variable::Kind::int_name, first.ints, other->ints, program.ints);
    found.compare(Variable::Kind::scalar, first.scalars, other->scalars, program.scalars);
  }
  found.add_parts();
  compare_frames(first, *sources[0], others, sources.subspan(1), found);
  return found.names();
}

}  // namespace blockyard::worker
