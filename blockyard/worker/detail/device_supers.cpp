// SPDX-License-Identifier: Apache-2.0
// The part of DeviceArithmetic that runs super instructions.
#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/device/operation.h"
#include "blockyard/worker/detail/device_arithmetic.h"

namespace blockyard::worker::detail {

using super::Access;

namespace {

blockyard_element word_of(ElementType type) {
  return array::with_type(type, []<class T>() { return device::element_of<T>; });
}

std::size_t bytes_of(const super::Operand& operand) {
  return static_cast<std::size_t>(super::element_count(operand)) * array::bytes_of(operand.type);
}

}  // namespace

/// Whether it writes whole blocks, each of which is only one of its operands.
bool DeviceArithmetic::has_results(const DeviceSuper& what) const {
  for (std::size_t k = 0; k < what.operands.size(); ++k) {
    if (what.operands[k].access == Access::read) continue;
    if (!blocks_.is_device_result(located_[k])) return false;
    for (std::size_t l = 0; l < what.operands.size(); ++l)
      if (l != k && what.selectors[l] >= 0 && located_[k].may_overlap(located_[l])) return false;
  }
  return true;
}

bool DeviceArithmetic::read_operands(const DeviceSuper& what) {
  operands_.clear();
  for (std::size_t k = 0; k < what.operands.size(); ++k) {
    if (what.selectors[k] < 0 || what.operands[k].access != Access::read) continue;
    operands_.push_back(blocks_.device_operand(located_[k]));
    if (operands_.back().frame == nullptr) return false;
  }
  return true;
}

block::Placement::Side DeviceArithmetic::side(const DeviceSuper& what) {
  if (!learns_ || is_hinted_) return block::Placement::Side::device;
  block::Placement::Work work;
  work.flops = super::work_of(what.operands);
  const auto add = [&](const base::Buffer& frame) {
    if (!device_.is_resident(frame)) work.to_device_bytes += frame.size();
    if (device_.is_modified(frame)) work.from_device_bytes += frame.size();
  };
  if (!device_.is_in_place()) {
    for (const DeviceOperand& operand : operands_) add(*operand.frame);
    for (std::size_t k = 0; k < what.operands.size(); ++k) {
      if (what.operands[k].access == Access::read) continue;
      const std::int32_t array = located_[k].selector->array;
      work.expected_back_bytes += static_cast<double>(bytes_of(what.operands[k])) *
                                  blocks_.own().device_results_read(array);
      if (what.operands[k].access != Access::update) continue;
      if (const auto before = blocks_.device_operand(located_[k]).frame) add(*before);
    }
  }
  return placement_.choose(blocks_.pc(), work);
}

/// Brings what is written and finds out where everything is. False: no room.
bool DeviceArithmetic::find_addresses(const DeviceSuper& what) {
  addresses_.assign(what.operands.size(), 0);
  auto read = values_.begin();
  for (std::size_t k = 0; k < what.operands.size(); ++k) {
    if (what.selectors[k] < 0) continue;
    const Access access = what.operands[k].access;
    if (access == Access::read) {
      addresses_[k] = *read++;
      continue;
    }
    const bool updates = access == Access::update;
    const block::SharedFrame frame = blocks_.device_result(located_[k], updates);
    const auto at = device_.operand(frame, updates ? block::Use::update : block::Use::write);
    if (!at) return false;
    addresses_[k] = *at;
  }
  return true;
}

void DeviceArithmetic::run(const DeviceSuper& what, const super::DeviceCall& call,
                           const device::Plan& plan, bool is_trial) {
  device::KernelRun kernel(call.extents);
  super::add_arguments(kernel, what.entry, what.operands, addresses_, call);
  if (is_trial) device_.finish_runs();
  const double begin = is_trial ? base::now_seconds() : 0;
  device_.enqueue([&](device::Stream& stream) {
    for (std::size_t k = 0; k < what.operands.size(); ++k)
      if (what.operands[k].access == Access::write)
        stream.fill(addresses_[k], word_of(what.operands[k].type), 0.0,
                    super::element_count(what.operands[k]));
    stream.run(plan, kernel);
  });
  if (!is_trial) return;
  device_.finish_runs();
  placement_.device_took(blocks_.pc(), super::work_of(what.operands), base::now_seconds() - begin);
}

bool DeviceArithmetic::execute(const DeviceSuper& what) {
  if (!is_open()) return false;
  const auto call = super::prepared(what.entry, what.operands, what.context);
  if (!call) return false;
  located_.assign(what.operands.size(), {});
  for (std::size_t k = 0; k < what.operands.size(); ++k)
    if (what.selectors[k] >= 0) blocks_.locate(what.selectors[k], located_[k]);
  if (!has_results(what)) return false;
  return attempt([&] {
    const auto& plan = form_plans_.of(device_.device(), what.entry, what.operands);
    if (!plan || !read_operands(what)) return false;
    const block::Placement::Side where = side(what);
    const bool is_trial = where == block::Placement::Side::trial;
    if (where == block::Placement::Side::host || !bring_operands(is_trial)) return false;
    if (!find_addresses(what)) return false;
    run(what, *call, *plan, is_trial);
    return true;
  });
}

}  // namespace blockyard::worker::detail
