// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/chunk_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::server {

using wire::Range;

Range ChunkCounters::take(std::uint64_t counter, std::int64_t total, std::int32_t sharers) {
  using base::Errc;
  using base::Error;
  if (total < 0 || sharers < 1)
    throw Error(Errc::comm,
                fmt::format("a loop of {} positions for {} workers was asked for", total, sharers));
  const auto [found, is_new] = loops_.try_emplace(counter);
  if (is_new) {
    const std::int64_t dealt = wire::unasked(total, sharers) * sharers;
    const auto idle = std::max<std::int64_t>(0, sharers - total);  // they never ask
    found->second = {total, std::min(total, dealt), static_cast<std::int32_t>(idle)};
  }
  Loop& loop = found->second;
  if (loop.total != total)
    throw Error(Errc::comm, fmt::format("workers disagree on the length of a loop: {} and {}",
                                        loop.total, total));
  const std::int64_t count = wire::guided(loop.total - loop.next, sharers);
  const Range range{loop.next, loop.next + count};
  loop.next = range.last;
  if (count == 0 && ++loop.finished == sharers) loops_.erase(found);
  return range;
}

Range ChunkCounters::take_near(const wire::TakeChunk& request) {
  const std::int32_t sharers = request.sharers;
  if (request.mine < 0 || request.mine >= sharers || request.near_first < 0 ||
      request.near_first > request.near_last || request.near_last > sharers ||
      std::ranges::any_of(request.lists, [](std::int64_t n) { return n < 0; }))
    throw base::Error(base::Errc::comm,
                      "a worker asked for iterations of a loop that it does not share");
  const auto [found, is_new] = near_loops_.try_emplace(request.counter);
  NearLoop& loop = found->second;
  if (is_new) {
    std::int64_t first = 0;
    for (const std::int64_t count : request.lists) {
      loop.lists.push_back({first + wire::unasked_of_list(count), first + count});
      first += count;
    }
  }
  if (std::ssize(loop.lists) != sharers ||
      (!request.lists.empty() && request.lists.size() != loop.lists.size()))
    throw base::Error(base::Errc::comm, "workers disagree on the lists of a loop");
  const auto at = [&](std::int32_t k) { return loop.lists.begin() + k; };
  const auto longest = [&](std::int32_t first, std::int32_t last) {
    return std::ranges::max_element(at(first), at(last), {}, &Range::length);
  };
  Range& mine = *at(request.mine);
  if (mine.length() > 0) {
    const std::int64_t count = wire::guided(mine.length(), 1);
    mine.first += count;
    return {mine.first - count, mine.first};
  }
  auto victim = request.near_first < request.near_last
                    ? longest(request.near_first, request.near_last)
                    : at(request.mine);
  if (victim->length() == 0) victim = longest(0, sharers);
  const std::int64_t count = (victim->length() + 1) / 2;
  victim->last -= count;
  const Range stolen{victim->last, victim->last + count};
  if (count == 0 && ++loop.finished == sharers) near_loops_.erase(found);
  return stolen;
}

}  // namespace blockyard::server
