// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/transform_passes.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "blockyard/blas/router/roots.h"
#include "blockyard/blas/router/transform_task.h"

namespace blockyard::blas {

namespace {

using Sort = Transform::Sort;

/// Of the two factors of n that are next to each other the smaller one. 1: n is a prime number.
std::int64_t divisor_of(std::int64_t n) {
  auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % divisor != 0) --divisor;
  return divisor;
}

template <class Real>
class Passes {
 public:
  Passes(const On& on, std::int64_t memory_bytes) : on_(on), memory_bytes_(memory_bytes) {}

  /// Arrays do not overlap, unless it goes there as it is.
  [[nodiscard]] int compute(const Transform& transform, const Arrays& arrays);
  [[nodiscard]] bool fits(const Transform& transform) const noexcept {
    return memory_bytes_ == 0 || room(transform) <= static_cast<double>(memory_bytes_);
  }

 private:
  using Pair = std::complex<Real>;
  static constexpr std::size_t under_way = 2;  // one is computed while others are on their way

  /// What it takes on a device: both arrays, and room to work in.
  [[nodiscard]] static double room(const Transform& transform) noexcept {
    const double in = sizeof(Real) * (transform.is_real_in() ? 1 : 2) * in_elements(transform),
                 out = sizeof(Real) * (transform.is_real_out() ? 1 : 2) * out_elements(transform);
    return in + out + std::max(in, out);
  }
  [[nodiscard]] double share() const noexcept {
    return static_cast<double>(memory_bytes_) / under_way;
  }
  [[nodiscard]] static Transform without_batch(Transform transform) {
    transform.batch.clear();
    return transform;
  }
  [[nodiscard]] static Arrays shifted(const Transform& transform, Arrays arrays, const Axis& axis,
                                      std::int64_t by) noexcept;
  void divide(const Transform& transform, const Arrays& arrays);
  [[nodiscard]] bool run_pieces();
  [[nodiscard]] bool pass(const Transform& transform, const Arrays& arrays);
  [[nodiscard]] int by_axes(const Transform& transform, const Arrays& arrays);
  [[nodiscard]] int by_four_steps(const Transform& transform, const Arrays& arrays);
  [[nodiscard]] int by_pairs(const Transform& transform, const Arrays& arrays);
  [[nodiscard]] int from_pairs(const Transform& transform, const Arrays& arrays);

