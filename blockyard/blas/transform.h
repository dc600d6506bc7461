// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blockyard::blas {

/// An index of a transform or of its batch, as FFTW describes it: strides in elements of the arrays
/// (real numbers or pairs of them).
struct Axis {
  std::int64_t n = 1, in_stride = 0, out_stride = 0;
};

/// What a plan of FFTW computes, in the words of its guru interface.
struct Transform {
  enum class Sort : std::uint8_t { c2c, r2c, c2r };
  Sort sort = Sort::c2c;
  bool is_backward = false;
  std::vector<Axis> transformed;  ///< the last one is halved where an array is real
  std::vector<Axis> batch;
  const void* in = nullptr;  ///< arrays of the plan
  void* out = nullptr;
  friend bool operator==(const Transform&, const Transform&) = default;
};
[[nodiscard]] constexpr bool operator==(const Axis& a, const Axis& b) noexcept {
  return a.n == b.n && a.in_stride == b.in_stride && a.out_stride == b.out_stride;
}

/// Elements of either array that the transform touches.
[[nodiscard]] double in_elements(const Transform& transform) noexcept;
[[nodiscard]] double out_elements(const Transform& transform) noexcept;

/// 5 N log2 N of real numbers for each transform of N, half of that where an array is real.
[[nodiscard]] double flops_of(const Transform& transform) noexcept;

/// Whether it is one that devices may have: extents positive, not too many of them.
[[nodiscard]] bool is_usual(const Transform& transform) noexcept;

/// One array of the interfaces that are not the guru's: extents of the array that it is a part of
/// (null: it is dense), stride of its elements, and of the transforms of a batch.
struct Layout {
  const int* whole = nullptr;
  std::int64_t stride = 1, next = 0;
};
/// `count` transforms of extents n, the last one fastest. A dense real array that is transformed in
/// place has room for the pairs at its last index.
[[nodiscard]] Transform many(Transform::Sort sort, int rank, const int* n, std::int64_t count,
                             const Layout& in, const Layout& out, bool is_in_place);

}  // namespace blockyard::blas
