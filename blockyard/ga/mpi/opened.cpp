// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/mpi/opened.h"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdlib>

#include "blockyard/ga/edge.h"

namespace blockyard::ga {

void* open_of_our_mpi(const char* path) {
  void* const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return nullptr;
  Dl_info theirs{}, ours{};
  void* const there = dlsym(object, "MPI_Comm_rank");
  const bool is_ours =
      there != nullptr && dladdr(there, &theirs) != 0 &&
      dladdr(reinterpret_cast<void*>(&MPI_Comm_rank), &ours) != 0 &&
      (theirs.dli_fbase == ours.dli_fbase || there == dlsym(RTLD_DEFAULT, "MPI_Comm_rank"));
  return is_ours ? object : nullptr;
}

garray::Extent least_rows_in(const char* variable, const char* library, garray::Extent usual) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return usual;
  char* end = nullptr;
  const garray::Extent least_rows = std::strtoll(text, &end, 10);
  if (*end != '\0' || least_rows < 0)
    garray::refuse(
        fmt::format("{} is \"{}\"; it is the least number of rows for {}, and 0 for never",
                    variable, text, library));
  return least_rows;
}

}  // namespace blockyard::ga
