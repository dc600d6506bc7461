// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/permute.h"

#include <fmt/format.h>

#include <functional>

#include "blockyard/tensor/detail/transform_steps.h"

namespace blockyard::tensor {
namespace {

using base::Errc;
using base::Error;

void check_permutation(std::span<const int> to, std::size_t order) {
  if (to.size() != order)
    throw Error(Errc::bad_input, fmt::format("a permutation of {} indexes for a block of order {}",
                                             to.size(), order));
  unsigned seen = 0;
  for (const int from : to) {
    const bool fits = from >= 0 && from < static_cast<int>(order);
    if (!fits || (seen >> from & 1u) != 0)
      throw Error(Errc::bad_input,
                  fmt::format("index {} is missing or twice in a permutation of {}", from, order));
    seen |= 1u << from;
  }
}

void check_extents(const Shape& in, std::span<const int> to, const Shape& out) {
  if (out.order() != in.order())
    throw Error(Errc::bad_input, fmt::format("a block of order {} permuted into one of order {}",
                                             in.order(), out.order()));
  for (std::size_t k = 0; k < to.size(); ++k)
    if (out[k] != in[static_cast<std::size_t>(to[k])])
      throw Error(Errc::bad_input,
                  fmt::format("index {} of the result has extent {}, index {} of the operand {}",
                              k + 1, out[k], to[k] + 1, in[static_cast<std::size_t>(to[k])]));
}

template <class T>
void check_apart(const T* a, const T* b, Extent count) {
  const std::less<const T*> before;
  if (before(a, b + count) && before(b, a + count))
    throw Error(Errc::bad_input, "the operand and the result of a permutation overlap");
}

bool is_identity(std::span<const int> to) noexcept {
  for (std::size_t k = 0; k < to.size(); ++k)
    if (to[k] != static_cast<int>(k)) return false;
  return true;
}

}  // namespace

PermutePlan::PermutePlan(const Shape& in, const Strides& in_strides, std::span<const int> to,
                         const Shape& out, const Strides& out_strides) {
  check_permutation(to, in.order());
  check_extents(in, to, out);
  steps_ = detail::plan_transform(in.extents(), in_strides, to, out_strides);
}

template <Element T>
void permute(std::span<const T> in, const Shape& in_shape, std::span<const int> to,
             std::span<T> out) {
  check_permutation(to, in_shape.order());
  const Extent count = in_shape.element_count();
  if (std::ssize(in) != count || std::ssize(out) != count)
    throw Error(Errc::bad_input, fmt::format("a permutation of {} elements got {} and {} values",
                                             count, in.size(), out.size()));
  check_apart(in.data(), static_cast<const T*>(out.data()), count);
  Strides out_strides{};
  Extent stride = 1;
  for (std::size_t k = 0; k < to.size(); ++k) {
    out_strides[k] = stride;
    stride *= in_shape[static_cast<std::size_t>(to[k])];
  }
  const auto steps =
      detail::plan_transform(in_shape.extents(), dense_strides(in_shape), to, out_strides);
  detail::run_transform(steps, T(1), in.data(), T(0), out.data(), false);
}

template <Element T>
void transform(std::type_identity_t<T> alpha, std::type_identity_t<View<const T>> in,
               std::span<const int> to, std::type_identity_t<T> beta, View<T> out,
               Conjugate conjugate) {
  check_permutation(to, in.shape.order());
  check_extents(in.shape, to, out.shape);
  const bool same = in.data == out.data && in.strides == out.strides && is_identity(to);
  // Slices of one block may interleave without sharing an element: only dense ones are checked.
  if (!same && in.is_dense() && out.is_dense())
    check_apart(in.data, static_cast<const T*>(out.data), in.shape.element_count());
  if (same && alpha == T(1) && beta == T(0) && conjugate == Conjugate::no) return;
  const auto steps = detail::plan_transform(in.shape.extents(), in.strides, to, out.strides);
  detail::run_transform(steps, alpha, in.data, beta, out.data, conjugate == Conjugate::yes);
}

template void permute<float>(std::span<const float>, const Shape&, std::span<const int>,
                             std::span<float>);
template void permute<double>(std::span<const double>, const Shape&, std::span<const int>,
                              std::span<double>);
template void permute<c64>(std::span<const c64>, const Shape&, std::span<const int>,
                           std::span<c64>);
template void permute<c128>(std::span<const c128>, const Shape&, std::span<const int>,
                            std::span<c128>);
template void transform<float>(float, View<const float>, std::span<const int>, float, View<float>,
                               Conjugate);
template void transform<double>(double, View<const double>, std::span<const int>, double,
                                View<double>, Conjugate);
template void transform<c64>(c64, View<const c64>, std::span<const int>, c64, View<c64>, Conjugate);
template void transform<c128>(c128, View<const c128>, std::span<const int>, c128, View<c128>,
                              Conjugate);

}  // namespace blockyard::tensor
