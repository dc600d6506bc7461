// SPDX-License-Identifier: Apache-2.0
// Vectors by hand (loops.h), for the width and the masks that the file which includes this has:
//   width_bytes; has_masks; load_first, store_first of the elements below n; is_any of a mask;
//   root; with_own, which puts forms of its own in.
// Nothing here may have a name outside of its file.
#pragma once

#include <cstring>
#include <type_traits>

#include "bench/simd/loops_body.h"

namespace blockyard::bench {
namespace {

template <class T, int bytes = width_bytes>
struct VectorOf {
  using Type [[gnu::vector_size(bytes)]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::Type;
template <class T>
constexpr int lanes = width_bytes / static_cast<int>(sizeof(T));

template <class V, class T>
V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
void store(T* to, V v) {
  std::memcpy(to, &v, sizeof v);
}
template <class V>
auto sum(V v) {
  using T = std::remove_cvref_t<decltype(v[0])>;
  if constexpr (sizeof(V) > 16) {
    typename VectorOf<T, sizeof(V) / 2>::Type halves[2];
    std::memcpy(&halves, &v, sizeof v);
    return sum(halves[0] + halves[1]);
  } else {
    T all = v[0];
    for (int k = 1; k < static_cast<int>(sizeof(V) / sizeof(T)); ++k) all += v[k];
    return all;
  }
}

// Sums of two vectors of 31 elements.

template <class T>
constexpr int whole = sum_length / lanes<T>* lanes<T>;

template <class T>
void add_whole(const T* x, const T* y, T* z, int end) {
  for (int i = 0; i < end; i += lanes<T>)
    store(z + i, load<Vector<T>>(x + i) + load<Vector<T>>(y + i));
}
template <class T>
[[gnu::noinline]] void add_scalar(const T* x, const T* y, T* z) {
  for (int i = 0; i < sum_length; ++i) {
    asm volatile("");  // the compiler must not make vectors of it
    z[i] = x[i] + y[i];
  }
}
template <class T>
[[gnu::noinline]] void add_scalar_rest(const T* x, const T* y, T* z) {
  add_whole(x, y, z, whole<T>);
  for (int i = whole<T>; i < sum_length; ++i) {
    asm volatile("");
    z[i] = x[i] + y[i];
  }
}
/// What add_scalar_rest loads and stores, without its sums.
template <class T>
[[gnu::noinline]] void move_scalar_rest(const T* x, const T* y, T* z) {
  for (int i = 0; i < whole<T>; i += lanes<T>) {
    const auto other = load<Vector<T>>(y + i);
    asm volatile("" : : "x"(other));
    store(z + i, load<Vector<T>>(x + i));
  }
  for (int i = whole<T>; i < sum_length; ++i) {
    const T other = y[i];
    if constexpr (std::is_integral_v<T>)
      asm volatile("" : : "r"(other));
    else
      asm volatile("" : : "x"(other));
    z[i] = x[i];
  }
}
template <class T>
[[gnu::noinline]] void add_masked(const T* x, const T* y, T* z) {
  add_whole(x, y, z, whole<T>);
  constexpr int rest = sum_length - whole<T>;
  if constexpr (has_masks)
    store_first(z + whole<T>, load_first(x + whole<T>, rest) + load_first(y + whole<T>, rest),
                rest);
}
template <class T>
[[gnu::noinline]] void add_padded(const T* x, const T* y, T* z) {
  add_whole(x, y, z, sum_length);
}
template <class T>
[[gnu::noinline]] void add_aligned(const T* x, const T* y, T* z) {
  const auto at = [](auto* p) { return static_cast<decltype(p)>(__builtin_assume_aligned(p, 64)); };
  add_whole(at(x), at(y), at(z), sum_length);
}

template <class T>
constexpr Sums<T> sums = {add_scalar<T>, add_scalar_rest<T>, has_masks ? add_masked<T> : nullptr,
                          add_padded<T>, add_aligned<T>,     move_scalar_rest<T>};

// The sum of square roots: length and alignment not known.

using Floats = Vector<float>;

/// The roots from y on in `n` elements, four vectors at a time, and what is left of n.
float whole_roots(const float*& y, int& n) {
  Floats one{}, two{}, three{}, four{};
  constexpr int w = lanes<float>;
  for (; n >= 4 * w; n -= 4 * w, y += 4 * w) {
    one += root(load<Floats>(y));
    two += root(load<Floats>(y + w));
    three += root(load<Floats>(y + 2 * w));
    four += root(load<Floats>(y + 3 * w));
  }
  for (; n >= w; n -= w, y += w) one += root(load<Floats>(y));
  return sum((one + two) + (three + four));
}
float few_roots(const float* y, int n) {
  float x = 0;
  for (int k = 0; k < n; ++k) {
    asm volatile("");
    x += std::sqrt(y[k]);
  }
  return x;
}
/// Elements until y is aligned.
int before_aligned(const float* y, int n) {
  const auto past = reinterpret_cast<std::uintptr_t>(y) % width_bytes;
  return past == 0 ? 0 : std::min(n, (width_bytes - static_cast<int>(past)) / 4);
}
[[gnu::noinline]] float roots_scalar_edges(const float* y, int n) {
  const int edge = before_aligned(y, n);
  float x = 10 + few_roots(y, edge);
  y += edge;
  n -= edge;
  x += whole_roots(y, n);
  return x + few_roots(y, n);
}
/// The edges are masked, in vectors; what is one vector long has no edge before it.
[[gnu::noinline]] float roots_masked(const float* y, int n) {
  if constexpr (has_masks) {
    if (n == 1) return 10 + std::sqrt(*y);  // one lane of a vector, without adding up the others
    if (n <= lanes<float>) return 10 + sum(root(load_first(y, n)));
    Floats edges{};
    if (n > 4 * lanes<float>) {
      const int edge = before_aligned(y, n);
      edges = root(load_first(y, edge));
      y += edge;
      n -= edge;
    }
    float x = 10;
    if (n >= 2 * lanes<float>) {
      x += whole_roots(y, n);
    } else if (n >= lanes<float>) {
      edges += root(load<Floats>(y));
      y += lanes<float>;
      n -= lanes<float>;
    }
    return x + sum(edges + root(load_first(y, n)));
  }
  return roots_scalar_edges(y, n);
}
/// The memory is padded with zeros to a whole vector.
[[gnu::noinline]] float roots_padded(const float* y, int n) {
  Floats x{};
  for (int k = 0; k < n; k += lanes<float>) x += root(load<Floats>(y + k));
  return 10 + sum(x);
}

// Rows of 7 in f64.

[[gnu::noinline]] void add_rows_masked(const double* in, const double* factors, double* out) {
  if constexpr (has_masks) {
    using V = Vector<double>;
    constexpr int count = (short_columns + lanes<double> - 1) / lanes<double>;
    constexpr int last = (count - 1) * lanes<double>, rest = short_columns - last;
    constexpr int chains = 4;  // rows at a time, to hide the latency of additions
    static_assert(short_rows % chains == 0);
    V sums_of[count][chains] = {};
    for (int row = 0; row < short_rows; row += chains)
      for (int c = 0; c < chains; ++c) {
        const double* const from = in + (row + c) * short_stride;
        for (int k = 0; k + 1 < count; ++k)
          sums_of[k][c] += factors[row + c] * load<V>(from + k * lanes<double>);
        sums_of[count - 1][c] += factors[row + c] * load_first(from + last, rest);
      }
    for (int k = 0; k < count; ++k)
      sums_of[k][0] = (sums_of[k][0] + sums_of[k][1]) + (sums_of[k][2] + sums_of[k][3]);
    for (int k = 0; k + 1 < count; ++k) store(out + k * lanes<double>, sums_of[k][0]);
    store_first(out + last, sums_of[count - 1][0], rest);
  }
}

// 4 x 4 products: a column is a vector of four, and all of a matrix is in registers.

template <class T>
using Four = typename VectorOf<T, 4 * static_cast<int>(sizeof(T))>::Type;

template <class T>
struct Matrix {
  Four<T> column[4];
};
template <class T>
Matrix<T> load_matrix(const T* a) {
  using V = Four<T>;
  return {{load<V>(a), load<V>(a + 4), load<V>(a + 8), load<V>(a + 12)}};
}
template <class T>
void store_matrix(T* to, const Matrix<T>& m) {
  for (int k = 0; k < 4; ++k) store(to + 4 * k, m.column[k]);
}
template <class T>
Matrix<T> transposed(const Matrix<T>& m) {
  const auto low = [](Four<T> a, Four<T> b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); };
  const auto high = [](Four<T> a, Four<T> b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); };
  const Four<T> a = low(m.column[0], m.column[2]), b = low(m.column[1], m.column[3]),
                c = high(m.column[0], m.column[2]), d = high(m.column[1], m.column[3]);
  return {{low(a, b), high(a, b), low(c, d), high(c, d)}};
}
/// result(:,j) = sum over i of left(:,i) right(i,j)
template <class T>
Matrix<T> product(const Matrix<T>& left, const Matrix<T>& right) {
  Matrix<T> result;
  for (int j = 0; j < 4; ++j) {
    const Four<T> r = right.column[j];
    result.column[j] = left.column[0] * __builtin_shufflevector(r, r, 0, 0, 0, 0) +
                       left.column[1] * __builtin_shufflevector(r, r, 1, 1, 1, 1) +
                       left.column[2] * __builtin_shufflevector(r, r, 2, 2, 2, 2) +
                       left.column[3] * __builtin_shufflevector(r, r, 3, 3, 3, 3);
  }
  return result;
}
template <class T>
[[gnu::noinline]] void multiply_in_registers(const T* a, const T* b, T* c) {
  store_matrix(c, product(transposed(load_matrix(a)), load_matrix(b)));
}
template <class T>
[[gnu::noinline]] void pair_in_registers(const T* a, const T* b, T* c, T* d) {
  const Matrix<T> left = load_matrix(a), right = load_matrix(b);
  store_matrix(c, product(transposed(left), right));
  store_matrix(d, product(right, left));
}

// Square matrices whose columns fit a vector.

template <class T, int n>
[[gnu::noinline]] void square_in_registers(const T* a, const T* b, T* c) {
  Vector<T> sums[n] = {};
  for (int l = 0; l < n; ++l) {
    const Vector<T> x = load_first(a + n * l, n);
    for (int j = 0; j < n; ++j) sums[j] += x * b[l + n * j];
  }
  for (int j = 0; j < n; ++j) store_first(c + n * j, sums[j], n);
}
template <class T, int... side>
constexpr Squares<T> squares_in_registers(std::integer_sequence<int, side...>) {
  return {(has_masks && least_side + side <= lanes<T> ? square_in_registers<T, least_side + side>
                                                      : nullptr)...};
}

// The Mandelbrot set, some vectors of points at a time: the others hide the latency of one. A
// vector whose points are all done makes room for the next points of the row.

struct Points {
  static constexpr int at_once = width_bytes == 64 ? 4 : 2;  // as many as fit the registers
  using Ints = Vector<std::int32_t>;
  Floats re, x, y;
  Ints count, inside;
  int at, left;  // the first point, steps

