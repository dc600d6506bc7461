// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/base/memory_left.h"
#include "blockyard/garray/eigen.h"
#include "blockyard/garray/first.h"
#include "blockyard/garray/grid_solve.h"
#include "blockyard/garray/lapack.h"

namespace blockyard::garray {

namespace {

using base::to_int;
using fabric::Element;
using fabric::Reduction;

void require_double(const Array& array) {
  if (element_of(array) != Element::f64)
    refuse(array, fmt::format("has elements of type {}; this is for double", name_of(array.kind)));
}

/// Does `work` on the first rank, with a look at its memory, and tells all ranks what it returned
/// or threw.
template <class Work>
int on_first(Runtime& runtime, const Array& a, Extent doubles, const Work& work) {
  const Team& team = runtime.team(a.group);
  int code = 0;
  at_first(runtime, a.group, [&] {
    const auto wanted = static_cast<std::size_t>(doubles) * sizeof(double);
    const auto left = base::memory_left();
    if (wanted > left.bytes)
      throw base::Error(base::Errc::no_memory,
                        fmt::format("(\"{}\"): LAPACK on process 0 needs {} bytes, and {} are left",
                                    a.name, wanted, left.bytes));
    code = work();
  });
  runtime.memory().broadcast(team.group, std::as_writable_bytes(std::span(&code, 1)), 0);
  return code;
}

std::vector<double> all_of(const Runtime& runtime, const Array& a) {
  std::vector<double> values(static_cast<std::size_t>(a.whole().element_count()));
  get(runtime, a, a.whole(), {values.data(), array::dense_strides(a.whole())});
  return values;
}

void put_all(const Runtime& runtime, const Array& a, std::vector<double>& values) {
  put(runtime, a, a.whole(), {values.data(), array::dense_strides(a.whole())});
}

int right_sides(const Array& a, const Array& b) {
  require_square(a);
  require_double(a);
  require_double(b);
  if (b.axes() > 2 || b.extents[0] != a.extents[0])
    refuse(b, fmt::format("does not fit a system of {} equations", a.extents[0]));
  return b.axes() == 2 ? to_int(b.extents[1]) : 1;
}

bool is_on_grid(const Runtime& runtime, const Array& a, Solver solver) {
  return solver == Solver::any && uses_grid(runtime, a);
}

}  // namespace

void solve_lu(Runtime& runtime, bool is_transposed, const Array& a, const Array& b, Solver solver) {
  const int n = to_int(a.extents[0]), sides = right_sides(a, b);
  const auto on_one = [&] {
    return on_first(runtime, a, Extent{n} * (n + sides), [&] {
      auto matrix = all_of(runtime, a), x = all_of(runtime, b);
      std::vector<int> pivots(static_cast<std::size_t>(n));
      int code = 0;
      dgetrf_(&n, &n, matrix.data(), &n, pivots.data(), &code);
      if (code > 0) return code;
      const char how = is_transposed ? 'T' : 'N';
      dgetrs_(&how, &n, &sides, matrix.data(), &n, pivots.data(), x.data(), &n, &code);
      put_all(runtime, b, x);
      return code;
    });
  };
  const int info =
      is_on_grid(runtime, a, solver) ? grid_solve_lu(runtime, is_transposed, a, b) : on_one();
  if (info > 0) refuse(a, fmt::format("is singular: pivot {} is zero", info));
}

int solve_cholesky(Runtime& runtime, const Array& a, const Array& b) {
  const int n = to_int(a.extents[0]), sides = right_sides(a, b);
  if (is_on_grid(runtime, a, Solver::any)) return grid_solve_cholesky(runtime, a, b);
  return on_first(runtime, a, Extent{n} * (n + sides), [&] {
    auto matrix = all_of(runtime, a), x = all_of(runtime, b);
    int code = 0;
    dpotrf_("L", &n, matrix.data(), &n, &code);
    if (code > 0) return code;
    dpotrs_("L", &n, &sides, matrix.data(), &n, x.data(), &n, &code);
    put_all(runtime, b, x);
    return code;
  });
}

int invert(Runtime& runtime, const Array& a) {
  require_square(a);
  require_double(a);
  const int n = to_int(a.extents[0]);
  if (is_on_grid(runtime, a, Solver::any)) return grid_invert(runtime, a);
  return on_first(runtime, a, Extent{n} * n, [&] {
    auto matrix = all_of(runtime, a);
    int code = 0;
    dpotrf_("L", &n, matrix.data(), &n, &code);
    if (code > 0) return code;
    dpotri_("L", &n, matrix.data(), &n, &code);
    const auto side = static_cast<std::size_t>(n);
    for (std::size_t j = 0; j < side; ++j)
      for (std::size_t i = 0; i < j; ++i) matrix[i + j * side] = matrix[j + i * side];
    put_all(runtime, a, matrix);
    return code;
  });
}

void diagonalize(Runtime& runtime, const Array& a, const Array* s, const Array& v, double* values,
                 Solver solver) {
  require_square(a);
  for (const Array* array : {&a, s, &v}) {
    if (array == nullptr) continue;
    require_double(*array);
    require_same_shape(*array, a);
  }
  const int n = to_int(a.extents[0]);
  const Extent square = Extent{n} * n;
  const auto on_one = [&] {
    return on_first(runtime, a, 5 * square + 10 * n + 10, [&] {
      auto matrix = all_of(runtime, a);
      std::vector<double> metric;
      if (s != nullptr) metric = all_of(runtime, *s);
      const int code =
          eigenvectors(n, matrix.data(), s != nullptr ? metric.data() : nullptr, values);
      if (code == 0) put_all(runtime, v, matrix);
      return code;
    });
  };
  const int info =
      is_on_grid(runtime, a, solver) ? grid_diagonalize(runtime, a, s, v, values) : on_one();
  if (info != 0)
    refuse(info > n && s != nullptr ? *s : a,
           info > n ? fmt::format("is not positive definite: minor {}", info - n)
                    : std::string("has eigenvalues that LAPACK did not find"));
  runtime.memory().broadcast(runtime.team(a.group).group,
                             std::as_writable_bytes(std::span(values, static_cast<std::size_t>(n))),
                             0);
}

}  // namespace blockyard::garray
