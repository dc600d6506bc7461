// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>

#include "blockyard/tensor/detail/contract_cost.h"
#include "blockyard/tensor/detail/packed_product.h"

namespace blockyard::tensor::detail {
namespace {

constexpr std::array<Side, 3> all_sides = {left_side, right_side, result_side};
constexpr std::array<Group, 3> matrix_groups = {m_group, n_group, k_group};

using PerSide = std::array<bool, 3>;

/// Whether the index that is fastest in an operand is in a group.
bool begins_with(const ContractGeometry& geometry, Side side, Group group) noexcept {
  for (int i = 0; i < geometry.count(); ++i)
    if (geometry.item(i).stride[side] == 1) return (geometry.members(group) >> i & 1u) != 0;
  return false;
}
bool begins_with_sum(const ContractGeometry& geometry, Side side) noexcept {
  return begins_with(geometry, side, k_group);
}
/// The operand whose rows are the result's: it will be the left one.
Side row_side(const ContractGeometry& geometry) noexcept {
  return begins_with(geometry, result_side, n_group) ? right_side : left_side;
}

/// Finds the layout that costs least. Each matrix group has the order of one of its two operands.
class Search {
 public:
  Search(const ContractGeometry& geometry, const PerSide& must_pack)
      : geometry_(geometry),
        must_pack_(must_pack),
        is_turned_(begins_with_sum(geometry, row_side(geometry))) {}

  [[nodiscard]] Layout best() {
    const IndexSet batch = geometry_.members(batch_group);
    try_loops(batch);
    // Loops instead of permutations: one index or two; more make the matrices too small.
    for (int i = 0; i < geometry_.count(); ++i)
      for (int j = i; j < geometry_.count(); ++j) {
        const IndexSet more = 1u << i | 1u << j;
        if ((more & batch) == 0) try_loops(batch | more);
      }
    return best_;
  }
  [[nodiscard]] double best_cost() const noexcept { return best_cost_; }

 private:
  void try_loops(IndexSet looped) {
    std::array<Extent, 3> extent{};
    std::array<std::array<Sequence, 2>, 3> orders;
    for (const Group group : matrix_groups) {
      const IndexSet rest = geometry_.members(group) & ~looped;
      extent[group] = geometry_.product(rest);
      for (std::size_t which = 0; which < 2; ++which)
        orders[group][which] = geometry_.sorted(rest, sides_of[group][which]);
    }
    const double calls = static_cast<double>(geometry_.product(looped));
    const double kernel =
        calls * kernel_cost(extent[m_group], extent[n_group], extent[k_group], is_turned_);
    if (kernel >= best_cost_) return;
    for (unsigned choice = 0; choice < 8; ++choice) {
      Layout layout{looped, {}};
      bool repeated = false;
      for (const Group group : matrix_groups) {
        const std::size_t which = choice >> group & 1u;
        repeated = repeated || (which == 1 && orders[group][0] == orders[group][1]);
        layout.order[group] = orders[group][which];
      }
      if (!repeated) try_layout(layout, kernel);
    }
  }

  void try_layout(const Layout& layout, double kernel) {
    double cost = kernel;
    for (const Side side : all_sides)
      if (must_pack_[side] || !geometry_.is_direct(layout, side))
        cost += packing_cost(geometry_.product(geometry_.standing_in(side)), side == result_side);
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_ = layout;
  }

