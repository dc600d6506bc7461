// SPDX-License-Identifier: Apache-2.0
// The shape of a launch that the plug-in chooses, against the best of a search: see README.md.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/contract/measure.h"
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
};

class Bench {
 public:
  explicit Bench(device::Device& device)
      : device_(device), stream_(device.open_stream()), in_(memory()), out_(memory()) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(0.0F, 0.999F);
    std::vector<float> values(count);
    for (float& value : values) value = uniform(random);
    stream_.copy_in(in_.address(), std::as_bytes(std::span(values)));
    stream_.synchronise();
  }

  void run(const Program& program, Extent group, Extent per_item) {
    static_cast<void>(seconds(program, open(program), group, per_item));
  }

  /// The ratio of the chosen shape to the best one.
  double compare(const Program& program) {
    Found best;
    const device::Plan searched = open(program);
    for (const Extent group : {1, 4, 16, 64, 256, 1024})
      for (const Extent per_item : {1, 10, 100, 1000}) {
        if (group > program.columns || per_item > program.columns) continue;
        static_cast<void>(seconds(program, searched, group, per_item));
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < 3; ++k)
          least = std::min(least, seconds(program, searched, group, per_item));
        if (least < best.seconds) best = {group, per_item, least};
      }
    const device::Plan chosen = open(program);
    double first_runs = 0;
    for (int k = 0; k < 8; ++k) {
      const double one = seconds(program, chosen, 0, 0);
      if (k > 0) first_runs += one;  // the first one compiles
    }
    // Both in turns, for other processes disturb both alike.
    Found ours;
    for (int k = 0; k < 40; ++k) {
      best.seconds = std::min(best.seconds, seconds(program, searched, best.group, best.per_item));
      ours.seconds = std::min(ours.seconds, seconds(program, chosen, 0, 0));
    }
    const double ratio = ours.seconds / best.seconds;
    print(program, best, ours, std::max(0.0, first_runs - 7 * ours.seconds));
    return ratio;
  }

 private:
  static constexpr Extent count = 12000000;

  [[nodiscard]] device::Memory memory() {
    auto made = device_.allocate(count * static_cast<Extent>(sizeof(float)));
    if (!made) throw std::runtime_error("the device has no room");
    return std::move(*made);
  }
  [[nodiscard]] device::Plan open(const Program& program) {
    device::Kernel kernel;
    kernel.entry = program.entry;
    kernel.order = program.rows > 1 ? 2 : 1;
    kernel.parameters.assign(2, {BLOCKYARD_MEMORY, sizeof(float), "float"});
    kernel.opencl = range_programs;
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
    const std::string row = fmt::format("{} {} x {}", program.entry, program.columns, program.rows);
    fmt::print(stderr,
               "{:<24} best of the search {:4} x {:4} {:9.3f} ms, chosen {:9.3f} ms {:5.2f}, "
               "trials {:6.2f} ms\n",
               row, best.group, best.per_item, best.seconds * 1e3, ours.seconds * 1e3,
               ours.seconds / best.seconds, trials * 1e3);
    const nlohmann::ordered_json record = {{"bench", "opencl_shapes"},
                                           {"case", row},
                                           {"figure", "launch shapes"},
                                           {"row", row},
                                           {"column", "best of the search over chosen"},
                                           {"seconds", ours.seconds},
                                           {"best_seconds", best.seconds},
                                           {"best_group", best.group},
                                           {"best_per_item", best.per_item},
                                           {"trial_seconds", trials},
                                           {"speedup", best.seconds / ours.seconds},
                                           {"machine", machine()},
                                           {"commit", commit()}};
    fmt::print("{}\n", record.dump());
    std::fflush(stdout);
  }

  device::Device& device_;
  device::Stream stream_;
  device::Memory in_, out_;
};

/// One run, for what counts its calls or instructions: entry, elements, group, elements an item and
/// folder of binaries.
void run_once(const std::vector<std::string>& arguments) {
  const device::Plugin plugin(BLOCKYARD_OPENCL_PLUGIN);
  device::Device device(plugin.table(), 0, "cache=" + arguments.at(4));
  Bench(device).run({arguments[0].c_str(), std::stol(arguments[1]), 1}, std::stol(arguments[2]),
                    std::stol(arguments[3]));
}

void run_all() {
  const device::Plugin plugin(BLOCKYARD_OPENCL_PLUGIN);
  device::Device device(plugin.table(), 0, "cache=none");
  double worst = 0;
  {
    Bench bench(device);
    for (const Program& program : programs) worst = std::max(worst, bench.compare(program));
  }
  fmt::print(stderr, "the chosen shape takes at most {:.2f} of the best of a search\n{}", worst,
             device.choices());
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    if (argc > 1)
      blockyard::bench::run_once({argv + 1, argv + argc});
    else
      blockyard::bench::run_all();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "opencl_shapes_bench: {}\n", error.what());
    return 1;
  }
}
