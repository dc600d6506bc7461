// SPDX-License-Identifier: Apache-2.0
// See README.md: how close do contractions of blocks come to the plain matrix product?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "bench/contract/cases.h"
#include "bench/contract/lines.h"
#include "bench/contract/measure.h"
#include "bench/contract/team.h"
#include "blockyard/base/buffer.h"
#include "blockyard/tensor/blas.h"
#include "blockyard/tensor/contract.h"

namespace blockyard::bench {
namespace {

using base::Extent;
using tensor::ContractPlan;
using tensor::Names;
using tensor::Shape;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> lists = {"large", "tccg", "blocks"};
  std::vector<std::string> types = {"f64", "f32"};
  std::vector<int> threads = {1, 2};
  std::string only;
  int rounds = 5;
  bool is_quick = false;
  bool only_shows_cases = false;
  std::string json_file;
};

/// A case with its letters and extents taken apart.
class Contraction {
 public:
  Contraction(const Case& one, bool is_quick) : expression_(one.expression) {
    const auto first = expression_.find('-'), second = expression_.rfind('-');
    letters_ = {expression_.substr(first + 1, second - first - 1), expression_.substr(second + 1),
                expression_.substr(0, first)};
    Extent rest = 0;
    for (std::string_view text = one.extents; !text.empty();) {
      const auto end = std::min(text.find(' '), text.size());
      const bool is_named = std::isalpha(static_cast<unsigned char>(text[0])) != 0;
      Extent& extent = is_named ? extents_[text[0]] : rest;
      std::from_chars(text.data() + (is_named ? 1 : 0), text.data() + end, extent);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (const std::string& some : letters_)
      for (const char letter : some) extents_.try_emplace(letter, rest);
    if (is_quick)
      for (auto& [letter, extent] : extents_) extent = std::max<Extent>(extent * 3 / 16 * 4, 8);
  }
  [[nodiscard]] const std::string& expression() const { return expression_; }
  [[nodiscard]] const std::map<char, Extent>& extents() const { return extents_; }
  [[nodiscard]] Shape shape(tensor::detail::Side side) const {
    std::vector<Extent> extents;
    for (const char letter : letters_[side]) extents.push_back(extents_.at(letter));
    return Shape(extents);
  }
  [[nodiscard]] ContractPlan plan(int part, int parts, std::size_t element_bytes) const {
    using namespace tensor::detail;
    return {{names(result_side), names(left_side), names(right_side)},
            shape(result_side),
            shape(left_side),
            shape(right_side),
            {tensor::ElementKind::real, part, parts, static_cast<int>(element_bytes)}};
  }

 private:
  [[nodiscard]] Names names(tensor::detail::Side side) const {
    const std::vector<int> some(letters_[side].begin(), letters_[side].end());
    return Names(some);
  }
  std::string expression_;
  std::array<std::string, 3> letters_;  // by Side
  std::map<char, Extent> extents_;
};

template <class T>
std::span<T> values_of(base::Buffer& buffer) {
  return {buffer.as<T>(), buffer.size() / sizeof(T)};
}

template <class T>
base::Buffer random_values(base::BufferPool& pool, Extent count) {
  base::Buffer buffer = pool.allocate(static_cast<std::size_t>(count) * sizeof(T));
  std::minstd_rand random(1);
  for (T& value : values_of<T>(buffer)) value = static_cast<T>(random()) / T(1u << 31) - T(0.5);
  return buffer;
}

struct Measured {
  double seconds;
  double blas_seconds;
};

/// Several threads on the wall. Threads of a BLAS look for the next call for some 30 milliseconds
/// before they sleep, and would take turns with ours: all are given the time to fall asleep.
Measured measure_apart(int rounds, const auto& ours, const auto& blas) {
  constexpr std::chrono::milliseconds until_asleep(60);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  Measured best{unknown, unknown};
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(until_asleep);
    {
      const Seated seated;
      best.seconds = std::min(best.seconds, best_seconds<wall_seconds>(1, 2e-3, ours)[0]);
    }
    std::this_thread::sleep_for(until_asleep);
    best.blas_seconds = std::min(best.blas_seconds, best_seconds<wall_seconds>(1, 2e-3, blas)[0]);
  }
  return best;
}

/// The blocks of a contraction in the memory that blocks of a run have.
template <class T>
class Blocks {
 public:
  explicit Blocks(const Contraction& one)
      : left(random_values<T>(pool_, one.shape(tensor::detail::left_side).element_count())),
        right(random_values<T>(pool_, one.shape(tensor::detail::right_side).element_count())),
        result(random_values<T>(pool_, one.shape(tensor::detail::result_side).element_count())) {}

 private:
  base::BufferPool pool_{0};

