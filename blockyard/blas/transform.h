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

/// What a transform reads and writes. Complex numbers are pairs of real ones, or split: then their
/// imaginary parts are in arrays of their own.
struct Arrays {
  const void* in = nullptr;
  const void* in_imaginary = nullptr;
  void* out = nullptr;
  void* out_imaginary = nullptr;
  [[nodiscard]] bool is_split() const noexcept {
    return in_imaginary != nullptr || out_imaginary != nullptr;
  }
};

/// What a plan of FFTW computes, in the words of its guru interface.
struct Transform {
  enum class Sort : std::uint8_t { c2c, r2c, c2r, r2r };
  Sort sort = Sort::c2c;
  bool is_backward = false;
  std::vector<Axis> transformed;  ///< the last one is halved where one array is real
  std::vector<Axis> batch;
  std::vector<int> kinds;  ///< of r2r, one for each transformed index, in FFTW's numbers
  Arrays arrays;           ///< of the plan; executions may name others
  [[nodiscard]] bool is_real_in() const noexcept { return sort == Sort::r2c || sort == Sort::r2r; }
  [[nodiscard]] bool is_real_out() const noexcept { return sort == Sort::c2r || sort == Sort::r2r; }
};

/// An array as real numbers: parts of one element, and the step from one element to the next.
template <class Real>
struct Parts {
  Real* real;
  Real* imaginary;  ///< null: elements are real
  std::int64_t step;
};
template <class Real, class Array>
[[nodiscard]] Parts<Real> parts_of(Array* first, Array* imaginary, bool is_real) noexcept {
  Real* const at = static_cast<Real*>(first);
  if (is_real) return {at, nullptr, 1};
  if (imaginary != nullptr) return {at, static_cast<Real*>(imaginary), 1};
  return {at, at + 1, 2};
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
