// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "blockyard/blas/level3.h"
#include "blockyard/blas/router/pack.h"
#include "blockyard/blas/transform.h"
#include "blockyard/blas/whole.h"

namespace blockyard::blas {

/// Of check mode: the results of one call there and here, by a residual scaled with extent, norm
/// and unit roundoff, as the reference testers take it. Made before the call. One thread.
class Comparison {
 public:
  virtual ~Comparison() = default;
  /// After the device: its result is kept, and the program's memory is again as before the call.
  virtual void keep_theirs() = 0;
  /// After the local library computed the same.
  [[nodiscard]] virtual double residual() = 0;
  /// The bound that a correct result stays below.
  [[nodiscard]] virtual double bound() const noexcept { return 16; }
};

/// result = alpha op(a) op(b) + beta c: the difference by eps k (|alpha| |a| |b| + |beta| |c|), in
/// Frobenius norms. Of trsm what the triangle makes of the difference, by eps n |a| |x|.
template <class T>
[[nodiscard]] std::unique_ptr<Comparison> compare_level3(const Call<T>& call);

/// The difference by eps log2 N |out|.
template <class Real>
[[nodiscard]] std::unique_ptr<Comparison> compare_transform(const Transform& transform,
                                                            const Arrays& arrays);

/// What the factors make, what a matrix makes of the difference of two solutions, values by the
/// largest of them; also another `info`.
template <class T>
[[nodiscard]] std::unique_ptr<Comparison> compare_whole(const WholeCall<T>& call);

/// The elements of a view, dense.
template <class T>
[[nodiscard]] std::vector<T> dense_copy(const View<T>& view) {
  std::vector<T> copy(static_cast<std::size_t>(view.rows * view.columns));
  pack(view, copy.data());
  return copy;
}

/// Frobenius norm. Numbers that are not finite do not count.
template <class T>
[[nodiscard]] double norm_of(const std::vector<T>& values) noexcept;
/// Frobenius norm of what a comparison leaves, of numbers made of finite ones: infinite if one of
/// them overflowed.
template <class T>
[[nodiscard]] double norm_of_rest(const std::vector<T>& values) noexcept;
/// Whether an element is finite in one of the two alone, or the difference of two finite ones
/// overflows: the residual is infinite, whatever a matrix would make of the difference.
template <class T>
[[nodiscard]] bool has_no_difference(const std::vector<T>& left,
                                     const std::vector<T>& right) noexcept;
/// left - right, both of the same length. Elements that are not finite count as equal; see
/// has_no_difference.
template <class T>
[[nodiscard]] std::vector<T> difference(const std::vector<T>& left, const std::vector<T>& right);
/// The same with 0 in place of what is not finite.
template <class T>
[[nodiscard]] std::vector<T> finite_part(std::vector<T> values);
/// a b, with a of m x k and b of k x n, by plain loops.
template <class T>
[[nodiscard]] std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b,
                                     std::int64_t m, std::int64_t n, std::int64_t k);
/// The transposed one, conjugated where `op` is 'C'; of m x n.
template <class T>
[[nodiscard]] std::vector<T> turned(const std::vector<T>& a, std::int64_t m, std::int64_t n,
                                    char op);

}  // namespace blockyard::blas
