// SPDX-License-Identifier: Apache-2.0
// Launches for callgrind, which inside.py runs: one for each line of the published table, between
// two functions by whose names callgrind begins to count and writes down what it counted.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/opencl/runtime.h"

extern "C" {
[[gnu::noinline]] void blockyard_count_begin() { asm volatile(""); }
[[gnu::noinline]] void blockyard_count_end() { asm volatile(""); }
}

namespace blockyard::bench {
namespace {

/// Smaller than published where callgrind, fifty times slower, would take minutes.
struct Program {
  const char* kernel;
  const char* row;
  std::size_t elements;
  bool is_short;  ///< published for all sizes of groups
};
constexpr Program programs[] = {{"square", "Square 100000", 100000, true},
                                {"vector_add", "VectorAdd 110000", 110000, true},
                                {"cp", "CP 64 x 64", 4096, false},
                                {"mri_q", "MRI-Q 3072", 3072, false},
                                {"mri_fhd", "MRI-FHD 3072", 3072, false}};

class Launches {
 public:
  void run(const Program& program) {
    for (const std::size_t per : {1, 10, 100, 1000})
      if (program.elements / per >= 2)
        count(program, per, {}, fmt::format("{} an item", per), "work per item");
    if (!program.is_short) return;
    for (const std::size_t group : {1, 10, 100, 1000})
      count(program, 1, group, fmt::format("groups of {}", group), "group size");
  }

 private:
  /// The first launch compiles, or loads what is compiled.
  void count(const Program& program, std::size_t per, std::optional<std::size_t> group,
             const std::string& column, const char* figure) {
    constexpr int count = 128, width = 64;
    const std::string_view name = program.kernel;
    std::vector<Argument> arguments = {a_};
    if (name != "square" && name != "cp") arguments.emplace_back(b_);
    arguments.emplace_back(out_);
    if (name != "square" && name != "vector_add") arguments.emplace_back(count);
    if (name == "cp") arguments.emplace_back(width);
    arguments.emplace_back(static_cast<int>(program.elements));
    arguments.emplace_back(static_cast<int>(per));
    const std::size_t items = (program.elements + per - 1) / per;
    std::optional<Extents> groups;
    if (group) groups = Extents{*group, 1, 1};
    const auto launch = [&] { runtime_.run(program.kernel, arguments, {items, 0, 0}, groups); };
    launch();
    blockyard_count_begin();
    launch();
    blockyard_count_end();
    fmt::print("{}\t{}\t{}\n", figure, program.row, column);
  }

  Runtime runtime_;
  std::vector<float> numbers_ = std::vector<float>(120000, 0.5F);
  opencl::Buffer a_ = runtime_.buffer(numbers_), b_ = runtime_.buffer(numbers_),
                 out_ = runtime_.buffer(numbers_);
};

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  try {
    blockyard::bench::Launches launches;
    for (const auto& program : blockyard::bench::programs)
      if (argc < 2 || std::string_view(argv[1]) == program.kernel) launches.run(program);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "opencl_instructions: {}\n", error.what());
    return 1;
  }
}