  struct Piece {
    Transform transform;
    Arrays arrays;
  };
  On on_;
  std::int64_t memory_bytes_;
  std::vector<Piece> pieces_;
};

template <class Real>
Arrays Passes<Real>::shifted(const Transform& transform, Arrays arrays, const Axis& axis,
                             std::int64_t by) noexcept {
  const std::int64_t in_reals = transform.is_real_in() || arrays.in_imaginary != nullptr ? 1 : 2,
                     out_reals = transform.is_real_out() || arrays.out_imaginary != nullptr ? 1 : 2;
  const std::int64_t in_step = by * axis.in_stride * in_reals,
                     out_step = by * axis.out_stride * out_reals;
  arrays.in = static_cast<const Real*>(arrays.in) + in_step;
  arrays.out = static_cast<Real*>(arrays.out) + out_step;
  if (arrays.in_imaginary != nullptr)
    arrays.in_imaginary = static_cast<const Real*>(arrays.in_imaginary) + in_step;
  if (arrays.out_imaginary != nullptr)
    arrays.out_imaginary = static_cast<Real*>(arrays.out_imaginary) + out_step;
  return arrays;
}

/// Pieces of the batch that fit, cut along the index that is farthest in memory.
template <class Real>
void Passes<Real>::divide(const Transform& transform, const Arrays& arrays) {
  const auto farthest = std::ranges::max_element(transform.batch, {}, [](const Axis& axis) {
    return axis.n > 1 ? std::abs(axis.in_stride) : -1;
  });
  if (room(transform) <= share() || farthest == transform.batch.end() || farthest->n == 1)
    return pieces_.push_back({transform, arrays});
  const double each = room(transform) / static_cast<double>(farthest->n);
  const auto width = std::max<std::int64_t>(1, static_cast<std::int64_t>(share() / each));
  Transform part = transform;
  for (std::int64_t at = 0; at < farthest->n; at += width) {
    const auto axis = part.batch.begin() + (farthest - transform.batch.begin());
    axis->n = std::min(width, farthest->n - at);
    divide(part, shifted(transform, arrays, *farthest, at));
  }
}

template <class Real>
bool Passes<Real>::run_pieces() {
  std::deque<std::unique_ptr<TransformRun>> running;
  for (const Piece& piece : pieces_) {
    if (running.size() == under_way) {
      if (!running.front()->finish()) return false;
      running.pop_front();
    }
    running.push_back(start_there<Real>(piece.transform, piece.arrays, on_));
    if (!running.back()) return false;
  }
  for (const auto& run : running)
    if (!run->finish()) return false;
  return true;
}

template <class Real>
bool Passes<Real>::pass(const Transform& transform, const Arrays& arrays) {
  pieces_.clear();
  divide(transform, arrays);
  return run_pieces();
}

template <class Real>
int Passes<Real>::compute(const Transform& transform, const Arrays& arrays) {
  if (room(without_batch(transform)) <= share() || fits(transform))
    return pass(transform, arrays) ? 1 : 0;
  if (transform.transformed.size() > 1) return by_axes(transform, arrays);
  switch (transform.sort) {
    case Sort::c2c:
      return by_four_steps(transform, arrays);
    case Sort::r2c:
      return by_pairs(transform, arrays);
    case Sort::c2r:
      return from_pairs(transform, arrays);
    default:
      return 0;
  }
}

/// As many indexes as fit, from the last one on, which is the halved one; then the others. From
/// pairs to real numbers the halved one comes last.
template <class Real>
int Passes<Real>::by_axes(const Transform& transform, const Arrays& arrays) {
  const bool is_real = transform.sort == Sort::r2r, is_to_real = transform.sort == Sort::c2r;
  const std::size_t rank = transform.transformed.size();
  Transform last = without_batch(transform);
  std::size_t count = 1;  // of those with the last one
  const auto take = [&](std::size_t taken) {
    last.transformed.assign(transform.transformed.end() - static_cast<std::ptrdiff_t>(taken),
                            transform.transformed.end());
    if (is_real)
      last.kinds.assign(transform.kinds.end() - static_cast<std::ptrdiff_t>(taken),
                        transform.kinds.end());
  };
  for (; count + 1 < rank; ++count) {
    take(count + 1);
    if (room(last) > share()) break;
  }
  take(count);
  Transform others = transform;
  others.transformed.resize(rank - count);
  if (is_real) others.kinds.resize(rank - count);
  if (!is_real) others.sort = Sort::c2c;
  if (transform.sort != Sort::c2c) others.is_backward = is_to_real;
  // The array between both is dense, halved where an array of pairs is.
  std::int64_t elements = 1;
  std::vector<std::int64_t> strides;
  const auto add = [&](const Axis& axis, bool is_halved) {
    strides.push_back(elements);
    elements *= is_halved ? axis.n / 2 + 1 : axis.n;
  };
  const bool has_half = transform.sort == Sort::r2c || is_to_real;
  for (std::size_t k = rank; k-- > 0;) add(transform.transformed[k], has_half && k + 1 == rank);
  for (const Axis& axis : transform.batch) add(axis, false);
  std::vector<Real> between(static_cast<std::size_t>(elements * (is_real ? 1 : 2)));
  // `first` writes there, `second` reads there.
  const auto set = [&](Axis& axis, std::size_t place, bool is_first) {
    (is_first ? axis.out_stride : axis.in_stride) = strides[place];
  };
  const auto connect = [&](Transform& one, bool is_first, std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k) set(one.transformed[k - from], rank - 1 - k, is_first);
    one.batch = transform.batch;
    for (std::size_t k = 0; k < one.batch.size(); ++k) set(one.batch[k], rank + k, is_first);
    for (std::size_t k = 0; k < rank; ++k) {
      if (k >= from && k < to) continue;
      Axis axis = transform.transformed[k];
      if (has_half && k + 1 == rank) axis.n = axis.n / 2 + 1;
      set(axis, rank - 1 - k, is_first);
      one.batch.push_back(axis);
    }
  };
  connect(last, !is_to_real, rank - count, rank);
  connect(others, is_to_real, 0, rank - count);
  const Transform &first = is_to_real ? others : last, &second = is_to_real ? last : others;
  const int once = compute(first, {arrays.in, arrays.in_imaginary, between.data(), nullptr});
  if (once == 0) return 0;
  const int again = compute(second, {between.data(), nullptr, arrays.out, arrays.out_imaginary});
  return again == 0 ? 0 : once + again;
}

