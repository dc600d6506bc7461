// SPDX-License-Identifier: Apache-2.0
// The shape of a launch that the plug-in chooses, against the best of a search: see README.md.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/contract/measure.h"
#include "bench/opencl/host_forms.h"
#include "bench/opencl/range_programs.h"
#include "blockyard/device/device.h"
#include "blockyard/device/kernel.h"
#include "blockyard/device/loader.h"

namespace blockyard::bench {
namespace {

using base::Extent;

struct Program {
  const char* entry;
  Extent columns, rows;  ///< of the grid; one row: a grid of one extent
};

/// The published sizes, or smaller ones where a run would take over two seconds.
constexpr Program programs[] = {
    {"square", 10000, 1},       {"square", 1000000, 1},   {"square", 10000000, 1},
    {"vector_add", 1100000, 1}, {"matrix_mul", 256, 256}, {"reduction", 40000, 1},
    {"histogram", 3200, 1},     {"prefix_sum", 1000, 1},  {"black_scholes", 262144, 1},
    {"binomial", 1000, 1},      {"cp", 64, 512},          {"mri_q", 3072, 1},
    {"mri_q", 32768, 1},        {"mri_fhd", 3072, 1},     {"mri_fhd", 32768, 1},
    {"six", 1000000, 1}};

struct Found {
  Extent group = 0, per_item = 0;  ///< 0: the device chooses
  double seconds = std::numeric_limits<double>::infinity();

  void take(double measured) { seconds = std::min(seconds, measured); }
};

class Bench {
 public:
  explicit Bench(device::Device& device)
      : device_(device), stream_(device.open_stream()), in_(memory()), out_(memory()) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(0.0F, 0.999F);
    for (float& value : values_) value = uniform(random);
    stream_.copy_in(in_.address(), std::as_bytes(std::span(values_)));
    stream_.synchronise();
  }

  void run(const Program& program, Extent group, Extent per_item) {
    static_cast<void>(seconds(program, open(program, range_programs), group, per_item));
  }

  /// The ratio of the chosen shape to the best one. Three plans choose by themselves, and the one
  /// in the middle counts; all runs are in turns, for other processes disturb all alike.
  double compare(const Program& program) {
    const device::Plan searched = open(program, range_programs);
    std::vector<Found> best = search(program, searched);
    best.resize(std::min<std::size_t>(best.size(), finalists));
    // The least of a search is partly luck, so finalists are measured anew, as often as ours.
    for (Found& one : best) one = {one.group, one.per_item};
    std::vector<device::Plan> plans;
    std::vector<Found> ours(choosers);
    std::vector<double> trials;
    for (std::size_t k = 0; k < choosers; ++k) plans.push_back(open(program, range_programs));
    for (const device::Plan& plan : plans) {
      double first_runs = 0;
      for (int k = 0; k < 8; ++k) {
        const double one = seconds(program, plan, 0, 0);
        if (k > 0) first_runs += one;  // the first one compiles
      }
      trials.push_back(first_runs);
    }
    for (int round = 0; round < rounds; ++round) {
      for (Found& one : best) one.take(seconds(program, searched, one.group, one.per_item));
      for (std::size_t k = 0; k < choosers; ++k) ours[k].take(seconds(program, plans[k], 0, 0));
    }
    for (std::size_t k = 0; k < choosers; ++k)
      trials[k] = std::max(0.0, trials[k] - 7 * ours[k].seconds);
    std::ranges::sort(best, {}, &Found::seconds);
    std::ranges::sort(ours, {}, &Found::seconds);
    std::ranges::sort(trials);
    print(program, best.front(), ours[choosers / 2], trials[choosers / 2]);
    if (const HostForm form = host_form(program.entry)) compare_forms(program, form, plans.front());
    return ours[choosers / 2].seconds / best.front().seconds;
  }

 private:
  static constexpr Extent count = 12000000;
  static constexpr std::size_t finalists = 3, choosers = 3;
  static constexpr int rounds = 25;

