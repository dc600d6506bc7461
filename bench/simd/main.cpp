// SPDX-License-Identifier: Apache-2.0
// See README.md: what do vectors bring, and what do masks, alignment and registers add?
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"

namespace blockyard::bench {
namespace {

void print(const char* figure, const InstructionSet& set, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    const double speedup = line.base_seconds / line.seconds;
    fmt::print(stderr, "{:<9} {:<44} {:<34} {:8.2f}   {}\n", set.name, line.name, line.way, speedup,
               line.published);
    const nlohmann::ordered_json record = {
        {"bench", "simd"},      {"case", fmt::format("{}: {}: {}", set.name, line.name, line.way)},
        {"figure", figure},     {"row", fmt::format("{}, {}", line.name, line.way)},
        {"column", set.name},   {"seconds", line.seconds},
        {"speedup", speedup},   {"published", line.published},
        {"machine", machine()}, {"commit", commit()}};
    fmt::print("{}\n", record.dump());
  }
  std::fflush(stdout);
}

using Measure = std::vector<Line> (*)(const InstructionSet&, int rounds);
constexpr std::pair<const char*, Measure> figures[] = {
    {"programs", programs},         {"sums of 31 elements", sums_of_31},
    {"short loops", short_loops},   {"small matrices", small_matrices},
    {"Mandelbrot set", mandelbrot}, {"room tensor", room_tensor}};

/// All figures, or the one of that name.
void run(int rounds, std::string_view only) {
  fmt::print(stderr, "{:<9} {:<44} {:<34} {:>8}   {}\n", "set", "experiment", "way", "faster",
             "published (Xeon Phi)");
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.is_here()) {
      fmt::print(stderr, "{}: not in this processor\n", set.name);
      continue;
    }
    for (const auto& [name, measure] : figures)
      if (only.empty() || only == name) print(name, set, measure(set, rounds));
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    const bool is_quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const int first = is_quick ? 2 : 1;
    blockyard::bench::run(is_quick ? 3 : 20, argc > first ? argv[first] : "");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "simd_bench: {}\n", error.what());
    return 1;
  }
}
