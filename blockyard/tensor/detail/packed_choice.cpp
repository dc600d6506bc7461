// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>

#include "blockyard/tensor/detail/packed_product.h"

namespace blockyard::tensor::detail {
namespace {

/// The capacities of the caches, in elements. The left packed block stays in the second cache, the
/// right one passes once for each left one, from the last cache; if there is only one of those, it
/// need not stay.
struct Room {
  explicit Room(Extent element_bytes) noexcept
      : line(64 / element_bytes),
        left((Extent{512} << 10) / element_bytes),
        right((Extent{4} << 20) / element_bytes),
        right_once((Extent{256} << 10) / element_bytes) {}
  Extent line, left, right, right_once;
};

/// Depth that is summed in registers: fixed, for it decides the order of additions.
constexpr Extent most_depth = packed_depth_limit;
/// Rows of a result that should stand together in a panel, if they can.
constexpr Extent good_run = 16;

Extent round_up(Extent x, Extent unit) noexcept { return (x + unit - 1) / unit * unit; }

/// Parts of equal length, none above `most`, in whole units.
Extent even_part(Extent total, Extent most, Extent unit) noexcept {
  const Extent parts = (total + most - 1) / most;
  return std::min(round_up((total + parts - 1) / parts, unit), round_up(total, unit));
}

class Order {
 public:
  Order(const ContractGeometry& geometry, Side first, Side second)
      : geometry_(geometry), first_(first), second_(second) {}

  /// Takes an index to the end, once.
  void add(int i) noexcept {
    if (i < 0 || (taken_ >> i & 1u) != 0) return;
    taken_ |= 1u << i;
    const ContractIndex& item = geometry_.item(i);
    append({item.extent, {item.stride[first_], item.stride[second_]}});
  }
  /// The same, but others go between the first `piece` places and the pieces.
  void add_in_pieces(int i, Extent piece, Extent pieces, const Sequence& between) noexcept {
    taken_ |= 1u << i;
    const ContractIndex& item = geometry_.item(i);
    const Extent first = item.stride[first_], second = item.stride[second_];
    append({piece, {first, second}});
    for (const int other : between.all()) add(other);
    if (pieces > 1) append({pieces, {first * piece, second * piece}});
  }
  [[nodiscard]] const PackedIndexes& list() const noexcept { return list_; }

 private:
  void append(const PackedIndexes::Index& index) noexcept {
    list_.item[static_cast<std::size_t>(list_.count++)] = index;
    list_.total *= index.extent;
  }