/// Element j1 + n1 j2 goes to k2 + n2 k1.
template <class Real>
int Passes<Real>::by_four_steps(const Transform& transform, const Arrays& arrays) {
  const Axis& axis = transform.transformed[0];
  const std::int64_t n = axis.n, n1 = divisor_of(n), n2 = n / n1;
  if (n1 == 1) return 0;
  Transform columns = transform, rows = transform;
  columns.transformed = {{n2, axis.in_stride * n1, n1}};
  rows.transformed = {{n1, 1, axis.out_stride * n2}};
  std::int64_t elements = n;
  for (std::size_t k = 0; k < transform.batch.size(); ++k) {
    columns.batch[k].out_stride = rows.batch[k].in_stride = elements;
    elements *= transform.batch[k].n;
  }
  columns.batch.push_back({n1, axis.in_stride, 1});
  rows.batch.push_back({n2, n1, axis.out_stride});
  std::vector<Pair> between(static_cast<std::size_t>(elements));
  const int once = compute(columns, {arrays.in, arrays.in_imaginary, between.data(), nullptr});
  if (once == 0) return 0;
  const Roots roots(n);
  Pair* at = between.data();
  for (std::int64_t batch = 0; batch < elements / n; ++batch)
    for (std::int64_t k2 = 0; k2 < n2; ++k2)
      for (std::int64_t j1 = 0; j1 < n1; ++j1) {
        const std::complex<double> root = roots(j1 * k2);
        *at++ *= Pair(transform.is_backward ? root : std::conj(root));
      }
  const int again = compute(rows, {between.data(), nullptr, arrays.out, arrays.out_imaginary});
  return again == 0 ? 0 : once + again;
}

/// Visits the batch: the places of its elements in both arrays.
template <class Body>
void each_of(const std::vector<Axis>& batch, Body body, std::size_t axis = 0, std::int64_t in = 0,
             std::int64_t out = 0) {
  if (axis == batch.size()) return body(in, out);
  for (std::int64_t k = 0; k < batch[axis].n; ++k)
    each_of(batch, body, axis + 1, in + k * batch[axis].in_stride,
            out + k * batch[axis].out_stride);
}

/// Lays the batch of one side of a transform out after each other. Returns the elements, of which
/// each transform of the batch has `each`.
std::int64_t lay_out(std::vector<Axis>& batch, std::int64_t Axis::*stride, std::int64_t each) {
  std::int64_t elements = each;
  for (Axis& one : batch) {
    one.*stride = elements;
    elements *= one.n;
  }
  return elements;
}

/// The complex transform of an even number of real elements, of which neighbours are a pair. Its
/// other side lies dense.
Transform pairs_of(const Transform& transform) {
  const Axis& axis = transform.transformed[0];
  const bool is_backward = transform.sort == Sort::c2r;
  Transform pairs = transform;
  pairs.sort = Sort::c2c;
  pairs.is_backward = is_backward;
  const std::int64_t half = axis.n / 2;
  pairs.transformed = {is_backward ? Axis{half, 1, 2 * axis.out_stride}
                                   : Axis{half, 2 * axis.in_stride, 1}};
  lay_out(pairs.batch, is_backward ? &Axis::in_stride : &Axis::out_stride, half);
  return pairs;
}

/// Of an even number of real elements: neighbours are a pair. X(k) = E + w^k O, where E and O are
/// those of the elements at even and odd places.
template <class Real>
int Passes<Real>::by_pairs(const Transform& transform, const Arrays& arrays) {
  const Axis& axis = transform.transformed[0];
  const std::int64_t half = axis.n / 2;
  if (axis.n % 2 != 0) return 0;
  const Transform pairs = pairs_of(transform);
  std::vector<Pair> between(static_cast<std::size_t>(out_elements(pairs)));
  const Real* const in = static_cast<const Real*>(arrays.in);
  const int count = compute(pairs, {in, in + axis.in_stride, between.data(), nullptr});
  if (count == 0) return 0;
  const Roots roots(axis.n);
  auto out = parts_of<Real>(arrays.out, arrays.out_imaginary, false);
  std::vector<Axis> batch = transform.batch;
  lay_out(batch, &Axis::in_stride, half);
  each_of(batch, [&](std::int64_t from, std::int64_t to) {
    const Pair* const z = between.data() + from;
    for (std::int64_t k = 0; k <= half; ++k) {
      const Pair one = z[k % half], other = std::conj(z[(half - k) % half]);
      const Pair even = Real(0.5) * (one + other), odd = Pair(0, Real(-0.5)) * (one - other);
      const Pair value = even + Pair(std::conj(roots(k))) * odd;
      const std::int64_t place = (to + k * axis.out_stride) * out.step;
      out.real[place] = value.real();
      out.imaginary[place] = value.imag();
    }
  });
  return count;
}

