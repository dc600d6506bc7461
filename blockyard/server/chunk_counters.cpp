// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/chunk_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::server {

Range ChunkCounters::take(std::uint64_t counter, std::int64_t total, std::int32_t sharers) {
  using base::Errc;
  using base::Error;
  if (total < 0 || sharers < 1)
    throw Error(Errc::comm,
                fmt::format("a loop of {} positions for {} workers was asked for", total, sharers));
  const auto [found, is_new] = loops_.try_emplace(counter, Loop{total, 0, 0});
  Loop& loop = found->second;
  if (loop.total != total)
    throw Error(Errc::comm, fmt::format("workers disagree on the length of a loop: {} and {}",
                                        loop.total, total));
  const std::int64_t left = loop.total - loop.next;
  const std::int64_t count =
      std::min(left, std::max<std::int64_t>(1, left / (2 * std::int64_t{sharers})));
  const Range range{loop.next, loop.next + count};
  loop.next = range.last;
  if (count == 0 && ++loop.finished == sharers) loops_.erase(found);
  return range;
}

}  // namespace blockyard::server
