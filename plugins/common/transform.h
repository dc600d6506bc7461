// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/device/abi_kinds.h"

/// What plug-ins need to understand the descriptor of a transform. Sees no header of ours but those
/// of the ABI.
namespace blockyard::plugin {

/// One run of neighbouring indexes that are walked as one: all of the batch, or a single one that
/// is transformed.
struct TransformIndex {
  std::int64_t in = 1, out = 1;  ///< extents in left and result
  bool is_transformed = false;
  bool is_halved = false;  ///< one of the extents is n / 2 + 1
};

/// A Fourier transform, first index fastest. Elements are complex, but real in left of r2c and in
/// result of c2r.
struct Transform {
  enum class Sort { c2c, r2c, c2r };
  Sort sort = Sort::c2c;
  bool is_single = false;    ///< f32
  bool is_backward = false;  ///< the sign of the exponent is +
  std::vector<TransformIndex> indexes;
  [[nodiscard]] std::uint64_t left_count() const noexcept;
  [[nodiscard]] std::uint64_t result_count() const noexcept;
};

/// BLOCKYARD_OK and the transform; otherwise `why` says what is wrong with it. Transforms between
/// real blocks are UNSUPPORTED.
[[nodiscard]] blockyard_status analyse(const blockyard_operation& operation, Transform& transform,
                                       const char** why);

}  // namespace blockyard::plugin
