// SPDX-License-Identifier: Apache-2.0
// Threads times vectors.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"

namespace blockyard::bench {
namespace {

using Row = void (*)(int, std::int32_t*);

/// Rows dealt guided: half of an even share of what is left at a time.
void run(Row row, int threads, std::vector<std::int32_t>& steps) {
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (;;) {
      int begin = next.load(), end = 0;
      do {
        if (begin >= mandelbrot_side) return;
        end = begin + std::max(1, (mandelbrot_side - begin) / (2 * threads));
      } while (!next.compare_exchange_weak(begin, end));
      for (int j = begin; j < end; ++j) row(j, steps.data() + j * mandelbrot_side);
    }
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
}

}  // namespace

std::vector<Line> mandelbrot(const InstructionSet& set, int rounds) {
  const int all = static_cast<int>(std::max(2U, std::thread::hardware_concurrency()));
  const Row plain = set.scalar().mandelbrot_row, fast = set.by_hand().mandelbrot_row;
  std::vector<std::int32_t> steps(std::size_t{mandelbrot_side} * mandelbrot_side), vectors = steps;
  run(plain, 1, steps);
  run(fast, 1, vectors);
  std::size_t different = 0;  // by rounding, where fused additions are used in one of them only
  for (std::size_t k = 0; k < steps.size(); ++k) different += steps[k] != vectors[k] ? 1 : 0;
  if (different > steps.size() / 100)
    throw std::runtime_error(fmt::format("Mandelbrot: {} points differ", different));
  const auto alone = best_seconds(
      std::max(2, rounds / 3), 2e-3, [&] { run(plain, 1, steps); }, [&] { run(fast, 1, steps); });
  const auto best = best_seconds<wall_seconds>(
      std::max(2, rounds / 3), 2e-3, [&] { run(plain, 1, steps); }, [&] { run(plain, 2, steps); },
      [&] { run(plain, all, steps); }, [&] { run(fast, 1, steps); }, [&] { run(fast, 2, steps); },
      [&] { run(fast, all, steps); });
  const std::string name = "Mandelbrot";
  const double product = best[0] / best[2] * alone[0] / alone[1];
  return {
      {name, "vectors", alone[0], alone[1], "16"},
      {name, "2 threads", best[0], best[1]},
      {name, fmt::format("all {} threads", all), best[0], best[2],
       "62.09 (61 threads), 131.54 (244)"},
      {name, "vectors, 2 threads", best[0], best[4]},
      {name, fmt::format("vectors, all {} threads", all), best[0], best[5], "2067.9 (244 threads)"},
      {name + ": both against the product of both gains", fmt::format("all {} threads", all),
       best[0] / best[5], product, "0.98"}};
}

}  // namespace blockyard::bench
