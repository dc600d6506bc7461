// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/transform_steps.h"

#include <algorithm>
#include <cstddef>

namespace blockyard::cuda {
namespace {

using plugin::TransformIndex;
using Sort = plugin::Transform::Sort;

constexpr std::size_t most_rank = 3;

/// Over indexes first .. last - 1. Where the sort does not say otherwise, extents are those of the
/// result, or of left.
TransformStep step_over(const std::vector<TransformIndex>& indexes, std::size_t first,
                        std::size_t last, Sort sort, bool is_of_result) {
  TransformStep step;
  step.sort = sort;
  long long in = 1, out = 1, outer = 1;
  const auto other = [is_of_result](const TransformIndex& index) {
    return is_of_result ? index.out : index.in;
  };
  for (std::size_t k = 0; k < first; ++k) step.stride *= other(indexes[k]);
  for (std::size_t k = first; k < last; ++k) {
    const TransformIndex& index = indexes[k];
    const std::int64_t from = sort == Sort::c2c ? other(index) : index.in;
    const std::int64_t to = sort == Sort::c2c ? other(index) : index.out;
    step.lengths.insert(step.lengths.begin(), std::max(from, to));
    step.in_extents.insert(step.in_extents.begin(), from);
    step.out_extents.insert(step.out_extents.begin(), to);
    in *= from;
    out *= to;
  }
  for (std::size_t k = last; k < indexes.size(); ++k) outer *= other(indexes[k]);
  if (step.stride == 1) {
    step.in_distance = in;
    step.out_distance = out;
    step.count = outer;
  } else if (sort == Sort::c2c && outer > step.stride) {  // few calls of many
    step.in_distance = step.stride * in;
    step.out_distance = step.stride * out;
    step.count = outer;
    step.repeats = step.stride;
    step.in_advance = step.out_advance = 1;
  } else {
    step.count = step.stride;
    step.repeats = outer;
    step.in_advance = step.stride * in;
    step.out_advance = step.stride * out;
  }
  return step;
}

}  // namespace

TransformSteps steps_of(const plugin::Transform& transform) {
  const auto& indexes = transform.indexes;
  const auto end_of_group = [&](std::size_t first) {
    std::size_t last = first + 1;
    while (last < indexes.size() && last - first < most_rank && indexes[last].is_transformed &&
           !indexes[last].is_halved)
      ++last;
    return last;
  };
  const auto halved = static_cast<std::size_t>(
      std::ranges::find(indexes, true, &TransformIndex::is_halved) - indexes.begin());
  const std::size_t halved_end = halved < indexes.size() ? end_of_group(halved) : halved;
  TransformSteps all;
  const bool is_back = transform.sort == Sort::c2r;
  all.copies_left = is_back;
  using From = TransformStep::From;
  if (transform.sort == Sort::r2c)
    all.steps.push_back(step_over(indexes, halved, halved_end, Sort::r2c, false));
  for (std::size_t k = 0; k < indexes.size(); ++k) {
    if (!indexes[k].is_transformed || (k >= halved && k < halved_end)) continue;
    const std::size_t last = end_of_group(k);
    TransformStep step = step_over(indexes, k, last, Sort::c2c, !is_back);
    step.from = is_back ? From::copy : all.steps.empty() ? From::left : From::result;
    step.to_copy = is_back;
    all.steps.push_back(step);
    k = last - 1;
  }
  if (is_back) {
    all.steps.push_back(step_over(indexes, halved, halved_end, Sort::c2r, true));
    all.steps.back().from = From::copy;
  }
  return all;
}

}  // namespace blockyard::cuda
