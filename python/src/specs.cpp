// SPDX-License-Identifier: Apache-2.0
// What a user asks for: a job file, and keywords that win over it.
#include <nanobind/stl/pair.h>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/run_options.h"
#include "blockyard/input/words.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

void set_int(input::Spec& spec, const std::string& name, std::int64_t value) {
  const std::string key = base::lower(name);
  spec.scalars.erase(key);
  spec.ints[key] = value;
}

void set_scalar(input::Spec& spec, const std::string& name, double value) {
  const std::string key = base::lower(name);
  spec.ints.erase(key);
  spec.scalars[key] = value;
}

void set_method(input::Spec& spec, const std::string& name) {
  if (!spec.method) spec.method.emplace();
  spec.method->name = base::lower(name);
}

void set_basis(input::Spec& spec, const std::string& name) {
  spec.basis.name = name;
  spec.basis.file.clear();
  spec.basis.text.clear();
}

}  // namespace

void bind_specs(nb::module_& module) {
  using input::Spec;
  nb::class_<Spec>(module, "Spec")
      .def(nb::init<>())
      .def_static("read", &input::read_job_file)
      .def_rw("title", &Spec::title)
      .def_rw("programs", &Spec::programs)
      .def("method", &set_method)
      .def("basis", &set_basis)
      .def("set_int", &set_int)
      .def("set_scalar", &set_scalar)
      .def("segments", [](Spec& spec, const std::string& text) { input::set_segments(spec, text); })
      .def("set",
           [](Spec& spec, const std::string& key, const std::string& value) {
             const input::RunOption* option = input::find_run_option(key);
             base::require(option != nullptr, "a keyword of Python is an option of a run");
             option->read(spec.run, value, key);
           })
      .def("name_checkpoints",
           [](Spec& spec, const std::string& first_file) {
             input::name_checkpoints(spec.run, first_file);
           })
      .def("note", [](Spec& spec, bool has_trace) {
        spec.run.report = true;
        spec.run.has_trace = has_trace;
      });
  // For tests: key, whether a Session has it, too.
  module.def("run_options", [] {
    std::vector<std::pair<std::string, bool>> keys;
    for (const input::RunOption& option : input::run_options())
      keys.emplace_back(option.key, option.group != input::OptionGroup::files);
    return keys;
  });
}

}  // namespace blockyard::python
