// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/gemm.h"

#include <utility>

#include "blockyard/blas/router/router.h"

namespace blockyard::blas {

namespace {

std::int64_t read_integer(const void* value, int width) noexcept {
  if (width == 64) return *static_cast<const std::int64_t*>(value);
  return *static_cast<const std::int32_t*>(value);
}
std::int64_t cut_integer(std::int64_t value, int width) noexcept {
  return width == 64 ? value : static_cast<std::int32_t>(value);
}

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// CBLAS numbers them; 'X' for what it does not know.
char op_of(int trans) noexcept {
  return trans == 111 ? 'N' : trans == 112 ? 'T' : trans == 113 ? 'C' : 'X';
}

constexpr int column_major = 102, row_major = 101;

/// Whether a device may have a product of this size: the test that each small call pays for.
bool is_offered(std::int64_t m, std::int64_t n, std::int64_t k) noexcept {
  return router_threshold(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
}

template <class T>
using CblasFunction = void (*)(int, int, int, std::int64_t, std::int64_t, std::int64_t,
                               CblasScalar<T>, const void*, std::int64_t, const void*, std::int64_t,
                               CblasScalar<T>, void*, std::int64_t);
using FortranFunction = void (*)(const char*, const char*, const void*, const void*, const void*,
                                 const void*, const void*, const void*, const void*, const void*,
                                 const void*, void*, const void*, std::size_t, std::size_t);

/// An integer of the width that a library reads.
struct Integer {
  Integer(std::int64_t value, int width) noexcept
      : wide(value), narrow(static_cast<std::int32_t>(value)), is_wide(width == 64) {}
  [[nodiscard]] const void* address() const noexcept {
    return is_wide ? static_cast<const void*>(&wide) : &narrow;
  }
  std::int64_t wide;
  std::int32_t narrow;
  bool is_wide;
};

/// Computes a product with the Fortran routine of the program's library.
template <class T>
void call_fortran(const Site& site, const Product<T>& p) {
  const Integer m(p.m, site.width), n(p.n, site.width), k(p.k, site.width), lda(p.lda, site.width),
      ldb(p.ldb, site.width), ldc(p.ldc, site.width);
  reinterpret_cast<FortranFunction>(site.function)(
      &p.op_a, &p.op_b, m.address(), n.address(), k.address(), &p.alpha, p.a, lda.address(), p.b,
      ldb.address(), &p.beta, p.c, ldc.address(), 1, 1);
}

template <class T>
void call_cblas(const Site& site, const Product<T>& p) {
  const auto number = [](char op) { return op == 'N' ? 111 : op == 'T' ? 112 : 113; };
  const auto scalar = [](const T& value) -> CblasScalar<T> {
    if constexpr (std::is_floating_point_v<T>)
      return value;
    else
      return &value;
  };
  reinterpret_cast<CblasFunction<T>>(site.function)(column_major, number(p.op_a), number(p.op_b),
                                                    p.m, p.n, p.k, scalar(p.alpha), p.a, p.lda, p.b,
                                                    p.ldb, scalar(p.beta), p.c, p.ldc);
}

}  // namespace

template <class T>
void fortran_gemm(Entry& entry, const void* caller, const char* transa, const char* transb,
                  const void* m, const void* n, const void* k, const void* alpha, const void* a,
                  const void* lda, const void* b, const void* ldb, const void* beta, void* c,
                  const void* ldc, std::size_t length0, std::size_t length1) noexcept {
  const Site& site = entry.find(caller);
  const int width = site.width;
  const auto forward = [&] {
    reinterpret_cast<FortranFunction>(site.function)(transa, transb, m, n, k, alpha, a, lda, b, ldb,
                                                     beta, c, ldc, length0, length1);
  };
  const std::int64_t rows = read_integer(m, width), columns = read_integer(n, width),
                     depth = read_integer(k, width);
  if (!is_offered(rows, columns, depth)) return forward();
  const Product<T> product = {upper(*transa),
                              upper(*transb),
                              rows,
                              columns,
                              depth,
                              *static_cast<const T*>(alpha),
                              static_cast<const T*>(a),
                              read_integer(lda, width),
                              static_cast<const T*>(b),
                              read_integer(ldb, width),
                              *static_cast<const T*>(beta),
                              static_cast<T*>(c),
                              read_integer(ldc, width)};
  if (!is_usual(product)) return forward();
  route<T>(product, [&](const Product<T>& part) { call_fortran(site, part); });
}

template <class T>
void cblas_gemm(Entry& entry, const void* caller, int layout, int transa, int transb,
                std::int64_t m, std::int64_t n, std::int64_t k, CblasScalar<T> alpha, const void* a,
                std::int64_t lda, const void* b, std::int64_t ldb, CblasScalar<T> beta, void* c,
                std::int64_t ldc) noexcept {
  const Site& site = entry.find(caller);
  const auto forward = [&] {
    reinterpret_cast<CblasFunction<T>>(site.function)(layout, transa, transb, m, n, k, alpha, a,
                                                      lda, b, ldb, beta, c, ldc);
  };
  const auto cut = [&](std::int64_t value) { return cut_integer(value, site.width); };
  if ((layout != row_major && layout != column_major) || !is_offered(cut(m), cut(n), cut(k)))
    return forward();
  const auto value = [](const CblasScalar<T>& given) {
    if constexpr (std::is_floating_point_v<T>)
      return given;
    else
      return *static_cast<const T*>(given);
  };
  Product<T> product = {op_of(transa),
                        op_of(transb),
                        cut(m),
                        cut(n),
                        cut(k),
                        value(alpha),
                        static_cast<const T*>(a),
                        cut(lda),
                        static_cast<const T*>(b),
                        cut(ldb),
                        value(beta),
                        static_cast<T*>(c),
                        cut(ldc)};
  if (layout == row_major) {  // the transposed result, of the operands the other way round
    std::swap(product.op_a, product.op_b);
    std::swap(product.m, product.n);
    std::swap(product.a, product.b);
    std::swap(product.lda, product.ldb);
  }
  if (!is_usual(product)) return forward();
  route<T>(product, [&](const Product<T>& part) { call_cblas(site, part); });
}

template void fortran_gemm<float>(Entry&, const void*, const char*, const char*, const void*,
                                  const void*, const void*, const void*, const void*, const void*,
                                  const void*, const void*, const void*, void*, const void*,
                                  std::size_t, std::size_t) noexcept;
template void cblas_gemm<float>(Entry&, const void*, int, int, int, std::int64_t, std::int64_t,
                                std::int64_t, CblasScalar<float>, const void*, std::int64_t,
                                const void*, std::int64_t, CblasScalar<float>, void*,
                                std::int64_t) noexcept;
template void fortran_gemm<double>(Entry&, const void*, const char*, const char*, const void*,
                                   const void*, const void*, const void*, const void*, const void*,
                                   const void*, const void*, const void*, void*, const void*,
                                   std::size_t, std::size_t) noexcept;
template void cblas_gemm<double>(Entry&, const void*, int, int, int, std::int64_t, std::int64_t,
                                 std::int64_t, CblasScalar<double>, const void*, std::int64_t,
                                 const void*, std::int64_t, CblasScalar<double>, void*,
                                 std::int64_t) noexcept;
template void fortran_gemm<c64>(Entry&, const void*, const char*, const char*, const void*,
                                const void*, const void*, const void*, const void*, const void*,
                                const void*, const void*, const void*, void*, const void*,
                                std::size_t, std::size_t) noexcept;
template void cblas_gemm<c64>(Entry&, const void*, int, int, int, std::int64_t, std::int64_t,
                              std::int64_t, CblasScalar<c64>, const void*, std::int64_t,
                              const void*, std::int64_t, CblasScalar<c64>, void*,
                              std::int64_t) noexcept;
template void fortran_gemm<c128>(Entry&, const void*, const char*, const char*, const void*,
                                 const void*, const void*, const void*, const void*, const void*,
                                 const void*, const void*, const void*, void*, const void*,
                                 std::size_t, std::size_t) noexcept;
template void cblas_gemm<c128>(Entry&, const void*, int, int, int, std::int64_t, std::int64_t,
                               std::int64_t, CblasScalar<c128>, const void*, std::int64_t,
                               const void*, std::int64_t, CblasScalar<c128>, void*,
                               std::int64_t) noexcept;

}  // namespace blockyard::blas
