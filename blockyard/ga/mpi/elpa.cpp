// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/mpi/elpa.h"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/integer.h"
#include "blockyard/ga/mpi/communicators.h"
#include "blockyard/ga/mpi/opened.h"

namespace blockyard::ga {

namespace {

constexpr int api_version = 20171201;  // the oldest with the calls that we make

}  // namespace

void Elpa::open() {
  is_tried_ = true;
  for (const char* path : {"libelpa.so", "libelpa.so.19", "libelpa.so.18", "libelpa.so.17"}) {
    void* const object = open_of_our_mpi(path);
    if (object == nullptr) continue;
    // The last is one call under the names that it had in different versions.
    is_open_ = find(object, "elpa_init", library_.init) &&
               find(object, "elpa_allocate", library_.allocate) &&
               find(object, "elpa_deallocate", library_.deallocate) &&
               find(object, "elpa_set_integer", library_.set) &&
               find(object, "elpa_setup", library_.setup) &&
               (find(object, "elpa_eigenvectors_a_h_a_d", library_.eigenvectors) ||
                find(object, "elpa_eigenvectors_all_host_arrays_d", library_.eigenvectors) ||
                find(object, "elpa_eigenvectors_d", library_.eigenvectors)) &&
               library_.init(api_version) == 0;
    if (is_open_) return;
  }
}

bool Elpa::is_for(const garray::RankGrid& grid, garray::Extent rows) {
  if (least_rows_ == 0 || rows < least_rows_) return false;
  if (!is_tried_) open();
  int is_open = is_open_ ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &is_open, 1, MPI_INT, MPI_MIN, communicator_of(grid.group));
  return is_open != 0;
}

int Elpa::eigenvectors(const garray::RankGrid& grid, const garray::DealtMatrix& a,
                       const garray::DealtMatrix& v, double* values) {
  using base::to_int;
  MPI_Comm communicator = communicator_of(grid.group);
  int me = 0, error = 0;
  MPI_Comm_rank(communicator, &me);
  Object object = library_.allocate(&error);
  if (error != 0) return error;
  const int n = to_int(a.rows);
  const std::pair<const char*, int> settings[] = {
      {"na", n},
      {"nev", n},
      {"local_nrows", to_int(std::max<garray::Extent>(1, a.local_rows))},
      {"local_ncols", to_int(a.local_columns)},
      {"nblk", to_int(grid.edge)},
      {"mpi_comm_parent", MPI_Comm_c2f(communicator)},
      {"process_row", me % grid.rows},
      {"process_col", me / grid.rows}};
  for (const auto& [name, value] : settings)
    if (error == 0) library_.set(object, name, value, &error);
  if (error == 0) error = library_.setup(object);
  if (error == 0) library_.eigenvectors(object, a.local, values, v.local, &error);
  int ignored = 0;
  library_.deallocate(object, &ignored);
  return error;
}

}  // namespace blockyard::ga
