// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace blockyard::blas {

namespace {

std::string json_of(const Report::Key& key, const Report::Sum& sum) {
  const CallClass& what = key.what;
  std::string text = fmt::format(
      "{{\"routine\": \"{}\", \"shape\": \"{}\", \"threads\": {}, \"flops_power\": {}, "
      "\"intensity_power\": {}, \"place\": \"{}\", \"why\": \"{}\", \"calls\": {:.0f}, "
      "\"flops\": {:.0f}, \"bytes\": {:.0f}, \"kept\": {:.0f}, \"kept_bytes\": {:.0f}, "
      "\"seconds\": {:.6f}",
      what.routine, sum.shape, what.threads, what.size, what.intensity,
      key.place == Report::Place::here ? "local" : "remote", key.why, sum.calls, sum.flops,
      sum.bytes, sum.kept, sum.kept_bytes, sum.seconds);
  const CallSplit& split = sum.split;
  text += fmt::format(
      ", \"to_server\": {:.6f}, \"to_device\": {:.6f}, \"plan\": {:.6f}, \"compute\": {:.6f}, "
      "\"from_device\": {:.6f}, \"from_server\": {:.6f}, \"compared\": {:.0f}, "
      "\"saved_seconds\": {:.6f}}}",
      split.to_server, split.to_device, split.plan, split.compute, split.from_device,
      split.from_server, sum.compared, sum.saved_seconds);
  return text;
}

}  // namespace

Report::Sum& Report::add(const Key& key, const Entry& entry) {
  Sum& sum = sums_[key];
  if (entry.flops > sum.most_flops) {
    sum.most_flops = entry.flops;
    sum.shape = entry.shape;
  }
  sum.calls += 1;
  sum.flops += entry.flops;
  sum.bytes += entry.bytes;
  sum.seconds += entry.seconds;
  sum.kept += entry.kept;
  sum.kept_bytes += entry.kept_bytes;
  if (key.place == Place::there && entry.local_seconds > 0) {
    sum.compared += 1;
    sum.saved_seconds += entry.local_seconds - entry.seconds;
  }
  return sum;
}

void Report::add(Sum& sum, const CallSplit& split) {
  for (double CallSplit::*part :
       {&CallSplit::to_server, &CallSplit::to_device, &CallSplit::plan, &CallSplit::compute,
        &CallSplit::from_device, &CallSplit::from_server})
    sum.split.*part += split.*part;
}

void Report::write(std::string path) const noexcept try {
  if (const std::size_t at = path.find("%p"); at != std::string::npos)
    path.replace(at, 2, std::to_string(::getpid()));
  std::string text = "{\"blockyard_offload_report\": 1, \"routines\": [";
  std::string_view separator;
  for (const auto& [key, sum] : sums_) {
    text += fmt::format("{}\n  {}", separator, json_of(key, sum));
    separator = ",";
  }
  text += "\n], \"checks\": [";
  separator = "";
  for (const auto& [routine, calls] : checked_) {
    const auto wrong = wrong_.find(routine);
    text += fmt::format("{}\n  {{\"routine\": \"{}\", \"calls\": {:.0f}, \"wrong\": {:.0f}}}",
                        separator, routine, calls, wrong == wrong_.end() ? 0 : wrong->second);
    separator = ",";
  }
  text += "\n]}\n";
  std::FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return;
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), file));
  std::fclose(file);
} catch (...) {  // a program ends as it would have without it
}

}  // namespace blockyard::blas
