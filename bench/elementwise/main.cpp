// SPDX-License-Identifier: Apache-2.0
// See README.md: do operations on elements run as fast as memory or the first cache give them?
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/contract/lines.h"
#include "bench/contract/measure.h"
#include "bench/contract/rounds_main.h"
#include "blockyard/base/buffer.h"
#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/elementwise.h"

namespace blockyard::bench {
namespace {

using tensor::Extent;
using Json = nlohmann::ordered_json;

/// Where a block is: three of them together fit there.
struct Place {
  const char* name;
  std::size_t bytes;  ///< of one block
};
constexpr std::array places = {Place{"first cache", 8u << 10}, Place{"second cache", 384u << 10},
                               Place{"memory", 96u << 20}};

/// The blocks that all operations work on.
template <class T>
class Blocks {
 public:
  explicit Blocks(std::size_t bytes)
      : x_(make(bytes)), y_(make(bytes)), z_(make(bytes)), count_(bytes / sizeof(T)) {}
  [[nodiscard]] std::span<T> x() noexcept { return {x_.as<T>(), count_}; }
  [[nodiscard]] std::span<T> y() noexcept { return {y_.as<T>(), count_}; }
  [[nodiscard]] std::span<T> z() noexcept { return {z_.as<T>(), count_}; }

 private:
  base::Buffer make(std::size_t bytes) {
    base::Buffer buffer = pool_.allocate(bytes);
    std::fill_n(buffer.as<T>(), bytes / sizeof(T), T(1));
    return buffer;
  }
  base::BufferPool pool_{0};  // blocks are aligned as those of a run are
  base::Buffer x_, y_, z_;
  std::size_t count_;
};

class Table {
 public:
  explicit Table(int rounds) : rounds_(rounds) {
    fmt::print(stderr, "{:40} {:>8} {:>8} {:>7} {:>16} {:>7}\n", "operation", "GB/s", "memcpy",
               "ratio", "the C library's", "ratio");
  }
  /// An operation that reads and writes `moved` blocks of `bytes` together. `like` is a function of
  /// the C library with the same traffic, called by `alike`, if it has one.
  template <class Action, class Copy, class Alike>
  void measure(const std::string& name, std::size_t bytes, int moved, Action action, Copy copy,
               const char* like, Alike alike) {
    const auto seconds = best_seconds(rounds_, 1e-3, action, copy, alike);
    const double gigabytes = 1e-9 * static_cast<double>(bytes);
    const double ours = moved * gigabytes / seconds[0], plain = 2 * gigabytes / seconds[1];
    fmt::print(stderr, "{:40} {:8.1f} {:8.1f} {:7.2f} {:>16} {:7.2f}\n", name, ours, plain,
               ours / plain, like, seconds[2] / seconds[0]);
    records.push_back({{"bench", "elementwise"},
                       {"case", name},
                       {"gigabytes_per_second", ours},
                       {"memcpy_gigabytes_per_second", plain},
                       {"ratio_to_memcpy", ours / plain},
                       {fmt::format("speed_ratio_to_{}", like), seconds[2] / seconds[0]},
                       {"machine", machine()},
                       {"commit", commit()}});
  }
  std::vector<Json> records;

 private:
  int rounds_;
};

/// A factor of absolute value 1, so that values stay what they are however often it is applied; not
/// real for complex elements, which takes a shorter way.
template <class T>
T factor() {
  if constexpr (std::is_same_v<T, tensor::c128>)
    return {0.6, 0.8};
  else
    return 1;
}

template <class T>
void measure_all(Table& table, const char* type, const Place& place) {
  Blocks<T> blocks(place.bytes);
  const std::span<T> x = blocks.x(), y = blocks.y(), z = blocks.z();
  const auto count = static_cast<Extent>(x.size());
  const tensor::Shape shape{count};
  const tensor::ContractPlan products({{1}, {1}, {1}}, shape, shape, shape, tensor::options_for<T>);
  const auto copy = [&] { std::memcpy(z.data(), x.data(), x.size_bytes()); };
  const auto add = [&](const char* name, int moved, auto action, const char* like, auto alike) {
    table.measure(fmt::format("{} {}, {}", type, name, place.name), place.bytes, moved, action,
                  copy, like, alike);
  };
  // Kernels that only read need a result that the compiler cannot discard.
  [[maybe_unused]] volatile bool found = false;
  const auto set = [&] { std::memset(static_cast<void*>(x.data()), 0, x.size_bytes()); };
  const auto change = [&] { std::memcpy(y.data(), x.data(), x.size_bytes()); };
  const auto search = [&] { found = std::memchr(x.data(), 1, x.size_bytes()) != nullptr; };
  const auto compare = [&] { found = std::memcmp(x.data(), y.data(), x.size_bytes()) != 0; };
  add(
      "y = alpha x", 2, [&] { tensor::axpby<T>(factor<T>(), x, T(0), y); }, "memcpy", change);
  add(
      "x = alpha x", 2, [&] { tensor::scale<T>(x, factor<T>()); }, "memcpy", change);
  add(
      "x = x + value", 2, [&] { tensor::add_scalar<T>(x, T(0)); }, "memcpy", change);
  add(
      "y = y + alpha x", 3, [&] { tensor::axpy<T>(factor<T>(), x, y); }, "memcpy", change);
  add(
      "y = alpha x + beta y", 3, [&] { tensor::axpby<T>(factor<T>(), x, T(0.5) * factor<T>(), y); },
      "memcpy", change);
  add(
      "z = x y", 3, [&] { tensor::run<T>(products, T(1), x.data(), y.data(), T(0), z.data(), {}); },
      "memcpy", change);
  add(
      "x = value", 1, [&] { tensor::fill<T>(x, T(0)); }, "memset", set);
  add(
      "sum of x", 1, [&] { z[0] = tensor::sum<T>(x); }, "memchr", search);
  std::ranges::fill(y, T(0));  // equal to x, so that all of both is read
  add(
      "sum of x y", 2, [&] { z[0] = tensor::dot<T>(x, y); }, "memcmp", compare);
}

void run_all(int rounds, const std::string& json_file) {
  Table table(rounds);
  for (const Place& place : places) {
    measure_all<double>(table, "f64", place);
    measure_all<tensor::c128>(table, "c128", place);
  }
  write_lines(table.records, json_file);
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  return blockyard::bench::main_of_rounds(
      argc, argv, "elementwise_bench",
      "Do operations on elements run as fast as memory or the first cache give them?",
      blockyard::bench::run_all);
}
