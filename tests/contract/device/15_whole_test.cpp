// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/operation.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

using tensor::c128;

/// A dense matrix, first index fastest.
template <class T>
struct Matrix {
  Extent rows, columns;
  std::vector<T> values = std::vector<T>(static_cast<std::size_t>(rows * columns));
  T& operator()(Extent i, Extent j) { return values[static_cast<std::size_t>(i + j * rows)]; }
  T operator()(Extent i, Extent j) const { return values[static_cast<std::size_t>(i + j * rows)]; }
  [[nodiscard]] blockyard_operand operand() const { return {2, {0, 1}, {rows, columns}}; }
};

template <class T>
Matrix<T> drawn(Extent rows, Extent columns, unsigned seed = 1) {
  Matrix<T> made{rows, columns};
  unsigned state = seed;
  const auto next = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 16) / 65536 - 0.5;
  };
  for (T& value : made.values) {
    if constexpr (std::same_as<T, double>)
      value = next();
    else
      value = {next(), next()};
  }
  return made;
}

template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c{a.rows, b.columns};
  for (Extent j = 0; j < c.columns; ++j)
    for (Extent k = 0; k < a.columns; ++k)
      for (Extent i = 0; i < c.rows; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}
template <class T>
Matrix<T> adjoint(const Matrix<T>& a) {
  Matrix<T> turned{a.columns, a.rows};
  for (Extent j = 0; j < a.columns; ++j)
    for (Extent i = 0; i < a.rows; ++i) turned(j, i) = conjugated(a(i, j));
  return turned;
}
template <class T>
double distance(const Matrix<T>& a, const Matrix<T>& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k)
    most = std::max(most, std::abs(a.values[k] - b.values[k]));
  return most;
}

constexpr double close = 1e-12;

/// Devices need not know these operations: where one does not, its test has nothing to say.
class Whole : public DeviceContract {
 protected:
  template <class T>
  static blockyard_operation operation(std::uint32_t kind, std::uint32_t flags,
                                       const Matrix<T>& result, const Matrix<T>& left,
                                       Extent numbers = 0) {
    blockyard_operation made{};
    made.size = sizeof made;
    made.kind = kind;
    made.element = element_of<T>;
    made.flags = flags;
    made.result = result.operand();
    made.left = left.operand();
    if (numbers > 0) made.right = {1, {0}, {numbers}};
    return made;
  }
  /// Runs it in place of `result`, `left` and `right`. False: the device does not know it.
  template <class T>
  [[nodiscard]] static bool run(const blockyard_operation& asked, std::vector<T>& result,
                                std::vector<T>& left, std::vector<T>& right, T alpha = 1) {
    Device device = open();
    Stream stream = device.open_stream();
    const auto plan = device.open_plan(asked);
    if (!plan) return false;
    const Memory a = send(device, stream, result), b = send(device, stream, left);
    const Memory c = right.empty() ? Memory() : send(device, stream, right);
    const Memory workspace = allocate(device, plan->workspace_bytes());
    stream.run(*plan, {alpha, 0, a.address(), b.address(), c.address(), workspace.address()});
    result = receive<T>(stream, a);
    left = receive<T>(stream, b);
    if (!right.empty()) right = receive<T>(stream, c);
    return true;
  }
  /// In place of `result`; the numbers go to `numbers`.
  template <class T>
  [[nodiscard]] static bool run_in_place(std::uint32_t kind, std::uint32_t flags, Matrix<T>& result,
                                         std::vector<T>& numbers) {
    Device device = open();
    Stream stream = device.open_stream();
    const auto plan = device.open_plan(
        operation(kind, flags, result, result, static_cast<Extent>(numbers.size())));
    if (!plan) return false;
    const Memory a = send(device, stream, result.values), c = send(device, stream, numbers);
    const Memory workspace = allocate(device, plan->workspace_bytes());
    stream.run(*plan, {1, 0, a.address(), a.address(), c.address(), workspace.address()});
    result.values = receive<T>(stream, a);
    numbers = receive<T>(stream, c);
    return true;
  }

