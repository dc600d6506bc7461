// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "blockyard/tensor/detail/contract_steps.h"

namespace blockyard::tensor::detail {

/// A set of indexes of a contraction: bit i is index i.
using IndexSet = unsigned;

/// Indexes of left and result; of right and result; of left and right; of all operands.
enum Group : std::size_t { m_group, n_group, k_group, batch_group };

/// The groups that are the rows and the columns of each operand's matrix, by Side.
inline constexpr std::array<std::array<Group, 2>, 3> groups_of = {
    {{m_group, k_group}, {k_group, n_group}, {m_group, n_group}}};
/// The operands where each matrix group stands, by Group.
inline constexpr std::array<std::array<Side, 2>, 3> sides_of = {
    {{left_side, result_side}, {right_side, result_side}, {left_side, right_side}}};

/// Indexes in an order, fastest first.
struct Sequence {
  std::array<int, ContractIndexes::max_count> at{};
  int count = 0;
  [[nodiscard]] std::span<const int> all() const noexcept {
    return {at.data(), static_cast<std::size_t>(count)};
  }
  friend bool operator==(const Sequence&, const Sequence&) = default;
};

/// The loops around the kernel, and the order of the indexes in each matrix group.
struct Layout {
  IndexSet looped = 0;
  std::array<Sequence, 3> order;  // by Group
};

/// One stride for each index.
using IndexStrides = std::array<Extent, ContractIndexes::max_count>;

/// The indexes of a contraction, those that always go together made one, and what the operands
/// look like under a layout.
class ContractGeometry {
 public:
  explicit ContractGeometry(const ContractIndexes& indexes);

  [[nodiscard]] const ContractIndex& item(int i) const noexcept {
    return indexes_.item[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] int count() const noexcept { return indexes_.count; }
  [[nodiscard]] IndexSet members(Group group) const noexcept { return members_[group]; }
  /// All indexes that stand in an operand.
  [[nodiscard]] IndexSet standing_in(Side side) const noexcept { return standing_[side]; }
  /// Product of the extents.
  [[nodiscard]] Extent product(IndexSet set) const noexcept;
  /// The indexes of `set`, fastest in the operand `side` first.
  [[nodiscard]] Sequence sorted(IndexSet set, Side side) const noexcept;
  /// The strides in an operand.
  [[nodiscard]] IndexStrides strides(Side side) const noexcept;
  /// Stride of the sequence as one index; 0 of no index, -1 if it cannot be one.
  [[nodiscard]] Extent joint_stride(const Sequence& sequence,
                                    const IndexStrides& strides) const noexcept;
  /// True if the operand is a matrix that the kernel takes as it is.
  [[nodiscard]] bool is_direct(const Layout& layout, Side side) const noexcept;
  /// Strides of the packed operand: its two matrix groups, then its loops.
  [[nodiscard]] IndexStrides packed_strides(const Layout& layout, Side side) const noexcept;

 private:
  void fuse() noexcept;

  ContractIndexes indexes_;
  std::array<IndexSet, 4> members_{};      // by Group
  std::array<IndexSet, 3> standing_{};     // by Side
  std::array<IndexStrides, 3> strides_{};  // by Side
};

}  // namespace blockyard::tensor::detail
