// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/chains.h"

#include <algorithm>

namespace blockyard::flow {

using tensor::Names;
using tensor::Shape;

namespace {

/// Mixes the extents of shapes into one number. Source: Fowler, Noll, Vo, FNV-1a.
std::uint64_t mix(std::uint64_t hash, const Shape& shape) {
  for (const Extent extent : shape.extents())
    hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

const Chain& Chains::of(std::int32_t pc, const program::Product& product,
                        std::span<const Shape> shapes, const Names& result,
                        const Shape& result_shape, array::ElementType type) {
  std::uint64_t key = mix(0xcbf29ce484222325ULL, result_shape);
  for (const Shape& shape : shapes) key = mix(key, shape);
  Plans& plans = plans_[static_cast<std::size_t>(pc)];
  for (auto found = plans.find(key); found != plans.end(); found = plans.find(++key)) {
    const std::span<const Shape> known = found->second.shapes;
    if (known.back() == result_shape && std::ranges::equal(known.first(shapes.size()), shapes))
      return found->second.chain;
  }
  std::vector<Names> names;
  std::vector<tensor::Conjugate> conjugates;
  for (const std::int32_t operand : product.operands) {
    const program::Selector& selected = program_.selectors[static_cast<std::size_t>(operand)];
    names.emplace_back(selected.indexes);
    conjugates.push_back(selected.part == program::Part::conjugate ? tensor::Conjugate::yes
                                                                   : tensor::Conjugate::no);
  }
  Planned made{{shapes.begin(), shapes.end()},
               make_chain(names, shapes, result, result_shape, type, conjugates)};
  made.shapes.push_back(result_shape);
  return plans.emplace(key, std::move(made)).first->second.chain;
}

}  // namespace blockyard::flow
