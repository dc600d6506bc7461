// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

namespace blockyard::blas {

using c64 = std::complex<float>;
using c128 = std::complex<double>;

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;

/// The routines of level 3.
enum class Form : std::uint8_t { gemm, symm, hemm, syrk, herk, syr2k, her2k, trmm, trsm, gemmt };

/// A call of level 3 as BLAS describes it, column-major. What a routine does not have is as here.
/// The result is `c`; of trmm and trsm it is also what they multiply (the `b` of their pages).
/// op: 'N' as it is, 'T' transposed, 'C' transposed and conjugated.
template <class T>
struct Call {
  Form form = Form::gemm;
  char side = 'L';  ///< where `a` stands
  char uplo = 'U';  ///< the triangle that counts: of `a`; of the result of rank updates
  char op_a = 'N';  ///< also the `trans` of rank updates
  char op_b = 'N';
  char diag = 'N';  ///< 'U': the diagonal of `a` is one and is not read
  std::int64_t m = 0, n = 0, k = 0;
  T alpha{};
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* b = nullptr;
  std::int64_t ldb = 0;
  T beta{};
  T* c = nullptr;
  std::int64_t ldc = 0;
};

/// Whether the result is a triangle: syrk and its like, and gemmt, which computes one of a product.
[[nodiscard]] constexpr bool is_rank_update(Form form) noexcept {
  return form == Form::syrk || form == Form::herk || form == Form::syr2k || form == Form::her2k ||
         form == Form::gemmt;
}
/// Whether the result takes the place of an operand.
[[nodiscard]] constexpr bool is_in_place(Form form) noexcept {
  return form == Form::trmm || form == Form::trsm;
}
[[nodiscard]] constexpr bool has_b(Form form) noexcept {
  return !is_in_place(form) && form != Form::syrk && form != Form::herk;
}
/// Whether `alpha`, or `beta`, is real also in complex routines.
[[nodiscard]] constexpr bool has_real_alpha(Form form) noexcept { return form == Form::herk; }
[[nodiscard]] constexpr bool has_real_beta(Form form) noexcept {
  return form == Form::herk || form == Form::her2k;
}
/// Whether the triangle that is not read is the conjugated one.
[[nodiscard]] constexpr bool is_hermitian(Form form) noexcept {
  return form == Form::hemm || form == Form::herk || form == Form::her2k;
}

/// As programs name it: "dgemm".
template <class T>
[[nodiscard]] std::string name_of(Form form);

/// Multiplications and additions of real numbers.
template <class T>
[[nodiscard]] double flops_of(const Call<T>& call) noexcept;

/// Bytes that the call moves to a device and back.
template <class T>
[[nodiscard]] double moved_bytes(const Call<T>& call) noexcept;

/// Whether the routine takes these arguments, and there is something to compute: all other calls
/// go to the local library as they are, which knows what to say of them.
template <class T>
[[nodiscard]] bool is_usual(const Call<T>& call) noexcept;

/// The call that has the same effect on column-major matrices as this one on row-major ones.
template <class T>
[[nodiscard]] Call<T> by_columns(Call<T> call) noexcept;

/// Along which the parts of a result lie: the same routine with a smaller extent computes what is
/// left when the first `complete` of it are there. Columns; rows where `a` stands on the right; of
/// a lower triangle its columns, of an upper one its columns from the last to the first.
template <class T>
[[nodiscard]] std::int64_t split_extent(const Call<T>& call) noexcept;
template <class T>
[[nodiscard]] Call<T> rest_of(Call<T> call, std::int64_t complete) noexcept;

}  // namespace blockyard::blas
