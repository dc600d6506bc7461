// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <mutex>
#include <type_traits>

#include "blockyard/device/abi.h"
#include "blockyard/device/abi_kinds.h"

/// What implementations of the table in C++ have in common. Sees no header of ours but abi_*.h.
namespace blockyard::device {

/// A number of the ABI as an element.
template <class T>
[[nodiscard]] T number(const double parts[2]) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(parts[0]);
  else
    return {static_cast<typename T::value_type>(parts[0]),
            static_cast<typename T::value_type>(parts[1])};
}

[[nodiscard]] constexpr std::uint64_t element_bytes(std::uint32_t element) noexcept {
  constexpr std::array<std::uint64_t, 4> bytes = {4, 8, 8, 16};
  return bytes[element];
}
[[nodiscard]] inline std::uint64_t element_count(const blockyard_operand& operand) noexcept {
  std::uint64_t count = 1;
  for (std::uint32_t at = 0; at < operand.order; ++at)
    count *= static_cast<std::uint64_t>(operand.extent[at]);
  return count;
}

template <class T>
[[nodiscard]] T conjugated(T value, bool conjugate = true) {
  if constexpr (!std::is_floating_point_v<T>)
    if (conjugate) return std::conj(value);
  return value;
}

/// The function of the table where a handle stands for a Device with members `mutex` and
/// `last_error`.
template <class Device>
void tell_last_error(blockyard_device* handle, char* text, std::uint64_t bytes) {
  if (handle == nullptr || bytes == 0) return;
  Device& device = *reinterpret_cast<Device*>(handle);
  const std::lock_guard lock(device.mutex);
  text[device.last_error.copy(text, bytes - 1)] = '\0';
}

/// One index of an operation: its extent, and its stride in elements in result, left and right (0
/// where it does not stand).
struct OperationIndex {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> stride{};
  int places = 0;  ///< operands that have it
};
using OperationIndexes = std::map<std::int32_t, OperationIndex>;  ///< by name

/// Adds the indexes of one operand. Returns what is wrong with it, or null.
inline const char* add_indexes(const blockyard_operand& operand, std::size_t side,
                               OperationIndexes& indexes) {
  if (operand.order > blockyard_max_order) return "an operand has too many indexes";
  std::int64_t stride = 1;
  for (std::uint32_t k = 0; k < operand.order; ++k) {
    if (operand.extent[k] < 1) return "an extent is not positive";
    OperationIndex& index = indexes[operand.name[k]];
    if (index.stride[side] != 0) return "an index name appears twice in one operand";
    if (index.places++ > 0 && index.extent != operand.extent[k])
      return "an index has different extents in two operands";
    index.extent = operand.extent[k];
    index.stride[side] = stride;
    stride *= operand.extent[k];
  }
  return nullptr;
}

/// The indexes of an operation whose kind is at most BLOCKYARD_DOT. Returns what is wrong with its
/// operands, or null.
inline const char* find_indexes(const blockyard_operation& operation, OperationIndexes& indexes) {
  const bool has_right = operation.kind == BLOCKYARD_CONTRACT || operation.kind == BLOCKYARD_DOT;
  const std::array operands = {&operation.result, &operation.left, &operation.right};
  for (std::size_t side = 0; side < (has_right ? 3 : 2); ++side)
    if (const char* why = add_indexes(*operands[side], side, indexes)) return why;
  for (const auto& [name, index] : indexes)
    if (index.places < 2) return "an index name appears in one operand only";
  const auto have_same = [](const blockyard_operand& a, const blockyard_operand& b) {
    return a.order == b.order && std::equal(a.name, a.name + a.order, b.name);
  };
  const bool is_dot = operation.kind == BLOCKYARD_DOT;
  if ((operation.kind == BLOCKYARD_AXPBY && !have_same(operation.result, operation.left)) ||
      (is_dot && (operation.result.order != 0 || !have_same(operation.left, operation.right))))
    return "the operands do not fit the kind of the operation";
  return nullptr;
}

/// The flags that an operation on whole matrices, or a transform, may have.
constexpr std::uint32_t flags_of(std::uint32_t kind) noexcept {
  const auto all_of = [](auto... flags) { return (static_cast<std::uint32_t>(flags) | ...); };
  switch (kind) {
    case BLOCKYARD_SOLVE:
      return all_of(blockyard_conjugate_left, blockyard_transposed, blockyard_upper, blockyard_unit,
                    blockyard_from_right);
    case BLOCKYARD_FACTOR:
      return all_of(blockyard_upper, blockyard_cholesky, blockyard_qr);
    case BLOCKYARD_REFLECT:
      return all_of(blockyard_conjugate_left, blockyard_transposed, blockyard_from_right);
    case BLOCKYARD_SPECTRUM:
      return all_of(blockyard_upper, blockyard_singular, blockyard_vectors, blockyard_general,
                    blockyard_left_vectors);
    case BLOCKYARD_FFT:
      return blockyard_backward;
    default:
      return 0;
  }
}

}  // namespace blockyard::device
