// SPDX-License-Identifier: Apache-2.0
// The published experiments, line by line: see README.md.
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>

#include "bench/contract/measure.h"
#include "bench/opencl/loops.h"
#include "bench/opencl/runtime.h"

namespace blockyard::bench {
namespace {

using Floats = std::vector<float>;

constexpr double at_least_seconds = 5e-3;
int rounds = 3;

void print(const std::string& figure, const std::string& row, const std::string& column,
           double seconds, double speedup, const std::string& published = {}) {
  fmt::print(stderr, "{:<22} {:<40} {:<26} {:10.3f} ms {:8.2f}   {}\n", figure, row, column,
             seconds * 1e3, speedup, published);
  const nlohmann::ordered_json record = {{"bench", "opencl_published"},
                                         {"case", fmt::format("{}: {}: {}", figure, row, column)},
                                         {"figure", figure},
                                         {"row", row},
                                         {"column", column},
                                         {"seconds", seconds},
                                         {"speedup", speedup},
                                         {"published", published},
                                         {"machine", machine()},
                                         {"commit", commit()}};
  fmt::print("{}\n", record.dump());
  std::fflush(stdout);
}

Floats random_floats(std::size_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> values(0.0F, 0.999F);
  Floats made(count);
  for (float& value : made) value = values(random);
  return made;
}

/// Of the elements at these places, and the last one: all of them would take longer than to
/// measure.
void require_same(const std::string& name, const Floats& found,
                  const std::function<double(std::size_t)>& expected, double tolerance = 1e-3) {
  double largest = 1e-6;
  const std::size_t step = std::max<std::size_t>(1, found.size() / 97);
  for (std::size_t k = 0; k < found.size(); k += step)
    largest = std::max(largest, std::abs(expected(k)));
  for (std::size_t k = 0; k < found.size(); k += step)
    if (!(std::abs(static_cast<double>(found[k]) - expected(k)) <= tolerance * largest))
      throw std::runtime_error(
          fmt::format("{}: element {} is {} and should be {}", name, k, found[k], expected(k)));
}

template <class Action>
double best_of(const Action& action) {
  action();
  return best_seconds<wall_seconds>(rounds, at_least_seconds, action).front();
}

std::size_t items(std::size_t n, std::size_t per) { return (n + per - 1) / per; }
int as_int(std::size_t n) { return static_cast<int>(n); }

/// 1, 10, 100, 1000 elements an item, as far as there are items.
void per_item(Runtime& run, const std::string& kernel, const std::string& row, std::size_t n,
              std::vector<Argument> arguments, const std::string& published,
              const std::function<void()>& verify) {
  arguments.emplace_back(as_int(n));
  arguments.emplace_back(1);
  double first = 0;
  for (const std::size_t per : {1, 10, 100, 1000}) {
    if (n / per < 2) break;
    arguments.back() = Argument(as_int(per));
    const auto once = [&] { run.run(kernel, arguments, {items(n, per), 0, 0}); };
    once();
    verify();
    const double seconds = best_of(once);
    if (per == 1) first = seconds;
    print("work per item", row, fmt::format("{} an item", per), seconds, first / seconds,
          per == 1 ? "" : published);
  }
}

void work_per_item(Runtime& run, const Floats& numbers) {
  const opencl::Buffer a = run.buffer(numbers), b = run.buffer(numbers);
  const opencl::Buffer out = run.buffer(numbers.size() * sizeof(float));
  const std::string much = "much better, then flat", better = "better";
  const auto at = [&](std::size_t k) { return static_cast<double>(numbers[k]); };
  for (const std::size_t n : {10000U, 100000U, 1000000U, 10000000U})
    per_item(run, "square", fmt::format("Square {}", n), n, {a, out}, much, [&] {
      require_same("square", run.read(out, n), [&](std::size_t k) { return at(k) * at(k); });
    });
  for (const std::size_t n : {110000U, 1100000U, 5500000U, 11445000U})
    per_item(run, "vector_add", fmt::format("VectorAdd {}", n), n, {a, b, out}, much, [&] {
      require_same("vector_add", run.read(out, n), [&](std::size_t k) { return 2 * at(k); });
    });
  constexpr int atoms = 128, samples = 128, width = 64;
  per_item(run, "cp", "CP 64 x 512", std::size_t{64} * 512, {a, out, atoms, width}, better, [&] {
    require_same("cp", run.read(out, 64 * 512), [&](std::size_t k) {
      return coulomb_potential(numbers.data(), atoms, static_cast<int>(k), width);
    });
  });
  for (const bool is_fhd : {false, true})
    for (const std::size_t n : {3072U, 32768U}) {
      const std::string name = is_fhd ? "MRI-FHD" : "MRI-Q", kernel = is_fhd ? "mri_fhd" : "mri_q";
      per_item(run, kernel, fmt::format("{} {}", name, n), n, {a, b, out, samples}, better, [&] {
        require_same(kernel, run.read(out, 2 * n), [&](std::size_t k) {
          const auto sum = is_fhd ? mri_fhd(numbers.data(), samples, numbers.data() + 3 * (k / 2))
                                  : mri_q(numbers.data(), samples, numbers.data() + 3 * (k / 2));
          return k % 2 == 0 ? sum.real() : sum.imag();
        });
      });
    }
}

void group_size(Runtime& run, const Floats& numbers) {
  const opencl::Buffer a = run.buffer(numbers), b = run.buffer(numbers);
  const opencl::Buffer out = run.buffer(numbers.size() * sizeof(float));
  const auto measure = [&](const std::string& kernel, const std::string& row, std::size_t n,
                           std::vector<Argument> arguments, const std::vector<std::size_t>& groups,
                           const std::string& published) {
    arguments.emplace_back(as_int(n));
    arguments.emplace_back(1);
    const double free = best_of([&] { run.run(kernel, arguments, {n, 0, 0}); });
    print("group size", row, "NULL", free, 1.0);
    for (const std::size_t group : groups) {
      const double seconds = best_of([&] {
        run.run(kernel, arguments, {n / group * group, 0, 0}, Extents{group, 1, 1});
      });
      print("group size", row, fmt::format("{}", group), seconds, free / seconds, published);
    }
  };
  const std::string best = "larger is better up to a point; NULL is below the best";
  measure("square", "Square 1000000", 1000000, {a, out}, {1, 10, 100, 1000}, best);
  measure("vector_add", "VectorAdd 1100000", 1100000, {a, b, out}, {1, 10, 100, 1000}, best);
  const std::string enough = "larger is better until a group has enough to do";
  measure("cp", "CP 64 x 512", std::size_t{64} * 512, {a, out, 128, 64}, {8, 16, 32, 64, 128},
          enough);
  measure("mri_q", "MRI-Q 3072", 3072, {a, b, out, 128}, {32, 64, 128, 256, 512}, enough);
  measure("mri_fhd", "MRI-FHD 3072", 3072, {a, b, out, 128}, {32, 64, 128, 256, 512}, enough);
}

void square_groups(Runtime& run, const Floats& numbers) {
  const opencl::Buffer a = run.buffer(numbers), b = run.buffer(numbers);
  const opencl::Buffer out = run.buffer(numbers.size() * sizeof(float));
  for (const std::size_t rows : {400U, 800U}) {  // published with twice as many, and 4000
    const std::size_t columns = 2 * rows, inner = 400;
    for (const bool is_local : {false, true}) {
      double first = 0;
      for (const std::size_t side : {1U, 2U, 4U, 8U, 16U}) {
        std::vector<Argument> arguments = {a, b, out, as_int(inner)};
        if (is_local) arguments.insert(arguments.end(), 2, Argument::local(side * side * 4));
        const std::string kernel = is_local ? "multiply_local" : "multiply_naive";
        const auto once = [&] {
          run.run(kernel, arguments, {columns, rows, 0}, Extents{side, side, 1});
        };
        once();
        require_same(kernel, run.read(out, rows * columns), [&](std::size_t k) {
          double sum = 0;
          for (std::size_t l = 0; l < inner; ++l)
            sum += static_cast<double>(numbers[k / columns * inner + l]) *
                   static_cast<double>(numbers[l * columns + k % columns]);
          return sum;
        });
        const double seconds = best_of(once);
        if (side == 1) first = seconds;
        print("square groups",
              fmt::format("MatrixMul {} {} x {}", is_local ? "local" : "naive", rows, columns),
              fmt::format("{0} x {0}", side), seconds, first / seconds,
              is_local ? "best at 8 x 8" : "larger is better");
      }
    }
  }
  double first = 0;
  for (const auto& [x, y] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 2}, {2, 2}, {2, 4}, {16, 16}}) {
    const double seconds = best_of([&, x = x, y = y] {
      run.run("black_scholes", {a, out}, {512, 512, 0}, Extents{x, y, 1});
    });
    if (first == 0) first = seconds;
    print("square groups", "BlackScholes 512 x 512", fmt::format("{} x {}", x, y), seconds,
          first / seconds, "indifferent");
  }
}

