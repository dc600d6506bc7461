// SPDX-License-Identifier: Apache-2.0
// The calls of cuBLAS that the plug-in makes, as plain loops.
#include <cublas_v2.h>

#include <complex>
#include <mutex>
#include <type_traits>
#include <utility>

#include "plugins/device_cuda/stand_in/world.h"

struct cublasContext {
  int device;
  CUstream_st* stream = nullptr;
};

namespace {

using namespace blockyard::cuda::stand_in;
using Count = std::int64_t;

template <class Body>
cublasStatus_t call(const Body& body) {
  World& world = World::here();
  const std::lock_guard lock(world.mutex());
  body(world);
  return CUBLAS_STATUS_SUCCESS;
}

Stream& stream_of(World& world, cublasHandle_t blas) {
  return world.chosen(blas->stream, "a call of cuBLAS");
}

/// The type that computes what a type of cuBLAS stands for.
template <class T>
struct NumberOf {
  using type = T;
};
template <>
struct NumberOf<cuComplex> {
  using type = std::complex<float>;
};
template <>
struct NumberOf<cuDoubleComplex> {
  using type = std::complex<double>;
};
template <class T>
using Number = typename NumberOf<T>::type;

/// A matrix as an operation takes it, first index fastest.
template <class T>
struct Operand {
  const T* data;
  Count leading;
  cublasOperation_t operation;

  T operator()(Count row, Count column) const {
    if (operation == CUBLAS_OP_N) return data[row + column * leading];
    const T value = data[column + row * leading];
    if constexpr (!std::is_floating_point_v<T>)
      if (operation == CUBLAS_OP_C) return std::conj(value);
    return value;
  }
};

std::uint64_t bytes_of(Count rows, Count columns, Count leading, std::size_t element) {
  return static_cast<std::uint64_t>((columns - 1) * leading + rows) * element;
}

template <class Raw>
cublasStatus_t gemm(cublasHandle_t blas, cublasOperation_t of_a, cublasOperation_t of_b, Count m,
                    Count n, Count k, const Raw* alpha, const Raw* a, Count a_leading,
                    Count a_stride, const Raw* b, Count b_leading, Count b_stride, const Raw* beta,
                    Raw* c, Count c_leading, Count c_stride, Count batch) {
  using T = Number<Raw>;
  return call([&](World& world) {
    Books& books = world.books();
    const auto bytes = [&](bool transposed, Count rows, Count columns, Count leading,
                           Count stride) {
      if (transposed) std::swap(rows, columns);
      return bytes_of(rows, columns, leading, sizeof(T)) +
             static_cast<std::uint64_t>((batch - 1) * stride) * sizeof(T);
    };
    const T scale = *reinterpret_cast<const T*>(alpha), kept = *reinterpret_cast<const T*>(beta);
    books.enqueue(
        stream_of(world, blas), "a product",
        {reading(a, bytes(of_a != CUBLAS_OP_N, m, k, a_leading, a_stride)),
         reading(b, bytes(of_b != CUBLAS_OP_N, k, n, b_leading, b_stride)),
         writing(c, bytes(false, m, n, c_leading, c_stride))},
        [=, &books] {
          for (Count one = 0; one < batch; ++one) {
            const Operand<T> x{reinterpret_cast<const T*>(books.place(a)) + one * a_stride,
                               a_leading, of_a};
            const Operand<T> y{reinterpret_cast<const T*>(books.place(b)) + one * b_stride,
                               b_leading, of_b};
            T* const z = reinterpret_cast<T*>(books.place(c)) + one * c_stride;
            for (Count j = 0; j < n; ++j)
              for (Count i = 0; i < m; ++i) {
                T sum = 0;
                for (Count l = 0; l < k; ++l) sum += x(i, l) * y(l, j);
                T& result = z[i + j * c_leading];
                result = kept == T(0) ? scale * sum : scale * sum + kept * result;
              }
          }
        });
  });
}

/// Solves matrix * x = x in place, x being `count` elements a step apart.
template <class T, class Matrix>
void solve(const Matrix& matrix, bool is_lower, bool is_unit, T* x, Count count, Count step) {
  for (Count n = 0; n < count; ++n) {
    const Count i = is_lower ? n : count - 1 - n;
    T value = x[i * step];
    for (Count l = 0; l < n; ++l) {
      const Count j = is_lower ? l : count - 1 - l;
      value -= matrix(i, j) * x[j * step];
    }
    x[i * step] = is_unit ? value : value / matrix(i, i);
  }
}

template <class Raw>
cublasStatus_t trsm(cublasHandle_t blas, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t of_a, cublasDiagType_t diagonal, Count m, Count n,
                    const Raw* alpha, const Raw* a, Count a_leading, Raw* b, Count b_leading) {
  using T = Number<Raw>;
  return call([&](World& world) {
    Books& books = world.books();
    const bool is_left = side == CUBLAS_SIDE_LEFT, is_unit = diagonal == CUBLAS_DIAG_UNIT;
    const bool is_lower = (fill == CUBLAS_FILL_MODE_LOWER) == (of_a == CUBLAS_OP_N);
    const Count order = is_left ? m : n;
    const T scale = *reinterpret_cast<const T*>(alpha);
    books.enqueue(stream_of(world, blas), "a solution of triangles",
                  {reading(a, bytes_of(order, order, a_leading, sizeof(T))),
                   writing(b, bytes_of(m, n, b_leading, sizeof(T)))},
                  [=, &books] {
                    const Operand<T> x{reinterpret_cast<const T*>(books.place(a)), a_leading, of_a};
                    const auto turned = [&x](Count i, Count j) { return x(j, i); };
                    T* const z = reinterpret_cast<T*>(books.place(b));
                    for (Count j = 0; j < n; ++j)
                      for (Count i = 0; i < m; ++i) z[i + j * b_leading] *= scale;
                    if (is_left)
                      for (Count j = 0; j < n; ++j)
                        solve(x, is_lower, is_unit, z + j * b_leading, m, 1);
                    else
                      for (Count i = 0; i < m; ++i)
                        solve(turned, !is_lower, is_unit, z + i, n, b_leading);
                  });
  });
}

}  // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* blas) {
  return call([&](World& world) { *blas = new cublasContext{world.chosen("cublasCreate")}; });
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t blas) {
  return call([&](World&) { delete blas; });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t blas, cudaStream_t stream) {
  return call([&](World& world) { blas->stream = &world.chosen(stream, "cublasSetStream"); });
}

