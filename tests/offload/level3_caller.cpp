// SPDX-License-Identifier: Apache-2.0
/// Calls every routine of level 3 under its Fortran and its CBLAS name and compares with plain
/// loops: a program that knows nothing of Blockyard. What a routine must not read is NaN, what it
/// must not write is compared bit by bit, and the page after the last element cannot be touched.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/offload/guarded.h"

extern "C" {
void sgemm_();
void cblas_sgemm();
void dgemm_();
void cblas_dgemm();
void cgemm_();
void cblas_cgemm();
void zgemm_();
void cblas_zgemm();
void ssymm_();
void cblas_ssymm();
void dsymm_();
void cblas_dsymm();
void csymm_();
void cblas_csymm();
void zsymm_();
void cblas_zsymm();
void ssyrk_();
void cblas_ssyrk();
void dsyrk_();
void cblas_dsyrk();
void csyrk_();
void cblas_csyrk();
void zsyrk_();
void cblas_zsyrk();
void ssyr2k_();
void cblas_ssyr2k();
void dsyr2k_();
void cblas_dsyr2k();
void csyr2k_();
void cblas_csyr2k();
void zsyr2k_();
void cblas_zsyr2k();
void strmm_();
void cblas_strmm();
void dtrmm_();
void cblas_dtrmm();
void ctrmm_();
void cblas_ctrmm();
void ztrmm_();
void cblas_ztrmm();
void strsm_();
void cblas_strsm();
void dtrsm_();
void cblas_dtrsm();
void ctrsm_();
void cblas_ctrsm();
void ztrsm_();
void cblas_ztrsm();
void chemm_();
void cblas_chemm();
void zhemm_();
void cblas_zhemm();
void cherk_();
void cblas_cherk();
void zherk_();
void cblas_zherk();
void cher2k_();
void cblas_cher2k();
void zher2k_();
void cblas_zher2k();
}

namespace {

using namespace caller;

/// Names that not every library has.
template <class T>
Routine looked_up(const std::string& routine, const char* prefix, const char* end) {
  const char* const letter = std::is_same_v<T, float>    ? "s"
                             : std::is_same_v<T, double> ? "d"
                             : std::is_same_v<T, c64>    ? "c"
                                                         : "z";
  return reinterpret_cast<Routine>(
      ::dlsym(RTLD_DEFAULT, (prefix + (letter + routine) + end).c_str()));
}

template <class T>
Routine fortran_of(const std::string& routine) {
  if (routine == "gemm") return choose<T>(sgemm_, dgemm_, cgemm_, zgemm_);
  if (routine == "symm") return choose<T>(ssymm_, dsymm_, csymm_, zsymm_);
  if (routine == "syrk") return choose<T>(ssyrk_, dsyrk_, csyrk_, zsyrk_);
  if (routine == "syr2k") return choose<T>(ssyr2k_, dsyr2k_, csyr2k_, zsyr2k_);
  if (routine == "trmm") return choose<T>(strmm_, dtrmm_, ctrmm_, ztrmm_);
  if (routine == "trsm") return choose<T>(strsm_, dtrsm_, ctrsm_, ztrsm_);
  if (routine == "hemm") return choose<T>(nullptr, nullptr, chemm_, zhemm_);
  if (routine == "herk") return choose<T>(nullptr, nullptr, cherk_, zherk_);
  if (routine == "her2k") return choose<T>(nullptr, nullptr, cher2k_, zher2k_);
  return looked_up<T>(routine, "", "_");
}
template <class T>
Routine cblas_of(const std::string& routine) {
  if (routine == "gemm") return choose<T>(cblas_sgemm, cblas_dgemm, cblas_cgemm, cblas_zgemm);
  if (routine == "symm") return choose<T>(cblas_ssymm, cblas_dsymm, cblas_csymm, cblas_zsymm);
  if (routine == "syrk") return choose<T>(cblas_ssyrk, cblas_dsyrk, cblas_csyrk, cblas_zsyrk);
  if (routine == "syr2k") return choose<T>(cblas_ssyr2k, cblas_dsyr2k, cblas_csyr2k, cblas_zsyr2k);
  if (routine == "trmm") return choose<T>(cblas_strmm, cblas_dtrmm, cblas_ctrmm, cblas_ztrmm);
  if (routine == "trsm") return choose<T>(cblas_strsm, cblas_dtrsm, cblas_ctrsm, cblas_ztrsm);
  if (routine == "hemm") return choose<T>(nullptr, nullptr, cblas_chemm, cblas_zhemm);
  if (routine == "herk") return choose<T>(nullptr, nullptr, cblas_cherk, cblas_zherk);
  if (routine == "her2k") return choose<T>(nullptr, nullptr, cblas_cher2k, cblas_zher2k);
  return looked_up<T>(routine, "cblas_", "");
}

int failures = 0, calls = 0;
Numbers numbers;

/// What a call is; the letters as Fortran passes them.
struct Case {
  std::string routine;
  char side = 'L', uplo = 'U', op_a = 'N', op_b = 'N', diag = 'N';
  int m = 1, n = 1, k = 1, gap = 0;
  bool is_by_rows = false;  ///< through CBLAS
  bool is_cblas = false;
  bool has_beta = true;

