// SPDX-License-Identifier: Apache-2.0
// What cuFFT is asked for, computed by its definition.
#include "plugins/device_cuda/transform_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace blockyard::cuda {
namespace {

using Complex = std::complex<double>;
using Sort = plugin::Transform::Sort;

/// A block of either kind of elements; real ones have no imaginary part.
using Block = std::vector<Complex>;

/// Element number `number` of lengths, slowest first, where it lies among `extents`.
long long place_of(long long number, const std::vector<long long>& lengths,
                   const std::vector<long long>& extents) {
  long long place = 0, stride = 1;
  for (std::size_t k = lengths.size(); k-- > 0;) {
    place += number % lengths[k] * stride;
    number /= lengths[k];
    stride *= extents[k];
  }
  return place;
}

/// The value of a whole complex block at `number`, of which only the first half lies there.
Complex mirrored(const Block& half, long long base, long long number, const TransformStep& step) {
  const std::size_t last = step.lengths.size() - 1;
  if (number % step.lengths[last] < step.in_extents[last])
    return half[static_cast<std::size_t>(
        base + step.stride * place_of(number, step.lengths, step.in_extents))];
  long long rest = number, other = 0, stride = 1;
  for (std::size_t k = step.lengths.size(); k-- > 0;) {
    const long long n = step.lengths[k];
    other += (n - rest % n) % n * stride;
    rest /= n;
    stride *= n;
  }
  return std::conj(half[static_cast<std::size_t>(
      base + step.stride * place_of(other, step.lengths, step.in_extents))]);
}

/// One transform of a batch, as cuFFT's advanced layout says.
void transform_one(const TransformStep& step, double sign, const Block& from, long long in,
                   Block& to, long long out) {
  long long count = 1;
  for (const long long n : step.lengths) count *= n;
  Block given;
  for (long long number = 0; number < count; ++number)
    given.push_back(mirrored(from, in, number, step));
  for (long long k = 0; k < count; ++k) {
    const std::size_t last = step.lengths.size() - 1;
    if (k % step.lengths[last] >= step.out_extents[last]) continue;
    Complex sum = 0;
    for (long long j = 0; j < count; ++j) {
      double turns = 0;
      long long a = j, b = k;
      for (std::size_t axis = step.lengths.size(); axis-- > 0;) {
        const long long n = step.lengths[axis];
        turns += static_cast<double>(a % n * (b % n) % n) / static_cast<double>(n);
        a /= n;
        b /= n;
      }
      sum +=
          given[static_cast<std::size_t>(j)] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
    }
    to[static_cast<std::size_t>(out + step.stride * place_of(k, step.lengths, step.out_extents))] =
        sum;
  }
}

Block run(const plugin::Transform& transform, const Block& left) {
  Block copy = left, result(transform.result_count());
  for (const TransformStep& step : steps_of(transform).steps) {
    using From = TransformStep::From;
    const Block from = step.from == From::result ? result : step.from == From::copy ? copy : left;
    Block& to = step.to_copy ? copy : result;
    for (long long repeat = 0; repeat < step.repeats; ++repeat)
      for (long long one = 0; one < step.count; ++one)
        transform_one(step, transform.is_backward ? 1 : -1, from,
                      repeat * step.in_advance + one * step.in_distance, to,
                      repeat * step.out_advance + one * step.out_distance);
  }
  return result;
}

/// One index after the other, all of them whole.
Block by_definition(const std::vector<long long>& extents, const std::vector<bool>& transformed,
                    Block values, double sign) {
  long long inner = 1;
  for (std::size_t index = 0; index < extents.size(); inner *= extents[index++]) {
    if (!transformed[index]) continue;
    const Block given = values;
    const long long n = extents[index];
    for (long long at = 0; at < static_cast<long long>(values.size()); ++at) {
      const long long k = at / inner % n;
      Complex sum = 0;
      for (long long j = 0; j < n; ++j)
        sum += given[static_cast<std::size_t>(at + (j - k) * inner)] *
               std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) /
                                   static_cast<double>(n));
      values[static_cast<std::size_t>(at)] = sum;
    }
  }
  return values;
}

struct Case {
  std::vector<long long> extents;
  std::vector<bool> transformed;
  std::size_t halved;
};

plugin::Transform transform_of(const Case& one, Sort sort) {
  plugin::Transform made;
  made.sort = sort;
  made.is_backward = sort == Sort::c2r;
  for (std::size_t k = 0; k < one.extents.size(); ++k) {
    const long long n = one.extents[k];
    const bool is_halved = sort != Sort::c2c && k == one.halved;
    made.indexes.push_back({is_halved && sort == Sort::c2r ? n / 2 + 1 : n,
                            is_halved && sort == Sort::r2c ? n / 2 + 1 : n, one.transformed[k],
                            is_halved});
  }
  return made;
}

class TransformStepsAre : public ::testing::TestWithParam<Case> {};

TEST_P(TransformStepsAre, TheTransform) {
  const Case& one = GetParam();
  Block real, complex;
  long long count = 1, inner = 1;
  for (const long long n : one.extents) count *= n;
  for (std::size_t k = 0; k < one.halved; ++k) inner *= one.extents[k];
  for (long long k = 0; k < count; ++k) {
    real.emplace_back(std::sin(static_cast<double>(3 * k + 1)));
    complex.emplace_back(real.back().real(), std::cos(static_cast<double>(5 * k)));
  }
  const auto expect_close = [](const Block& found, const Block& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_LT(std::abs(found[k] - wanted[k]), 1e-10) << k;
  };
  expect_close(run(transform_of(one, Sort::c2c), complex),
               by_definition(one.extents, one.transformed, complex, -1));
  const Block whole = by_definition(one.extents, one.transformed, real, -1);
  const long long n = one.extents[one.halved], half = n / 2 + 1;
  Block wanted, back;
  for (long long k = 0; k < count; ++k)
    if (k / inner % n < half) wanted.push_back(whole[static_cast<std::size_t>(k)]);
  const Block found = run(transform_of(one, Sort::r2c), real);
  expect_close(found, wanted);
  double scale = 1;
  for (std::size_t k = 0; k < one.extents.size(); ++k)
    if (one.transformed[k]) scale *= static_cast<double>(one.extents[k]);
  for (const Complex& value : real) back.push_back(scale * value);
  expect_close(run(transform_of(one, Sort::c2r), found), back);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, TransformStepsAre,
    ::testing::Values(Case{{6}, {true}, 0}, Case{{5, 3}, {true, false}, 0},
                      Case{{3, 4}, {false, true}, 1}, Case{{2, 5, 3}, {false, true, false}, 1},
                      Case{{3, 2, 5}, {false, true, false}, 1},
                      Case{{3, 5, 2}, {false, true, false}, 1}, Case{{4, 3}, {true, true}, 0},
                      Case{{4, 3}, {true, true}, 1}, Case{{4, 3, 2}, {true, false, true}, 2},
                      Case{{2, 3, 4, 2}, {false, true, true, false}, 1},
                      Case{{2, 3, 2, 3}, {true, true, true, true}, 0},
                      Case{{2, 3, 2, 4}, {true, true, true, true}, 2}));

}  // namespace
}  // namespace blockyard::cuda
