// SPDX-License-Identifier: Apache-2.0
// See README.md: what do vectors bring, and what do masks, alignment and registers add?
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>

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

void run(int rounds) {
  fmt::print(stderr, "{:<9} {:<44} {:<34} {:>8}   {}\n", "set", "experiment", "way", "faster",
             "published (Xeon Phi)");
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.is_here()) {
      fmt::print(stderr, "{}: not in this processor\n", set.name);
      continue;
    }
    print("programs", set, programs(set, rounds));
    print("sums of 31 elements", set, sums_of_31(set, rounds));
    print("short loops", set, short_loops(set, rounds));
    print("small matrices", set, small_matrices(set, rounds));
    print("Mandelbrot set", set, mandelbrot(set, rounds));
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    blockyard::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0 ? 3 : 20);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "simd_bench: {}\n", error.what());
    return 1;
  }
}
