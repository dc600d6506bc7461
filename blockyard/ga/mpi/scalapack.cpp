// SPDX-License-Identifier: Apache-2.0
// ScaLAPACK, where it is installed: opened when it is first needed.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/integer.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/mpi/communicators.h"
#include "blockyard/ga/mpi/elpa.h"
#include "blockyard/ga/mpi/opened.h"
#include "blockyard/garray/grid_solver.h"

namespace blockyard::ga {

namespace {

using base::to_int;
using garray::DealtMatrix;
using garray::Extent;
using garray::RankGrid;
using Descriptor = std::array<int, 9>;

/// The functions we call. Fortran's take the lengths of characters at the end.
struct Library {
  int (*handle_of)(MPI_Comm) = nullptr;
  void (*free_handle)(int) = nullptr;
  void (*grid_init)(int*, const char*, int, int) = nullptr;
  void (*grid_exit)(int) = nullptr;
  void (*getrf)(const int*, const int*, double*, const int*, const int*, const int*, int*,
                int*) = nullptr;
  void (*getrs)(const char*, const int*, const int*, const double*, const int*, const int*,
                const int*, const int*, double*, const int*, const int*, const int*, int*,
                std::size_t) = nullptr;
  void (*potrf)(const char*, const int*, double*, const int*, const int*, const int*, int*,
                std::size_t) = nullptr;
  void (*potrs)(const char*, const int*, const int*, const double*, const int*, const int*,
                const int*, double*, const int*, const int*, const int*, int*,
                std::size_t) = nullptr;
  void (*potri)(const char*, const int*, double*, const int*, const int*, const int*, int*,
                std::size_t) = nullptr;
  void (*syevd)(const char*, const char*, const int*, double*, const int*, const int*, const int*,
                double*, double*, const int*, const int*, const int*, double*, const int*, int*,
                const int*, int*, std::size_t, std::size_t) = nullptr;
  void (*sygst)(const int*, const char*, const int*, double*, const int*, const int*, const int*,
                const double*, const int*, const int*, const int*, double*, int*,
                std::size_t) = nullptr;
  void (*tran)(const int*, const int*, const double*, const double*, const int*, const int*,
               const int*, const double*, double*, const int*, const int*, const int*) = nullptr;
  void (*lacpy)(const char*, const int*, const int*, const double*, const int*, const int*,
                const int*, double*, const int*, const int*, const int*, std::size_t) = nullptr;
  void (*trsm)(const char*, const char*, const char*, const char*, const int*, const int*,
               const double*, const double*, const int*, const int*, const int*, double*,
               const int*, const int*, const int*, std::size_t, std::size_t, std::size_t,
               std::size_t) = nullptr;
};

bool find_all(void* object, Library& all) {
  return find(object, "Csys2blacs_handle", all.handle_of) &&
         find(object, "Cfree_blacs_system_handle", all.free_handle) &&
         find(object, "Cblacs_gridinit", all.grid_init) &&
         find(object, "Cblacs_gridexit", all.grid_exit) && find(object, "pdgetrf_", all.getrf) &&
         find(object, "pdgetrs_", all.getrs) && find(object, "pdpotrf_", all.potrf) &&
         find(object, "pdpotrs_", all.potrs) && find(object, "pdpotri_", all.potri) &&
         find(object, "pdsyevd_", all.syevd) && find(object, "pdsygst_", all.sygst) &&
         find(object, "pdtran_", all.tran) && find(object, "pdlacpy_", all.lacpy) &&
         find(object, "pdtrsm_", all.trsm);
}

std::optional<Library> open_one(const char* path) {
  Library all;
  void* const object = open_of_our_mpi(path);
  if (object == nullptr || !find_all(object, all)) return std::nullopt;
  return all;
}

std::optional<Library> open_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const bool is_open_mpi = std::string_view(version.data()).starts_with("Open MPI");
  const std::string flavour = is_open_mpi ? "openmpi" : "mpich";
  for (const std::string& name :
       {"libscalapack-" + flavour + ".so", "libscalapack-" + flavour + ".so.2.2",
        "libscalapack-" + flavour + ".so.2.1", std::string("libscalapack.so"),
        std::string("libscalapack.so.2.2")})
    if (const auto found = open_one(name.c_str())) return found;
  return std::nullopt;
}

/// The grid of one call, as ScaLAPACK knows it.
class Context {
 public:
  Context(const Library& library, const RankGrid& grid) : library_(library), grid_(grid) {
    handle_ = library_.handle_of(communicator_of(grid.group));
    number_ = handle_;
    library_.grid_init(&number_, "Column-major", grid.rows, grid.columns);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    library_.grid_exit(number_);
    library_.free_handle(handle_);
  }
  [[nodiscard]] Descriptor descriptor(const DealtMatrix& matrix) const {
    const int edge = to_int(grid_.edge);
    return {1,
            number_,
            to_int(matrix.rows),
            to_int(matrix.columns),
            edge,
            edge,
            0,
            0,
            to_int(std::max<Extent>(1, matrix.local_rows))};
  }

