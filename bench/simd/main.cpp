// SPDX-License-Identifier: Apache-2.0
// See README.md: what do masks, alignment and registers bring to loops shorter than a few vectors?
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"

namespace blockyard::bench {
namespace {

void print(const std::vector<Experiment>& experiments) {
  for (const Experiment& one : experiments) {
    fmt::print(stderr, "\n{}\n", one.name);
    for (const Timing& timing : one.ways) {
      const double speedup = one.ways.front().seconds / timing.seconds;
      fmt::print(stderr, "  {:44} {:12.4g} s {:7.2f}\n", timing.way, timing.seconds, speedup);
      const nlohmann::ordered_json record = {
          {"bench", "simd"},           {"case", one.name + ": " + timing.way},
          {"seconds", timing.seconds}, {"speedup", speedup},
          {"machine", machine()},      {"commit", commit()}};
      fmt::print("{}\n", record.dump());
    }
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  using namespace blockyard::bench;
  if (!__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    fmt::print(stderr, "simd_bench: this processor has no AVX-512; nothing is measured\n");
    return 0;
  }
  const int rounds = argc > 1 && std::strcmp(argv[1], "--quick") == 0 ? 5 : 30;
  fmt::print(stderr, "seconds of one execution, and how many times faster than the first way\n");
  print(short_loops(rounds));
  print(small_matrices(rounds));
  print(mandelbrot(rounds / 3));
  return 0;
}
