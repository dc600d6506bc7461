// SPDX-License-Identifier: Apache-2.0
// Included by the vectors of each instruction set, inside the rules of kernel_body.h.
#pragma once

namespace blockyard::tensor::detail {
namespace {

/// Lanes of R in a vector of this many bytes.
template <class R, int bytes>
struct VectorOf {
  static constexpr int width = bytes / static_cast<int>(sizeof(R));
  using Vector [[gnu::vector_size(bytes)]] = R;
};

}  // namespace
}  // namespace blockyard::tensor::detail