  template <class T>
  static void expect_solved(std::uint32_t flags, Extent rows, Extent columns) {
    const bool is_right = (flags & blockyard_from_right) != 0;
    const auto x = drawn<T>(rows, columns);
    const Extent n = is_right ? columns : rows;
    auto triangle = drawn<T>(n, n, 2), whole = triangle;
    for (Extent j = 0; j < n; ++j)
      for (Extent i = 0; i < n; ++i) {
        const bool is_in = (flags & blockyard_upper) != 0 ? i <= j : i >= j;
        if (i != j) triangle(i, j) = whole(i, j) *= 4.0 / static_cast<double>(n + 4);
        if (i == j) triangle(i, j) = whole(i, j) = T(3);
        if (i == j && (flags & blockyard_unit) != 0) whole(i, j) = T(1);
        if (!is_in) whole(i, j) = T(0);
      }
    if ((flags & blockyard_transposed) != 0) {
      whole = adjoint(whole);
      if ((flags & blockyard_conjugate_left) == 0)
        for (T& value : whole.values) value = conjugated(value);
    }
    auto b = is_right ? product(x, whole) : product(whole, x);
    std::vector<T> none;
    auto left = triangle.values;
    if (!run(operation(BLOCKYARD_SOLVE, flags, b, triangle), b.values, left, none, T(1))) return;
    EXPECT_LT(distance(b, x), close) << flags;
    EXPECT_EQ(left, triangle.values);
  }
};

TEST_P(Whole, _15_solve_finds_what_the_triangle_was_multiplied_with) {
  for (const std::uint32_t side : {0U, std::uint32_t{blockyard_from_right}})
    for (const std::uint32_t upper : {0U, std::uint32_t{blockyard_upper}})
      for (const std::uint32_t unit : {0U, std::uint32_t{blockyard_unit}})
        for (const std::uint32_t op :
             {0U, std::uint32_t{blockyard_transposed},
              std::uint32_t{blockyard_transposed} | std::uint32_t{blockyard_conjugate_left}}) {
          expect_solved<double>(side | upper | unit | op, 5, 7);
          expect_solved<c128>(side | upper | unit | op, 5, 7);
          expect_solved<double>(side | upper | unit | op, 70, 37);  // several blocks
        }
}

