// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/transform.h"

#include <algorithm>
#include <cmath>

namespace blockyard::blas {

namespace {

using Sort = Transform::Sort;

/// Elements of all axes, the halved one with `is_halved` as half of its pairs.
double elements(const Transform& transform, bool is_halved) noexcept {
  double all = 1;
  for (const Axis& axis : transform.batch) all *= static_cast<double>(axis.n);
  for (const Axis& axis : transform.transformed)
    all *= static_cast<double>(is_halved && &axis == &transform.transformed.back() ? axis.n / 2 + 1
                                                                                   : axis.n);
  return all;
}

}  // namespace

double in_elements(const Transform& transform) noexcept {
  return elements(transform, transform.sort == Sort::c2r);
}
double out_elements(const Transform& transform) noexcept {
  return elements(transform, transform.sort == Sort::r2c);
}

double flops_of(const Transform& transform) noexcept {
  double all = 1;
  for (const Axis& axis : transform.transformed) all *= static_cast<double>(axis.n);
  const double factor = transform.sort == Sort::c2c ? 5 : 2.5;
  return factor * elements(transform, false) * std::log2(std::max(all, 2.0));
}

bool is_usual(const Transform& transform) noexcept {
  constexpr std::size_t most = 7;  // and one for the parts of complex numbers
  const auto is_positive = [](const Axis& axis) { return axis.n > 0; };
  return !transform.transformed.empty() &&
         transform.transformed.size() + transform.batch.size() <= most &&
         (transform.sort != Sort::r2r || transform.kinds.size() == transform.transformed.size()) &&
         std::ranges::all_of(transform.transformed, is_positive) &&
         std::ranges::all_of(transform.batch, is_positive);
}

Transform many(Sort sort, int rank, const int* n, std::int64_t count, const Layout& in,
               const Layout& out, bool is_in_place) {
  Transform made;
  made.sort = sort;
  if (rank <= 0 || n == nullptr) return made;
  made.transformed.resize(static_cast<std::size_t>(rank));
  std::int64_t in_stride = in.stride, out_stride = out.stride;
  for (int k = rank - 1; k >= 0; --k) {
    made.transformed[static_cast<std::size_t>(k)] = {n[k], in_stride, out_stride};
    const bool is_halved = k == rank - 1 && (sort == Sort::r2c || sort == Sort::c2r);
    const std::int64_t half = n[k] / 2 + 1, real = is_halved && is_in_place ? 2 * half : n[k];
    in_stride *= in.whole != nullptr ? in.whole[k] : is_halved && sort == Sort::c2r ? half : real;
    out_stride *= out.whole != nullptr             ? out.whole[k]
                  : is_halved && sort == Sort::r2c ? half
                                                   : real;
  }
  if (count != 1) made.batch.push_back({count, in.next, out.next});
  return made;
}

}  // namespace blockyard::blas
