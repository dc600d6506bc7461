// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/memory_left.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace blockyard::base {

namespace {

namespace fs = std::filesystem;

/// The number after a word at the beginning of a line.
std::optional<std::size_t> number_after(const std::string& path, std::string_view word) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(word) && line.size() > word.size() && line[word.size()] == ' ')
      return std::strtoull(line.c_str() + word.size(), nullptr, 10);
  return std::nullopt;
}

/// Nothing if there is no such file, or it says "max".
std::optional<std::size_t> number_in(const fs::path& path) {
  std::ifstream in(path);
  std::size_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// Of one control group (version 2 or 1); nothing if it has no limit.
std::optional<std::size_t> left_in(const fs::path& group) {
  auto most = number_in(group / "memory.max");
  auto used = number_in(group / "memory.current");
  if (!most) most = number_in(group / "memory.limit_in_bytes");
  if (!used) used = number_in(group / "memory.usage_in_bytes");
  if (!most || !used || *most > std::numeric_limits<std::size_t>::max() / 4) return std::nullopt;
  const auto droppable = number_after(group / "memory.stat", "inactive_file").value_or(0);
  const std::size_t held = *used - std::min(*used, droppable);
  return *most - std::min(*most, held);
}

}  // namespace

MemoryLeft memory_left() {
  MemoryLeft left{std::numeric_limits<std::size_t>::max(), "this machine"};
  std::ifstream in("/proc/meminfo");
  std::string word;
  std::size_t kilobytes = 0;
  while (in >> word) {
    if (word == "MemAvailable:" && in >> kilobytes) left.bytes = kilobytes * 1024;
  }
  const auto judge = [&](const fs::path& group) {
    if (const auto bytes = left_in(group); bytes && *bytes < left.bytes)
      left = {*bytes, "the control group (container) of the process"};
  };
  judge("/sys/fs/cgroup");
  judge("/sys/fs/cgroup/memory");
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto last = line.rfind(':');
    if (last == std::string::npos || last + 2 > line.size()) continue;
    const fs::path below = line.substr(last + 2);
    for (fs::path at = below; !at.empty(); at = at.parent_path()) {
      judge(fs::path("/sys/fs/cgroup") / at);
      judge(fs::path("/sys/fs/cgroup/memory") / at);
    }
  }
  return left;
}

}  // namespace blockyard::base
