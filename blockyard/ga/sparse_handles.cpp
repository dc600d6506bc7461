// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/sparse_handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "blockyard/ga/edge.h"

namespace blockyard::ga {

using garray::refuse;
using garray::Sparse;

int SparseHandles::keep(std::unique_ptr<Sparse> matrix) {
  const int handle = next_--;
  kept_[handle].matrix = std::move(matrix);
  return handle;
}

Sparse& SparseHandles::at(int handle) const {
  const auto found = kept_.find(handle);
  if (found == kept_.end())
    refuse(fmt::format("{} is not the handle of a live sparse matrix{}", handle,
                       handle <= -1000 && handle > next_ ? ": it was destroyed" : ""));
  return *found->second.matrix;
}

void SparseHandles::forget(int handle) { kept_.erase(handle); }

void SparseHandles::access(int handle, int cut, IntLists offsets, IntLists columns, void** values) {
  Sparse& matrix = at(handle);
  Sparse::Block& block = matrix.own_block(cut);
  const bool is_empty = block.is_empty();
  *values = is_empty ? nullptr : block.values();
  if (offsets.is_wide()) {
    *offsets.wide() = is_empty ? nullptr : block.offsets.data();
    *columns.wide() = is_empty ? nullptr : block.columns.data();
    return;
  }
  require_narrow(block);
  auto& [narrow_offsets, narrow_columns] = kept_.at(handle).narrow[cut];
  narrow_offsets.assign(block.offsets.begin(), block.offsets.end());
  narrow_columns.assign(block.columns.begin(), block.columns.end());
  *offsets.narrow() = is_empty ? nullptr : narrow_offsets.data();
  *columns.narrow() = is_empty ? nullptr : narrow_columns.data();
}

void require_narrow(const Sparse::Block& block) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  // Offsets rise, so the last one is the largest.
  const std::int64_t offset = block.offsets.empty() ? 0 : block.offsets.back();
  const std::int64_t column = block.columns.empty() ? 0 : std::ranges::max(block.columns);
  if (offset > most || column > most)
    refuse(
        fmt::format("the block has {} elements and columns up to {}, and an int holds no more "
                    "than {}: use the call whose name ends in 64, or INTEGERs of 8 bytes",
                    offset, column, most));
}

SparseHandles& edge_of_sparse() noexcept { return edge().sparse; }

Sparse& sparse(int handle) {
  static_cast<void>(runtime());
  return edge().sparse.at(handle);
}

Sparse& sparse(int handle, int process) {
  Sparse& matrix = sparse(handle);
  if (process < 0 || process >= matrix.members())
    refuse(fmt::format("process {} is outside 0..{}", process, matrix.members() - 1));
  return matrix;
}

Sparse& assembled(int handle) {
  Sparse& matrix = sparse(handle);
  if (!matrix.is_assembled()) refuse("the sparse matrix is not assembled yet");
  return matrix;
}

Sparse& assembled(int handle, int process) {
  static_cast<void>(sparse(handle, process));
  return assembled(handle);
}

}  // namespace blockyard::ga