TEST_P(Whole, _15_factors_of_lu_give_the_matrix_with_its_rows_exchanged) {
  using Size = std::pair<Extent, Extent>;
  for (const auto& [m, n] : {Size(6, 4), Size(75, 70), Size(40, 90)}) {
    auto a = drawn<c128>(m, n), found = a;
    const Extent least = std::min(m, n);
    std::vector<c128> numbers(static_cast<std::size_t>(least + 1));
    if (!run_in_place(BLOCKYARD_FACTOR, 0, found, numbers)) GTEST_SKIP() << "not known here";
    EXPECT_EQ(numbers.back(), c128(0));
    for (Extent k = 0; k < least; ++k) {
      const auto pivot = static_cast<Extent>(numbers[static_cast<std::size_t>(k)].real()) - 1;
      for (Extent j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    }
    Matrix<c128> lower{m, least}, upper{least, n};
    for (Extent j = 0; j < n; ++j)
      for (Extent i = 0; i < m; ++i) {
        if (i > j) lower(i, j) = found(i, j);
        if (i == j) lower(i, j) = 1;
        if (i <= j) upper(i, j) = found(i, j);
      }
    EXPECT_LT(distance(product(lower, upper), a), 10 * close) << m;
  }
}

TEST_P(Whole, _15_a_singular_matrix_is_told_by_its_column) {
  auto a = drawn<double>(3, 3);
  for (Extent i = 0; i < 3; ++i) a(i, 1) = 2 * a(i, 0);
  a(0, 0) = 1, a(1, 0) = 0, a(2, 0) = 0;
  a(0, 1) = 2, a(1, 1) = 0, a(2, 1) = 0;
  std::vector<double> numbers(4);
  if (!run_in_place(BLOCKYARD_FACTOR, 0, a, numbers)) GTEST_SKIP() << "not known here";
  EXPECT_EQ(numbers[3], 2);
}

TEST_P(Whole, _15_cholesky_leaves_the_other_triangle_alone) {
  using Shape = std::pair<std::uint32_t, Extent>;
  for (const auto& [upper, n] :
       {Shape(0, 5), Shape(blockyard_upper, 5), Shape(0, 70), Shape(blockyard_upper, 70)}) {
    const auto root = drawn<c128>(n, n);
    auto a = product(root, adjoint(root));
    for (Extent i = 0; i < n; ++i) a(i, i) = 1.0 + a(i, i).real();
    auto found = a;
    for (Extent j = 0; j < n; ++j)
      for (Extent i = 0; i < n; ++i)
        if (upper != 0 ? i > j : i < j) found(i, j) = 77;
    std::vector<c128> numbers(1);
    if (!run_in_place(BLOCKYARD_FACTOR, blockyard_cholesky | upper, found, numbers))
      GTEST_SKIP() << "not known here";
    EXPECT_EQ(numbers[0], c128(0));
    for (Extent j = 0; j < n; ++j)
      for (Extent i = 0; i < n; ++i)
        if (upper != 0 ? i > j : i < j) {
          EXPECT_EQ(found(i, j), c128(77));
          found(i, j) = 0;
        }
    const auto again = upper != 0 ? product(adjoint(found), found) : product(found, adjoint(found));
    EXPECT_LT(distance(again, a), 10 * close);
  }
}

TEST_P(Whole, _15_reflectors_of_a_qr_turn_the_matrix_into_its_triangle) {
  auto a = drawn<c128>(6, 4), factored = a;
  std::vector<c128> numbers(5);
  if (!run_in_place(BLOCKYARD_FACTOR, blockyard_qr, factored, numbers))
    GTEST_SKIP() << "not known here";
  numbers.pop_back();
  const auto turn =
      operation(BLOCKYARD_REFLECT,
                std::uint32_t{blockyard_transposed} | std::uint32_t{blockyard_conjugate_left}, a,
                factored, 4);
  auto left = factored.values;
  ASSERT_TRUE(run(turn, a.values, left, numbers));
  Matrix<c128> triangle{6, 4};
  for (Extent j = 0; j < 4; ++j)
    for (Extent i = 0; i <= j; ++i) triangle(i, j) = factored(i, j);
  EXPECT_LT(distance(a, triangle), close);
}

TEST_P(Whole, _15_vectors_of_a_spectrum_belong_to_its_values) {
  auto a = drawn<c128>(5, 5);
  const auto turned = adjoint(a);
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] += turned.values[k];
  auto vectors = a;
  std::vector<c128> numbers(6);
  if (!run_in_place(BLOCKYARD_SPECTRUM, blockyard_vectors | blockyard_upper, vectors, numbers))
    GTEST_SKIP() << "not known here";
  auto scaled = vectors;
  for (Extent j = 0; j < 5; ++j)
    for (Extent i = 0; i < 5; ++i) scaled(i, j) *= numbers[static_cast<std::size_t>(j)];
  EXPECT_LT(distance(product(a, vectors), scaled), close);
  EXPECT_EQ(numbers[5], c128(0));
}

TEST_P(Whole, _15_singular_vectors_give_the_matrix) {
  for (const auto& [rows, columns] : {std::pair<Extent, Extent>{6, 4}, {4, 6}}) {
    const auto a = drawn<c128>(rows, columns);
    const Extent least = std::min(rows, columns);
    Matrix<c128> u{rows, least};
    std::vector<c128> left = a.values, numbers(static_cast<std::size_t>(least + 1));
    if (!run(operation(BLOCKYARD_SPECTRUM, blockyard_singular | blockyard_vectors, u, a, least + 1),
             u.values, left, numbers))
      GTEST_SKIP() << "not known here";
    Matrix<c128> vt{least, columns};
    std::copy_n(left.begin(), vt.values.size(), vt.values.begin());
    for (Extent j = 0; j < least; ++j)
      for (Extent i = 0; i < rows; ++i) u(i, j) *= numbers[static_cast<std::size_t>(j)];
    EXPECT_LT(distance(product(u, vt), a), close);
  }
}

/// LAPACK may iterate for ever over such a matrix, or write where it must not.
TEST_P(Whole, _15_a_matrix_that_is_not_finite_has_no_spectrum) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::uint32_t flags :
       {std::uint32_t{blockyard_singular}, std::uint32_t{blockyard_general}, std::uint32_t{0}})
    for (const double wrong : {infinity, -infinity, nan})
      for (const Extent n : {3, 40}) {
        auto a = drawn<double>(n, n);
        a(n / 2, 0) = a(0, n / 2) = wrong;
        const Extent values = flags == blockyard_general ? 2 * n : n;
        std::vector<double> numbers(static_cast<std::size_t>(values + 1));
        Matrix<double> result{n, n};
        const auto apart = operation(BLOCKYARD_SPECTRUM, flags | blockyard_vectors, result, a,
                                     static_cast<Extent>(numbers.size()));
        const bool is_known = flags == 0 ? run_in_place(BLOCKYARD_SPECTRUM, flags, a, numbers)
                                         : run(apart, result.values, a.values, numbers);
        if (!is_known) GTEST_SKIP() << "not known here";
        EXPECT_NE(numbers.back(), 0) << flags << ' ' << wrong << ' ' << n;
      }
}

