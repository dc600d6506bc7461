// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/edge.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "blockyard/base/error.h"

namespace blockyard::ga {

namespace {

thread_local Call call_of_thread;

/// GA_Zero, NGA_Zero and NGA_Zero64 are one.
std::string_view bare(std::string_view name) {
  if (const auto at = name.find('_'); at != std::string_view::npos && at <= 3)
    name.remove_prefix(at + 1);
  if (name.ends_with("64")) name.remove_suffix(2);
  return name;
}

int own_rank() noexcept {
  const auto& runtime = edge().runtime;
  return runtime ? runtime->memory().rank() : 0;
}

/// What addr2line is asked for: addresses of a shared object or a movable program count from where
/// it was loaded.
std::uintptr_t place_in_file(void* place, const Dl_info& found) {
  const auto* header = static_cast<const Elf64_Ehdr*>(found.dli_fbase);
  const auto at = reinterpret_cast<std::uintptr_t>(place) - 1;  // in the call, not after it
  return header->e_type == ET_DYN ? at - reinterpret_cast<std::uintptr_t>(found.dli_fbase) : at;
}

}  // namespace

Edge& edge() noexcept {
  static Edge* const only = new Edge;  // outlives everything: calls may come from exit handlers
  return *only;
}

garray::Runtime& runtime() {
  if (!edge().runtime) garray::refuse("GA_Initialize was not called, or GA_Terminate was");
  return *edge().runtime;
}

const Call& current_call() noexcept { return call_of_thread; }

void begin_call(const Call& call) noexcept { call_of_thread = call; }

std::string line_of(void* place) {
  Dl_info found{};
  if (place == nullptr || dladdr(place, &found) == 0 || found.dli_fname == nullptr) return "";
  const std::string command = fmt::format("addr2line -s -e '{}' {:#x} 2>/dev/null", found.dli_fname,
                                          place_in_file(place, found));
  std::FILE* answer = popen(command.c_str(), "r");
  if (answer == nullptr) return "";
  std::array<char, 300> line{};
  const bool is_there = std::fgets(line.data(), line.size(), answer) != nullptr;
  pclose(answer);
  std::string text = is_there ? line.data() : "";
  text = text.substr(0, text.find_first_of(" \n"));
  return text.starts_with("??") || text.ends_with(":0") || text.ends_with(":?") ? "" : text;
}

void end_job(const std::exception& error) noexcept {
  const Call& call = current_call();
  std::string text = error.what();
  if (!text.starts_with("(") && !text.starts_with(":")) text = ": " + text;
  const std::string line = line_of(call.caller);
  std::fflush(stdout);
  std::fputs(
      fmt::format("[{}] {}{}{}{}\n", own_rank(), call.name, text, line.empty() ? "" : ", ", line)
          .c_str(),
      stderr);
  std::fflush(stderr);
  if (edge().runtime) edge().runtime->memory().abort(text);
  abort_all(1);
}

void end_job(const char* text, long code) noexcept {
  std::fflush(stdout);
  std::fputs(fmt::format("{}: {} {}\n", own_rank(), text == nullptr ? "" : text, code).c_str(),
             stderr);
  std::fflush(stderr);
  abort_all(code > 0 && code < 126 ? static_cast<int>(code) : 1);
}

Met::Met(const garray::Array* array) {
  const std::string_view name = current_call().name;
  tag_ = std::hash<std::string_view>{}(bare(name)) | 1U;
  text_ = name;
  if (array == nullptr) return;
  tag_ = (tag_ * 31 + array->id) | 1U;
  text_ += "(\"";
  text_ += array->name;
  text_ += "\")";
}

}  // namespace blockyard::ga
