// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/product_scratch.h"

#include <algorithm>
#include <map>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/base/error.h"
#include "blockyard/flow/chain.h"
#include "blockyard/program/flow.h"

namespace blockyard::flow {
namespace {

using program::ElementType;
using program::OperandKind;
using program::Product;
using program::Program;
using program::Selector;
using tensor::Names;
using tensor::Shape;

std::int64_t bytes_of(Extent elements, ElementType type) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 47;  // an address space
  const auto element = static_cast<std::int64_t>(array::bytes_of(type));
  if (elements >= most_bytes / element) return most_bytes;
  return static_cast<std::int64_t>(
      base::BufferPool::charge(static_cast<std::size_t>(elements * element)));
}

class ScratchOf {
 public:
  ScratchOf(const Program& program, const Tables& tables) : program_(program), tables_(tables) {}

  /// What the product takes; to: of its result, null if that is a number.
  std::int64_t product(const Product& product, const Selector* to) {
    longest_.clear();
    if (to != nullptr) note(*to);
    for (const std::int32_t operand : product.operands) note(selector(operand));
    const ElementType of_result =
        to == nullptr ? ElementType::f64 : program::type_of(program_, *to);
    const ElementType type = program::type_of(program_, product, of_result);
    std::int64_t bytes = 0;
    bool may_alias = false;
    std::vector<Names> names;
    std::vector<Shape> shapes;
    for (const std::int32_t number : product.operands) {
      const Selector& operand = selector(number);
      names.emplace_back(operand.indexes);
      shapes.push_back(shape_of(operand));
      if (!is_in_one_piece(operand) || program::type_of(program_, operand) != type)
        bytes += bytes_of(shapes.back().element_count(), type);
      may_alias = may_alias || (to != nullptr && operand.array == to->array);
    }
    const Shape result = to == nullptr ? Shape() : shape_of(*to);
    if (to != nullptr && (may_alias || of_result != type || !is_in_one_piece(*to)))
      bytes += bytes_of(result.element_count(), type);
    if (of_result != type) bytes += bytes_of(result.element_count(), of_result);
    const Chain chain =
        make_chain(names, shapes, to == nullptr ? Names() : Names(to->indexes), result, type);
    for (std::size_t k = 0; k + 1 < chain.steps.size(); ++k)
      bytes += bytes_of(chain.steps[k].shape.element_count(), type);
    if (chain.workspace_elements > 0) bytes += bytes_of(chain.workspace_elements, type);
    return bytes;
  }

 private:
  [[nodiscard]] const Selector& selector(std::int32_t number) const {
    return program_.selectors[static_cast<std::size_t>(number)];
  }

  /// An index lies in the ranges of all positions that it stands in.
  void note(const Selector& of) {
    const array::Grid& grid = tables_.grids[static_cast<std::size_t>(of.array)];
    for (std::size_t k = 0; k < of.indexes.size(); ++k) {
      const Extent longest = std::max<Extent>(1, grid.axis(k).longest());
      Extent& known = longest_.try_emplace(of.indexes[k], longest).first->second;
      known = std::min(known, longest);
    }
  }

  [[nodiscard]] Shape shape_of(const Selector& of) const {
    std::vector<Extent> extents;
    for (const std::int32_t index : of.indexes) extents.push_back(longest_.at(index));
    return Shape(extents);
  }

  /// Parts of blocks, and blocks of static arrays, lie in pieces.
  [[nodiscard]] bool is_in_one_piece(const Selector& of) const {
    if (of.part == program::Part::real || of.part == program::Part::imaginary) return false;
    if (of.indexes.size() < 2) return true;
    const program::ArrayDecl& array = program_.arrays[static_cast<std::size_t>(of.array)];
    if (array.kind == program::ArrayKind::static_) return false;
    const auto is_whole = [this](std::int32_t index) {
      return program_.indexes[static_cast<std::size_t>(index)].parent < 0;
    };
    return std::ranges::equal(of.indexes, array.indexes,
                              [&](std::int32_t index, std::int32_t place) {
                                return is_whole(index) || !is_whole(place);
                              });
  }

  const Program& program_;
  const Tables& tables_;
  std::map<std::int32_t, Extent> longest_;  ///< elements by index of the product at hand
};

}  // namespace

std::int64_t product_scratch(const Program& program, const Tables& tables) {
  ScratchOf scratch_of(program, tables);
  std::int64_t most = 0;
  for (const program::Instruction& code : program.code) {
    const auto& operands = program::row_of(code.opcode).operands;
    const auto place = std::ranges::find(operands, OperandKind::product) - operands.begin();
    if (place > 1) continue;
    const auto product = static_cast<std::size_t>(place == 0 ? code.a : code.b);
    const Selector* to =
        place == 0 ? nullptr : &program.selectors[static_cast<std::size_t>(code.a)];
    try {
      most = std::max(most, scratch_of.product(program.products[product], to));
    } catch (const base::Error&) {  // the run says what is wrong, and where
    }
  }
  return most;
}

}  // namespace blockyard::flow
