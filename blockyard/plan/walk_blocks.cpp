// SPDX-License-Identifier: Apache-2.0
// The part of Walk that does with names and extents what statements do with blocks.
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/plan/walk.h"

namespace blockyard::plan {

using base::Errc;
using base::Error;
using program::ArrayKind;
using program::Instruction;
using program::Mode;
using program::Opcode;
using program::Selector;
using program::SelectorForm;
using tensor::Shape;

namespace {

constexpr int number_bits = 48;

std::uint64_t key_of(std::int32_t array, std::uint64_t number) {
  return static_cast<std::uint64_t>(array) << number_bits |
         (number & ((std::uint64_t{1} << number_bits) - 1));
}

bool is_remote(ArrayKind kind) {
  return kind == ArrayKind::distributed || kind == ArrayKind::served;
}

}  // namespace

const Walk::Located& Walk::locate(const Selector& selector) {
  LastLocated& last = located_[static_cast<std::size_t>(&selector - program_.selectors.data())];
  const std::size_t order = selector.indexes.size();
  bool is_same = last.is_valid;
  for (std::size_t k = 0; k < order; ++k) {
    const std::int64_t value = nest_.value_of(selector.indexes[k]);
    is_same = is_same && last.values[k] == value;
    last.values[k] = value;
  }
  if (is_same) return last.place;
  last.is_valid = false;
  static_cast<flow::Place&>(last.place) = flow::locate(naming_, selector, nest_.values());
  last.place.block_bytes =
      static_cast<double>(last.place.block_shape.element_count()) * element_bytes(selector.array);
  last.is_valid = true;
  return last.place;
}

/// The extents of what a selector names. A region with bounds of its own counts as the whole axis.
Shape Walk::shape_of(std::int32_t selector) {
  const Selector& selected = program_.selectors[static_cast<std::size_t>(selector)];
  if (selected.form == SelectorForm::block) return locate(selected).shape;
  const array::Grid& grid = tables_.grids[static_cast<std::size_t>(selected.array)];
  std::array<base::Extent, array::max_order> extents{};
  for (std::size_t k = 0; k < grid.order(); ++k) {
    const bool is_one = selected.form == SelectorForm::region && selected.indexes[k] >= 0;
    if (is_one) {
      const std::int64_t value = nest_.value_of(selected.indexes[k]);
      if (grid.contains(k, value)) extents[k] = grid.extent(k, value);
    }
    if (extents[k] == 0) extents[k] = grid.axis(k).element_count();
  }
  return Shape({extents.data(), grid.order()});
}

/// What is known of the elements of an array holds no more.
void Walk::forget_numbers(std::int32_t array) {
  std::erase_if(numbers_, [&](const auto& entry) {
    return entry.first >> number_bits == static_cast<std::uint64_t>(array);
  });
}

/// A block is written, and made where it is not there yet.
Shape Walk::write(std::int32_t selector) {
  const Selector& selected = program_.selectors[static_cast<std::size_t>(selector)];
  if (selected.form != SelectorForm::block) {
    forget_numbers(selected.array);
    return shape_of(selector);
  }
  const Located& place = locate(selected);
  if (program_.arrays[static_cast<std::size_t>(selected.array)].kind != ArrayKind::static_)
    make_own(selected.array, place);
  else if (!numbers_.empty())
    numbers_.erase(key_of(selected.array, place.id.number));
  return place.shape;
}

void Walk::fill(const Instruction& instruction) {
  const Value value = pop();
  const Shape shape = write(instruction.a);
  work_.block_operations += weight_ * ranks_.multiplicity();
  charge(costs_.fill(static_cast<double>(shape.element_count())), work_.core_seconds);
  const Selector& selected = program_.selectors[static_cast<std::size_t>(instruction.a)];
  if (value.is_known && nest_.pardo() == nullptr && shape.element_count() == 1 &&
      static_cast<Mode>(instruction.b) == Mode::set && selected.form == SelectorForm::block &&
      program_.arrays[static_cast<std::size_t>(selected.array)].kind == ArrayKind::static_)
    numbers_[key_of(selected.array, locate(selected).id.number)] = value;
}

/// The one element of a block.
Walk::Value Walk::element(std::int32_t selector) {
  const Selector& selected = program_.selectors[static_cast<std::size_t>(selector)];
  if (selected.form == SelectorForm::block && !numbers_.empty()) {
    const auto found = numbers_.find(key_of(selected.array, locate(selected).id.number));
    if (found != numbers_.end()) return found->second;
  }
  return {.is_known = false};
}

void Walk::make_own(std::int32_t array, const Located& block) {
  if (program_.arrays[static_cast<std::size_t>(array)].kind == ArrayKind::local) {
    if (locals_.emplace(key_of(array, block.id.number), block.block_bytes).second)
      frames_.take(block.block_bytes);
    return;
  }
  for (const Own& own : own_)
    if (own.array == array && own.number == block.id.number) return;
  own_.push_back({array, block.id.number, block.block_bytes});
  frames_.take(block.block_bytes);
}

void Walk::close_scope() {
  const std::size_t begin = scopes_.back();
  scopes_.pop_back();
  for (std::size_t k = begin; k < own_.size(); ++k) frames_.give_back(own_[k].bytes);
  own_.resize(begin);
}

/// The worker that works spends the seconds of a statement.
void Walk::charge(const Cost& cost, double& category) {
  const double times = weight_ * ranks_.multiplicity();
  if (cost.scratch_bytes > 0) {
    frames_.take(cost.scratch_bytes);
    frames_.give_back(cost.scratch_bytes);
  }
  const double seconds = cost.seconds + static_cast<double>(steps_) * machine_.instruction_seconds;
  steps_ = 0;
  work_.flops += times * cost.flops;
  work_.core_seconds += times * seconds;
  if (&category != &work_.core_seconds) category += times * seconds;
  ranks_.compute(weight_ * seconds);
}

/// The disks did what the servers wrote and read since the last time.
void Walk::charge_disk() {
  const double seconds = servers_.spilled_bytes / machine_.disk_write_bytes +
                         servers_.read_back_bytes / machine_.disk_read_bytes;
  ranks_.use_disk(seconds - disk_seconds_);
  disk_seconds_ = seconds;
}

void Walk::copy(const Instruction& instruction) {
  if ((instruction.c & program::flag_scaled) != 0) (void)pop();
  const Selector& to = program_.selectors[static_cast<std::size_t>(instruction.a)];
  const Selector& from = program_.selectors[static_cast<std::size_t>(instruction.b)];
  const Shape source = shape_of(instruction.b);
  (void)write(instruction.a);
  work_.block_operations += weight_ * ranks_.multiplicity();
  charge(costs_.copy(static_cast<double>(source.element_count()), to.indexes != from.indexes),
         work_.core_seconds);
}

void Walk::product(std::int32_t to, std::int32_t product) {
  const auto& operands = program_.products[static_cast<std::size_t>(product)].operands;
  shapes_.clear();
  for (const std::int32_t operand : operands) shapes_.push_back(shape_of(operand));
  const Shape result = to < 0 ? Shape() : write(to);
  work_.block_operations += weight_ * ranks_.multiplicity();
  charge(costs_.product(pc_, to, product, result, shapes_), work_.contraction_seconds);
}

void Walk::execute(const Instruction& instruction) {
  const auto& decl = program_.specials[static_cast<std::size_t>(instruction.a)];
  operands_.clear();
  for (std::int32_t k = 0; k < instruction.c; ++k) {
    const auto& argument = program_.arguments[static_cast<std::size_t>(instruction.b + k)];
    const bool is_written = decl.signature[static_cast<std::size_t>(k)] != 'r';
    if (argument.kind == program::ArgumentKind::scalar && is_written)
      scalars_[static_cast<std::size_t>(argument.id)].is_known = false;
    if (argument.kind != program::ArgumentKind::selector) continue;
    const Selector& selected = program_.selectors[static_cast<std::size_t>(argument.id)];
    CostOperand operand;
    operand.shape = is_written ? write(argument.id) : shape_of(argument.id);
    if (selected.form == SelectorForm::block) operand.segments = locate(selected).segments;
    operands_.push_back(operand);
  }
  work_.super_calls[decl.name] += weight_ * ranks_.multiplicity();
  charge(costs_.super(decl.name, operands_), work_.super_seconds);
}

/// Makes the blocks of a local array that a list selects, or removes them.
void Walk::allocate(std::int32_t selector, bool is_begin) {
  const Selector& selected = program_.selectors[static_cast<std::size_t>(selector)];
  double elements = 0;
  flow::for_each_selected(naming_, selected, nest_.values(), [&](const flow::Place& place) {
    const std::uint64_t key = key_of(selected.array, place.id.number);
    const auto count = static_cast<double>(place.shape.element_count());
    const double bytes = count * element_bytes(selected.array);
    elements += count;
    if (is_begin) {
      if (locals_.emplace(key, bytes).second) frames_.take(bytes);
    } else if (const auto found = locals_.find(key); found != locals_.end()) {
      frames_.give_back(found->second);
      locals_.erase(found);
    }
  });
  if (is_begin) charge(costs_.fill(elements), work_.core_seconds);
}

void Walk::get(std::int32_t selector) {
  const Selector& selected = program_.selectors[static_cast<std::size_t>(selector)];
  const Located& place = locate(selected);
  const double times = weight_ * ranks_.multiplicity();
  work_.gets += times;
  const bool is_foreign = ranks_.is_foreign(place.id.number);
  if (ranks_.request(key_of(selected.array, place.id.number), place.block_bytes, is_foreign,
                     cache_room())) {
    work_.cache_hits += times;
    return;
  }
  if (is_sampling_) {
    auto& misses = deferred_[selected.array];
    misses[0] += times;
    misses[1] += times * place.block_bytes;
    return;
  }
  const double before = servers_.read_back_bytes;
  servers_.get(selected.array, place.id.number, place.block_bytes);
  const double on_disk = servers_.read_back_bytes - before;
  charge_disk();
  const double share = ranks_.current() == RankModel::everybody ? ranks_.foreign_share()
                       : is_foreign                             ? 1.0
                                                                : 0.0;
  const double seconds = fetched(times * place.block_bytes, share, times);
  ranks_.transfer(seconds / times + on_disk / machine_.disk_read_bytes);
}

/// Counts blocks that came to workers; returns the seconds that they take on the way.
double Walk::fetched(double bytes, double foreign_share, double count) {
  work_.local_bytes += bytes * (1 - foreign_share);
  work_.fabric_bytes += bytes * foreign_share;
  ranks_.serve(count * machine_.get_seconds / 2);
  return count * machine_.get_seconds +
         foreign_share * (count * machine_.fabric_latency_seconds + bytes / machine_.fabric_bytes);
}

void Walk::put(const Instruction& instruction) {
  const Selector& selected = program_.selectors[static_cast<std::size_t>(instruction.a)];
  const bool is_scalar = instruction.opcode == Opcode::put_scalar;
  const auto mode = static_cast<Mode>(is_scalar ? instruction.b : instruction.c);
  const Located& place = locate(selected);
  if (!is_scalar) (void)shape_of(instruction.b);
  const auto& decl = program_.arrays[static_cast<std::size_t>(selected.array)];
  base::require(is_remote(decl.kind), "only distributed and served arrays are put");
  const double times = weight_ * ranks_.multiplicity();
  work_.puts += times;
  std::int64_t slot = 0;  // blocks along simple indexes are kept apart: a history
  for (std::size_t k = 0; k < decl.indexes.size(); ++k)
    if (program_.indexes[static_cast<std::size_t>(decl.indexes[k])].kind ==
        array::IndexKind::simple)
      slot = slot * 1000 + place.segments[k];
  servers_.put(selected.array, place.id.number, place.block_bytes, weight_, mode != Mode::set,
               slot);
  charge_disk();
  if (!is_scalar) {
    const double foreign = ranks_.current() == RankModel::everybody || is_sampling_
                               ? ranks_.foreign_share()
                           : ranks_.is_foreign(place.id.number) ? 1.0
                                                                : 0.0;
    work_.local_bytes += times * place.block_bytes * (1 - foreign);
    work_.fabric_bytes += times * place.block_bytes * foreign;
    const double seconds = foreign * place.block_bytes / machine_.fabric_bytes;
    if (is_sampling_)
      sampled_transfer_ += times * seconds;
    else
      ranks_.transfer(seconds);
  }
  const double edits = mode == Mode::set && !is_scalar ? 0 : 3 * place.block_bytes;
  ranks_.serve(times * (machine_.put_seconds / 2 + edits / machine_.copy_bytes));
  charge({0, machine_.put_seconds / 2, 0}, work_.core_seconds);
}

}  // namespace blockyard::plan
