// SPDX-License-Identifier: Apache-2.0
// What a user asks for: a job file, and keywords that win over it.
#include "blockyard/base/text.h"
#include "blockyard/job/input.h"
#include "blockyard/worker/prefetch.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

void set_int(job::Spec& spec, const std::string& name, std::int64_t value) {
  const std::string key = base::lower(name);
  spec.scalars.erase(key);
  spec.ints[key] = value;
}

void set_scalar(job::Spec& spec, const std::string& name, double value) {
  const std::string key = base::lower(name);
  spec.ints.erase(key);
  spec.scalars[key] = value;
}

void set_method(job::Spec& spec, const std::string& name) {
  if (!spec.method) spec.method.emplace();
  spec.method->name = base::lower(name);
}

void set_basis(job::Spec& spec, const std::string& name) {
  spec.basis.name = name;
  spec.basis.file.clear();
  spec.basis.text.clear();
}

}  // namespace

void bind_specs(nb::module_& module) {
  using job::Spec;
  nb::class_<Spec>(module, "Spec")
      .def(nb::init<>())
      .def_static("read", &job::read_job_file)
      .def_rw("title", &Spec::title)
      .def_rw("programs", &Spec::programs)
      .def("method", &set_method)
      .def("basis", &set_basis)
      .def("set_int", &set_int)
      .def("set_scalar", &set_scalar)
      .def("segments", [](Spec& spec, const std::string& text) { job::set_segments(spec, text); })
      .def("workers", [](Spec& spec, int count) { spec.run.workers = count; })
      .def("servers", [](Spec& spec, int count) { spec.run.servers = count; })
      .def("memory",
           [](Spec& spec, const std::string& text) {
             spec.run.memory_bytes = base::parse_bytes(text, "memory");
           })
      .def("scratch", [](Spec& spec, const std::string& folder) { spec.run.scratch = folder; })
      .def("persistent", [](Spec& spec, const std::string& file) { spec.run.persistent = file; })
      .def("supers", [](Spec& spec, const std::string& file) { spec.run.supers.push_back(file); })
      .def("pardo",
           [](Spec& spec, const std::string& name) { spec.run.pardo = job::parse_policy(name); })
      .def("prefetch",
           [](Spec& spec, const std::string& depth) {
             spec.run.prefetch = worker::parse_prefetch(depth);
           })
      .def("note",
           [](Spec& spec, bool has_trace) {
             spec.run.report = true;
             spec.run.has_trace = has_trace;
           })
      .def("check", [](Spec& spec, bool is_on) { spec.run.check = is_on; })
      .def("deterministic", [](Spec& spec, bool is_on) { spec.run.deterministic = is_on; });
}

}  // namespace blockyard::python
