// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "blockyard/tensor/detail/packed_product.h"

namespace blockyard::tensor::detail {
namespace {

/// Results above this are written past the caches: their next use finds them in memory
/// anyway.
constexpr Extent streamed_bytes = Extent{8} << 20;
constexpr Extent most_panels = packed_rows_limit;
constexpr Extent most_columns = 8;

/// Runs through indexes as one and gives the places in the two operands.
class Cursor {
 public:
  Cursor(const PackedIndexes& indexes, Extent start) noexcept : indexes_(indexes) {
    for (int i = 0; i < indexes.count; ++i) {
      const auto& item = indexes.item[static_cast<std::size_t>(i)];
      const Extent at = start % item.extent;
      start /= item.extent;
      at_[static_cast<std::size_t>(i)] = at;
      place_[0] += at * item.stride[0];
      place_[1] += at * item.stride[1];
    }
  }
  /// The next `count` places.
  void take(Extent count, Extent* first, Extent* second) noexcept {
    while (count > 0) {
      const auto& fastest = indexes_.item[0];
      const Extent here = indexes_.count == 0 ? 1 : std::min(count, fastest.extent - at_[0]);
      for (Extent i = 0; i < here; ++i) {
        first[i] = place_[0] + i * fastest.stride[0];
        second[i] = place_[1] + i * fastest.stride[1];
      }
      first += here;
      second += here;
      count -= here;
      advance(here);
    }
  }

 private:
  void advance(Extent by) noexcept {
    for (std::size_t i = 0; i < static_cast<std::size_t>(indexes_.count); ++i) {
      const auto& item = indexes_.item[i];
      at_[i] += by;
      place_[0] += by * item.stride[0];
      place_[1] += by * item.stride[1];
      if (at_[i] < item.extent) return;
      at_[i] = 0;
      place_[0] -= item.extent * item.stride[0];
      place_[1] -= item.extent * item.stride[1];
      by = 1;
    }
  }

  const PackedIndexes& indexes_;
  std::array<Extent, Shape::max_order> at_{};
  std::array<Extent, 2> place_{};
};

/// A panel of rows within a block.
struct RowPanel {
  std::int32_t first;
  std::int32_t rows;
  std::int32_t padded;  // whole vectors
  bool is_run;          // rows stand one after the other in the result
};

template <class R>
class Packed {
 public:
  Packed(const PackedSteps& steps, const PanelKernels<R>& use, R alpha, const R* left,
         const R* right, R beta, R* result, R* workspace) noexcept
      : steps_(steps),
        use_(use),
        alpha_(alpha),
        beta_(beta),
        left_(left),
        right_(right),
        result_(result) {
    constexpr std::uintptr_t line = 64;
    const auto address = reinterpret_cast<std::uintptr_t>(workspace);
    packed_left_ = workspace + ((line - address % line) % line) / sizeof(R);
    packed_right_ = packed_left_ + (steps.padded_row_block() * steps.depth_block + 15) / 16 * 16;
    Extent rows = 0;
    for (const PackedRows& list : steps.rows()) rows += list.indexes.total;
    is_packed_once_ = rows == steps.row_lists[0].block && steps.depth_block == steps.depth.total;
    const Extent bytes = rows * steps.columns.total * Extent{sizeof(R)};
    streams_ = beta == R(0) && steps.depth_block == steps.depth.total && bytes >= streamed_bytes &&
               consists_of_lines();
  }

  void run() noexcept {
    const Extent n = steps_.columns.total, k = steps_.depth.total;
    for (Extent j = 0; j < n; j += steps_.column_block) {
      const Extent columns = std::min(steps_.column_block, n - j);
      for (Extent l = 0; l < k; l += steps_.depth_block) {
        depth_ = std::min(steps_.depth_block, k - l);
        Cursor(steps_.depth, l).take(depth_, depth_of_left_.data(), depth_of_right_.data());
        pack_columns(j, columns);
        for (const PackedRows& rows : steps_.rows()) {
          use_rows(rows);
          const Extent m = rows.indexes.total;
          for (Extent i = 0; i < m; i += rows.block) {
            if (!is_packed_once_ || j == 0) pack_rows(i, std::min(rows.block, m - i));
            multiply(j, columns, l == 0 ? beta_ : R(1));
          }
        }
      }
    }
    if (streams_) use_.finish();
  }

 private:
  void use_rows(const PackedRows& rows) noexcept {
    rows_ = &rows;
    const Extent lanes = use_.lanes;
    const Extent padded = (rows.run + lanes - 1) / lanes * lanes;
    keeps_runs_ = rows.run == rows.indexes.total || padded * 20 <= rows.run * 27;
    left_at_ = left_ + rows.offset[0];
    result_at_ = result_ + rows.offset[1];
  }