const char* cublasGetStatusString(cublasStatus_t) { return "an error of the stand-in"; }

/// Only transforms scale, and there is no cuFFT.
cublasStatus_t cublasSscal_v2_64(cublasHandle_t, Count, const float*, float*, Count) {
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasDscal_v2_64(cublasHandle_t, Count, const double*, double*, Count) {
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t blas, cublasOperation_t of_a,
                                            cublasOperation_t of_b, Count m, Count n, Count k,
                                            const float* alpha, const float* a, Count a_leading,
                                            long long a_stride, const float* b, Count b_leading,
                                            long long b_stride, const float* beta, float* c,
                                            Count c_leading, long long c_stride, Count batch) {
  return gemm(blas, of_a, of_b, m, n, k, alpha, a, a_leading, a_stride, b, b_leading, b_stride,
              beta, c, c_leading, c_stride, batch);
}
cublasStatus_t cublasDgemmStridedBatched_64(cublasHandle_t blas, cublasOperation_t of_a,
                                            cublasOperation_t of_b, Count m, Count n, Count k,
                                            const double* alpha, const double* a, Count a_leading,
                                            long long a_stride, const double* b, Count b_leading,
                                            long long b_stride, const double* beta, double* c,
                                            Count c_leading, long long c_stride, Count batch) {
  return gemm(blas, of_a, of_b, m, n, k, alpha, a, a_leading, a_stride, b, b_leading, b_stride,
              beta, c, c_leading, c_stride, batch);
}
cublasStatus_t cublasCgemmStridedBatched_64(cublasHandle_t blas, cublasOperation_t of_a,
                                            cublasOperation_t of_b, Count m, Count n, Count k,
                                            const cuComplex* alpha, const cuComplex* a,
                                            Count a_leading, long long a_stride, const cuComplex* b,
                                            Count b_leading, long long b_stride,
                                            const cuComplex* beta, cuComplex* c, Count c_leading,
                                            long long c_stride, Count batch) {
  return gemm(blas, of_a, of_b, m, n, k, alpha, a, a_leading, a_stride, b, b_leading, b_stride,
              beta, c, c_leading, c_stride, batch);
}
cublasStatus_t cublasZgemmStridedBatched_64(
    cublasHandle_t blas, cublasOperation_t of_a, cublasOperation_t of_b, Count m, Count n, Count k,
    const cuDoubleComplex* alpha, const cuDoubleComplex* a, Count a_leading, long long a_stride,
    const cuDoubleComplex* b, Count b_leading, long long b_stride, const cuDoubleComplex* beta,
    cuDoubleComplex* c, Count c_leading, long long c_stride, Count batch) {
  return gemm(blas, of_a, of_b, m, n, k, alpha, a, a_leading, a_stride, b, b_leading, b_stride,
              beta, c, c_leading, c_stride, batch);
}
cublasStatus_t cublasStrsm_v2_64(cublasHandle_t blas, cublasSideMode_t side, cublasFillMode_t fill,
                                 cublasOperation_t of_a, cublasDiagType_t diagonal, Count m,
                                 Count n, const float* alpha, const float* a, Count a_leading,
                                 float* b, Count b_leading) {
  return trsm(blas, side, fill, of_a, diagonal, m, n, alpha, a, a_leading, b, b_leading);
}
cublasStatus_t cublasDtrsm_v2_64(cublasHandle_t blas, cublasSideMode_t side, cublasFillMode_t fill,
                                 cublasOperation_t of_a, cublasDiagType_t diagonal, Count m,
                                 Count n, const double* alpha, const double* a, Count a_leading,
                                 double* b, Count b_leading) {
  return trsm(blas, side, fill, of_a, diagonal, m, n, alpha, a, a_leading, b, b_leading);
}
cublasStatus_t cublasCtrsm_v2_64(cublasHandle_t blas, cublasSideMode_t side, cublasFillMode_t fill,
                                 cublasOperation_t of_a, cublasDiagType_t diagonal, Count m,
                                 Count n, const cuComplex* alpha, const cuComplex* a,
                                 Count a_leading, cuComplex* b, Count b_leading) {
  return trsm(blas, side, fill, of_a, diagonal, m, n, alpha, a, a_leading, b, b_leading);
}
cublasStatus_t cublasZtrsm_v2_64(cublasHandle_t blas, cublasSideMode_t side, cublasFillMode_t fill,
                                 cublasOperation_t of_a, cublasDiagType_t diagonal, Count m,
                                 Count n, const cuDoubleComplex* alpha, const cuDoubleComplex* a,
                                 Count a_leading, cuDoubleComplex* b, Count b_leading) {
  return trsm(blas, side, fill, of_a, diagonal, m, n, alpha, a, a_leading, b, b_leading);
}
