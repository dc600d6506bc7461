// SPDX-License-Identifier: Apache-2.0
// Files that a run is to leave: checked before it begins, made from its results.
#include "blockyard/job/files.h"

#include <span>

#include "blockyard/base/error.h"
#include "blockyard/report/exports.h"
#include "blockyard/report/qcschema.h"
#include "blockyard/store/whole_file.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

report::CubeWish cube_of_words(const std::string& what) {
  return report::parse_cube(what + "=result");
}

report::Exports exports(bool molden, bool fcidump, bool qcschema,
                        const std::vector<std::string>& cubes) {
  report::Exports wanted;
  if (molden) wanted.molden = "result";
  if (fcidump) wanted.fcidump = "result";
  if (qcschema) wanted.qcschema = "result";
  for (const std::string& what : cubes) wanted.cubes.push_back(cube_of_words(what));
  return wanted;
}

/// The result of `make` for results that have all that is `wanted`. Throws Error{bad_input}.
template <class Make>
std::string made(const PyResults& self, const report::Exports& wanted, const Make& make) {
  const nb::gil_scoped_release release;
  report::check_exports(self.job->job, wanted);
  return make(self.job->job, self.results);
}

}  // namespace

void bind_files(nb::module_& module, nb::class_<PyResults>& results) {
  results
      .def("molden",
           [](const PyResults& self) {
             return made(self, exports(true, false, false, {}), report::molden_of);
           })
      .def("fcidump",
           [](const PyResults& self) {
             return made(self, exports(false, true, false, {}), report::fcidump_of);
           })
      .def("qcschema",
           [](const PyResults& self) {
             return made(self, exports(false, false, true, {}), report::qcschema_text);
           })
      .def("cube", [](const PyResults& self, const std::string& what) {
        return made(self, exports(false, false, false, {what}),
                    [&](const job::Job& job, const job::Results& found) {
                      return report::cube_of(job, found, cube_of_words(what));
                    });
      });
  module.def("check_exports", [](const PyJob& job, bool molden, bool fcidump, bool qcschema,
                                 const std::vector<std::string>& cubes) {
    report::check_exports(job.job, exports(molden, fcidump, qcschema, cubes));
  });
  module.def("check_outputs", [](const PyJob& job, const std::vector<std::string>& outputs,
                                 const std::vector<std::string>& inputs) {
    job::check_outputs(outputs, inputs, job.job.run);
  });
  module.def("write_whole_file", [](const std::string& path, const nb::bytes& content) {
    const std::span all(static_cast<const char*>(content.data()), content.size());
    const nb::gil_scoped_release release;
    store::write_whole_file(path, std::as_bytes(all));
  });
}

}  // namespace blockyard::python
