// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "blockyard/base/integer.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/lapack.h"
#include "blockyard/garray/matrix.h"

namespace blockyard::garray {

namespace {

using base::to_int;

void gemm(char ta, char tb, int m, int n, int k, const float* alpha, const float* a, int lda,
          const float* b, int ldb, const float* beta, float* c, int ldc) {
  sgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}
void gemm(char ta, char tb, int m, int n, int k, const double* alpha, const double* a, int lda,
          const double* b, int ldb, const double* beta, double* c, int ldc) {
  dgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}
void gemm(char ta, char tb, int m, int n, int k, const std::complex<float>* alpha,
          const std::complex<float>* a, int lda, const std::complex<float>* b, int ldb,
          const std::complex<float>* beta, std::complex<float>* c, int ldc) {
  cgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}
void gemm(char ta, char tb, int m, int n, int k, const std::complex<double>* alpha,
          const std::complex<double>* a, int lda, const std::complex<double>* b, int ldb,
          const std::complex<double>* beta, std::complex<double>* c, int ldc) {
  zgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}

/// Rows or columns of a matrix: some that follow each other, from its first one on.
struct Run {
  Extent first = 0, count = 0;
  friend bool operator==(const Run&, const Run&) = default;
};
using Runs = std::vector<Run>;

Extent count_of(const Runs& runs) {
  Extent count = 0;
  for (const Run& run : runs) count += run.count;
  return count;
}

Box box_of(const Matrix& matrix, const Run& rows, const Run& columns) {
  Box box = matrix.patch.box;
  box.first[matrix.row_axis] += rows.first;
  box.end[matrix.row_axis] = box.first[matrix.row_axis] + rows.count;
  box.first[matrix.column_axis] += columns.first;
  box.end[matrix.column_axis] = box.first[matrix.column_axis] + columns.count;
  return box;
}

/// An operand of the product: op(matrix). Its depth is the axis that is summed over.
struct Factor {
  const Matrix& matrix;
  Op op;
  bool is_left;

  [[nodiscard]] bool has_depth_in_rows() const noexcept { return is_left == (op != Op::as_is); }
  /// As BLAS calls the operation.
  [[nodiscard]] char letter() const noexcept {
    return op == Op::as_is ? 'N' : op == Op::transpose ? 'T' : 'C';
  }
  /// Up to which depth one block reaches that has this one.
  [[nodiscard]] Extent reach(Extent depth) const {
    const std::size_t axis = has_depth_in_rows() ? matrix.row_axis : matrix.column_axis;
    const auto& cuts = matrix.patch.array.distribution.cuts(axis);
    const Extent first = matrix.patch.box.first[axis];
    return cuts.end(cuts.block_of(first + depth)) - first;
  }
};

/// Makes room for as many values, which are not set.
template <class T>
void reserve(std::unique_ptr<T[]>& values, std::size_t& length, std::size_t wanted) {
  if (wanted <= length) return;
  values = std::make_unique_for_overwrite<T[]>(wanted);
  length = wanted;
}

/// A part of an operand as BLAS wants it: rows dense. In place where a rank of this node has it so,
/// else a copy.
template <class T>
class Panel {
 public:
  /// `across`: along the result. False: it is not in place, or too far apart for BLAS.
  bool find(const Factor& factor, const Runs& across, const Run& depth) {
    if (across.size() != 1) return false;
    const bool in_rows = factor.has_depth_in_rows();
    const Matrix& matrix = factor.matrix;
    const Run &rows = in_rows ? depth : across[0], &columns = in_rows ? across[0] : depth;
    const Box box = box_of(matrix, rows, columns);
    const Array& array = matrix.patch.array;
    bool is_found = false;
    array.distribution.for_each_piece(box, [&](const Piece& piece) {
      const std::byte* base = array.bases[static_cast<std::size_t>(piece.rank)];
      const Extent ld = std::max<Extent>(1, piece.strides[matrix.column_axis]);
      if (piece.box != box || base == nullptr || piece.strides[matrix.row_axis] != 1 ||
          ld > INT32_MAX)
        return;
      data_ = reinterpret_cast<const T*>(base) + piece.offset;
      ld_ = to_int(ld);
      is_found = ld_ >= rows.count;
    });
    return is_found;
  }
  /// Begins to copy; done when `pending_` is.
  void fetch(const Runtime& runtime, const Factor& factor, const Runs& across, const Run& depth) {
    if (find(factor, across, depth)) return;
    const Runs single{depth};
    const bool in_rows = factor.has_depth_in_rows();
    const Runs &rows = in_rows ? single : across, &columns = in_rows ? across : single;
    const Matrix& matrix = factor.matrix;
    const Extent height = count_of(rows);
    reserve(copy_, length_, static_cast<std::size_t>(height * count_of(columns)));
    Indexes strides{};
    strides[matrix.row_axis] = 1;
    strides[matrix.column_axis] = height;
    T* to = copy_.get();
    for (const Run& column : columns) {
      T* below = to;
      for (const Run& row : rows) {
        get(runtime, matrix.patch.array, box_of(matrix, row, column), {below, strides}, &pending_);
        below += row.count;
      }
      to += height * column.count;
    }
    data_ = copy_.get();
    ld_ = to_int(std::max<Extent>(1, height));
  }
  void wait(const Runtime& runtime) { pending_.wait(runtime.memory()); }

  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] const int* ld() const noexcept { return &ld_; }

