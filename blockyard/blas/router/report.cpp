// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace blockyard::blas {

void Report::add(const std::string& routine, Place place, double flops, double bytes,
                 double seconds) {
  Sum& sum = sums_[{routine, place}];
  sum.calls += 1;
  sum.flops += flops;
  sum.bytes += bytes;
  sum.seconds += seconds;
}

void Report::write(std::string path) const noexcept try {
  if (const std::size_t at = path.find("%p"); at != std::string::npos)
    path.replace(at, 2, std::to_string(::getpid()));
  std::string text = "{\"routines\": [";
  std::string_view separator;
  for (const auto& [key, sum] : sums_) {
    const auto& [routine, place] = key;
    text += fmt::format(
        "{}\n  {{\"routine\": \"{}\", \"place\": \"{}\", \"calls\": {:.0f}, \"flops\": {:.0f}, "
        "\"bytes\": {:.0f}, \"seconds\": {:.6f}}}",
        separator, routine, place == Place::here ? "local" : "remote", sum.calls, sum.flops,
        sum.bytes, sum.seconds);
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
