// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "blockyard/tensor/detail/packed_product.h"

namespace blockyard::tensor::detail {
namespace {

/// Elements of the packed blocks: the left one stays in the second cache, the right one passes once
/// for each left one; if there is only one of those, it need not stay.
constexpr Extent left_elements = Extent{80} << 10;
constexpr Extent right_elements = Extent{192} << 10;
constexpr Extent right_elements_once = Extent{32} << 10;
/// Depth that is summed in registers: fixed, for it decides the order of additions.
constexpr Extent most_depth = packed_depth_limit;
/// Rows of a result that should stand together in a panel, if they can.
constexpr Extent good_run = 16;
constexpr Extent lanes = 8;
/// Lines of the left operand are read in runs of about this many elements, if they can.
constexpr Extent good_read = 64;

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
  /// The same, but another index goes between the first `piece` places and the pieces.
  void add_in_pieces(int i, Extent piece, int between) noexcept {
    taken_ |= 1u << i;
    const ContractIndex& item = geometry_.item(i);
    const Extent first = item.stride[first_], second = item.stride[second_];
    append({piece, {first, second}});
    add(between);
    append({item.extent / piece, {first * piece, second * piece}});
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

/// The longest piece of an extent, up to `most`, that divides it and fills vectors well.
Extent good_piece(Extent extent, Extent most) noexcept {
  Extent best = 0;
  for (Extent piece = 3 * lanes; piece <= std::min(most, extent); ++piece) {
    if (extent % piece != 0) continue;
    // waste(piece) <= waste(best), in whole numbers
    if (best == 0 || round_up(piece, lanes) * best <= round_up(best, lanes) * piece) best = piece;
  }
  return best == 0 ? extent : best;
}

/// A divisor of an extent from one vector up to four of them, the shortest; 0 if there is none or
/// the extent is not longer.
Extent short_piece(Extent extent) noexcept {
  for (Extent piece = lanes; piece <= 4 * lanes && piece < extent; ++piece)
    if (extent % piece == 0) return piece;
  return 0;
}

/// Rows of a block of a given depth; where runs are packed together it may be twice as large.
Extent rows_for(Extent depth, bool joins) noexcept {
  return std::min(packed_rows_limit, (joins ? 2 : 1) * left_elements / depth);
}

/// Rows in the order of the result. If another index than the result's fastest is contiguous in the
/// left operand, it comes as soon as the rows make good runs, and pieces of these if need be: so
/// the lines that packing reads are used up within one block.
PackedIndexes order_rows(const ContractGeometry& geometry, IndexSet set, Side left,
                         Extent depth) noexcept {
  Order order(geometry, left, result_side);
  const Sequence by_result = geometry.sorted(set, result_side);
  const int fastest = by_result.at[0];
  const int read = contiguous(geometry, set, left);
  if (read >= 0 && read != fastest) {
    const Extent together = std::min(geometry.item(read).extent, good_read);
    const Extent extent = geometry.item(fastest).extent;
    const Extent piece = good_piece(extent, std::max(rows_for(depth, true) / together, 5 * lanes));
    if (piece < extent) order.add_in_pieces(fastest, piece, read);
    for (const int i : by_result.all())
      if (leading_run(order.list()) < good_run) order.add(i);
    order.add(read);
  }
  const bool reads_well = read < 0 || read == fastest;
  const auto rest = geometry.sorted(set, reads_well ? result_side : left);
  for (const int i : rest.all()) order.add(i);
  return order.list();
}

/// What is contiguous in the right operand comes first, the rest as in the result.
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
    if (piece > 0) order.add_in_pieces(first, piece, second);
  }
  order.add(first);
  if (are_alike) order.add(second);
  const auto rest = geometry.sorted(set, large);
  for (const int i : rest.all()) order.add(i);
  return order.list();
}

/// Extent of the index after the first run if that is contiguous in the left operand, else 0.
Extent joined_runs(const PackedSteps& steps) noexcept {
  Extent places = 1;
  for (int i = 0; i < steps.rows.count; ++i) {
    const PackedIndexes::Index& item = steps.rows.item[static_cast<std::size_t>(i)];
    if (places == steps.run && item.stride[0] == 1) return i > 0 ? item.extent : 0;
    places *= item.extent;
  }
  return 0;
}

/// What blocks of rows are whole multiples of: runs of the result, and lines of the left operand.
Extent unit_of_rows(const PackedSteps& steps, Extent room) noexcept {
  if (const Extent joined = joined_runs(steps); joined > 0) {
    const Extent runs = rows_for(steps.depth_block, true) / steps.run;
    if (runs >= joined) return joined * steps.run;
    if (runs >= lanes) return runs / lanes * lanes * steps.run;
  }
  return steps.run < room / 2 ? steps.run : 6 * lanes;
}

void choose_blocks(PackedSteps& steps) noexcept {
  steps.joins_runs = joined_runs(steps) > 0;
  const Extent room = rows_for(steps.depth_block, steps.joins_runs);
  const Extent unit = unit_of_rows(steps, room);
  steps.row_block =
      steps.rows.total <= room
          ? steps.rows.total
          : even_part(steps.rows.total, std::max(room / unit, Extent{1}) * unit, unit);
  const bool is_used_once = steps.row_block >= steps.rows.total;
  const Extent most = (is_used_once ? right_elements_once : right_elements) / steps.depth_block;
  steps.column_block = even_part(steps.columns.total, std::max(most / 8 * 8, Extent{8}), 8);
}

}  // namespace

PackedChoice choose_packed(const ContractGeometry& geometry, IndexSet looped) noexcept {
  const auto members = [&](Group group) { return geometry.members(group) & ~looped; };
  PackedChoice choice;
  choice.swapped = contiguous(geometry, members(n_group), result_side) >= 0;
  const Side left = choice.swapped ? right_side : left_side;
  const Side right = choice.swapped ? left_side : right_side;
  PackedSteps& steps = choice.steps;
  steps.depth = order_depth(geometry, members(k_group), left, right);
  steps.depth_block = even_part(steps.depth.total, most_depth, 1);
  steps.rows =
      order_rows(geometry, members(choice.swapped ? n_group : m_group), left, steps.depth_block);
  steps.columns = order_columns(geometry, members(choice.swapped ? m_group : n_group), right);
  steps.run = leading_run(steps.rows);
  choose_blocks(steps);
  return choice;
}

Extent packed_workspace(const PackedSteps& steps) noexcept {
  // Panels of rows are padded to whole vectors of up to 16, where runs are kept by at most 2/5.
  const Extent rows = steps.row_block * 7 / 5 + 16;
  const Extent columns = round_up(steps.column_block, 8);
  constexpr Extent alignment = 16, ahead = 16 * 48;  // the micro-kernel prefetches past the end
  return round_up(rows * steps.depth_block, alignment) + columns * steps.depth_block + alignment +
         ahead;
}

}  // namespace blockyard::tensor::detail
