// SPDX-License-Identifier: Apache-2.0
// The part of Interpreter that begins and ends a program: values from the job and from programs
// before, and what is kept for programs after.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/program/print.h"
#include "blockyard/worker/detail/interpreter.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::ArrayKind;

namespace {

template <class... Maps>
Error unknown_label(const std::string& label, const Maps&... maps) {
  std::vector<std::string> labels;
  const auto add = [&](const auto& map) {
    for (const auto& [key, value] : map) labels.push_back(key);
  };
  (add(maps), ...);
  const std::string nearest = base::nearest_name(label, labels);
  return Error(
      Errc::bad_input,
      fmt::format("restore_persistent: no array is kept under label \"{}\"{}; an earlier "
                  "program of the job must set_persistent it",
                  label, nearest.empty() ? "" : fmt::format(" (there is \"{}\")", nearest)));
}

/// The kinds that can be kept.
bool is_shared_or_static(ArrayKind kind) {
  return kind == ArrayKind::static_ || kind == ArrayKind::distributed || kind == ArrayKind::served;
}

std::vector<Extent> whole_extents(const array::Grid& grid) {
  std::vector<Extent> extents;
  for (std::size_t k = 0; k < grid.order(); ++k) extents.push_back(grid.axis(k).element_count());
  return extents;
}

/// How a DenseArray holds elements of `type`.
ElementType storage_type(ElementType type) {
  return array::element_type(array::is_complex(type), false);
}

/// The elements of `from` that a static array over `grid` stands for: all, or, where `from` has all
/// segments of the kind of an index, those in the range of the index. Null: they do not fit.
std::optional<View> matching_part(const array::Grid& grid, const array::Segments& segments,
                                  DenseArray& from) {
  if (from.extents.size() != grid.order() || from.values.empty()) return std::nullopt;
  View part = View::dense(from.values.data(), tensor::Shape(from.extents), storage_type(from.type));
  const std::vector<Extent> own = whole_extents(grid);
  for (std::size_t k = 0; k < grid.order(); ++k) {
    if (own[k] == from.extents[k]) continue;
    const array::Axis& axis = grid.axis(k);
    const auto all = segments.extents(axis.kind());
    if (from.extents[k] != std::accumulate(all.begin(), all.end(), Extent{0})) return std::nullopt;
    part.advance(part.strides[k] * segments.offset(axis.kind(), axis.first()));
  }
  part.shape = tensor::Shape(own);
  return part;
}

/// For each index of an array how many segments stand before its range in what is kept of `kept`
/// segments: none, or, where all segments of its kind are kept, those before its first. Null: what
/// is kept does not fit.
std::optional<std::vector<std::int64_t>> segments_before(
    const array::Grid& grid, const array::Segments& segments,
    const std::vector<std::vector<Extent>>& kept) {
  if (kept.size() != grid.order()) return std::nullopt;
  std::vector<std::int64_t> before(grid.order(), 0);
  for (std::size_t k = 0; k < grid.order(); ++k) {
    const array::Axis& axis = grid.axis(k);
    if (kept[k] == axis.extents()) continue;
    if (!std::ranges::equal(kept[k], segments.extents(axis.kind()))) return std::nullopt;
    before[k] = axis.first() - 1;
  }
  return before;
}

/// Complex numbers never become real ones unsaid.
void check_types(const std::string& array, ElementType to, std::string_view what,
                 ElementType from) {
  if (array::is_complex(from) && !array::is_complex(to))
    throw Error(
        Errc::bad_input,
        fmt::format("array '{}' is real, but {} is complex: declare it 'complex'", array, what));
}

}  // namespace

void Interpreter::take_predefined() {
  for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
    const auto& decl = program_.arrays[k];
    if (const auto given = environment_.restored.find(decl.name);
        given != environment_.restored.end() && is_shared_or_static(decl.kind)) {
      restore_array(static_cast<std::int32_t>(k), given->second);
      continue;
    }
    if (decl.kind != ArrayKind::static_ || !decl.is_predefined) continue;
    const auto found = environment_.arrays.find(decl.name);
    if (found != environment_.arrays.end())
      load_static(static_cast<std::int32_t>(k), found->second, "the job's data");
    else
      printer_.text(fmt::format("warning: the job gives no data for predefined static array '{}': "
                                "it is zero",
                                decl.name),
                    0);
  }
}

void Interpreter::load_static(std::int32_t array, DenseArray& from, std::string_view what) {
  const array::Grid& grid = tables_.grids[static_cast<std::size_t>(array)];
  if (grid.element_count() == 0) return;  // an index without segments
  const auto part = matching_part(grid, environment_.segments, from);
  if (!part)
    throw Error(Errc::bad_input,
                fmt::format("static array '{}' has extents {}, but {} has {}", naming_.array(array),
                            array::print_segments(whole_extents(grid)), what,
                            array::print_segments(from.extents)));
  const View to = blocks_.whole(array);
  check_types(naming_.array(array), to.type, what, from.type);
  convert(*part, to);
}

