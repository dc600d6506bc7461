// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/copies.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"

namespace blockyard::flow {

using base::Errc;
using base::Error;

/// Positions in this order, without those left out (which must have an extent of 1).
Copies::Layout Copies::squeeze(const Layout& layout, const std::vector<std::size_t>& positions) {
  Layout result;
  std::array<tensor::Extent, tensor::Shape::max_order> extents{};
  tensor::Extent count = 1;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    extents[k] = layout.shape[positions[k]];
    result.strides[k] = layout.strides[positions[k]];
    count *= extents[k];
  }
  if (count != layout.shape.element_count())
    throw Error(Errc::bad_input, "indexes that stand on one side only must have an extent of 1");
  result.shape = tensor::Shape({extents.data(), positions.size()});
  return result;
}

const tensor::PermutePlan& Copies::of(std::int32_t pc, const Match& match, const View& to,
                                      const View& from) {
  auto& kept = kept_[static_cast<std::size_t>(pc)];
  const Layout whole_to{to.shape, to.strides}, whole_from{from.shape, from.strides};
  if (kept && kept->to == whole_to && kept->from == whole_from) return kept->plan;
  const Layout target = squeeze(whole_to, match.to_positions);
  const Layout source = squeeze(whole_from, match.from_positions);
  for (std::size_t k = 0; k < match.permutation.size(); ++k) {
    const tensor::Extent other = source.shape[static_cast<std::size_t>(match.permutation[k])];
    if (target.shape[k] != other)
      throw Error(Errc::bad_input,
                  fmt::format("the two sides differ in extent at position {}: {} and {}", k + 1,
                              target.shape[k], other));
  }
  kept = std::make_unique<Kept>(
      Kept{whole_to,
           whole_from,
           {source.shape, source.strides, match.permutation, target.shape, target.strides}});
  return kept->plan;
}

}  // namespace blockyard::flow
