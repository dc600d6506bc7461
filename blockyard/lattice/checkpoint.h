// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/lattice/exact_bounds.h"
#include "blockyard/store/checkpoint_file.h"
#include "blockyard/store/lock.h"
#include "blockyard/store/posix.h"

namespace blockyard::lattice {

/// When a simulation saves its state. Without a folder it never does.
struct Checkpointing {
  std::string folder;
  std::optional<double> seconds;  ///< between two; nothing: on request only
  std::function<int()> requests;  ///< how often one was asked for. Any thread
  std::function<bool()> ends;     ///< whether to save a last time and end. Any thread
  std::string options;            ///< of the run beyond its job, which a checkpoint keeps
  std::string from;               ///< the file of a checkpoint to go on from; empty: from the start
  std::vector<std::byte> outer;   ///< the state of the iteration that the simulation is a part of
};

/// The description of a run in its checkpoint.
struct SavedHead {
  std::string file;        ///< the name of its job file
  std::string source;      ///< the text of that
  std::string output;      ///< absolute: a run may be resumed from another folder
  std::string options;     ///< Checkpointing::options
  ExactBounds exact;       ///< agreed for exact sums
  std::int64_t units = 0;  ///< of G4
  std::int64_t walkers = 0;
  std::vector<std::byte> averages;
  std::vector<std::byte> outer;  ///< Checkpointing::outer
};

/// Writes a checkpoint: a head, one record for each walker and each unit of G4. The file has the
/// layout of docs/disk.md. One thread.
class CheckpointOut {
 public:
  explicit CheckpointOut(const std::filesystem::path& path);
  void write_head(const SavedHead& head);
  void write_walker(std::int64_t number, std::span<const std::byte> state);
  void write_unit(std::int64_t unit, std::span<const std::byte> sums);
  void finish() { file_.finish(); }

 private:
  store::PosixStore disks_;
  store::CheckpointWriter file_;
  std::uint32_t head_, walkers_, units_;
};

/// Reads it. Throws Error{bad_input} if it is damaged or not a checkpoint of a simulation.
/// One thread.
class CheckpointIn {
 public:
  explicit CheckpointIn(const std::filesystem::path& path);
  [[nodiscard]] const SavedHead& head() const noexcept { return head_; }
  [[nodiscard]] std::vector<std::byte> walker(std::int64_t number) const;
  void unit(std::int64_t unit, std::span<std::byte> into) const;

 private:
  [[nodiscard]] const store::CheckpointRecord& record(std::uint32_t group,
                                                      std::int64_t number) const;
  std::filesystem::path path_;
  store::PosixStore disks_;
  store::CheckpointReader file_;
  std::vector<const store::CheckpointRecord*> by_name_;  ///< by group and number
  SavedHead head_;
};

/// The folder of the checkpoints of one run: a file each, which has its name once it is complete;
/// the last two stay. One thread at a time, in one process of the run.
class CheckpointFolder {
 public:
  /// Throws Error{bad_input} if another run has the folder, or it holds checkpoints of another run
  /// than that of `from`.
  CheckpointFolder(std::filesystem::path folder, const std::string& from);
  /// Removes a folder without a usable checkpoint that it made, or from which the run was resumed.
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  /// The file for the next checkpoint; keep() gives it its name.
  [[nodiscard]] std::filesystem::path part() const;
  void keep();
  /// When the last one was kept, or the folder opened.
  [[nodiscard]] double saved_at() const noexcept { return saved_at_; }
  /// The run has its results: its checkpoints are no longer needed.
  void remove_all() noexcept;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::uint64_t number) const;
  std::filesystem::path folder_;
  std::optional<store::FileLock> lock_;
  bool is_ours_ = false;  ///< the folder is not one that the user made
  std::uint64_t number_ = 0;
  double saved_at_;
};

/// The newest checkpoint of a simulation in a folder, or the one that `path` is; empty if there is
/// none.
[[nodiscard]] std::string newest_checkpoint(const std::filesystem::path& path);

}  // namespace blockyard::lattice
