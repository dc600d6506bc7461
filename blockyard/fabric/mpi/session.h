// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace blockyard::fabric {

/// Whether this build has MPI.
[[nodiscard]] bool has_mpi() noexcept;

/// Whether the MPI library says that it reads memory of GPUs (CUDA).
[[nodiscard]] bool mpi_reads_devices() noexcept;

/// The processes of one `mpirun`, from MPI_Init to MPI_Finalize; of an MPI that other code in
/// this process started (mpi4py) neither. One at a time, in the main thread
/// (MPI_THREAD_SERIALIZED, or more). All functions but the queries are collective among processes,
/// and wait for all of them: for the start and the end of a run only.
class MpiSession {
 public:
  /// has_threads: asks for MPI_THREAD_MULTIPLE, which global arrays on several nodes want.
  /// Throws Error{bad_input} if this build has no MPI, Error{comm} if MPI was started without
  /// support of threads.
  explicit MpiSession(bool has_threads = false);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// The number of this process, and how many there are.
  [[nodiscard]] int process() const noexcept { return process_; }
  [[nodiscard]] int processes() const noexcept { return processes_; }
  /// The place of this process among those on this node, and how many there are.
  [[nodiscard]] int process_here() const noexcept { return process_here_; }
  [[nodiscard]] int processes_here() const noexcept { return processes_here_; }

  using Bytes = std::vector<std::byte>;
  /// Copies the bytes of process 0 to all. No maximum length.
  [[nodiscard]] Bytes broadcast(Bytes bytes);
  /// Copies process 0's bytes to all in place, where all know the length.
  void broadcast(std::span<std::byte> bytes);
  /// The bytes of each process, in order, at process 0; empty at the others.
  [[nodiscard]] std::vector<Bytes> gather(const Bytes& mine);

 private:
  bool must_finalize_ = false;
  int process_ = 0;
  int processes_ = 1;
  int process_here_ = 0;
  int processes_here_ = 1;
};

}  // namespace blockyard::fabric
