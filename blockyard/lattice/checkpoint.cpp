// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"

namespace blockyard::lattice {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

namespace {

constexpr std::uint32_t format = 7;
constexpr std::string_view part_name = "lattice";
constexpr std::string_view prefix = "lattice-";
constexpr std::string_view lock_name = "lock";
constexpr std::size_t kept_count = 2;
enum Group : std::uint32_t { head_group, walker_group, unit_group, groups };

std::pair<std::uint32_t, std::uint64_t> name_of(const store::CheckpointRecord* record) {
  return {record->group, record->number};
}

/// The numbers of complete checkpoints, smallest first.
std::vector<std::uint64_t> complete(const fs::path& folder) {
  std::vector<std::uint64_t> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, number);
    if (error == std::errc() && at == end) found.push_back(number);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

CheckpointOut::CheckpointOut(const fs::path& path)
    : file_(disks_, path, {store::random_checkpoint(), std::string(part_name)}),
      head_(file_.add_group("head")),
      walkers_(file_.add_group("walkers")),
      units_(file_.add_group("units")) {}

void CheckpointOut::write_head(const SavedHead& head) {
  base::FieldWriter out;
  out.fields(format, head.file, head.source, head.output, head.options, head.exact.g4,
             head.exact.green, head.exact.sign, head.units, head.walkers, head.averages,
             head.outer);
  file_.add(head_, 0, out.take());
}

void CheckpointOut::write_walker(std::int64_t number, std::span<const std::byte> state) {
  file_.add(walkers_, static_cast<std::uint64_t>(number), state);
}

void CheckpointOut::write_unit(std::int64_t unit, std::span<const std::byte> sums) {
  file_.add(units_, static_cast<std::uint64_t>(unit), sums);
}

CheckpointIn::CheckpointIn(const fs::path& path) : path_(path), file_(disks_, path) {
  const auto refuse = [&](std::string_view why) {
    throw Error(Errc::bad_input, fmt::format("{}: {}", path.string(), why));
  };
  if (file_.stamp().part != part_name || file_.groups().size() != groups)
    refuse("it is not a checkpoint of a simulation");
  for (const store::CheckpointRecord& one : file_.records()) by_name_.push_back(&one);
  std::ranges::sort(by_name_, {}, name_of);
  std::uint32_t found = 0;
  const std::vector<std::byte> bytes = file_.read(record(head_group, 0));
  base::FieldReader fields(bytes);
  fields.field(found);
  if (found != format)
    refuse(fmt::format(
        "its format is {}, but this Blockyard reads {}: resume it with the version that wrote it",
        found, format));
  fields.fields(head_.file, head_.source, head_.output, head_.options, head_.exact.g4,
                head_.exact.green, head_.exact.sign, head_.units, head_.walkers, head_.averages,
                head_.outer);
}

const store::CheckpointRecord& CheckpointIn::record(std::uint32_t group,
                                                    std::int64_t number) const {
  const std::pair name(group, static_cast<std::uint64_t>(number));
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (found != by_name_.end() && name_of(*found) == name) return **found;
  throw Error(Errc::bad_input,
              fmt::format("{}: a part of the checkpoint is missing", path_.string()));
}

std::vector<std::byte> CheckpointIn::walker(std::int64_t number) const {
  return file_.read(record(walker_group, number));
}

void CheckpointIn::unit(std::int64_t unit, std::span<std::byte> into) const {
  const store::CheckpointRecord& found = record(unit_group, unit);
  if (found.bytes != into.size())
    throw Error(Errc::bad_input, fmt::format("{}: a unit of G4 has {} bytes and not {}",
                                             path_.string(), found.bytes, into.size()));
  file_.read(found, into);
}

CheckpointFolder::CheckpointFolder(fs::path folder, const std::string& from)
    : folder_(fs::absolute(folder)), saved_at_(base::now_seconds()) {
  std::error_code status, ignored;
  is_ours_ = fs::create_directories(folder_, status) || !from.empty() ||
             fs::exists(folder_ / lock_name, ignored);  // of a run that was killed
  if (status)
    throw Error(Errc::io, fmt::format("cannot make the folder {} for checkpoints: {}",
                                      folder_.string(), status.message()));
  auto lock = store::FileLock::try_take(folder_ / lock_name);
  if (!lock)
    throw Error(
        Errc::bad_input,
        fmt::format("{} is in use by the run of {}, which writes its checkpoints there; wait until "
                    "that run ends, or choose another folder with --checkpoint-dir",
                    folder_.string(), store::describe_holder(folder_ / lock_name)));
  lock_.emplace(std::move(*lock));
  const auto found = complete(folder_);
  const bool is_ours =
      !from.empty() && fs::equivalent(folder_, fs::absolute(from).parent_path(), status);
  if (!found.empty() && !is_ours)
    throw Error(Errc::bad_input,
                fmt::format("{} holds the checkpoints of another run: resume that run (blockyard "
                            "resume {}), remove the folder, or choose another one with "
                            "--checkpoint-dir",
                            folder_.string(), folder_.string()));
  if (!found.empty()) number_ = found.back();
}

CheckpointFolder::~CheckpointFolder() {
  lock_.reset();
  std::error_code ignored;
  if (is_ours_) fs::remove(folder_, ignored);  // only if it is empty
}

fs::path CheckpointFolder::path_of(std::uint64_t number) const {
  return folder_ / fmt::format("{}{:06}", prefix, number);
}

fs::path CheckpointFolder::part() const {
  fs::path path = path_of(number_ + 1);
  path += ".part";
  return path;
}

void CheckpointFolder::keep() {
  store::rename_durably(part(), path_of(number_ + 1));
  ++number_;
  saved_at_ = base::now_seconds();
  const auto found = complete(folder_);
  std::error_code ignored;
  for (std::size_t k = 0; k + kept_count < found.size(); ++k)
    fs::remove(path_of(found[k]), ignored);
}

void CheckpointFolder::remove_all() noexcept {
  std::error_code ignored;
  for (const std::uint64_t number : complete(folder_)) fs::remove(path_of(number), ignored);
  fs::remove(part(), ignored);
}

std::string newest_checkpoint(const fs::path& path) {
  std::error_code none;
  if (!fs::is_directory(path, none)) {
    const std::string name = path.filename().string();
    return name.starts_with(prefix) && fs::is_regular_file(path, none) ? path.string() : "";
  }
  const auto found = complete(path);
  return found.empty() ? "" : (path / fmt::format("{}{:06}", prefix, found.back())).string();
}

}  // namespace blockyard::lattice
