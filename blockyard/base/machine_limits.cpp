// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/machine_limits.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace blockyard::base {
namespace {

namespace fs = std::filesystem;

/// The number in a one-line file; nothing for "max" and for a file that does not exist.
std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (!(in >> number)) return std::nullopt;
  return number;
}

/// The number after a key, in a file of lines "key number".
std::optional<std::int64_t> number_of(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::int64_t number = 0;
    if (words >> word && word == key && words >> number) return number;
  }
  return std::nullopt;
}

bool lists(std::string_view text, std::string_view wanted) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (text.substr(0, comma) == wanted) return true;
    if (comma == std::string_view::npos) return false;
    text.remove_prefix(comma + 1);
  }
  return false;
}

/// A control group that limits this process.
struct Group {
  fs::path folder;
  std::string name;
};

struct Mount {
  std::string root;   ///< the group that is mounted
  std::string point;  ///< where
};

/// Where the hierarchy with `controller` is mounted; with "" that of version 2.
std::optional<Mount> mount_of(const std::string& root, std::string_view controller) {
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    // number parent device root point options [tags] - type source options: see proc(5)
    std::istringstream words(line);
    std::string skipped, type, options;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.root >> mount.point;
    while (words >> skipped && skipped != "-") {
    }
    words >> type >> skipped >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller))
      return mount;
  }
  return std::nullopt;
}

/// The group of this process in the hierarchy with `controller`, as /proc/self/cgroup has it.
std::optional<std::string> group_of(const std::string& root, std::string_view controller) {
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : lists(controllers, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The control groups of this process in one hierarchy, the innermost first.
std::vector<Group> groups_with(const std::string& root, std::string_view controller) {
  const auto mount = mount_of(root, controller);
  const auto group = group_of(root, controller);
  if (!mount || !group) return {};
  // A container sees its own group as the root of the mount, under its name outside or inside.
  std::string below = *group;
  if (mount->root != "/" && below.starts_with(mount->root)) below.erase(0, mount->root.size());
  if (below.find("..") != std::string::npos) below.clear();  // outside of what is mounted
  std::vector<Group> groups;
  for (fs::path name = fs::path("/" + below).lexically_normal();; name = name.parent_path()) {
    groups.push_back({root + mount->point + name.string(), name.string()});
    if (name == name.parent_path()) return groups;
  }
}

void keep_least(std::optional<MemoryRoom>& least, std::int64_t bytes, std::string limit) {
  bytes = std::max<std::int64_t>(bytes, 0);
  if (!least || bytes < least->bytes) least = {bytes, std::move(limit)};
}

struct MemoryFiles {
  std::string_view controller;
  std::array<const char*, 2> limits;  ///< "": none
  const char* used;
  const char* droppable;  ///< key in memory.stat
};
constexpr std::array memory_files = {
    MemoryFiles{"", {"memory.max", "memory.high"}, "memory.current", "inactive_file"},
    MemoryFiles{
        "memory", {"memory.limit_in_bytes", ""}, "memory.usage_in_bytes", "total_inactive_file"}};

/// Version 1 says "no limit" with a number near 2^63, rounded down to a page.
constexpr std::int64_t no_limit = std::int64_t{1} << 60;

/// The numbers of /proc/self/statm, in pages: all that is mapped, and data with stacks.
struct Mapped {
  std::int64_t all = 0;
  std::int64_t data = 0;
};

Mapped mapped_pages() {
  std::ifstream in("/proc/self/statm");
  std::int64_t skipped = 0;
  Mapped mapped;
  in >> mapped.all >> skipped >> skipped >> skipped >> skipped >> mapped.data;
  return mapped;
}

std::optional<double> quota_of(const fs::path& folder) {
  std::ifstream in(folder / "cpu.max");  // "max 100000" or "150000 100000"
  double quota = 0;
  double period = 0;
  if (in) {
    if (!(in >> quota >> period)) return std::nullopt;
  } else {
    quota = static_cast<double>(number_in(folder / "cpu.cfs_quota_us").value_or(-1));
    period = static_cast<double>(number_in(folder / "cpu.cfs_period_us").value_or(0));
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

}  // namespace

std::optional<MemoryRoom> machine_memory_room(const std::string& root) {
  const auto kilobytes = number_of(root + "/proc/meminfo", "MemAvailable:");
  if (!kilobytes) return std::nullopt;
  return MemoryRoom{*kilobytes * 1024, "the free memory of this machine"};
}

std::optional<MemoryRoom> group_memory_room(const std::string& root) {
  std::optional<MemoryRoom> least;
  for (const MemoryFiles& files : memory_files)
    for (const Group& group : groups_with(root, files.controller)) {
      const std::int64_t used =
          number_in(group.folder / files.used).value_or(0) -
          number_of(group.folder / "memory.stat", files.droppable).value_or(0);
      for (const char* name : files.limits) {
        const auto limit = number_in(group.folder / name);
        if (limit && *limit < no_limit)
          keep_least(least, *limit - std::max<std::int64_t>(used, 0),
                     "what control group " + group.name + " leaves");
      }
    }
  return least;
}

std::optional<MemoryRoom> process_memory_room() {
  const Mapped mapped = mapped_pages();
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  std::optional<MemoryRoom> least;
  const auto add = [&](__rlimit_resource resource, std::int64_t pages, const char* name) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= static_cast<rlim_t>(no_limit)) return;
    keep_least(least, static_cast<std::int64_t>(limit.rlim_cur) - pages * page, name);
  };
  add(RLIMIT_AS, mapped.all, "what the limit of address space (ulimit -v) leaves");
  add(RLIMIT_DATA, mapped.data, "what the limit of data (ulimit -d) leaves");
  return least;
}

std::vector<std::int32_t> allowed_processors() {
  // The kernel refuses a mask shorter than its own.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
    std::vector<std::int32_t> found;
    for (std::size_t k = 0; k < 8 * bytes; ++k)
      if (CPU_ISSET_S(k, bytes, mask.data())) found.push_back(static_cast<std::int32_t>(k));
    return found;
  }
  return {0};
}

std::optional<int> processor_quota(const std::string& root) {
  std::optional<double> least;
  for (const std::string_view controller : {"", "cpu"})
    for (const Group& group : groups_with(root, controller))
      if (const auto quota = quota_of(group.folder))
        least = std::min(least.value_or(*quota), *quota);
  if (!least) return std::nullopt;
  return static_cast<int>(std::clamp(std::ceil(*least), 1.0, 1e6));
}

int usable_cores() {
  const auto allowed = static_cast<int>(allowed_processors().size());
  return std::max(1, std::min(allowed, processor_quota().value_or(allowed)));
}

}  // namespace blockyard::base
