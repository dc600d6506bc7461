// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun started to run one script together.
#include "blockyard/job/processes.h"

#include <cstring>

#include "blockyard/base/error.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

using Bytes = fabric::MpiSession::Bytes;

Bytes bytes_of(const nb::bytes& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.c_str());
  return {begin, begin + bytes.size()};
}

nb::bytes python_bytes(const Bytes& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

/// All processes must have the same build of this module.
std::shared_ptr<PyProcesses> join(bool has_threads) {
  auto processes = std::make_shared<PyProcesses>();
  processes->session = std::make_unique<fabric::MpiSession>(has_threads);
  if (processes->session->processes() > 1) job::check_builds(*processes->session);
  return processes;
}

nb::bytes broadcast(PyProcesses& self, const nb::bytes& mine) {
  Bytes bytes = bytes_of(mine);
  {
    const nb::gil_scoped_release release;
    bytes = self.session->broadcast(std::move(bytes));
  }
  return python_bytes(bytes);
}

/// Contiguous, in any order of indexes.
void broadcast_into(PyProcesses& self, const OutArray& array) {
  const nb::gil_scoped_release release;
  self.session->broadcast({static_cast<std::byte*>(array.data()), array.nbytes()});
}

nb::list gather(PyProcesses& self, const nb::bytes& mine) {
  const Bytes bytes = bytes_of(mine);
  std::vector<Bytes> all;
  {
    const nb::gil_scoped_release release;
    all = self.session->gather(bytes);
  }
  nb::list result;
  for (const Bytes& one : all) result.append(python_bytes(one));
  return result;
}

}  // namespace

void bind_processes(nb::module_& module) {
  nb::class_<PyProcesses>(module, "Processes")
      .def_prop_ro("number", [](const PyProcesses& self) { return self.session->process(); })
      .def_prop_ro("count", [](const PyProcesses& self) { return self.session->processes(); })
      .def_prop_ro("on_node",
                   [](const PyProcesses& self) { return self.session->processes_here(); })
      .def("broadcast", &broadcast)
      .def("broadcast_into", &broadcast_into)
      .def("gather", &gather)
      .def("close", [](PyProcesses& self) { self.session.reset(); });
  module.def("join", &join);
}

}  // namespace blockyard::python
