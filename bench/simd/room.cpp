// SPDX-License-Identifier: Apache-2.0
// The kernels of room tensor against the forms of this bench for the same work.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"
#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::bench {
namespace {

using base::Extent;
using tensor::detail::Kernels;

constexpr double at_least_seconds = 1e-3;

template <class T>
const Squares<T>& squares_of(const auto& loops) {
  if constexpr (sizeof(T) == sizeof(float))
    return loops.squares_f32;
  else
    return loops.squares_f64;
}

template <class T>
class Room {
 public:
  /// which: place of the instruction set among those that this processor has.
  Room(const InstructionSet& set, std::size_t which, int rounds)
      : set_(set), kernels_(*tensor::detail::all_kernels<T>().at(which)), rounds_(rounds) {
    std::mt19937 random(7);
    std::uniform_real_distribution<T> values(T(-1), T(1));
    for (auto* numbers : {&a_, &b_})
      for (T& value : *numbers) value = values(random);
  }

  [[nodiscard]] std::vector<Line> lines() {
    for (int n = least_side; n <= most_side; ++n) square(n);
    elements_31();
    if constexpr (sizeof(T) == sizeof(double)) rows_of_7();
    return std::move(lines_);
  }

 private:
  static std::string type() { return sizeof(T) == sizeof(float) ? "f32" : "f64"; }
  [[nodiscard]] bool is_chosen() const { return &kernels_ == &tensor::detail::kernels<T>(); }

  void add(const std::string& name, const std::string& way, double of_bench, double of_room) {
    lines_.push_back({name, way, of_bench, of_room});
  }
  /// The same results as before, of the first `count` elements.
  void verify(const std::string& name, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      if (!(std::abs(c_[k] - expected_[k]) <= T(1e-5) * T(300)))
        throw std::runtime_error(fmt::format("{}: element {} is {} and should be {}", name, k,
                                             double(c_[k]), double(expected_[k])));
  }

  void square(int n) {
    const auto at = static_cast<std::size_t>(n - least_side);
    const auto compiled = squares_of<T>(set_.compiled())[at];
    auto by_hand = squares_of<T>(set_.by_hand())[at];
    if (by_hand == nullptr) by_hand = compiled;
    const auto with = [&](auto form) { return [this, form] { form(a(), b(), c()); }; };
    const auto kernel = [this, n] {
      kernels_.small_gemm({n, n, n, T(1), n, 1, n, n}, a(), b(), T(0), c());
    };
    const tensor::Shape shape({n, n});
    const tensor::ContractPlan plan({{0, 2}, {0, 1}, {1, 2}}, shape, shape, shape,
                                    tensor::options_for<T>);
    const auto planned = [&] { tensor::run<T>(plan, T(1), a(), b(), T(0), c(), workspace_); };
    const std::string name = fmt::format("{0} x {0} product, {1}", n, type());
    with(compiled)();
    expected_ = c_;
    with(by_hand)();
    verify(name, static_cast<std::size_t>(n * n));
    kernel();
    verify(name, static_cast<std::size_t>(n * n));
    planned();
    verify(name, static_cast<std::size_t>(n * n));
    const auto best =
        best_seconds(rounds_, at_least_seconds, with(compiled), with(by_hand), kernel, planned);
    add(name, "kernel", std::min(best[0], best[1]), best[2]);
    if (is_chosen()) add(name, "planned", std::min(best[0], best[1]), best[3]);
    many_squares(n, compiled, by_hand);
  }

