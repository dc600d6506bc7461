// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/sheet.h"

namespace blockyard::ga {

Sheet::Place& Sheet::find(const char* name, void* at, const void* key) {
  const auto found = places_.find(key);
  if (found != places_.end()) return found->second;
  const std::lock_guard lock(mutex_);
  Place& made = places_[key];
  made.name = name;
  made.at = at;
  return made;
}

void Sheet::add_bytes(Place& place, int rank, std::size_t bytes) {
  const auto to = static_cast<std::size_t>(rank);
  if (place.bytes.size() <= to) {
    const std::lock_guard lock(mutex_);
    place.bytes.resize(to + 1);
  }
  place.bytes[to].add(bytes);
  std::size_t size = 0;
  for (std::size_t limit = 64; bytes > limit && size + 1 < place.sizes.size(); limit *= 16) ++size;
  place.sizes[size].add(1);
}

void Sheet::add_element(const Element& element) {
  constexpr std::size_t most = 4096;
  if (must_purge_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    std::erase_if(elements_, [](const auto& one) { return one.second.is_ended; });
    must_purge_.store(false, std::memory_order_relaxed);
  }
  if (const auto found = elements_.find(element); found != elements_.end()) {
    found->second.count.add(1);
  } else if (elements_.size() < most) {
    const std::lock_guard lock(mutex_);
    elements_[element].count.add(1);
  }
}

void Sheet::take(fabric::Region region, std::map<Element, std::uint64_t>& uses) {
  for (auto& [element, found] : elements_) {
    if (element.region != region || found.is_ended) continue;
    uses[element] += found.count.value();
    found.is_ended = true;
    must_purge_.store(true, std::memory_order_release);
  }
}

}  // namespace blockyard::ga
