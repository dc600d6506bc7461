// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <stop_token>
#include <thread>
#include <vector>

#include "blockyard/base/best_seconds.h"
#include "blockyard/base/buffer.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/job/scratch.h"
#include "blockyard/plan/calibration_job.h"
#include "blockyard/plan/calibration_programs.h"
#include "blockyard/qc/integral_cost.h"
#include "blockyard/server/spiller.h"
#include "blockyard/store/posix.h"
#include "blockyard/store/spill_file.h"
#include "blockyard/tensor/blas.h"
#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/elementwise.h"
#include "blockyard/tensor/permute.h"

namespace blockyard::plan {

using base::Extent;

namespace {

constexpr int rounds = 3;
constexpr double round_seconds = 1e-3;
constexpr double element_bytes = sizeof(double);

/// Seconds of an action: the best round.
template <class Action>
double seconds_of(const Action& action) {
  return base::best_seconds(rounds, round_seconds, action);
}

/// Of an m x k and a k x n matrix.
tensor::ContractPlan matrix_product(Extent m, Extent k, Extent n) {
  return {{{0, 2}, {0, 1}, {1, 2}}, tensor::Shape{m, n}, tensor::Shape{m, k}, tensor::Shape{k, n}};
}

/// Keeps all cores but one at block arithmetic for its life. In a run all workers compute at once:
/// cores that share units, caches and memory are slower then than one alone.
class OtherCores {
 public:
  explicit OtherCores(int cores) {
    for (int core = 1; core < cores; ++core)
      threads_.emplace_back([](const std::stop_token& stop) {
        constexpr Extent extent = 192;  // past the nearest caches, as blocks are
        const tensor::ContractPlan plan = matrix_product(extent, extent, extent);
        const std::vector<double> factor(extent * extent, 1e-3);
        std::vector<double> result(factor.size());
        std::vector<double> room(static_cast<std::size_t>(plan.workspace_elements()));
        while (!stop.stop_requested())
          tensor::run<double>(plan, 1.0, factor.data(), factor.data(), 0.0, result.data(), room);
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

void measure_contractions(Machine& machine) {
  machine.contraction_flops.clear();
  const auto largest = static_cast<std::size_t>(Machine::sizes.back() * Machine::sizes.back());
  const std::vector<double> left(largest, 1.0);
  const std::vector<double> right(largest, 0.5);
  std::vector<double> result(largest);
  for (const double m : Machine::sizes)
    for (const double k : Machine::sizes)
      for (const double n : Machine::sizes) {
        const tensor::ContractPlan plan =
            matrix_product(static_cast<Extent>(m), static_cast<Extent>(k), static_cast<Extent>(n));
        std::vector<double> room(static_cast<std::size_t>(plan.workspace_elements()));
        const double seconds = seconds_of([&] {
          tensor::run<double>(plan, 1.0, left.data(), right.data(), 1.0, result.data(), room);
        });
        machine.contraction_flops.push_back(2 * m * n * k / seconds);
      }
}

void measure_memory(Machine& machine) {
  constexpr Extent extent = 28;  // a block of four virtual indexes: larger than a cache
  const tensor::Shape shape{extent, extent, extent, extent};
  std::vector<double> from(static_cast<std::size_t>(shape.element_count()), 1.0);
  std::vector<double> to(from.size());
  const auto move = [&](const std::array<int, 4>& order) {
    return 2 * element_bytes * static_cast<double>(from.size()) / seconds_of([&] {
             tensor::transform<double>(1.0, tensor::View<double>::dense(from.data(), shape), order,
                                       0.0, tensor::View<double>::dense(to.data(), shape));
           });
  };
  machine.permute_bytes = (move({3, 2, 1, 0}) + move({2, 3, 0, 1}) + move({0, 3, 2, 1})) / 3;
  machine.copy_bytes = move({0, 1, 2, 3});
}

void measure_integrals(Machine& machine, const std::function<void(double)>& share) {
  int done = 0;
  const qc::RepulsionRates rates =
      qc::measure_repulsion([&] { share(done++ / (qc::most_momentum_sum + 1.0)); });
  machine.quartet_seconds = rates.quartet_seconds;
  machine.primitive_seconds = rates.primitive_seconds;
}

/// Does request(k, pages) for all k < count on as many threads as a server has for its disk, each
/// with its own pages; seconds.
template <class Request>
double seconds_at_once(std::size_t count, const Request& request) {
  std::atomic<std::size_t> next = 0;
  const double begin = base::now_seconds();
  std::vector<std::future<void>> all;
  for (int thread = 0; thread < server::Spiller::queue_depth; ++thread)
    all.push_back(std::async(std::launch::async, [&] {
      store::RecordPages pages;
      for (std::size_t k = next++; k < count; k = next++) request(k, pages);
    }));
  for (auto& one : all) one.wait();
  for (auto& one : all) one.get();  // throws what a request threw
  return base::now_seconds() - begin;
}

/// Records of a spill file, written and read as a server does.
void measure_disk(Machine& machine, const std::string& scratch) {
  constexpr std::size_t record_bytes = std::size_t{2} << 20;
  constexpr std::size_t count = 128;
  const job::ScratchFolder folder(job::scratch_parent(scratch));
  store::PosixStore disk;
  store::SpillFile file(disk, folder.path() / "calibrate");
  base::BufferPool pool(0);  // what is read goes to memory that is new to the process
  const std::vector<std::byte> values(record_bytes, std::byte{1});
  std::vector<store::SpillFile::Record> records;
  for (std::size_t k = 0; k < count; ++k) records.push_back(file.reserve(record_bytes));
  constexpr auto bytes = static_cast<double>(count * record_bytes);
  machine.disk_write_bytes =
      bytes / seconds_at_once(count, [&](std::size_t k, store::RecordPages& pages) {
        file.write(records[k].place(), values, pages);
      });
  machine.disk_read_bytes =
      bytes / seconds_at_once(count, [&](std::size_t k, store::RecordPages& pages) {
        base::Buffer fresh = pool.allocate(record_bytes);
        file.read(records[k].place(), fresh.bytes(), pages);
      });
}

}  // namespace

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const std::size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
          at != std::string::npos)
        return line.substr(at);
  return "unknown processor";
}

Machine calibrate(const std::string& scratch, const input::Places& places,
                  const std::function<void(std::string_view, double)>& progress) {
  tensor::blas::limit_blas_threads(1);
  Machine machine = assumed_machine();
  machine.name = processor_name();
  machine.cores = base::usable_cores();
  {
    const OtherCores busy(machine.cores);
    progress("contractions", 0.0);
    measure_contractions(machine);
    progress("memory", 0.3);
    measure_memory(machine);
    measure_integrals(machine, [&](double share) { progress("integrals", 0.35 + 0.25 * share); });
  }
  progress("statements and transfers", 0.6);
  measure_statements(machine);
  progress("disk", 0.9);
  measure_disk(machine, scratch);
  // Processes of one node exchange blocks by copies. A network's rates are for its owner to enter.
  machine.fabric_bytes = machine.copy_bytes / 2;
  machine.fabric_latency_seconds = machine.get_seconds;
  progress("a job", 0.95);
  machine.job_ratio = measure_job_ratio(machine, places);
  return machine;
}

}  // namespace blockyard::plan
