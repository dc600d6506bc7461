// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/persistence.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/program/print.h"

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

/// The first few lengths: an index may have thousands of segments.
std::string lengths_of(std::span<const Extent> segments) {
  constexpr std::size_t most = 8;
  if (segments.size() <= most) return array::print_segments(segments);
  return fmt::format("{} and {} more", array::print_segments(segments.first(most)),
                     segments.size() - most);
}

/// For each index of an array how many segments stand before its range in what is kept of `kept`
/// segments: none, or, where all segments of its kind are kept, those before its first. Throws
/// Error{bad_input}, which begins with `what`, if what is kept does not fit.
std::vector<std::int64_t> segments_before(const array::Grid& grid, const array::Segments& segments,
                                          const std::vector<std::vector<Extent>>& kept,
                                          const std::string& what) {
  if (kept.size() != grid.order())
    throw Error(Errc::bad_input,
                fmt::format("{}: it has {} indexes, and that {}", what, grid.order(), kept.size()));
  std::vector<std::int64_t> before(grid.order(), 0);
  for (std::size_t k = 0; k < grid.order(); ++k) {
    const array::Axis& axis = grid.axis(k);
    if (kept[k] == axis.extents()) continue;
    if (!std::ranges::equal(kept[k], segments.extents(axis.kind())))
      throw Error(
          Errc::bad_input,
          fmt::format("{}: the lengths of the segments of index {} are {} here and {} there: use "
                      "the segments and the range of the program that kept it",
                      what, k + 1, lengths_of(axis.extents()), lengths_of(kept[k])));
    before[k] = axis.first() - 1;
  }
  return before;
}

