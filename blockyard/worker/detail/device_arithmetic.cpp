// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/device_arithmetic.h"

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/device/operation.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using device::Address;
using program::Mode;
using tensor::Shape;

namespace {

std::size_t bytes_of(const Shape& shape, ElementType type) {
  return static_cast<std::size_t>(shape.element_count()) * array::bytes_of(type);
}

blockyard_element word_of(ElementType type) {
  return array::with_type(type, []<class T>() { return device::element_of<T>; });
}

bool is_processor(const device::Device& device) {
  try {
    return device.describe().shares_host_memory != 0;
  } catch (const Error&) {  // its users will see it fail
    return true;
  }
}

std::optional<Shape> squeeze(const Shape& shape, const std::vector<std::size_t>& positions) {
  std::array<Extent, Shape::max_order> extents{};
  Extent count = 1;
  for (std::size_t k = 0; k < positions.size(); ++k) count *= extents[k] = shape[positions[k]];
  if (count != shape.element_count()) return std::nullopt;
  return Shape({extents.data(), positions.size()});
}

}  // namespace

DeviceArithmetic::DeviceArithmetic(const program::Program& program, Blocks& blocks,
                                   block::Residency& device, const Options& options)
    : program_(program),
      blocks_(blocks),
      device_(device),
      learns_(options.learns_placement),
      respects_hints_(options.respects_hints),
      placement_(program.code.size(), is_processor(device.device())),
      on_device_(program.arrays.size(), !options.learns_placement),
      is_operand_(program.arrays.size(), false) {}

void DeviceArithmetic::host_took(double host_flops, double seconds) noexcept {
  placement_.host_took(blocks_.pc(), host_flops, seconds);
}

void DeviceArithmetic::note_side(const Contraction& all, bool is_on_device) {
  if (!learns_) return;
  const auto note = [&](const Located& at) {
    on_device_[static_cast<std::size_t>(at.selector->array)] = is_on_device;
  };
  for (const Located& operand : all.operands) note(operand);
  if (all.to != nullptr) note(*all.to);
}

block::Placement::Side DeviceArithmetic::side(const Contraction& all) {
  if (!learns_ || is_hinted_) return block::Placement::Side::device;
  block::Placement::Work work;
  work.flops = all.chain->flops;
  if (!device_.is_in_place()) add_copies(work, all);
  const block::Placement::Side side = placement_.choose(blocks_.pc(), work);
  note_side(all, side != block::Placement::Side::host);
  return side;
}

void DeviceArithmetic::add_copies(block::Placement::Work& work, const Contraction& all) const {
  const auto add = [&](const base::Buffer& frame) {
    if (!device_.is_resident(frame)) work.to_device_bytes += frame.size();
    if (device_.is_modified(frame)) work.from_device_bytes += frame.size();
  };
  for (const DeviceOperand& operand : operands_) add(*operand.frame);
  if (all.to == nullptr) return;
  const std::int32_t array = all.to->selector->array;
  const std::size_t bytes = bytes_of(all.to->shape(), all.type);
  if (all.accumulates && on_device_[static_cast<std::size_t>(array)])
    work.from_device_bytes += bytes;
  else if (all.accumulates)
    work.to_device_bytes += bytes;
  work.expected_back_bytes = static_cast<double>(bytes) * blocks_.own().device_results_read(array);
}

bool DeviceArithmetic::fill(const Located& at, Mode mode, Number value) {
  // An axpby with beta = 0 would not look at the block, in which NaN and infinity must stay NaN.
  if (mode == Mode::multiply && value == 0.0) return false;
  if (!blocks_.is_device_result(at)) return false;
  return is_wanted(at) && attempt([&] {
           const bool updates = mode != Mode::set;
           const block::SharedFrame frame = blocks_.device_result(at, updates);
           const ElementType type = type_of(at);
           const auto count = static_cast<Extent>(frame->size() / array::bytes_of(type));
           const std::optional<device::Plan>* axpby = updates ? &axpby_plan(type, count) : nullptr;
           if (updates && !*axpby) return false;
           const auto to = device_.operand(frame, updates ? block::Use::update : block::Use::write);
           const auto other = updates ? device_.scratch(frame->size()) : Address{0};
           if (!to || !other) return false;
           const Number added = mode == Mode::subtract ? -value : value;
           device_.enqueue([&](device::Stream& stream) {
             if (mode == Mode::set) {
               stream.fill(*to, word_of(type), value, count);
               return;
             }
             const bool scales = mode == Mode::multiply;
             stream.fill(*other, word_of(type), scales ? 0.0 : added, count);
             stream.run(
                 **axpby,
                 {.alpha = 1, .beta = scales ? value : Number(1), .result = *to, .left = *other});
           });
           return true;
         });
}

