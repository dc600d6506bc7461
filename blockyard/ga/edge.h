// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/fabric/memory.h"
#include "blockyard/ga/checks.h"
#include "blockyard/ga/events.h"
#include "blockyard/ga/files.h"
#include "blockyard/ga/report.h"
#include "blockyard/ga/sparse_handles.h"
#include "blockyard/ga/tongue.h"
#include "blockyard/ga/watch.h"
#include "blockyard/garray/disk.h"
#include "blockyard/garray/locks.h"
#include "blockyard/garray/runtime.h"
#include "blockyard/garray/transfer.h"

// The one runtime of a process, and how the exported symbols reach it: their callers have no
// argument for it.
namespace blockyard::ga {

/// Of Getmem: a region, how many bytes this process has of it, and whose memory it is.
struct RawMemory {
  fabric::Region region = -1;
  std::size_t bytes = 0;
  int group = garray::world_group;
};

/// The state of a process between calls.
struct Edge {
  std::unique_ptr<Report> report;  ///< where BLOCKYARD_GA_REPORT asks for one
  Events events;
  std::unique_ptr<Checks> checks;  ///< where BLOCKYARD_GA_CHECK asks for them
  std::unique_ptr<garray::Runtime> runtime;
  std::unique_ptr<Watch> watch;
  std::optional<garray::Locks> locks;
  std::unique_ptr<garray::Disk> disk;  ///< once it was used
  SparseHandles sparse;
  Files exclusive_files, shared_files;
  std::map<void*, RawMemory> raw_memory;    ///< of Getmem, by this process's pointer
  std::mutex pending_mutex;                 ///< guards the next three
  std::map<long, garray::Pending> pending;  ///< by handle
  std::size_t last_kept = 0;                ///< of them, when the complete ones were forgotten last
  long last_handle = 0;
  bool is_debugging = false;
  bool has_told_of_dead_handles = false;  ///< that ga_destroy of Fortran was given one
  double started_seconds = 0;
};

// Small transfers pass here: a look at what is made, else a call.
extern constinit std::atomic<Edge*> only_edge;
[[nodiscard]] Edge& make_edge() noexcept;
[[nodiscard]] inline Edge& edge() noexcept {
  Edge* const made = only_edge.load(std::memory_order_acquire);
  return made != nullptr ? *made : make_edge();
}
[[noreturn]] void refuse_not_initialized();
/// Throws Error{bad_input} before GA_Initialize.
[[nodiscard]] inline garray::Runtime& runtime() {
  garray::Runtime* const made = edge().runtime.get();
  if (made == nullptr) [[unlikely]]
    refuse_not_initialized();
  return *made;
}

/// The call that this thread is in, for messages.
struct Call {
  const char* name = "";
  void* caller = nullptr;  ///< a place in the caller's code
  Tongue tongue;
};
/// A thread's call, and where others see it; null: they do not.
struct Here {
  Call call;
  Post* post = nullptr;
};
// In the static block of thread memory: a small transfer would spend a tenth of its time on finding
// it elsewhere.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Here here;
[[nodiscard]] inline const Call& current_call() noexcept { return here.call; }
[[nodiscard]] inline Tongue tongue() noexcept { return current_call().tongue; }
/// The means to watch and measure a call, if any.
struct Watched {
  Post* post = nullptr;
  Report* report = nullptr;
};
[[nodiscard]] inline Watched begin_call(const Call& call) noexcept {
  here.call = call;
  if (here.post != nullptr) Watch::enter(*here.post, call.name, call.caller);
  return {here.post, edge().report.get()};
}
inline void end_call() noexcept {
  // The call itself may have ended the watch.
  if (here.post != nullptr) Watch::leave(*here.post);
}
/// From now on others see what this thread calls; null: no longer.
inline void watch_this_thread(Post* post) noexcept { here.post = post; }

/// Exists for the duration of a call.
class InCall {
 public:
  explicit InCall(const Call& call) noexcept
      : watched_(begin_call(call)), measured_(watched_.report, call.name, call.caller) {}
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() {
    if (watched_.post != nullptr) end_call();
  }

 private:
  Watched watched_;
  Measured measured_;
};

/// Ends the job: prints the rank, the call, the error and the caller's line.
[[noreturn]] void end_job(const std::exception& error) noexcept;
/// The same with a text of the caller, as GA_Error prints it.
[[noreturn]] void end_job(const char* text, long code) noexcept;

/// Executes the function of an exported symbol.
template <class Work>
auto run(const Call& call, const Work& work) -> decltype(work()) {
  try {
    const InCall in_call(call);
    return work();
  } catch (const std::exception& error) {
    end_job(error);
  }
}

/// The data members of a group compare when they meet: the call, and the array if there is one.
class Met {
 public:
  explicit Met(const garray::Array* array = nullptr);
  [[nodiscard]] fabric::Meeting meeting() const noexcept { return {tag_, text_}; }

 private:
  std::uint64_t tag_ = 0;
  std::string text_;
};

/// Collective among the group of an array, between two syncs unless the caller masked them.
template <class Work>
auto together(const garray::Array& array, const Work& work) {
  return runtime().collective(array.group, Met(&array).meeting(), work);
}

// The functions that differ with and without MPI.

/// A communicator as bytes: ga.h has its type.
struct Communicator {
  const void* handle = nullptr;  ///< of an MPI_Comm; null: of all processes
};
[[nodiscard]] std::unique_ptr<fabric::Memory> open_memory(Communicator communicator);
/// Starts MPI unless the program did. The program ends it.
void start_mpi(int* argc, char*** argv);
/// A library for matrices on many ranks, opened when it is needed; null: not here. Throws
/// Error{bad_input}.
[[nodiscard]] std::unique_ptr<garray::GridSolver> grid_solver();
/// Called when a group was made, or ends; collective among its members.
void group_made(int group, const std::vector<int>& ranks);
void group_ended(int group) noexcept;
void close_communicators() noexcept;
/// Ends all processes.
[[noreturn]] void abort_all(int code) noexcept;

/// "scf.c:214" of a place in code, where debug information has it and addr2line is there; else "".
[[nodiscard]] std::string line_of(void* place);

}  // namespace blockyard::ga