  [[gnu::always_inline]] inline void begin(int first, Floats im) {
    const Floats numbers = __builtin_convertvector(in_order(), Floats) + static_cast<float>(first);
    re = -2.0F + 2.5F * numbers / static_cast<float>(mandelbrot_side);  // as in coordinate()
    x = re;
    y = im;
    count = Ints{} + 1;
    inside = Ints{} - 1;
    at = first;
    left = most_steps - 1;
  }
  /// Returns whether another step is needed.
  [[gnu::always_inline]] inline bool step(Floats im) {
    const Floats old = x;
    x = x * x - y * y + re;
    y = 2 * old * y + im;
    inside &= x * x + y * y < 4.0F;
    count -= inside;
    return --left > 0 && is_any(inside);
  }
  static Ints in_order() {
    Ints numbers;
    for (int k = 0; k < lanes<float>; ++k) numbers[k] = k;
    return numbers;
  }
};

void mandelbrot_vectors(int row, std::int32_t* steps) {
  constexpr int w = lanes<float>, all = Points::at_once;
  static_assert(mandelbrot_side % w == 0 && mandelbrot_side >= all * w);
  const Floats im = coordinate(row, -1.25F) + Floats{};
  Points points[all];
  int next = 0, running = all;
  for (int v = 0; v < all; ++v, next += w) points[v].begin(next, im);
  while (running > 0)
#pragma GCC unroll 4
    for (int v = 0; v < all; ++v) {
      if (points[v].step(im)) continue;
      if (points[v].at < 0) continue;  // it has none left
      store(steps + points[v].at, points[v].count);
      if (next < mandelbrot_side) {
        points[v].begin(next, im);
        next += w;
      } else {
        points[v].at = -1;
        points[v].inside = Points::Ints{};
        --running;
      }
    }
}

// Lists of neighbours.

Floats potential(Floats x, Floats y, Floats z) {
  const Floats inverse = 1 / (x * x + y * y + z * z);
  const Floats sixth = inverse * inverse * inverse;
  return sixth * (sixth - 1);
}
template <bool is_padded>
[[gnu::noinline]] float lists_in_vectors(const float* xyz, const int* lengths) {
  constexpr int w = lanes<float>;
  Floats energy{};
  for (int list = 0; list < list_count; ++list) {
    const float *x = xyz + list * list_stride, *y = x + list_count * list_stride,
                *z = y + list_count * list_stride;
    const int length = lengths[list];
    int k = 0;
    for (; k + (is_padded ? 0 : w - 1) < length; k += w)
      energy += potential(load<Floats>(x + k), load<Floats>(y + k), load<Floats>(z + k));
    if constexpr (has_masks && !is_padded)
      if (k < length) {
        Floats last = potential(load_first(x + k, length - k), load_first(y + k, length - k),
                                load_first(z + k, length - k));
        float chosen[w] = {};  // beyond the end are divisions by zero
        store_first(chosen, last, length - k);
        energy += load<Floats>(chosen);
      }
  }
  return sum(energy);
}

constexpr Vectors vectors_here = with_own(
    {sums<std::int32_t>, sums<float>, sums<double>, roots_scalar_edges,
     has_masks ? roots_masked : nullptr, roots_padded, has_masks ? add_rows_masked : nullptr,
     multiply_in_registers<float>, multiply_in_registers<double>, pair_in_registers<float>,
     pair_in_registers<double>, mandelbrot_vectors, has_masks ? lists_in_vectors<false> : nullptr,
     lists_in_vectors<true>, nullptr, squares_in_registers<float>(sides),
     squares_in_registers<double>(sides)});

}  // namespace
}  // namespace blockyard::bench
