// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/error.h"
#include "blockyard/job/version.h"
#include "python/src/bindings.h"
#include "python/src/ga.h"
#include "python/src/plans.h"

namespace blockyard::python {

namespace {

/// Raises an Error as a class of blockyard._errors, which says what a caller can do.
void raise_error(const base::Error& error) {
  try {
    const nb::object made =
        nb::module_::import_("blockyard._errors")
            .attr("make")(static_cast<int>(error.code()), std::string(error.what()));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (nb::python_error& meanwhile) {  // of a signal
    meanwhile.restore();
  }
}

}  // namespace

Shared::Shared(nb::object object)
    : object_(new nb::object(std::move(object)), [](nb::object* last) {
        const nb::gil_scoped_acquire gil;
        delete last;
      }) {}

}  // namespace blockyard::python

NB_MODULE(_core, module) {
  namespace py = blockyard::python;
  module.doc() = "The compiled part of blockyard. Use the package blockyard instead.";
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const blockyard::base::Error& error) {
      py::raise_error(error);
    }
  });
  module.attr("version") = std::string(blockyard::job::version());
  module.attr("source_folder") = BLOCKYARD_SOURCE_FOLDER;
  module.attr("plugin_folder") = BLOCKYARD_PLUGIN_FOLDER;
  py::bind_processes(module);
  py::bind_products(module);
  py::bind_rings(module);
  py::bind_programs(module);
  py::bind_specs(module);
  py::bind_jobs(module);
  py::bind_saved(module);
  py::bind_runs(module);
  py::bind_plans(module);
  py::bind_ga_world(module);
  py::bind_ga_arrays(module);
  py::bind_ga_algebra(module);
}