void Interpreter::restore_scalar(std::int32_t scalar, const std::string& label) {
  const auto found = kept_.scalars.find(label);
  if (found == kept_.scalars.end()) throw unknown_label(label, kept_.scalars);
  const auto& decl = program_.scalars[static_cast<std::size_t>(scalar)];
  if (found->second.is_complex && !decl.is_complex)
    throw Error(Errc::bad_input,
                fmt::format("scalar '{}' is real, but what is kept under \"{}\" is complex: "
                            "declare it 'complex'",
                            decl.name, label));
  scalars_[static_cast<std::size_t>(scalar)] = found->second.value;
  kept_.scalars.erase(found);
}

void Interpreter::restore_array(std::int32_t array, const std::string& label) {
  if (program_.arrays[static_cast<std::size_t>(array)].kind == ArrayKind::static_) {
    const auto found = kept_.arrays.find(label);
    if (found == kept_.arrays.end()) throw unknown_label(label, kept_.arrays, kept_.distributed);
    load_static(array, found->second, fmt::format("what is kept under \"{}\"", label));
    kept_.arrays.erase(found);
    return;
  }
  const auto found = kept_.distributed.find(label);
  if (found == kept_.distributed.end()) throw unknown_label(label, kept_.arrays, kept_.distributed);
  const array::Grid& grid = tables_.grids[static_cast<std::size_t>(array)];
  const auto before = segments_before(grid, environment_.segments, found->second);
  if (!before)
    throw Error(Errc::bad_input,
                fmt::format("array '{}' has other segments than what is kept under \"{}\", which "
                            "is not over all segments of the indexes that differ",
                            naming_.array(array), label));
  const ElementType type = program_.arrays[static_cast<std::size_t>(array)].type;
  if (const ElementType kept = kept_.type_of(label); kept != type)
    throw Error(
        Errc::bad_input,
        fmt::format("array '{}' is declared '{}{}', but what is kept under \"{}\" is "
                    "'{}{}': declare both alike, and copy blocks to convert them",
                    naming_.array(array), array::element_words[static_cast<std::size_t>(type)],
                    program::word_of(program_.arrays[static_cast<std::size_t>(array)].kind), label,
                    array::element_words[static_cast<std::size_t>(kept)],
                    program::word_of(program_.arrays[static_cast<std::size_t>(array)].kind)));
  transport_.settle();
  blocks_.forget_copies(array);
  if (found->second == extents_of(array))
    restore_blocks(array, label);
  else
    restore_part(array, label, found->second, *before);
  existing_.erase(array);
}

/// Collective. The servers give all blocks of a label the number of `array`.
void Interpreter::restore_blocks(std::int32_t array, const std::string& label) {
  transport_.meet(Collective::persist);
  if (options_.worker == 0)
    for (const auto& answer : transport_.ask_all(wire::RestoreArray{0, array, label}))
      if (std::holds_alternative<wire::Failed>(answer))
        throw Error(Errc::internal, fmt::format("a server does not know label \"{}\"", label));
  transport_.meet(Collective::persist);
}

/// Collective. Blocks have other numbers, and so other homes, in a part: all are restored under the
/// number of an array that the program does not have, and the workers put those of the part where
/// they belong. Blocks missing in the part are dropped from the array, as in a whole restore.
void Interpreter::restore_part(std::int32_t array, const std::string& label,
                               const std::vector<std::vector<Extent>>& kept,
                               const std::vector<std::int64_t>& before) {
  delete_array(array);
  const auto all = static_cast<std::int32_t>(program_.arrays.size());
  restore_blocks(all, label);
  const std::unordered_set<std::uint64_t> there = blocks_on_servers(all);
  const array::Grid& grid = tables_.grids[static_cast<std::size_t>(array)];
  std::array<std::int64_t, array::max_order> segments{};
  const auto workers = static_cast<std::uint64_t>(options_.workers);
  for (auto block = static_cast<std::uint64_t>(options_.worker); block < grid.block_count();
       block += workers) {
    grid.segments_of(block, {segments.data(), grid.order()});
    std::uint64_t number = 0;
    for (std::size_t k = grid.order(); k-- > 0;)
      number = number * kept[k].size() +
               static_cast<std::uint64_t>(segments[k] - grid.axis(k).first() + before[k]);
    if (!there.contains(number)) continue;
    transport_.put({array, block}, wire::PutMode::set, transport_.fetch_listed({all, number}),
                   program_.arrays[static_cast<std::size_t>(array)].type);
  }
  transport_.settle();
  transport_.meet(Collective::persist);
  if (options_.worker == 0) transport_.ask_all(wire::DeleteArray{0, all});
  transport_.meet(Collective::persist);
  ++here_.epoch;
}

