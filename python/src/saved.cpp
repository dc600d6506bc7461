// SPDX-License-Identifier: Apache-2.0
// A run resumed from its last checkpoint.
#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/input/run_options.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/processes.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

/// What is wanted otherwise than before. Throws Error{bad_input}.
input::RunSpec wanted_of(const SettingPairs& wishes, const job::SavedRun& saved) {
  input::RunSpec wanted;
  wanted.device = saved.job.run.device;
  for (const auto& [key, value] : wishes) set_option(wanted, key, value);
  return wanted;
}

/// wishes: options of a run that are of `resume` too.
std::shared_ptr<PyJob> resume(const std::string& folder, const SettingPairs& wishes,
                              const std::string& plugins, bool has_trace,
                              std::shared_ptr<PyProcesses> processes) {
  auto made = std::make_shared<PyJob>();
  made->first_error = std::make_shared<FirstError>();
  made->inside = std::make_shared<Inside>();
  made->processes = std::move(processes);
  const nb::gil_scoped_release release;
  fabric::MpiSession* session = made->processes ? made->processes->session.get() : nullptr;
  const job::ProcessCount count = job::count_processes(session);
  const auto checkpoint = job::find_checkpoint(folder, session);
  made->from = std::make_unique<job::SavedRun>(job::open_checkpoint(checkpoint, session));
  job::SavedRun& saved = *made->from;
  input::RunSpec wanted;
  fabric::agree(session, [&] {
    saved.job.run.report = true;
    saved.job.run.has_trace = has_trace;
    wanted = wanted_of(wishes, saved);
    saved.job.run.device = wanted.device;
    saved.job.run.device.plugins = plugins;  // of the Blockyard that resumes
  });
  job::change_ranks(saved, wanted, count, session);
  made->job = std::move(made->from->job);
  return made;
}

}  // namespace

void bind_saved(nb::module_& module) {
  module.def("resume", &resume, nb::arg("folder"), nb::arg("wishes"), nb::arg("plugins"),
             nb::arg("has_trace"), nb::arg("processes").none());
}

}  // namespace blockyard::python