  const ContractGeometry& geometry_;
  Side first_, second_;
  IndexSet taken_ = 0;
  PackedIndexes list_;
};

/// The index of the set that is contiguous in an operand, or -1.
int contiguous(const ContractGeometry& geometry, IndexSet set, Side side) noexcept {
  for (; set != 0; set &= set - 1)
    if (geometry.item(std::countr_zero(set)).stride[side] == 1) return std::countr_zero(set);
  return -1;
}

/// How many places of a list stand one after the other in its second operand.
Extent leading_run(const PackedIndexes& list) noexcept {
  Extent run = 1;
  for (int i = 0; i < list.count; ++i) {
    const PackedIndexes::Index& item = list.item[static_cast<std::size_t>(i)];
    if (item.stride[1] != run) break;
    run *= item.extent;
  }
  return run;
}

/// Nanoseconds to read or write a line past the caches, in runs of `lines` far apart:
/// docs/kernels.md has the figures. Runs of whole lines are written without being read before; of a
/// line that is read in several goes, all but the first find it in the last cache.
double read_cost(double lines) noexcept {
  return lines < 1 ? 22.8 + 7.0 * (1 / lines - 1) : 4.8 + 18.0 / lines;
}
double write_cost(double lines, bool is_whole) noexcept {
  return is_whole ? 3.6 + 4.0 / lines : 8.0 + 8.0 / lines;
}

/// Rows, depth and columns of a packed product while it is decided how its rows are cut.
struct RowProblem {
  Extent rows;  // of a block
  Extent most;  // rows that stand together in the left operand
  Extent depth;
  Extent columns;
  Extent line;    // elements of a line, and of the widest vector
  bool is_whole;  // the result's runs begin with a line
};

[[nodiscard]] double padding_of(Extent piece, Extent line) noexcept {
  return static_cast<double>(round_up(piece, line)) / static_cast<double>(piece);
}

/// Nanoseconds for a line of rows if runs of the left operand fill the rest of a block whose rows
/// come in pieces: long pieces write fast, short ones read fast.
double cost_of_piece(const RowProblem& of, Extent piece) noexcept {
  const auto lines = [&](Extent run) {
    return static_cast<double>(run) / static_cast<double>(of.line);
  };
  const auto k = static_cast<double>(of.depth), n = static_cast<double>(of.columns);
  constexpr double product = 0.25;  // of a line of rows, for each depth and column
  const double padding = padding_of(piece, of.line) * (piece == of.line ? 1.1 : 1.0);
  return k * read_cost(lines(std::clamp(of.rows / piece, Extent{1}, of.most))) +
         n * write_cost(lines(piece), of.is_whole && piece % of.line == 0) +
         k * n * product * padding;
}

struct Piece {
  Extent length;
  double cost;
};

[[nodiscard]] bool fills_vectors(Extent piece, const RowProblem& of) noexcept {
  return padding_of(piece, of.line) <= 1.35;
}

/// The piece of the result's fastest index that costs least. Pieces that fill vectors badly do not
/// count; whole vectors may leave a rest.
Piece best_piece(Extent extent, const RowProblem& of) noexcept {
  Piece best{extent, std::numeric_limits<double>::infinity()};
  for (Extent piece = 8; piece <= extent; ++piece) {
    const Extent rest = extent % piece;
    if (!fills_vectors(piece, of) || (rest > 0 && piece % of.line != 0)) continue;
    double cost = cost_of_piece(of, piece);
    if (rest > 0) {
      constexpr double two_lists = 1.02;
      const double share = static_cast<double>(rest) / static_cast<double>(extent);
      cost = two_lists * ((1 - share) * cost + share * cost_of_piece(of, rest));
    }
    if (cost < best.cost) best = {piece, cost};
  }
  return best;
}

/// How many settings of the next index of the result it is best to add to its whole fastest one.
Piece best_second_piece(Extent fastest, Extent extent, const RowProblem& of) noexcept {
  Piece best{1, std::numeric_limits<double>::infinity()};
  for (Extent piece = 2; piece <= extent; ++piece) {
    if (extent % piece != 0 || !fills_vectors(fastest * piece, of)) continue;
    const double cost = cost_of_piece(of, fastest * piece);
    if (cost < best.cost) best = {piece, cost};
  }
  return best;
}

/// A divisor of an extent from 8 to 32, the shortest; 0 if there is none or the extent is not
/// longer.
Extent short_piece(Extent extent) noexcept {
  constexpr Extent lanes = 8;  // for all types: the order of additions follows from it
  for (Extent piece = lanes; piece <= 4 * lanes && piece < extent; ++piece)
    if (extent % piece == 0) return piece;
  return 0;
}

/// Rows of a block of a given depth; where runs are packed together it may be twice as large.
Extent rows_for(const Room& room, Extent depth, bool joins) noexcept {
  return std::min(packed_rows_limit, (joins ? 2 : 1) * room.left / depth);
}

/// Indexes of a set that are one run of an operand, from its contiguous one on.
Sequence contiguous_run(const ContractGeometry& geometry, IndexSet set, Side side) noexcept {
  Sequence run;
  Extent expected = 1;
  const Sequence all = geometry.sorted(set, side);
  for (const int i : all.all()) {
    const ContractIndex& item = geometry.item(i);
    if (item.stride[side] != expected) break;
    expected *= item.extent;
    run.at[static_cast<std::size_t>(run.count++)] = i;
  }
  return run;
}

/// The rows of a contraction, in the order of the result. If another index than the result's
/// fastest is contiguous in the left operand, it comes as soon as the rows make good runs, and
/// pieces of these if need be: so the lines that packing reads are used up within one block.
class RowOrder {
 public:
  RowOrder(const ContractGeometry& geometry, IndexSet set, Side left) noexcept
      : geometry_(geometry),
        set_(set),
        left_(left),
        by_result_(geometry.sorted(set, result_side)),
        fastest_(by_result_.at[0]),
        read_(contiguous(geometry, set, left)),
        second_(next_of_run()) {}

