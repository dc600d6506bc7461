// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/code_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace blockyard::ga {

namespace {

/// The file that the code of `found` was loaded from. For the main program the system has only the
/// word by which it was called, which may have been looked up in PATH or in an earlier folder.
std::string file_of(const Dl_info& found) {
  const auto* headers = reinterpret_cast<const void*>(::getauxval(AT_PHDR));
  Dl_info main{};
  std::error_code error;
  if (dladdr(headers, &main) != 0 && main.dli_fbase == found.dli_fbase) {
    const auto file = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) return file.string();
  }
  return found.dli_fname;
}

/// Starts a program, found in PATH, that prints into `output`. No shell reads its arguments.
bool start(const std::vector<std::string>& words, int output, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int status =
      ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

/// What a program prints on standard output; "" if it cannot be started.
std::string output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  pid_t child = 0;
  const bool is_started = start(words, ends[1], child);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  while (is_started) {
    const ssize_t got = ::read(ends[0], part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  while (is_started && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

}  // namespace

std::string code_place(void* place) {
  Dl_info found{};
  if (place == nullptr || dladdr(place, &found) == 0 || found.dli_fname == nullptr) return "\t0";
  const auto* header = static_cast<const Elf64_Ehdr*>(found.dli_fbase);
  const auto at = reinterpret_cast<std::uintptr_t>(place) - 1;  // in the call, not after it
  const auto begin = reinterpret_cast<std::uintptr_t>(found.dli_fbase);
  return fmt::format("{}\t{:#x}", file_of(found), header->e_type == ET_DYN ? at - begin : at);
}

std::map<std::string, std::string> lines_of(const std::vector<std::string>& places) {
  constexpr std::size_t at_once = 400;
  std::map<std::string, std::string> lines;
  std::map<std::string, std::vector<std::string>> addresses;  // by file of code
  for (const std::string& place : places) {
    lines[place] = "";
    const std::size_t tab = place.rfind('\t');
    if (tab > 0) addresses[place.substr(0, tab)].push_back(place.substr(tab + 1));
  }
  for (const auto& [file, all] : addresses)
    for (std::size_t from = 0; from < all.size(); from += at_once) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end =
          all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), from + at_once));
      std::vector<std::string> words = {"addr2line", "-s", "-e", file};
      words.insert(words.end(), begin, end);
      std::istringstream answer(output_of(words));
      std::string line;
      for (auto at = begin; at != end && std::getline(answer, line); ++at) {
        const std::string text = line.substr(0, line.find(' '));
        if (!text.starts_with("??") && !text.ends_with(":0") && !text.ends_with(":?"))
          lines[file + '\t' + *at] = text;
      }
    }
  return lines;
}

}  // namespace blockyard::ga