  [[nodiscard]] bool is(const char* name) const { return routine == name; }
  [[nodiscard]] bool is_product() const { return is("gemm") || is("gemm3m"); }
  [[nodiscard]] bool is_triangle_of_product() const { return is("gemmt") || is("gemmtr"); }
  [[nodiscard]] bool updates_triangle() const {
    return is_triangle_of_product() || is("syrk") || is("herk") || is("syr2k") || is("her2k");
  }
  [[nodiscard]] bool is_in_place() const { return is("trmm") || is("trsm"); }
  [[nodiscard]] bool is_hermitian() const { return routine.starts_with("he"); }
};

/// The whole matrix that an operand stands for.
template <class T>
std::vector<T> whole(const Case& what, const Matrix<T>& a, char op) {
  const int rows = op == 'N' ? a.rows() : a.columns(), columns = op == 'N' ? a.columns() : a.rows();
  std::vector<T> made(static_cast<std::size_t>(rows) * columns);
  const bool is_square = !what.is_product() && !what.updates_triangle();
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) {
      int row = op == 'N' ? i : j, column = op == 'N' ? j : i;
      bool turns = false, is_zero = false;
      const bool is_in = what.uplo == 'U' ? row <= column : row >= column;
      if (is_square && !is_in) {
        is_zero = what.is_in_place();
        turns = !is_zero;
      }
      T value{};
      if (is_square && row == column && what.is_in_place() && what.diag == 'U')
        value = T(1);
      else if (!is_zero)
        value = turns ? a(column, row) : a(row, column);
      if (is_square && what.is_hermitian()) {
        if (turns) value = conjugated(value);
        if (row == column) value = T(std::real(value));
      }
      made[static_cast<std::size_t>(j) * rows + i] = op == 'C' ? conjugated(value) : value;
    }
  return made;
}

/// c += alpha a b
template <class T>
void add_product(std::vector<T>& c, int m, int n, int k, T alpha, const std::vector<T>& a,
                 const std::vector<T>& b) {
  for (int j = 0; j < n; ++j)
    for (int l = 0; l < k; ++l)
      for (int i = 0; i < m; ++i)
        c[std::size_t(j) * m + i] += alpha * a[std::size_t(l) * m + i] * b[std::size_t(j) * k + l];
}

template <class T>
struct Operands {
  Matrix<T> a, b, c;
  T alpha, beta;
};

/// Puts NaN where the routine must not read.
template <class T>
void spoil(const Case& what, const Operands<T>& x) {
  const T nan = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  const auto is_in = [&](int i, int j) { return what.uplo == 'U' ? i <= j : i >= j; };
  const auto spoil_diagonal = [&](T& value, bool is_whole) {
    if constexpr (is_complex<T>)
      value = {is_whole ? std::real(nan) : std::real(value), std::real(nan)};
    else if (is_whole)
      value = nan;
  };
  const bool is_square = !what.is_product() && !what.updates_triangle();
  if (is_square)
    for (int j = 0; j < x.a.columns(); ++j)
      for (int i = 0; i < x.a.rows(); ++i) {
        if (!is_in(i, j)) x.a(i, j) = nan;
        if (i != j) continue;
        if (what.is_in_place() && what.diag == 'U') spoil_diagonal(x.a(i, j), true);
        if (what.is("hemm")) spoil_diagonal(x.a(i, j), false);
      }
  for (int j = 0; j < x.c.columns(); ++j)
    for (int i = 0; i < x.c.rows(); ++i) {
      const bool counts = !what.updates_triangle() || is_in(i, j);
      if (!counts || (!what.has_beta && !what.is_in_place())) x.c(i, j) = nan;
      if (i == j && (what.is("herk") || what.is("her2k")))
        spoil_diagonal(x.c(i, j), !what.has_beta);
    }
}

