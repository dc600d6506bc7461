// SPDX-License-Identifier: Apache-2.0
// Solvers under names that programs use and no header declares, in Fortran; memory for a while.
#include <typesf2c.h>

#include <complex>
#include <cstdlib>
#include <vector>

#include "blockyard/base/integer.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/eigen.h"
#include "blockyard/garray/lapack.h"
#include "blockyard/garray/matrix.h"

namespace {

using blockyard::base::to_int;
using blockyard::ga::run;
using blockyard::ga::runtime;
using blockyard::ga::together;
using blockyard::ga::Tongue;
using blockyard::garray::Array;
namespace array = blockyard::array;

constexpr Tongue in_fortran{true, sizeof(Integer)};

const Array& square_of_doubles(Integer handle) {
  const Array& a = runtime().made_array(to_int(handle));
  blockyard::garray::require_square(a);
  if (a.kind.element != blockyard::fabric::Element::f64)
    blockyard::garray::refuse(a, "is not of double precision");
  return a;
}

std::vector<double> all_of(const Array& a) {
  std::vector<double> values(static_cast<std::size_t>(a.whole().element_count()));
  blockyard::garray::get(runtime(), a, a.whole(), {values.data(), array::dense_strides(a.whole())});
  return values;
}
void put_all(const Array& a, std::vector<double>& values) {
  blockyard::garray::put(runtime(), a, a.whole(), {values.data(), array::dense_strides(a.whole())});
}

/// Collective. The result of work(), which the first rank of the group does.
template <class Work>
int on_first(const Array& a, const Work& work) {
  return together(a, [&] {
    const auto& team = runtime().team(a.group);
    std::int32_t result = team.me == 0 ? work() : 0;
    runtime().memory().broadcast(team.group, std::as_writable_bytes(std::span(&result, 1)), 0);
    return static_cast<int>(result);
  });
}

/// The other half of a matrix than the one that LAPACK wrote: its mirror image, or zeros.
void complete(std::vector<double>& matrix, int n, bool is_lower, bool is_symmetric) {
  const auto side = static_cast<std::size_t>(n);
  for (std::size_t j = 0; j < side; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      double &upper = matrix[i + j * side], &lower = matrix[j + i * side];
      (is_lower ? upper : lower) = is_symmetric ? (is_lower ? lower : upper) : 0.0;
    }
}

bool is_lower_of(const char* uplo) { return *uplo == 'L' || *uplo == 'l'; }

/// A routine of LAPACK on one triangle of a matrix.
using OnTriangle = void (*)(const char*, const int*, double*, const int*, int*);
Integer change_triangle(const char* uplo, Integer g_a, OnTriangle routine, bool is_symmetric) {
  const Array& a = square_of_doubles(g_a);
  return on_first(a, [&] {
    const bool is_lower = is_lower_of(uplo);
    const int n = to_int(a.extents[0]);
    auto matrix = all_of(a);
    int info = 0;
    routine(is_lower ? "L" : "U", &n, matrix.data(), &n, &info);
    if (info != 0) return info;
    complete(matrix, n, is_lower, is_symmetric);
    put_all(a, matrix);
    return 0;
  });
}

/// b becomes the solution of a x = b, of the Cholesky factor of a.
int solve_with_factor(const char* uplo, Integer g_a, Integer g_b) {
  const Array& a = square_of_doubles(g_a);
  const Array& b = runtime().made_array(to_int(g_b));
  blockyard::garray::require_matrix(b);
  if (b.kind != a.kind || b.extents[0] != a.extents[0])
    blockyard::garray::refuse(b, "has not as many rows as the matrix, or is of another type");
  const int info = on_first(a, [&] {
    const int n = to_int(a.extents[0]), columns = to_int(b.extents[1]);
    const auto factor = all_of(a);
    auto solution = all_of(b);
    int code = 0;
    dpotrs_(is_lower_of(uplo) ? "L" : "U", &n, &columns, factor.data(), &n, solution.data(), &n,
            &code);
    put_all(b, solution);
    return code;
  });
  return info;
}

/// A triangle that is left as it is.
void keep_triangle(const char*, const int*, double*, const int*, int*) {}

/// Hermitian matrices as pairs of their real and imaginary parts.
int diagonalize_hermitian(const Integer* g_a, const Integer* g_v, double* values) {
  const Array &re = square_of_doubles(g_a[0]), &im = square_of_doubles(g_a[1]),
              &v_re = square_of_doubles(g_v[0]), &v_im = square_of_doubles(g_v[1]);
  const int n = to_int(re.extents[0]);
  for (const Array* other : {&im, &v_re, &v_im})
    if (other->extents != re.extents)
      blockyard::garray::refuse(*other, "has not the extents of the matrix");
  const int info = on_first(re, [&] {
    auto a = all_of(re), b = all_of(im);
    std::vector<std::complex<double>> matrix(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) matrix[k] = {a[k], b[k]};
    const int code = blockyard::garray::eigenvectors(n, matrix.data(), values);
    if (code != 0) return code;
    for (std::size_t k = 0; k < a.size(); ++k) {
      a[k] = matrix[k].real();
      b[k] = matrix[k].imag();
    }
    put_all(v_re, a);
    put_all(v_im, b);
    return 0;
  });
  if (info != 0) blockyard::garray::refuse(re, "has eigenvalues that LAPACK did not find");
  runtime().memory().broadcast(
      runtime().team(re.group).group,
      std::as_writable_bytes(std::span(values, static_cast<std::size_t>(n))), 0);
  return 0;
}

}  // namespace

