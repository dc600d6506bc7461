// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/edge.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "blockyard/base/error.h"
#include "blockyard/base/last_words.h"
#include "blockyard/ga/code_place.h"

namespace blockyard::ga {

namespace {

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

}  // namespace

constinit std::atomic<Edge*> only_edge = nullptr;
constinit thread_local Here here = {};

Edge& make_edge() noexcept {
  static Edge* const only = new Edge;  // outlives everything: calls may come from exit handlers
  only_edge.store(only, std::memory_order_release);
  return *only;
}

void refuse_not_initialized() {
  garray::refuse("GA_Initialize was not called, or GA_Terminate was");
}

std::string line_of(void* place) {
  const std::string at = code_place(place);
  return lines_of({at}).at(at);
}

void end_job(const std::exception& error) noexcept {
  const Call& call = current_call();
  std::string text = error.what();
  if (!text.starts_with("(") && !text.starts_with(":")) text = ": " + text;
  const std::string line = line_of(call.caller);
  base::say_last_words(
      fmt::format("[{}] {}{}{}{}\n", own_rank(), call.name, text, line.empty() ? "" : ", ", line));
  if (edge().runtime) edge().runtime->memory().abort(text);
  abort_all(1);
}

void end_job(const char* text, long code) noexcept {
  base::say_last_words(fmt::format("{}: {} {}\n", own_rank(), text == nullptr ? "" : text, code));
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
