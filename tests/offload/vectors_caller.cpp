// SPDX-License-Identifier: Apache-2.0
/// Calls routines of levels 1 and 2, and batches of products, under their Fortran and CBLAS names
/// and compares with plain loops: a program that knows nothing of Blockyard. What a routine must
/// not read is NaN, what it must not write is compared bit by bit, and the page after the last
/// element cannot be touched. Names that the program's libraries lack are left out.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "tests/offload/guarded.h"

extern "C" void dgemv_();

namespace {

using namespace caller;

/// All names are looked up; without this use the linker would leave the library out.
[[maybe_unused]] const volatile Routine uses_blas = dgemv_;

int failures = 0, calls = 0;
Numbers numbers;
/// Elements after the last one that may be touched: kernels of OpenBLAS read some. A device must
/// not.
std::size_t slack = 64;

template <class T>
Routine find(const std::string& routine, bool is_cblas) {
  const char letter = std::is_same_v<T, float>    ? 's'
                      : std::is_same_v<T, double> ? 'd'
                      : std::is_same_v<T, c64>    ? 'c'
                                                  : 'z';
  const std::string name =
      is_cblas ? std::string("cblas_") + letter + routine : letter + routine + "_";
  return reinterpret_cast<Routine>(::dlsym(RTLD_DEFAULT, name.c_str()));
}

template <class T>
constexpr T not_a_number = T(std::numeric_limits<RealOf<T>>::quiet_NaN());

/// Elements at steps of `step`, the first one at the end where that is negative; NaN between.
template <class T>
class Vector {
 public:
  Vector(int count, int step)
      : count_(count), step_(step), memory_(std::size_t(count - 1) * std::abs(step) + 1, slack) {
    std::fill_n(data(), memory_.size(), not_a_number<T>);
    for (int k = 0; k < count; ++k) (*this)(k) = numbers.draw<T>();
  }
  T& operator()(int k) const {
    return data()[std::size_t(step_ > 0 ? k : count_ - 1 - k) * std::abs(step_)];
  }
  [[nodiscard]] T* data() const { return memory_.data(); }
  [[nodiscard]] int step() const { return step_; }
  [[nodiscard]] int count() const { return count_; }
  /// Whether nothing but the elements differs from `before`.
  [[nodiscard]] bool keeps(const std::vector<T>& before) const {
    for (std::size_t k = 0; k < before.size(); ++k)
      if (k % std::abs(step_) != 0 && std::memcmp(data() + k, &before[k], sizeof(T)) != 0)
        return false;
    return true;
  }
  [[nodiscard]] std::vector<T> copy() const { return {data(), data() + memory_.size()}; }