template <class T>
std::vector<T> expected(const Case& what, const Operands<T>& x) {
  const int m = x.c.rows(), n = x.c.columns();
  std::vector<T> c(std::size_t(m) * n);
  if (!what.is_in_place() && what.has_beta)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        T value = x.c(i, j);
        if (i == j && (what.is("herk") || what.is("her2k"))) value = T(std::real(value));
        c[std::size_t(j) * m + i] = x.beta * value;
      }
  if (what.is_product() || what.is_triangle_of_product()) {
    add_product(c, m, n, what.k, x.alpha, whole(what, x.a, what.op_a), whole(what, x.b, what.op_b));
  } else if (what.updates_triangle()) {
    const char turned = what.is_hermitian() ? 'C' : 'T';
    const char left = what.op_a == 'N' ? 'N' : turned, right = what.op_a == 'N' ? turned : 'N';
    if (what.is("syrk") || what.is("herk")) {
      add_product(c, n, n, what.k, x.alpha, whole(what, x.a, left), whole(what, x.a, right));
    } else {
      const T other = what.is_hermitian() ? conjugated(x.alpha) : x.alpha;
      add_product(c, n, n, what.k, x.alpha, whole(what, x.a, left), whole(what, x.b, right));
      add_product(c, n, n, what.k, other, whole(what, x.b, left), whole(what, x.a, right));
    }
  } else {
    const auto a = whole(what, x.a, what.op_a);
    std::vector<T> b(std::size_t(m) * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        b[std::size_t(j) * m + i] = what.is_in_place() ? x.c(i, j) : x.b(i, j);
    if (what.side == 'L')
      add_product(c, m, n, m, x.alpha, a, b);
    else
      add_product(c, m, n, n, x.alpha, b, a);
  }
  return c;
}

int number_of(char kind, char letter) {
  const std::string letters = kind == 'o' ? "NTC" : kind == 'u' ? "UL" : kind == 'd' ? "NU" : "LR";
  return (kind == 'o'   ? 111
          : kind == 'u' ? 121
          : kind == 'd' ? 131
                        : 141) +
         static_cast<int>(letters.find(letter));
}

