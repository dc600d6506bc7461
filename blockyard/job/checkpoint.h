// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/job/job.h"
#include "blockyard/job/run.h"
#include "blockyard/store/checkpoint_file.h"
#include "blockyard/store/lock.h"
#include "blockyard/store/posix.h"
#include "blockyard/worker/checkpoint.h"

namespace blockyard::job {

/// A checkpoint as read back: what a run resumes from. docs/faults.md describes its contents.
struct SavedRun {
  Job job;
  worker::CheckpointPlace place;
  std::size_t step = 0;  ///< program that it was taken in or before
  bool in_program = false;
  int workers = 1;  ///< that wrote their states
  int servers = 1;
  std::vector<StepResult> done;  ///< results of the programs before
};

/// Collective (null: this process alone). The newest checkpoint in `folder`, or the one that
/// `folder` is, as process 0 sees it: file systems may show the others an older one. Throws
/// Error{bad_input} if there is none.
[[nodiscard]] std::filesystem::path find_checkpoint(const std::filesystem::path& folder,
                                                    fabric::MpiSession* session = nullptr);

/// Collective (null: this process alone). Opens a checkpoint; each process checks a share of its
/// parts. Throws Error{bad_input} at all if a part is not whole, or of another checkpoint.
[[nodiscard]] SavedRun open_checkpoint(const std::filesystem::path& checkpoint,
                                       fabric::MpiSession* session = nullptr);

/// How to resume from the newest checkpoint in the folder, for messages; empty if there is none.
[[nodiscard]] std::string last_checkpoint_hint(const std::string& folder);

/// Collective (null: this process alone). Applies the user's changes to the saved run: workers,
/// servers, memory, scratch folder, checkpoints. Throws Error{bad_input} at all if the number of
/// workers cannot change: their states, of which each process compares a share, differ in values
/// that the program still reads.
void change_ranks(SavedRun& saved, const input::RunSpec& wanted, const ProcessCount& processes = {},
                  fabric::MpiSession* session = nullptr);

/// The records of one worker in a checkpoint.
class SavedWorker final : public worker::RecordSource {
 public:
  /// `worker` of the resumed run; if its number of workers differs, all have one state.
  SavedWorker(const SavedRun& saved, int worker);
  [[nodiscard]] std::vector<std::byte> next() override;
  void next(std::span<std::byte> into) override;

 private:
  [[nodiscard]] const store::CheckpointRecord& advance();
  store::PosixStore disks_;
  store::CheckpointReader file_;
  std::size_t at_ = 0;
};

/// Takes the checkpoints of a run: a folder for each, which is renamed when it is complete; the
/// last two are kept. Any thread calls wish and write; worker 0 the rest.
class CheckpointFolder final : public worker::Checkpoints {
 public:
  /// `results` are filled during the run. Throws Error{bad_input} if another run has the
  /// folder, or it holds checkpoints of another run than the one that `from` is of (null: a new
  /// run). `leads`: this process keeps other runs out of the folder, and removes it in the end if
  /// it is empty and `is_new`, or a run has used it before.
  CheckpointFolder(const Job& job, const Hooks& hooks, const Results& results, const SavedRun* from,
                   bool leads, bool is_new);
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  /// Removes checkpoints that are not complete, and a folder without any, unless the user made it.
  ~CheckpointFolder() override;

  /// Worker 0: notes that this program begins.
  void begin_step(std::size_t step) noexcept { step_ = step; }
  /// The run has its results: its checkpoints are no longer needed.
  void remove_all() noexcept;

  [[nodiscard]] worker::Wish wish(int worker) override;
  [[nodiscard]] worker::CheckpointPlace begin(bool in_program) override;
  void write(const worker::CheckpointPlace& place, int worker,
             const std::function<void(worker::RecordSink&)>& write) override;
  void finish(const worker::CheckpointPlace& place) override;
  [[nodiscard]] std::string stop_text() const override;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::uint64_t number) const;
  void lock();
  void check_found(const SavedRun* from);
  void write_manifest(const worker::CheckpointPlace& place);
  void remove_old() const;

  const Job& job_;
  const Hooks& hooks_;
  const Results& results_;
  std::filesystem::path folder_;         // absolute
  std::optional<store::FileLock> lock_;  // of one process of the run
  bool is_ours_;                         // the folder is not one that the user made
  store::PosixStore disks_;
  std::uint64_t number_ = 0;  // of the last checkpoint
  std::size_t step_ = 0;
  bool in_program_ = false;
  double last_seconds_ = 0;      // when the last one was complete
  std::atomic<int> handled_{0};  // requests that a checkpoint has answered
};

}  // namespace blockyard::job
