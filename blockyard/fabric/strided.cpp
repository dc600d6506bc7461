// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/strided.h"

#include <cstring>

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
  copy_rows(rows.row_bytes, [&](const auto& copy) {
    for_each_row(rows, far, near, [&](const std::byte* f, std::byte* n) { copy(n, f); });
  });
}

void copy_to_far(const Strided& rows, std::byte* far, const std::byte* near) noexcept {
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
