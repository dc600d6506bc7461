// SPDX-License-Identifier: Apache-2.0
// See README.md: what does a device make of a block?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <thread>

#include "bench/contract/measure.h"
#include "bench/device/subject.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/loader.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::bench {

void print(const Subject& subject, const std::string& one, const nlohmann::ordered_json& figures) {
  nlohmann::ordered_json record = {{"bench", "device"}, {"case", subject.name + " " + one}};
  record.update(figures);
  record["device"] = subject.device.describe().name;
  record["machine"] = machine();
  record["commit"] = commit();
  std::cout << record.dump() << std::endl;
}

namespace {

struct Options {
  std::vector<std::string> devices = {"host"};
  std::vector<std::string> parts = {"copies", "allocations", "contractions"};
  std::string device_options;
  double least_seconds = 0.2;
  double most_seconds = 0.5;
};

void run(const Options& options, const std::string& name, const device::Table& table) {
  const int count = device::device_count(table);
  if (count == 0) fmt::print(stderr, "{:8} has no device here\n", name);
  for (int index = 0; index < count; ++index) {
    device::Device device(table, index, options.device_options);
    const Subject subject{count == 1 ? name : fmt::format("{}{}", name, index), device,
                          options.least_seconds, options.most_seconds};
    fmt::print(stderr, "{:8} is {}\n", subject.name, device.describe().name);
    for (const std::string& part : options.parts) {
      if (part == "copies") measure_copies(subject);
      if (part == "allocations") measure_allocations(subject);
      if (part == "contractions") measure_contractions(subject);
    }
  }
}

void run_all(const Options& options) {
  for (const std::string& name : options.devices) {
    if (name == "host") {
      run(options, name, device::host::table());
    } else if (name == "sim") {
      run(options, name, device::sim::table());
    } else {
      const device::Plugin plugin(name);
      run(options, name.find("cuda") != std::string::npos ? "cuda" : "opencl", plugin.table());
    }
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  CLI::App app("Copies, memory and contractions of blocks on devices");
  blockyard::bench::Options options;
  app.add_option("devices", options.devices, "host, sim, and files of plug-ins")
      ->capture_default_str();
  app.add_option("--parts", options.parts, "copies, allocations, contractions")
      ->check(CLI::IsMember(options.parts));
  app.add_option("--device-options", options.device_options, "as of blockyard run");
  app.add_option("--least", options.least_seconds, "seconds that each measurement is repeated for");
  app.add_option("--most", options.most_seconds,
                 "seconds; contractions that would take longer are left out");
  CLI11_PARSE(app, argc, argv);
  blockyard::tensor::blas::limit_blas_threads(
      static_cast<int>(std::thread::hardware_concurrency()));
  try {
    blockyard::bench::run_all(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "device_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