std::vector<std::vector<Extent>> Interpreter::extents_of(std::int32_t array) const {
  const array::Grid& grid = tables_.grids[static_cast<std::size_t>(array)];
  std::vector<std::vector<Extent>> extents;
  for (std::size_t k = 0; k < grid.order(); ++k) extents.push_back(grid.axis(k).extents());
  return extents;
}

DenseArray Interpreter::dense_copy(std::int32_t array) {
  const array::Grid& grid = tables_.grids[static_cast<std::size_t>(array)];
  const ElementType type = program_.arrays[static_cast<std::size_t>(array)].type;
  DenseArray result{whole_extents(grid), {}, type};
  if (grid.element_count() == 0) return result;
  const View whole = blocks_.whole(array);
  const auto count = static_cast<std::size_t>(whole.shape.element_count());
  result.values.resize(array::is_complex(type) ? 2 * count : count);
  convert(whole, View::dense(result.values.data(), whole.shape, storage_type(type)));
  return result;
}

void Interpreter::keep_marked() {
  for (const Mark& mark : marked_scalars_)
    kept_.scalars[*mark.label] = {scalars_[static_cast<std::size_t>(mark.id)],
                                  program_.scalars[static_cast<std::size_t>(mark.id)].is_complex};
  for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
    const auto& decl = program_.arrays[k];
    const auto kept = environment_.persistent.find(decl.name);
    if (kept != environment_.persistent.end() && is_shared_or_static(decl.kind))
      marked_arrays_.push_back({static_cast<std::int32_t>(k), &kept->second});
  }
  for (const Mark& mark : marked_arrays_) {
    if (program_.arrays[static_cast<std::size_t>(mark.id)].kind == ArrayKind::static_) {
      kept_.arrays[*mark.label] = dense_copy(mark.id);
      continue;
    }
    kept_.distributed[*mark.label] = extents_of(mark.id);
    kept_.element_types[*mark.label] = program_.arrays[static_cast<std::size_t>(mark.id)].type;
    if (options_.worker == 0) transport_.ask_all(wire::KeepArray{0, mark.id, *mark.label});
  }
}

/// An implied barrier; then labels are set, and the arrays of the program go from the servers.
void Interpreter::end_program() {
  transport_.settle();
  blocks_.forget_copies();
  transport_.meet(Collective::end);
  keep_marked();
  if (options_.worker == 0) transport_.ask_all(wire::EndProgram{0});
  transport_.meet(Collective::end);
  ++here_.epoch;
}

/// For later programs. An array that holds more than this program's range keeps the rest.
void Interpreter::hand_on(std::int32_t array, const DenseArray& values) {
  const std::string& name = naming_.array(array);
  const auto [given, is_new] = environment_.arrays.try_emplace(name, values);
  if (is_new || values.values.empty()) return;
  const auto part = matching_part(tables_.grids[static_cast<std::size_t>(array)],
                                  environment_.segments, given->second);
  if (part && (array::is_complex(given->second.type) || !array::is_complex(values.type)))
    convert(blocks_.whole(array), *part);
  else
    given->second = values;
}

Outcome Interpreter::outcome() {
  Outcome result;
  for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
    const auto& decl = program_.arrays[k];
    if (decl.kind != ArrayKind::static_) continue;
    DenseArray values = dense_copy(static_cast<std::int32_t>(k));
    if (decl.is_predefined) hand_on(static_cast<std::int32_t>(k), values);
    if (options_.worker == 0) result.arrays.emplace(decl.name, std::move(values));
  }
  for (std::size_t k = 0; k < ints_.size(); ++k) result.ints[program_.ints[k].name] = ints_[k];
  for (std::size_t k = 0; k < scalars_.size(); ++k)
    if (program_.scalars[k].is_complex)
      result.complex_scalars[program_.scalars[k].name] = scalars_[k];
    else
      result.scalars[program_.scalars[k].name] = scalars_[k].real();
  if (options_.check)
    for (const std::string& name : blocks_.leaks())
      result.warnings.push_back(fmt::format("{}: local block {} was never deallocated (worker {})",
                                            program_.name, name, options_.worker));
  result.metrics = metrics();
  if (result.metrics.device.failures > 0)
    result.warnings.push_back(fmt::format("worker {} continues without device {}: {}",
                                          options_.worker, worker_device_.number(),
                                          device_->failure()));
  return result;
}

}  // namespace blockyard::worker::detail
