// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/watch.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <chrono>
#include <cstdio>
#include <new>

#include "blockyard/ga/code_place.h"
#include "blockyard/ga/edge.h"

namespace blockyard::ga {

namespace {

constexpr int looks_in_patience = 6;

const char* library_begin() noexcept {
  static const char* const begin = [] {
    Dl_info found{};
    dladdr(reinterpret_cast<const void*>(&library_begin), &found);
    return static_cast<const char*>(found.dli_fbase);
  }();
  return begin;
}

/// How far the program was moved when it was loaded.
const char* program_begin() noexcept {
  static const char* const begin = [] {
    const char* first = nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
          *static_cast<const char**>(to) = reinterpret_cast<const char*>(object->dlpi_addr);
          return 1;  // the program is the first one
        },
        &first);
    return first;
  }();
  return begin;
}

/// A text of this library by its place in it; another process has it at the same place.
std::string name_at(std::int64_t place) {
  return place == 0 ? "no call yet" : std::string(library_begin() + place);
}

}  // namespace

Watch::Watch(fabric::Memory& memory, std::optional<double> seconds) : memory_(memory) {
  // Programs that differ have names at other places.
  std::int64_t code[2] = {reinterpret_cast<const char*>(&lines_of) - library_begin(), 0};
  code[1] = -code[0];
  memory.reduce(fabric::Memory::everyone, fabric::Element::i64, fabric::Reduction::max, code, 2);
  if (code[0] != -code[1] || memory.size() == 1) return;
  posts_ = memory.allocate(fabric::Memory::everyone, sizeof(Post)).region;
  if (posts_ < 0) return;
  post_ = new (memory.reach(posts_, memory.rank()))
      Post{.library = library_begin(), .program = program_begin()};
  memory.barrier(fabric::Memory::everyone);
  if (memory.rank() != 0 || !seconds) return;
  seconds_ = *seconds;
  seen_.resize(static_cast<std::size_t>(memory.size()));
  thread_ = std::thread([this] { watch(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watch::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
  post_ = nullptr;
  if (posts_ >= 0) memory_.release(posts_);
  posts_ = -1;
}

void Watch::watch() {
  const std::chrono::duration<double> between(seconds_ / looks_in_patience);
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, between, [&] { return is_ending_; })) look();
}

Watch::Seen Watch::read(int rank) const {
  const auto& post = *reinterpret_cast<const Post*>(memory_.reach(posts_, rank));
  const char* name = post.name.load();
  const auto bytes = [](const void* at, const char* begin) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(at) -
                                     reinterpret_cast<std::intptr_t>(begin));
  };
  return {.steps = post.steps.load(),
          .name = name == nullptr ? 0 : bytes(name, post.library),
          .place = bytes(post.place.load(), post.program)};
}

void Watch::look() {
  bool is_someone_outside = false;
  for (int rank = 0; rank < memory_.size(); ++rank) {
    if (memory_.reach(posts_, rank) == nullptr) continue;  // on another node
    Seen& seen = seen_[static_cast<std::size_t>(rank)];
    const Seen now = read(rank);
    if (seen.steps != now.steps) seen = now;
    ++seen.looks;
    if (seen.steps % 2 == 0 || seen.name != seen_[0].name) is_someone_outside = true;
  }
  if (!is_someone_outside) return;
  for (int rank = 0; rank < memory_.size(); ++rank) {
    Seen& seen = seen_[static_cast<std::size_t>(rank)];
    if (seen.steps % 2 == 0 || seen.is_told || seen.looks <= looks_in_patience) continue;
    tell(rank);
    for (Seen& other : seen_)
      if (other.steps % 2 == 1 && other.name == seen.name) other.is_told = true;
  }
}

std::string Watch::where(int rank) const {
  const Seen& seen = seen_[static_cast<std::size_t>(rank)];
  std::string text = name_at(seen.name);
  Dl_info found{};
  const char* place = program_begin() + seen.place;
  if (seen.name != 0 && dladdr(place, &found) != 0)
    if (const std::string line = line_of(const_cast<char*>(place)); !line.empty())
      text += ", " + line;
  return text;
}

void Watch::tell(int rank) const {
  constexpr std::size_t most_told = 16;
  const Seen& waiting = seen_[static_cast<std::size_t>(rank)];
  std::vector<int> same;
  std::vector<std::string> others;
  for (std::size_t r = 0; r < seen_.size(); ++r) {
    if (memory_.reach(posts_, static_cast<int>(r)) == nullptr) continue;
    if (seen_[r].steps % 2 == 1 && seen_[r].name == waiting.name)
      same.push_back(static_cast<int>(r));
    else if (others.size() < most_told)
      others.push_back(fmt::format("  [{}] {} {}\n", r,
                                   seen_[r].steps % 2 == 1 ? "is in" : "is computing, last in",
                                   where(static_cast<int>(r))));
  }
  std::fputs(fmt::format("Global Arrays: for {:g} seconds in {}: [{}]; not there:\n{}", seconds_,
                         where(rank), fmt::join(same, " "), fmt::join(others, ""))
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace blockyard::ga
