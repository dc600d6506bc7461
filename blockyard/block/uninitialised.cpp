// SPDX-License-Identifier: Apache-2.0
// The mark of values that were never written. Of a complex element both parts carry it.
#include "blockyard/block/uninitialised.h"

#include <cstring>

namespace blockyard::block {

namespace {

/// A NaN as bits, and its quiet bit, which may be set on the way through a register.
template <class Real>
struct Mark;
template <>
struct Mark<double> {
  using Bits = std::uint64_t;
  static constexpr Bits bits = 0x7ff4b10c0a4d0000ULL;
  static constexpr Bits quiet = 0x0008000000000000ULL;
};
template <>
struct Mark<float> {
  using Bits = std::uint32_t;
  static constexpr Bits bits = 0x7f84b10cU;
  static constexpr Bits quiet = 0x00400000U;
};

template <class Real>
void fill_as(std::span<std::byte> values) noexcept {
  constexpr auto bits = Mark<Real>::bits;
  for (std::size_t at = 0; at + sizeof bits <= values.size(); at += sizeof bits)
    std::memcpy(values.data() + at, &bits, sizeof bits);
}

template <class Real>
bool has_mark(const View& view) noexcept {
  const auto bytes = static_cast<tensor::Extent>(array::bytes_of(view.type));
  const tensor::Extent count = view.shape.element_count();
  for (tensor::Extent n = 0; n < count; ++n) {
    typename Mark<Real>::Bits bits = 0;
    std::memcpy(&bits, view.data + position_of(view, n) * bytes, sizeof bits);
    if ((bits & ~Mark<Real>::quiet) == Mark<Real>::bits) return true;
  }
  return false;
}

}  // namespace

void fill_uninitialised(std::span<std::byte> values, ElementType type) noexcept {
  array::is_single(type) ? fill_as<float>(values) : fill_as<double>(values);
}

bool is_uninitialised(View view) noexcept {
  return array::is_single(view.type) ? has_mark<float>(view) : has_mark<double>(view);
}

}  // namespace blockyard::block
