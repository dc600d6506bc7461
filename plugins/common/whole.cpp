// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/whole.h"

#include <algorithm>

#include "blockyard/device/abi_cpp.h"

namespace blockyard::plugin {
namespace {

bool is_matrix(const blockyard_operand& operand) noexcept {
  return operand.order == 2 && operand.extent[0] > 0 && operand.extent[1] > 0;
}

bool is_matrix(const blockyard_operand& operand, std::int64_t rows, std::int64_t columns) noexcept {
  return is_matrix(operand) && operand.extent[0] == rows && operand.extent[1] == columns;
}

/// Flags that contradict each other.
bool is_odd(const Whole& whole) noexcept {
  const bool conjugates = whole.has(blockyard_conjugate_left),
             transposes = whole.has(blockyard_transposed);
  if (conjugates && !transposes) return true;
  if (whole.kind == BLOCKYARD_REFLECT) return !whole.is_real() && conjugates != transposes;
  if (whole.kind == BLOCKYARD_FACTOR)
    return whole.has(blockyard_cholesky) && whole.has(blockyard_qr);
  return whole.kind == BLOCKYARD_SPECTRUM &&
         (whole.has(blockyard_general) ? whole.has(blockyard_singular)
                                       : whole.has(blockyard_left_vectors));
}

bool fits(const blockyard_operation& operation, const Whole& whole) noexcept {
  const std::int64_t least = std::min(whole.rows, whole.columns);
  const std::int64_t side = whole.has(blockyard_from_right) ? whole.columns : whole.rows;
  if (whole.kind == BLOCKYARD_SOLVE) return is_matrix(operation.left, side, side);
  if (operation.right.order != 1 || operation.right.extent[0] != whole.numbers()) return false;
  if (whole.kind == BLOCKYARD_REFLECT) return whole.left_rows == side && whole.left_columns <= side;
  if (whole.kind == BLOCKYARD_FACTOR)
    return !whole.has(blockyard_cholesky) || whole.rows == whole.columns;
  const bool has_vectors = whole.has(blockyard_vectors);
  if (whole.has(blockyard_singular))
    return !has_vectors || is_matrix(operation.result, whole.rows, least);
  return whole.rows == whole.columns && (!whole.has(blockyard_general) || !has_vectors ||
                                         is_matrix(operation.result, whole.rows, whole.rows));
}

}  // namespace

bool is_whole(std::uint32_t kind) noexcept {
  return kind >= BLOCKYARD_SOLVE && kind <= BLOCKYARD_SPECTRUM;
}

std::int64_t Whole::numbers() const noexcept {
  const std::int64_t least = std::min(rows, columns);
  if (kind == BLOCKYARD_REFLECT) return left_columns;
  if (kind == BLOCKYARD_FACTOR) return has(blockyard_cholesky) ? 1 : least + 1;
  return (has(blockyard_general) && is_real() ? 2 * rows : least) + 1;
}

blockyard_status analyse(const blockyard_operation& operation, Whole& whole, const char** why) {
  *why = "this device does not know the operation";
  if (operation.size < sizeof operation || operation.element > BLOCKYARD_C128 ||
      !is_whole(operation.kind) || (operation.flags & ~device::flags_of(operation.kind)) != 0)
    return BLOCKYARD_UNSUPPORTED;
  whole = {};
  whole.kind = operation.kind;
  whole.flags = operation.flags;
  whole.element = operation.element;
  if (is_odd(whole)) return BLOCKYARD_UNSUPPORTED;
  *why = "the operands do not fit the kind of the operation";
  const bool is_of_left = whole.kind == BLOCKYARD_SPECTRUM &&
                          (whole.has(blockyard_singular) || whole.has(blockyard_general));
  const blockyard_operand& main = is_of_left ? operation.left : operation.result;
  if (!is_matrix(main) || (whole.kind == BLOCKYARD_REFLECT && !is_matrix(operation.left)))
    return BLOCKYARD_BAD_ARGUMENT;
  whole.rows = main.extent[0];
  whole.columns = main.extent[1];
  whole.left_rows = operation.left.extent[0];
  whole.left_columns = operation.left.extent[1];
  return fits(operation, whole) ? BLOCKYARD_OK : BLOCKYARD_BAD_ARGUMENT;
}

}  // namespace blockyard::plugin
