// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/detail/checkpoint_names.h"
#include "blockyard/job/job_bytes.h"

namespace blockyard::job {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

namespace detail {

namespace {

/// The number in "checkpoint-000007" and what follows it.
std::optional<std::pair<std::uint64_t, std::string_view>> read_name(std::string_view name) {
  if (!name.starts_with(checkpoint_prefix)) return std::nullopt;
  name.remove_prefix(checkpoint_prefix.size());
  std::uint64_t number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data(), last, number);
  if (error != std::errc()) return std::nullopt;
  return std::pair(number, std::string_view(end, last));
}

}  // namespace

std::vector<std::uint64_t> complete_checkpoints(const fs::path& folder) {
  std::vector<std::uint64_t> numbers;
  std::error_code status;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, status)) {
    const std::string name = entry.path().filename().string();
    const auto found = read_name(name);
    if (found && found->second.empty()) numbers.push_back(found->first);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void remove_parts(const fs::path& folder) noexcept {
  try {
    std::vector<fs::path> parts;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const auto found = read_name(name);
      if (found && found->second == part_ending) parts.push_back(entry.path());
    }
    std::error_code ignored;
    for (const fs::path& part : parts) fs::remove_all(part, ignored);
  } catch (const std::exception&) {
    // They only take room on disk.
  }
}

void write_results(base::FieldWriter& out, std::span<const StepResult> steps) {
  out.each(steps, [&](const StepResult& step) {
    out.fields(step.name, step.seconds, step.warnings, step.outcome.ints, step.outcome.scalars,
               step.outcome.complex_scalars, step.outcome.warnings);
    out.field(std::uint64_t{step.outcome.arrays.size()});
    for (const auto& [name, array] : step.outcome.arrays)
      out.fields(name, array.extents, array.values, array.type);
  });
}

std::vector<StepResult> read_results(base::FieldReader& in) {
  std::vector<StepResult> steps;
  in.each(steps, [&](StepResult& step) {
    in.fields(step.name, step.seconds, step.warnings, step.outcome.ints, step.outcome.scalars,
              step.outcome.complex_scalars, step.outcome.warnings);
    std::uint64_t count = 0;
    for (in.field(count); count > 0; --count) {
      std::string name;
      in.field(name);
      worker::DenseArray& array = step.outcome.arrays[name];
      in.fields(array.extents, array.values, array.type);
    }
  });
  return steps;
}

}  // namespace detail

