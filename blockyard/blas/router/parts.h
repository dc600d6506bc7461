// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "blockyard/blas/level3.h"
#include "blockyard/blas/router/pack.h"
#include "blockyard/device/abi.h"

/// A call of level 3 as seen by a device: operands that all parts share, and parts of the result,
/// each with the operations that make it. Pure arithmetic on extents.
namespace blockyard::blas {

/// An operand of a step: of the shared ones the first or the second, or the part's own; from an
/// element on.
struct Source {
  enum class Where : std::uint8_t { first, second, part };
  Where where = Where::first;
  std::int64_t offset = 0;
};

/// One operation on the result of a part.
template <class T>
struct Step {
  blockyard_operation operation{};
  T alpha{}, beta{};
  Source left, right;
};

template <class T>
struct Part {
  View<T> result;        ///< where it lies in memory of the caller, and which elements count
  bool is_read = false;  ///< it goes to the device first
  std::optional<View<T>> operand;
  std::vector<Step<T>> steps;
};

template <class T>
[[nodiscard]] std::vector<View<T>> shared_operands(const Call<T>& call);

/// The part from..to of split_extent(call). has_operand: its operand is on the device as it lies in
/// memory of the caller; otherwise it may be packed as the first part wants it.
template <class T>
[[nodiscard]] Part<T> part_of(const Call<T>& call, std::int64_t from, std::int64_t to,
                              bool has_operand = false);

/// The steps of the first part of a product, each over a range of the summed index, so that the
/// device begins before all of the shared operand is there: step i of `count` needs the elements up
/// to k (i + 1) / count of that index, which come first in both operands. Empty: they do not.
template <class T>
[[nodiscard]] std::vector<Step<T>> steps_by_sums(const Call<T>& call, std::int64_t width,
                                                 std::int64_t count);

/// Elements of the larger of result and operand of a part, for each 1 of its extent.
template <class T>
[[nodiscard]] std::int64_t part_elements(const Call<T>& call) noexcept;

template <class T>
inline constexpr std::uint32_t element = BLOCKYARD_F64;
template <>
inline constexpr std::uint32_t element<float> = BLOCKYARD_F32;
template <>
inline constexpr std::uint32_t element<c64> = BLOCKYARD_C64;
template <>
inline constexpr std::uint32_t element<c128> = BLOCKYARD_C128;

}  // namespace blockyard::blas
