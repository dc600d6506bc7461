// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>

#include "blockyard/tensor/element.h"

namespace blockyard::tensor {

// One pass over memory each, no allocation. Two spans must have the same length, else
// Error{bad_input}. Reductions add in a fixed order: same input, same bits.
// T is deduced from nothing: call them as fill<double>(...).

/// x[i] = value
template <Element T>
void fill(std::span<T> x, std::type_identity_t<T> value) noexcept;

/// x[i] = alpha * x[i], also for alpha == 0: what is not finite becomes NaN.
template <Element T>
void scale(std::span<T> x, std::type_identity_t<T> alpha) noexcept;

/// x[i] = x[i] + value
template <Element T>
void add_scalar(std::span<T> x, std::type_identity_t<T> value) noexcept;

/// y[i] = y[i] + alpha * x[i];  x and y are the same span or do not overlap.
template <Element T>
void axpy(std::type_identity_t<T> alpha, std::span<const T> x, std::span<T> y);

/// y[i] = alpha * x[i] + beta * y[i];  beta == 0 does not read y.
template <Element T>
void axpby(std::type_identity_t<T> alpha, std::span<const T> x, std::type_identity_t<T> beta,
           std::span<T> y);

/// sum over i of x[i] * y[i], without conjugation.
template <Element T>
[[nodiscard]] T dot(std::span<const T> x, std::span<const T> y);

/// sum over i of conj(x[i]) * y[i].
template <Element T>
[[nodiscard]] T dot_conjugate(std::span<const T> x, std::span<const T> y);

/// sum over i of x[i].
template <Element T>
[[nodiscard]] T sum(std::span<const T> x) noexcept;

/// square root of the sum over i of |x[i]|^2; does not overflow before the result does.
template <Element T>
[[nodiscard]] Real<T> norm2(std::span<const T> x) noexcept;

/// largest |x[i]|, 0 of nothing; a NaN if there is one.
template <Element T>
[[nodiscard]] Real<T> max_abs(std::span<const T> x) noexcept;

}  // namespace blockyard::tensor