 public:
  base::Buffer left, right, result;
};

template <class T>
Measured measure(const Contraction& one, int threads, int rounds) {
  Blocks<T> blocks(one);
  std::vector<ContractPlan> plans;
  base::BufferPool pool(0);
  std::vector<base::Buffer> workspaces;
  for (int part = 0; part < threads; ++part) {
    plans.push_back(one.plan(part, threads, sizeof(T)));
    workspaces.push_back(
        pool.allocate(static_cast<std::size_t>(plans.back().workspace_elements()) * sizeof(T)));
  }
  const auto run_part = [&](int part) {
    const auto p = static_cast<std::size_t>(part);
    tensor::run<T>(plans[p], T(1), blocks.left.template as<T>(), blocks.right.template as<T>(),
                   T(0), blocks.result.template as<T>(), values_of<T>(workspaces[p]));
  };
  Team team(threads, run_part);
  const auto ours = [&] { team.run(); };
  const ContractPlan whole = one.plan(0, 1, sizeof(T));
  const Extent m = whole.m(), n = whole.n(), k = whole.k();
  const auto blas = [&] {
    using tensor::blas::Op;
    tensor::blas::limit_blas_threads(threads);
    tensor::blas::gemm<T>(Op::none, Op::none, m, n, k, T(1), blocks.left.template as<T>(), m,
                          blocks.right.template as<T>(), k, T(0), blocks.result.template as<T>(),
                          m);
    tensor::blas::limit_blas_threads(1);
  };
  if (threads == 1) {
    const auto seconds = best_seconds(rounds, 2e-3, ours, blas);
    return {seconds[0], seconds[1]};
  }
  return measure_apart(rounds, ours, blas);
}

/// Results of one list, type and number of threads.
class Table {
 public:
  Table(std::string list, std::string type, int threads)
      : list_(std::move(list)), type_(std::move(type)), threads_(threads) {
    fmt::print(stderr,
               "\n{}, {}, {} thread{}, {}: Gflop/s\n{:20} {:>8} {:>8} {:>6} {:>7} {:>7} {:>6}\n",
               list_, type_, threads_, threads_ == 1 ? "" : "s", machine(), "result-left-right",
               "m", "n", "k", "gemm", "ours", "%");
  }
  void add(const Contraction& one, const Measured& found) {
    const ContractPlan plan = one.plan(0, 1, sizeof(double));
    const double gflop =
        2e-9 * static_cast<double>(plan.m()) * static_cast<double>(plan.n() * plan.k());
    const double ratio = found.blas_seconds / found.seconds;
    fmt::print(stderr, "{:20} {:8} {:8} {:6} {:7.1f} {:7.1f} {:6.1f}\n", one.expression(), plan.m(),
               plan.n(), plan.k(), gflop / found.blas_seconds, gflop / found.seconds, 100 * ratio);
    Json record = head(one.expression());
    record["m"] = plan.m();
    record["n"] = plan.n();
    record["k"] = plan.k();
    record["gflops"] = gflop / found.seconds;
    record["gemm_gflops"] = gflop / found.blas_seconds;
    record["ratio_to_gemm"] = ratio;
    records_.push_back(std::move(record));
    log_sum_ += std::log(ratio);
    worst_ = std::min(worst_, ratio);
  }
  std::vector<Json> finish() {
    const double mean = std::exp(log_sum_ / static_cast<double>(records_.size()));
    fmt::print(stderr, "geometric mean {:.1f} %, worst {:.1f} % of gemm\n", 100 * mean,
               100 * worst_);
    Json record = head("geometric mean");
    record["ratio_to_gemm"] = mean;
    record["worst_ratio_to_gemm"] = worst_;
    records_.push_back(std::move(record));
    return std::move(records_);
  }

 private:
  [[nodiscard]] Json head(std::string_view name) const {
    return {{"bench", "contract"},
            {"case", fmt::format("{} {} {} x{}", list_, name, type_, threads_)},
            {"machine", machine()},
            {"commit", commit()}};
  }
  std::string list_, type_;
  int threads_;
  std::vector<Json> records_;
  double log_sum_ = 0;
  double worst_ = std::numeric_limits<double>::infinity();
};

std::span<const Case> cases_of(const std::string& list) {
  if (list == "large") return large_cases();
  if (list == "tccg") return tccg_cases();
  return block_cases();
}

std::vector<Contraction> contractions_of(const Options& options, const std::string& list) {
  std::vector<Contraction> some;
  for (const Case& one : cases_of(list))
    if (options.only.empty() || one.expression == options.only)
      some.emplace_back(one, options.is_quick && list == "large");
  return some;
}

void show_cases(const Options& options) {
  for (const std::string& list : options.lists)
    for (const Contraction& one : contractions_of(options, list)) {
      Json extents;
      for (const auto& [letter, extent] : one.extents()) extents[std::string(1, letter)] = extent;
      std::cout << Json{{"list", list}, {"expression", one.expression()}, {"extents", extents}}
                << '\n';
    }
}

void run_all(const Options& options) {
  std::vector<Json> records;
  for (const std::string& list : options.lists)
    for (const std::string& type : options.types)
      for (const int threads : options.threads) {
        Table table(list, type, threads);
        for (const Contraction& one : contractions_of(options, list))
          table.add(one, type == "f64" ? measure<double>(one, threads, options.rounds)
                                       : measure<float>(one, threads, options.rounds));
        std::ranges::move(table.finish(), std::back_inserter(records));
      }
  write_lines(records, options.json_file);
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  CLI::App app("How close do contractions come to the plain matrix product of the same m, n, k?");
  blockyard::bench::Options options;
  app.add_option("--list", options.lists, "large, tccg, blocks")
      ->check(CLI::IsMember({"large", "tccg", "blocks"}));
  app.add_option("--type", options.types, "f64, f32")->check(CLI::IsMember({"f64", "f32"}));
  app.add_option("--threads", options.threads, "numbers of threads");
  app.add_option("--only", options.only, "one contraction, such as abcd-ea-ebcd");
  app.add_option("--rounds", options.rounds, "measurements of each; the best counts");
  app.add_flag("--quick", options.is_quick, "smaller operands, three rounds");
  app.add_flag("--show-cases", options.only_shows_cases, "print the cases as JSON lines and end");
  app.add_option("--json", options.json_file, "file of the JSON lines (default: standard output)");
  CLI11_PARSE(app, argc, argv);
  if (options.is_quick) options.rounds = 3;
  blockyard::tensor::blas::limit_blas_threads(1);
  try {
    if (options.only_shows_cases)
      blockyard::bench::show_cases(options);
    else
      blockyard::bench::run_all(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "contract_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
