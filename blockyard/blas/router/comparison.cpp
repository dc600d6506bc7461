// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "blockyard/blas/router/parts.h"

namespace blockyard::blas {

namespace {

template <class T>
constexpr double eps = std::numeric_limits<decltype(std::real(T{}))>::epsilon();

double ratio(double above, double below) noexcept { return above == 0 ? 0 : above / below; }

/// The elements of the result that count.
template <class T>
View<T> result_of(const Call<T>& call) {
  const bool is_square = is_rank_update(call.form);
  View<T> view{
      .at = call.c, .rows = is_square ? call.n : call.m, .columns = call.n, .leading = call.ldc};
  if (is_square) {
    view.fill = Fill::zero;
    view.is_upper = call.uplo == 'U';
    view.has_real_diagonal = is_hermitian(call.form);
  }
  return view;
}

template <class T>
class Level3Comparison final : public Comparison {
 public:
  explicit Level3Comparison(const Call<T>& call)
      : call_(call), before_(dense_copy(result_of(call))) {
    operands_.push_back(dense_copy(shared_operands(call)[0]));
    if (has_b(call.form)) operands_.push_back(dense_copy(view_of_b()));
  }
  void keep_theirs() override {
    theirs_ = dense_copy(result_of(call_));
    unpack(result_of(call_), before_.data(), call_.c);
  }
  double residual() override {
    const std::vector<T> ours = dense_copy(result_of(call_));
    if (has_no_difference(theirs_, ours)) return std::numeric_limits<double>::infinity();
    const std::vector<T> apart = difference(theirs_, ours);
    const double a = norm_of(operands_[0]), alpha = std::abs(call_.alpha);
    const auto order = static_cast<double>(extent());
    if (call_.form == Form::trsm)
      return ratio(norm_of_rest(made_of(apart)), eps<T> * order * a * norm_of(ours));
    const double b = operands_.size() > 1       ? norm_of(operands_[1])
                     : call_.form == Form::trmm ? norm_of(before_)
                                                : a;
    const double beta = call_.form == Form::trmm ? 0 : std::abs(call_.beta);
    const bool has_two = call_.form == Form::syr2k || call_.form == Form::her2k;
    const double twice = has_two ? 2 : 1;
    const double read = beta == 0 ? 0 : beta * norm_of(before_);
    return ratio(norm_of(apart), eps<T> * order * (twice * alpha * a * b + read));
  }
  double bound() const noexcept override { return call_.form == Form::trsm ? 30 : 16; }

 private:
  [[nodiscard]] std::int64_t extent() const {
    if (call_.form == Form::gemm || is_rank_update(call_.form)) return call_.k;
    return call_.side == 'L' ? call_.m : call_.n;
  }
  [[nodiscard]] View<T> view_of_b() const {
    if (call_.form != Form::gemm && !is_rank_update(call_.form))
      return {.at = call_.b, .rows = call_.m, .columns = call_.n, .leading = call_.ldb};
    const bool is_right = call_.form == Form::gemm || call_.form == Form::gemmt;
    const bool is_plain = (is_right ? call_.op_b : call_.op_a) == 'N';
    const std::int64_t rows = is_right ? call_.k : call_.n, columns = is_right ? call_.n : call_.k;
    return {.at = call_.b,
            .rows = is_plain ? rows : columns,
            .columns = is_plain ? columns : rows,
            .leading = call_.ldb};
  }
  /// op(a) x, or x op(a)
  [[nodiscard]] std::vector<T> made_of(const std::vector<T>& x) const {
    const std::int64_t order = extent();
    auto a = finite_part(operands_[0]);
    if (call_.op_a != 'N') a = turned(a, order, order, call_.op_a);
    return call_.side == 'L' ? product(a, x, call_.m, call_.n, order)
                             : product(x, a, call_.m, call_.n, order);
  }

