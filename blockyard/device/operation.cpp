// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/operation.h"

#include <numeric>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::device {
namespace {

using base::Errc;
using base::Error;
using tensor::Shape;

blockyard_operand operand(const Shape& shape, std::span<const int> names) {
  if (names.size() != shape.order())
    throw Error(Errc::bad_input, "a block and its index names are of different order");
  blockyard_operand made{};
  made.order = static_cast<std::uint32_t>(shape.order());
  for (std::size_t k = 0; k < shape.order(); ++k) {
    made.name[k] = names[k];
    made.extent[k] = shape[k];
  }
  return made;
}

blockyard_operation operation(blockyard_kind kind, blockyard_element element) {
  blockyard_operation made{};
  made.size = sizeof made;
  made.kind = kind;
  made.element = element;
  return made;
}

/// 0, 1, 2, ...: one name for each index.
std::vector<int> counted(const Shape& shape) {
  std::vector<int> names(shape.order());
  std::iota(names.begin(), names.end(), 0);
  return names;
}

}  // namespace

blockyard_operation permute_operation(blockyard_element element, const Shape& in,
                                      std::span<const int> to) {
  std::vector<base::Extent> extents;
  for (const int from : to) {
    if (from < 0 || from >= static_cast<int>(in.order()))
      throw Error(Errc::bad_input, "a permutation names an index that the block does not have");
    extents.push_back(in[static_cast<std::size_t>(from)]);
  }
  auto made = operation(BLOCKYARD_PERMUTE, element);
  made.result = operand(Shape(extents), to);
  made.left = operand(in, counted(in));
  return made;
}

blockyard_operation contract_operation(blockyard_element element, const tensor::ContractSpec& spec,
                                       const Shape& result, const Shape& left, const Shape& right) {
  auto made = operation(BLOCKYARD_CONTRACT, element);
  made.result = operand(result, spec.result.all());
  made.left = operand(left, spec.left.all());
  made.right = operand(right, spec.right.all());
  if (spec.conjugate_left == tensor::Conjugate::yes) made.flags |= blockyard_conjugate_left;
  if (spec.conjugate_right == tensor::Conjugate::yes) made.flags |= blockyard_conjugate_right;
  return made;
}

blockyard_operation axpby_operation(blockyard_element element, const Shape& shape) {
  auto made = operation(BLOCKYARD_AXPBY, element);
  made.result = made.left = operand(shape, counted(shape));
  return made;
}

blockyard_operation dot_operation(blockyard_element element, const Shape& shape) {
  auto made = operation(BLOCKYARD_DOT, element);
  made.left = made.right = operand(shape, counted(shape));
  return made;
}

}  // namespace blockyard::device