TEST_P(Whole, _15_an_element_that_is_not_read_may_be_anything) {
  auto a = drawn<double>(7, 7);
  a(5, 1) = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> numbers(8);
  if (!run_in_place(BLOCKYARD_SPECTRUM, blockyard_upper, a, numbers))
    GTEST_SKIP() << "not known here";
  EXPECT_EQ(numbers.back(), 0);
}

/// By its definition, along the first index.
Matrix<c128> transform(const Matrix<c128>& a, double sign) {
  Matrix<c128> out{a.rows, a.columns};
  for (Extent j = 0; j < a.columns; ++j)
    for (Extent k = 0; k < a.rows; ++k)
      for (Extent i = 0; i < a.rows; ++i)
        out(k, j) += a(i, j) * std::polar(1.0, sign * 2 * std::numbers::pi *
                                                   static_cast<double>(i * k % a.rows) /
                                                   static_cast<double>(a.rows));
  return out;
}

TEST_P(Whole, _15_transforms_are_those_of_the_definition) {
  auto a = drawn<c128>(6, 3), found = a;
  std::vector<c128> none;
  auto left = a.values;
  auto asked = operation(BLOCKYARD_FFT, blockyard_backward, found, a);
  asked.right = {1, {0}, {6}};
  if (!run(asked, found.values, left, none)) GTEST_SKIP() << "not known here";
  EXPECT_LT(distance(found, transform(a, 1)), close);

  const auto real = drawn<double>(6, 3);
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = real.values[k];
  std::vector<double> numbers = real.values, half(2 * 4 * 3), empty;
  asked.element = BLOCKYARD_F64;
  asked.flags = 0;
  asked.result = {3, {blockyard_parts, 0, 1}, {2, 4, 3}};
  ASSERT_TRUE(run(asked, half, numbers, empty));
  const auto wanted = transform(a, -1);
  for (Extent j = 0; j < 3; ++j)
    for (Extent i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(2 * (i + 4 * j));
      EXPECT_LT(std::abs(c128(half[at], half[at + 1]) - wanted(i, j)), close);
    }
  std::swap(asked.left, asked.result);
  ASSERT_TRUE(run(asked, numbers, half, empty));
  for (std::size_t k = 0; k < numbers.size(); ++k)
    EXPECT_NEAR(numbers[k], 6 * real.values[k], close);
}

/// The transform over the indexes `names` of a block, one after the other, by its definition.
std::vector<c128> transform(std::vector<c128> values, const std::vector<Extent>& extents,
                            const std::vector<std::int32_t>& names, double sign) {
  for (const std::int32_t name : names) {
    Extent inner = 1, n = 0;
    for (std::int32_t k = 0; k < name; ++k) inner *= extents[static_cast<std::size_t>(k)];
    n = extents[static_cast<std::size_t>(name)];
    const std::vector<c128> given = values;
    for (Extent at = 0; at < static_cast<Extent>(values.size()); ++at) {
      const Extent k = at / inner % n, first = at - k * inner;
      c128 sum = 0;
      for (Extent j = 0; j < n; ++j)
        sum += given[static_cast<std::size_t>(first + j * inner)] *
               std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) /
                                   static_cast<double>(n));
      values[static_cast<std::size_t>(at)] = sum;
    }
  }
  return values;
}

blockyard_operand block_of(const std::vector<Extent>& extents, bool has_parts = false) {
  blockyard_operand block{};
  if (has_parts) block = {1, {blockyard_parts}, {2}};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    block.name[block.order] = static_cast<std::int32_t>(k);
    block.extent[block.order++] = extents[k];
  }
  return block;
}

blockyard_operation transform_of(blockyard_element element, const blockyard_operand& left,
                                 const blockyard_operand& result,
                                 const std::vector<std::int32_t>& names) {
  blockyard_operation asked{};
  asked.size = sizeof asked;
  asked.kind = BLOCKYARD_FFT;
  asked.element = element;
  asked.left = left;
  asked.result = result;
  for (const std::int32_t name : names) asked.right.name[asked.right.order++] = name;
  return asked;
}