 private:
  const Library& library_;
  const RankGrid& grid_;
  int handle_ = 0, number_ = 0;
};

constexpr int one = 1;

class ScaLapack final : public garray::GridSolver {
 public:
  ScaLapack(Extent least_rows, Extent least_rows_of_elpa)
      : least_rows_(least_rows), elpa_(least_rows_of_elpa) {}

  [[nodiscard]] bool is_for(Extent rows, std::size_t ranks) const noexcept override {
    return ranks > 1 && rows >= least_rows_;
  }
  [[nodiscard]] bool open() override {
    if (!is_tried_) {
      const auto found = open_library();
      is_open_ = found.has_value();
      library_ = found.value_or(Library{});
    }
    is_tried_ = true;
    return is_open_;
  }

  int solve_lu(const RankGrid& grid, bool is_transposed, const DealtMatrix& a,
               const DealtMatrix& b) override {
    const Context context(library_, grid);
    const Descriptor of_a = context.descriptor(a), of_b = context.descriptor(b);
    const int n = to_int(a.rows), sides = to_int(b.columns);
    std::vector<int> pivots(static_cast<std::size_t>(a.local_rows + grid.edge));
    int info = 0;
    library_.getrf(&n, &n, a.local, &one, &one, of_a.data(), pivots.data(), &info);
    if (info != 0) return info;
    library_.getrs(is_transposed ? "T" : "N", &n, &sides, a.local, &one, &one, of_a.data(),
                   pivots.data(), b.local, &one, &one, of_b.data(), &info, 1);
    return info;
  }

  int solve_cholesky(const RankGrid& grid, const DealtMatrix& a, const DealtMatrix& b) override {
    const Context context(library_, grid);
    const Descriptor of_a = context.descriptor(a), of_b = context.descriptor(b);
    const int n = to_int(a.rows), sides = to_int(b.columns);
    int info = 0;
    library_.potrf("L", &n, a.local, &one, &one, of_a.data(), &info, 1);
    if (info != 0) return info;
    library_.potrs("L", &n, &sides, a.local, &one, &one, of_a.data(), b.local, &one, &one,
                   of_b.data(), &info, 1);
    return info;
  }

  int invert(const RankGrid& grid, const DealtMatrix& a) override {
    const Context context(library_, grid);
    const Descriptor of_a = context.descriptor(a);
    const int n = to_int(a.rows);
    int info = 0;
    library_.potrf("L", &n, a.local, &one, &one, of_a.data(), &info, 1);
    if (info == 0) library_.potri("L", &n, a.local, &one, &one, of_a.data(), &info, 1);
    return info;
  }

