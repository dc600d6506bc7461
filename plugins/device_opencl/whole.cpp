// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/whole.h"

#include <algorithm>

#include "plugins/device_opencl/element_source.h"
#include "plugins/device_opencl/program.h"
#include "plugins/device_opencl/whole_source.h"

namespace blockyard::opencl {
namespace {

using plugin::of_left;
using plugin::of_result;
using plugin::of_right;
using What = WholeStep::What;

/// Unknowns or columns that are computed in one work item, while products do the rest.
constexpr std::int64_t width = 32;

/// op(t) x = alpha b, or the same of the transposed matrices.
std::vector<WholeStep> solve_steps(const plugin::Whole& whole) {
  const bool is_right = whole.has(blockyard_from_right),
             turns = whole.has(blockyard_transposed) != is_right;
  const std::int64_t n = is_right ? whole.columns : whole.rows,
                     count = is_right ? whole.rows : whole.columns;
  const Within b{0, 1, whole.rows}, t{0, 1, n};
  const Within x = is_right ? b.transposed() : b, triangle = turns ? t.transposed() : t;
  WholeStep all;
  all.left_is_result = false;
  all.is_lower = whole.has(blockyard_upper) == turns;
  all.conjugates_left = whole.has(blockyard_conjugate_left);
  all.is_unit = whole.has(blockyard_unit);
  std::vector<WholeStep> steps;
  WholeStep scale = all;
  scale.what = What::scale;
  scale.result = x;
  scale.m = n;
  scale.n = count;
  steps.push_back(scale);
  const std::int64_t blocks = (n + width - 1) / width;
  for (std::int64_t number = 0; number < blocks; ++number) {
    const std::int64_t block = all.is_lower ? number : blocks - 1 - number;
    const std::int64_t from = block * width, to = std::min(n, from + width);
    WholeStep solve = all;
    solve.what = What::solve_block;
    solve.left = triangle.from(from, from);
    solve.result = x.from(from, 0);
    solve.m = to - from;
    solve.n = count;
    steps.push_back(solve);
    WholeStep product = all;
    product.m = all.is_lower ? n - to : from;
    product.n = count;
    product.k = to - from;
    const std::int64_t rest = all.is_lower ? to : 0;
    product.left = triangle.from(rest, from);
    product.right = x.from(from, 0);
    product.result = x.from(rest, 0);
    if (product.m > 0) steps.push_back(product);
  }
  return steps;
}

/// A column of blocks at a time, from what lies before it. The upper triangle is the transposed one
/// of the conjugated matrix.
std::vector<WholeStep> cholesky_steps(const plugin::Whole& whole) {
  const std::int64_t n = whole.rows;
  const Within matrix{0, 1, n}, a = whole.has(blockyard_upper) ? matrix.transposed() : matrix;
  std::vector<WholeStep> steps;
  for (std::int64_t from = 0; from < n; from += width) {
    const std::int64_t to = std::min(n, from + width), rest = n - to;
    WholeStep update;
    update.what = What::update_triangle;
    update.result = a.from(from, 0);
    update.m = to - from;
    update.k = from;
    if (from > 0) steps.push_back(update);
    WholeStep product;
    product.conjugates_right = true;
    product.m = rest;
    product.n = to - from;
    product.k = from;
    product.left = a.from(to, 0);
    product.right = a.from(from, 0).transposed();
    product.result = a.from(to, from);
    if (from > 0 && rest > 0) steps.push_back(product);
    WholeStep factor;
    factor.what = What::factor_triangle;
    factor.result = a.from(from, from);
    factor.m = to - from;
    factor.first = from;
    steps.push_back(factor);
    WholeStep solve;  // x l^H = a: the transposed one has rows of x as right sides
    solve.what = What::solve_block;
    solve.left = a.from(from, from);
    solve.conjugates_left = true;
    solve.result = a.from(to, from).transposed();
    solve.m = to - from;
    solve.n = rest;
    if (rest > 0) steps.push_back(solve);
  }
  return steps;
}

/// A panel, its exchanges on either side, what is right of it, the rest.
std::vector<WholeStep> lu_steps(const plugin::Whole& whole) {
  const std::int64_t m = whole.rows, n = whole.columns, least = std::min(m, n);
  const Within a{0, 1, m};
  std::vector<WholeStep> steps;
  for (std::int64_t from = 0; from < least; from += width) {
    const std::int64_t to = std::min(least, from + width), right = n - to, below = m - to;
    WholeStep panel;
    panel.what = What::factor_panel;
    panel.result = a.from(from, from);
    panel.m = m - from;
    panel.n = to - from;
    panel.first = from;
    steps.push_back(panel);
    WholeStep exchange;
    exchange.what = What::exchange_rows;
    exchange.first = from;
    exchange.k = to - from;
    exchange.result = a;
    exchange.n = from;
    if (from > 0) steps.push_back(exchange);
    exchange.result = a.from(0, to);
    exchange.n = right;
    if (right > 0) steps.push_back(exchange);
    WholeStep solve;
    solve.what = What::solve_block;
    solve.left = a.from(from, from);
    solve.is_unit = true;
    solve.result = a.from(from, to);
    solve.m = to - from;
    solve.n = right;
    if (right > 0) steps.push_back(solve);
    WholeStep product;
    product.m = below;
    product.n = right;
    product.k = to - from;
    product.left = a.from(to, from);
    product.right = a.from(from, to);
    product.result = a.from(to, to);
    if (below > 0 && right > 0) steps.push_back(product);
  }
  return steps;
}

}  // namespace

std::vector<WholeStep> whole_steps(const plugin::Whole& whole) {
  if (whole.kind == BLOCKYARD_SOLVE) return solve_steps(whole);
  if (whole.kind != BLOCKYARD_FACTOR || whole.has(blockyard_qr)) return {};
  return whole.has(blockyard_cholesky) ? cholesky_steps(whole) : lu_steps(whole);
}

plugin::Form form_of(const WholeStep& step) {
  const auto axis = [](std::int64_t extent, std::int64_t result, std::int64_t left,
                       std::int64_t right) {
    plugin::Axis made;
    made.extent = extent;
    made.stride[of_result] = result;
    made.stride[of_left] = left;
    made.stride[of_right] = right;
    return plugin::Axes{made};
  };
  plugin::Form form;
  form.m = axis(step.m, step.result.rows, step.left.rows, 0);
  form.n = axis(step.n, step.result.columns, 0, step.right.columns);
  form.k = axis(step.k, 0, step.left.columns, step.right.rows);
  return form;
}

WholeKernels build_whole_kernels(cl_context context, cl_device_id device, std::uint32_t element,
                                 const std::string& cache) {
  const bool is_double = element == BLOCKYARD_F64 || element == BLOCKYARD_C128;
  const std::string options = std::string("-cl-std=CL1.2 -DR=") + (is_double ? "double" : "float") +
                              " -DCOMPLEX=" + (element >= BLOCKYARD_C64 ? "1" : "0");
  WholeKernels made;
  made.program =
      build_program(context, device, std::string(element_source) + whole_source, options, cache);
  made.scale = open_kernel(made.program, "scale");
  made.solve_block = open_kernel(made.program, "solve_block");
  made.update_triangle = open_kernel(made.program, "update_triangle");
  made.factor_triangle = open_kernel(made.program, "factor_triangle");
  made.factor_panel = open_kernel(made.program, "factor_panel");
  made.exchange_rows = open_kernel(made.program, "exchange_rows");
  return made;
}

}  // namespace blockyard::opencl
