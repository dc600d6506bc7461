// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/node/pieces.h"

#include <algorithm>
#include <iterator>

namespace blockyard::fabric::node {

std::optional<std::size_t> Pieces::allocate(std::size_t bytes) {
  bytes = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
  const auto room = std::find_if(free_.begin(), free_.end(),
                                 [bytes](const auto& part) { return part.second >= bytes; });
  if (room == free_.end()) return std::nullopt;
  const auto [offset, length] = *room;
  free_.erase(room);
  if (length > bytes) free_.emplace(offset + bytes, length - bytes);
  taken_.emplace(offset, bytes);
  return offset;
}

std::vector<Pieces::Pages> Pieces::claim(std::size_t offset) {
  std::vector<Pages> runs;
  const std::size_t first = offset / page_bytes;
  const std::size_t end = (offset + length_of(offset) + page_bytes - 1) / page_bytes;
  if (claimed_.size() < end) claimed_.resize(end);
  for (std::size_t page = first; page < end; ++page) {
    if (claimed_[page]) continue;
    claimed_[page] = true;
    if (!runs.empty() && runs.back().offset + runs.back().bytes == page * page_bytes)
      runs.back().bytes += page_bytes;
    else
      runs.push_back({page * page_bytes, page_bytes});
  }
  return runs;
}

std::optional<Pieces::Pages> Pieces::release(std::size_t offset) {
  const auto found = taken_.find(offset);
  std::size_t begin = offset, end = offset + found->second;
  const bool is_large = found->second >= least_given_back;
  taken_.erase(found);
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == end) {
    end += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      free_.erase(before);
    }
  }
  free_.emplace(begin, end - begin);
  if (!is_large) return std::nullopt;
  const std::size_t first = (begin + page_bytes - 1) / page_bytes;
  const std::size_t last = std::min(end / page_bytes, claimed_.size());
  if (first >= last) return std::nullopt;
  const Pages unused{first * page_bytes, (last - first) * page_bytes};
  set_claimed(unused, false);
  return unused;
}

void Pieces::set_claimed(const Pages& pages, bool are) {
  const auto first = claimed_.begin() + static_cast<std::ptrdiff_t>(pages.offset / page_bytes);
  std::fill(first, first + static_cast<std::ptrdiff_t>(pages.bytes / page_bytes), are);
}

}  // namespace blockyard::fabric::node
