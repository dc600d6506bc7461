// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/level3.h"

#include <string_view>
#include <utility>

namespace blockyard::blas {

namespace {

constexpr const char* names[] = {"gemm",  "symm",  "hemm", "syrk", "herk",
                                 "syr2k", "her2k", "trmm", "trsm", "gemmt"};

/// A matrix as it lies.
struct Extents {
  std::int64_t rows, columns;
};

template <class T>
struct Placed {
  const T* at;
  Extents extents;
  std::int64_t leading;
  [[nodiscard]] std::uintptr_t begin() const noexcept {
    return reinterpret_cast<std::uintptr_t>(at);
  }
  [[nodiscard]] std::uintptr_t end() const noexcept {
    return begin() +
           sizeof(T) * static_cast<std::uintptr_t>((extents.columns - 1) * leading + extents.rows);
  }
};

/// Whether they may share an element. Blocks of one matrix, as those of an LU factorisation, often
/// lie between each other's columns and share none.
template <class T>
bool overlap(const Placed<T>& one, const Placed<T>& other) noexcept {
  if (one.begin() >= other.end() || other.begin() >= one.end()) return false;
  if (other.begin() < one.begin()) return overlap(other, one);
  const std::uintptr_t apart = other.begin() - one.begin();
  if (one.leading != other.leading || apart % sizeof(T) != 0) return true;
  // Where `other` begins in the columns of `one`; its rows may reach into the next column.
  const auto elements = static_cast<std::int64_t>(apart / sizeof(T));
  const std::int64_t row = elements % one.leading, column = elements / one.leading;
  const bool meets = row < one.extents.rows && column < one.extents.columns;
  const bool meets_wrapped =
      row + other.extents.rows > one.leading && column + 1 < one.extents.columns;
  return meets || meets_wrapped;
}

Extents turned(Extents extents, bool turn) noexcept {
  return turn ? Extents{extents.columns, extents.rows} : extents;
}

template <class T>
Extents extents_of_a(const Call<T>& call) noexcept {
  if (call.form == Form::gemm) return turned({call.m, call.k}, call.op_a != 'N');
  if (is_rank_update(call.form)) return turned({call.n, call.k}, call.op_a != 'N');
  const std::int64_t extent = call.side == 'L' ? call.m : call.n;
  return {extent, extent};
}
template <class T>
Extents extents_of_b(const Call<T>& call) noexcept {
  if (call.form == Form::gemm || call.form == Form::gemmt)
    return turned({call.k, call.n}, call.op_b != 'N');
  return is_rank_update(call.form) ? extents_of_a(call) : Extents{call.m, call.n};
}
template <class T>
Extents extents_of_c(const Call<T>& call) noexcept {
  return {is_rank_update(call.form) ? call.n : call.m, call.n};
}

bool is_one_of(char flag, std::string_view allowed) noexcept {
  return allowed.find(flag) != std::string_view::npos;
}

template <class T>
bool has_known_flags(const Call<T>& call) noexcept {
  const bool is_side = is_one_of(call.side, "LR"), is_uplo = is_one_of(call.uplo, "UL");
  switch (call.form) {
    case Form::gemm:
      return is_one_of(call.op_a, "NTC") && is_one_of(call.op_b, "NTC");
    case Form::gemmt:
      return is_uplo && is_one_of(call.op_a, "NTC") && is_one_of(call.op_b, "NTC");
    case Form::symm:
    case Form::hemm:
      return is_side && is_uplo;
    case Form::syrk:
    case Form::syr2k:
      return is_uplo && is_one_of(call.op_a, is_complex<T> ? "NT" : "NTC");
    case Form::herk:
    case Form::her2k:
      return is_uplo && is_one_of(call.op_a, "NC");
    default:
      return is_side && is_uplo && is_one_of(call.op_a, "NTC") && is_one_of(call.diag, "NU");
  }
}

char other(char flag, char one, char two) noexcept {
  return flag == one ? two : flag == two ? one : flag;
}

}  // namespace

template <class T>
std::string name_of(Form form) {
  const char letter = std::is_same_v<T, float>    ? 's'
                      : std::is_same_v<T, double> ? 'd'
                      : std::is_same_v<T, c64>    ? 'c'
                                                  : 'z';
  return letter + std::string(names[static_cast<std::size_t>(form)]);
}

template <class T>
double flops_of(const Call<T>& call) noexcept {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
             k = static_cast<double>(call.k);
  const double factor = is_complex<T> ? 4 : 1;
  switch (call.form) {
    case Form::gemm:
      return factor * 2 * m * n * k;
    case Form::symm:
    case Form::hemm:
      return factor * 2 * m * n * (call.side == 'L' ? m : n);
    case Form::gemmt:
    case Form::syrk:
    case Form::herk:
      return factor * n * n * k;
    case Form::syr2k:
    case Form::her2k:
      return factor * 2 * n * n * k;
    default:
      return factor * m * n * (call.side == 'L' ? m : n);
  }
}

template <class T>
double moved_bytes(const Call<T>& call) noexcept {
  const auto elements = [](Extents extents) {
    return static_cast<double>(extents.rows) * static_cast<double>(extents.columns);
  };
  const bool goes_both_ways = is_in_place(call.form) || call.beta != T{};
  double all =
      elements(extents_of_a(call)) + (goes_both_ways ? 2 : 1) * elements(extents_of_c(call));
  if (has_b(call.form)) all += elements(extents_of_b(call));
  return sizeof(T) * all;
}

template <class T>
bool is_usual(const Call<T>& call) noexcept {
  if (!has_known_flags(call) || call.alpha == T{} || call.a == nullptr || call.c == nullptr)
    return false;
  const bool has_m = !is_rank_update(call.form);
  const bool has_k = call.form == Form::gemm || is_rank_update(call.form);
  if (call.n <= 0 || (has_m && call.m <= 0) || (has_k && call.k <= 0)) return false;
  const Extents a = extents_of_a(call), b = extents_of_b(call), c = extents_of_c(call);
  if (call.lda < a.rows || call.ldc < c.rows) return false;
  const Placed<T> result = {call.c, c, call.ldc};
  if (overlap<T>(result, {call.a, a, call.lda})) return false;
  if (!has_b(call.form)) return true;
  return call.b != nullptr && call.ldb >= b.rows && !overlap<T>(result, {call.b, b, call.ldb});
}

template <class T>
Call<T> by_columns(Call<T> call) noexcept {
  if (call.form != Form::gemm) call.uplo = other(call.uplo, 'U', 'L');
  // The transposed result, of the operands the other way round.
  if (call.form == Form::gemm || call.form == Form::gemmt) {
    std::swap(call.op_a, call.op_b);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
    if (call.form == Form::gemm) std::swap(call.m, call.n);
    return call;
  }
  if (is_rank_update(call.form)) {
    if (is_hermitian(call.form))
      call.op_a = other(call.op_a, 'N', 'C');
    else if (call.op_a == 'N')
      call.op_a = 'T';
    else if (call.op_a == 'T' || (call.op_a == 'C' && !is_complex<T>))
      call.op_a = 'N';  // a complex one with C is refused by some libraries, and stays as it is
    if constexpr (is_complex<T>)
      if (call.form == Form::her2k) call.alpha = std::conj(call.alpha);
    return call;
  }
  call.side = other(call.side, 'L', 'R');
  std::swap(call.m, call.n);
  return call;
}

template <class T>
std::int64_t split_extent(const Call<T>& call) noexcept {
  return call.side == 'R' ? call.m : call.n;
}

template <class T>
Call<T> rest_of(Call<T> call, std::int64_t complete) noexcept {
  if (is_rank_update(call.form)) {
    call.n -= complete;
    if (call.uplo == 'U') return call;
    const std::int64_t step = call.op_a == 'N' ? 1 : call.lda;
    call.a += complete * step;
    const bool is_plain = call.form == Form::gemmt ? call.op_b != 'N' : call.op_a == 'N';
    if (has_b(call.form)) call.b += complete * (is_plain ? 1 : call.ldb);
    call.c += complete * (call.ldc + 1);
  } else if (call.side == 'R') {
    call.m -= complete;
    if (has_b(call.form)) call.b += complete;
    call.c += complete;
  } else {
    call.n -= complete;
    if (has_b(call.form)) call.b += complete * (call.op_b == 'N' ? call.ldb : 1);
    call.c += complete * call.ldc;
  }
  return call;
}

template std::string name_of<float>(Form);
template std::string name_of<double>(Form);
template std::string name_of<c64>(Form);
template std::string name_of<c128>(Form);
template double flops_of(const Call<float>&) noexcept;
template double flops_of(const Call<double>&) noexcept;
template double flops_of(const Call<c64>&) noexcept;
template double flops_of(const Call<c128>&) noexcept;
template double moved_bytes(const Call<float>&) noexcept;
template double moved_bytes(const Call<double>&) noexcept;
template double moved_bytes(const Call<c64>&) noexcept;
template double moved_bytes(const Call<c128>&) noexcept;
template bool is_usual(const Call<float>&) noexcept;
template bool is_usual(const Call<double>&) noexcept;
template bool is_usual(const Call<c64>&) noexcept;
template bool is_usual(const Call<c128>&) noexcept;
template Call<float> by_columns(Call<float>) noexcept;
template Call<double> by_columns(Call<double>) noexcept;
template Call<c64> by_columns(Call<c64>) noexcept;
template Call<c128> by_columns(Call<c128>) noexcept;
template std::int64_t split_extent(const Call<float>&) noexcept;
template std::int64_t split_extent(const Call<double>&) noexcept;
template std::int64_t split_extent(const Call<c64>&) noexcept;
template std::int64_t split_extent(const Call<c128>&) noexcept;
template Call<float> rest_of(Call<float>, std::int64_t) noexcept;
template Call<double> rest_of(Call<double>, std::int64_t) noexcept;
template Call<c64> rest_of(Call<c64>, std::int64_t) noexcept;
template Call<c128> rest_of(Call<c128>, std::int64_t) noexcept;

}  // namespace blockyard::blas
