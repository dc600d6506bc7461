// SPDX-License-Identifier: Apache-2.0
// Collective operations on whole global arrays. Python syncs before and after them.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "blockyard/base/error.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/ghosts.h"
#include "blockyard/garray/line.h"
#include "blockyard/garray/matrix.h"
#include "blockyard/garray/solve.h"
#include "python/src/ga.h"

namespace blockyard::python {

namespace {

using garray::Matrix;
using garray::whole;
using Use = PyMemory::Use;

void fill(const GaArray& self, const nb::object& value) {
  const PyMemory memory(value, Use::read);
  base::require(memory.bytes() == self.array().kind.bytes, "the value has the type of the array");
  const nb::gil_scoped_release release;
  garray::fill(whole(self.array()), memory.data());
}

/// Same shape and type; orders and layouts may differ.
void copy(const GaArray& from, const GaArray& to) {
  const nb::gil_scoped_release release;
  garray::copy(from.runtime(), whole(from.array()), whole(to.array()),
               from.is_reversed != to.is_reversed);
}

/// c = a b. An array in Python's order is the transpose in the model's: then c^T = b^T a^T.
void multiply(const GaArray& a, const GaArray& b, const GaArray& c) {
  const nb::gil_scoped_release release;
  const GaArray& left = c.is_reversed ? b : a;
  const GaArray& right = c.is_reversed ? a : b;
  const auto op = [&](const GaArray& operand) {
    return operand.is_reversed != c.is_reversed ? garray::Op::transpose : garray::Op::as_is;
  };
  fabric::with_type(garray::element_of(c.array()), [&](auto type) {
    const decltype(type) one(1), zero(0);
    garray::multiply(c.runtime(), &one, op(left), Matrix{whole(left.array())}, op(right),
                     Matrix{whole(right.array())}, &zero, Matrix{whole(c.array())});
  });
}

/// b becomes the solution x of a x = b; its axes are in the order of the model. Returns 0, or, for
/// a matrix that should be positive definite, the order of the first minor that is not.
int solve(const GaArray& a, const GaArray& b, bool is_positive) {
  const nb::gil_scoped_release release;
  garray::Runtime& runtime = a.held->world->runtime;
  if (is_positive) return garray::solve_cholesky(runtime, a.array(), b.array());
  garray::solve_lu(runtime, a.is_reversed, a.array(), b.array());
  return 0;
}

/// v: vectors in columns; its axes are in the order of the model.
void diagonalize(const GaArray& a, const GaArray& v, const nb::object& values) {
  const PyMemory memory(values, Use::write);
  base::require(memory.bytes() == static_cast<std::size_t>(a.array().extents[0]) * sizeof(double),
                "there is room for all eigenvalues");
  const nb::gil_scoped_release release;
  garray::diagonalize(a.held->world->runtime, a.array(), nullptr, v.array(),
                      reinterpret_cast<double*>(memory.data()));
}

garray::Range all_of(const GaArray& self) { return {0, self.array().extents[0]}; }

void scan(const GaArray& from, const GaArray& to, const GaArray& flags, bool is_sum,
          bool is_exclusive) {
  const nb::gil_scoped_release release;
  if (is_sum)
    garray::scan_add(from.runtime(), from.array(), to.array(), flags.array(), all_of(from),
                     is_exclusive);
  else
    garray::scan_copy(from.runtime(), from.array(), to.array(), flags.array(), all_of(from));
}

Extent pack(const GaArray& from, const GaArray& to, const GaArray& flags, bool is_inverse) {
  const nb::gil_scoped_release release;
  return is_inverse
             ? garray::unpack(from.runtime(), from.array(), to.array(), flags.array(), all_of(to))
             : garray::pack(from.runtime(), from.array(), to.array(), flags.array(), all_of(from));
}

void update_ghosts(const GaArray& self) {
  const nb::gil_scoped_release release;
  garray::Pending pending;
  garray::update_ghosts(self.runtime(), self.array(), &pending);
  pending.wait(self.held->world->runtime.memory());
}

}  // namespace

void bind_ga_algebra(nb::module_& module) {
  module.def("ga_fill", &fill);
  module.def("ga_copy", &copy);
  module.def("ga_multiply", &multiply);
  module.def("ga_solve", &solve);
  module.def("ga_diagonalize", &diagonalize);
  module.def("ga_scan", &scan);
  module.def("ga_pack", &pack);
  module.def("ga_update_ghosts", &update_ghosts);
}

}  // namespace blockyard::python