  void set(PackedSteps& steps, Extent columns, const Room& room) const noexcept {
    const bool reads_well = read_ < 0 || read_ == fastest_;
    if (reads_well) {
      Order order(geometry_, left_, result_side);
      steps.row_lists[0].indexes = finish(order, result_side);
      return;
    }
    const Extent extent = geometry_.item(fastest_).extent;
    const auto problem = [&](const Sequence& between, Extent run) {
      Extent together = 1;
      for (const int i : between.all()) together *= geometry_.item(i).extent;
      return RowProblem{rows_for(room, steps.depth_block, true),
                        together,
                        steps.depth_block,
                        columns,
                        room.line,
                        run % room.line == 0};
    };
    const Sequence between = contiguous_run(geometry_, set_ & ~(1u << fastest_), left_);
    const auto [piece, cost] = best_piece(extent, problem(between, extent));
    if (second_ >= 0) {
      const Sequence others =
          contiguous_run(geometry_, set_ & ~(1u << fastest_ | 1u << second_), left_);
      const Extent next = geometry_.item(second_).extent;
      const Piece more = best_second_piece(extent, next, problem(others, extent * next));
      if (more.cost < cost) {
        Order order(geometry_, left_, result_side);
        order.add(fastest_);
        order.add_in_pieces(second_, more.length, next / more.length, others);
        steps.row_lists[0].indexes = finish(order, left_);
        return;
      }
    }
    if (piece == extent) {
      steps.row_lists[0].indexes = whole();
      return;
    }
    const Extent rest = extent % piece;
    steps.row_lists[0].indexes = in_pieces(piece, extent / piece, between);
    if (rest == 0) return;
    steps.row_list_count = 2;
    steps.row_lists[1].indexes = in_pieces(rest, 1, between);
    const ContractIndex& item = geometry_.item(fastest_);
    steps.row_lists[1].offset = {(extent - rest) * item.stride[left_],
                                 (extent - rest) * item.stride[result_side]};
  }

 private:
  [[nodiscard]] int next_of_run() const noexcept {
    if (by_result_.count < 2 || by_result_.at[1] == read_) return -1;
    const ContractIndex& next = geometry_.item(by_result_.at[1]);
    return next.stride[result_side] == geometry_.item(fastest_).extent ? by_result_.at[1] : -1;
  }
  [[nodiscard]] PackedIndexes whole() const noexcept {
    Order order(geometry_, left_, result_side);
    for (const int i : by_result_.all())
      if (leading_run(order.list()) < good_run) order.add(i);
    order.add(read_);
    return finish(order, left_);
  }
  [[nodiscard]] PackedIndexes in_pieces(Extent piece, Extent pieces,
                                        const Sequence& between) const noexcept {
    Order order(geometry_, left_, result_side);
    order.add_in_pieces(fastest_, piece, pieces, between);
    return finish(order, left_);
  }
  [[nodiscard]] PackedIndexes finish(Order& order, Side side) const noexcept {
    const Sequence rest = geometry_.sorted(set_, side);
    for (const int i : rest.all()) order.add(i);
    return order.list();
  }

