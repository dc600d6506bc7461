// SPDX-License-Identifier: Apache-2.0
// See README.md: what must a kernel look like to be fast on a processor?
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "bench/contract/measure.h"
#include "bench/opencl/session.h"

namespace blockyard::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::size_t, 4> elements_per_item = {1, 10, 100, 1000};
constexpr std::array<std::size_t, 5> group_sizes = {1, 16, 64, 256, 1024};

class Bench {
 public:
  Bench(Session& session, double least) : session_(session), least_(least) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(0.0F, 0.999F);
    std::size_t most = 0;
    for (const Case& one : cases()) most = std::max(most, one.elements);
    for (auto* operand : {&a_, &b_})
      for (std::size_t k = 0; k < most; ++k) operand->push_back(values(random));
  }

  void run() {
    session_.prepare({"", a_.size(), 0, false, nullptr}, a_, b_);
    session_.build({});
    for (const Case& one : cases()) run(one);
  }
  /// Seconds from nothing to the first launch of all kernels; leaves the binary in `to`.
  double compile(const fs::path& from, const fs::path& to) {
    std::vector<unsigned char> binary;
    if (!from.empty()) {
      std::ifstream file(from, std::ios::binary);
      binary.assign(std::istreambuf_iterator<char>(file), {});
    }
    session_.prepare({"", a_.size(), 0, false, nullptr}, a_, b_);
    const double begin = wall_seconds();
    binary = session_.build(binary);
    const double seconds = wall_seconds() - begin;
    if (!to.empty())
      std::ofstream(to, std::ios::binary)
          .write(reinterpret_cast<const char*>(binary.data()),
                 static_cast<std::streamsize>(binary.size()));
    return seconds;
  }

 private:
  template <class Action>
  [[nodiscard]] double best_of(const Action& action) const {
    action();
    return best_seconds<wall_seconds>(3, least_, action).front();
  }

  void print(const Case& one, const std::string& what, double seconds, double speedup) const {
    fmt::print(stderr, "  {:<28} {:10.3f} ms {:8.2f}\n", what, seconds * 1e3, speedup);
    const nlohmann::ordered_json record = {
        {"bench", "opencl"},         {"case", fmt::format("{} {}", one.name, what)},
        {"seconds", seconds},        {"speedup", speedup},
        {"device", session_.name()}, {"machine", machine()},
        {"commit", commit()}};
    std::cout << record.dump() << std::endl;
  }

  void run(const Case& one) {
    fmt::print(stderr, "{}\n", one.name);
    const std::span a = std::span(a_).first(one.elements), b = std::span(b_).first(one.elements);
    session_.prepare(one, a, b);
    double first = 0, best = 0;
    std::size_t best_per = 1;
    for (const std::size_t per : elements_per_item) {
      session_.run(one, per);
      verify(one, per);
      const double seconds = best_of([&] { session_.run(one, per); });
      if (per == 1) first = best = seconds;
      if (seconds < best) best = seconds, best_per = per;
      print(one, fmt::format("per item {}", per), seconds, first / seconds);
    }
    for (const std::size_t group : group_sizes) {
      const double seconds = best_of([&] { session_.run(one, 1, group); });
      print(one, fmt::format("group {}", group), seconds, first / seconds);
    }
    std::vector<float> out(one.results == 0 ? one.elements : std::max(one.results, bins));
    const double copied = best_of([&] { session_.run_copied(one, best_per, a, b, out); });
    const double mapped = best_of([&] { session_.run_mapped(one, best_per, a, b, out); });
    print(one, "copied", copied, 1.0);
    print(one, "mapped", mapped, copied / mapped);
    std::vector<float> sums(std::max(one.elements, session_.units() * bins));
    const double threads =
        best_of([&] { run_on_threads(one, a.data(), b.data(), sums, session_.units()); });
    print(one, fmt::format("{} threads of C++", session_.units()), threads, 1.0);
    print(one, fmt::format("OpenCL, per item {}", best_per), best, threads / best);
  }

  /// Throws where the last run differs from the loop in C++.
  void verify(const Case& one, std::size_t per) {
    const std::vector<float> found = session_.results(one, per);
    std::vector<float> expected(std::max(one.elements, bins));
    one.loop(a_.data(), b_.data(), expected.data(), 0, one.elements);
    double worst = 0;
    if (one.sums_items) {
      double sum = 0, true_sum = 0;
      for (const float part : found) sum += static_cast<double>(part);
      for (std::size_t k = 0; k < one.elements; ++k) true_sum += static_cast<double>(a_[k]);
      worst = std::abs(sum / true_sum - 1);
    } else {
      for (std::size_t k = 0; k < found.size(); ++k)
        worst = std::max(worst, std::abs(static_cast<double>(found[k] - expected[k])) /
                                    (1 + std::abs(static_cast<double>(expected[k]))));
    }
    if (!(worst < 1e-4))
      throw std::runtime_error(
          fmt::format("{} with {} an item is wrong by {}", one.name, per, worst));
  }

  Session& session_;
  double least_;
  std::vector<float> a_, b_;
};

/// Runs this program anew for each way to come to a program, for a process compiles once.
void compare_compiling(const std::string& self) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("opencl_bench.{}", getpid());
  fs::create_directories(folder);
  double first = 0;
  const auto measure = [&](const std::string& what, const std::string& cache,
                           const std::string& more) {
    const std::string command = fmt::format("POCL_CACHE_DIR='{0}/{1}' '{2}' --compile {3}",
                                            folder.string(), cache, self, more);
    const double seconds = std::strtod(first_line(command.c_str()).c_str(), nullptr);
    if (first == 0) first = seconds;
    fmt::print(stderr, "  {:<28} {:10.3f} ms {:8.2f}\n", what, seconds * 1e3, first / seconds);
    const nlohmann::ordered_json record = {{"bench", "opencl"},    {"case", "compile " + what},
                                           {"seconds", seconds},   {"speedup", first / seconds},
                                           {"machine", machine()}, {"commit", commit()}};
    std::cout << record.dump() << std::endl;
  };
  fmt::print(stderr, "six kernels, to the end of their first launch\n");
  const std::string binary = fmt::format("'{}/binary'", folder.string());
  measure("from source", "cold", "--to " + binary);
  measure("from source, driver's cache", "cold", "");
  measure("from a binary", "other", "--from " + binary);
  fs::remove_all(folder);
}

int run(int argc, char** argv) {
  CLI::App app("OpenCL on a processor: README.md says what is measured");
  double least = 0.02;
  bool compiles = false;
  std::string from, to;
  app.add_option("--least", least, "seconds of each measurement");
  app.add_flag("--compile", compiles, "only compile, and print the seconds")->group("");
  app.add_option("--from", from)->group("");
  app.add_option("--to", to)->group("");
  CLI11_PARSE(app, argc, argv);
  Session session;
  Bench bench(session, least);
  if (compiles) {
    fmt::print("{}\n", bench.compile(from, to));
    return 0;
  }
  bench.run();
  compare_compiling(fs::canonical("/proc/self/exe").string());
  return 0;
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    return blockyard::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "opencl_bench: {}\n", error.what());
    return 1;
  }
}
