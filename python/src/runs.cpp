// SPDX-License-Identifier: Apache-2.0
// A run: the GIL is released for its duration, except in callbacks.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/job/memory_plan.h"
#include "blockyard/report/iteration_table.h"
#include "blockyard/report/live_socket.h"
#include "blockyard/report/page.h"
#include "blockyard/report/trace_file.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

/// The reports of a run to Python, and the way to stop it. Threads: Python's parts under the GIL.
class Listener {
 public:
  Listener(nb::object print, nb::object tick, PyJob& job)
      : print_(std::move(print)),
        tick_(std::move(tick)),
        job_(job),
        step_(job.from ? job.from->step : 0) {}

  [[nodiscard]] job::Hooks hooks(report::IterationTable* table, report::LiveSocket& live) {
    job::Hooks hooks;
    hooks.look = [this, &live](const job::LiveView& view) {
      live.answer(view);
      std::uint64_t iterations = 0;
      for (const worker::Live& worker : view.workers)
        iterations += worker.iterations.load(std::memory_order_relaxed);
      iterations_ = iterations;
    };
    hooks.print = [this, table](std::string_view text) {
      table != nullptr ? table->add(text) : tell(text);
    };
    hooks.step_begins = [this](std::size_t step) { step_ = step; };
    hooks.stop_reason = [this] { return look(); };
    hooks.checkpoint_requests = [this] { return job_.checkpoint_requests.load(); };
    hooks.ends_after_checkpoint = [this] { return ends_at_checkpoint_.load(); };
    // Others wait for this process: it may not wait for a super instruction that does not return.
    if (job_.processes)
      hooks.give_up = [](std::string_view cause) {
        std::fputs(fmt::format("error: {}\n", cause).c_str(), stderr);
        std::fflush(nullptr);
        std::_Exit(1);
      };
    else
      hooks.give_up = [this](std::string_view) {
        const nb::gil_scoped_acquire gil;
        job_.inside->interrupt();
      };
    return hooks;
  }

  void tell(std::string_view text) {
    const nb::gil_scoped_acquire gil;
    try {
      if (!print_.is_none()) print_(std::string(text));
    } catch (nb::python_error& error) {
      job_.first_error->note(error);
    }
  }

  /// At the end of the run: a signal that was to end it is an error, whatever else came of it.
  void settle() {
    if (!ends_at_checkpoint_) return;
    job_.first_error->note(signal_);
    const std::string saved = job::last_checkpoint_hint(job_.job.run.checkpoint_folder);
    if (!saved.empty()) PySys_FormatStderr("%s\n", saved.c_str());
  }

 private:
  /// A few times a second, by the thread that called run: signals and the progress bar.
  std::string look() {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!tick_.is_none())
        tick_(static_cast<std::size_t>(step_), static_cast<std::uint64_t>(iterations_));
    } catch (nb::python_error& error) {
      if (!waits_for_checkpoint(error)) job_.first_error->note(error);
    }
    return job_.first_error->is_noted() ? "stopped by an exception in Python" : "";
  }

  /// A signal lets a run with checkpoints go on to the next barrier, a second one does not.
  bool waits_for_checkpoint(nb::python_error& error) {
    const bool is_signal =
        error.matches(PyExc_KeyboardInterrupt) || error.matches(PyExc_SystemExit);
    if (!is_signal || job_.job.run.checkpoint_folder.empty() || ends_at_checkpoint_) return false;
    PySys_FormatStderr(
        "stopped by a signal: the run saves its state at the next barrier and ends; once more ends "
        "it at once\n");
    signal_ = nb::borrow(error.value());
    ends_at_checkpoint_ = true;
    return true;
  }

  nb::object print_;
  nb::object tick_;
  PyJob& job_;
  std::atomic<std::size_t> step_;
  std::atomic<std::uint64_t> iterations_ = 0;  ///< of pardos of this process, in the program
  nb::object signal_;                          ///< by which the run ends at a checkpoint
  std::atomic<bool> ends_at_checkpoint_ = false;
};

/// Raises the Python exception that ended the run: as it is if it came from a callback or a signal,
/// as the cause of the error that names the place if it came from a super instruction.
[[noreturn]] void raise(FirstError& first_error, const base::Error& error) {
  const nb::object cause = first_error.take();
  const bool is_named = error.code() == base::Errc::bad_input;
  nb::object raised = cause;
  if (is_named) {
    raised = nb::module_::import_("blockyard._errors")
                 .attr("make")(static_cast<int>(error.code()), std::string(error.what()));
    PyException_SetCause(raised.ptr(), nb::object(cause).release().ptr());
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  throw nb::python_error();
}

/// Lets go of what Python gave at the end of the run: a function may know its own result, and the
/// garbage collector cannot see through C++.
class Borrowed {
 public:
  explicit Borrowed(PyJob& job) : job_(job) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    job_.job.embedding = {};
    job_.lent.clear();
    job_.outputs.clear();
    job_.kept_globally.clear();
    for (auto& [name, kept] : job_.kept) kept.into = {};
    job::reuse_freed_memory();  // for the script's own arrays
  }

 private:
  PyJob& job_;
};

/// The report's context of a run, with the text of each source as it was compiled.
report::ReportContext context_of(const PyJob& job, const std::string& command) {
  report::ReportContext context = report::begin_report(job.job, command);
  for (const auto& [name, text] : job.texts) context.sources[name] = text;
  return context;
}

