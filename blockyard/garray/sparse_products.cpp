// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <map>

#include "blockyard/garray/sparse.h"

namespace blockyard::garray {

namespace {

std::size_t index(Extent value) { return static_cast<std::size_t>(value); }

template <class Visit>
auto typed(const Kind& kind, const Visit& visit) {
  return fabric::with_type(*kind.element, visit);
}

template <class T>
T at(const std::byte* value) {
  T number;
  std::memcpy(&number, value, sizeof(T));
  return number;
}

void require_line(const Array& array, const Kind& kind, Extent elements) {
  if (array.axes() != 1 || array.extents[0] != elements || array.kind.element != kind.element)
    refuse(array, fmt::format("is not an array of {} elements of the matrix's type", elements));
}

void require_dense(const Array& array, const Kind& kind, Extent rows, Extent columns,
                   std::size_t row_axis) {
  if (array.axes() != 2 || array.extents[row_axis] != rows ||
      array.extents[1 - row_axis] != columns || array.kind.element != kind.element)
    refuse(array,
           fmt::format("is not an array of {} x {} elements of the matrix's type", rows, columns));
}

Box line_box(Extent first, Extent end) {
  Box box{.axes = 1};
  box.first[0] = first;
  box.end[0] = end;
  return box;
}

Box dense_box(std::size_t row_axis, Extent first_row, Extent end_row, Extent first_column,
              Extent end_column) {
  Box box{.axes = 2};
  box.first[row_axis] = first_row, box.end[row_axis] = end_row;
  box.first[1 - row_axis] = first_column, box.end[1 - row_axis] = end_column;
  return box;
}

/// A dense copy of a box, element by (row, column) of it.
template <class T>
struct Dense {
  std::vector<T> values;
  Indexes strides;
  std::size_t row_axis;

