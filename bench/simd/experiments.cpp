// SPDX-License-Identifier: Apache-2.0
#include "bench/simd/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>

#include "bench/contract/measure.h"

namespace blockyard::bench {
namespace {

constexpr double at_least_seconds = 1e-3;

template <class T>
std::vector<T> random_numbers(std::size_t count, T low, T high) {
  std::mt19937 random(7);
  std::uniform_real_distribution<T> values(low, high);
  std::vector<T> made(count);
  for (T& value : made) value = values(random);
  return made;
}

template <class T>
void require_same(const std::string& name, std::span<const T> expected, std::span<const T> found,
                  double tolerance) {
  double largest = 0;
  for (const T value : expected) largest = std::max<double>(largest, std::abs(double(value)));
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (!(std::abs(double(expected[k]) - double(found[k])) <= tolerance * largest))
      throw std::runtime_error(fmt::format("{}: element {} is {} and should be {}", name, k,
                                           double(found[k]), double(expected[k])));
}

/// Memory aligned as vectors want it, `shift` elements later.
template <class T>
class Aligned {
 public:
  explicit Aligned(const std::vector<T>& values, std::size_t shift = 0)
      : memory_(values.size() + shift + 3 * 64 / sizeof(T)) {
    void* at = memory_.data();
    std::size_t room = memory_.size() * sizeof(T);
    std::align(64, values.size() * sizeof(T), at, room);
    data_ = static_cast<T*>(at) + shift;
    std::ranges::copy(values, data_);
  }
  [[nodiscard]] T* data() const noexcept { return data_; }

