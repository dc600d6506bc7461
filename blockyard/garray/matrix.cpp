// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "blockyard/garray/elementwise.h"

namespace blockyard::garray {

namespace {

using fabric::Reduction;
using fabric::with_type;

void require_vector(const Array& v, Extent length) {
  Extent count = 1;
  for (const Extent extent : v.extents) count *= extent;
  if (count != length) refuse(v, fmt::format("has {} elements where {} are needed", count, length));
}

/// From the first to the last element of a vector that this rank needs.
struct Hull {
  Extent begin = std::numeric_limits<Extent>::max(), end = 0;

  void add(Extent first, Extent last) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
  [[nodiscard]] std::size_t at(Extent i) const { return static_cast<std::size_t>(i - begin); }
};

/// These elements of an array taken as a vector, first axis fastest: at once, though this rank may
/// have many small blocks, between which there are some that it does not need.
template <class T>
std::vector<T> values_of(const Runtime& runtime, const Array& v, const Hull& hull, Extent length) {
  std::vector<T> values(static_cast<std::size_t>(std::max<Extent>(0, hull.end - hull.begin)));
  if (values.empty()) return values;
  const Box line{.axes = 1, .first = {0}, .end = {length}};
  Operand operand(runtime, whole(v), line);
  operand.copy({.axes = 1, .first = {hull.begin}, .end = {hull.end}}, {values.data(), {1}});
  return values;
}

/// Calls visit(data, piece, first, end): the part of the diagonal that each own piece has.
template <class Visit>
void for_each_diagonal(const Array& a, const Visit& visit) {
  for_each_own(whole(a), [&](const Piece& piece, std::byte* data) {
    const Extent first = std::max(piece.box.first[0], piece.box.first[1]);
    const Extent end = std::min(piece.box.end[0], piece.box.end[1]);
    if (first < end) visit(data, piece, first, end);
  });
}

Extent diagonal_offset(const Piece& piece, Extent i) {
  return (i - piece.box.first[0]) * piece.strides[0] + (i - piece.box.first[1]) * piece.strides[1];
}

/// To the larger of both, or to what is not a number.
void raise(double& largest, double value) {
  fabric::combine(fabric::Element::f64, Reduction::max, &largest, &value, 1);
}

double largest_of_vector(const Runtime& runtime, const Array& v) {
  double largest = 0;
  with_type(element_of(v), [&](auto type) {
    using T = decltype(type);
    for_each_own(whole(v), [&](const Piece& piece, const std::byte* data) {
      const T* from = reinterpret_cast<const T*>(data);
      for (Extent i = 0; i < piece.box.extent(0); ++i)
        raise(largest, static_cast<double>(std::abs(from[i * piece.strides[0]])));
    });
  });
  runtime.memory().reduce(runtime.team(v.group).group, fabric::Element::f64, Reduction::max,
                          &largest, 1);
  return largest;
}

}  // namespace

void require_matrix(const Array& a) {
  if (a.axes() != 2) refuse(a, fmt::format("has {} axes where 2 are needed", a.axes()));
}

void require_square(const Array& a) {
  require_matrix(a);
  if (a.extents[0] != a.extents[1])
    refuse(a, fmt::format("has {} x {} elements where a square is needed", a.extents[1],
                          a.extents[0]));
}

void transpose(const Runtime& runtime, const Array& a, const Array& b) {
  require_matrix(a);
  require_matrix(b);
  if (b.extents[0] != a.extents[1] || b.extents[1] != a.extents[0])
    refuse(b, "does not have the shape of the transpose of \"" + a.name + "\"");
  copy(runtime, whole(a), whole(b), true);
}

void symmetrize(Runtime& runtime, const Array& a) {
  if (a.axes() < 2) require_matrix(a);
  const std::size_t row = a.axes() - 2, column = a.axes() - 1;
  if (a.extents[row] != a.extents[column])
    refuse(a, fmt::format("has {} x {} elements where a square is needed", a.extents[column],
                          a.extents[row]));
  const auto exchange = [&](auto& of_axes) { std::swap(of_axes[row], of_axes[column]); };
  with_type(element_of(a), [&](auto type) {
    using T = decltype(type);
    // All that is needed of the transpose is copied before anything changes.
    struct Part {
      T* data;
      Piece piece;
      std::vector<T> other;
    };
    std::vector<Part> parts;
    for_each_own(whole(a), [&](const Piece& piece, std::byte* data) {
      Part part{reinterpret_cast<T*>(data), piece, {}};
      part.other.resize(static_cast<std::size_t>(piece.box.element_count()));
      Box mirrored = piece.box;
      Indexes strides = array::dense_strides(piece.box);
      exchange(mirrored.first);
      exchange(mirrored.end);
      exchange(strides);
      get(runtime, a, mirrored, {part.other.data(), strides});
      parts.push_back(std::move(part));
    });
    runtime.sync(a.group);
    for (Part& part : parts)
      for_each_offset<2>(part.piece.box, {part.piece.strides, array::dense_strides(part.piece.box)},
                         [&](const auto& at) {
                           T& value = part.data[at[0]];
                           value = (value + part.other[static_cast<std::size_t>(at[1])]) / T(2);
                         });
  });
}

void copy_diagonal(const Runtime& runtime, const Array& a, const Array& v) {
  require_matrix(a);
  require_same_kind(a, v);
  const Extent length = std::min(a.extents[0], a.extents[1]);
  require_vector(v, length);
  with_type(element_of(a), [&](auto type) {
    using T = decltype(type);
    const Indexes numbers = array::dense_strides(v.whole());
    std::vector<Indexes> places;
    std::vector<T*> to;
    for_each_own(whole(v), [&](const Piece& piece, std::byte* data) {
      for_each_offset<2>(piece.box, {piece.strides, numbers}, [&](const auto& at) {
        Extent i = at[1];
        for (std::size_t d = 0; d < v.axes(); ++d) i += piece.box.first[d] * numbers[d];
        places.push_back({i, i});
        to.push_back(reinterpret_cast<T*>(data) + at[0]);
      });
    });
    std::vector<T> values(places.size());
    gather(runtime, a, places, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) *to[i] = values[i];
  });
}

void change_diagonal(const Runtime& runtime, OnDiagonal how, const Array& a, const Array& v) {
  require_matrix(a);
  require_same_kind(a, v);
  const Extent length = std::min(a.extents[0], a.extents[1]);
  require_vector(v, length);
  Hull hull;
  for_each_diagonal(
      a, [&](const std::byte*, const Piece&, Extent first, Extent end) { hull.add(first, end); });
  with_type(element_of(a), [&](auto type) {
    using T = decltype(type);
    const auto values = values_of<T>(runtime, v, hull, length);
    for_each_diagonal(a, [&](std::byte* data, const Piece& piece, Extent first, Extent end) {
      for (Extent i = first; i < end; ++i) {
        T& to = reinterpret_cast<T*>(data)[diagonal_offset(piece, i)];
        const T value = values[hull.at(i)];
        to = how == OnDiagonal::set ? value : static_cast<T>(to + value);
      }
    });
  });
}

void shift_diagonal(const Array& a, const void* value) {
  require_matrix(a);
  with_type(element_of(a), [&](auto type) {
    using T = decltype(type);
    for_each_diagonal(a, [&](std::byte* data, const Piece& piece, Extent first, Extent end) {
      for (Extent i = first; i < end; ++i) {
        T& to = reinterpret_cast<T*>(data)[diagonal_offset(piece, i)];
        to = value == nullptr ? T{} : static_cast<T>(to + *static_cast<const T*>(value));
      }
    });
  });
}

void scale_along(const Runtime& runtime, Along along, const Array& a, const Array& v) {
  require_matrix(a);
  require_same_kind(a, v);
  const std::size_t axis = along == Along::rows ? 0 : 1;
  require_vector(v, a.extents[axis]);
  Hull hull;
  for_each_own(whole(a), [&](const Piece& piece, const std::byte*) {
    hull.add(piece.box.first[axis], piece.box.end[axis]);
  });
  with_type(element_of(a), [&](auto type) {
    using T = decltype(type);
    const auto factors = values_of<T>(runtime, v, hull, a.extents[axis]);
    Indexes unit{};
    unit[axis] = 1;
    for_each_own(whole(a), [&](const Piece& piece, std::byte* data) {
      T* to = reinterpret_cast<T*>(data);
      const T* from = factors.data() + hull.at(piece.box.first[axis]);
      for_each_offset<2>(piece.box, {piece.strides, unit}, [&](const auto& at) {
        to[at[0]] = static_cast<T>(to[at[0]] * from[at[1]]);
      });
    });
  });
}

double norm(const Runtime& runtime, Along along, const Array& a) {
  if (a.axes() > 2) require_matrix(a);
  const std::size_t axis = along == Along::columns ? 1 : 0;
  // A vector is a column.
  if (a.axes() == 1 && axis == 0) return largest_of_vector(runtime, a);
  const Extent length = axis < a.axes() ? a.extents[axis] : 1;
  std::vector<double> sums(static_cast<std::size_t>(length));
  with_type(element_of(a), [&](auto type) {
    using T = decltype(type);
    for_each_own(whole(a), [&](const Piece& piece, std::byte* data) {
      const Extent rows = piece.box.extent(0), columns = a.axes() > 1 ? piece.box.extent(1) : 1;
      double* to = sums.data() + piece.box.first[axis];
      for (Extent j = 0; j < columns; ++j) {
        const T* from = reinterpret_cast<const T*>(data) + j * piece.strides[1];
        if (axis == 0) {
          for (Extent i = 0; i < rows; ++i)
            to[i] += static_cast<double>(std::abs(from[i * piece.strides[0]]));
        } else {
          double sum = 0;
          for (Extent i = 0; i < rows; ++i)
            sum += static_cast<double>(std::abs(from[i * piece.strides[0]]));
          to[j] += sum;
        }
      }
    });
  });
  runtime.memory().reduce(runtime.team(a.group).group, fabric::Element::f64, Reduction::sum,
                          sums.data(), sums.size());
  double largest = 0;
  for (const double sum : sums) raise(largest, sum);
  return largest;
}

}  // namespace blockyard::garray