 private:
  int count_, step_;
  Guarded<T> memory_;
};

/// Fortran, CBLAS by columns and by rows.
enum class Way { fortran, columns, rows };
constexpr Way ways[] = {Way::fortran, Way::columns, Way::rows};

struct Case {
  std::string routine;
  char uplo = 'U', op = 'N', diag = 'N';
  Way way = Way::fortran;
  int incx = 1, incy = 1;
  bool has_beta = true;
  [[nodiscard]] int layout() const { return way == Way::rows ? 101 : 102; }
};

template <class T>
void judge(const Case& what, double error, int depth, bool holds = true) {
  ++calls;
  const double bound =
      16.0 * (depth + 2) * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  if (error <= bound && holds) return;  // a NaN is not
  ++failures;
  std::printf("%zu bytes %s way %d uplo %c op %c diag %c inc %d %d: error %g%s\n", sizeof(T),
              what.routine.c_str(), static_cast<int>(what.way), what.uplo, what.op, what.diag,
              what.incx, what.incy, error, holds ? "" : ", and something else was written");
}

template <class T>
double apart(const Vector<T>& found, const std::vector<T>& wanted) {
  double worst = 0;
  for (int k = 0; k < found.count(); ++k) {
    const double error = std::abs(found(k) - wanted[std::size_t(k)]);
    worst = std::isnan(error) ? 1e300 : std::max(worst, error);
  }
  return worst;
}

int op_number(char op) { return op == 'N' ? 111 : op == 'T' ? 112 : 113; }
int uplo_number(char uplo) { return uplo == 'U' ? 121 : 122; }
int diag_number(char diag) { return diag == 'N' ? 131 : 132; }
constexpr std::size_t one = 1;

/// The element of a matrix that an operation uses.
template <class T>
T element(const Matrix<T>& a, char op, int i, int j) {
  return op == 'N' ? a(i, j) : op == 'T' ? a(j, i) : conjugated(a(j, i));
}

/// What y becomes: alpha times the matrix of these elements times x, and beta y. Where beta is zero
/// y must not be read, and is made NaN.
template <class T, class Elements>
std::vector<T> wanted_of(const Case& what, const Elements& matrix, T alpha, const Vector<T>& x,
                         T beta, const Vector<T>& y) {
  std::vector<T> wanted;
  for (int i = 0; i < y.count(); ++i) {
    T sum = what.has_beta ? beta * y(i) : T{};
    for (int k = 0; k < x.count(); ++k) sum += alpha * matrix(i, k) * x(k);
    wanted.push_back(sum);
    if (!what.has_beta) y(i) = not_a_number<T>;
  }
  return wanted;
}

template <class T>
void check_gemv(const Case& what) {
  const int m = 67, n = 70;
  const Matrix<T> a(m, n, 2, what.way == Way::rows, numbers, slack);
  const bool is_plain = what.op == 'N';
  const Vector<T> x(is_plain ? n : m, what.incx), y(is_plain ? m : n, what.incy);
  const T alpha = numbers.draw<T>() + T(1), beta = what.has_beta ? numbers.draw<T>() : T{};
  const std::vector<T> wanted = wanted_of<T>(
      what, [&](int i, int k) { return element(a, what.op, i, k); }, alpha, x, beta, y);
  const auto before = y.copy();
  const int lda = a.leading(), incx = x.step(), incy = y.step();
  const Routine f = find<T>(what.routine, what.way != Way::fortran);
  if (what.way == Way::fortran)
    call(f, &what.op, &m, &n, &alpha, a.data(), &lda, x.data(), &incx, &beta, y.data(), &incy, one);
  else
    call(f, what.layout(), op_number(what.op), m, n, passed(alpha), a.data(), lda, x.data(), incx,
         passed(beta), y.data(), incy);
  judge<T>(what, apart(y, wanted), x.count(), y.keeps(before));
}

template <class T>
void check_ger(const Case& what) {
  const int m = 67, n = 70;
  const Matrix<T> a(m, n, 2, what.way == Way::rows, numbers, slack);
  const Vector<T> x(m, what.incx), y(n, what.incy);
  const T alpha = numbers.draw<T>() + T(1);
  std::vector<T> wanted;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      wanted.push_back(a(i, j) + alpha * x(i) * (what.routine == "gerc" ? conjugated(y(j)) : y(j)));
  const auto before = a.copy();
  const int lda = a.leading(), incx = x.step(), incy = y.step();
  const Routine f = find<T>(what.routine, what.way != Way::fortran);
  if (what.way == Way::fortran)
    call(f, &m, &n, &alpha, x.data(), &incx, y.data(), &incy, a.data(), &lda);
  else
    call(f, what.layout(), m, n, passed(alpha), x.data(), incx, y.data(), incy, a.data(), lda);
  double worst = 0;
  std::vector<bool> counts(before.size());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      counts[a.place(i, j)] = true;
      const double error = std::abs(a(i, j) - wanted[std::size_t(j) * m + i]);
      worst = std::isnan(error) ? 1e300 : std::max(worst, error);
    }
  bool keeps = true;
  for (std::size_t k = 0; k < before.size(); ++k)
    keeps = keeps && (counts[k] || std::memcmp(a.data() + k, &before[k], sizeof(T)) == 0);
  judge<T>(what, worst, 1, keeps);
}