  const Call<T> call_;
  std::vector<T> before_, theirs_;
  std::vector<std::vector<T>> operands_;
};

/// All places of the result that a transform touches, in some order.
template <class Body>
void visit(const Transform& transform, std::size_t axis, std::int64_t place, Body& body) {
  const std::size_t transformed = transform.transformed.size();
  if (axis == transformed + transform.batch.size()) return body(place);
  const bool is_batch = axis >= transformed;
  const Axis& one = is_batch ? transform.batch[axis - transformed] : transform.transformed[axis];
  const bool is_half = axis + 1 == transformed && transform.sort == Transform::Sort::r2c;
  const std::int64_t count = is_half ? one.n / 2 + 1 : one.n;
  for (std::int64_t k = 0; k < count; ++k)
    visit(transform, axis + 1, place + k * one.out_stride, body);
}

/// A device writes nothing but the result, so putting that back leaves all as it was before.
template <class Real>
class TransformComparison final : public Comparison {
 public:
  TransformComparison(const Transform& transform, const Arrays& arrays)
      : transform_(transform),
        out_(parts_of<Real>(arrays.out, arrays.out_imaginary, transform.is_real_out())),
        before_(copy()) {}
  void keep_theirs() override {
    theirs_ = copy();
    std::size_t next = 0;
    auto put = [&](std::int64_t place) {
      out_.real[place * out_.step] = before_[next++];
      if (out_.imaginary != nullptr) out_.imaginary[place * out_.step] = before_[next++];
    };
    visit(transform_, 0, 0, put);
  }
  double residual() override {
    const std::vector<Real> ours = copy();
    if (has_no_difference(theirs_, ours)) return std::numeric_limits<double>::infinity();
    double points = 2;
    for (const Axis& axis : transform_.transformed) points *= static_cast<double>(axis.n);
    return ratio(norm_of(difference(theirs_, ours)), eps<Real> * std::log2(points) * norm_of(ours));
  }

 private:
  [[nodiscard]] std::vector<Real> copy() const {
    std::vector<Real> all;
    auto add = [&](std::int64_t place) {
      all.push_back(out_.real[place * out_.step]);
      if (out_.imaginary != nullptr) all.push_back(out_.imaginary[place * out_.step]);
    };
    visit(transform_, 0, 0, add);
    return all;
  }

  const Transform transform_;
  const Parts<Real> out_;
  const std::vector<Real> before_;
  std::vector<Real> theirs_;
};

}  // namespace

template <class T>
double norm_of(const std::vector<T>& values) noexcept {
  double largest = 0, sum = 0;
  for (const T& value : values)
    if (const double size = std::abs(value); std::isfinite(size)) largest = std::max(largest, size);
  if (largest == 0) return 0;
  for (const T& value : values)
    if (const double size = std::abs(value) / largest; std::isfinite(size)) sum += size * size;
  return largest * std::sqrt(sum);
}

template <class T>
double norm_of_rest(const std::vector<T>& values) noexcept {
  return std::ranges::all_of(values, is_finite<T>) ? norm_of(values)
                                                   : std::numeric_limits<double>::infinity();
}

template <class T>
bool has_no_difference(const std::vector<T>& left, const std::vector<T>& right) noexcept {
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (is_finite(left[k]) != is_finite(right[k])) return true;
    if (is_finite(left[k]) && !is_finite(T(left[k] - right[k]))) return true;
  }
  return false;
}

template <class T>
std::vector<T> difference(const std::vector<T>& left, const std::vector<T>& right) {
  std::vector<T> apart(left.size());
  for (std::size_t k = 0; k < left.size(); ++k)
    if (is_finite(left[k]) && is_finite(right[k])) apart[k] = left[k] - right[k];
  return apart;
}

template <class T>
std::vector<T> finite_part(std::vector<T> values) {
  std::ranges::replace_if(
      values, [](const T& value) { return !is_finite(value); }, T{});
  return values;
}