  /// Whether each run of the result begins and ends with a cache line: a part of a line is written
  /// past the caches slowly.
  [[nodiscard]] bool consists_of_lines() const noexcept {
    constexpr Extent line = 64 / static_cast<Extent>(sizeof(R));
    auto all = static_cast<Extent>(reinterpret_cast<std::uintptr_t>(result_) / sizeof(R));
    for (const PackedRows& rows : steps_.rows()) {
      all |= rows.run | rows.offset[1];
      for (const PackedIndexes* indexes : {&rows.indexes, &steps_.columns})
        for (int i = 0; i < indexes->count; ++i)
          if (const Extent stride = indexes->item[static_cast<std::size_t>(i)].stride[1];
              stride >= rows.run)
            all |= stride;
    }
    return all % line == 0;
  }

  /// Where lines stand side by side, some depths of all panels, then the next ones: so what stands
  /// together is read together. Else all depths at once.
  template <class Pack>
  void for_depths(bool lines_are_neighbours, Pack pack) const noexcept {
    const Extent step = lines_are_neighbours ? 8 : depth_;
    for (Extent l = 0; l < depth_; l += step) pack(l, std::min(step, depth_ - l));
  }

  /// Lines far apart, each of which is contiguous along the depth: asks for them ahead of time,
  /// since the processor does not guess where they are.
  void prefetch_lines(const Extent* line, Extent lines) const noexcept {
    if (depth_ < 2 || depth_of_left_[1] != depth_of_left_[0] + 1) return;
    constexpr Extent step = 64 / static_cast<Extent>(sizeof(R));
    for (Extent i = 0; i < lines; ++i)
      for (Extent l = 0; l < depth_; l += step)
        __builtin_prefetch(left_at_ + line[i] + depth_of_left_[static_cast<std::size_t>(l)], 0, 2);
  }

  void pack_columns(Extent j, Extent columns) noexcept {
    const bool neighbours = steps_.columns.count > 0 && steps_.columns.item[0].stride[0] == 1;
    for_depths(neighbours, [&](Extent l, Extent some_depth) {
      Cursor cursor(steps_.columns, j);
      std::array<Extent, most_columns> in_right, in_result;
      R* out = packed_right_ + l * use_.columns;
      for (Extent q = 0; q < columns; q += use_.columns, out += use_.columns * depth_) {
        const Extent some = std::min<Extent>(use_.columns, columns - q);
        cursor.take(some, in_right.data(), in_result.data());
        use_.pack({right_, in_right.data(), some, use_.columns, depth_of_right_.data() + l,
                   some_depth, out});
      }
    });
  }

  /// Cuts rows [i, i + count) into panels of as equal numbers of vectors as can be.
  void cut(Extent i, Extent count) noexcept {
    panel_count_ = 0;
    const Extent lanes = use_.lanes, most = use_.rows / lanes;
    for (Extent start = 0; start < count;) {
      const Extent run = keeps_runs_
                             ? std::min(count - start, rows_->run - (i + start) % rows_->run)
                             : count - start;
      Extent vectors = (run + lanes - 1) / lanes;
      Extent panels = (vectors + most - 1) / most;
      const Extent end = start + run;
      for (; panels > 0; --panels) {
        const Extent some = (vectors + panels - 1) / panels;
        vectors -= some;
        const Extent rows = std::min(some * lanes, end - start);
        const Extent* row = rows_of_result_.data() + start;
        Extent differs = 0;
        for (Extent r = 1; !keeps_runs_ && r < rows; ++r) differs |= row[r] - row[0] - r;
        panels_[static_cast<std::size_t>(panel_count_++)] = {
            static_cast<std::int32_t>(start), static_cast<std::int32_t>(rows),
            static_cast<std::int32_t>(some * lanes), differs == 0};
        start += rows;
      }
    }
  }

  void pack_rows(Extent i, Extent count) noexcept {
    Cursor(rows_->indexes, i).take(count, rows_of_left_.data(), rows_of_result_.data());
    cut(i, count);
    if (joins(i, count)) return pack_joined_runs(count);
    const bool neighbours = rows_->indexes.item[0].stride[0] == 1;
    for_depths(neighbours, [&](Extent l, Extent some_depth) {
      R* out = packed_left_;
      for (int p = 0; p < panel_count_; ++p) {
        const RowPanel& panel = panels_[static_cast<std::size_t>(p)];
        if (!neighbours && p + 1 < panel_count_) {
          const RowPanel& next = panels_[static_cast<std::size_t>(p + 1)];
          prefetch_lines(rows_of_left_.data() + next.first, next.rows);
        }
        use_.pack({left_at_, rows_of_left_.data() + panel.first, panel.rows, panel.padded,
                   depth_of_left_.data() + l, some_depth, out + l * panel.padded});
        out += panel.padded * depth_;
      }
    });
  }

