// SPDX-License-Identifier: Apache-2.0
// See README.md: what does a device make of a block?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/contract/measure.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/loader.h"
#include "blockyard/device/operation.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::bench {
namespace {

using base::Extent;
using device::Device;
using tensor::Shape;

/// Best wall seconds of an action that is repeated until it took `least` seconds in all.
template <class Action>
double best_of(double least, const Action& action) {
  double best = std::numeric_limits<double>::infinity();
  const double end = base::now_seconds() + least;
  do {
    const double begin = base::now_seconds();
    action();
    best = std::min(best, base::now_seconds() - begin);
  } while (base::now_seconds() < end);
  return best;
}

void print(nlohmann::ordered_json record) {
  record["machine"] = machine();
  record["commit"] = commit();
  std::cout << record.dump() << std::endl;
}

class Bench {
 public:
  Bench(std::string name, const device::Table& table, int index, double least)
      : name_(std::move(name)), device_(table, index), least_(least) {}

  void run() {
    for (Extent bytes = Extent{1} << 10; bytes <= Extent{1} << 26; bytes *= 8) copies(bytes);
    for (const Extent extent : {8, 16, 24, 32, 40}) {
      contraction("straight", extent, {{0, 1, 2, 3}, {0, 1, 4, 5}, {4, 5, 2, 3}});
      contraction("permuted", extent, {{0, 1, 2, 3}, {4, 1, 0, 5}, {2, 5, 3, 4}});
    }
  }

 private:
  device::Memory allocate(Extent bytes) {
    auto memory = device_.allocate(bytes);
    if (!memory) throw base::Error(base::Errc::no_memory, "the device has no room for the bench");
    return std::move(*memory);
  }

  void copies(Extent bytes) {
    std::vector<std::byte> host(static_cast<std::size_t>(bytes), std::byte{1});
    const device::Memory memory = allocate(bytes);
    device::Stream stream = device_.open_stream();
    const double in = best_of(least_, [&] {
      stream.copy_in(memory.address(), host);
      stream.synchronise();
    });
    const double out = best_of(least_, [&] {
      stream.copy_out(host, memory.address());
      stream.synchronise();
    });
    const double gigabytes = 1e-9 * static_cast<double>(bytes);
    fmt::print(stderr, "{:8} copy {:9} bytes: in {:7.2f} GB/s, out {:7.2f} GB/s\n", name_, bytes,
               gigabytes / in, gigabytes / out);
    print({{"bench", "device"},
           {"case", fmt::format("{} copy {}", name_, bytes)},
           {"bytes", bytes},
           {"in_gigabytes_per_second", gigabytes / in},
           {"out_gigabytes_per_second", gigabytes / out}});
  }

  void contraction(const char* kind, Extent extent, const tensor::ContractSpec& spec) {
    const Shape shape({extent, extent, extent, extent});
    const auto plan =
        device_.open_plan(device::contract_operation(BLOCKYARD_F64, spec, shape, shape, shape));
    if (!plan) return;
    const Extent elements = shape.element_count(), bytes = elements * 8;
    const device::Memory result = allocate(bytes), left = allocate(bytes), right = allocate(bytes);
    const device::Memory workspace = allocate(plan->workspace_bytes());
    device::Stream stream = device_.open_stream();
    stream.fill(left.address(), BLOCKYARD_F64, 0.5, elements);
    stream.fill(right.address(), BLOCKYARD_F64, 0.25, elements);
    stream.synchronise();
    const double ours = best_of(least_, [&] {
      stream.run(*plan,
                 {1, 0, result.address(), left.address(), right.address(), workspace.address()});
      stream.synchronise();
    });
    const Extent m = extent * extent;
    std::vector<double> a(static_cast<std::size_t>(elements), 0.5), b(a), c(a);
    using tensor::blas::Op;
    const double dgemm = best_of(least_, [&] {
      tensor::blas::gemm<double>(Op::none, Op::none, m, m, m, 1.0, a.data(), m, b.data(), m, 0.0,
                                 c.data(), m);
    });
    const double gflop = 2e-9 * static_cast<double>(m) * static_cast<double>(m * m);
    fmt::print(stderr, "{:8} {} {:2}^4: {:8.1f} Gflop/s, host dgemm {:8.1f}, ratio {:.2f}\n", name_,
               kind, extent, gflop / ours, gflop / dgemm, dgemm / ours);
    print({{"bench", "device"},
           {"case", fmt::format("{} contract {} {}", name_, kind, extent)},
           {"extent", extent},
           {"gflops", gflop / ours},
           {"dgemm_gflops", gflop / dgemm},
           {"ratio_to_dgemm", dgemm / ours}});
  }

  std::string name_;
  Device device_;
  double least_;
};

void run_all(const std::vector<std::string>& files, double least) {
  Bench("host", device::host::table(), 0, least).run();
  for (const std::string& file : files) {
    const device::Plugin plugin(file);
    for (int index = 0; index < device::device_count(plugin.table()); ++index)
      Bench(file.find("cuda") != std::string::npos ? "cuda" : "opencl", plugin.table(), index,
            least)
          .run();
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  CLI::App app("Copies and contractions of blocks on devices");
  std::vector<std::string> files;
  double least = 0.2;
  app.add_option("plugins", files, "plug-ins of devices");
  app.add_option("--least", least, "seconds that each measurement is repeated for");
  CLI11_PARSE(app, argc, argv);
  blockyard::tensor::blas::limit_blas_threads(
      static_cast<int>(std::thread::hardware_concurrency()));
  try {
    blockyard::bench::run_all(files, least);
  } catch (const std::exception& error) {
    fmt::print(stderr, "device_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
