// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "blockyard/blas/level3.h"

namespace blockyard::blas {

/// The routines of levels 1 and 2. ger is also geru, dot also dotu.
enum class VectorForm : std::uint8_t { gemv, ger, gerc, symv, hemv, trmv, trsv, dot, dotc, axpy };

/// A call of level 1 or 2 as BLAS describes it, column-major. Vectors are strided; with a negative
/// increment their last element comes first in memory.
template <class T>
struct VectorCall {
  VectorForm form = VectorForm::gemv;
  char uplo = 'U';
  char op = 'N';
  char diag = 'N';
  std::int64_t m = 1, n = 0;  ///< n alone, of squares and vectors
  T alpha = T(1);
  T* a = nullptr;  ///< a result of ger
  std::int64_t lda = 0;
  T* x = nullptr;  ///< a result of trmv and trsv
  std::int64_t incx = 1;
  T beta{};
  T* y = nullptr;  ///< a result of gemv, symv, hemv, axpy
  std::int64_t incy = 1;
  T* result = nullptr;           ///< of dot
  bool is_conjugated = false;    ///< the matrix stands for its conjugate
  bool has_conjugate_x = false;  ///< so does x
};

template <class T>
[[nodiscard]] std::string name_of(VectorForm form);

/// Whether the routine takes these arguments, and there is enough to compute for a device. What it
/// refuses is left to the local library.
template <class T>
[[nodiscard]] bool is_usual(const VectorCall<T>& call) noexcept;

/// The call that has the same effect on column-major matrices as this one on row-major ones.
template <class T>
[[nodiscard]] VectorCall<T> by_columns(VectorCall<T> call) noexcept;

/// A call as one of level 3, whose vectors are dense copies. One thread.
template <class T>
class DenseVectors {
 public:
  explicit DenseVectors(const VectorCall<T>& call);
  DenseVectors(const DenseVectors&) = delete;
  DenseVectors& operator=(const DenseVectors&) = delete;

  [[nodiscard]] const Call<T>& call() const noexcept { return dense_; }
  /// Whether the result of `call()` is a copy.
  [[nodiscard]] bool is_copied() const noexcept { return to_ != nullptr; }
  /// Takes the result from memory of the program, and puts it there.
  void take_result();
  void put_result() const;
  /// What is left of a ger of which `complete` columns are there.
  void add_rest(std::int64_t complete) const;

 private:
  struct Strided {
    T* first;  ///< the element 0
    std::int64_t step;
  };
  [[nodiscard]] static Strided strided(T* at, std::int64_t count, std::int64_t step) noexcept;
  [[nodiscard]] std::vector<T> gathered(const Strided& from, std::int64_t count,
                                        bool conjugates) const;
  void set_result(T* at, std::int64_t count, std::int64_t step);

  Call<T> dense_;
  std::vector<T> x_, y_;
  T* to_ = nullptr;  ///< element 0 of the result
  std::int64_t to_step_ = 0;
  bool is_conjugated_;
};

}  // namespace blockyard::blas