namespace {

/// Why there is none, if that can be told.
std::string_view reason_of(const fs::path& folder) {
  std::error_code failed;
  const fs::file_status status = fs::status(folder, failed);
  if (status.type() == fs::file_type::not_found) return ": there is no such folder";
  if (!failed && status.type() != fs::file_type::directory) return ": it is not a folder";
  if (fs::exists(folder / detail::lock_name, failed))
    return ": the run that began there completed none; start it again";
  return "";
}

fs::path newest(const fs::path& folder) {
  if (fs::exists(folder / detail::manifest_name)) return folder;
  const auto found = detail::complete_checkpoints(folder);
  if (found.empty())
    throw Error(Errc::bad_input,
                fmt::format("no complete checkpoint in {}{}", folder.string(), reason_of(folder)));
  return folder / fmt::format("{}{:06}", detail::checkpoint_prefix, found.back());
}

std::vector<std::byte> record(const store::CheckpointReader& file, std::string_view group) {
  for (const store::CheckpointRecord& candidate : file.records())
    if (file.groups()[candidate.group] == group) return file.read(candidate);
  throw Error(Errc::bad_input, fmt::format("the checkpoint has no record '{}'", group));
}

/// The numbers below `count`, from `first` on, of the files that this process reads for all.
std::vector<int> share_of(fabric::MpiSession* session, int first, int count) {
  const int process = session == nullptr ? 0 : session->process();
  const int processes = session == nullptr ? 1 : session->processes();
  std::vector<int> share;
  for (int number = process; number < count; number += processes)
    if (number >= first) share.push_back(number);
  return share;
}

/// Reads the directory of each part of the share: it must be there, whole, and of this checkpoint.
void check_parts(store::Store& disks, const SavedRun& saved, fabric::MpiSession* session) {
  const auto check = [&](const std::string& part) {
    const store::CheckpointReader file(disks, fs::path(saved.place.folder) / part,
                                       {saved.place.id, part});
  };
  for (const int worker : share_of(session, 0, saved.workers)) check(worker::worker_file(worker));
  for (const int server : share_of(session, 0, saved.servers)) check(worker::server_file(server));
}

SavedRun open_one(const fs::path& path, fabric::MpiSession* session) {
  store::PosixStore disks;
  const store::CheckpointReader manifest(disks, path / detail::manifest_name);
  SavedRun saved;
  saved.place = {path.string(), manifest.stamp().checkpoint};
  const auto bytes = record(manifest, "progress");
  base::FieldReader in(bytes);
  detail::Progress progress;
  in.fields(progress.step, progress.in_program, progress.workers, progress.servers);
  saved.step = progress.step;
  saved.in_program = progress.in_program;
  saved.workers = progress.workers;
  saved.servers = progress.servers;
  saved.done = detail::read_results(in);
  check_parts(disks, saved, session);
  saved.job = decode_job(record(manifest, "job"));
  saved.job.run.checkpoint_folder = path.parent_path().string();
  if (saved.step >= saved.job.steps.size() || saved.done.size() != saved.step)
    throw Error(Errc::bad_input, fmt::format("{} is not a valid checkpoint", path.string()));
  return saved;
}

/// Without the parts "." and "..", and without a slash at the end: the name of its last part is
/// then that of the folder, and what is left that of the folder around it.
fs::path plain(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// That there is another checkpoint beside this one, if there is.
std::string hint_of_others(const fs::path& path) {
  std::string hint;
  for (const std::uint64_t number : detail::complete_checkpoints(path.parent_path())) {
    const fs::path other =
        path.parent_path() / fmt::format("{}{:06}", detail::checkpoint_prefix, number);
    if (other != path) hint = fmt::format("; there is also {}", other.string());
  }
  return hint;
}

}  // namespace

fs::path find_checkpoint(const fs::path& folder, fabric::MpiSession* session) {
  const auto bytes = fabric::share(session, [&] {
    const std::string path = plain(newest(folder)).string();
    const auto letters = std::as_bytes(std::span(path));
    return std::vector<std::byte>(letters.begin(), letters.end());
  });
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

SavedRun open_checkpoint(const fs::path& checkpoint, fabric::MpiSession* session) {
  const fs::path path = plain(checkpoint);
  SavedRun saved;
  fabric::agree(session, [&] {
    try {
      saved = open_one(path, session);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}{}", error.what(), hint_of_others(path)));
    }
  });
  return saved;
}

std::string last_checkpoint_hint(const std::string& folder) {
  if (folder.empty() || detail::complete_checkpoints(folder).empty()) return "";
  return fmt::format("to continue from its last checkpoint: blockyard resume {}", folder);
}

namespace {

/// The same total number of workers as before, if possible.
void choose_ranks(SavedRun& saved, const input::RunSpec& wanted, const ProcessCount& processes) {
  const int to_serve = processes.all > 1 ? wanted.servers.value_or(0) : 0;
  const int to_work = std::max(1, processes.all - to_serve);
  const std::optional<int> servers =
      processes.all > 1 || wanted.servers ? wanted.servers : std::optional(saved.servers);
  if (!wanted.workers && saved.workers % to_work != 0)
    throw Error(Errc::bad_input,
                fmt::format("{} workers cannot be divided evenly among {} processes: set -w, or "
                            "use another number of processes",
                            saved.workers, to_work));
  set_ranks(saved.job, wanted.workers.value_or(saved.workers / to_work), servers, processes);
}

/// Compares the workers of the share with the first one: two files are open at a time, however many
/// there are. A single worker may hold parts of sums.
std::vector<std::string> live_differences(const SavedRun& saved, fabric::MpiSession* session) {
  const program::Program& program = saved.job.steps[saved.step].program;
  std::vector<std::string> names;
  for (const int worker : share_of(session, std::min(1, saved.workers - 1), saved.workers)) {
    SavedWorker first(saved, 0);
    SavedWorker other(saved, worker);
    std::vector<worker::RecordSource*> sources = {&first};
    if (worker > 0) sources.push_back(&other);
    for (std::string& name : worker::live_differences(program, sources))
      names.push_back(std::move(name));
  }
  return names;
}

/// Collective.
void refuse_differences(const SavedRun& saved, fabric::MpiSession* session) {
  base::FieldWriter mine;
  fabric::agree(session, [&] { mine.field(live_differences(saved, session)); });
  using Parts = std::vector<std::vector<std::byte>>;
  const Parts parts = session == nullptr ? Parts{mine.take()} : session->gather(mine.take());
  fabric::agree(session, [&] {
    std::set<std::string> all;
    for (const auto& part : parts) {
      std::vector<std::string> names;
      base::FieldReader(part).field(names);
      all.insert(names.begin(), names.end());
    }
    if (!all.empty())
      throw Error(
          Errc::bad_input,
          fmt::format("{} was written by {} workers, and each holds a different value of {} "
                      "(perhaps a partial sum): only {} workers can resume from it: -w {}",
                      saved.place.folder, saved.workers, fmt::join(all, ", "), saved.workers,
                      saved.workers));
  });
}

void change_run(SavedRun& saved, const input::RunSpec& wanted, const ProcessCount& processes) {
  Job& job = saved.job;
  input::RunSpec& run = job.run;
  choose_ranks(saved, wanted, processes);
  if (wanted.memory_bytes) run.memory_bytes = wanted.memory_bytes;
  if (!wanted.scratch.empty()) run.scratch = wanted.scratch;
  if (wanted.seed) run.seed = wanted.seed;
  if (!wanted.checkpoint_folder.empty()) run.checkpoint_folder = wanted.checkpoint_folder;
  if (wanted.checkpoint_seconds) run.checkpoint_seconds = wanted.checkpoint_seconds;
  job.memory = plan(job);
}

}  // namespace

void change_ranks(SavedRun& saved, const input::RunSpec& wanted, const ProcessCount& processes,
                  fabric::MpiSession* session) {
  fabric::agree(session, [&] { change_run(saved, wanted, processes); });
  if (saved.job.workers != saved.workers) refuse_differences(saved, session);
}

SavedWorker::SavedWorker(const SavedRun& saved, int worker)
    : file_(disks_,
            fs::path(saved.place.folder) / worker::worker_file(worker < saved.workers ? worker : 0),
            {saved.place.id, worker::worker_file(worker < saved.workers ? worker : 0)}) {}

const store::CheckpointRecord& SavedWorker::advance() {
  if (at_ == file_.records().size())
    throw Error(Errc::bad_input, "the state of a worker in the checkpoint is too short");
  return file_.records()[at_++];
}

std::vector<std::byte> SavedWorker::next() { return file_.read(advance()); }

void SavedWorker::next(std::span<std::byte> into) {
  const store::CheckpointRecord& record = advance();
  if (record.bytes != into.size())
    throw Error(Errc::bad_input, "the state of a worker in the checkpoint has the wrong length");
  file_.read(record, into);
}

}  // namespace blockyard::job
