// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/cut.h"

#include <algorithm>

namespace blockyard::fabric {

Cutter::Cutter(const Strided& rows, std::size_t piece_bytes)
    : rows_(rows), piece_bytes_(piece_bytes), is_over_(rows.byte_count() == 0) {
  std::size_t bytes = rows.row_bytes;
  cuts_rows_ = bytes > piece_bytes;
  if (cuts_rows_) return;
  while (level_ < rows.levels &&
         bytes * static_cast<std::size_t>(rows.counts[level_]) <= piece_bytes)
    bytes *= static_cast<std::size_t>(rows.counts[level_++]);
  if (!is_over_) step_ = static_cast<std::int64_t>(piece_bytes / bytes);
}

void Cutter::advance(std::size_t level) noexcept {
  for (; level < rows_.levels; ++level) {
    if (++outer_[level] < rows_.counts[level]) return;
    outer_[level] = 0;
  }
  is_over_ = true;
}

bool Cutter::next(Cut& cut) noexcept {
  if (is_over_) return false;
  cut = {};
  for (std::size_t k = 0; k < rows_.levels; ++k) {
    cut.far += outer_[k] * rows_.far_strides[k];
    cut.near += outer_[k] * rows_.near_strides[k];
  }
  if (cuts_rows_) {
    const auto row = static_cast<std::int64_t>(rows_.row_bytes);
    const std::int64_t length = std::min(static_cast<std::int64_t>(piece_bytes_), row - at_);
    cut.rows.row_bytes = static_cast<std::size_t>(length);
    cut.far += at_;
    cut.near += at_;
    at_ += length;
    if (at_ < row) return true;
    at_ = 0;
    advance(0);
    return true;
  }
  cut.rows.row_bytes = rows_.row_bytes;
  for (std::size_t k = 0; k < level_; ++k)
    cut.rows.add(rows_.counts[k], rows_.far_strides[k], rows_.near_strides[k]);
  if (level_ == rows_.levels) {
    is_over_ = true;
    return true;
  }
  const std::int64_t count = std::min(step_, rows_.counts[level_] - at_);
  cut.rows.add(count, rows_.far_strides[level_], rows_.near_strides[level_]);
  cut.far += at_ * rows_.far_strides[level_];
  cut.near += at_ * rows_.near_strides[level_];
  at_ += count;
  if (at_ < rows_.counts[level_]) return true;
  at_ = 0;
  advance(level_ + 1);
  return true;
}

Strided packed(const Strided& rows,
               const std::array<std::int64_t, Strided::max_levels>& strides) noexcept {
  Strided result = rows;
  auto stride = static_cast<std::int64_t>(rows.row_bytes);
  for (std::size_t k = 0; k < rows.levels; ++k) {
    result.far_strides[k] = strides[k];
    result.near_strides[k] = stride;
    stride *= rows.counts[k];
  }
  return result;
}

Strided one_row(std::size_t bytes) noexcept {
  Strided row;
  row.row_bytes = bytes;
  return row;
}

}  // namespace blockyard::fabric