bool DeviceArithmetic::copy(const Located& to, const Located& from, bool accumulates, Number factor,
                            const Match& match) {
  const ElementType type = type_of(to);
  if (type_of(from) != type || from.selector->part == program::Part::conjugate) return false;
  if (!blocks_.is_device_result(to) || to.may_overlap(from)) return false;
  return is_wanted(to) && attempt([&] {
           const DeviceOperand source = blocks_.device_operand(from);
           if (source.frame == nullptr) return false;
           const auto in = squeeze(from.shape(), match.from_positions);
           const auto out = squeeze(to.shape(), match.to_positions);
           if (!in || !out) return false;
           for (std::size_t k = 0; k < match.permutation.size(); ++k)
             if ((*out)[k] != (*in)[static_cast<std::size_t>(match.permutation[k])]) return false;
           const auto& plan = copy_plan(type, *in, match.permutation);
           if (!plan) return false;
           const auto left = device_.operand(source.frame, block::Use::read, source.is_kept);
           if (!left) return false;
           const block::SharedFrame frame = blocks_.device_result(to, accumulates);
           const auto result =
               device_.operand(frame, accumulates ? block::Use::update : block::Use::write);
           const auto workspace =
               device_.scratch(static_cast<std::size_t>(plan->workspace_bytes()));
           if (!result || !workspace) return false;
           device_.enqueue([&](device::Stream& stream) {
             stream.run(*plan, {.alpha = factor,
                                .beta = accumulates ? 1.0 : 0.0,
                                .result = *result,
                                .left = *left,
                                .workspace = *workspace});
           });
           return true;
         });
}

bool DeviceArithmetic::read_operands(const Contraction& all) {
  operands_.clear();
  for (const Located& operand : all.operands) {
    operands_.push_back(blocks_.device_operand(operand));
    if (operands_.back().frame == nullptr) return false;
    is_operand_[static_cast<std::size_t>(operand.selector->array)] = true;
  }
  return true;
}

void DeviceArithmetic::copy_ahead(const block::SharedFrame& frame) {
  try {
    device_.bring_ahead(frame);
  } catch (const Error& error) {
    if (error.code() != Errc::device) throw;
    device_.retire(error.what());
  }
}

/// False: no room.
bool DeviceArithmetic::bring_operands(bool is_trial) {
  const double begin = is_trial ? base::now_seconds() : 0;
  const block::ResidencyCounts before = is_trial ? device_.counts() : block::ResidencyCounts();
  values_.clear();
  for (const DeviceOperand& operand : operands_) {
    const auto at = device_.operand(operand.frame, block::Use::read, operand.is_kept);
    if (!at) return false;
    values_.push_back(*at);
  }
  if (is_trial) {
    device_.finish_copies();
    placement_.copies_took(base::since(block::device_metrics(), device_.counts(), before),
                           base::now_seconds() - begin);
  }
  return true;
}

/// The steps of a chain, the last one into `result`. False: no room.
bool DeviceArithmetic::run(const Contraction& all, Address result, bool is_trial) {
  const Chain& chain = *all.chain;
  const Planned& planned = plan(chain, all.type);
  const auto workspace = device_.scratch(planned.workspace_bytes);
  if (!workspace) return false;
  for (std::size_t k = 0; k + 1 < chain.steps.size(); ++k) {
    const auto made = device_.scratch(bytes_of(chain.steps[k].shape, all.type));
    if (!made) return false;
    values_.push_back(*made);
  }
  values_.push_back(result);
  if (is_trial) device_.finish_runs();
  const double begin = is_trial ? base::now_seconds() : 0;
  device_.enqueue([&](device::Stream& stream) {
    for (std::size_t k = 0; k < chain.steps.size(); ++k) {
      const bool is_last = k + 1 == chain.steps.size();
      stream.run(planned.plans[k], {.alpha = is_last ? all.factor : Number(1),
                                    .beta = is_last && all.accumulates ? 1.0 : 0.0,
                                    .result = values_[all.operands.size() + k],
                                    .left = values_[chain.steps[k].left],
                                    .right = values_[chain.steps[k].right],
                                    .workspace = *workspace});
    }
  });
  flops_ += chain.flops;
  if (is_trial) {
    device_.finish_runs();
    placement_.device_took(blocks_.pc(), chain.flops, base::now_seconds() - begin);
  }
  return true;
}