 private:
  const T* data_ = nullptr;
  int ld_ = 1;
  std::unique_ptr<T[]> copy_;
  std::size_t length_ = 0;
  Pending pending_;
};

/// A part of the result, and where this rank makes it.
template <class T>
struct Tile {
  Runs rows, columns;
  T* data = nullptr;
  int ld = 1;
};

/// The depths of the panels for a tile: as far as both operands are in place, else short ones.
template <class T>
Runs cut_depth(const Factor& left, const Factor& right, const Tile<T>& tile, Extent depth) {
  constexpr Extent copied = 256, longest = Extent{1} << 30;  // BLAS takes an int
  Runs runs;
  for (Extent at = 0; at < depth;) {
    Run run{at, std::min({left.reach(at), right.reach(at), depth, at + longest}) - at};
    Panel<T> a, b;
    if ((run.count < copied && run.count < depth - at) || !a.find(left, tile.rows, run) ||
        !b.find(right, tile.columns, run))
      run.count = std::min(copied, depth - at);
    runs.push_back(run);
    at += run.count;
  }
  return runs;
}

/// tile = alpha op(a) op(b) + beta tile. The next panels are fetched while these are multiplied.
template <class T>
void multiply_tile(const Runtime& runtime, const T& alpha, const Factor& a, const Factor& b,
                   const T& beta, const Tile<T>& tile, Extent depth, double start) {
  Runs runs = cut_depth(a, b, tile, depth);
  // Each rank begins elsewhere, so that not all of them read the same owner at the same time.
  std::rotate(runs.begin(),
              runs.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(runs.size()) * start),
              runs.end());
  std::array<Panel<T>, 2> left, right;
  const auto fetch = [&](std::size_t p) {
    left[p % 2].fetch(runtime, a, tile.rows, runs[p]);
    right[p % 2].fetch(runtime, b, tile.columns, runs[p]);
  };
  fetch(0);
  for (std::size_t p = 0; p < runs.size(); ++p) {
    Panel<T>&l = left[p % 2], &r = right[p % 2];
    l.wait(runtime);
    r.wait(runtime);
    if (p + 1 < runs.size()) fetch(p + 1);
    const T one(1);
    gemm(a.letter(), b.letter(), to_int(count_of(tile.rows)), to_int(count_of(tile.columns)),
         to_int(runs[p].count), &alpha, l.data(), *l.ld(), r.data(), *r.ld(), p == 0 ? &beta : &one,
         tile.data, tile.ld);
  }
}

/// Rows of the result that this rank has in all of some columns: blocks that are dealt to it form a
/// few of these grids, each a matrix of its own.
struct OwnGrid {
  Runs rows, columns;
};

std::vector<OwnGrid> own_grids(const Matrix& c) {
  struct Column {
    Run run;
    Runs rows;
  };
  std::vector<Column> columns;
  for_each_own(c.patch, [&](const Piece& piece, std::byte* /*data*/) {
    const auto run = [&](std::size_t axis) {
      return Run{piece.box.first[axis] - c.patch.box.first[axis], piece.box.extent(axis)};
    };
    const Run across = run(c.column_axis);
    auto column = std::find_if(columns.begin(), columns.end(),
                               [&](const Column& one) { return one.run == across; });
    if (column == columns.end()) column = columns.insert(column, {across, {}});
    column->rows.push_back(run(c.row_axis));
  });
  std::vector<OwnGrid> grids;
  for (Column& column : columns) {
    const auto same = std::find_if(grids.begin(), grids.end(),
                                   [&](const OwnGrid& grid) { return grid.rows == column.rows; });
    if (same == grids.end())
      grids.push_back({std::move(column.rows), {column.run}});
    else
      same->columns.push_back(column.run);
  }
  return grids;
}