struct TransformCase {
  std::vector<Extent> extents;
  std::vector<std::int32_t> names;
};
/// Each radix alone, several of them, transformed indexes before, between and after the batch.
const std::vector<TransformCase>& transform_cases() {
  static const std::vector<TransformCase> all = {
      {{2}, {0}},
      {{1}, {0}},
      {{7, 2}, {0}},
      {{3, 16}, {1}},
      {{2, 45, 3}, {1}},
      {{120}, {0}},
      {{13, 8}, {0, 1}},
      {{4, 3, 10}, {2, 0}},
      {{3, 2, 5, 2}, {1, 2}},
      {{8, 9, 11}, {0, 1, 2}},
      {{2520}, {0}},
      {{257}, {0}},  // prime factors that are large
      {{2, 131, 2}, {1}},
  };
  return all;
}

template <class Complex>
double transforms_differ(const std::vector<Complex>& found, const std::vector<c128>& wanted) {
  double most = 0, norm = 1;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    most = std::max(most, std::abs(c128(found[k].real(), found[k].imag()) - wanted[k]));
    norm = std::max(norm, std::abs(wanted[k]));
  }
  return most / norm;
}

TEST_P(Whole, _15_complex_transforms_of_many_lengths_and_indexes) {
  for (const TransformCase& one : transform_cases()) {
    const blockyard_operand block = block_of(one.extents);
    Extent count = 1;
    for (const Extent extent : one.extents) count *= extent;
    const std::vector<c128> values = drawn<c128>(count, 1).values;
    std::vector<tensor::c64> narrow(values.begin(), values.end()), narrow_found = narrow, none;
    auto asked = transform_of(BLOCKYARD_C64, block, block, one.names);
    if (!run(asked, narrow_found, narrow, none)) GTEST_SKIP() << "not known here";
    EXPECT_LT(transforms_differ(narrow_found, transform(values, one.extents, one.names, -1)), 1e-5);
    asked.element = BLOCKYARD_C128;
    asked.flags = blockyard_backward;
    std::vector<c128> left = values, found(values.size()), nothing;
    ASSERT_TRUE(run(asked, found, left, nothing, c128(2)));
    auto wanted = transform(values, one.extents, one.names, 1);
    for (c128& value : wanted) value *= 2;
    EXPECT_LT(transforms_differ(found, wanted), close);
  }
}

TEST_P(Whole, _15_real_transforms_of_many_lengths_and_indexes) {
  for (const TransformCase& one : transform_cases()) {
    std::vector<Extent> halved = one.extents;
    Extent& half = halved[static_cast<std::size_t>(one.names[0])];
    half = half / 2 + 1;
    Extent count = 1, half_count = 1;
    double scale = 1;
    for (const Extent extent : one.extents) count *= extent;
    for (const Extent extent : halved) half_count *= extent;
    for (const std::int32_t name : one.names)
      scale *= static_cast<double>(one.extents[static_cast<std::size_t>(name)]);
    const std::vector<double> values = drawn<double>(count, 1).values;
    auto asked =
        transform_of(BLOCKYARD_F64, block_of(one.extents), block_of(halved, true), one.names);
    std::vector<double> left = values, found(static_cast<std::size_t>(2 * half_count)), none;
    if (!run(asked, found, left, none)) GTEST_SKIP() << "not known here";
    const auto wanted =
        transform(std::vector<c128>(values.begin(), values.end()), one.extents, one.names, -1);
    Extent inner = 1;
    for (std::int32_t k = 0; k < one.names[0]; ++k)
      inner *= one.extents[static_cast<std::size_t>(k)];
    for (Extent at = 0; at < half_count; ++at) {
      const Extent whole = one.extents[static_cast<std::size_t>(one.names[0])];
      const Extent place = at % (inner * half) + at / (inner * half) * inner * whole;
      const auto pair = static_cast<std::size_t>(2 * at);
      EXPECT_LT(
          std::abs(c128(found[pair], found[pair + 1]) - wanted[static_cast<std::size_t>(place)]),
          close * scale);
    }
    std::swap(asked.left, asked.result);
    std::vector<double> back(values.size());
    const std::vector<double> half_values = found;
    ASSERT_TRUE(run(asked, back, found, none));
    EXPECT_EQ(found, half_values) << "left is only read";
    for (std::size_t k = 0; k < back.size(); ++k)
      EXPECT_NEAR(back[k], scale * values[k], close * scale);
  }
}

