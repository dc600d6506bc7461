// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/operation.h"

#include <algorithm>
#include <map>

namespace blockyard::plugin {
namespace {

struct Index : Axis {
  int places = 0;
};
using Indexes = std::map<std::int32_t, Index>;  // by name

/// Adds the indexes of one operand. Returns what is wrong with it, or null.
const char* add(const blockyard_operand& operand, std::size_t side, Indexes& indexes) {
  if (operand.order > blockyard_max_order) return "an operand has too many indexes";
  std::int64_t stride = 1;
  for (std::uint32_t at = 0; at < operand.order; ++at) {
    if (operand.extent[at] < 1) return "an extent is not positive";
    Index& index = indexes[operand.name[at]];
    if (index.stride[side] != 0) return "an index name appears twice in one operand";
    if (index.places++ > 0 && index.extent != operand.extent[at])
      return "an index has different extents in two operands";
    index.extent = operand.extent[at];
    index.stride[side] = stride;
    stride *= operand.extent[at];
  }
  return nullptr;
}

const char* find_indexes(const blockyard_operation& operation, Indexes& indexes) {
  const std::array operands = {&operation.result, &operation.left, &operation.right};
  const std::size_t count = has_right(operation) ? 3 : 2;
  for (std::size_t side = 0; side < count; ++side)
    if (const char* why = add(*operands[side], side, indexes)) return why;
  for (const auto& [name, index] : indexes)
    if (index.places < 2) return "an index name appears in one operand only";
  return nullptr;
}

bool same_indexes(const blockyard_operand& a, const blockyard_operand& b) {
  return a.order == b.order && std::equal(a.name, a.name + a.order, b.name);
}

}  // namespace

std::int64_t extent_of(const Axes& axes) noexcept {
  std::int64_t extent = 1;
  for (const Axis& axis : axes) extent *= axis.extent;
  return extent;
}

void sort_and_fuse(Axes& axes, std::size_t side) {
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  std::ranges::sort(axes, {}, [side](const Axis& axis) { return axis.stride[side]; });
  Axes fused;
  for (const Axis& axis : axes) {
    const bool follows =
        !fused.empty() && std::ranges::equal(axis.stride, fused.back().stride, {}, {},
                                             [extent = fused.back().extent](std::int64_t stride) {
                                               return stride * extent;
                                             });
    if (follows)
      fused.back().extent *= axis.extent;
    else
      fused.push_back(axis);
  }
  axes = std::move(fused);
}

blockyard_status analyse(const blockyard_operation& operation, Form& form, const char** why) {
  *why = "this device does not know the operation";
  if (operation.size < sizeof operation || operation.kind > BLOCKYARD_DOT ||
      operation.element > BLOCKYARD_C128 ||
      operation.flags > (blockyard_conjugate_left | blockyard_conjugate_right))
    return BLOCKYARD_UNSUPPORTED;
  Indexes indexes;
  *why = find_indexes(operation, indexes);
  if (*why != nullptr) return BLOCKYARD_BAD_ARGUMENT;
  *why = "the operands do not fit the kind of the operation";
  const bool is_dot = operation.kind == BLOCKYARD_DOT;
  if ((operation.kind == BLOCKYARD_AXPBY && !same_indexes(operation.result, operation.left)) ||
      (is_dot && (operation.result.order != 0 || !same_indexes(operation.left, operation.right))))
    return BLOCKYARD_BAD_ARGUMENT;
  form = {};
  for (const auto& [name, index] : indexes) {
    const auto& stride = index.stride;
    if (stride[of_result] == 0)
      form.k.push_back(index);
    else if (stride[of_left] == 0)
      form.n.push_back(index);
    else if (stride[of_right] == 0)
      form.m.push_back(index);
    else
      form.batch.push_back(index);
  }
  sort_and_fuse(form.m, of_result);
  sort_and_fuse(form.n, of_result);
  sort_and_fuse(form.k, of_left);
  sort_and_fuse(form.batch, of_result);
  return BLOCKYARD_OK;
}

std::uint64_t element_bytes(std::uint32_t element) noexcept {
  constexpr std::array<std::uint64_t, 4> bytes = {4, 8, 8, 16};
  return bytes[element];
}

std::uint64_t element_count(const blockyard_operand& operand) noexcept {
  std::uint64_t count = 1;
  for (std::uint32_t at = 0; at < operand.order; ++at)
    count *= static_cast<std::uint64_t>(operand.extent[at]);
  return count;
}

bool has_right(const blockyard_operation& operation) noexcept {
  return operation.kind == BLOCKYARD_CONTRACT || operation.kind == BLOCKYARD_DOT;
}

}  // namespace blockyard::plugin