/// What mixes types is the host's.
bool DeviceArithmetic::product(const Contraction& all) {
  if (!is_open() || all.is_mixed || !blocks_.is_device_result(*all.to)) return false;
  for (const Located& operand : all.operands)
    if (all.to->may_overlap(operand)) return false;
  return attempt([&] {
    if (!read_operands(all) || !plan(*all.chain, all.type).is_possible) return false;
    const block::Placement::Side where = side(all);
    const bool is_trial = where == block::Placement::Side::trial;
    if (where == block::Placement::Side::host || !bring_operands(is_trial)) return false;
    const block::SharedFrame frame = blocks_.device_result(*all.to, all.accumulates);
    const auto result =
        device_.operand(frame, all.accumulates ? block::Use::update : block::Use::write);
    return result && run(all, *result, is_trial);
  });
}

std::optional<Number> DeviceArithmetic::contract_all(const Contraction& all) {
  if (!is_open() || all.is_mixed) return std::nullopt;
  Number result = 0;  // of a real type only the begin is written
  const bool is_done = attempt([&] {
    if (!read_operands(all) || !plan(*all.chain, all.type).is_possible) return false;
    const block::Placement::Side where = side(all);
    const bool is_trial = where == block::Placement::Side::trial;
    if (where == block::Placement::Side::host || !bring_operands(is_trial)) return false;
    const std::size_t bytes = array::bytes_of(all.type);
    const auto number = device_.scratch(bytes);
    if (!number || !run(all, *number, is_trial)) return false;
    device_.read_back(*number, std::as_writable_bytes(std::span(&result, 1)).first(bytes));
    return true;
  });
  return is_done ? std::optional(result) : std::nullopt;
}

const DeviceArithmetic::Planned& DeviceArithmetic::plan(const Chain& chain, ElementType type) {
  const auto [found, is_new] = plans_.try_emplace(&chain);
  Planned& planned = found->second;
  if (!is_new) return planned;
  for (const Chain::Step& step : chain.steps) {
    auto plan = device_.device().open_plan(device::contract_operation(
        word_of(type), step.spec, step.shape, step.left_shape, step.right_shape));
    if (!plan) return planned;
    planned.workspace_bytes =
        std::max(planned.workspace_bytes, static_cast<std::size_t>(plan->workspace_bytes()));
    planned.plans.push_back(std::move(*plan));
  }
  planned.is_possible = true;
  return planned;
}

const std::optional<device::Plan>& DeviceArithmetic::copy_plan(
    ElementType type, const Shape& in, const std::vector<int>& permutation) {
  auto key = static_cast<std::uint64_t>(type);
  for (const Extent extent : in.extents()) key = key * 1000003 + static_cast<std::uint64_t>(extent);
  for (const int position : permutation) key = key * 31 + static_cast<std::uint64_t>(position);
  auto& known = copy_plans_[key];
  for (const auto& one : known)
    if (one->type == type && one->in == in && one->permutation == permutation) return one->plan;
  auto plan = device_.device().open_plan(device::permute_operation(word_of(type), in, permutation));
  known.push_back(
      std::make_unique<PlannedCopy>(PlannedCopy{type, in, permutation, std::move(plan)}));
  return known.back()->plan;
}

const std::optional<device::Plan>& DeviceArithmetic::axpby_plan(ElementType type, Extent count) {
  const auto found = axpby_plans_.find({type, count});
  if (found != axpby_plans_.end()) return found->second;
  auto plan =
      device_.device().open_plan(device::axpby_operation(word_of(type), Shape({&count, 1})));
  return axpby_plans_.emplace(std::pair(type, count), std::move(plan)).first->second;
}

}  // namespace blockyard::worker::detail
