// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace blockyard::bench {

// The sizes of the experiments; README.md says what each computes.
inline constexpr int image_side = 256, filter_side = 5;
inline constexpr int bodies = 1024;
inline constexpr int volume_side = 32, projections = 24, detector_side = 64;
inline constexpr int signal_length = 8192, taps = 48;
inline constexpr int tree_levels = 12, queries = 4096;
inline constexpr int short_rows = 256, short_columns = 7, short_stride = 8;
inline constexpr int mandelbrot_side = 512, most_steps = 256;
inline constexpr int sum_length = 31;
inline constexpr int list_count = 64, list_stride = 64;

/// Products of square matrices, 2 x 2 to 8 x 8, first index fastest: c = a b.
inline constexpr int least_side = 2, most_side = 8;
template <class T>
using Squares = std::array<void (*)(const T* a, const T* b, T* c), most_side - least_side + 1>;

/// Loops of whole programs, in one instruction set, with vectors or without: the same source.
struct Loops {
  /// f32: acceleration of bodies by all others. xyzm: four times `bodies`; out: three times.
  void (*n_body)(const float* xyzm, float* out);
  /// f32: 5 x 5 filter over an image with an edge of two.
  void (*convolve_image)(const float* in, const float* filter, float* out);
  /// f32: projections onto a volume: the nearest pixel of each.
  void (*back_project)(const float* images, const float* cos_sin, float* volume);
  /// f32: complex signal and filter, parts apart.
  void (*convolve_signal)(const float* signal, const float* filter, float* out);
  /// Each query goes down a tree of `tree_levels` levels; keys in order of the levels.
  void (*search)(const float* keys, const float* asked, std::int32_t* found);
  /// f64: rows of 7, each times a number, added up.
  void (*add_rows_of_7)(const double* in, const double* factors, double* out);
  /// The 4 x 4 product and the pair of them, as a compiler finds them.
  void (*multiply_f32)(const float* a, const float* b, float* c);
  void (*multiply_f64)(const double* a, const double* b, double* c);
  void (*pair_f32)(const float* a, const float* b, float* c, float* d);
  void (*pair_f64)(const double* a, const double* b, double* c, double* d);
  /// x = 10 + the sum of n square roots.
  float (*sum_of_roots)(const float* y, int n);
  void (*mandelbrot_row)(int row, std::int32_t* steps);
  /// Potential of lists of neighbours of these lengths; a list begins every list_stride.
  float (*lists)(const float* xyz, const int* lengths);
  Squares<float> squares_f32;
  Squares<double> squares_f64;
};

/// A sum of two vectors of 31 elements, in the ways that there are.
template <class T>
struct Sums {
  using Add = void (*)(const T* x, const T* y, T* z);
  Add scalar, scalar_rest, masked_rest, padded, known_aligned;  ///< null: not in this set
  Add moves;  ///< what scalar_rest loads and stores, without sums: its ceiling
};

/// The same by hand, in vectors of one set.
struct Vectors {
  Sums<std::int32_t> sums_i32;
  Sums<float> sums_f32;
  Sums<double> sums_f64;
  float (*roots_scalar_edges)(const float* y, int n);
  float (*roots_masked)(const float* y, int n);  ///< null: the set has no masks
  float (*roots_padded)(const float* y, int n);
  void (*add_rows_of_7)(const double* in, const double* factors, double* out);  ///< null: as above
  void (*multiply_f32)(const float* a, const float* b, float* c);
  void (*multiply_f64)(const double* a, const double* b, double* c);
  void (*pair_f32)(const float* a, const float* b, float* c, float* d);
  void (*pair_f64)(const double* a, const double* b, double* c, double* d);
  void (*mandelbrot_row)(int row, std::int32_t* steps);
  float (*lists_masked)(const float* xyz, const int* lengths);  ///< null: as above
  float (*lists_padded)(const float* xyz, const int* lengths);
  /// As in Loops; null: not in this set.
  void (*search)(const float* keys, const float* asked, std::int32_t* found);
  Squares<float> squares_f32;  ///< null: a column is longer than a vector, or there are no masks
  Squares<double> squares_f64;
  /// As in Loops; null: not in this set.
  void (*back_project)(const float* images, const float* cos_sin, float* volume) = nullptr;
};

/// An instruction set: its name, whether this processor has it, and the functions compiled for it.
struct InstructionSet {
  const char* name;
  bool (*is_here)();
  const Loops& (*scalar)();
  const Loops& (*compiled)();
  const Vectors& (*by_hand)();
};
[[nodiscard]] const std::array<InstructionSet, 3>& instruction_sets();

}  // namespace blockyard::bench
