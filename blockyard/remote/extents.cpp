// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/extents.h"

#include "blockyard/device/abi_kinds.h"

namespace blockyard::remote {

std::uint64_t element_bytes(std::uint32_t element) noexcept {
  switch (element) {
    case BLOCKYARD_F32:
      return 4;
    case BLOCKYARD_F64:
    case BLOCKYARD_C64:
      return 8;
    case BLOCKYARD_C128:
      return 16;
    default:
      return 0;
  }
}

std::optional<std::uint64_t> block_bytes(const blockyard_operand& operand,
                                         std::uint32_t element) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  std::uint64_t bytes = element_bytes(element);
  if (bytes == 0 || operand.order > blockyard_max_order) return std::nullopt;
  for (std::uint32_t k = 0; k < operand.order; ++k) {
    const std::int64_t extent = operand.extent[k];
    if (extent <= 0 || static_cast<std::uint64_t>(extent) > most / bytes) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

bool has_right(const blockyard_operation& operation) noexcept {
  switch (operation.kind) {
    case BLOCKYARD_CONTRACT:
    case BLOCKYARD_DOT:
    case BLOCKYARD_FACTOR:
    case BLOCKYARD_REFLECT:
    case BLOCKYARD_SPECTRUM:
      return true;
    default:
      return false;
  }
}

bool is_measurable(const blockyard_operation& operation) noexcept {
  return block_bytes(operation.result, operation.element) &&
         block_bytes(operation.left, operation.element) &&
         (!has_right(operation) || block_bytes(operation.right, operation.element));
}

}  // namespace blockyard::remote
