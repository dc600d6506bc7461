// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/device/abi_kinds.h"

/// What plug-ins need to understand the descriptor of an operation on whole matrices. Sees no
/// header of ours but those of the ABI.
namespace blockyard::plugin {

/// SOLVE, FACTOR, REFLECT or SPECTRUM. Dense matrices, first index fastest.
struct Whole {
  std::uint32_t kind = BLOCKYARD_SOLVE;
  std::uint32_t flags = 0;
  std::uint32_t element = 0;
  std::int64_t rows = 1, columns = 1;            ///< of what is worked on: result, or left
  std::int64_t left_rows = 1, left_columns = 1;  ///< of a triangle, or of reflectors
  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
  [[nodiscard]] bool is_real() const noexcept { return element <= BLOCKYARD_F64; }
  [[nodiscard]] bool is_single() const noexcept {
    return element == BLOCKYARD_F32 || element == BLOCKYARD_C64;
  }
  /// Numbers next to the result, with info; of REFLECT factors, without.
  [[nodiscard]] std::int64_t numbers() const noexcept;
};

[[nodiscard]] bool is_whole(std::uint32_t kind) noexcept;

/// BLOCKYARD_OK and what it is; otherwise `why` says what is wrong with it.
[[nodiscard]] blockyard_status analyse(const blockyard_operation& operation, Whole& whole,
                                       const char** why);

}  // namespace blockyard::plugin
