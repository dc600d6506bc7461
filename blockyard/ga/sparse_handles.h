// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "blockyard/ga/ints.h"
#include "blockyard/garray/sparse.h"

namespace blockyard::ga {

/// Sparse matrices by handle, which count from -1000 as those of arrays do. One thread.
class SparseHandles {
 public:
  [[nodiscard]] int keep(std::unique_ptr<garray::Sparse> matrix);
  /// Throws Error{bad_input} if it is not live.
  [[nodiscard]] garray::Sparse& at(int handle) const;
  void forget(int handle);
  void clear() { kept_.clear(); }

  /// The caller's pointers into this rank's rows of a block; null where it has no elements. Offsets
  /// and columns of 4 bytes are a copy that lasts as long as the matrix.
  void access(int handle, int cut, IntLists offsets, IntLists columns, void** values);

 private:
  struct Kept {
    std::unique_ptr<garray::Sparse> matrix;
    std::map<int, std::pair<std::vector<int>, std::vector<int>>> narrow;  ///< by cut
  };
  std::map<int, Kept> kept_;
  int next_ = -1000;
};

/// Throws Error{bad_input} unless offsets and columns of the block fit an int.
void require_narrow(const garray::Sparse::Block& block);

[[nodiscard]] SparseHandles& edge_of_sparse() noexcept;
[[nodiscard]] garray::Sparse& sparse(int handle);
/// The same, where there is such a process.
[[nodiscard]] garray::Sparse& sparse(int handle, int process);
/// The same, assembled.
garray::Sparse& assembled(int handle);
garray::Sparse& assembled(int handle, int process);

}  // namespace blockyard::ga
