// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "blockyard/base/error.h"

namespace blockyard::tensor {
namespace {

using base::Errc;
using base::Error;
using detail::ContractIndex;
using detail::ContractIndexes;

constexpr std::array<const char*, 3> side_name = {"left operand", "right operand", "result"};

struct Operand {
  const Names& names;
  const Shape& shape;
};
using Operands = std::array<Operand, 3>;  // by detail::Side

void check_operand(const Operand& operand, const char* what) {
  const std::span<const int> all = operand.names.all();
  if (all.size() != operand.shape.order())
    throw Error(Errc::bad_input, fmt::format("{} index names for a {} of order {}", all.size(),
                                             what, operand.shape.order()));
  for (std::size_t k = 0; k < all.size(); ++k)
    if (std::ranges::find(all.subspan(k + 1), all[k]) != all.end())
      throw Error(Errc::bad_input,
                  fmt::format("index name {} appears twice in the {}", all[k], what));
}

/// The index called `name` with its strides. Throws if it stands once or its extents differ.
ContractIndex find_index(int name, const Operands& operands) {
  ContractIndex index;
  int places = 0;
  for (std::size_t side = 0; side < operands.size(); ++side) {
    const auto all = operands[side].names.all();
    const auto k = static_cast<std::size_t>(std::ranges::find(all, name) - all.begin());
    if (k == all.size()) continue;
    const Extent extent = operands[side].shape[k];
    if (places++ > 0 && extent != index.extent)
      throw Error(Errc::bad_input, fmt::format("index name {} has extent {} in the {} but {} "
                                               "elsewhere",
                                               name, extent, side_name[side], index.extent));
    index.extent = extent;
    index.stride[side] = dense_strides(operands[side].shape)[k];
  }
  if (places < 2)
    throw Error(Errc::bad_input, fmt::format("index name {} appears in one operand only; a "
                                             "contraction sums over names of two operands",
                                             name));
  return index;
}

/// Each name once, in the order of first use; extents of 1 carry no data order and are left out.
ContractIndexes collect(const Operands& operands) {
  ContractIndexes found;
  for (std::size_t side = 0; side < operands.size(); ++side)
    for (const int name : operands[side].names.all()) {
      const auto known = [&](std::size_t earlier) {
        return std::ranges::count(operands[earlier].names.all(), name) != 0;
      };
      if ((side > 0 && known(0)) || (side > 1 && known(1))) continue;
      const ContractIndex index = find_index(name, operands);
      if (index.extent > 1) found.item[static_cast<std::size_t>(found.count++)] = index;
    }
  return found;
}

/// Elements that all parts together read and write if an index is cut: a block that does not have
/// the index is read by each part; where it has, runs end within cache lines, which two parts
/// share.
double traffic_if_cut(const ContractIndexes& indexes, const ContractIndex& cut,
                      int parts) noexcept {
  constexpr double line = 8;
  const Extent most = (cut.extent + parts - 1) / parts;
  const double waste = static_cast<double>(most * parts) / static_cast<double>(cut.extent);
  double traffic = 0;
  for (std::size_t side = 0; side < cut.stride.size(); ++side) {
    double elements = 1;
    for (int i = 0; i < indexes.count; ++i) {
      const ContractIndex& item = indexes.item[static_cast<std::size_t>(i)];
      if (item.stride[side] != 0) elements *= static_cast<double>(item.extent);
    }
    const auto run = static_cast<double>(cut.stride[side] * most);
    traffic += elements * (run > 0 ? 1 + line / run : parts);
  }
  return waste * traffic;
}

/// The index of the result that is cut into parts: the one that makes them move least. -1 if none
/// can be cut.
int index_to_cut(const ContractIndexes& indexes, int parts) noexcept {
  int best = -1;
  double best_traffic = std::numeric_limits<double>::infinity();
  for (int i = 0; i < indexes.count; ++i) {
    const ContractIndex& item = indexes.item[static_cast<std::size_t>(i)];
    if (item.stride[detail::result_side] == 0 || item.extent < 2) continue;
    const double traffic = traffic_if_cut(indexes, item, parts);
    if (traffic >= best_traffic) continue;
    best = i;
    best_traffic = traffic;
  }
  return best;
}

/// Cuts the indexes down to one part, which begins at `offset` in each operand. False if the part
/// is empty.
bool take_part(ContractIndexes& indexes, const ContractOptions& options,
               std::array<Extent, 3>& offset) noexcept {
  if (options.parts == 1) return true;
  const int cut = index_to_cut(indexes, options.parts);
  if (cut < 0) return options.part == 0;
  ContractIndex& item = indexes.item[static_cast<std::size_t>(cut)];
  const Extent begin = item.extent * options.part / options.parts;
  const Extent end = item.extent * (options.part + 1) / options.parts;
  for (std::size_t side = 0; side < offset.size(); ++side) offset[side] = begin * item.stride[side];
  item.extent = end - begin;
  if (item.extent == 1)
    indexes.item[static_cast<std::size_t>(cut)] =
        indexes.item[static_cast<std::size_t>(--indexes.count)];
  return end > begin;
}

}  // namespace

Names::Names(std::span<const int> names) : order_(names.size()) {
  if (order_ > Shape::max_order)
    throw Error(Errc::bad_input,
                fmt::format("{} index names, more than the {} possible", order_, Shape::max_order));
  std::ranges::copy(names, names_.begin());
}

ContractPlan::ContractPlan(const ContractSpec& spec, const Shape& result, const Shape& left,
                           const Shape& right, const ContractOptions& options) {
  const Operands operands = {Operand{spec.left, left}, Operand{spec.right, right},
                             Operand{spec.result, result}};
  for (std::size_t side = 0; side < operands.size(); ++side)
    check_operand(operands[side], side_name[side]);
  if (options.parts < 1 || options.part < 0 || options.part >= options.parts)
    throw Error(Errc::bad_input,
                fmt::format("part {} of {} of a contraction", options.part, options.parts));
  ContractIndexes indexes = collect(operands);
  is_empty_ = !take_part(indexes, options, offset_);
  if (is_empty_) return;
  steps_ = detail::choose_steps(
      indexes, {spec.conjugate_left == Conjugate::yes, spec.conjugate_right == Conjugate::yes,
                options.elements == ElementKind::real, options.element_bytes});
}

}  // namespace blockyard::tensor
