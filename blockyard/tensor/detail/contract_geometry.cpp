// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/detail/contract_geometry.h"

#include <algorithm>
#include <bit>

namespace blockyard::tensor::detail {
namespace {

Group group_of(const ContractIndex& index) noexcept {
  if (index.stride[result_side] == 0) return k_group;
  if (index.stride[right_side] == 0) return m_group;
  if (index.stride[left_side] == 0) return n_group;
  return batch_group;
}

/// True if b comes next after a in every operand where they stand.
bool follows(const ContractIndex& a, const ContractIndex& b) noexcept {
  for (std::size_t side = 0; side < 3; ++side)
    if (b.stride[side] != a.stride[side] * a.extent) return false;
  return true;
}

}  // namespace

ContractGeometry::ContractGeometry(const ContractIndexes& indexes) : indexes_(indexes) {
  fuse();
  for (int i = 0; i < indexes_.count; ++i) {
    const IndexSet bit = 1u << i;
    members_[group_of(item(i))] |= bit;
    for (std::size_t side = 0; side < 3; ++side) {
      strides_[side][static_cast<std::size_t>(i)] = item(i).stride[side];
      if (item(i).stride[side] != 0) standing_[side] |= bit;
    }
  }
}

void ContractGeometry::fuse() noexcept {
  for (int a = 0; a < indexes_.count; ++a)
    for (int b = 0; b < indexes_.count; ++b)
      if (a != b && follows(item(a), item(b))) {
        indexes_.item[static_cast<std::size_t>(a)].extent *= item(b).extent;
        std::copy(indexes_.item.begin() + b + 1, indexes_.item.begin() + indexes_.count,
                  indexes_.item.begin() + b);
        --indexes_.count;
        a = -1;  // start again: the places of the rest have changed
        break;
      }
}

Extent ContractGeometry::product(IndexSet set) const noexcept {
  Extent total = 1;
  for (; set != 0; set &= set - 1) total *= item(std::countr_zero(set)).extent;
  return total;
}

Sequence ContractGeometry::sorted(IndexSet set, Side side) const noexcept {
  Sequence sequence;
  for (; set != 0; set &= set - 1) {
    const int i = std::countr_zero(set);
    int place = sequence.count++;
    for (; place > 0; --place) {
      const int before = sequence.at[static_cast<std::size_t>(place - 1)];
      if (item(before).stride[side] < item(i).stride[side]) break;
      sequence.at[static_cast<std::size_t>(place)] = before;
    }
    sequence.at[static_cast<std::size_t>(place)] = i;
  }
  return sequence;
}

IndexStrides ContractGeometry::strides(Side side) const noexcept { return strides_[side]; }

Extent ContractGeometry::joint_stride(const Sequence& sequence,
                                      const IndexStrides& strides) const noexcept {
  Extent first = 0, expected = 0;
  for (const int i : sequence.all()) {
    const Extent stride = strides[static_cast<std::size_t>(i)];
    if (first == 0) first = expected = stride;
    if (stride != expected) return -1;
    expected *= item(i).extent;
  }
  return first;
}

bool ContractGeometry::is_direct(const Layout& layout, Side side) const noexcept {
  const Extent row = joint_stride(layout.order[groups_of[side][0]], strides_[side]);
  const Extent column = joint_stride(layout.order[groups_of[side][1]], strides_[side]);
  return row >= 0 && column >= 0 && (row <= 1 || column <= 1);
}

IndexStrides ContractGeometry::packed_strides(const Layout& layout, Side side) const noexcept {
  const Sequence& rows = layout.order[groups_of[side][0]];
  const Sequence& columns = layout.order[groups_of[side][1]];
  const Sequence loops = sorted(layout.looped & standing_in(side), side);
  // Keep the fastest index the fastest where that is free to choose: then rows are copied whole.
  const bool columns_first = columns.count > 0 && item(columns.at[0]).stride[side] == 1;
  const std::array parts = {columns_first ? &columns : &rows, columns_first ? &rows : &columns,
                            &loops};
  IndexStrides packed{};
  Extent stride = 1;
  for (const Sequence* part : parts)
    for (const int i : part->all()) {
      packed[static_cast<std::size_t>(i)] = stride;
      stride *= item(i).extent;
    }
  return packed;
}

}  // namespace blockyard::tensor::detail
