// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/options.h"

#include <charconv>

namespace blockyard::device::sim {
namespace {

std::uint64_t* field(std::string_view key, Options& options) {
  if (key == "seed") return &options.seed;
  if (key == "memory") return &options.memory;
  if (key == "page") return &options.page;
  if (key == "host_locks") return &options.host_locks;
  if (key == "fail_after") return &options.fail_after;
  if (key == "fail_call") return &options.fail_call;
  if (key == "lose_call") return &options.lose_call;
  if (key == "hang_open") return &options.hang_open;
  if (key == "slow") return &options.slow;
  if (key == "network") return &options.network;
  if (key == "in_place") return &options.in_place;
  if (key == "rate") return &options.rate;
  if (key == "copy_rate") return &options.copy_rate;
  if (key == "plan_time") return &options.plan_time;
  if (key == "compute") return &options.compute;
  return nullptr;
}

}  // namespace

std::string read(std::string_view text, Options& options) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() + (word.size() < text.size() ? 1 : 0));
    if (word.empty()) continue;
    const std::size_t sign = word.find('=');
    std::uint64_t* const value = field(word.substr(0, sign), options);
    if (value == nullptr || sign == std::string_view::npos)
      return "unknown option '" + std::string(word) +
             "'; the simulated device knows seed=, memory=, page=, host_locks=, "
             "fail_after=, fail_call=, lose_call=, hang_open=, slow=, network=, in_place=, rate=, "
             "copy_rate=, "
             "plan_time= and compute=";
    const std::string_view number = word.substr(sign + 1);
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, *value);
    if (error != std::errc{} || stop != end)
      return "option '" + std::string(word) + "' wants a whole number";
  }
  return {};
}

}  // namespace blockyard::device::sim
