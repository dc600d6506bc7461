// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/strided.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <numeric>
#include <span>

#include "blockyard/tensor/permute.h"

namespace blockyard::fabric {

namespace {

/// Rows of one element, as scattered columns have them, are worth a copy of known length.
template <class Copy>
void copy_rows(std::size_t row_bytes, const Copy& copy) noexcept {
  switch (row_bytes) {
    case 4:
      return copy([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 4); });
    case 8:
      return copy([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 8); });
    case 16:
      return copy([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 16); });
    default:
      return copy(
          [row_bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, row_bytes); });
  }
}

using Steps = std::array<std::int64_t, Strided::max_levels>;

/// Elements of type T that stand alone in both memories: a transposition in tiles.
template <class T>
void copy_turned(const Strided& rows, const Steps& from_strides, const std::byte* from,
                 const Steps& to_strides, std::byte* to) {
  constexpr auto unit = static_cast<std::int64_t>(sizeof(T));
  const tensor::Shape shape(std::span(rows.counts.data(), rows.levels));
  tensor::Strides in{}, out{};
  std::array<int, Strided::max_levels> order{};
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = 0; k < rows.levels; ++k) {
    in[k] = from_strides[k] / unit;
    out[k] = to_strides[k] / unit;
  }
  const tensor::PermutePlan plan(shape, in, std::span(order.data(), rows.levels), shape, out);
  tensor::run<T>(plan, T(1), reinterpret_cast<const T*>(from), T(0), reinterpret_cast<T*>(to));
}

/// Whether there are enough elements for a plan, and they lie as numbers of `row_bytes` do.
bool is_turned(const Strided& rows, const std::byte* far, const std::byte* near) noexcept {
  constexpr std::size_t least_bytes = 4096;
  if (rows.levels < 2 || rows.byte_count() < least_bytes) return false;
  const auto unit = static_cast<std::int64_t>(rows.row_bytes);
  const std::uintptr_t part = std::min<std::size_t>(rows.row_bytes, alignof(double));
  if (((reinterpret_cast<std::uintptr_t>(far) | reinterpret_cast<std::uintptr_t>(near)) % part) !=
      0)
    return false;
  bool is_alone = true;
  for (std::size_t k = 0; k < rows.levels; ++k) {
    const std::int64_t there = rows.far_strides[k], here = rows.near_strides[k];
    is_alone = is_alone && there > 0 && here > 0 && there % unit == 0 && here % unit == 0;
  }
  return is_alone;
}

/// False: no effect.
bool copy_as_numbers(const Strided& rows, const Steps& from_strides, const std::byte* from,
                     const Steps& to_strides, std::byte* to) {
  if (!is_turned(rows, from, to)) return false;
  switch (rows.row_bytes) {
    case sizeof(float):
      copy_turned<float>(rows, from_strides, from, to_strides, to);
      return true;
    case sizeof(double):
      copy_turned<double>(rows, from_strides, from, to_strides, to);
      return true;
    case sizeof(std::complex<double>):
      copy_turned<std::complex<double>>(rows, from_strides, from, to_strides, to);
      return true;
    default:
      return false;
  }
}

}  // namespace

void Strided::add(std::int64_t count, std::int64_t far_stride, std::int64_t near_stride) noexcept {
  if (count == 1) return;
  const auto row = static_cast<std::int64_t>(row_bytes);
  if (levels == 0 && far_stride == row && near_stride == row) {
    row_bytes *= static_cast<std::size_t>(count);
    return;
  }
  counts[levels] = count;
  far_strides[levels] = far_stride;
  near_strides[levels] = near_stride;
  ++levels;
}

void copy_to_near(const Strided& rows, const std::byte* far, std::byte* near) noexcept {
  if (copy_as_numbers(rows, rows.far_strides, far, rows.near_strides, near)) return;
  copy_rows(rows.row_bytes, [&](const auto& copy) {
    for_each_row(rows, far, near, [&](const std::byte* f, std::byte* n) { copy(n, f); });
  });
}

void copy_to_far(const Strided& rows, std::byte* far, const std::byte* near) noexcept {
  if (copy_as_numbers(rows, rows.near_strides, near, rows.far_strides, far)) return;
  copy_rows(rows.row_bytes, [&](const auto& copy) {
    for_each_row(rows, far, near, [&](std::byte* f, const std::byte* n) { copy(f, n); });
  });
}

void add_scaled(Element element, void* to, const void* from, std::size_t count,
                const void* factor) noexcept {
  with_type(element, [&](auto value) {
    using T = decltype(value);
    const T a = *static_cast<const T*>(factor);
    T* into = static_cast<T*>(to);
    const T* values = static_cast<const T*>(from);
    if (a == T(1)) {
      for (std::size_t i = 0; i < count; ++i) into[i] = static_cast<T>(into[i] + values[i]);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) into[i] = static_cast<T>(into[i] + a * values[i]);
  });
}

}  // namespace blockyard::fabric