  /// Whether the block consists of whole runs, the next of which is adjacent to the last in left.
  [[nodiscard]] bool joins(Extent i, Extent count) const noexcept {
    return rows_->joins_runs && keeps_runs_ && i % rows_->run == 0 && count % rows_->run == 0;
  }

  /// Packs runs that are neighbours in left as long as they are.
  void pack_joined_runs(Extent count) noexcept {
    const Extent runs = count / rows_->run;
    const int panels = panel_count_ / static_cast<int>(runs);
    Extent padded = 0;
    for (int p = 0; p < panels; ++p) padded += panels_[static_cast<std::size_t>(p)].padded;
    R* out = packed_left_;
    for (Extent r = 0; r < runs;) {
      const Extent* line = rows_of_left_.data() + r * rows_->run;
      Extent some = 1;
      while (r + some < runs && line[some * rows_->run] == line[0] + some) ++some;
      R* to = out;
      for (int p = 0; p < panels; ++p) {
        const RowPanel& panel = panels_[static_cast<std::size_t>(p)];
        use_.pack_together({left_at_, line + panel.first, panel.rows, panel.padded,
                            depth_of_left_.data(), depth_, to},
                           some, padded * depth_);
        to += panel.padded * depth_;
      }
      out += some * padded * depth_;
      r += some;
    }
  }

  /// One panel of columns, which stays in the first cache, by all panels of rows.
  void multiply(Extent j, Extent columns, R beta) noexcept {
    Cursor cursor(steps_.columns, j);
    std::array<Extent, most_columns> in_right, in_result;
    TileProduct<R> tile{};
    tile.k = depth_;
    tile.right = packed_right_;
    tile.alpha = alpha_;
    tile.beta = beta;
    tile.column = in_result.data();
    tile.streams = streams_;
    for (Extent q = 0; q < columns; q += use_.columns, tile.right += use_.columns * depth_) {
      tile.columns = static_cast<int>(std::min<Extent>(use_.columns, columns - q));
      cursor.take(tile.columns, in_right.data(), in_result.data());
      tile.left = packed_left_;
      for (int p = 0; p < panel_count_; ++p) {
        const RowPanel& panel = panels_[static_cast<std::size_t>(p)];
        const Extent* row = rows_of_result_.data() + panel.first;
        tile.rows = panel.rows;
        tile.row = panel.is_run ? nullptr : row;
        tile.result = panel.is_run ? result_at_ + *row : result_at_;
        ask_for_next(tile, q + use_.columns < columns, p);
        use_.multiply(tile);
        tile.left += panel.padded * depth_;
      }
    }
  }

  /// While the tiles of a panel of columns are multiplied, each asks for its share of the next one.
  void ask_for_next(TileProduct<R>& tile, bool has_next, int p) const noexcept {
    const Extent length = has_next ? use_.columns * depth_ : 0;
    const R* next = tile.right + length;
    tile.next = next + length * p / panel_count_;
    tile.next_end = next + length * (p + 1) / panel_count_;
  }

  const PackedSteps& steps_;
  const PanelKernels<R>& use_;
  R alpha_, beta_;
  const R* left_;
  const R* right_;
  R* result_;
  R* packed_left_;
  R* packed_right_;
  bool streams_;
  bool is_packed_once_;
  const PackedRows* rows_ = nullptr;  // of the block under way
  const R* left_at_ = nullptr;        // its first row
  R* result_at_ = nullptr;
  bool keeps_runs_ = false;
  Extent depth_ = 0;
  int panel_count_ = 0;
  std::array<Extent, packed_depth_limit> depth_of_left_, depth_of_right_;
  std::array<Extent, packed_rows_limit> rows_of_left_, rows_of_result_;
  std::array<RowPanel, most_panels> panels_;
};

}  // namespace

template <class R>
void run_packed(const PackedSteps& steps, const PanelKernels<R>& use, R alpha, const R* left,
                const R* right, R beta, R* result, R* workspace) noexcept {
  Packed<R>(steps, use, alpha, left, right, beta, result, workspace).run();
}

template void run_packed<float>(const PackedSteps&, const PanelKernels<float>&, float, const float*,
                                const float*, float, float*, float*) noexcept;
template void run_packed<double>(const PackedSteps&, const PanelKernels<double>&, double,
                                 const double*, const double*, double, double*, double*) noexcept;

}  // namespace blockyard::tensor::detail