template <class Real>
int Passes<Real>::from_pairs(const Transform& transform, const Arrays& arrays) {
  const Axis& axis = transform.transformed[0];
  const std::int64_t half = axis.n / 2;
  if (axis.n % 2 != 0) return 0;
  const Transform pairs = pairs_of(transform);
  std::vector<Pair> between(static_cast<std::size_t>(in_elements(pairs)));
  const Roots roots(axis.n);
  const auto in = parts_of<const Real>(arrays.in, arrays.in_imaginary, false);
  const auto value = [&](std::int64_t place) {
    return Pair(in.real[place * in.step], in.imaginary[place * in.step]);
  };
  std::vector<Axis> batch = transform.batch;
  lay_out(batch, &Axis::out_stride, half);
  each_of(batch, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t k = 0; k < half; ++k) {
      Pair one = value(from + k * axis.in_stride),
           other = std::conj(value(from + (half - k) * axis.in_stride));
      if (k == 0) one = one.real(), other = other.real();  // their imaginary parts do not count
      between[static_cast<std::size_t>(to + k)] =
          one + other + Pair(0, 1) * Pair(roots(k)) * (one - other);
    }
  });
  Real* const out = static_cast<Real*>(arrays.out);
  return compute(pairs, {between.data(), nullptr, out, out + axis.out_stride});
}

bool is_in_place(const Arrays& arrays) noexcept {
  const auto is_read = [&](const void* written) {
    return written != nullptr && (written == arrays.in || written == arrays.in_imaginary);
  };
  return is_read(arrays.out) || is_read(arrays.out_imaginary);
}

/// A dense array of the result, for one that takes the place of what is read.
Transform with_dense_result(Transform transform) {
  std::int64_t stride = 1;
  const bool is_halved = transform.sort == Sort::r2c;
  for (std::size_t k = transform.transformed.size(); k-- > 0;) {
    Axis& axis = transform.transformed[k];
    axis.out_stride = stride;
    stride *= is_halved && k + 1 == transform.transformed.size() ? axis.n / 2 + 1 : axis.n;
  }
  lay_out(transform.batch, &Axis::out_stride, stride);
  return transform;
}

}  // namespace

template <class Real>
int compute_there(const Transform& transform, const Arrays& arrays, const On& on,
                  std::int64_t memory_bytes) {
  Passes<Real> passes(on, memory_bytes);
  if (passes.fits(transform)) {
    const auto run = start_there<Real>(transform, arrays, on);
    return run && run->finish() ? 1 : 0;
  }
  if (!is_in_place(arrays)) return passes.compute(transform, arrays);
  const Transform apart = with_dense_result(transform);
  const std::int64_t reals = transform.is_real_out() ? 1 : 2;
  std::vector<Real> result(static_cast<std::size_t>(out_elements(apart)) *
                           static_cast<std::size_t>(reals));
  const int count = passes.compute(apart, {arrays.in, arrays.in_imaginary, result.data(), nullptr});
  if (count == 0) return 0;
  std::vector<Axis> all = transform.transformed;
  if (transform.sort == Sort::r2c) all.back().n = all.back().n / 2 + 1;
  all.insert(all.end(), transform.batch.begin(), transform.batch.end());
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].in_stride = k < transform.transformed.size()
                           ? apart.transformed[k].out_stride
                           : apart.batch[k - transform.transformed.size()].out_stride;
  const auto out = parts_of<Real>(arrays.out, arrays.out_imaginary, transform.is_real_out());
  each_of(all, [&](std::int64_t from, std::int64_t to) {
    out.real[to * out.step] = result[static_cast<std::size_t>(from * reals)];
    if (out.imaginary != nullptr)
      out.imaginary[to * out.step] = result[static_cast<std::size_t>(from * reals + 1)];
  });
  return count;
}

template int compute_there<float>(const Transform&, const Arrays&, const On&, std::int64_t);
template int compute_there<double>(const Transform&, const Arrays&, const On&, std::int64_t);

}  // namespace blockyard::blas
