// SPDX-License-Identifier: Apache-2.0
// See README.md: how close does a permutation of a block come to a plain copy?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/contract/lines.h"
#include "bench/contract/measure.h"
#include "bench/contract/rounds_main.h"
#include "blockyard/base/buffer.h"
#include "blockyard/tensor/permute.h"

namespace blockyard::bench {
namespace {

using tensor::Extent;
using tensor::Shape;

struct Case {
  std::vector<Extent> extents;
  std::vector<int> to;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{400, 400}, {1, 0}},
      {{1600, 1600}, {1, 0}},
      {{20, 20, 20, 20}, {3, 2, 1, 0}},
      {{20, 20, 20, 20}, {0, 2, 1, 3}},
      {{20, 20, 20, 20}, {2, 3, 0, 1}},
      {{20, 20, 20, 20}, {1, 0, 3, 2}},
      {{40, 40, 40, 40}, {3, 2, 1, 0}},
      {{40, 40, 40, 40}, {0, 2, 1, 3}},
      {{16, 32, 16, 32}, {2, 0, 3, 1}},
      {{30, 30, 30, 30}, {2, 1, 0, 3}},
      {{8, 8, 8, 8, 8, 8}, {5, 3, 1, 0, 2, 4}},
      {{4, 4, 4, 4}, {3, 2, 1, 0}},
      {{4, 4, 4, 4}, {0, 2, 1, 3}},
      {{4, 4, 4, 4}, {1, 0, 3, 2}},
      {{8, 8, 8, 8}, {1, 0, 3, 2}},
      {{10, 10, 10, 10}, {3, 2, 1, 0}},
      {{12, 12, 12, 12}, {0, 3, 2, 1}},
      {{13, 15, 17, 11}, {3, 1, 2, 0}},
      {{16, 16, 16, 16}, {3, 2, 1, 0}},
      {{16, 16, 16, 16}, {2, 3, 0, 1}},
      {{4, 4, 4, 4, 4, 4, 4, 4}, {7, 6, 5, 4, 3, 2, 1, 0}},
  };
  return all;
}

Shape permuted(const Shape& shape, const std::vector<int>& to) {
  std::vector<Extent> extents;
  for (const int from : to) extents.push_back(shape[static_cast<std::size_t>(from)]);
  return Shape(extents);
}

template <class T>
nlohmann::ordered_json measure(const Case& one, std::string_view type, int rounds) {
  const Shape shape(one.extents);
  const auto count = static_cast<std::size_t>(shape.element_count());
  base::BufferPool pool(0);  // blocks are aligned as those of a run are
  base::Buffer in = pool.allocate(count * sizeof(T)), out = pool.allocate(count * sizeof(T));
  std::fill_n(in.as<T>(), count, T(1));
  std::fill_n(out.as<T>(), count, T(0));
  const T* const from = in.as<T>();
  T* const to = out.as<T>();
  const Shape turned = permuted(shape, one.to);
  const tensor::PermutePlan plan(shape, tensor::dense_strides(shape), one.to, turned,
                                 tensor::dense_strides(turned));
  const auto seconds = best_seconds(
      rounds, 1e-3, [&] { tensor::run<T>(plan, T(1), from, T(0), to); },
      [&] { std::memcpy(to, from, count * sizeof(T)); });
  const double gigabytes = 2e-9 * static_cast<double>(count * sizeof(T));
  const std::string name =
      fmt::format("{} {} to {}", type, fmt::join(one.extents, "x"), fmt::join(one.to, ""));
  fmt::print(stderr, "{:32} {:9.1f} {:9.1f} {:7.2f}\n", name, gigabytes / seconds[0],
             gigabytes / seconds[1], seconds[1] / seconds[0]);
  return {{"bench", "permute"},
          {"case", name},
          {"gigabytes_per_second", gigabytes / seconds[0]},
          {"memcpy_gigabytes_per_second", gigabytes / seconds[1]},
          {"ratio_to_memcpy", seconds[1] / seconds[0]},
          {"machine", machine()},
          {"commit", commit()}};
}

void run_all(int rounds, const std::string& json_file) {
  std::vector<nlohmann::ordered_json> records;
  fmt::print(stderr, "{:32} {:>9} {:>9} {:>7}\n", "permutation", "GB/s", "memcpy", "ratio");
  double log_sum = 0;
  for (const Case& one : cases()) {
    records.push_back(measure<float>(one, "f32", rounds));
    records.push_back(measure<double>(one, "f64", rounds));
    records.push_back(measure<tensor::c128>(one, "c128", rounds));
  }
  for (const auto& one : records) log_sum += std::log(one.at("ratio_to_memcpy").get<double>());
  const double mean = std::exp(log_sum / static_cast<double>(records.size()));
  fmt::print(stderr, "geometric mean: {:.2f} of memcpy\n", mean);
  records.push_back({{"bench", "permute"},
                     {"case", "geometric mean"},
                     {"ratio_to_memcpy", mean},
                     {"machine", machine()},
                     {"commit", commit()}});
  write_lines(records, json_file);
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  return blockyard::bench::main_of_rounds(
      argc, argv, "permute_bench", "How close does a permutation of a block come to a plain copy?",
      blockyard::bench::run_all);
}
