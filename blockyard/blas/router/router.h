// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "blockyard/blas/product.h"

/// Where each call goes. The exported functions have no argument for a context, so there is one in
/// a process, made by the first call that asks and never freed; the child of a fork begins anew.
namespace blockyard::blas {

/// Computes a product with the library that the program would have reached.
template <class T>
using LocalProduct = std::function<void(const Product<T>&)>;

/// Whether a product with so many multiplications may go to a device at all: for most programs and
/// most calls this is the whole cost. Any thread.
[[nodiscard]] bool router_threshold(double multiplications) noexcept;

/// Computes a product of usual arguments (is_usual), here or there. Any thread.
template <class T>
void route(const Product<T>& product, const LocalProduct<T>& local) noexcept;

}  // namespace blockyard::blas