  const ContractGeometry& geometry_;
  IndexSet set_;
  Side left_;
  Sequence by_result_;
  int fastest_;
  int read_;
  int second_;  // follows the fastest in the result; -1: none, or it is the one of `read_`
};

/// Indexes contiguous in the right operand come first, the rest as in the result.
PackedIndexes order_columns(const ContractGeometry& geometry, IndexSet set, Side right) noexcept {
  Order order(geometry, right, result_side);
  order.add(contiguous(geometry, set, right));
  const auto rest = geometry.sorted(set, result_side);
  for (const int i : rest.all()) order.add(i);
  return order.list();
}

/// As the larger operand has it; of two that are alike, what is contiguous in the one comes in
/// pieces, between which the other's lines are used up.
PackedIndexes order_depth(const ContractGeometry& geometry, IndexSet set, Side left,
                          Side right) noexcept {
  const Extent in_left = geometry.product(geometry.standing_in(left));
  const Extent in_right = geometry.product(geometry.standing_in(right));
  const Side large = in_left >= in_right ? left : right;
  const int first = contiguous(geometry, set, large);
  const int second = contiguous(geometry, set, large == left ? right : left);
  const bool are_alike = std::max(in_left, in_right) < 8 * std::min(in_left, in_right);
  Order order(geometry, left, right);
  if (are_alike && first >= 0 && second >= 0 && first != second) {
    const Extent piece = short_piece(geometry.item(first).extent);
    if (piece > 0)
      order.add_in_pieces(first, piece, geometry.item(first).extent / piece, Sequence{{second}, 1});
  }
  order.add(first);
  if (are_alike) order.add(second);
  const auto rest = geometry.sorted(set, large);
  for (const int i : rest.all()) order.add(i);
  return order.list();
}

/// Length of the run of the left operand that comes after the first run of the result, else 0.
Extent joined_runs(const PackedRows& rows) noexcept {
  Extent places = 1, joined = 0;
  for (int i = 0; i < rows.indexes.count; ++i) {
    const PackedIndexes::Index& item = rows.indexes.item[static_cast<std::size_t>(i)];
    if (joined > 0 ? item.stride[0] == joined : places == rows.run && item.stride[0] == 1)
      joined = i > 0 ? std::max(joined, Extent{1}) * item.extent : 0;
    else if (joined > 0)
      break;
    places *= item.extent;
  }
  return joined;
}

/// The unit of which blocks of rows are multiples: runs of the result, and lines of the left
/// operand.
Extent unit_of_rows(const PackedRows& rows, Extent depth, Extent most, const Room& room) noexcept {
  if (const Extent joined = joined_runs(rows); joined > 0) {
    const Extent runs = rows_for(room, depth, true) / rows.run;
    if (runs >= joined) return joined * rows.run;
    if (runs >= room.line) return runs / room.line * room.line * rows.run;
  }
  return rows.run < most / 2 ? rows.run : 6 * room.line;
}

void choose_row_block(PackedRows& rows, Extent depth, const Room& room) noexcept {
  rows.run = leading_run(rows.indexes);
  rows.joins_runs = joined_runs(rows) > 0;
  const Extent most = rows_for(room, depth, rows.joins_runs);
  const Extent total = rows.indexes.total;
  const Extent unit = unit_of_rows(rows, depth, most, room);
  rows.block =
      total <= most ? total : even_part(total, std::max(most / unit, Extent{1}) * unit, unit);
}

void choose_blocks(PackedSteps& steps, const Room& room) noexcept {
  for (int i = 0; i < steps.row_list_count; ++i)
    choose_row_block(steps.row_lists[static_cast<std::size_t>(i)], steps.depth_block, room);
  const PackedRows& rows = steps.row_lists[0];
  const bool is_used_once = steps.row_list_count == 1 && rows.block >= rows.indexes.total;
  const Extent most = (is_used_once ? room.right_once : room.right) / steps.depth_block;
  steps.column_block = even_part(steps.columns.total, std::max(most / 8 * 8, Extent{8}), 8);
}

}  // namespace

PackedChoice choose_packed(const ContractGeometry& geometry, IndexSet looped,
                           Extent element_bytes) noexcept {
  const Room room(element_bytes);
  const auto members = [&](Group group) { return geometry.members(group) & ~looped; };
  PackedChoice choice;
  choice.swapped = contiguous(geometry, members(n_group), result_side) >= 0;
  const Side left = choice.swapped ? right_side : left_side;
  const Side right = choice.swapped ? left_side : right_side;
  PackedSteps& steps = choice.steps;
  steps.depth = order_depth(geometry, members(k_group), left, right);
  steps.depth_block = even_part(steps.depth.total, most_depth, 1);
  const IndexSet columns = members(choice.swapped ? m_group : n_group);
  RowOrder(geometry, members(choice.swapped ? n_group : m_group), left)
      .set(steps, geometry.product(columns), room);
  steps.columns = order_columns(geometry, columns, right);
  choose_blocks(steps, room);
  return choice;
}

Extent packed_workspace(const PackedSteps& steps, Extent element_bytes) noexcept {
  const Extent rows = steps.padded_row_block();
  const Extent columns = round_up(steps.column_block, 8);
  constexpr Extent alignment = 16, ahead = 16 * 48;  // the micro-kernel prefetches past the end
  const Extent total = round_up(rows * steps.depth_block, alignment) + columns * steps.depth_block +
                       alignment + ahead;
  // Pages of 4 KiB that lie anywhere would push each other out of the second cache.
  const Extent huge_page = (Extent{2} << 20) / element_bytes;
  return total > huge_page / 2 ? round_up(total, huge_page) : total;
}

}  // namespace blockyard::tensor::detail
