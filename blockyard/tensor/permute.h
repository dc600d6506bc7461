// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>

#include "blockyard/tensor/detail/transform_steps.h"
#include "blockyard/tensor/element.h"
#include "blockyard/tensor/shape.h"
#include "blockyard/tensor/view.h"

namespace blockyard::tensor {

/// Whether the values of an operand are taken complex conjugate. Nothing changes for real ones.
enum class Conjugate { no, yes };

/// Copies a block with its indexes in a new order:
///   out(i[to[0]], i[to[1]], ...) = in(i[0], i[1], ...)
/// in     in_shape.element_count() values, first index fastest
/// to     a permutation of 0 .. n-1: index k of `out` is index to[k] of `in`
/// out    as many values as `in`; must not overlap it
/// Cost: one read and one write per value, no allocation.
/// Throws Error{bad_input} if `to` is not a permutation, a size is wrong, or they overlap.
/// Source: Springer, Su, Bientinesi, HPTT, ARRAY 2017 (loop order).
template <Element T>
void permute(std::span<const T> in, const Shape& in_shape, std::span<const int> to,
             std::span<T> out);

/// Adds a permuted block to another; either may be a slice of a larger one:
///   out(i[to[0]], i[to[1]], ...) = alpha * in(i[0], i[1], ...) + beta * out(...)
/// beta == 0 overwrites: `out` is then not read and may hold anything.
/// in, out  must not overlap, except that they may be the very same view if `to` is the identity
/// Cost: one read and one write per value (and a read of `out` if beta != 0), no allocation.
/// Throws Error{bad_input} if `to` is not a permutation, the shapes do not agree, or they overlap.
template <Element T>
void transform(std::type_identity_t<T> alpha, std::type_identity_t<View<const T>> in,
               std::span<const int> to, std::type_identity_t<T> beta, View<T> out,
               Conjugate conjugate = Conjugate::no);

/// A permuted copy with its loops decided, for many blocks with the same shapes and strides.
/// A value; any thread may run it.
class PermutePlan {
 public:
  /// Throws Error{bad_input} if `to` is not a permutation or the shapes do not agree.
  PermutePlan(const Shape& in, const Strides& in_strides, std::span<const int> to, const Shape& out,
              const Strides& out_strides);
  /// For `run` only.
  [[nodiscard]] const detail::TransformSteps& steps() const noexcept { return steps_; }

 private:
  detail::TransformSteps steps_;
};

/// As transform, which makes its plan each time; whether in and out overlap is not checked.
/// Hot path: no allocation, lock or string.
template <Element T>
void run(const PermutePlan& plan, std::type_identity_t<T> alpha, const T* in,
         std::type_identity_t<T> beta, T* out, Conjugate conjugate = Conjugate::no) noexcept {
  detail::run_transform(plan.steps(), alpha, in, beta, out, conjugate == Conjugate::yes);
}

}  // namespace blockyard::tensor