template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, std::int64_t m,
                       std::int64_t n, std::int64_t k) {
  std::vector<T> c(static_cast<std::size_t>(m * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t l = 0; l < k; ++l) {
      const T factor = b[static_cast<std::size_t>(l + j * k)];
      for (std::int64_t i = 0; i < m; ++i)
        c[static_cast<std::size_t>(i + j * m)] += a[static_cast<std::size_t>(i + l * m)] * factor;
    }
  return c;
}

template <class T>
std::vector<T> turned(const std::vector<T>& a, std::int64_t m, std::int64_t n, char op) {
  std::vector<T> made(a.size());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) {
      T value = a[static_cast<std::size_t>(i + j * m)];
      if constexpr (is_complex<T>)
        if (op == 'C') value = std::conj(value);
      made[static_cast<std::size_t>(j + i * n)] = value;
    }
  return made;
}

template <class T>
std::unique_ptr<Comparison> compare_level3(const Call<T>& call) {
  return std::make_unique<Level3Comparison<T>>(call);
}

template <class Real>
std::unique_ptr<Comparison> compare_transform(const Transform& transform, const Arrays& arrays) {
  return std::make_unique<TransformComparison<Real>>(transform, arrays);
}

template std::unique_ptr<Comparison> compare_level3(const Call<float>&);
template std::unique_ptr<Comparison> compare_level3(const Call<double>&);
template std::unique_ptr<Comparison> compare_level3(const Call<c64>&);
template std::unique_ptr<Comparison> compare_level3(const Call<c128>&);
template std::unique_ptr<Comparison> compare_transform<float>(const Transform&, const Arrays&);
template std::unique_ptr<Comparison> compare_transform<double>(const Transform&, const Arrays&);
template double norm_of(const std::vector<float>&) noexcept;
template double norm_of(const std::vector<double>&) noexcept;
template double norm_of(const std::vector<c64>&) noexcept;
template double norm_of(const std::vector<c128>&) noexcept;
template double norm_of_rest(const std::vector<float>&) noexcept;
template double norm_of_rest(const std::vector<double>&) noexcept;
template double norm_of_rest(const std::vector<c64>&) noexcept;
template double norm_of_rest(const std::vector<c128>&) noexcept;
template bool has_no_difference(const std::vector<float>&, const std::vector<float>&) noexcept;
template bool has_no_difference(const std::vector<double>&, const std::vector<double>&) noexcept;
template bool has_no_difference(const std::vector<c64>&, const std::vector<c64>&) noexcept;
template bool has_no_difference(const std::vector<c128>&, const std::vector<c128>&) noexcept;
template std::vector<float> finite_part(std::vector<float>);
template std::vector<double> finite_part(std::vector<double>);
template std::vector<c64> finite_part(std::vector<c64>);
template std::vector<c128> finite_part(std::vector<c128>);
template std::vector<float> difference(const std::vector<float>&, const std::vector<float>&);
template std::vector<double> difference(const std::vector<double>&, const std::vector<double>&);
template std::vector<c64> difference(const std::vector<c64>&, const std::vector<c64>&);
template std::vector<c128> difference(const std::vector<c128>&, const std::vector<c128>&);
template std::vector<float> product(const std::vector<float>&, const std::vector<float>&,
                                    std::int64_t, std::int64_t, std::int64_t);
template std::vector<double> product(const std::vector<double>&, const std::vector<double>&,
                                     std::int64_t, std::int64_t, std::int64_t);
template std::vector<c64> product(const std::vector<c64>&, const std::vector<c64>&, std::int64_t,
                                  std::int64_t, std::int64_t);
template std::vector<c128> product(const std::vector<c128>&, const std::vector<c128>&, std::int64_t,
                                   std::int64_t, std::int64_t);
template std::vector<float> turned(const std::vector<float>&, std::int64_t, std::int64_t, char);
template std::vector<double> turned(const std::vector<double>&, std::int64_t, std::int64_t, char);
template std::vector<c64> turned(const std::vector<c64>&, std::int64_t, std::int64_t, char);
template std::vector<c128> turned(const std::vector<c128>&, std::int64_t, std::int64_t, char);

}  // namespace blockyard::blas