  Dense(const Box& box, std::size_t axis)
      : values(index(box.element_count())), strides(array::dense_strides(box)), row_axis(axis) {}
  [[nodiscard]] T& operator()(Extent row, Extent column) {
    return values[index(row * strides[row_axis] + column * strides[1 - row_axis])];
  }
};

/// Bits that look random, from a number. Source: Steele, Lea, Flood, SplitMix, OOPSLA 2014.
std::uint64_t mixed(std::uint64_t number) noexcept {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

template <class T>
std::vector<T> line_of(const Runtime& runtime, const Array& x, Extent first, Extent end) {
  std::vector<T> values(index(end - first));
  if (!values.empty()) get(runtime, x, line_box(first, end), {values.data(), {1}});
  return values;
}

template <class T>
void put_line(const Runtime& runtime, const Array& y, Extent first, std::vector<T>& values) {
  if (values.empty()) return;
  put(runtime, y, line_box(first, first + static_cast<Extent>(values.size())),
      {values.data(), {1}});
}

/// Calls visit(row within the block, column, value).
template <class T, class Visit>
void for_each(const Sparse::Block& block, const Visit& visit) {
  if (block.is_empty()) return;
  for (std::size_t row = 0; row + 1 < block.offsets.size(); ++row)
    for (auto k = index(block.offsets[row]); k < index(block.offsets[row + 1]); ++k)
      visit(static_cast<Extent>(row), block.columns[k], at<T>(block.values() + k * sizeof(T)));
}

/// Entries of one type, and how a matrix gets them.
template <class T>
struct Entries {
  std::vector<Sparse::Entry> places;
  std::vector<T> values;

  void add(Extent row, Extent column, T value) {
    places.push_back({row, column});
    values.push_back(value);
  }
  void give(Sparse& to) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    to.assign(std::move(places), std::move(bytes));
  }
};

}  // namespace

void multiply(const Runtime& runtime, const Sparse& a, const Array& x, const Array& y) {
  require_line(x, a.kind(), a.columns());
  require_line(y, a.kind(), a.rows());
  typed(a.kind(), [&](auto type) {
    using T = decltype(type);
    const Extent first = a.first_row(a.me());
    std::vector<T> sums(index(a.first_row(a.me() + 1) - first));
    for (int cut = 0; cut < a.members(); ++cut) {
      if (a.own(cut).is_empty()) continue;
      const Extent begin = a.first_column(cut);
      const auto part = line_of<T>(runtime, x, begin, a.first_column(cut + 1));
      for_each<T>(a.own(cut), [&](Extent row, Extent column, T value) {
        sums[index(row)] = static_cast<T>(sums[index(row)] + value * part[index(column - begin)]);
      });
    }
    put_line(runtime, y, first, sums);
  });
}

void multiply(Runtime& /*runtime*/, const Sparse& a, const Sparse& b, Sparse& c) {
  if (a.columns() != b.rows() || a.kind().element != b.kind().element || a.group() != b.group())
    refuse(
        fmt::format("sparse matrices of {} x {} and {} x {} elements cannot be multiplied, or are "
                    "of two types or groups",
                    a.rows(), a.columns(), b.rows(), b.columns()));
  typed(a.kind(), [&](auto type) {
    using T = decltype(type);
    const Extent first = a.first_row(a.me());
    std::vector<std::map<Extent, T>> sums(index(a.first_row(a.me() + 1) - first));
    // The rows of b at one member belong to one cut of the columns of a.
    for (int cut = 0; cut < a.members(); ++cut) {
      if (a.own(cut).is_empty()) continue;
      const Extent begin = b.first_row(cut);
      b.for_each_block(cut, [&](const Sparse::Block& block) {
        for_each<T>(a.own(cut), [&](Extent row, Extent column, T value) {
          const std::size_t inner = index(column - begin);
          for (auto k = index(block.offsets[inner]); k < index(block.offsets[inner + 1]); ++k) {
            T& sum = sums[index(row)][block.columns[k]];
            sum = static_cast<T>(sum + value * at<T>(block.values() + k * sizeof(T)));
          }
        });
      });
    }
    Entries<T> entries;
    for (std::size_t row = 0; row < sums.size(); ++row)
      for (const auto& [column, value] : sums[row])
        entries.add(first + static_cast<Extent>(row), column, value);
    entries.give(c);
  });
}

void multiply(const Runtime& runtime, const Sparse& a, const Array& b, const Array& c,
              std::size_t row_axis) {
  const Extent n = b.axes() == 2 ? b.extents[1 - row_axis] : 0;
  require_dense(b, a.kind(), a.columns(), n, row_axis);
  require_dense(c, a.kind(), a.rows(), n, row_axis);
  typed(a.kind(), [&](auto type) {
    using T = decltype(type);
    const Extent first = a.first_row(a.me()), end = a.first_row(a.me() + 1);
    if (first == end) return;
    const Box own = dense_box(row_axis, first, end, 0, n);
    Dense<T> sums(own, row_axis);
    for (int cut = 0; cut < a.members(); ++cut) {
      if (a.own(cut).is_empty()) continue;
      const Extent begin = a.first_column(cut);
      const Box box = dense_box(row_axis, begin, a.first_column(cut + 1), 0, n);
      Dense<T> part(box, row_axis);
      get(runtime, b, box, {part.values.data(), part.strides});
      for_each<T>(a.own(cut), [&](Extent row, Extent column, T value) {
        for (Extent j = 0; j < n; ++j)
          sums(row, j) = static_cast<T>(sums(row, j) + value * part(column - begin, j));
      });
    }
    put(runtime, c, own, {sums.values.data(), sums.strides});
  });
}

void multiply(const Runtime& runtime, const Array& a, const Sparse& b, const Array& c,
              std::size_t row_axis) {
  const Extent m = a.axes() == 2 ? a.extents[row_axis] : 0;
  require_dense(a, b.kind(), m, b.rows(), row_axis);
  require_dense(c, b.kind(), m, b.columns(), row_axis);
  typed(b.kind(), [&](auto type) {
    using T = decltype(type);
    const Extent first = b.first_row(b.me()), end = b.first_row(b.me() + 1);
    if (first == end) return;
    const Box own = dense_box(row_axis, 0, m, first, end);
    Dense<T> left(own, row_axis);
    get(runtime, a, own, {left.values.data(), left.strides});
    for (int cut = 0; cut < b.members(); ++cut) {
      if (b.own(cut).is_empty()) continue;
      const Extent begin = b.first_column(cut);
      const Box box = dense_box(row_axis, 0, m, begin, b.first_column(cut + 1));
      Dense<T> sums(box, row_axis);
      for_each<T>(b.own(cut), [&](Extent row, Extent column, T value) {
        for (Extent i = 0; i < m; ++i)
          sums(i, column - begin) = static_cast<T>(sums(i, column - begin) + left(i, row) * value);
      });
      const T one(1);
      accumulate(runtime, c, box, {sums.values.data(), sums.strides}, &one);
    }
  });
}

void copy_nonzero(const Runtime& runtime, const Array& from, std::size_t row_axis, Sparse& to) {
  require_dense(from, to.kind(), to.rows(), to.columns(), row_axis);
  typed(to.kind(), [&](auto type) {
    using T = decltype(type);
    Entries<T> entries;
    const Extent first = to.first_row(to.me()), end = to.first_row(to.me() + 1);
    if (first < end) {
      const Box box = dense_box(row_axis, first, end, 0, to.columns());
      Dense<T> part(box, row_axis);
      get(runtime, from, box, {part.values.data(), part.strides});
      for (Extent i = first; i < end; ++i)
        for (Extent j = 0; j < to.columns(); ++j)
          if (part(i - first, j) != T{}) entries.add(i, j, part(i - first, j));
    }
    entries.give(to);
  });
}

namespace {

/// Collective. Changes this rank's values: change(row, column, value).
template <class Change>
void change(const Runtime& runtime, Sparse& a, const Change& change) {
  typed(a.kind(), [&](auto type) {
    using T = decltype(type);
    for (int cut = 0; cut < a.members(); ++cut) {
      std::byte* next = a.own_block(cut).values();
      for_each<T>(a.own(cut), [&](Extent row, Extent column, T value) {
        const T changed = change(row, column, value);
        std::memcpy(next, &changed, sizeof(T));
        next += sizeof(T);
      });
    }
  });
  runtime.memory().barrier(runtime.team(a.group()).group);
}

}  // namespace

void scale(const Runtime& runtime, Sparse& a, const void* factor) {
  change(runtime, a, [&](Extent, Extent, auto value) {
    using T = decltype(value);
    return static_cast<T>(value * at<T>(static_cast<const std::byte*>(factor)));
  });
}

void scale_rows(const Runtime& runtime, Sparse& a, const Array& d) {
  require_line(d, a.kind(), a.rows());
  const Extent first = a.first_row(a.me());
  std::vector<std::byte> factors(index(a.first_row(a.me() + 1) - first) * a.kind().bytes);
  if (!factors.empty())
    get(runtime, d, line_box(first, a.first_row(a.me() + 1)), {factors.data(), {1}});
  change(runtime, a, [&](Extent row, Extent, auto value) {
    using T = decltype(value);
    return static_cast<T>(value * at<T>(factors.data() + index(row) * sizeof(T)));
  });
}

void scale_columns(const Runtime& runtime, Sparse& a, const Array& d) {
  require_line(d, a.kind(), a.columns());
  std::vector<std::byte> factors(index(a.columns()) * a.kind().bytes);
  get(runtime, d, line_box(0, a.columns()), {factors.data(), {1}});
  change(runtime, a, [&](Extent, Extent column, auto value) {
    using T = decltype(value);
    return static_cast<T>(value * at<T>(factors.data() + index(column) * sizeof(T)));
  });
}

void shift_diagonal(Sparse& a, const void* value) {
  typed(a.kind(), [&](auto type) {
    using T = decltype(type);
    const T added = at<T>(static_cast<const std::byte*>(value));
    const Extent first = a.first_row(a.me());
    std::vector<char> has(index(a.first_row(a.me() + 1) - first));
    Entries<T> entries;
    a.for_each_own([&](Extent row, Extent column, const std::byte* old) {
      if (row == column) has[index(row - first)] = 1;
      entries.add(row, column, row == column ? static_cast<T>(at<T>(old) + added) : at<T>(old));
    });
    for (std::size_t row = 0; row < has.size(); ++row)
      if (const Extent i = first + static_cast<Extent>(row); has[row] == 0 && i < a.columns())
        entries.add(i, i, added);
    entries.give(a);
  });
}

namespace {

/// v(row) = the element: one message for each rank that has some of v.
template <class Wanted>
void copy_wanted(const Runtime& runtime, const Sparse& a, const Array& v, const Wanted& wanted) {
  std::vector<Indexes> rows;
  std::vector<std::byte> values;
  a.for_each_own([&](Extent row, Extent column, const std::byte* value) {
    if (!wanted(row, column)) return;
    rows.push_back({row});
    values.insert(values.end(), value, value + a.kind().bytes);
  });
  scatter(runtime, v, rows, values.data());
}

}  // namespace

void copy_diagonal(const Runtime& runtime, const Sparse& a, const Array& v) {
  copy_wanted(runtime, a, v, [](Extent row, Extent column) { return row == column; });
}

void copy_column(const Runtime& runtime, const Sparse& a, Extent column, const Array& v) {
  if (column < 0 || column >= a.columns())
    refuse(fmt::format("column {} is outside the sparse matrix of {} x {}", column, a.rows(),
                       a.columns()));
  copy_wanted(runtime, a, v, [&](Extent, Extent other) { return other == column; });
}

void count_sketch(const Runtime& runtime, const Sparse& a, const Array& places, const Array& signs,
                  const Array& c, std::size_t row_axis) {
  const Extent first = a.first_row(a.me()), end = a.first_row(a.me() + 1);
  const auto count = static_cast<std::uint64_t>(c.extents[row_axis]);
  typed(a.kind(), [&](auto type) {
    using T = decltype(type);
    std::vector<std::int32_t> rows;
    std::vector<T> factors;
    for (Extent row = first; row < end; ++row) {
      const std::uint64_t drawn = mixed(static_cast<std::uint64_t>(row));
      rows.push_back(static_cast<std::int32_t>((drawn >> 1U) % count));
      factors.push_back((drawn & 1U) != 0 ? T(1) : T(-1));
    }
    put_line(runtime, places, first, rows);
    put_line(runtime, signs, first, factors);
    std::vector<Indexes> to;
    std::vector<T> values;
    a.for_each_own([&](Extent row, Extent column, const std::byte* value) {
      Indexes& place = to.emplace_back();
      place[row_axis] = rows[index(row - first)];
      place[1 - row_axis] = column;
      values.push_back(static_cast<T>(factors[index(row - first)] * at<T>(value)));
    });
    const T one(1);
    scatter_add(runtime, c, to, values.data(), &one);
  });
}

}  // namespace blockyard::garray
