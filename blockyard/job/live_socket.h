// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/job/run.h"

namespace blockyard::job {

/// Where the runs of this user on this machine can be asked: RUNTIME/blockyard, or
/// /tmp/blockyard-UID. One socket a process, named JOB-PROCESS.
/// `runtime`: what the user's environment has as XDG_RUNTIME_DIR; null or empty: nothing.
[[nodiscard]] std::filesystem::path live_folder(const char* runtime);

/// Answers `blockyard top`: who connects gets one JSON object, and that is all. A run goes on as
/// well where no socket can be made. One thread.
class LiveSocket {
 public:
  /// Collective among processes. The job must outlive it.
  LiveSocket(const Job& job, const std::filesystem::path& folder, fabric::MpiSession* session);
  ~LiveSocket();
  LiveSocket(const LiveSocket&) = delete;
  LiveSocket& operator=(const LiveSocket&) = delete;

  /// Answers all who ask now. Waits for nobody.
  void answer(const LiveView& view);

 private:
  [[nodiscard]] std::string snapshot(const LiveView& view) const;

  const Job& job_;
  int number_ = 0;  ///< of the job: the process id of its process 0
  int process_ = 0;
  std::filesystem::path path_;
  int socket_ = -1;
  double began_ = 0;
  double step_began_ = 0;
  std::size_t step_ = 0;
};

/// What each process of each run says of itself. Removes the sockets of those that are gone.
[[nodiscard]] std::vector<std::string> ask_all_runs(const std::filesystem::path& folder);

}  // namespace blockyard::job
