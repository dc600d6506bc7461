// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/iterations.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::flow {

using base::Errc;
using base::Error;
using program::Policy;

IndexRange range_of(const program::Program& program, const Tables& tables,
                    std::span<const std::int64_t> values, std::int32_t index) {
  const auto& decl = program.indexes[static_cast<std::size_t>(index)];
  if (decl.parent < 0) return tables.indexes[static_cast<std::size_t>(index)];
  const std::int64_t parent = values[static_cast<std::size_t>(decl.parent)];
  if (parent == unbound)
    throw Error(Errc::bad_input,
                fmt::format("a loop over subindex '{}' needs a loop over '{}' around it", decl.name,
                            program.indexes[static_cast<std::size_t>(decl.parent)].name));
  return tables.subsegments[static_cast<std::size_t>(decl.kind)].range_of(parent);
}

std::string_view name_of(Policy policy) noexcept {
  switch (policy) {
    case Policy::unset:
      return "as set for the job";
    case Policy::sequential:
      return "sequential";
    case Policy::static_:
      return "static";
    case Policy::balanced:
      return "balanced";
    case Policy::dynamic:
      return "dynamic";
    case Policy::every_worker:
      return "every worker";
    case Policy::locality:
      return "locality";
  }
  return "?";
}

Policy policy_of(const program::PardoDecl& pardo, Policy of_job, int workers) {
  if (workers == 1) return Policy::sequential;
  return pardo.policy == Policy::unset ? of_job : pardo.policy;
}

Iterations::Iterations(const program::Program& program, const Tables& tables, std::int32_t pardo,
                       const Sharing& sharing, std::span<const std::int64_t> values)
    : pardo_(&program.pardos[static_cast<std::size_t>(pardo)]), sharing_(sharing), settings_(1) {
  if (pardo_->indexes.size() > most_pardo_indexes)
    throw Error(Errc::bad_input,
                fmt::format("a pardo over {} indexes: at most {}; put a do inside of it",
                            pardo_->indexes.size(), most_pardo_indexes));
  for (std::size_t k = 0; k < pardo_->indexes.size(); ++k) {
    ranges_[k] = range_of(program, tables, values, pardo_->indexes[k]);
    const std::int64_t length = std::max<std::int64_t>(0, ranges_[k].last - ranges_[k].first + 1);
    if (length > 0 && settings_ > (std::int64_t{1} << 62) / length)
      throw Error(Errc::bad_input, "a pardo of more than 2^62 iterations");
    settings_ *= length;
  }
}

void Iterations::select(std::int64_t setting, std::span<std::int64_t> values) noexcept {
  setting_ = setting;
  for (std::size_t k = 0; k < pardo_->indexes.size(); ++k) {
    const std::int64_t length = ranges_[k].last - ranges_[k].first + 1;
    values[static_cast<std::size_t>(pardo_->indexes[k])] = ranges_[k].first + setting % length;
    setting /= length;
  }
}

/// The next setting of the indexes, the first index fastest.
bool Iterations::advance(std::span<std::int64_t> values) noexcept {
  if (sieve_) {
    setting_ = sieve_->next(setting_ + 1);
    if (setting_ >= settings_) return false;
    select(setting_, values);
    return true;
  }
  if (++setting_ >= settings_) return false;
  for (std::size_t k = 0; k < pardo_->indexes.size(); ++k) {
    std::int64_t& value = values[static_cast<std::size_t>(pardo_->indexes[k])];
    if (setting_ == 0) {
      value = ranges_[k].first;
    } else if (value < ranges_[k].last) {
      ++value;
      return true;
    } else {
      value = ranges_[k].first;
    }
  }
  return true;
}

bool Iterations::jump(std::span<std::int64_t> values, std::int64_t setting) noexcept {
  if (setting < 0 || setting >= settings_) return false;
  select(setting, values);
  return true;
}

bool Iterations::next_in_order(std::span<std::int64_t> values) noexcept {
  const auto at = static_cast<std::size_t>(position_++);
  return order_ != nullptr && at < order_->size() && jump(values, (*order_)[at]);
}

}  // namespace blockyard::flow
