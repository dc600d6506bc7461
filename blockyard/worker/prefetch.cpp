// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/prefetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::worker {

namespace {
/// Share of a new measurement in the running mean.
constexpr double weight = 0.5;
/// Gets without waste after which the ceiling rises by one.
constexpr std::uint64_t calm_gets = 64;
}  // namespace

PrefetchDepth parse_prefetch(std::string_view text) {
  if (base::lower(text) == "auto") return {};
  PrefetchDepth depth{false, 0};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth.fixed);
  if (error != std::errc() || end != text.data() + text.size() || depth.fixed < 0 ||
      depth.fixed > PrefetchDepth::most)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("\"{}\" is not a prefetch depth: use auto or 0 to {}", text,
                                  PrefetchDepth::most));
  return depth;
}

void DepthChoice::waited(double transfer, double period) {
  const bool is_first = transfer_seconds == 0;
  transfer_seconds = is_first ? transfer : (1 - weight) * transfer_seconds + weight * transfer;
  period_seconds = is_first ? period : (1 - weight) * period_seconds + weight * period;
  const double blocks = period_seconds > 0 ? std::ceil(transfer_seconds / period_seconds) : 1e9;
  const double wanted = std::min(blocks + 1, static_cast<double>(PrefetchDepth::most));
  depth = std::min(ceiling, std::max(depth, static_cast<int>(wanted)));
}

void DepthChoice::waste() {
  ++wasted;
  ceiling = depth / 2;
  depth = ceiling;
}

void DepthChoice::went_well(std::uint64_t count) {
  if (ceiling == PrefetchDepth::most) return;
  ceiling = std::min(PrefetchDepth::most, ceiling + static_cast<int>(count / calm_gets));
  depth = std::max(depth, std::min(ceiling, 1));
}

std::string DepthChoice::reason() const {
  std::string text =
      transfer_seconds == 0
          ? std::string("never waited")
          : fmt::format("a transfer took {:.0f} us, the work of an iteration {:.0f} us",
                        transfer_seconds * 1e6, period_seconds * 1e6);
  if (wasted > 0) text += fmt::format("; {} evicted before use", wasted);
  if (no_room > 0) text += fmt::format("; no memory for {}", no_room);
  return text;
}

}  // namespace blockyard::worker
