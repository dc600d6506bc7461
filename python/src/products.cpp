// SPDX-License-Identifier: Apache-2.0
// Products of matrices in NumPy arrays, by the BLAS of the runtime on a given number of threads.
#include <algorithm>
#include <complex>
#include <thread>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/tensor/blas.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

namespace blas = tensor::blas;

/// Rows `begin` to `end` - 1 of out = left right^T, all in C order; rows of `out` may lie apart.
template <class T>
void multiply_rows(const AnyArray& left, const AnyArray& right, const OutArray& out, Extent begin,
                   Extent end) {
  const auto inner = static_cast<Extent>(left.shape(1));
  const auto columns = static_cast<Extent>(right.shape(0));
  const Extent apart = out.stride(0);
  // The BLAS sees the transposes: out^T = right left^T.
  blas::gemm<T>(blas::Op::transpose, blas::Op::none, columns, end - begin, inner, T{1},
                static_cast<const T*>(right.data()), inner,
                static_cast<const T*>(left.data()) + begin * inner, inner, T{0},
                static_cast<T*>(out.data()) + begin * apart, apart);
}

template <class T>
void multiply_all(const AnyArray& left, const AnyArray& right, const OutArray& out, int threads) {
  const auto rows = static_cast<Extent>(left.shape(0));
  const Extent parts = std::clamp<Extent>(rows / 16, 1, std::max(1, threads));
  const auto work = [&](Extent part) {
    multiply_rows<T>(left, right, out, rows * part / parts, rows * (part + 1) / parts);
  };
  std::vector<std::jthread> helpers;
  for (Extent part = 1; part < parts; ++part) helpers.emplace_back(work, part);
  work(0);
}

/// A matrix whose rows are contiguous.
template <class Array>
bool has_rows(const Array& array) {
  return array.ndim() == 2 && (array.shape(1) <= 1 || array.stride(1) == 1);
}

/// out = left right^T without conjugation, of matrices of the same elements.
void multiply(const AnyArray& left, const AnyArray& right, const OutArray& out, int threads) {
  const bool fits = has_rows(left) && has_rows(right) && has_rows(out) &&
                    left.shape(1) == right.shape(1) && out.shape(0) == left.shape(0) &&
                    out.shape(1) == right.shape(0) && left.dtype() == out.dtype() &&
                    right.dtype() == out.dtype() &&
                    left.stride(0) == static_cast<std::int64_t>(left.shape(1)) &&
                    right.stride(0) == static_cast<std::int64_t>(right.shape(1));
  base::require(fits, "factors are matrices in C order that fit each other and the product");
  if (out.size() == 0) return;
  const nb::gil_scoped_release release;
  blas::limit_blas_threads(1);  // the threads are ours
  if (out.dtype() == nb::dtype<float>()) return multiply_all<float>(left, right, out, threads);
  if (out.dtype() == nb::dtype<double>()) return multiply_all<double>(left, right, out, threads);
  if (out.dtype() == nb::dtype<std::complex<float>>())
    return multiply_all<std::complex<float>>(left, right, out, threads);
  base::require(out.dtype() == nb::dtype<std::complex<double>>(),
                "elements are real or complex, of single or double precision");
  multiply_all<std::complex<double>>(left, right, out, threads);
}

}  // namespace

void bind_products(nb::module_& module) {
  module.def("multiply", &multiply, nb::arg("left"), nb::arg("right"), nb::arg("out"),
             nb::arg("threads"));
}

}  // namespace blockyard::python
