// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/lattice/walker.h"

namespace blockyard::lattice {

double GrowingInverse::ratio(const std::vector<double>& column, const std::vector<double>& row,
                             double corner) {
  const auto n = static_cast<std::size_t>(size_);
  left_.assign(n, 0.0);
  right_.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const double* m = values_.data() + j * capacity_;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      left_[i] += m[i] * column[j];
      sum += row[i] * m[i];
    }
    right_[j] = sum;
  }
  lambda_ = corner;
  for (std::size_t i = 0; i < n; ++i) lambda_ -= row[i] * left_[i];
  return lambda_;
}

void GrowingInverse::grow() {
  reserve(size_ + 1);
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t j = 0; j < n; ++j) {
    double* m = values_.data() + j * capacity_;
    const double factor = right_[j] / lambda_;
    for (std::size_t i = 0; i < n; ++i) m[i] += left_[i] * factor;
    m[n] = -factor;
  }
  double* last = values_.data() + n * capacity_;
  for (std::size_t i = 0; i < n; ++i) last[i] = -left_[i] / lambda_;
  last[n] = 1 / lambda_;
  ++size_;
}

void GrowingInverse::shrink(int k) {
  const int last = size_ - 1;
  if (k != last) {
    for (int i = 0; i < size_; ++i) std::swap(values_[index(i, k)], values_[index(i, last)]);
    for (int j = 0; j < size_; ++j) std::swap(values_[index(k, j)], values_[index(last, j)]);
  }
  const auto n = static_cast<std::size_t>(last);
  const double* corner = values_.data() + n * capacity_;
  for (std::size_t j = 0; j < n; ++j) {
    double* m = values_.data() + j * capacity_;
    const double factor = m[n] / corner[n];
    for (std::size_t i = 0; i < n; ++i) m[i] -= corner[i] * factor;
  }
  size_ = last;
}

double GrowingInverse::squares() const noexcept {
  double sum = 0;
  for (int j = 0; j < size_; ++j)
    for (int i = 0; i < size_; ++i) sum += at(i, j) * at(i, j);
  return sum;
}

/// |M + l r^T / lambda|^2 of the old rows and columns, then the new row, column and corner.
double GrowingInverse::squares_grown() const noexcept {
  const auto n = static_cast<std::size_t>(size_);
  double same = 0;
  double of_left = 0;
  double of_right = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double* m = values_.data() + j * capacity_;
    const double factor = right_[j] / lambda_;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = m[i] + left_[i] * factor;
      same += value * value;
    }
    of_left += left_[j] * left_[j];
    of_right += right_[j] * right_[j];
  }
  return same + (of_left + of_right + 1) / (lambda_ * lambda_);
}

double GrowingInverse::squares_without(int k) const noexcept {
  const auto n = static_cast<std::size_t>(size_);
  const auto out = static_cast<std::size_t>(k);
  const double* corner = values_.data() + out * capacity_;
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (j == out) continue;
    const double* m = values_.data() + j * capacity_;
    const double factor = m[out] / corner[out];
    double of_column = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = m[i] - corner[i] * factor;
      of_column += value * value;
    }
    const double left_out = m[out] - corner[out] * factor;
    sum += of_column - left_out * left_out;
  }
  return sum;
}

void GrowingInverse::save(base::FieldWriter& out) const {
  std::vector<double> values;
  for (int j = 0; j < size_; ++j)
    for (int i = 0; i < size_; ++i) values.push_back(at(i, j));
  out.fields(size_, values);
}

void GrowingInverse::load(base::FieldReader& in) {
  int size = 0;
  std::vector<double> values;
  in.fields(size, values);
  const auto n = static_cast<std::size_t>(std::max(0, size));
  base::require(values.size() == n * n, "a saved matrix has all its values");
  size_ = 0;
  reserve(size);
  size_ = size;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i)
      values_[index(i, j)] = values[static_cast<std::size_t>(j * size + i)];
}

void GrowingInverse::reserve(int size) {
  const auto wanted = static_cast<std::size_t>(size);
  if (wanted <= capacity_) return;
  constexpr std::size_t least = 16;
  const std::size_t capacity = std::max({wanted, capacity_ + capacity_ / 2, least});
  std::vector<double> values(capacity * capacity);
  for (int j = 0; j < size_; ++j)
    for (int i = 0; i < size_; ++i)
      values[static_cast<std::size_t>(j) * capacity + static_cast<std::size_t>(i)] = at(i, j);
  values_ = std::move(values);
  capacity_ = capacity;
}

/// Gauss and Jordan with the largest pivot of a column.
void GrowingInverse::assign(std::vector<double> matrix, int size) {
  size_ = 0;
  reserve(size);
  size_ = size;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) values_[index(i, j)] = i == j ? 1.0 : 0.0;
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> factors(n);
  const auto subtract = [](std::span<const double> of_rows, double value, double* column) {
    for (std::size_t i = 0; i < of_rows.size(); ++i) column[i] -= of_rows[i] * value;
  };
  const auto of = [&](int i, int j) -> double& {
    return matrix[static_cast<std::size_t>(j * size + i)];
  };
  for (int c = 0; c < size; ++c) {
    int pivot = c;
    for (int i = c + 1; i < size; ++i)
      if (std::abs(of(i, c)) > std::abs(of(pivot, c))) pivot = i;
    base::require(of(pivot, c) != 0, "the matrix of a configuration with a weight has an inverse");
    for (int j = 0; j < size; ++j) {
      std::swap(of(c, j), of(pivot, j));
      std::swap(values_[index(c, j)], values_[index(pivot, j)]);
    }
    const double scale = 1 / of(c, c);
    for (std::size_t i = 0; i < n; ++i) factors[i] = of(static_cast<int>(i), c);
    factors[static_cast<std::size_t>(c)] = 0;
    for (int j = 0; j < size; ++j) {
      of(c, j) *= scale;
      values_[index(c, j)] *= scale;
      subtract(factors, of(c, j), &of(0, j));
      subtract(factors, values_[index(c, j)], &values_[index(0, j)]);
    }
  }
}

}  // namespace blockyard::lattice
