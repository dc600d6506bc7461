// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace blockyard::blas {

namespace {

constexpr std::string_view types = "sdcz";

}  // namespace

void Report::add(char type, Place place, double flops, double bytes, double seconds) noexcept {
  Sum& sum = sums_[types.find(type)][static_cast<std::size_t>(place)];
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
  for (std::size_t type = 0; type < types.size(); ++type)
    for (const Place place : {Place::here, Place::there}) {
      const Sum& sum = sums_[type][static_cast<std::size_t>(place)];
      if (sum.calls == 0) continue;
      text += fmt::format(
          "{}\n  {{\"routine\": \"{}gemm\", \"place\": \"{}\", \"calls\": {:.0f}, \"flops\": "
          "{:.0f}, "
          "\"bytes\": {:.0f}, \"seconds\": {:.6f}}}",
          separator, types[type], place == Place::here ? "local" : "remote", sum.calls, sum.flops,
          sum.bytes, sum.seconds);
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
