// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/grid_solve.h"

#include <algorithm>

#include "blockyard/garray/elementwise.h"

namespace blockyard::garray {

namespace {

constexpr Extent most_edge = 64;

/// As square as the number of ranks allows; blocks so small that all of them get some.
RankGrid grid_for(const Runtime& runtime, const Array& a) {
  const auto ranks = static_cast<int>(runtime.team(a.group).ranks.size());
  RankGrid grid{.group = a.group};
  for (int rows = 1; rows * rows <= ranks; ++rows)
    if (ranks % rows == 0) grid.rows = rows;
  grid.columns = ranks / grid.rows;
  grid.edge = std::clamp<Extent>(a.extents[0] / (2 * grid.columns), 1, most_edge);
  return grid;
}

/// A copy of an array of one or two axes, dealt to the grid, for the time of a call. Its making and
/// its end are collective.
class Dealt {
 public:
  Dealt(Runtime& runtime, const RankGrid& grid, const Array& like, bool is_copy = true)
      : runtime_(runtime), array_(runtime.new_array()) {
    array_.name = like.name;
    array_.kind = like.kind;
    array_.group = grid.group;
    array_.extents = {like.extents[0], like.axes() > 1 ? like.extents[1] : 1};
    array_.layout.form = Layout::Form::matrix;
    array_.layout.edges = {grid.edge, grid.edge};
    array_.layout.grid = {grid.rows, grid.columns};
    try {
      runtime_.allocate(array_);
    } catch (...) {  // at all ranks alike
      runtime_.forget(array_);
      throw;
    }
    if (is_copy) copy(runtime_, whole(like), whole(array_));
    runtime_.sync(grid.group);
  }
  Dealt(const Dealt&) = delete;
  Dealt& operator=(const Dealt&) = delete;
  ~Dealt() {
    runtime_.deallocate(array_);
    runtime_.forget(array_);
  }

  [[nodiscard]] DealtMatrix matrix() const {
    const array::Distribution& layout = array_.distribution;
    const Extent row = array_.me % layout.grid(0), column = array_.me / layout.grid(0);
    const auto length = [&](std::size_t d, Extent coordinate) {
      Extent sum = 0;
      for (Extent block = coordinate; block < layout.cuts(d).blocks; block += layout.grid(d))
        sum += layout.cuts(d).end(block) - layout.cuts(d).begin(block);
      return sum;
    };
    return {reinterpret_cast<double*>(array_.bases[static_cast<std::size_t>(array_.me)]),
            array_.extents[0], array_.extents[1], length(0, row), length(1, column)};
  }
  /// The sources of this rank's part of `to`.
  void copy_to(const Array& to) const {
    runtime_.sync(array_.group);
    copy(runtime_, whole(array_), whole(to));
    runtime_.sync(array_.group);
  }
  /// The upper half becomes the transpose of the lower one.
  void mirror_lower() const {
    runtime_.sync(array_.group);
    for_each_own(whole(array_), [&](const Piece& piece, std::byte* data) {
      auto* values = reinterpret_cast<double*>(data);
      for (Extent j = piece.box.first[1]; j < piece.box.end[1]; ++j) {
        const Extent rows = std::min(piece.box.end[0], j) - piece.box.first[0];
        if (rows <= 0) continue;
        Box row{.axes = 2};
        row.first = {j, piece.box.first[0]};
        row.end = {j + 1, piece.box.first[0] + rows};
        get(runtime_, array_, row,
            {values + (j - piece.box.first[1]) * piece.strides[1], {rows, piece.strides[0]}});
      }
    });
  }

 private:
  Runtime& runtime_;
  Array& array_;
};

}  // namespace

bool uses_grid(const Runtime& runtime, const Array& a) {
  const Team& team = runtime.team(a.group);
  if (!runtime.grid_solver || !runtime.grid_solver->is_for(a.extents[0], team.ranks.size()))
    return false;
  std::int32_t is_open = runtime.grid_solver->open() ? 1 : 0;
  runtime.memory().reduce(team.group, fabric::Element::i32, fabric::Reduction::min, &is_open, 1);
  return is_open != 0;
}

int grid_solve_lu(Runtime& runtime, bool is_transposed, const Array& a, const Array& b) {
  const RankGrid grid = grid_for(runtime, a);
  const Dealt matrix(runtime, grid, a), x(runtime, grid, b);
  const int info = runtime.grid_solver->solve_lu(grid, is_transposed, matrix.matrix(), x.matrix());
  if (info == 0) x.copy_to(b);
  return info;
}

int grid_solve_cholesky(Runtime& runtime, const Array& a, const Array& b) {
  const RankGrid grid = grid_for(runtime, a);
  const Dealt matrix(runtime, grid, a), x(runtime, grid, b);
  const int info = runtime.grid_solver->solve_cholesky(grid, matrix.matrix(), x.matrix());
  if (info == 0) x.copy_to(b);
  return info;
}

int grid_invert(Runtime& runtime, const Array& a) {
  const RankGrid grid = grid_for(runtime, a);
  const Dealt matrix(runtime, grid, a);
  const int info = runtime.grid_solver->invert(grid, matrix.matrix());
  if (info != 0) return info;
  matrix.mirror_lower();
  matrix.copy_to(a);
  return 0;
}

int grid_diagonalize(Runtime& runtime, const Array& a, const Array* s, const Array& v,
                     double* values) {
  const RankGrid grid = grid_for(runtime, a);
  const Dealt matrix(runtime, grid, a), vectors(runtime, grid, a, false);
  std::optional<Dealt> metric;
  if (s != nullptr) metric.emplace(runtime, grid, *s);
  const DealtMatrix of_metric = metric ? metric->matrix() : DealtMatrix{};
  const int info = runtime.grid_solver->diagonalize(
      grid, matrix.matrix(), metric ? &of_metric : nullptr, vectors.matrix(), values);
  if (info == 0) vectors.copy_to(v);
  return info;
}

}  // namespace blockyard::garray
