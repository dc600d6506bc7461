// SPDX-License-Identifier: Apache-2.0
// How checkpoints are taken; open_checkpoint.cpp has how they are opened.
#include "blockyard/job/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/job/detail/checkpoint_names.h"
#include "blockyard/job/job_bytes.h"
#include "blockyard/job/version.h"
#include "blockyard/super/load.h"

namespace blockyard::job {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

namespace {

/// Complete checkpoints that stay.
constexpr std::size_t kept_count = 2;

class FileSink final : public worker::RecordSink {
 public:
  explicit FileSink(store::CheckpointWriter& file) : file_(file), group_(file.add_group("state")) {}
  void add(std::span<const std::byte> record) override { file_.add(group_, number_++, record); }

 private:
  store::CheckpointWriter& file_;
  std::uint32_t group_;
  std::uint64_t number_ = 0;
};

/// A folder that is going away must not look complete meanwhile.
void remove_folder(const fs::path& path) {
  fs::path part = path;
  part += detail::part_ending;
  std::error_code ignored;
  fs::rename(path, part, ignored);
  fs::remove_all(part, ignored);
}

/// A run may be resumed from another folder.
input::RunSpec with_absolute_names(input::RunSpec run) {
  const auto change = [](std::string& file) {
    if (!file.empty())
      file = super::with_path(file,
                              [](const std::string& path) { return fs::absolute(path).string(); });
  };
  change(run.scratch);
  change(run.persistent);
  change(run.save);
  std::ranges::for_each(run.supers, change);
  return run;
}

/// Whether a run that was killed, or still goes on, has used the folder.
bool holds_lock(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / detail::lock_name, ignored);
}

}  // namespace

CheckpointFolder::CheckpointFolder(const Job& job, const Hooks& hooks, const Results& results,
                                   const SavedRun* from, bool leads, bool is_new)
    : job_(job),
      hooks_(hooks),
      results_(results),
      folder_(fs::absolute(job.run.checkpoint_folder)),
      is_ours_(is_new || from != nullptr || holds_lock(folder_)),
      last_seconds_(base::now_seconds()) {
  std::error_code status;
  fs::create_directories(folder_, status);
  if (status)
    throw Error(Errc::io, fmt::format("cannot make the folder {} for checkpoints: {}",
                                      folder_.string(), status.message()));
  if (leads) lock();
  check_found(from);
}

CheckpointFolder::~CheckpointFolder() {
  if (!lock_) return;
  detail::remove_parts(folder_);
  lock_.reset();
  std::error_code ignored;
  if (is_ours_) fs::remove(folder_, ignored);  // only if it is empty
}

void CheckpointFolder::lock() {
  const fs::path file = folder_ / detail::lock_name;
  auto lock = store::FileLock::try_take(file);
  if (!lock)
    throw Error(
        Errc::bad_input,
        fmt::format("{} is in use by the run of {}, which writes its checkpoints there; wait until "
                    "that run ends, or choose another folder with --checkpoint-dir",
                    folder_.string(), store::describe_holder(file)));
  lock_.emplace(std::move(*lock));
}

void CheckpointFolder::check_found(const SavedRun* from) {
  if (from != nullptr && !fs::exists(fs::path(from->place.folder) / detail::manifest_name))
    throw Error(Errc::bad_input,
                fmt::format("{} no longer exists: another run has resumed from it or removed it",
                            from->place.folder));
  const auto found = detail::complete_checkpoints(folder_);
  const bool is_ours =
      from != nullptr && fs::equivalent(folder_, fs::path(from->place.folder).parent_path());
  if (!found.empty() && !is_ours)
    throw Error(Errc::bad_input,
                fmt::format("{} holds the checkpoints of another run: resume that run (blockyard "
                            "resume {}), remove the folder, or choose another one with "
                            "--checkpoint-dir",
                            folder_.string(), folder_.string()));
  if (!found.empty()) number_ = found.back();
}

worker::Wish CheckpointFolder::wish(int worker) {
  if (hooks_.ends_after_checkpoint && hooks_.ends_after_checkpoint())
    return worker::Wish::save_and_stop;
  if (hooks_.checkpoint_requests && hooks_.checkpoint_requests() > handled_)
    return worker::Wish::save;
  const auto& seconds = job_.run.checkpoint_seconds;
  const bool is_due = worker == 0 && seconds && base::now_seconds() - last_seconds_ >= *seconds;
  return is_due ? worker::Wish::save : worker::Wish::none;
}

worker::CheckpointPlace CheckpointFolder::begin(bool in_program) {
  in_program_ = in_program;
  fs::path part = path_of(number_ + 1);
  part += detail::part_ending;
  std::error_code status;
  fs::remove_all(part, status);
  fs::create_directory(part, status);
  if (status)
    throw Error(Errc::io, fmt::format("cannot make the folder {} for a checkpoint: {}",
                                      part.string(), status.message()));
  return {part.string(), store::random_checkpoint()};
}

void CheckpointFolder::write(const worker::CheckpointPlace& place, int worker,
                             const std::function<void(worker::RecordSink&)>& write) {
  // Requests of before are answered by this one.
  if (hooks_.checkpoint_requests) handled_ = hooks_.checkpoint_requests();
  const std::string part = worker::worker_file(worker);
  store::CheckpointWriter file(disks_, fs::path(place.folder) / part, {place.id, part});
  FileSink sink(file);
  write(sink);
  file.finish();
}

void CheckpointFolder::finish(const worker::CheckpointPlace& place) {
  write_manifest(place);
  store::sync_folder(place.folder);
  store::rename_durably(place.folder, path_of(number_ + 1));
  ++number_;
  last_seconds_ = base::now_seconds();
  remove_old();
}

void CheckpointFolder::write_manifest(const worker::CheckpointPlace& place) {
  const detail::Progress progress{step_, in_program_, job_.workers, job_.servers};
  store::CheckpointWriter file(disks_, fs::path(place.folder) / detail::manifest_name,
                               {place.id, std::string(detail::manifest_name)});
  const auto add = [&](std::string_view group, std::span<const std::byte> bytes) {
    file.add(file.add_group(group), 0, bytes);
  };
  const std::string about =
      fmt::format("blockyard {}\njob: {}\nprogram {} of {}: {}{}\nworkers: {}\nservers: {}\n",
                  version(), job_.title, step_ + 1, job_.steps.size(), job_.steps[step_].name,
                  in_program_ ? "" : " (not begun)", job_.workers, job_.servers);
  add("about", std::as_bytes(std::span(about)));
  base::FieldWriter out;
  out.fields(progress.step, progress.in_program, progress.workers, progress.servers);
  detail::write_results(out, std::span(results_.steps).first(step_));
  add("progress", out.take());
  add("job", encode(job_, with_absolute_names(job_.run)));
  file.finish();
}

void CheckpointFolder::remove_old() const {
  auto found = detail::complete_checkpoints(folder_);
  for (std::size_t k = 0; k + kept_count < found.size(); ++k) remove_folder(path_of(found[k]));
}

void CheckpointFolder::remove_all() noexcept {
  try {
    for (const std::uint64_t number : detail::complete_checkpoints(folder_))
      remove_folder(path_of(number));
  } catch (const std::exception&) {
    // The run is good; a checkpoint too many does no harm.
  }
}

fs::path CheckpointFolder::path_of(std::uint64_t number) const {
  return folder_ / fmt::format("{}{:06}", detail::checkpoint_prefix, number);
}

std::string CheckpointFolder::stop_text() const {
  return fmt::format(
      "the run was asked to stop; to continue from its checkpoint: blockyard resume {}",
      folder_.string());
}

}  // namespace blockyard::job
