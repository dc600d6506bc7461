// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/fabric/strided.h"

namespace blockyard::fabric {

/// A part of a region of rows, and its start.
struct Cut {
  Strided rows;
  std::int64_t far = 0;
  std::int64_t near = 0;
};

/// Cuts a region into pieces of at most `piece_bytes`, row by row in their order. The cuts
/// depend on the length and number of rows only, not on strides: one side packs piece by piece,
/// the other unpacks.
class Cutter {
 public:
  Cutter(const Strided& rows, std::size_t piece_bytes);

  /// Returns false after the last piece.
  [[nodiscard]] bool next(Cut& cut) noexcept;

 private:
  void advance(std::size_t level) noexcept;

  Strided rows_;
  std::size_t piece_bytes_;
  std::size_t level_ = 0;   ///< lower levels are whole in a piece
  std::int64_t step_ = 0;   ///< how many of that level in a piece
  bool cuts_rows_ = false;  ///< a row has several pieces
  bool is_over_ = false;
  std::int64_t at_ = 0;  ///< on that level, or in the row
  std::array<std::int64_t, Strided::max_levels> outer_{};
};

/// The rows as they lie `strides` apart in one memory (far), and packed without gaps (near).
[[nodiscard]] Strided packed(const Strided& rows,
                             const std::array<std::int64_t, Strided::max_levels>& strides) noexcept;
/// One row.
[[nodiscard]] Strided one_row(std::size_t bytes) noexcept;

}  // namespace blockyard::fabric