  const ContractGeometry& geometry_;
  const PerSide& must_pack_;
  bool is_turned_;
  Layout best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

/// Loops over the indexes of one operand, from its own strides to the packed ones or back.
TransformSteps packing(const ContractGeometry& geometry, Side side, const IndexStrides& packed) {
  std::array<Extent, Shape::max_order> extents{};
  std::array<int, Shape::max_order> to{};
  Strides own{}, other{};
  std::size_t order = 0;
  for (int i = 0; i < geometry.count(); ++i) {
    const Extent stride = geometry.item(i).stride[side];
    if (stride == 0) continue;
    extents[order] = geometry.item(i).extent;
    own[order] = stride;
    other[order] = packed[static_cast<std::size_t>(i)];
    to[order] = static_cast<int>(order);
    ++order;
  }
  const std::span<const int> identity(to.data(), order);
  if (side == result_side) return plan_transform(extents, other, identity, own);
  return plan_transform(extents, own, identity, other);
}

/// Decides whether one operand is packed; returns the strides that the loops will see.
IndexStrides set_operand(const ContractGeometry& geometry, const Layout& layout, Side side,
                         bool conjugate, ContractSteps& steps) {
  OperandSteps& operand = steps.operand[side];
  operand.conjugate = conjugate;
  IndexStrides strides = geometry.strides(side);
  if (conjugate || !geometry.is_direct(layout, side)) {
    strides = geometry.packed_strides(layout, side);
    operand.packing = std::make_shared<const TransformSteps>(packing(geometry, side, strides));
    operand.offset = steps.workspace_elements;
    steps.workspace_elements += geometry.product(geometry.standing_in(side));
  }
  const Sequence& rows = layout.order[groups_of[side][0]];
  const Sequence& columns = layout.order[groups_of[side][1]];
  const Extent row = geometry.joint_stride(rows, strides);
  const Extent column = geometry.joint_stride(columns, strides);
  // A vector gets the leading dimension that the BLAS wants to see.
  const auto length = [&](const Sequence& sequence) {
    Extent total = 1;
    for (const int i : sequence.all()) total *= geometry.item(i).extent;
    return total;
  };
  operand.row_stride = row > 0 ? row : (column == 1 ? length(columns) : 1);
  operand.column_stride = column > 0 ? column : (row == 1 ? length(rows) : 1);
  return strides;
}

void set_loops(const ContractGeometry& geometry, IndexSet looped,
               const std::array<IndexStrides, 3>& strides, ContractSteps& steps) {
  for (int i = 0; i < geometry.count(); ++i) {
    if ((looped >> i & 1u) == 0) continue;
    ContractLoop loop;
    loop.extent = geometry.item(i).extent;
    loop.summed = (geometry.members(k_group) >> i & 1u) != 0;
    for (const Side side : all_sides)
      loop.stride[side] = strides[side][static_cast<std::size_t>(i)];
    steps.loops[static_cast<std::size_t>(steps.loop_count++)] = loop;
  }
  std::sort(steps.loops.begin(), steps.loops.begin() + steps.loop_count,
            [](const ContractLoop& a, const ContractLoop& b) {
              return std::ranges::max(a.stride) < std::ranges::max(b.stride);
            });
}

/// Exchanges left and right, so that the rows of the result are contiguous.
void swap_operands(ContractSteps& steps) {
  steps.swapped = true;
  std::swap(steps.call_m, steps.call_n);
  std::swap(steps.operand[left_side], steps.operand[right_side]);
  for (OperandSteps& operand : steps.operand) std::swap(operand.row_stride, operand.column_stride);
  for (ContractLoop& loop : steps.loops) std::swap(loop.stride[left_side], loop.stride[right_side]);
}

MatrixKernel kernel_of(Extent m, Extent n, Extent k) noexcept {
  if (k == 1) return m == 1 && n == 1 ? MatrixKernel::product : MatrixKernel::outer;
  if (m == 1 && n == 1) return MatrixKernel::dot;
  if (n == 1) return MatrixKernel::gemv_left;
  if (m == 1) return MatrixKernel::gemv_right;
  return MatrixKernel::gemm;
}

void check_fits_blas(const ContractSteps& steps) {
  for (const Extent length : {steps.call_m, steps.call_n, steps.call_k})
    static_cast<void>(base::to_int(length));
  for (const OperandSteps& operand : steps.operand) {
    static_cast<void>(base::to_int(operand.row_stride));
    static_cast<void>(base::to_int(operand.column_stride));
  }
}

void set_matrices(const ContractGeometry& geometry, const Layout& layout, const PerSide& must_pack,
                  ContractSteps& steps) {
  const auto inner = [&](Group group) {
    return geometry.product(geometry.members(group) & ~layout.looped);
  };
  steps.call_m = inner(m_group);
  steps.call_n = inner(n_group);
  steps.call_k = inner(k_group);
  std::array<IndexStrides, 3> strides{};
  for (const Side side : all_sides)
    strides[side] = set_operand(geometry, layout, side, must_pack[side], steps);
  set_loops(geometry, layout.looped, strides, steps);
  const OperandSteps& result = steps.operand[result_side];
  if (result.row_stride != 1 && result.column_stride == 1) swap_operands(steps);
  steps.kernel = kernel_of(steps.call_m, steps.call_n, steps.call_k);
  check_fits_blas(steps);
}

/// The packed product wants matrices, and rows that are contiguous in the result.
bool can_pack(const ContractGeometry& geometry, const ContractSteps& steps) noexcept {
  if (steps.m == 1 || steps.n == 1 || steps.k == 1) return false;
  return begins_with(geometry, result_side, m_group) || begins_with(geometry, result_side, n_group);
}

double cost_of_packed(const ContractGeometry& geometry, const ContractSteps& steps) noexcept {
  const Side left = row_side(geometry);
  const Side right = left == left_side ? right_side : left_side;
  const bool is_swapped = left == right_side;
  const auto turned = [&](Side side) {
    return begins_with_sum(geometry, side) ? pack_turned : pack_straight;
  };
  return static_cast<double>(steps.batch) * packed_cost(is_swapped ? steps.n : steps.m,
                                                        is_swapped ? steps.m : steps.n, steps.k,
                                                        turned(left), turned(right));
}

void set_packed(const ContractGeometry& geometry, Extent element_bytes, ContractSteps& steps) {
  const IndexSet batch = geometry.members(batch_group);
  const PackedChoice choice = choose_packed(geometry, batch, element_bytes);
  steps.kernel = MatrixKernel::packed;
  steps.packed = choice.steps;
  steps.call_m = steps.m;
  steps.call_n = steps.n;
  steps.call_k = steps.k;
  set_loops(
      geometry, batch,
      {geometry.strides(left_side), geometry.strides(right_side), geometry.strides(result_side)},
      steps);
  if (choice.swapped) swap_operands(steps);
  steps.workspace_elements = packed_workspace(steps.packed, element_bytes);
}

/// The index that is fastest in all three operands, or -1.
int index_side_by_side(const ContractGeometry& geometry) noexcept {
  for (int i = 0; i < geometry.count(); ++i) {
    const std::array<Extent, 3>& stride = geometry.item(i).stride;
    if (stride[left_side] == 1 && stride[right_side] == 1 && stride[result_side] == 1) return i;
  }
  return -1;
}

/// Rows and columns of an operand as one index each; -1 where they cannot be.
struct JointStrides {
  std::array<std::array<Extent, 2>, 3> of{};  // by Side: rows, columns
  [[nodiscard]] bool are_possible() const noexcept {
    return std::ranges::all_of(of, [](const auto& two) { return two[0] >= 0 && two[1] >= 0; });
  }
};
JointStrides joint_strides(const ContractGeometry& geometry) noexcept {
  JointStrides found;
  for (const Side side : all_sides)
    for (std::size_t which = 0; which < 2; ++which) {
      const Group group = groups_of[side][which];
      const Sequence order = geometry.sorted(geometry.members(group), sides_of[group][0]);
      found.of[side][which] = geometry.joint_stride(order, geometry.strides(side));
    }
  return found;
}

/// Nanoseconds of small products side by side; infinite if these indexes do not allow it.
double cost_of_batch(const ContractGeometry& geometry, const ContractSteps& steps) noexcept {
  const int fastest = index_side_by_side(geometry);
  const bool is_possible =
      fastest >= 0 && steps.m * steps.n * steps.k > 1 && joint_strides(geometry).are_possible();
  if (!is_possible) return std::numeric_limits<double>::infinity();
  return static_cast<double>(steps.batch / geometry.item(fastest).extent) *
         batch_cost(steps.m, steps.n, steps.k, geometry.item(fastest).extent);
}

void set_batch(const ContractGeometry& geometry, ContractSteps& steps) {
  const int fastest = index_side_by_side(geometry);
  const JointStrides strides = joint_strides(geometry);
  steps.kernel = MatrixKernel::batch;
  steps.call_m = steps.m;
  steps.call_n = steps.n;
  steps.call_k = steps.k;
  steps.call_batch = geometry.item(fastest).extent;
  for (const Side side : all_sides) {
    steps.operand[side].row_stride = strides.of[side][0];
    steps.operand[side].column_stride = strides.of[side][1];
  }
  set_loops(
      geometry, geometry.members(batch_group) & ~(1u << fastest),
      {geometry.strides(left_side), geometry.strides(right_side), geometry.strides(result_side)},
      steps);
}

}  // namespace

ContractSteps choose_steps(const ContractIndexes& indexes, const ContractTraits& traits) {
  const ContractGeometry geometry(indexes);
  const PerSide must_pack = {traits.conjugate_left, traits.conjugate_right, false};
  Search search(geometry, must_pack);
  const Layout layout = search.best();
  ContractSteps steps;
  steps.m = geometry.product(geometry.members(m_group));
  steps.n = geometry.product(geometry.members(n_group));
  steps.k = geometry.product(geometry.members(k_group));
  steps.batch = geometry.product(geometry.members(batch_group));
  const bool may_pack = traits.is_real && can_pack(geometry, steps);
  const double cost =
      std::min(search.best_cost(), may_pack ? cost_of_packed(geometry, steps) : search.best_cost());
  if (traits.is_real && cost_of_batch(geometry, steps) < cost)
    set_batch(geometry, steps);
  else if (may_pack && cost < search.best_cost())
    set_packed(geometry, traits.element_bytes, steps);
  else
    set_matrices(geometry, layout, must_pack, steps);
  return steps;
}

}  // namespace blockyard::tensor::detail