/// Cuts runs into lists of at most `most` rows or columns each.
std::vector<Runs> cut_runs(const Runs& runs, Extent most) {
  std::vector<Runs> cut;
  Extent room = 0;
  for (Run run : runs)
    while (run.count > 0) {
      if (room == 0) {
        cut.emplace_back();
        room = most;
      }
      const Extent count = std::min(room, run.count);
      cut.back().push_back({run.first, count});
      run = {run.first + count, run.count - count};
      room -= count;
    }
  return cut;
}

/// c = beta c + made, where made is dense and has these runs of c.
template <class T>
void write_tile(const Matrix& c, const Tile<T>& tile, const T& beta) {
  const T* from = tile.data;
  for (const Run& column : tile.columns) {
    const T* below = from;
    for (const Run& row : tile.rows) {
      Indexes strides{};
      strides[c.row_axis] = 1, strides[c.column_axis] = tile.ld;
      for_each_own({c.patch.array, box_of(c, row, column)},
                   [&](const Piece& piece, std::byte* data) {
                     T* to = reinterpret_cast<T*>(data);
                     for_each_offset<2>(piece.box, {piece.strides, strides}, [&](const auto& at) {
                       to[at[0]] = beta == T(0) ? below[at[1]] : beta * to[at[0]] + below[at[1]];
                     });
                   });
      below += row.count;
    }
    from += tile.ld * column.count;
  }
}

template <class T>
void multiply_own(const Runtime& runtime, const T& alpha, const Factor& a, const Factor& b,
                  const T& beta, const Matrix& c) {
  constexpr Extent most = 2048;
  const Extent depth = a.has_depth_in_rows() ? a.matrix.rows() : a.matrix.columns();
  const Array& array = c.patch.array;
  const double start = static_cast<double>(array.me) / array.distribution.ranks();
  std::unique_ptr<T[]> made;
  std::size_t made_length = 0;
  for (const OwnGrid& grid : own_grids(c))
    for (const Runs& columns : cut_runs(grid.columns, most))
      for (const Runs& rows : cut_runs(grid.rows, most)) {
        Tile<T> tile{rows, columns};
        if (rows.size() == 1 && columns.size() == 1)
          for_each_own({array, box_of(c, rows[0], columns[0])}, [&](const Piece& piece,
                                                                    std::byte* data) {
            const Extent ld = std::max({Extent{1}, rows[0].count, piece.strides[c.column_axis]});
            if ((piece.strides[c.row_axis] != 1 && rows[0].count > 1) || ld > INT32_MAX) return;
            tile.data = reinterpret_cast<T*>(data);
            tile.ld = to_int(ld);
          });
        if (tile.data != nullptr) {
          multiply_tile(runtime, alpha, a, b, beta, tile, depth, start);
          continue;
        }
        tile.ld = to_int(count_of(rows));
        reserve(made, made_length, static_cast<std::size_t>(tile.ld * count_of(columns)));
        tile.data = made.get();
        multiply_tile(runtime, alpha, a, b, T(0), tile, depth, start);
        write_tile(c, tile, beta);
      }
}

}  // namespace

void multiply(const Runtime& runtime, const void* alpha, Op op_a, const Matrix& a, Op op_b,
              const Matrix& b, const void* beta, const Matrix& c) {
  const Array& result = c.patch.array;
  require_same_kind(a.patch.array, result);
  require_same_kind(b.patch.array, result);
  const bool a_turned = op_a != Op::as_is, b_turned = op_b != Op::as_is;
  const Extent m = a_turned ? a.columns() : a.rows();
  const Extent k = a_turned ? a.rows() : a.columns();
  const Extent kb = b_turned ? b.columns() : b.rows();
  const Extent n = b_turned ? b.rows() : b.columns();
  if (k != kb || m != c.rows() || n != c.columns())
    refuse(result, fmt::format("{} x {} times {} x {} does not give {} x {}", m, k, kb, n, c.rows(),
                               c.columns()));
  for (const Matrix* operand : {&a, &b})
    if (&operand->patch.array == &result &&
        !array::common(operand->patch.box, c.patch.box).is_empty())
      refuse(result, "is an operand and the result, and the patches overlap");
  fabric::with_type(element_of(result), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      refuse(result, "has integers, which no matrix product is for");
    } else if (k == 0) {
      // As in BLAS, 0 overwrites values that are not numbers.
      *static_cast<const T*>(beta) == T(0) ? zero(c.patch) : scale(c.patch, beta);
    } else {
      multiply_own(runtime, *static_cast<const T*>(alpha), {a, op_a, true}, {b, op_b, false},
                   *static_cast<const T*>(beta), c);
    }
  });
}

}  // namespace blockyard::garray