/// A square of which one triangle counts, and the matrix that it stands for.
template <class T>
std::vector<T> spoil(const Case& what, const Matrix<T>& a) {
  const int n = a.rows();
  const bool is_triangle = what.routine.starts_with("tr"), is_hermitian = what.routine == "hemv";
  std::vector<T> whole(std::size_t(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if (what.routine == "trsv") a(i, j) = i == j ? T(4) : a(i, j) / T(RealOf<T>(n));
      const bool is_in = what.uplo == 'U' ? i <= j : i >= j;
      if (!is_in) continue;
      T value = a(i, j);
      if (i == j && is_hermitian) value = T(std::real(value));
      if (i == j && is_triangle && what.diag == 'U') value = T(1);
      whole[std::size_t(j) * n + i] = value;
      if (!is_triangle && i != j)
        whole[std::size_t(i) * n + j] = is_hermitian ? conjugated(value) : value;
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if (what.uplo == 'U' ? i > j : i < j) a(i, j) = not_a_number<T>;
      if (i == j && is_triangle && what.diag == 'U') a(i, j) = not_a_number<T>;
      if constexpr (is_complex<T>)
        if (i == j && is_hermitian) a(i, j) = {std::real(a(i, j)), std::real(not_a_number<T>)};
    }
  return whole;
}

template <class T>
void check_symv(const Case& what) {
  const int n = 70;
  const Matrix<T> a(n, n, 2, what.way == Way::rows, numbers, slack);
  const std::vector<T> whole = spoil(what, a);
  const Vector<T> x(n, what.incx), y(n, what.incy);
  const T alpha = numbers.draw<T>() + T(1), beta = what.has_beta ? numbers.draw<T>() : T{};
  const std::vector<T> wanted = wanted_of<T>(
      what, [&](int i, int k) { return whole[std::size_t(k) * n + i]; }, alpha, x, beta, y);
  const auto before = y.copy();
  const int lda = a.leading(), incx = x.step(), incy = y.step();
  const Routine f = find<T>(what.routine, what.way != Way::fortran);
  if (what.way == Way::fortran)
    call(f, &what.uplo, &n, &alpha, a.data(), &lda, x.data(), &incx, &beta, y.data(), &incy, one);
  else
    call(f, what.layout(), uplo_number(what.uplo), n, passed(alpha), a.data(), lda, x.data(), incx,
         passed(beta), y.data(), incy);
  judge<T>(what, apart(y, wanted), n, y.keeps(before));
}

/// Of trsv the solution is known.
template <class T>
void check_triangle(const Case& what) {
  const int n = 70;
  const Matrix<T> a(n, n, 2, what.way == Way::rows, numbers, slack);
  const std::vector<T> whole = spoil(what, a);
  const Vector<T> x(n, what.incx);
  std::vector<T> product, wanted;
  for (int i = 0; i < n; ++i) {
    T sum{};
    for (int k = 0; k < n; ++k) {
      const T value =
          what.op == 'N' ? whole[std::size_t(k) * n + i] : whole[std::size_t(i) * n + k];
      sum += (what.op == 'C' ? conjugated(value) : value) * x(k);
    }
    product.push_back(sum);
    wanted.push_back(x(i));
  }
  if (what.routine == "trsv")
    for (int i = 0; i < n; ++i) x(i) = product[std::size_t(i)];
  else
    wanted = product;
  const auto before = x.copy();
  const int lda = a.leading(), incx = x.step();
  const Routine f = find<T>(what.routine, what.way != Way::fortran);
  if (what.way == Way::fortran)
    call(f, &what.uplo, &what.op, &what.diag, &n, a.data(), &lda, x.data(), &incx, one, one, one);
  else
    call(f, what.layout(), uplo_number(what.uplo), op_number(what.op), diag_number(what.diag), n,
         a.data(), lda, x.data(), incx);
  judge<T>(what, apart(x, wanted), n, x.keeps(before));
}

template <class T>
T value_of(const Case& what, int n, const Vector<T>& x, const Vector<T>& y) {
  const int incx = x.step(), incy = y.step();
  T found{};
  if (what.way == Way::fortran) {
    using Function = T (*)(const int*, const T*, const int*, const T*, const int*);
    return reinterpret_cast<Function>(find<T>(what.routine, false))(&n, x.data(), &incx, y.data(),
                                                                    &incy);
  }
  if constexpr (is_complex<T>) {
    call(find<T>(what.routine + "_sub", true), n, x.data(), incx, y.data(), incy, &found);
  } else {
    using Function = T (*)(int, const T*, int, const T*, int);
    found =
        reinterpret_cast<Function>(find<T>(what.routine, true))(n, x.data(), incx, y.data(), incy);
  }
  return found;
}

template <class T>
void check_level1(Case what) {
  const int n = 5000;
  const Vector<T> x(n, what.incx), y(n, what.incy);
  T sum{};
  for (int k = 0; k < n; ++k) sum += (what.routine == "dotc" ? conjugated(x(k)) : x(k)) * y(k);
  if (what.routine != "axpy") return judge<T>(what, std::abs(value_of(what, n, x, y) - sum), n);
  const T alpha = numbers.draw<T>() + T(1);
  std::vector<T> wanted;
  for (int k = 0; k < n; ++k) wanted.push_back(y(k) + alpha * x(k));
  const auto before = y.copy();
  const int incx = x.step(), incy = y.step();
  const Routine f = find<T>("axpy", what.way != Way::fortran);
  if (what.way == Way::fortran)
    call(f, &n, &alpha, x.data(), &incx, y.data(), &incy);
  else
    call(f, n, passed(alpha), x.data(), incx, y.data(), incy);
  judge<T>(what, apart(y, wanted), 1, y.keeps(before));
}

/// Two groups, of two products and one; or three products at steps.
template <class T>
void check_batch(const Case& what) {
  const bool is_strided = what.routine == "gemm_batch_strided", is_rows = what.way == Way::rows;
  const Routine f = find<T>(what.routine, what.way != Way::fortran);
  if (f == nullptr) return;  // neither the program's library nor ours is there
  const int m = 9, n = 7, k = 5, groups = 2, sizes[] = {2, 1}, count = 3;
  const char op_b = what.op;
  Guarded<T> a(std::size_t(count) * m * k), b(std::size_t(count) * k * n),
      c(std::size_t(count) * m * n);
  for (const Guarded<T>* all : {&a, &b, &c})
    for (std::size_t i = 0; i < all->size(); ++i) all->data()[i] = numbers.draw<T>();
  const int lda = is_rows ? k : m, ldb = (op_b == 'N') == is_rows ? n : k, ldc = is_rows ? n : m;
  const T factors[] = {numbers.draw<T>() + T(1), numbers.draw<T>() + T(1)};
  const T betas[] = {numbers.draw<T>(), T{}};
  const auto group = [&](int p) { return is_strided || p < 2 ? 0 : 1; };
  std::vector<T> wanted(c.data(), c.data() + c.size());
  const auto at = [](const T* from, int i, int j, int leading, bool by_rows) -> const T& {
    return from[by_rows ? std::size_t(i) * leading + j : std::size_t(j) * leading + i];
  };
  for (int p = 0; p < count; ++p)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        const std::size_t place = std::size_t(p) * m * n +
                                  (is_rows ? std::size_t(i) * ldc + j : std::size_t(j) * ldc + i);
        T sum{};
        for (int l = 0; l < k; ++l) {
          const T* const from = b.data() + std::size_t(p) * k * n;
          const T right = op_b == 'N' ? at(from, l, j, ldb, is_rows) : at(from, j, l, ldb, is_rows);
          sum += at(a.data() + std::size_t(p) * m * k, i, l, lda, is_rows) *
                 (op_b == 'C' ? conjugated(right) : right);
        }
        wanted[place] = factors[group(p)] * sum + betas[group(p)] * wanted[place];
      }
  const char plain = 'N';
  if (is_strided) {
    const int step_a = m * k, step_b = k * n, step_c = m * n;
    if (what.way == Way::fortran)
      call(f, &plain, &op_b, &m, &n, &k, factors, a.data(), &lda, &step_a, b.data(), &ldb, &step_b,
           betas, c.data(), &ldc, &step_c, &count, one, one);
    else
      call(f, what.layout(), 111, op_number(op_b), m, n, k, passed(factors[0]), a.data(), lda,
           step_a, b.data(), ldb, step_b, passed(betas[0]), c.data(), ldc, step_c, count);
  } else {
    const T *pa[3], *pb[3];
    T* pc[3];
    for (int p = 0; p < count; ++p) {
      pa[p] = a.data() + std::size_t(p) * m * k;
      pb[p] = b.data() + std::size_t(p) * k * n;
      pc[p] = c.data() + std::size_t(p) * m * n;
    }
    const int ms[] = {m, m}, ns[] = {n, n}, ks[] = {k, k}, ldas[] = {lda, lda}, ldbs[] = {ldb, ldb},
              ldcs[] = {ldc, ldc};
    if (what.way == Way::fortran) {
      const char ops[] = {'N', 'N'}, ops_b[] = {op_b, op_b};
      call(f, ops, ops_b, ms, ns, ks, factors, pa, ldas, pb, ldbs, betas, pc, ldcs, &groups, sizes,
           one, one);
    } else {
      const int ops[] = {111, 111}, ops_b[] = {op_number(op_b), op_number(op_b)};
      call(f, what.layout(), ops, ops_b, ms, ns, ks, factors, pa, ldas, pb, ldbs, betas, pc, ldcs,
           groups, sizes);
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(c.data()[i] - wanted[i])));
  judge<T>(what, worst, k);
}