void independent_chains(Runtime& run, const Floats& numbers) {
  constexpr std::size_t n = 1U << 16;
  const opencl::Buffer a = run.buffer(std::span(numbers).first(n)),
                       out = run.buffer(n * sizeof(float));
  double first = 0;
  for (const int chains : {1, 2, 4, 8}) {
    const auto once = [&] { run.run(fmt::format("chains_{}", chains), {a, out}, {n, 0, 0}); };
    once();
    require_same("chains", run.read(out, n), [&](std::size_t k) {
      double sum = 0;
      for (int c = 0; c < chains; ++c) {
        double x = static_cast<double>(numbers[k]) + c;
        for (int step = 0; step < 240 / chains; ++step) x = x * 0.999 + 0.001;
        sum += x;
      }
      return sum;
    });
    const double seconds = best_of(once);
    if (chains == 1) first = seconds;
    print("independent chains", "240 steps an item", fmt::format("{}", chains), seconds,
          first / seconds, chains == 1 ? "" : "faster");
  }
}

void mapping(Runtime& run, const Floats& numbers) {
  for (const std::size_t n : {std::size_t{1} << 16, std::size_t{1} << 22})
    for (const bool is_host : {false, true})
      for (const bool is_one_way : {false, true}) {
        const cl_mem_flags place = is_host ? CL_MEM_ALLOC_HOST_PTR : 0;
        const std::size_t bytes = n * sizeof(float);
        const auto a =
            run.buffer(bytes, place | (is_one_way ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE));
        const auto out =
            run.buffer(bytes, place | (is_one_way ? CL_MEM_WRITE_ONLY : CL_MEM_READ_WRITE));
        const auto in = std::span(numbers).first(n);
        const auto kernel = [&] {
          run.run("square", {a, out, as_int(n), 100}, {items(n, 100), 0, 0});
        };
        const auto map_in = [&] { run.map(a, CL_MAP_WRITE, bytes); };
        const auto map_out = [&] { run.map(out, CL_MAP_READ, bytes); };
        const std::string column =
            fmt::format("{}, {}", is_one_way ? "read-only/write-only" : "read-write",
                        is_host ? "host-allocated" : "device");
        const auto compare = [&](const std::string& what, double copied, double mapped) {
          print("mapping against copies", fmt::format("Square {}, {}", n, what), column, mapped,
                copied / mapped,
                "mapping better, more so for larger data; flag and place: no difference");
        };
        compare("in", best_of([&] { run.write(a, in); }), best_of(map_in));
        compare("out", best_of([&] { static_cast<void>(run.read(out, n)); }), best_of(map_out));
        compare("whole program", best_of([&] {
                  run.write(a, in);
                  kernel();
                  static_cast<void>(run.read(out, n));
                }),
                best_of([&] {
                  map_in();
                  kernel();
                  map_out();
                }));
      }
}