extern "C" {

/// The Cholesky factor in this triangle, zeros in the other one; 0, or the minor that is not
/// positive.
Integer ga_cholesky_(const char* uplo, const Integer* g_a, std::size_t /*length*/) {
  return run({"ga_cholesky", __builtin_return_address(0), in_fortran},
             [&] { return change_triangle(uplo, *g_a, dpotrf_, false); });
}
/// The inverse of the matrix whose Cholesky factor is given. handle: -1, and not looked at.
Integer ga_llt_i_(const char* uplo, const Integer* g_a, const Integer* /*handle*/,
                  std::size_t /*length*/) {
  return run({"ga_llt_i", __builtin_return_address(0), in_fortran},
             [&] { return change_triangle(uplo, *g_a, dpotri_, true); });
}
/// As ga_cholesky; handle: becomes -1.
Integer ga_llt_f_(const char* uplo, const Integer* g_a, Integer* handle, std::size_t /*length*/) {
  return run({"ga_llt_f", __builtin_return_address(0), in_fortran}, [&] {
    *handle = -1;
    return change_triangle(uplo, *g_a, dpotrf_, false);
  });
}
/// Solves with what ga_llt_f made.
void ga_llt_s_(const char* uplo, const Integer* g_a, const Integer* g_b, const Integer* /*handle*/,
               std::size_t /*length*/) {
  run({"ga_llt_s", __builtin_return_address(0), in_fortran},
      [&] { return solve_with_factor(uplo, *g_a, *g_b); });
}
/// The other triangle becomes zeros, or the mirror image of this one.
void ga_zeroul_(const char* uplo, const Integer* g_a, std::size_t /*length*/) {
  run({"ga_zeroul", __builtin_return_address(0), in_fortran},
      [&] { return change_triangle(uplo, *g_a, keep_triangle, false); });
}
void ga_symul_(const char* uplo, const Integer* g_a, std::size_t /*length*/) {
  run({"ga_symul", __builtin_return_address(0), in_fortran},
      [&] { return change_triangle(uplo, *g_a, keep_triangle, true); });
}
void ga_pzheevr_(const Integer* g_a, const Integer* g_v, double* values, const Integer* /*edge*/,
                 Integer* count) {
  run({"ga_pzheevr", __builtin_return_address(0), in_fortran}, [&] {
    *count = static_cast<Integer>(square_of_doubles(g_a[0]).extents[0]);
    return diagonalize_hermitian(g_a, g_v, values);
  });
}
void ga_pzheevd_(const Integer* g_a, const Integer* g_v, double* values, const Integer* /*edge*/) {
  run({"ga_pzheevd", __builtin_return_address(0), in_fortran},
      [&] { return diagonalize_hermitian(g_a, g_v, values); });
}
// ScaLAPACK's state between calls: there is none.
void slexit_() {}
void slexit2_() {}
void slexit3_() {}
void slexit4_() {}

void* ga_malloc(Integer count, int type, char* /*name*/) {
  return run({"ga_malloc", __builtin_return_address(0), Tongue{false, sizeof(Integer)}}, [&] {
    const auto kind = runtime().kind(type, sizeof(Integer));
    if (!kind) blockyard::garray::refuse("type is not a type of elements");
    void* memory = std::malloc(static_cast<std::size_t>(count) * kind->bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  });
}
void ga_free(void* memory) { std::free(memory); }
}