template <class T>
void invoke_cblas(const Case& w, const Operands<T>& x) {
  const Routine f = cblas_of<T>(w.routine);
  const int layout = w.is_by_rows ? 101 : 102, m = w.m, n = w.n, k = w.k;
  const int side = number_of('s', w.side), uplo = number_of('u', w.uplo),
            op = number_of('o', w.op_a), diag = number_of('d', w.diag);
  const auto alpha = passed(x.alpha), beta = passed(x.beta);
  const RealOf<T> real_alpha = std::real(x.alpha), real_beta = std::real(x.beta);
  T *a = x.a.data(), *b = x.b.data(), *c = x.c.data();
  const int lda = x.a.leading(), ldb = x.b.leading(), ldc = x.c.leading();
  if (w.is_triangle_of_product())
    call(f, layout, uplo, op, number_of('o', w.op_b), n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else if (w.is_product())
    call(f, layout, op, number_of('o', w.op_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else if (w.is("symm") || w.is("hemm"))
    call(f, layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
  else if (w.is("syrk"))
    call(f, layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc);
  else if (w.is("herk"))
    call(f, layout, uplo, op, n, k, real_alpha, a, lda, real_beta, c, ldc);
  else if (w.is("syr2k"))
    call(f, layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else if (w.is("her2k"))
    call(f, layout, uplo, op, n, k, alpha, a, lda, b, ldb, real_beta, c, ldc);
  else
    call(f, layout, side, uplo, op, diag, m, n, alpha, a, lda, c, ldc);
}

template <class T>
void invoke_fortran(const Case& w, const Operands<T>& x) {
  const Routine f = fortran_of<T>(w.routine);
  const char *side = &w.side, *uplo = &w.uplo, *op = &w.op_a, *op_b = &w.op_b, *diag = &w.diag;
  const int *m = &w.m, *n = &w.n, *k = &w.k;
  const T *alpha = &x.alpha, *beta = &x.beta;
  T *a = x.a.data(), *b = x.b.data(), *c = x.c.data();
  const int lda = x.a.leading(), ldb = x.b.leading(), ldc = x.c.leading();
  const std::size_t one = 1;
  if (w.is_triangle_of_product())
    call(f, uplo, op, op_b, n, k, alpha, a, &lda, b, &ldb, beta, c, &ldc, one, one, one);
  else if (w.is_product())
    call(f, op, op_b, m, n, k, alpha, a, &lda, b, &ldb, beta, c, &ldc, one, one);
  else if (w.is("symm") || w.is("hemm"))
    call(f, side, uplo, m, n, alpha, a, &lda, b, &ldb, beta, c, &ldc, one, one);
  else if (w.is("syrk") || w.is("herk"))
    call(f, uplo, op, n, k, alpha, a, &lda, beta, c, &ldc, one, one);
  else if (w.is("syr2k") || w.is("her2k"))
    call(f, uplo, op, n, k, alpha, a, &lda, b, &ldb, beta, c, &ldc, one, one);
  else
    call(f, side, uplo, op, diag, m, n, alpha, a, &lda, c, &ldc, one, one, one, one);
}

/// The largest difference; what must not change has not. Of trsm: the product with the solution.
template <class T>
double error_of(const Case& what, const Operands<T>& x, const std::vector<T>& wanted,
                const std::vector<T>& before) {
  double worst = 0;
  std::vector<T> after = x.c.copy(), found(wanted.size());
  const int m = x.c.rows(), n = x.c.columns();
  std::vector<bool> counts(after.size());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const bool is_in = what.uplo == 'U' ? i <= j : i >= j;
      if (what.updates_triangle() && !is_in) continue;
      counts[x.c.place(i, j)] = true;
      found[std::size_t(j) * m + i] = x.c(i, j);
    }
  for (std::size_t k = 0; k < after.size(); ++k)
    if (!counts[k] && std::memcmp(&after[k], &before[k], sizeof(T)) != 0) return 1e300;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      if (!counts[x.c.place(i, j)]) continue;
      const std::size_t at = std::size_t(j) * m + i;
      const double error = std::abs(found[at] - wanted[at]);
      worst = std::isnan(error) ? 1e300 : std::max(worst, error);
    }
  return worst;
}

template <class T>
void check(const Case& what) {
  if ((what.is_cblas ? cblas_of<T>(what.routine) : fortran_of<T>(what.routine)) == nullptr) return;
  const bool is_gemm = what.is_product(), updates = what.updates_triangle();
  const bool has_b = is_gemm || what.is_triangle_of_product();
  const int square = what.side == 'L' ? what.m : what.n;
  const auto turned = [](int rows, int columns, char op) {
    return op == 'N' ? std::pair(rows, columns) : std::pair(columns, rows);
  };
  const auto a = is_gemm   ? turned(what.m, what.k, what.op_a)
                 : updates ? turned(what.n, what.k, what.op_a)
                           : std::pair(square, square);
  const auto b = has_b     ? turned(what.k, what.n, what.op_b)
                 : updates ? a
                           : std::pair(what.m, what.n);
  const std::pair c = {updates ? what.n : what.m, what.n};
  const bool is_by_rows = what.is_by_rows;
  const Operands<T> x = {{a.first, a.second, what.gap, is_by_rows, numbers},
                         {b.first, b.second, what.gap + 1, is_by_rows, numbers},
                         {c.first, c.second, what.gap, is_by_rows, numbers},
                         what.is("herk") ? T(0.75) : numbers.draw<T>() + T(1),
                         what.has_beta ? (what.is_hermitian() && updates ? T(-0.5) : T(0.5)) : T{}};
  if (what.is("trsm"))  // well conditioned, so that the solution can be compared
    for (int i = 0; i < square; ++i)
      for (int j = 0; j < square; ++j) x.a(i, j) = i == j ? T(4) : x.a(i, j) / T(RealOf<T>(square));
  spoil(what, x);
  std::vector<T> wanted;
  if (what.is("trsm")) {
    // The right side belongs to a solution that is known.
    const auto triangle = whole(what, x.a, what.op_a);
    for (int j = 0; j < c.second; ++j)
      for (int i = 0; i < c.first; ++i) wanted.push_back(x.c(i, j));
    std::vector<T> right(wanted.size());
    const T inverse = T(1) / x.alpha;
    if (what.side == 'L')
      add_product(right, c.first, c.second, square, inverse, triangle, wanted);
    else
      add_product(right, c.first, c.second, square, inverse, wanted, triangle);
    for (int j = 0; j < c.second; ++j)
      for (int i = 0; i < c.first; ++i) x.c(i, j) = right[std::size_t(j) * c.first + i];
  } else {
    wanted = expected(what, x);
  }
  const auto before = x.c.copy();
  what.is_cblas ? invoke_cblas(what, x) : invoke_fortran(what, x);
  ++calls;
  const double bound = 16.0 * (std::max({what.k, what.m, what.n}) + 2) *
                       static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  const double error = error_of(what, x, wanted, before);
  if (error <= bound) return;
  ++failures;
  std::printf("%zu bytes %s%s%s side %c uplo %c ops %c%c diag %c, %d x %d x %d gap %d: error %g\n",
              sizeof(T), what.is_cblas ? "cblas_" : "", what.routine.c_str(),
              what.is_by_rows ? " by rows" : "", what.side, what.uplo, what.op_a, what.op_b,
              what.diag, what.m, what.n, what.k, what.gap, error);
}

/// In Fortran, and through CBLAS in both layouts.
template <class T>
void check_ways(Case what) {
  check<T>(what);
  what.is_cblas = true;
  check<T>(what);
  what.is_by_rows = true;
  check<T>(what);
}

bool is_large = false;  ///< operands of some ten thousand bytes, for devices with less

template <class T>
void check_sizes(Case what) {
  if (is_large) {
    what.gap = 2, what.has_beta = true, what.m = 40, what.n = 36, what.k = 44;
    check<T>(what);
    what.gap = 0, what.has_beta = false, what.m = 35, what.n = 41, what.k = 90;
    return check<T>(what);
  }
  what.gap = 0, what.has_beta = true, what.m = 13, what.n = 9, what.k = 11;
  check_ways<T>(what);
  what.gap = 3, what.has_beta = false, what.m = 6, what.n = 17, what.k = 3;
  check_ways<T>(what);
  what.m = what.n = what.k = 1;
  check_ways<T>(what);
}

template <class T>
void check_all() {
  const std::string ops = "NTC", sides = "LR", triangles = "UL";
  for (const char op_a : ops)
    for (const char op_b : ops) {
      check_sizes<T>({.routine = "gemm", .op_a = op_a, .op_b = op_b});
      if (is_complex<T>) check_sizes<T>({.routine = "gemm3m", .op_a = op_a, .op_b = op_b});
      for (const char uplo : triangles)
        check_sizes<T>({.routine = "gemmt", .uplo = uplo, .op_a = op_a, .op_b = op_b});
      check_sizes<T>({.routine = "gemmtr", .uplo = 'L', .op_a = op_a, .op_b = op_b});
    }
  for (const char uplo : triangles) {
    for (const char side : sides) {
      check_sizes<T>({.routine = "symm", .side = side, .uplo = uplo});
      if (is_complex<T>) check_sizes<T>({.routine = "hemm", .side = side, .uplo = uplo});
      for (const char op : ops)
        for (const char diag : {'N', 'U'})
          for (const char* name : {"trmm", "trsm"})
            check_sizes<T>({.routine = name, .side = side, .uplo = uplo, .op_a = op, .diag = diag});
    }
    for (const char op : ops) {
      if (!is_complex<T> || op != 'C')
        for (const char* name : {"syrk", "syr2k"})
          check_sizes<T>({.routine = name, .uplo = uplo, .op_a = op});
      if (is_complex<T> && op != 'T')
        for (const char* name : {"herk", "her2k"})
          check_sizes<T>({.routine = name, .uplo = uplo, .op_a = op});
    }
  }
  // Several parts.
  for (const char uplo : triangles) {
    Case large{.routine = "syrk", .uplo = uplo, .n = 300, .k = 5};
    check<T>(large);
    large.routine = "gemmt";
    check<T>(large);
    large = {.routine = "trsm", .side = uplo == 'U' ? 'L' : 'R', .uplo = uplo, .m = 150, .n = 170};
    check<T>(large);
  }
}

}  // namespace

/// Usage: level3_caller [large]
int main(int count, char**) {
  is_large = count > 1;
  return caller::run_all([]<class T>() { check_all<T>(); }, "calls", calls, failures);
}
