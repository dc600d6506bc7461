// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "blockyard/base/error.h"

namespace blockyard::ring {

using base::Errc;
using base::Error;

ExactScale::ExactScale(std::int64_t contributions, double bound) : bound_(bound) {
  if (!(bound > 0) || !std::isfinite(bound))
    throw Error(Errc::bad_input,
                fmt::format("exact sums need a positive bound of a contribution, not {}", bound));
  const double most = static_cast<double>(std::max<std::int64_t>(1, contributions)) * bound;
  exponent_ = 62 - static_cast<int>(std::ceil(std::log2(most)));
  exponent_ = std::clamp(exponent_, -1000, 1000);
  scale_ = std::ldexp(1.0, exponent_);
}

void ExactScale::to_values(std::span<std::int64_t> sums) const noexcept {
  for (std::int64_t& sum : sums) sum = std::bit_cast<std::int64_t>(value_of(sum));
}

void refuse_contribution(double value, double bound, std::string_view option) {
  throw Error(Errc::bad_input,
              fmt::format("a contribution of {:.6g} is outside the range of the exact sums, whose "
                          "bound is {:.6g}: set {} to at least {:.3g}",
                          value, bound, option, 4 * std::abs(value)));
}

}  // namespace blockyard::ring