/// All ways and increments of a case.
void vary(Case what, bool has_layout, const std::function<void(const Case&)>& check) {
  constexpr int steps[][2] = {{1, 1}, {3, -2}, {-1, 2}, {-2, -3}};
  for (const Way way : ways) {
    if (way == Way::rows && !has_layout) continue;
    what.way = way;
    for (const auto& [incx, incy] : steps) {
      what.incx = incx, what.incy = incy;
      what.has_beta = incx != -1;
      check(what);
    }
  }
}

template <class T>
void check_all() {
  const char* const triangles = "UL";
  for (const char op : {'N', 'T', 'C'}) {
    vary({.routine = "gemv", .op = op}, true, check_gemv<T>);
    for (const char* name : {"gemm_batch", "gemm_batch_strided"})
      for (const Way way : ways) check_batch<T>({.routine = name, .op = op, .way = way});
    for (const char uplo : {triangles[0], triangles[1]})
      for (const char diag : {'N', 'U'})
        for (const char* name : {"trmv", "trsv"})
          vary({.routine = name, .uplo = uplo, .op = op, .diag = diag}, true, check_triangle<T>);
  }
  for (const char uplo : {triangles[0], triangles[1]})
    vary({.routine = is_complex<T> ? "hemv" : "symv", .uplo = uplo}, true, check_symv<T>);
  vary({.routine = is_complex<T> ? "geru" : "ger"}, true, check_ger<T>);
  vary({.routine = is_complex<T> ? "dotu" : "dot"}, false, check_level1<T>);
  vary({.routine = "axpy"}, false, check_level1<T>);
  if constexpr (is_complex<T>) {
    vary({.routine = "gerc"}, true, check_ger<T>);
    vary({.routine = "dotc"}, false, check_level1<T>);
  }
}

}  // namespace

/// Usage: vectors_caller [exact]
int main(int count, char**) {
  if (count > 1) slack = 0;
  return caller::run_all([]<class T>() { check_all<T>(); }, "calls", calls, failures);
}