  /// The same for products whose matrices follow each other.
  void many_squares(int n, auto compiled, auto by_hand) {
    const std::size_t step = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const auto with = [&, step](auto form) {
      return [this, form, step] {
        for (std::size_t k = 0; k < run_length; ++k)
          form(a() + k * step, b() + k * step, c() + k * step);
      };
    };
    const Extent side = n, apart = side * side;
    const auto kernel = [&] {
      kernels_.small_gemm(
          {side, side, side, T(1), side, 1, side, side, Extent(run_length), apart, apart, apart},
          a(), b(), T(0), c());
    };
    const tensor::Shape shape({side, side, Extent(run_length)});
    const tensor::ContractPlan plan({{0, 2, 3}, {0, 1, 3}, {1, 2, 3}}, shape, shape, shape,
                                    tensor::options_for<T>);
    const auto planned = [&] { tensor::run<T>(plan, T(1), a(), b(), T(0), c(), workspace_); };
    const std::string name = fmt::format("{} products {} x {}, {}", run_length, n, n, type());
    with(compiled)();
    expected_ = c_;
    kernel();
    verify(name, run_length * step);
    planned();
    verify(name, run_length * step);
    const auto best =
        best_seconds(rounds_, at_least_seconds, with(compiled), with(by_hand), kernel, planned);
    add(name, "kernel", std::min(best[0], best[1]), best[2]);
    if (is_chosen()) add(name, "planned", std::min(best[0], best[1]), best[3]);
  }

  /// c = a b, element by element, which loads and stores as much as c = a + b.
  void elements_31() {
    Sums<T> ways;
    if constexpr (sizeof(T) == sizeof(float))
      ways = set_.by_hand().sums_f32;
    else
      ways = set_.by_hand().sums_f64;
    const auto form = ways.masked_rest != nullptr ? ways.masked_rest : ways.scalar_rest;
    const auto best = best_seconds(
        rounds_, at_least_seconds, [&] { form(a(), b(), c()); },
        [&] { kernels_.product(sum_length, T(1), a(), b(), T(0), c()); });
    add(fmt::format("31 elements, {}", type()), "kernel", best[0], best[1]);
  }

  /// out(k) = sum over rows of in(k, row) factors(row), rows 8 apart.
  void rows_of_7() {
    const auto compiled = set_.compiled().add_rows_of_7;
    auto by_hand = set_.by_hand().add_rows_of_7;
    if (by_hand == nullptr) by_hand = compiled;
    const auto with = [&](auto form) { return [this, form] { form(a(), b(), c()); }; };
    const auto kernel = [this] {
      kernels_.small_gemm(
          {short_columns, 1, short_rows, T(1), short_stride, 1, short_rows, short_columns}, a(),
          b(), T(0), c());
    };
    with(compiled)();
    expected_ = c_;
    kernel();
    verify("rows of 7", short_columns);
    const auto best =
        best_seconds(rounds_, at_least_seconds, with(compiled), with(by_hand), kernel);
    add("rows of 7, f64", "kernel", std::min(best[0], best[1]), best[2]);
    if (!is_chosen()) return;
    const tensor::ContractPlan plan({{0}, {0, 1}, {1}}, tensor::Shape({short_columns}),
                                    tensor::Shape({short_columns, short_rows}),
                                    tensor::Shape({short_rows}), tensor::options_for<T>);
    const auto planned = best_seconds(rounds_, at_least_seconds, with(by_hand), [&] {
      tensor::run<T>(plan, T(1), a(), b(), T(0), c(), workspace_);
    });
    add("rows of 7, f64", "planned, rows without gaps", planned[0], planned[1]);
  }

  [[nodiscard]] const T* a() const { return a_.data(); }
  [[nodiscard]] const T* b() const { return b_.data(); }
  [[nodiscard]] T* c() { return c_.data(); }

  static constexpr std::size_t run_length = 64;  // products whose matrices are in the first cache
  static constexpr std::size_t room =
      std::max(std::size_t{short_rows} * short_stride, run_length* most_side* most_side);
  const InstructionSet& set_;
  const Kernels<T>& kernels_;
  int rounds_;
  std::vector<T> a_ = std::vector<T>(room), b_ = a_, c_ = a_, expected_ = a_, workspace_ = a_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> room_tensor(const InstructionSet& set, int rounds) {
  std::size_t which = 0;
  for (const InstructionSet& other : instruction_sets()) {
    if (&other == &set) break;
    which += other.is_here() ? 1 : 0;
  }
  if (which >= tensor::detail::all_kernels<float>().size()) return {};
  std::vector<Line> lines = Room<float>(set, which, rounds).lines();
  std::ranges::move(Room<double>(set, which, rounds).lines(), std::back_inserter(lines));
  return lines;
}

}  // namespace blockyard::bench