void dependent_chains(Runtime& run, const Floats& numbers) {
  constexpr std::size_t n = 1U << 20;
  const opencl::Buffer a = run.buffer(std::span(numbers).first(n)),
                       out = run.buffer(n * sizeof(float));
  Floats made(n);
  const auto once = [&] { run.run("six", {a, a, out}, {n, 0, 0}, Extents{1024, 1, 1}); };
  once();
  six_times(numbers.data(), numbers.data(), made.data(), 0, n);
  require_same("six", run.read(out, n),
               [&](std::size_t k) { return static_cast<double>(made[k]); });
  const auto on = [&](auto loop, unsigned threads) {
    return best_of([&] {
      std::vector<std::jthread> others;
      for (unsigned t = 0; t < threads; ++t)
        others.emplace_back([&, t] {
          loop(numbers.data(), numbers.data(), made.data(), n * t / threads, n * (t + 1) / threads);
        });
    });
  };
  const unsigned all = run.units();
  const double plain = on(six_times, 1);
  const std::string row = "six multiplications, one after the other";
  print("dependent chains", row, "loop in C++", plain, 1.0);
  const double simd = on(six_times_simd, 1), threads = on(six_times, all),
               both = on(six_times_simd, all);
  print("dependent chains", row, "omp simd", simd, plain / simd);
  print("dependent chains", row, fmt::format("loop, {} threads", all), threads, plain / threads);
  print("dependent chains", row, fmt::format("omp simd, {} threads", all), both, plain / both);
  const double opencl = best_of(once);
  print("dependent chains", row, "OpenCL", opencl, plain / opencl,
        "OpenCL vectorised, OpenMP not; about equal with omp simd");
}

