// SPDX-License-Identifier: Apache-2.0
// See README.md: how close do contractions of blocks come to the plain matrix product?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/contract/cases.h"
#include "bench/contract/measure.h"
#include "blockyard/base/error.h"
#include "blockyard/tensor/blas.h"
#include "blockyard/tensor/contract.h"

namespace blockyard::bench {
namespace {

using base::Extent;
using tensor::ContractPlan;
using tensor::Names;
using tensor::Shape;

struct Measured {
  double gflops;
  double dgemm_gflops;
  [[nodiscard]] double ratio() const { return gflops / dgemm_gflops; }
};

Names names_of(std::string_view letters) {
  std::vector<int> names(letters.begin(), letters.end());
  return Names(names);
}

Shape shape_of(const Case& one, std::string_view letters) {
  std::vector<Extent> extents;
  for (const char letter : letters)
    extents.push_back(is_occupied(letter) ? one.occupied : one.virtual_or_ao);
  return Shape(extents);
}

std::vector<double> random_values(Extent count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = uniform(random);
  return values;
}

ContractPlan plan_of(const Case& one) {
  return {{names_of(one.result), names_of(one.left), names_of(one.right)},
          shape_of(one, one.result),
          shape_of(one, one.left),
          shape_of(one, one.right)};
}

Measured measure(const Case& one, const ContractPlan& plan, int rounds) {
  const auto left = random_values(shape_of(one, one.left).element_count());
  const auto right = random_values(shape_of(one, one.right).element_count());
  auto result = random_values(shape_of(one, one.result).element_count());
  auto workspace = random_values(plan.workspace_elements());
  const Extent m = plan.m(), n = plan.n(), k = plan.k();
  using tensor::blas::Op;
  const auto seconds = best_seconds(
      rounds, 2e-3,
      [&] {
        tensor::run<double>(plan, 1.0, left.data(), right.data(), 0.0, result.data(), workspace);
      },
      [&] {
        tensor::blas::gemm<double>(Op::none, Op::none, m, n, k, 1.0, left.data(), m, right.data(),
                                   k, 0.0, result.data(), m);
      });
  const double gflop = 2e-9 * static_cast<double>(m) * static_cast<double>(n * k);
  return {gflop / seconds[0], gflop / seconds[1]};
}

nlohmann::ordered_json record(const Case& one, const ContractPlan& plan, const Measured& found) {
  return {{"bench", "contract"},
          {"case", one.name},
          {"expression", fmt::format("{}={}*{}", one.result, one.left, one.right)},
          {"occupied_extent", one.occupied},
          {"virtual_extent", one.virtual_or_ao},
          {"m", plan.m()},
          {"n", plan.n()},
          {"k", plan.k()},
          {"permutations", plan.permutation_count()},
          {"gflops", found.gflops},
          {"dgemm_gflops", found.dgemm_gflops},
          {"ratio_to_dgemm", found.ratio()},
          {"machine", machine()},
          {"commit", commit()}};
}

void run_all(int rounds, const std::string& json_file) {
  std::vector<nlohmann::ordered_json> records;
  double log_sum = 0;
  fmt::print(stderr, "{:27} {:>16} {:>3} {:>3} {:>6} {:>6} {:>5} {:>5} {:>7} {:>7} {:>6}\n",
             "contraction", "indexes", "occ", "vir", "m", "n", "k", "perm.", "dgemm", "ours", "%");
  for (const Case& one : cases) {
    const ContractPlan plan = plan_of(one);
    const Measured found = measure(one, plan, rounds);
    log_sum += std::log(found.ratio());
    fmt::print(stderr, "{:27} {:>16} {:3} {:3} {:6} {:6} {:5} {:5} {:7.1f} {:7.1f} {:6.1f}\n",
               one.name, fmt::format("{}={}*{}", one.result, one.left, one.right), one.occupied,
               one.virtual_or_ao, plan.m(), plan.n(), plan.k(), plan.permutation_count(),
               found.dgemm_gflops, found.gflops, 100 * found.ratio());
    records.push_back(record(one, plan, found));
  }
  const double mean = std::exp(log_sum / static_cast<double>(cases.size()));
  fmt::print(stderr, "geometric mean: {:.1f} % of dgemm (Gflop/s, one core, {})\n", 100 * mean,
             machine());
  records.push_back({{"bench", "contract"},
                     {"case", "geometric mean"},
                     {"ratio_to_dgemm", mean},
                     {"machine", machine()},
                     {"commit", commit()}});
  std::ofstream file(json_file);
  std::ostream& out = json_file.empty() ? std::cout : file;
  for (const auto& one : records) out << one.dump() << '\n';
  if (!out.flush()) throw base::Error(base::Errc::io, "cannot write " + json_file);
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  CLI::App app("How close do contractions of blocks come to dgemm of the same m, n, k?");
  int rounds = 15;
  std::string json_file;
  app.add_option("--rounds", rounds, "measurements of each; the best counts");
  app.add_option("--json", json_file, "file of the JSON lines (default: standard output)");
  CLI11_PARSE(app, argc, argv);
  blockyard::tensor::blas::limit_blas_threads(1);
  try {
    blockyard::bench::run_all(rounds, json_file);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_contract: {}\n", error.what());
    return 1;
  }
  return 0;
}
