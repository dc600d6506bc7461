// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/grid_solver.h"

namespace blockyard::ga {

/// ELPA, where it is installed for our MPI. One thread.
class Elpa {
 public:
  /// least_rows: of matrices that it is used for; 0: never.
  explicit Elpa(garray::Extent least_rows) : least_rows_(least_rows) {}

  /// Collective among the ranks of the grid. Whether all of them have it, and it is worth it.
  [[nodiscard]] bool is_for(const garray::RankGrid& grid, garray::Extent rows);
  /// Collective. a v = v diag(values), both halves of a given; a is overwritten. Returns 0, or
  /// ELPA's error.
  int eigenvectors(const garray::RankGrid& grid, const garray::DealtMatrix& a,
                   const garray::DealtMatrix& v, double* values);

 private:
  using Object = struct elpa_struct*;
  struct Library {
    int (*init)(int) = nullptr;
    Object (*allocate)(int*) = nullptr;
    void (*deallocate)(Object, int*) = nullptr;
    void (*set)(Object, const char*, int, int*) = nullptr;
    int (*setup)(Object) = nullptr;
    void (*eigenvectors)(Object, double*, double*, double*, int*) = nullptr;
  };

  void open();

  garray::Extent least_rows_;
  Library library_;
  bool is_tried_ = false, is_open_ = false;
};

}  // namespace blockyard::ga
