// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "plugins/common/operation.h"

namespace blockyard::cuda {

/// result(a,b) = sum over k, l of left(k,a,l)* right(l,b,k), or result(l,k,a) = left(k,a,l)*
inline blockyard_operation check_operation(std::uint32_t kind, std::uint32_t element) {
  blockyard_operation made{};
  made.size = sizeof made;
  made.kind = kind;
  made.element = element;
  made.flags = blockyard_conjugate_left;
  const auto operand = [](std::initializer_list<std::int32_t> names) {
    constexpr std::int64_t extents[] = {9, 10, 5, 6};
    blockyard_operand lies{};
    for (const std::int32_t name : names) {
      lies.name[lies.order] = name;
      lies.extent[lies.order++] = extents[name];
    }
    return lies;
  };
  constexpr std::int32_t a = 0, b = 1, k = 2, l = 3;
  made.left = operand({k, a, l});
  made.result = kind == BLOCKYARD_CONTRACT ? operand({a, b}) : operand({l, k, a});
  if (kind == BLOCKYARD_CONTRACT) made.right = operand({l, b, k});
  return made;
}

/// Blocks of a contraction or permutation with which two ways must give the same to the last bit:
/// no order of the sums rounds anything. Complex numbers lie as pairs.
template <class Real>
struct CheckNumbers {
  std::vector<Real> left, right, result;
  double alpha[2], beta[2];
};

namespace detail {

template <class Real>
std::vector<Real> whole_numbers(std::size_t count) {
  std::vector<Real> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<Real>(i * 7 % 11) - 4;
  return made;
}

/// Numbers that no shorter type holds.
template <class Real>
std::vector<Real> long_numbers(std::size_t count) {
  std::vector<Real> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = (1 + std::numeric_limits<Real>::epsilon()) * static_cast<Real>(1 << i % 4);
  return made;
}

/// Of three indexes the first and the last are summed: one power of two for each value of the
/// second, so that a sum has one term.
template <class Real>
std::vector<Real> single_numbers(std::size_t count, const blockyard_operand& lies,
                                 std::size_t parts) {
  std::vector<Real> made(count);
  const std::int64_t first = lies.extent[0], second = lies.extent[1], last = lies.extent[2];
  for (std::int64_t at = 0; at < second; ++at)
    made[parts * static_cast<std::size_t>(at % first + first * (at + second * (at % last)))] =
        static_cast<Real>(1 << at % 3);
  return made;
}

}  // namespace detail

/// Whole numbers, overwriting numbers that are none and adding to some; then long ones of both
/// sides. `count` of Real for each block.
template <class Real>
std::vector<CheckNumbers<Real>> check_numbers(const blockyard_operation& operation,
                                              std::size_t count) {
  const std::size_t parts = operation.element >= BLOCKYARD_C64 ? 2 : 1;
  const std::vector<Real> none(count, std::numeric_limits<Real>::quiet_NaN());
  const auto whole = detail::whole_numbers<Real>(count), fine = detail::long_numbers<Real>(count);
  std::vector<CheckNumbers<Real>> made = {{whole, whole, none, {2, -1}, {0, 0}},
                                          {whole, whole, whole, {2, -1}, {3, 3}}};
  if (!plugin::has_right(operation)) {
    made.push_back({fine, none, none, {2, 0}, {0, 0}});
    return made;
  }
  const auto single = [&](const blockyard_operand& lies) {
    return detail::single_numbers<Real>(count, lies, parts);
  };
  made.push_back({fine, single(operation.right), none, {2, 0}, {0, 0}});
  made.push_back({single(operation.left), fine, none, {2, 0}, {0, 0}});
  return made;
}

}  // namespace blockyard::cuda
