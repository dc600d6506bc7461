// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/result_parts.h"

#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

namespace fs = std::filesystem;

store::FileLock claim_parts(const std::string& result) {
  const std::string file = result + ".lock";
  auto lock = store::FileLock::try_take(file);
  if (!lock)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("the run of {} writes {} in parts: wait until it ends, or choose "
                                  "another name for this result",
                                  store::describe_holder(file), result));
  return std::move(*lock);
}

ResultParts::ResultParts(fabric::Fabric& fabric, const std::string& result)
    : fabric_(fabric), result_(result) {
  std::uint64_t id = 0;
  if (fabric.rank() == 0) {
    std::random_device device;
    id = (std::uint64_t{device()} << 32) | device();
    std::error_code status;
    fs::create_directories(result + ".parts", status);
    if (status)
      throw base::Error(base::Errc::io, fmt::format("cannot make the folder {}.parts: {}", result,
                                                    status.message()));
  }
  fabric.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  id_ = fmt::format("{:016x}", id);
}

std::string ResultParts::name(int place) const { return fmt::format("{}-{}.h5", id_, place); }

std::string ResultParts::path(int place) const { return result_ + ".parts/" + name(place); }

std::vector<std::string> ResultParts::names(int places) const {
  std::vector<std::string> all;
  const std::string folder = fs::path(result_).filename().string() + ".parts/";
  for (int place = 0; place < places; ++place) all.push_back(folder + name(place));
  return all;
}

void ResultParts::in_turn(const std::function<void()>& write) const {
  int mine = 0;
  for (int rank = 0; rank < fabric_.rank(); ++rank)
    if (!fabric_.is_remote(rank)) ++mine;
  // As many turns as any process has ranks: the sum over ranks says whether one still waits.
  double waiting = 1;
  for (int turn = 0; waiting > 0; ++turn) {
    if (turn == mine) write();
    waiting = mine > turn ? 1 : 0;
    fabric_.reduce({&waiting, 1});
  }
}

bool ResultParts::is_of_other_run(std::string_view name) const {
  const auto is_of = [](std::string_view text, std::string_view set) {
    return !text.empty() && text.find_first_not_of(set) == text.npos;
  };
  constexpr std::string_view end = ".h5";
  const std::size_t length = id_.size();
  if (name.size() <= length + 1 + end.size() || name[length] != '-' || !name.ends_with(end))
    return false;
  const std::string_view id = name.substr(0, length);
  name.remove_suffix(end.size());
  return id != id_ && is_of(id, "0123456789abcdef") && is_of(name.substr(length + 1), "0123456789");
}

void ResultParts::remove_others() const noexcept {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(result_ + ".parts", ignored))
    if (is_of_other_run(entry.path().filename().string())) fs::remove(entry.path(), ignored);
}

}  // namespace blockyard::lattice
