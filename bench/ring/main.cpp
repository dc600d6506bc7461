// SPDX-License-Identifier: Apache-2.0
// See README.md: what do a ring and its update cost?
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <complex>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/reported.h"
#include "bench/ring/overlap.h"
#include "blockyard/lattice/g4_run.h"
#include "blockyard/lattice/hubbard.h"
#include "blockyard/lattice/walker.h"

extern "C" void dger_(const int* m, const int* n, const double* alpha, const double* x,
                      const int* incx, const double* y, const int* incy, double* a, const int* lda);

namespace blockyard::bench {
namespace {

using Line = nlohmann::ordered_json;

void print(const std::string& name, Line line) {
  Line all{{"bench", "ring"}, {"case", name}};
  all.update(line);
  std::cout << all.dump() << std::endl;
}

void print_overlap() {
  constexpr double update_seconds = 2e-3;
  constexpr int items = 100;
  for (const double variation : {0.0, 0.5})
    for (const double ratio : {0.5, 1.0, 2.0}) {
      // Each rank takes in the items of both, and sends as many as it has.
      const double transfer_seconds = 2 * ratio * update_seconds;
      const OverlapTimes times =
          measure_overlap(update_seconds, transfer_seconds, variation, items);
      const double larger = std::max(times.updates, items * transfer_seconds);
      print(fmt::format("overlap {}{}", ratio, variation > 0 ? ", varying updates" : ""),
            {{"seconds", times.ring},
             {"ratio_to_larger", times.ring / larger},
             {"lock_step_seconds", times.lock_step},
             {"ratio_to_lock_step", times.lock_step / times.ring}});
    }
}

lattice::Problem published() {
  lattice::Hubbard model;
  model.lengths = {6, 6};
  constexpr int frequencies = 64;
  return lattice::problem_of(model, frequencies, 1, lattice::irreducible_momenta(model.lengths));
}

void print_bytes() {
  const lattice::Problem problem = published();
  lattice::G4Options options;
  options.channels = {lattice::Channel::pp_up_down};
  options.memory_bytes = std::int64_t{1} << 50;
  const auto megabytes = [&](lattice::Travel travel, ring::Route route, int size,
                             std::int64_t vertices) {
    options.travel = travel;
    options.flow.route = route;
    options.ring = size;
    return static_cast<double>(lattice::plan_g4(problem, options, size, vertices).sent_bytes) / 1e6;
  };
  for (const int size : {2, 3, 6, 12, 30, 60}) {
    const double published_bytes =
        megabytes(lattice::Travel::g, ring::Route::ring, size, 0) / 2;  // half of an axis
    Line line{{"g_ring_published", published_bytes},
              {"g_direct", megabytes(lattice::Travel::g, ring::Route::direct, size, 0)}};
    for (const std::int64_t vertices : {200, 400, 1000}) {
      const double sent = megabytes(lattice::Travel::sample, ring::Route::ring, size, vertices);
      line[fmt::format("sample_{}", vertices)] = sent;
      line[fmt::format("published_to_sample_{}", vertices)] = published_bytes / sent;
    }
    print(fmt::format("bytes {}", size), line);
  }
}

/// Of this thread's processor: other load does not count, unlike its traffic to memory.
double processor_seconds() {
  timespec now{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The shortest of a few runs.
double seconds_of(const std::function<void()>& work) {
  constexpr int runs = 5;
  double best = 1e300;
  for (int k = 0; k < runs; ++k) {
    const double begin = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - begin);
  }
  return best;
}

/// Growing and shrinking the inverse in the walker, half of both together, against dger.
void print_rank_1() {
  for (const int n : {100, 400, 1000}) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> matrix(size * size, 1e-3), vector(size, 1e-2);
    for (std::size_t i = 0; i < size; ++i) matrix[i * size + i] = 1;
    lattice::GrowingInverse inverse;
    inverse.assign(matrix, n);
    const int times = 4'000'000 / (n * n) + 1;
    const double ours = seconds_of([&] {
      for (int k = 0; k < times; ++k) {
        (void)inverse.ratio(vector, vector, 1.0);
        inverse.grow();
        inverse.shrink(n);
      }
    });
    const double alone = seconds_of([&] {
      for (int k = 0; k < times; ++k) (void)inverse.ratio(vector, vector, 1.0);
    });
    const double factor = 1e-9;
    const int one = 1;
    const double dger = seconds_of([&] {
      for (int k = 0; k < times; ++k)
        dger_(&n, &n, &factor, vector.data(), &one, vector.data(), &one, matrix.data(), &n);
    });
    print(fmt::format("rank-1 update, order {}", n),
          {{"microseconds", (ours - alone) / 2 / times * 1e6},
           {"dger_microseconds", dger / times * 1e6},
           {"ratio_to_dger", (ours - alone) / 2 / dger}});
  }
}

void print_kernel() {
  lattice::Hubbard model;
  model.lengths = {6, 6};
  constexpr int frequencies = 8;
  const lattice::Problem problem =
      lattice::problem_of(model, frequencies, 1, lattice::irreducible_momenta(model.lengths));
  const lattice::Cluster cluster = problem.cluster();
  for (const lattice::Channel channel : lattice::all_channels) {
    const auto transfers = static_cast<int>(problem.exchange_momenta.size());
    const lattice::SliceShape shape{problem.axes, {channel}, transfers, 1};
    const ring::Range all{0, shape.units()};
    const lattice::TileSet set(problem.axes, shape.channels, all);
    constexpr std::size_t many = 8;
    const std::vector<std::vector<double>> tiles(many, std::vector<double>(set.values(), 0.5));
    std::vector<double> slice(static_cast<std::size_t>(shape.units()) * shape.unit_values());
    lattice::TwoParticle two(cluster, shape, set, all);
    const auto pass = [&](std::size_t samples) {
      std::vector<lattice::SampleTiles> batch;
      for (std::size_t k = 0; k < samples; ++k) batch.push_back({1.0, 0, tiles[k].data()});
      return seconds_of([&] { two.add(batch, slice); });
    };
    std::vector<std::complex<double>> x(slice.size() / 2, 1.0), y(x.size());
    const double axpy = seconds_of([&] {
      for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
    });
    constexpr double of_a_value = 32;
    constexpr double of_axpy = 48;
    const double values = static_cast<double>(x.size());
    const double one = pass(1);
    const double each_of_many = pass(many) / static_cast<double>(many);
    print(fmt::format("kernel {}", name_of(channel)),
          {{"gigabytes_per_second", of_a_value * values / one / 1e9},
           {"axpy_gigabytes_per_second", of_axpy * values / axpy / 1e9},
           {"ratio_to_axpy", of_a_value / one / (of_axpy / axpy)},
           {"ratio_of_one_to_each_of_8", one / each_of_many}});
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int count, char** names) {
  using namespace blockyard::bench;
  const std::pair<std::string_view, void (*)()> parts[] = {{"bytes", print_bytes},
                                                           {"kernel", print_kernel},
                                                           {"rank_1", print_rank_1},
                                                           {"overlap", print_overlap}};
  const std::vector<std::string_view> asked(names + 1, names + count);
  return reported([&] {
    for (const auto& [name, print_part] : parts)
      if (asked.empty() || std::ranges::find(asked, name) != asked.end()) print_part();
  });
}