TEST_P(Whole, _15_a_transform_may_take_the_place_of_its_operand) {
  for (const Extent n : {2, 7, 16, 60}) {
    const Matrix<c128> a = drawn<c128>(n, 3);
    Device device = open();
    Stream stream = device.open_stream();
    const auto plan = device.open_plan(transform_of(BLOCKYARD_C128, a.operand(), a.operand(), {0}));
    if (!plan) GTEST_SKIP() << "not known here";
    const Memory block = send(device, stream, a.values);
    const Memory workspace = allocate(device, plan->workspace_bytes());
    stream.run(*plan, {1, 0, block.address(), block.address(), {}, workspace.address()});
    EXPECT_LT(transforms_differ(receive<c128>(stream, block), transform(a, -1).values), close);
  }
}

TEST_P(Whole, _15_a_real_transform_begins_at_any_element_or_is_refused) {
  constexpr Extent n = 12, half = n / 2 + 1;
  const std::vector<double> values = drawn<double>(n, 1).values;
  Device device = open();
  Stream stream = device.open_stream();
  const auto plan =
      device.open_plan(transform_of(BLOCKYARD_F64, block_of({n}), block_of({half}, true), {0}));
  if (!plan) GTEST_SKIP() << "not known here";
  const Memory left = send(device, stream, values);
  const std::vector<double> room(2 * half + 1, 7.0);
  const Memory result = send(device, stream, room);
  const Memory workspace = allocate(device, plan->workspace_bytes());
  const auto run = [&](std::size_t begin) {
    stream.run(
        *plan,
        {1, 0, result.address() + begin * sizeof(double), left.address(), {}, workspace.address()});
  };
  std::size_t begin = 1;
  try {
    run(begin);
  } catch (const base::Error&) {
    run(begin = 0);  // the stream is as before
  }
  const auto wanted = transform(std::vector<c128>(values.begin(), values.end()), {n}, {0}, -1);
  const std::vector<double> found = receive<double>(stream, result);
  for (std::size_t k = 0; k < half; ++k)
    EXPECT_LT(std::abs(c128(found[begin + 2 * k], found[begin + 2 * k + 1]) - wanted[k]), close);
}

TEST_P(Whole, _15_a_hartley_transform_is_its_own_inverse) {
  constexpr std::int64_t hartley = blockyard_first_real_transform + 2;
  const auto a = drawn<double>(6, 3);
  std::vector<double> given = a.values, found(18), back(18), none;
  auto asked = operation(BLOCKYARD_FFT, 0, a, a);
  asked.right = {1, {0}, {hartley}};
  if (!run(asked, found, given, none)) GTEST_SKIP() << "not known here";
  ASSERT_TRUE(run(asked, back, found, none));
  for (std::size_t k = 0; k < back.size(); ++k) EXPECT_NEAR(back[k], 6 * a.values[k], close);
}

TEST_P(Whole, _15_operands_that_do_not_fit_are_refused) {
  Device device = open();
  const auto expect_refused = [&](const blockyard_operation& asked) {
    try {
      EXPECT_FALSE(device.open_plan(asked).has_value());
    } catch (const base::Error&) {
    }
  };
  const Matrix<double> tall{6, 4}, square{4, 4};
  expect_refused(operation(BLOCKYARD_SOLVE, 0, tall, square));
  expect_refused(operation(BLOCKYARD_FACTOR, 0, tall, tall, 4));
  expect_refused(operation(BLOCKYARD_FACTOR, blockyard_cholesky, tall, tall, 1));
  expect_refused(operation(BLOCKYARD_REFLECT, 0, square, tall, 4));
  expect_refused(operation(BLOCKYARD_SPECTRUM, 0, tall, tall, 5));
  expect_refused(
      operation(BLOCKYARD_SPECTRUM, blockyard_singular | blockyard_vectors, square, tall, 5));
  auto transformed = operation(BLOCKYARD_FFT, 0, tall, tall);
  transformed.right = {1, {0}, {blockyard_last_real_transform + 1}};
  expect_refused(transformed);  // there is no such real transform
}

INSTANTIATE_TEST_SUITE_P(All, Whole, ::testing::ValuesIn(backends()), name_of);

}  // namespace
}  // namespace blockyard::device::contract
