// SPDX-License-Identifier: Apache-2.0
// The rules of kernel_body.h hold here too: everything is in an unnamed namespace.
#pragma once

#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Runs through the settings of loops: where these are in the operand and in the result.
template <class T>
class LoopWalk {
 public:
  /// Through the loops from the `first` on.
  [[gnu::always_inline]] LoopWalk(const CopyLoop* loops, int count, int first, const T* from, T* to)
      : in(from), out(to), loops_(loops), first_(first), count_(count) {
    for (int k = first; k < count; ++k) at_[k] = 0;
  }
  /// False after the last setting; then the walk is at the first again.
  [[gnu::always_inline]] bool advance() {
    for (int k = first_; k < count_; ++k) {
      const CopyLoop& loop = loops_[k];
      in += loop.in_stride;
      out += loop.out_stride;
      if (++at_[k] < loop.extent) return true;
      at_[k] = 0;
      in -= loop.extent * loop.in_stride;
      out -= loop.extent * loop.out_stride;
    }
    return false;
  }
  /// Rows or columns of the matrix at this setting.
  [[nodiscard]] Extent extent(const MatrixSide& of) const {
    const bool is_last = of.cut_loop >= 0 && at_[of.cut_loop] + 1 == loops_[of.cut_loop].extent;
    return is_last ? of.last_extent : of.extent;
  }
  const T* in;
  T* out;

 private:
  const CopyLoop* loops_;
  int first_, count_;
  Extent at_[CopyLoop::most];  // those from `first_` to `count_` are set
};

}  // namespace
}  // namespace blockyard::tensor::detail