 private:
  std::vector<T> memory_;  ///< zeros past the values
  T* data_;
};

/// The same program without vectors and with them.
template <class T>
void add_program(std::vector<Line>& lines, const std::string& name, const std::string& published,
                 std::vector<T>& out, double tolerance, int rounds,
                 const std::function<void(T*)>& scalar, const std::function<void(T*)>& vectors,
                 const char* way = "by the compiler") {
  std::ranges::fill(out, T(0));
  scalar(out.data());
  const std::vector<T> expected = out;
  std::ranges::fill(out, T(0));
  vectors(out.data());
  require_same<T>(name, expected, out, tolerance);
  const auto best = best_seconds(
      rounds, at_least_seconds, [&] { scalar(out.data()); }, [&] { vectors(out.data()); });
  lines.push_back({name, way, best[0], best[1], published});
}

template <class T>
void add_sums(std::vector<Line>& lines, const std::string& type, const Sums<T>& ways, int rounds,
              const std::array<std::string, 3>& published) {
  const std::vector<T> numbers = [] {
    std::vector<T> made(sum_length);
    for (int k = 0; k < sum_length; ++k) made[static_cast<std::size_t>(k)] = T(k);
    return made;
  }();
  const Aligned<T> x(numbers), y(numbers), z(numbers), x1(numbers, 1), y1(numbers, 1),
      z1(numbers, 1);
  const auto run = [&](typename Sums<T>::Add add, bool is_shifted = false) {
    return [=, &x, &y, &z, &x1, &y1, &z1] {
      is_shifted ? add(x1.data(), y1.data(), z1.data()) : add(x.data(), y.data(), z.data());
    };
  };
  const auto verify = [&](const std::string& way, typename Sums<T>::Add add) {
    std::fill_n(z.data(), sum_length, T(0));
    add(x.data(), y.data(), z.data());
    std::vector<T> twice = numbers;
    for (T& one : twice) one += one;
    require_same<T>(type + " " + way, twice, std::span<const T>(z.data(), sum_length), 0);
  };
  const std::string name = fmt::format("c = a + b of 31 {}", type);
  const auto masked = ways.masked_rest != nullptr ? ways.masked_rest : ways.scalar_rest;
  for (const auto add : {ways.scalar, ways.scalar_rest, masked, ways.padded, ways.known_aligned})
    verify("sum", add);
  const auto best = best_seconds(rounds, at_least_seconds, run(ways.scalar), run(ways.scalar_rest),
                                 run(masked), run(ways.padded), run(ways.known_aligned),
                                 run(ways.padded, true), run(ways.moves));
  lines.push_back({name, "remainder one by one", best[0], best[1], published[0]});
  lines.push_back(
      {name, "remainder one by one, ceiling of its loads and stores", best[0], best[6]});
  if (ways.masked_rest != nullptr)
    lines.push_back({name, "remainder masked", best[0], best[2], published[1]});
  lines.push_back({name, "remainder in the padding", best[0], best[3]});
  lines.push_back({name, "aligned against one element off", best[5], best[4], published[2]});
}

template <class T>
void add_matrices(std::vector<Line>& lines, const std::string& type, int rounds,
                  const std::array<std::string, 2>& published_single,
                  const std::array<std::string, 2>& published_pair,
                  const std::array<void (*)(const T*, const T*, T*), 3>& single,
                  const std::array<void (*)(const T*, const T*, T*, T*), 3>& pair) {
  const Aligned<T> a(random_numbers<T>(16, T(-1), T(1))), b(random_numbers<T>(16, T(0), T(1)));
  const Aligned<T> c{std::vector<T>(16)}, d{std::vector<T>(16)};
  std::vector<T> expected;
  for (const auto one : pair) {
    one(a.data(), b.data(), c.data(), d.data());
    std::vector<T> found(c.data(), c.data() + 16);
    found.insert(found.end(), d.data(), d.data() + 16);
    if (expected.empty()) expected = found;
    require_same<T>("pair of 4 x 4 products", expected, found, 1e-5);
  }
  for (const auto one : single) {
    one(a.data(), b.data(), c.data());
    require_same<T>("4 x 4 product", std::span<const T>(expected).first(16),
                    std::span<const T>(c.data(), 16), 1e-5);
  }
  const auto run = [&](auto one) { return [=, &a, &b, &c] { one(a.data(), b.data(), c.data()); }; };
  const auto run_pair = [&](auto one) {
    return [=, &a, &b, &c, &d] { one(a.data(), b.data(), c.data(), d.data()); };
  };
  const auto best =
      best_seconds(rounds, at_least_seconds, run(single[0]), run(single[1]), run(single[2]),
                   run_pair(pair[0]), run_pair(pair[1]), run_pair(pair[2]));
  const std::string one = fmt::format("4 x 4 product, {}", type),
                    two = fmt::format("pair of 4 x 4 products, {}", type);
  lines.push_back({one, "by the compiler", best[0], best[1], published_single[0]});
  lines.push_back({one, "whole in registers", best[0], best[2], published_single[1]});
  lines.push_back({two, "by the compiler", best[3], best[4], published_pair[0]});
  lines.push_back({two, "whole in registers", best[3], best[5], published_pair[1]});
}

/// Sums of 1 to 100 roots that begin anywhere: the mean of all lengths, and the worst of them.
void add_roots(std::vector<Line>& lines, const InstructionSet& set, int rounds) {
  constexpr int most = 100;
  const Aligned<float> y(random_numbers<float>(most, 0.0F, 1.0F), 1);
  const Vectors& ways = set.by_hand();
  const auto plain = set.scalar().sum_of_roots;
  const auto masked = ways.roots_masked != nullptr ? ways.roots_masked : ways.roots_scalar_edges;
  std::fill_n(y.data() + most, 16, 0.0F);
  double base = 0, edges = 0, with_masks = 0, padded = 0, worst = 1e9;
  int worst_length = 0;
  volatile float keep = 0;
  for (int n = 1; n <= most; ++n) {
    const auto run = [&](auto one) { return [&keep, &y, n, one] { keep = one(y.data(), n); }; };
    std::vector<float> in_padding(y.data(), y.data() + n);
    const Aligned<float> zeros(in_padding, 1);
    const float expected = plain(y.data(), n);
    for (const float found : {ways.roots_scalar_edges(y.data(), n), masked(y.data(), n),
                              ways.roots_padded(zeros.data(), n)})
      require_same<float>(fmt::format("sum of {} roots", n), std::span(&expected, 1),
                          std::span(&found, 1), 1e-5);
    const auto best = best_seconds(
        std::max(2, rounds / 3), 1e-4, run(plain), run(ways.roots_scalar_edges), run(masked),
        [&keep, &zeros, n, &ways] { keep = ways.roots_padded(zeros.data(), n); });
    base += std::log(best[0]);
    edges += std::log(best[1]);
    with_masks += std::log(best[2]);
    padded += std::log(best[3]);
    if (best[1] / best[2] < worst) worst = best[1] / best[2], worst_length = n;
  }
  const auto mean = [](double sum) { return std::exp(sum / most); };
  const std::string name = "10 + sum of 1 to 100 square roots, mean";
  lines.push_back({name, "edges one by one", mean(base), mean(edges)});
  if (ways.roots_masked != nullptr) {
    lines.push_back({name, "edges masked", mean(base), mean(with_masks)});
    lines.push_back({fmt::format("masked against edges one by one, worst n ({})", worst_length),
                     "edges masked", worst, 1.0});
  }
  lines.push_back({name, "padded", mean(base), mean(padded)});
}

}  // namespace

std::vector<Line> programs(const InstructionSet& set, int rounds) {
  const Loops &plain = set.scalar(), &fast = set.compiled();
  const std::string published = "2.25 to 12.45";
  std::vector<Line> lines;
  const Aligned<float> numbers(random_numbers<float>(1U << 18, 0.0F, 1.0F));
  const Aligned<float> filter(random_numbers<float>(2 * taps, -1.0F, 1.0F));
  const float* const in = numbers.data();
  const auto add = [&](const std::string& name, std::size_t size, auto one, auto other) {
    std::vector<float> out(size);
    add_program<float>(lines, name, published, out, 1e-3, rounds, one, other);
  };
  add(
      "N-body", 3 * bodies, [&](float* out) { plain.n_body(in, out); },
      [&](float* out) { fast.n_body(in, out); });
  add(
      "5 x 5 convolution", std::size_t{image_side} * image_side,
      [&](float* out) { plain.convolve_image(in, filter.data(), out); },
      [&](float* out) { fast.convolve_image(in, filter.data(), out); });
  std::vector<float> angles;
  for (int p = 0; p < projections; ++p) {
    angles.push_back(std::cos(0.13F * static_cast<float>(p)));
    angles.push_back(std::sin(0.13F * static_cast<float>(p)));
  }
  // Pixels: (x - 16) c + (y - 16) s + 24 lies between 1 and 47.
  constexpr std::size_t volume = std::size_t{volume_side} * volume_side * volume_side;
  const auto project = [&](auto form) {
    return [&, form](float* out) {
      std::fill_n(out, volume, 0.0F);
      form(in, angles.data(), out);
    };
  };
  add("back projection", volume, project(plain.back_project), project(fast.back_project));
  if (const auto by_hand = set.by_hand().back_project; by_hand != nullptr) {
    std::vector<float> out(volume);
    add_program<float>(lines, "back projection", published, out, 1e-3, rounds,
                       project(plain.back_project), project(by_hand),
                       "rows of the detector in registers");
  }
  add(
      "1-D convolution", 2 * signal_length,
      [&](float* out) { plain.convolve_signal(in, filter.data(), out); },
      [&](float* out) { fast.convolve_signal(in, filter.data(), out); });
  std::vector<std::int32_t> found(queries);
  const float* const asked = in + (1U << 17);
  add_program<std::int32_t>(
      lines, "tree search", "2.25", found, 0, rounds,
      [&](std::int32_t* out) { plain.search(in, asked, out); },
      [&](std::int32_t* out) { fast.search(in, asked, out); });
  if (const auto masked = set.by_hand().search; masked != nullptr)
    add_program<std::int32_t>(
        lines, "tree search", "2.25", found, 0, rounds,
        [&](std::int32_t* out) { plain.search(in, asked, out); },
        [&](std::int32_t* out) { masked(in, asked, out); }, "masked, upper levels in registers");
  return lines;
}

std::vector<Line> sums_of_31(const InstructionSet& set, int rounds) {
  const Vectors& ways = set.by_hand();
  std::vector<Line> lines;
  const std::string one_by_one = "2.89 to 3.32", masked = "3.28 to 7.68";
  add_sums(lines, "int", ways.sums_i32, rounds, {one_by_one, masked, "1.45"});
  add_sums(lines, "float", ways.sums_f32, rounds, {one_by_one, masked, "1.41"});
  add_sums(lines, "double", ways.sums_f64, rounds, {one_by_one, masked, "1.32"});
  return lines;
}

std::vector<Line> short_loops(const InstructionSet& set, int rounds) {
  std::vector<Line> lines;
  add_roots(lines, set, rounds);
  const Aligned<double> in(random_numbers<double>(short_rows * short_stride, -1.0, 1.0)),
      factors(random_numbers<double>(short_rows, -1.0, 1.0));
  std::vector<double> out(short_stride);
  const auto with = [&](auto rows) {
    return [=, &in, &factors](double* to) { rows(in.data(), factors.data(), to); };
  };
  const std::string name = "loops of 7 in f64";
  add_program<double>(lines, name, "", out, 1e-12, rounds, with(set.scalar().add_rows_of_7),
                      with(set.compiled().add_rows_of_7));
  if (set.by_hand().add_rows_of_7 != nullptr) {
    add_program<double>(lines, name, "about 2 to 5", out, 1e-12, rounds,
                        with(set.scalar().add_rows_of_7), with(set.by_hand().add_rows_of_7));
    lines.back().way = "masked";
  }
  // Neighbours: lists of 20 to 40, and past them atoms that are far away.
  std::vector<float> xyz = random_numbers<float>(3 * list_count * list_stride, 0.8F, 2.0F);
  std::vector<int> lengths;
  for (int list = 0; list < list_count; ++list) {
    lengths.push_back(20 + list * 7 % 21);
    for (int k = lengths.back(); k < list_stride; ++k)
      for (int axis = 0; axis < 3; ++axis)
        xyz[static_cast<std::size_t>((axis * list_count + list) * list_stride + k)] = 1e6F;
  }
  const Aligned<float> atoms(xyz);
  std::vector<float> energy(1);
  const auto sum = [&](auto one) {
    return [=, &atoms, &lengths](float* to) { *to = one(atoms.data(), lengths.data()); };
  };
  const Vectors& ways = set.by_hand();
  const std::string lists = "lists of 20 to 40 neighbours";
  const auto first = ways.lists_masked != nullptr ? ways.lists_masked : set.compiled().lists;
  const std::string what = ways.lists_masked != nullptr ? "masked" : "by the compiler";
  add_program<float>(lines, lists, "", energy, 1e-3, rounds, sum(set.scalar().lists), sum(first));
  lines.back().way = what;
  add_program<float>(lines, lists, "", energy, 1e-3, rounds, sum(set.scalar().lists),
                     sum(ways.lists_padded));
  lines.back().way = "padded";
  add_program<float>(lines, lists, "about 1.1", energy, 1e-3, rounds, sum(first),
                     sum(ways.lists_padded));
  lines.back().way = fmt::format("padded against {}", what);
  return lines;
}

std::vector<Line> small_matrices(const InstructionSet& set, int rounds) {
  const Loops &plain = set.scalar(), &fast = set.compiled();
  const Vectors& hand = set.by_hand();
  std::vector<Line> lines;
  add_matrices<float>(lines, "f32", rounds, {"about 0.5", "1.15"}, {"about 1", "5.42"},
                      {plain.multiply_f32, fast.multiply_f32, hand.multiply_f32},
                      {plain.pair_f32, fast.pair_f32, hand.pair_f32});
  add_matrices<double>(lines, "f64", rounds, {"about 0.5", "1.04"}, {"about 1", "4.18"},
                       {plain.multiply_f64, fast.multiply_f64, hand.multiply_f64},
                       {plain.pair_f64, fast.pair_f64, hand.pair_f64});
  return lines;
}

}  // namespace blockyard::bench