  int diagonalize(const RankGrid& grid, const DealtMatrix& a, const DealtMatrix* s,
                  const DealtMatrix& v, double* values) override {
    const Context context(library_, grid);
    const Descriptor of_a = context.descriptor(a), of_v = context.descriptor(v);
    const Descriptor of_s = s != nullptr ? context.descriptor(*s) : Descriptor{};
    const int n = to_int(a.rows);
    int info = 0;
    double scale = 1;
    if (s != nullptr) {
      library_.potrf("L", &n, s->local, &one, &one, of_s.data(), &info, 1);
      if (info != 0) return info > 0 ? n + info : info;
      library_.sygst(&one, "L", &n, a.local, &one, &one, of_a.data(), s->local, &one, &one,
                     of_s.data(), &scale, &info, 1);
      if (info != 0) return info;
    }
    info = elpa_.is_for(grid, n) ? eigenvectors_by_elpa(grid, a, of_a, v, of_v, values)
                                 : eigenvectors(grid, a, of_a, v, of_v, values);
    if (info != 0) return info;
    if (s == nullptr) return 0;
    for (int i = 0; i < n; ++i) values[i] *= scale;
    const double factor = 1;
    library_.trsm("L", "L", "T", "N", &n, &n, &factor, s->local, &one, &one, of_s.data(), v.local,
                  &one, &one, of_v.data(), 1, 1, 1, 1);
    return 0;
  }

 private:
  int eigenvectors(const RankGrid& grid, const DealtMatrix& a, const Descriptor& of_a,
                   const DealtMatrix& v, const Descriptor& of_v, double* values) {
    const int n = to_int(a.rows);
    int info = 0;
    // ScaLAPACK's answer to a query for the length is too small in some versions.
    const Extent nb = grid.edge;
    const Extent needed =
        std::max(1 + 6 * a.rows + 2 * (a.local_rows + nb) * (a.local_columns + nb),
                 3 * a.rows + std::max(nb * (a.local_rows + nb + 1), 3 * nb)) +
        2 * a.rows;
    if (needed > INT32_MAX)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("eigenvectors of {0} x {0} elements need a workspace of {1} numbers on each "
                      "process, and ScaLAPACK counts no more than {2}: use more processes",
                      n, needed, INT32_MAX));
    const int length = to_int(needed), integers = 7 * n + 8 * grid.columns + 2;
    std::vector<double> work(static_cast<std::size_t>(length));
    std::vector<int> iwork(static_cast<std::size_t>(integers));
    library_.syevd("V", "L", &n, a.local, &one, &one, of_a.data(), values, v.local, &one, &one,
                   of_v.data(), work.data(), &length, iwork.data(), &integers, &info, 1, 1);
    return info > 0 ? std::min(info, n) : info;
  }
  /// ELPA wants both halves of the matrix.
  int eigenvectors_by_elpa(const RankGrid& grid, const DealtMatrix& a, const Descriptor& of_a,
                           const DealtMatrix& v, const Descriptor& of_v, double* values) {
    const int n = to_int(a.rows);
    const double factor = 1, zero = 0;
    library_.tran(&n, &n, &factor, a.local, &one, &one, of_a.data(), &zero, v.local, &one, &one,
                  of_v.data());
    library_.lacpy("U", &n, &n, v.local, &one, &one, of_v.data(), a.local, &one, &one, of_a.data(),
                   1);
    return elpa_.eigenvectors(grid, a, v, values);
  }

  Library library_;
  Extent least_rows_;
  Elpa elpa_;
  bool is_tried_ = false, is_open_ = false;
};

}  // namespace

std::unique_ptr<garray::GridSolver> grid_solver() {
  constexpr Extent usual = 256;  // below, moving the matrices costs more than LAPACK
  const Extent least_rows = least_rows_in("BLOCKYARD_GA_SCALAPACK", "ScaLAPACK", usual);
  const Extent of_elpa = least_rows_in("BLOCKYARD_GA_ELPA", "ELPA", usual);
  return least_rows == 0 ? nullptr : std::make_unique<ScaLapack>(least_rows, of_elpa);
}

}  // namespace blockyard::ga
