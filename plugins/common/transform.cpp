// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/transform.h"

#include <algorithm>
#include <set>

namespace blockyard::plugin {
namespace {

bool has_parts(const blockyard_operand& operand) {
  return operand.order > 0 && operand.name[0] == blockyard_parts;
}

bool is_order_valid(const blockyard_operation& operation) {
  return operation.left.order <= blockyard_max_order &&
         operation.result.order <= blockyard_max_order &&
         operation.right.order <= blockyard_max_order;
}

/// Empty: the operands do not fit each other.
std::vector<TransformIndex> indexes_of(const blockyard_operation& operation, Transform::Sort sort) {
  const blockyard_operand &left = operation.left, &result = operation.result;
  const std::uint32_t skip_in = has_parts(left) ? 1 : 0, skip_out = has_parts(result) ? 1 : 0;
  if (left.order - skip_in != result.order - skip_out) return {};
  const std::int32_t* const first = operation.right.name;
  const std::int32_t* const last = first + operation.right.order;
  std::set<std::int32_t> seen;
  std::uint32_t transformed = 0;
  std::vector<TransformIndex> all;
  for (std::uint32_t k = 0; k < left.order - skip_in; ++k) {
    const std::int32_t name = left.name[k + skip_in];
    const std::int32_t* const at = std::find(first, last, name);
    TransformIndex index{left.extent[k + skip_in], result.extent[k + skip_out], at != last,
                         at == first && sort != Transform::Sort::c2c};
    const bool is_in_whole = sort != Transform::Sort::c2r;
    const std::int64_t whole = is_in_whole ? index.in : index.out;
    const std::int64_t other = is_in_whole ? index.out : index.in;
    if (result.name[k + skip_out] != name || !seen.insert(name).second || index.in < 1 ||
        index.out < 1 || other != (index.is_halved ? whole / 2 + 1 : whole))
      return {};
    if (index.is_transformed) ++transformed;
    if (!index.is_transformed && !all.empty() && !all.back().is_transformed) {
      all.back().in *= index.in;
      all.back().out *= index.out;
    } else {
      all.push_back(index);
    }
  }
  return transformed == operation.right.order ? all : std::vector<TransformIndex>();
}

}  // namespace

std::uint64_t Transform::left_count() const noexcept {
  std::uint64_t count = 1;
  for (const TransformIndex& index : indexes) count *= static_cast<std::uint64_t>(index.in);
  return count;
}

std::uint64_t Transform::result_count() const noexcept {
  std::uint64_t count = 1;
  for (const TransformIndex& index : indexes) count *= static_cast<std::uint64_t>(index.out);
  return count;
}

blockyard_status analyse(const blockyard_operation& operation, Transform& transform,
                         const char** why) {
  *why = "this device does not know the transform";
  if (operation.size < sizeof operation || operation.element > BLOCKYARD_C128 ||
      (operation.flags & ~std::uint32_t{blockyard_backward}) != 0)
    return BLOCKYARD_UNSUPPORTED;
  const bool is_real = operation.element == BLOCKYARD_F32 || operation.element == BLOCKYARD_F64;
  const bool from_pairs = has_parts(operation.left), to_pairs = has_parts(operation.result);
  if (is_real && !from_pairs && !to_pairs) return BLOCKYARD_UNSUPPORTED;
  *why = "the operands of a transform do not fit each other";
  const auto is_pair = [](const blockyard_operand& operand) { return operand.extent[0] == 2; };
  if (!is_order_valid(operation) || operation.right.order == 0 ||
      (from_pairs && (to_pairs || !is_real || !is_pair(operation.left))) ||
      (to_pairs && (!is_real || !is_pair(operation.result))))
    return BLOCKYARD_BAD_ARGUMENT;
  using Sort = Transform::Sort;
  transform.sort = !is_real ? Sort::c2c : to_pairs ? Sort::r2c : Sort::c2r;
  transform.is_single = operation.element == BLOCKYARD_F32 || operation.element == BLOCKYARD_C64;
  transform.is_backward =
      is_real ? transform.sort == Sort::c2r : (operation.flags & blockyard_backward) != 0;
  transform.indexes = indexes_of(operation, transform.sort);
  return transform.indexes.empty() ? BLOCKYARD_BAD_ARGUMENT : BLOCKYARD_OK;
}

}  // namespace blockyard::plugin
