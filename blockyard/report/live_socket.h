// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/job/run.h"

namespace blockyard::report {

/// Where the runs of this user on this machine can be asked: RUNTIME/blockyard, or
/// /tmp/blockyard-UID. One socket a process, named JOB-PROCESS.
/// `runtime`: what the user's environment has as XDG_RUNTIME_DIR; ignored if null, empty or, as its
/// specification requires, a relative path.
[[nodiscard]] std::filesystem::path live_folder(const char* runtime);

/// Answers `blockyard top`: each client gets one JSON object, and that is all. A run works
/// equally where no socket can be made. One thread.
class LiveSocket {
 public:
  /// Collective among processes. The job must outlive it.
  LiveSocket(const job::Job& job, const std::filesystem::path& folder, fabric::MpiSession* session);
  ~LiveSocket();
  LiveSocket(const LiveSocket&) = delete;
  LiveSocket& operator=(const LiveSocket&) = delete;

  /// Answers all pending clients. Never waits: what a client does not take yet, later calls send.
  void answer(const job::LiveView& view);

 private:
  /// What is left of an answer.
  struct Answer {
    int client = -1;
    std::string text;
  };
  /// Whether some of it is left.
  [[nodiscard]] static bool send_more(Answer& answer);
  [[nodiscard]] std::string snapshot(const job::LiveView& view) const;

  const job::Job& job_;
  int number_ = 0;  ///< of the job: the process id of its process 0
  int process_ = 0;
  std::filesystem::path path_;
  int socket_ = -1;
  double began_ = 0;
  double step_began_ = 0;
  std::size_t step_ = 0;
  std::vector<Answer> answers_;
};

/// The answers of the processes of all runs.
struct LiveAnswers {
  std::vector<std::string> texts;
  std::vector<std::string> silent;  ///< names of sockets whose process did not answer in time
};

/// Asks each process of each run, and waits for all together two seconds at most. Removes the
/// sockets of those that have ended, and no other file: a file counts only if it is a socket of
/// this user by our kind of name, in a folder that no other user can reach.
[[nodiscard]] LiveAnswers ask_all_runs(const std::filesystem::path& folder);

}  // namespace blockyard::report
