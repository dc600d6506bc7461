// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "blockyard/array/block_id.h"
#include "blockyard/flow/bind.h"
#include "blockyard/flow/naming.h"
#include "blockyard/program/program.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::flow {

using base::Extent;

/// What a selector of form `block` means for given values of the indexes: a block, and the part of
/// it that subindexes cut out. Of the arrays, as many entries count as the selector has indexes.
struct Place {
  array::BlockId id;
  std::array<std::int64_t, array::max_order> segments{};
  tensor::Shape block_shape;
  tensor::Shape shape;                        ///< of the part; of the block if it is whole
  std::array<Extent, array::max_order> at{};  ///< where the part begins in the block
  bool is_whole = true;
};

/// Throws Error{bad_input} if an index has no value or one outside of the array; then `into` is
/// unspecified.
void locate(const Naming& naming, const program::Selector& selector,
            std::span<const std::int64_t> values, Place& into);
[[nodiscard]] inline Place locate(const Naming& naming, const program::Selector& selector,
                                  std::span<const std::int64_t> values) {
  Place place;
  locate(naming, selector, values, place);
  return place;
}
/// Throws what locate() does for the index at this position.
[[noreturn]] void report_no_place(const Naming& naming, const program::Selector& selector,
                                  std::span<const std::int64_t> values, std::size_t position);

/// Calls action for each whole block that the list of an allocate or deallocate statement selects:
/// a position without an index stands for all segments. Throws as locate() does.
void for_each_selected(const Naming& naming, const program::Selector& selector,
                       std::span<const std::int64_t> values,
                       const std::function<void(const Place&)>& action);

/// A block by name, and how long it is.
struct NamedBlock {
  array::BlockId id;
  std::size_t bytes = 0;
};

/// The whole block; nothing where an index has no value or one outside of the array. Pure.
[[nodiscard]] std::optional<NamedBlock> block_of(const program::Program& program,
                                                 const Tables& tables,
                                                 const program::Selector& selector,
                                                 std::span<const std::int64_t> values);

}  // namespace blockyard::flow
