// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor::detail {

/// A panel: some lines of a matrix (rows of the left one or columns of the right one), stored for
/// the micro-kernel as out[l * width + i] = in[line[i] + depth[l]]; zeros from `lines` to `width`.
template <class R>
struct PanelCopy {
  const R* in;
  const Extent* line;
  Extent lines;
  Extent width;
  const Extent* depth;
  Extent k;
  R* out;
};

/// A tile of the result that is summed in registers:
///   result(i, j) = alpha * sum over l of left(i, l) * right(l, j) + beta * result(i, j)
/// from a packed panel of rows and one of columns; beta == 0 does not read the result.
template <class R>
struct TileProduct {
  Extent k;
  const R* left;   // panel of `rows` lines, its width rounded up to whole vectors
  const R* right;  // panel of columns, its width PanelKernels::columns
  R alpha;
  R beta;
  R* result;
  const Extent* column;  // place of each column
  int columns;
  const Extent* row;  // place of each row, or null: one after the other
  int rows;
  bool streams;             // write past the caches where the memory is aligned
  const R* next = nullptr;  // from here to next_end: what will be read after this tile
  const R* next_end = nullptr;
};

/// Elements that the left and the right matrix of a BatchProduct have at most, together.
inline constexpr Extent batch_vectors = 512;

/// `count` small products whose numbers stand side by side, each one after the last:
///   result(i, j) = alpha * sum over l of left(i, l) * right(l, j) + beta * result(i, j)
/// Every vector has the same element of many matrices; beta == 0 does not read the result.
template <class R>
struct BatchProduct {
  Extent count, m, n, k;
  R alpha;
  const R* left;
  Extent left_row, left_column;  // distances between rows and between columns
  const R* right;
  Extent right_row, right_column;
  R beta;
  R* result;
  Extent result_row, result_column;
};

/// The parts of a product of packed panels, for one instruction set. Left panels hold up to `rows`
/// lines, right ones exactly `columns`.
template <class R>
struct PanelKernels {
  int rows;
  int columns;
  int lanes;  // widths of left panels are multiples of it
  void (*pack)(const PanelCopy<R>& panel) noexcept;
  /// The same for `panels` panels, `step` elements apart: in panel p each in[..] is p elements on.
  void (*pack_together)(const PanelCopy<R>& panel, Extent panels, Extent step) noexcept;
  void (*multiply)(const TileProduct<R>& tile) noexcept;
  void (*multiply_batch)(const BatchProduct<R>& batch) noexcept;
  /// Makes streamed results visible to other threads.
  void (*finish)() noexcept;
};

/// The fastest ones by a test of some 100 microseconds on the first call, among the instruction
/// sets that this processor has. All with fused multiply-add give the same bits.
template <class R>
[[nodiscard]] const PanelKernels<R>& panel_kernels() noexcept;

/// All that this processor can run, the plainest first: tests compare them.
template <class R>
[[nodiscard]] std::vector<const PanelKernels<R>*> all_panel_kernels();

/// One table per compiled instruction set; only kernel_choice_*.cpp calls these.
template <class R>
[[nodiscard]] const PanelKernels<R>& panel_kernels_baseline() noexcept;
template <class R>
[[nodiscard]] const PanelKernels<R>& panel_kernels_avx2() noexcept;
template <class R>
[[nodiscard]] const PanelKernels<R>& panel_kernels_avx512() noexcept;

}  // namespace blockyard::tensor::detail