/// `command`: what the report says ran. `runtime`: of job::live_folder.
std::shared_ptr<PyResults> run(const std::shared_ptr<PyJob>& job, nb::object print, nb::object tick,
                               const std::string& command, const std::string& runtime) {
  const Borrowed borrowed(*job);
  FirstError& first_error = *job->first_error;
  static_cast<void>(first_error.take());
  Listener listener(std::move(print), std::move(tick), *job);
  auto results = std::make_shared<PyResults>();
  results->job = job;
  try {
    const nb::gil_scoped_release release;
    report::IterationTable table([&](std::string_view text) { listener.tell(text); });
    const bool is_table = !job->job.method.empty();
    fabric::MpiSession* session = job->processes ? job->processes->session.get() : nullptr;
    results->context = context_of(*job, command);
    report::LiveSocket live(job->job, report::live_folder(runtime.c_str()), session);
    const job::Hooks hooks = listener.hooks(is_table ? &table : nullptr, live);
    fabric::agree(session,
                  [&] { results->results = job::run(job->job, hooks, job->from.get(), session); });
    table.end();
    results->context.iterations = table.iterations();
  } catch (const base::Error& error) {
    listener.settle();
    if (first_error.is_noted()) raise(first_error, error);
    throw;
  }
  listener.settle();
  if (first_error.is_noted())
    raise(first_error, base::Error(base::Errc::comm, "a callback failed"));
  return results;
}

const worker::DenseArray& array_of(const PyResults& self, const std::string& name) {
  for (auto step = self.results.steps.rbegin(); step != self.results.steps.rend(); ++step)
    if (const auto found = step->outcome.arrays.find(name); found != step->outcome.arrays.end())
      return found->second;
  throw nb::key_error(name.c_str());
}

/// A view of a static array as it was at the end; it keeps the results alive.
nb::object view_of(nb::handle_t<PyResults> self, const std::string& name) {
  const worker::DenseArray& array = array_of(*nb::inst_ptr<PyResults>(self), name);
  const std::vector<std::size_t> shape(array.extents.begin(), array.extents.end());
  std::vector<std::int64_t> strides;
  std::int64_t stride = 1;
  for (const Extent extent : array.extents) {
    strides.push_back(stride);
    stride *= extent;
  }
  const auto view = [&]<class T>() {
    void* values = const_cast<double*>(array.values.data());
    return nb::cast(
        nb::ndarray<nb::numpy, T>(values, shape.size(), shape.data(), self, strides.data()),
        nb::rv_policy::reference);
  };
  const nb::object found = array::is_complex(array.type)
                               ? view.template operator()<std::complex<double>>()
                               : view.template operator()<double>();
  if (!array::is_single(array.type)) return found;
  return found.attr("astype")(array::is_complex(array.type) ? "complex64" : "float32");
}

nb::list names_of(const PyResults& self) {
  std::map<std::string, bool> names;
  for (const job::StepResult& step : self.results.steps)
    for (const auto& entry : step.outcome.arrays) names[entry.first] = true;
  nb::list result;
  for (const auto& entry : names) result.append(entry.first);
  return result;
}

/// Values of the programs at their ends; a later program wins.
template <class Value, class Member>
std::map<std::string, Value> values_of(const PyResults& self, Member member) {
  std::map<std::string, Value> values;
  for (const job::StepResult& step : self.results.steps)
    for (const auto& [name, value] : step.outcome.*member) values[name] = value;
  return values;
}

}  // namespace

void bind_runs(nb::module_& module) {
  nb::class_<PyResults> results(module, "Results");
  results
      .def("summary",
           [](const PyResults& self) {
             return self.job->job.chemistry ? report::print_summary(self.job->job, self.results)
                                            : "";
           })
      .def("profile", [](const PyResults& self) { return report::print_profile(self.results); })
      .def("report",
           [](const PyResults& self) {
             return report::metrics_json(self.job->job, self.results, self.context);
           })
      .def("trace",
           [](const PyResults& self) {
             const std::string file = report::trace_file(self.job->job, self.results);
             return nb::bytes(file.data(), file.size());
           })
      .def("summary_json",
           [](const PyResults& self) {
             if (self.job->job.method.empty()) return std::string("{}");
             return report::results_json(self.job->job, self.results);
           })
      .def_prop_ro("method", [](const PyResults& self) { return self.job->job.method; })
      .def_prop_ro("seconds", [](const PyResults& self) { return self.results.seconds; })
      .def_prop_ro("timings",
                   [](const PyResults& self) {
                     std::map<std::string, double> seconds;
                     for (const job::StepResult& step : self.results.steps)
                       seconds[step.name] += step.seconds;
                     return seconds;
                   })
      .def_prop_ro("lost", [](const PyResults& self) { return self.results.lost; })
      .def_prop_ro("unconverged", [](const PyResults& self) { return self.results.unconverged; })
      .def_prop_ro("warnings",
                   [](const PyResults& self) {
                     std::vector<std::string> all;
                     for (const job::StepResult& step : self.results.steps)
                       all.insert(all.end(), step.warnings.begin(), step.warnings.end());
                     return all;
                   })
      .def_prop_ro(
          "scalars",
          [](const PyResults& self) { return values_of<double>(self, &worker::Outcome::scalars); })
      .def_prop_ro("complex_scalars",
                   [](const PyResults& self) {
                     return values_of<std::complex<double>>(self,
                                                            &worker::Outcome::complex_scalars);
                   })
      .def_prop_ro("ints",
                   [](const PyResults& self) {
                     return values_of<std::int64_t>(self, &worker::Outcome::ints);
                   })
      .def("array_names", &names_of)
      .def("array", &view_of);
  bind_files(module, results);
  module.def("run", &run, nb::arg("job"), nb::arg("print").none(), nb::arg("tick").none(),
             nb::arg("command"), nb::arg("runtime"));
  module.def("report_page", &report::page_of);
}

}  // namespace blockyard::python
