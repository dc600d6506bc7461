// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/operation.h"

#include <array>
#include <complex>
#include <utility>
#include <vector>

#include "blockyard/device/abi_kernel_check.h"
#include "blockyard/device/abi_kinds.h"
#include "blockyard/device/sim/whole.h"

namespace blockyard::device::sim {
namespace {

/// An infinity times the zero imaginary part of a factor is no NaN.
template <class T>
T scaled(const T& factor, const T& x) {
  if constexpr (requires { x.imag(); })
    if (factor.imag() == 0) return {factor.real() * x.real(), factor.real() * x.imag()};
  return factor * x;
}

template <class T>
void run_as(const blockyard_operation& operation, const double alpha[2], const double beta[2],
            const Blocks& blocks) {
  OperationIndexes indexes;
  static_cast<void>(find_indexes(operation, indexes));  // checked when the plan was opened
  T* result = reinterpret_cast<T*>(blocks.result);
  const T* left = reinterpret_cast<const T*>(blocks.left);
  const T* right = reinterpret_cast<const T*>(blocks.right);
  const T a = number<T>(alpha), b = number<T>(beta);
  for (std::uint64_t i = 0; i < element_count(operation.result); ++i)
    result[i] = b == T(0) ? T(0) : scaled(b, result[i]);
  std::vector<std::pair<OperationIndex, std::int64_t>> at;
  for (const auto& [name, index] : indexes) at.emplace_back(index, 0);
  for (;;) {
    std::array<std::int64_t, 3> place{};
    for (const auto& [index, position] : at)
      for (std::size_t side = 0; side < 3; ++side) place[side] += position * index.stride[side];
    const T x = conjugated(left[place[1]], (operation.flags & blockyard_conjugate_left) != 0);
    const T term = scaled(a, x);
    result[place[0]] += right == nullptr
                            ? term
                            : term * conjugated(right[place[2]],
                                                (operation.flags & blockyard_conjugate_right) != 0);
    std::size_t k = 0;
    for (; k < at.size(); ++k) {
      if (++at[k].second < at[k].first.extent) break;
      at[k].second = 0;
    }
    if (k == at.size()) return;
  }
}

/// Calls body with a value of the element type.
template <class Body>
void with_element(std::uint32_t element, Body body) {
  switch (element) {
    case BLOCKYARD_F32:
      return body(float{});
    case BLOCKYARD_F64:
      return body(double{});
    case BLOCKYARD_C64:
      return body(std::complex<float>{});
    default:
      return body(std::complex<double>{});
  }
}

blockyard_status check_kernel(const blockyard_operation& operation, const char** why) {
  const auto& kernel = reinterpret_cast<const blockyard_kernel&>(operation);
  *why = blockyard_kernel_fault(&kernel);
  if (*why != nullptr) return BLOCKYARD_BAD_ARGUMENT;
  *why = "the kernel has no host form, which this device needs";
  return kernel.host == nullptr ? BLOCKYARD_UNSUPPORTED : BLOCKYARD_OK;
}

}  // namespace

blockyard_status check(const blockyard_operation& operation, const char** why) {
  *why = "this device does not know the operation";
  if (operation.size < sizeof operation) return BLOCKYARD_UNSUPPORTED;
  if (blockyard_is_kernel(&operation)) return check_kernel(operation, why);
  if (operation.element > BLOCKYARD_C128) return BLOCKYARD_UNSUPPORTED;
  if (operation.kind > BLOCKYARD_DOT) return check_whole(operation, why);
  if (operation.flags > (blockyard_conjugate_left | blockyard_conjugate_right))
    return BLOCKYARD_UNSUPPORTED;
  OperationIndexes indexes;
  *why = find_indexes(operation, indexes);
  return *why == nullptr ? BLOCKYARD_OK : BLOCKYARD_BAD_ARGUMENT;
}

bool has_right(const blockyard_operation& operation) noexcept {
  return operation.kind == BLOCKYARD_CONTRACT || operation.kind == BLOCKYARD_DOT ||
         operation.kind == BLOCKYARD_FACTOR;
}

void run(const blockyard_operation& operation, const double alpha[2], const double beta[2],
         const Blocks& blocks) {
  if (operation.kind > BLOCKYARD_DOT) return run_whole(operation, alpha, blocks);
  with_element(operation.element, [&]<class T>(T) { run_as<T>(operation, alpha, beta, blocks); });
}

void fill(std::byte* to, std::uint32_t element, const double value[2], std::uint64_t count) {
  with_element(element, [&]<class T>(T) {
    T* elements = reinterpret_cast<T*>(to);
    for (std::uint64_t i = 0; i < count; ++i) elements[i] = number<T>(value);
  });
}

}  // namespace blockyard::device::sim