/// The block of the part that is block `number` of all kept; none if it is outside.
std::optional<std::uint64_t> number_in_part(const array::Grid& grid,
                                            const std::vector<std::vector<Extent>>& kept,
                                            const std::vector<std::int64_t>& before,
                                            std::uint64_t number) {
  std::array<std::int64_t, array::max_order> segments{};
  for (std::size_t k = 0; k < grid.order(); ++k) {
    const auto segment = static_cast<std::int64_t>(number % kept[k].size());
    number /= kept[k].size();
    segments[k] = segment - before[k] + grid.axis(k).first();
    if (!grid.contains(k, segments[k])) return std::nullopt;
  }
  return grid.number_of({segments.data(), grid.order()});
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

std::vector<std::string> Persistence::take_predefined() {
  std::vector<std::string> warnings;
  for (std::size_t k = 0; k < setting_.program().arrays.size(); ++k) {
    const auto& decl = setting_.program().arrays[k];
    if (const auto given = setting_.environment.restored.find(decl.name);
        given != setting_.environment.restored.end() && is_shared_or_static(decl.kind)) {
      restore_array(static_cast<std::int32_t>(k), given->second);
      continue;
    }
    if (decl.kind != ArrayKind::static_ || !decl.is_predefined) continue;
    const auto found = setting_.environment.arrays.find(decl.name);
    if (found != setting_.environment.arrays.end())
      load_static(static_cast<std::int32_t>(k), found->second, "the job's data");
    else
      warnings.push_back(
          fmt::format("warning: the job gives no data for predefined static array '{}': it is zero",
                      decl.name));
  }
  return warnings;
}

void Persistence::load_static(std::int32_t array, DenseArray& from, std::string_view what) {
  const array::Grid& grid = setting_.grid(array);
  if (grid.element_count() == 0) return;  // an index without segments
  const auto part = matching_part(grid, setting_.environment.segments, from);
  if (!part)
    throw Error(Errc::bad_input, fmt::format("static array '{}' has extents {}, but {} has {}",
                                             setting_.naming.array(array),
                                             array::print_segments(whole_extents(grid)), what,
                                             array::print_segments(from.extents)));
  const View to = blocks_.whole(array);
  check_types(setting_.naming.array(array), to.type, what, from.type);
  convert(*part, to);
}

void Persistence::restore_scalar(std::int32_t scalar, const std::string& label) {
  const auto found = setting_.kept.scalars.find(label);
  if (found == setting_.kept.scalars.end()) throw unknown_label(label, setting_.kept.scalars);
  const auto& decl = setting_.program().scalars[static_cast<std::size_t>(scalar)];
  if (found->second.is_complex && !decl.is_complex)
    throw Error(Errc::bad_input,
                fmt::format("scalar '{}' is real, but what is kept under \"{}\" is complex: "
                            "declare it 'complex'",
                            decl.name, label));
  variables_.scalar(scalar) = found->second.value;
}

void Persistence::restore_array(std::int32_t array, const std::string& label) {
  if (setting_.array(array).kind == ArrayKind::static_) {
    const auto found = setting_.kept.arrays.find(label);
    if (found == setting_.kept.arrays.end())
      throw unknown_label(label, setting_.kept.arrays, setting_.kept.distributed);
    load_static(array, found->second, fmt::format("what is kept under \"{}\"", label));
    return;
  }
  const auto found = setting_.kept.distributed.find(label);
  if (found == setting_.kept.distributed.end())
    throw unknown_label(label, setting_.kept.arrays, setting_.kept.distributed);
  const array::Grid& grid = setting_.grid(array);
  const auto before =
      segments_before(grid, setting_.environment.segments, found->second,
                      fmt::format("array '{}' does not fit what is kept under \"{}\"",
                                  setting_.naming.array(array), label));
  const ElementType type = setting_.array(array).type;
  if (const ElementType kept = setting_.kept.type_of(label); kept != type)
    throw Error(Errc::bad_input,
                fmt::format("array '{}' is declared '{}{}', but what is kept under \"{}\" is "
                            "'{}{}': declare both alike, and copy blocks to convert them",
                            setting_.naming.array(array),
                            array::element_words[static_cast<std::size_t>(type)],
                            program::word_of(setting_.array(array).kind), label,
                            array::element_words[static_cast<std::size_t>(kept)],
                            program::word_of(setting_.array(array).kind)));
  setting_.transport.settle();
  blocks_.forget_copies(array);
  if (found->second == extents_of(array))
    restore_blocks(array, label);
  else
    restore_part(array, label, found->second, before);
  transfers_.outdate_existing(array);
}

/// Collective. The servers give all blocks of a label the number of `array`.
void Persistence::restore_blocks(std::int32_t array, const std::string& label) {
  setting_.transport.meet(Collective::persist);
  for (const auto& answer : setting_.transport.ask_share(wire::RestoreArray{0, array, label}))
    if (std::holds_alternative<wire::Failed>(answer))
      throw Error(Errc::internal, fmt::format("a server does not know label \"{}\"", label));
  setting_.transport.meet(Collective::persist);
}

/// Collective. Blocks have other numbers, and so other homes, in a part: all are restored under the
/// number of an array that the program does not have, and the workers put those of the part where
/// they belong. Blocks missing in the part are dropped from the array, as in a whole restore.
void Persistence::restore_part(std::int32_t array, const std::string& label,
                               const std::vector<std::vector<Extent>>& kept,
                               const std::vector<std::int64_t>& before) {
  transfers_.delete_array(array);
  const auto all = static_cast<std::int32_t>(setting_.program().arrays.size());
  restore_blocks(all, label);
  const auto [servers, workers, worker] =
      std::array{setting_.options.servers, setting_.options.workers, setting_.options.worker};
  for (int server = worker % servers; server < servers; server += workers) {
    const auto listed = std::get<wire::BlockList>(
        setting_.transport.ask(server, wire::ListBlocks{0, all, "", 0, 0}));
    // More workers than servers share the blocks of one.
    const int sharers = (workers - 1 - server) / servers + 1;
    for (auto k = static_cast<std::size_t>(worker / servers); k < listed.numbers.size();
         k += static_cast<std::size_t>(sharers)) {
      const auto block = number_in_part(setting_.grid(array), kept, before, listed.numbers[k]);
      if (!block) continue;
      block::SharedFrame values = setting_.transport.fetch_now({all, listed.numbers[k]});
      base::require(values != nullptr, "a server has the blocks that it lists");
      setting_.transport.put({array, *block}, wire::PutMode::set, std::move(values),
                             setting_.array(array).type);
    }
  }
  setting_.transport.settle();
  setting_.transport.meet(Collective::persist);
  setting_.transport.ask_share(wire::DeleteArray{0, all});
  setting_.transport.meet(Collective::persist);
  ++setting_.here.epoch;
}

std::vector<std::vector<Extent>> Persistence::extents_of(std::int32_t array) const {
  const array::Grid& grid = setting_.grid(array);
  std::vector<std::vector<Extent>> extents;
  for (std::size_t k = 0; k < grid.order(); ++k) extents.push_back(grid.axis(k).extents());
  return extents;
}

DenseArray Persistence::dense_copy(std::int32_t array) {
  const array::Grid& grid = setting_.grid(array);
  const ElementType type = setting_.array(array).type;
  DenseArray result{whole_extents(grid), {}, type};
  if (grid.element_count() == 0) return result;
  const View whole = blocks_.whole(array);
  const auto count = static_cast<std::size_t>(whole.shape.element_count());
  result.values.resize(array::is_complex(type) ? 2 * count : count);
  convert(whole, View::dense(result.values.data(), whole.shape, storage_type(type)));
  return result;
}

void Persistence::keep_marked() {
  for (const Mark& mark : marked_scalars_)
    setting_.kept.scalars[*mark.label] = {
        variables_.scalar(mark.id),
        setting_.program().scalars[static_cast<std::size_t>(mark.id)].is_complex};
  for (std::size_t k = 0; k < setting_.program().arrays.size(); ++k) {
    const auto& decl = setting_.program().arrays[k];
    const auto kept = setting_.environment.persistent.find(decl.name);
    if (kept != setting_.environment.persistent.end() && is_shared_or_static(decl.kind))
      marked_arrays_.push_back({static_cast<std::int32_t>(k), &kept->second});
  }
  for (const Mark& mark : marked_arrays_) {
    // Another kind of array may have had the label.
    if (setting_.array(mark.id).kind == ArrayKind::static_) {
      setting_.kept.distributed.erase(*mark.label);
      setting_.kept.element_types.erase(*mark.label);
      setting_.kept.arrays[*mark.label] = dense_copy(mark.id);
      continue;
    }
    setting_.kept.arrays.erase(*mark.label);
    setting_.kept.distributed[*mark.label] = extents_of(mark.id);
    setting_.kept.element_types[*mark.label] = setting_.array(mark.id).type;
    if (setting_.options.worker == 0)
      setting_.transport.ask_all(wire::KeepArray{0, mark.id, *mark.label});
  }
}

void Persistence::end_program() {
  transfers_.end_epoch();
  setting_.transport.meet(Collective::end);
  keep_marked();
  if (setting_.options.worker == 0) setting_.transport.ask_all(wire::EndProgram{0});
  setting_.transport.meet(Collective::end);
  ++setting_.here.epoch;
}

/// For later programs. An array that holds more than this program's range keeps the rest.
void Persistence::hand_on(std::int32_t array, const DenseArray& values) {
  const std::string& name = setting_.naming.array(array);
  const auto [given, is_new] = setting_.environment.arrays.try_emplace(name, values);
  if (is_new || values.values.empty()) return;
  const auto part =
      matching_part(setting_.grid(array), setting_.environment.segments, given->second);
  if (part && (array::is_complex(given->second.type) || !array::is_complex(values.type)))
    convert(blocks_.whole(array), *part);
  else
    given->second = values;
}

Outcome Persistence::outcome() {
  Outcome result;
  for (std::size_t k = 0; k < setting_.program().arrays.size(); ++k) {
    const auto& decl = setting_.program().arrays[k];
    const bool is_first = setting_.options.worker == 0;
    if (decl.kind != ArrayKind::static_ || !(decl.is_predefined || is_first)) continue;
    DenseArray values = dense_copy(static_cast<std::int32_t>(k));
    if (decl.is_predefined) hand_on(static_cast<std::int32_t>(k), values);
    if (is_first) result.arrays.emplace(decl.name, std::move(values));
  }
  const program::Program& program = setting_.program();
  for (std::size_t k = 0; k < program.ints.size(); ++k)
    result.ints[program.ints[k].name] = variables_.ints()[k];
  for (std::size_t k = 0; k < program.scalars.size(); ++k)
    if (program.scalars[k].is_complex)
      result.complex_scalars[program.scalars[k].name] = variables_.scalars()[k];
    else
      result.scalars[program.scalars[k].name] = variables_.scalars()[k].real();
  if (setting_.options.check)
    for (const std::string& name : blocks_.leaks())
      result.warnings.push_back(fmt::format("{}: local block {} was never deallocated (worker {})",
                                            program.name, name, setting_.options.worker));
  return result;
}

void Persistence::save(ProgramState& state) const {
  const auto mark = [&](const Mark& from) {
    const std::string* const first = setting_.program().texts.data();
    return ProgramState::Mark{from.id, static_cast<std::int32_t>(from.label - first)};
  };
  std::ranges::transform(marked_arrays_, std::back_inserter(state.marked_arrays), mark);
  std::ranges::transform(marked_scalars_, std::back_inserter(state.marked_scalars), mark);
}

void Persistence::load(const ProgramState& state) {
  const auto mark = [&](const ProgramState::Mark& from) {
    return Mark{from.id, &setting_.program().texts.at(static_cast<std::size_t>(from.text))};
  };
  std::ranges::transform(state.marked_arrays, std::back_inserter(marked_arrays_), mark);
  std::ranges::transform(state.marked_scalars, std::back_inserter(marked_scalars_), mark);
}

}  // namespace blockyard::worker::detail