  [[nodiscard]] static std::vector<std::pair<Extent, Extent>> shapes(const Program& program) {
    std::vector<std::pair<Extent, Extent>> all;
    for (const Extent group : {1, 4, 16, 64, 256, 1024})
      for (const Extent per_item : {1, 10, 100, 1000})
        if (group <= program.columns && per_item <= program.columns)
          all.emplace_back(group, per_item);
    return all;
  }
  /// All shapes, the fastest first.
  [[nodiscard]] std::vector<Found> search(const Program& program, const device::Plan& plan) {
    std::vector<Found> all;
    for (const auto& [group, per_item] : shapes(program)) {
      Found& one = all.emplace_back(Found{group, per_item});
      static_cast<void>(seconds(program, plan, group, per_item));  // compiles
      for (int k = 0; k < 3; ++k) one.take(seconds(program, plan, group, per_item));
    }
    std::ranges::sort(all, {}, &Found::seconds);
    return all;
  }
  /// The text as the driver alone compiles it, the same loop in C++ on threads, and what the
  /// plug-in chooses.
  void compare_forms(const Program& program, HostForm form, const device::Plan& chosen) {
    static const std::regex functions("\\b(e|l|s|c)(xp|og|rfc|in|os)\\(");
    const device::Plan driver =
        open(program, "#define JOIN(a, b) a##b\n" +
                          std::regex_replace(range_programs, functions, "JOIN($1, $2)("));
    Found of_driver = search(program, driver).front(), of_host, ours;
    of_driver = {of_driver.group, of_driver.per_item};
    for (int round = 0; round < rounds; ++round) {
      of_driver.take(seconds(program, driver, of_driver.group, of_driver.per_item));
      of_host.take(host_seconds(program, form));
      ours.take(seconds(program, chosen, 0, 0));
    }
    const double better = std::min(of_driver.seconds, of_host.seconds);
    fmt::print(
        stderr,
        "{:<24} driver alone {:9.3f} ms, C++ on threads {:9.3f} ms, auto {:9.3f} ms: {:5.2f}\n", "",
        of_driver.seconds * 1e3, of_host.seconds * 1e3, ours.seconds * 1e3, better / ours.seconds);
    const auto line = [&](const char* column, const Found& found) {
      record(program, "forms of a kernel", column, of_driver.seconds / found.seconds,
             {{"seconds", found.seconds}});
    };
    line("driver alone", of_driver);
    line("C++ on threads", of_host);
    line("auto", ours);
  }
  double host_seconds(const Program& program, HostForm form) {
    const Extent threads = std::max(1U, std::thread::hardware_concurrency());
    const Extent elements = program.columns * program.rows;
    const double begin = wall_seconds();
    {
      std::vector<std::jthread> running;
      for (Extent t = 0; t < threads; ++t)
        running.emplace_back(form, elements * t / threads, elements * (t + 1) / threads,
                             values_.data(), results_.data());
    }
    return wall_seconds() - begin;
  }

  [[nodiscard]] device::Memory memory() {
    auto made = device_.allocate(count * static_cast<Extent>(sizeof(float)));
    if (!made) throw std::runtime_error("the device has no room");
    return std::move(*made);
  }
  [[nodiscard]] device::Plan open(const Program& program, const std::string& text) {
    device::Kernel kernel;
    kernel.entry = program.entry;
    kernel.order = program.rows > 1 ? 2 : 1;
    kernel.parameters.assign(2, {BLOCKYARD_MEMORY, sizeof(float), "float"});
    kernel.opencl = text;
    auto plan = device_.open_kernel(kernel);
    if (!plan) throw std::runtime_error("the device takes no OpenCL text");
    return std::move(*plan);
  }
  double seconds(const Program& program, const device::Plan& plan, Extent group, Extent per_item) {
    device::KernelRun run({program.columns, program.rows, 1});
    run.memory(in_.address(), in_.bytes()).memory(out_.address(), out_.bytes());
    run.shape(group, per_item);
    const double begin = wall_seconds();
    stream_.run(plan, run);
    stream_.synchronise();
    return wall_seconds() - begin;
  }
  void print(const Program& program, const Found& best, const Found& ours, double trials) {
    fmt::print(stderr,
               "{:<24} best of the search {:4} x {:4} {:9.3f} ms, chosen {:9.3f} ms {:5.2f}, "
               "trials {:6.2f} ms\n",
               row_of(program), best.group, best.per_item, best.seconds * 1e3, ours.seconds * 1e3,
               ours.seconds / best.seconds, trials * 1e3);
    record(program, "launch shapes", "best of the search over chosen", best.seconds / ours.seconds,
           {{"seconds", ours.seconds},
            {"best_seconds", best.seconds},
            {"best_group", best.group},
            {"best_per_item", best.per_item},
            {"trial_seconds", trials}});
  }
  static std::string row_of(const Program& program) {
    return fmt::format("{} {} x {}", program.entry, program.columns, program.rows);
  }
  static void record(const Program& program, const char* figure, const char* column, double speedup,
                     const nlohmann::ordered_json& more) {
    nlohmann::ordered_json line = {
        {"bench", "opencl_shapes"}, {"case", fmt::format("{}: {}", row_of(program), column)},
        {"figure", figure},         {"row", row_of(program)},
        {"column", column},         {"speedup", speedup},
        {"machine", machine()},     {"commit", commit()}};
    line.update(more);
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  }

  device::Device& device_;
  device::Stream stream_;
  device::Memory in_, out_;
  std::vector<float> values_ = std::vector<float>(count), results_ = values_;
};

/// One run, for what counts its calls or instructions: entry, elements, group, elements an item and
/// folder of binaries.
void run_once(const std::vector<std::string>& arguments) {
  const device::Plugin plugin(BLOCKYARD_OPENCL_PLUGIN);
  device::Device device(plugin.table(), 0, "cache=" + arguments.at(4));
  Bench(device).run({arguments[0].c_str(), std::stol(arguments[1]), 1}, std::stol(arguments[2]),
                    std::stol(arguments[3]));
}

void run_all(const std::string& only) {
  const device::Plugin plugin(BLOCKYARD_OPENCL_PLUGIN);
  device::Device device(plugin.table(), 0, "cache=none");
  double worst = 0;
  {
    Bench bench(device);
    for (const Program& program : programs)
      if (only.empty() || only == program.entry) worst = std::max(worst, bench.compare(program));
  }
  fmt::print(stderr, "the chosen shape takes at most {:.2f} of the best of a search\n{}", worst,
             device.choices());
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    if (argc > 2)
      blockyard::bench::run_once({argv + 1, argv + argc});
    else
      blockyard::bench::run_all(argc > 1 ? argv[1] : "");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "opencl_shapes_bench: {}\n", error.what());
    return 1;
  }
}