/// c = a + b, then d = b c by the thread that computed c or by the next one, each bound to a core.
/// The threads stay, and meet between the two; sizes that fit private caches and one that does not.
void cores(const Floats& numbers, unsigned threads) {
  const auto seconds = [&](Floats& c, Floats& d, unsigned shift) {
    constexpr int repeats = 100;
    std::barrier meet(static_cast<std::ptrdiff_t>(threads));
    const auto work = [&](unsigned thread) {
      const auto each = [&](unsigned part, const auto& compute) {
        const std::size_t n = c.size(), of = part % threads;
        for (std::size_t k = n * of / threads; k < n * (of + 1) / threads; ++k) compute(k);
        meet.arrive_and_wait();
      };
      for (int repeat = 0; repeat < repeats; ++repeat) {
        each(thread, [&](std::size_t k) { c[k] = numbers[k] + d[k]; });
        each(thread + shift, [&](std::size_t k) { d[k] = numbers[k] * c[k]; });
      }
    };
    return best_of([&] {
             std::vector<std::jthread> running;
             for (unsigned t = 0; t < threads; ++t) {
               cpu_set_t set;
               CPU_ZERO(&set);
               CPU_SET(t, &set);
               running.emplace_back(work, t);
               pthread_setaffinity_np(running.back().native_handle(), sizeof set, &set);
             }
           }) /
           repeats;
  };
  for (const std::size_t n : {std::size_t{1} << 13, std::size_t{1} << 16, std::size_t{1} << 22}) {
    Floats c(n), d(n, 0.5F);
    const double aligned = seconds(c, d, 0), shuffled = seconds(c, d, 1);
    const std::string row = fmt::format("c = a + b, d = b c, {} elements each", n / threads);
    print("cores", row, "same cores", aligned, 1.0);
    print("cores", row, "shuffled", shuffled, aligned / shuffled, "0.87");
  }
}

void further_programs(Runtime& run, const Floats& numbers) {
  const opencl::Buffer a = run.buffer(numbers), out = run.buffer(numbers.size() * sizeof(float));
  const auto measure = [&](const std::string& kernel, const std::string& row, std::size_t n,
                           std::size_t group, std::size_t local, std::size_t results,
                           const std::function<double(std::size_t)>& expected) {
    const auto once = [&] {
      run.run(kernel, {a, out, Argument::local(local * 4)}, {n, 0, 0}, Extents{group, 1, 1});
    };
    once();
    require_same(kernel, run.read(out, results), expected, 1e-3);
    print("further programs", row, "OpenCL", best_of(once), 1.0);
  };
  const auto sum = [&](std::size_t begin, std::size_t end) {
    return std::accumulate(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                           numbers.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  };
  for (const std::size_t n : {640000U, 2560000U, 10240000U})
    measure("reduction", fmt::format("Reduction {}, groups of 256", n), n, 256, 256, n / 256,
            [&](std::size_t k) { return sum(256 * k, 256 * k + 256); });
  measure("histogram", "Histogram 409600, groups of 128", 409600, 128, 64, 409600 / 128 * 64,
          [&](std::size_t k) {
            double count = 0;
            for (std::size_t i = 0; i < 128; ++i)
              count += static_cast<std::size_t>(numbers[k / 64 * 128 + i] * 64) == k % 64 ? 1 : 0;
            return count;
          });
  measure("prefix_sum", "Prefixsum 1024, one group", 1024, 1024, 1024, 1024,
          [&](std::size_t k) { return sum(0, k + 1); });
  for (const std::size_t n : {255000U, 2550000U})
    measure(
        "binomial", fmt::format("Binomialoption {}, groups of 255", n), n, 255, 256, n / 255,
        [&](std::size_t k) { return binomial_option(0.5 + static_cast<double>(numbers[k]), 255); });
}

void run_all(bool is_quick) {
  if (is_quick) rounds = 1;
  const Floats numbers = random_floats(11445000);
  print_api_costs(print, numbers);  // first, for the platform is loaded once in a process
  Runtime run;
  fmt::print(stderr, "{}; times faster than the first column of a row\n", run.name());
  work_per_item(run, numbers);
  group_size(run, numbers);
  square_groups(run, numbers);
  independent_chains(run, numbers);
  mapping(run, numbers);
  dependent_chains(run, numbers);
  cores(numbers, std::max(2U, run.units()));
  further_programs(run, numbers);
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    blockyard::bench::run_all(argc > 1 && std::string(argv[1]) == "--quick");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "opencl_published_bench: {}\n", error.what());
    return 1;
  }
}
