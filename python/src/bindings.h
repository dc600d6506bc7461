// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/input/settings.h"
#include "blockyard/input/spec.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/global_array.h"
#include "blockyard/job/job.h"
#include "blockyard/job/run.h"
#include "blockyard/report/report.h"

/// The module blockyard._core: what the Python package needs of the rooms, one file per idea. What
/// users see is Python, in blockyard/ next to this folder.
namespace blockyard::python {

namespace nb = nanobind;

using base::Extent;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
/// Of any type; what writes to one checks which.
using OutArray = nb::ndarray<nb::device::cpu>;

/// A Python object that C++ threads share; any thread may drop it.
class Shared {
 public:
  Shared() = default;
  explicit Shared(nb::object object);
  [[nodiscard]] const nb::object& object() const { return *object_; }

 private:
  std::shared_ptr<nb::object> object_;  // shared by the copies of this
};

/// The first Python exception of a run: of a callback, of a super instruction, of a signal. It ends
/// the run, and is raised, or is the cause of what is raised. Any thread that holds the GIL.
class FirstError {
 public:
  void note(const nb::python_error& error) { note(nb::borrow(error.value())); }
  void note(nb::object value) {
    const nb::ft_lock_guard lock(mutex_);
    if (!value_.is_valid()) value_ = std::move(value);
  }
  [[nodiscard]] bool is_noted() {
    const nb::ft_lock_guard lock(mutex_);
    return value_.is_valid();
  }
  /// It is not noted any more.
  [[nodiscard]] nb::object take() {
    const nb::ft_lock_guard lock(mutex_);
    return std::exchange(value_, nb::object());
  }

 private:
  nb::ft_mutex mutex_;
  nb::object value_;
};

/// The threads that are in a super instruction. Any thread that holds the GIL.
class Inside {
 public:
  void enter() {
    const nb::ft_lock_guard lock(mutex_);
    threads_.insert(PyThread_get_thread_ident());
  }
  void leave() {
    const nb::ft_lock_guard lock(mutex_);
    threads_.erase(PyThread_get_thread_ident());
  }
  /// Raises KeyboardInterrupt in them.
  void interrupt() {
    const nb::ft_lock_guard lock(mutex_);
    for (const unsigned long thread : threads_)
      PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
  }

 private:
  nb::ft_mutex mutex_;
  std::set<unsigned long> threads_;
};

/// The processes of one mpirun, until Python ends.
struct PyProcesses {
  std::unique_ptr<fabric::MpiSession> session;
};

/// A job with what Python gives to it. Of several processes each has one, and runs it.
struct PyJob {
  job::Job job;
  std::shared_ptr<PyProcesses> processes;    // shared with Python; null: this one alone
  std::shared_ptr<FirstError> first_error;   // shared with super instructions
  std::shared_ptr<Inside> inside;            // shared with super instructions
  std::map<std::string, std::string> texts;  // sources that are in no file
  std::vector<AnyArray> lent;                // arrays that the run reads
  std::vector<OutArray> outputs;             // arrays that super instructions write
  struct Kept {
    std::string label;
    OutArray into;
    std::vector<std::vector<Extent>> segments;
    std::vector<std::uint64_t> written;  // numbers of the blocks that exist
    array::ElementType type = array::ElementType::f64;
  };
  std::map<std::string, Kept> kept;
  struct KeptGlobally {
    std::string label;
    job::GlobalArray into;
    array::Grid grid;
  };
  std::vector<KeptGlobally> kept_globally;
  std::unique_ptr<job::SavedRun> from;  // resumed from it; null: starts from the beginning
  std::atomic<int> checkpoint_requests = 0;
  std::shared_ptr<job::Exchanged> exchanged = std::make_shared<job::Exchanged>();  // with lenders
};

struct PyResults {
  std::shared_ptr<PyJob> job;  // shared with Python
  job::Results results;
  report::ReportContext context;
};

/// An array whose blocks are read where they lie: lent.cpp.
[[nodiscard]] server::Lent lend(const std::string& label, const AnyArray& array, int file,
                                std::uint64_t file_offset,
                                const std::vector<std::vector<Extent>>& segments,
                                array::ElementType type);

/// An array whose blocks a Python function fills when they are wanted: asked.cpp.
[[nodiscard]] server::Lent ask(const std::string& label, const nb::object& fill,
                               const std::vector<std::vector<Extent>>& segments,
                               array::ElementType type, std::shared_ptr<FirstError> first_error);

/// A super instruction that calls a Python function. `types`: as in super::Entry.
[[nodiscard]] super::Entry make_super(const std::string& name, const std::string& signature,
                                      const std::string& types, Shared function,
                                      std::shared_ptr<FirstError> first_error,
                                      std::shared_ptr<Inside> inside);

/// Keys, and values as texts.
using SettingPairs = std::vector<std::pair<std::string, std::string>>;

/// An option of a run. Throws Error{bad_input}.
void set_option(input::RunSpec& run, const std::string& key, const std::string& value);

void bind_processes(nb::module_& module);
void bind_products(nb::module_& module);
void bind_rings(nb::module_& module);
void bind_programs(nb::module_& module);
void bind_specs(nb::module_& module);
void bind_jobs(nb::module_& module);
void bind_saved(nb::module_& module);
void bind_runs(nb::module_& module);
void bind_files(nb::module_& module, nb::class_<PyResults>& results);

}  // namespace blockyard::python
