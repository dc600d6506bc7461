// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "blockyard/fabric/node/node_memory.h"

namespace blockyard::fabric::node {

namespace {

/// Calls visit(beginning, bytes) for the parts of far .. far + bytes that one stripe guards each.
template <class Visit>
void for_each_striped(std::size_t place, std::size_t bytes, const Visit& visit) {
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t room = Control::stripe_bytes - (place + at) % Control::stripe_bytes;
    const std::size_t length = std::min(room, bytes - at);
    visit(at, length);
    at += length;
  }
}

/// Holds the stripe of the last place asked for: rows that lie together take one lock.
class StripeHolder {
 public:
  explicit StripeHolder(Control& control) : control_(control) {}
  StripeHolder(const StripeHolder&) = delete;
  StripeHolder& operator=(const StripeHolder&) = delete;
  ~StripeHolder() {
    if (held_ != nullptr) held_->unlock();
  }
  void hold(std::size_t place) noexcept {
    Latch& latch = control_.stripes[place / Control::stripe_bytes % Control::stripe_count].latch;
    if (&latch == held_) return;
    if (held_ != nullptr) held_->unlock();
    held_ = &latch;
    latch.lock();
  }

 private:
  Control& control_;
  Latch* held_ = nullptr;
};

template <class Copy>
void for_each_value(std::span<const std::int64_t> offsets, std::size_t bytes, const Copy& copy) {
  const auto all = [&](const auto& length) {
    for (std::size_t i = 0; i < offsets.size(); ++i) copy(offsets[i], i * bytes, length);
  };
  switch (bytes) {
    case 4:
      return all(std::integral_constant<std::size_t, 4>{});
    case 8:
      return all(std::integral_constant<std::size_t, 8>{});
    default:
      return all(bytes);
  }
}

}  // namespace

Transfer NodeMemory::get(Region region, int member, std::size_t offset, const Strided& rows,
                         void* near) {
  copy_to_near(rows, reach(region, member) + offset, static_cast<std::byte*>(near));
  return 0;
}

Transfer NodeMemory::put(Region region, int member, std::size_t offset, const Strided& rows,
                         const void* near) {
  copy_to_far(rows, reach(region, member) + offset, static_cast<const std::byte*>(near));
  return 0;
}

void NodeMemory::add_rows(int target, std::byte* far, const Strided& rows, const std::byte* near,
                          Element element, const void* factor) const {
  const std::byte* arena = arenas_[static_cast<std::size_t>(target)];
  StripeHolder holder(control(target));
  const std::size_t width = size_of(element);
  for_each_row(rows, far, near, [&](std::byte* to, const std::byte* from) {
    const auto place = static_cast<std::size_t>(to - arena);
    for_each_striped(place, rows.row_bytes, [&](std::size_t at, std::size_t bytes) {
      holder.hold(place + at);
      add_scaled(element, to + at, from + at, bytes / width, factor);
    });
  });
}

Transfer NodeMemory::accumulate(Region region, int member, std::size_t offset, const Strided& rows,
                                const void* near, Element element, const void* factor) {
  const int target = shared(region).ranks[static_cast<std::size_t>(member)];
  std::byte* far = reach(region, member) + offset;
  const auto place = static_cast<std::size_t>(far - arenas_[static_cast<std::size_t>(target)]);
  if (rows.levels == 0 && place % Control::stripe_bytes + rows.row_bytes <= Control::stripe_bytes) {
    StripeHolder holder(control(target));
    holder.hold(place);
    add_scaled(element, far, near, rows.row_bytes / size_of(element), factor);
    return 0;
  }
  add_rows(target, far, rows, static_cast<const std::byte*>(near), element, factor);
  return 0;
}

void NodeMemory::gather(Region region, int member, std::span<const std::int64_t> offsets,
                        std::size_t bytes, void* near) {
  const std::byte* far = reach(region, member);
  auto* to = static_cast<std::byte*>(near);
  for_each_value(offsets, bytes, [&](std::int64_t from, std::size_t at, auto length) {
    std::memcpy(to + at, far + from, length);
  });
}

void NodeMemory::scatter(Region region, int member, std::span<const std::int64_t> offsets,
                         std::size_t bytes, const void* near) {
  std::byte* far = reach(region, member);
  const auto* from = static_cast<const std::byte*>(near);
  for_each_value(offsets, bytes, [&](std::int64_t to, std::size_t at, auto length) {
    std::memcpy(far + to, from + at, length);
  });
}

void NodeMemory::scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                             const void* near, Element element, const void* factor) {
  const int target = shared(region).ranks[static_cast<std::size_t>(member)];
  std::byte* far = reach(region, member);
  const auto base = static_cast<std::size_t>(far - arenas_[static_cast<std::size_t>(target)]);
  const auto* from = static_cast<const std::byte*>(near);
  const std::size_t width = size_of(element);
  StripeHolder holder(control(target));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    holder.hold(base + static_cast<std::size_t>(offsets[i]));
    add_scaled(element, far + offsets[i], from + i * width, 1, factor);
  }
}

std::int64_t NodeMemory::fetch_and_add(Region region, int member, std::size_t offset,
                                       Element element, std::int64_t increment) {
  std::byte* far = reach(region, member) + offset;
  if (element == Element::i32)
    return std::atomic_ref(*reinterpret_cast<std::int32_t*>(far))
        .fetch_add(static_cast<std::int32_t>(increment));
  return std::atomic_ref(*reinterpret_cast<std::int64_t*>(far)).fetch_add(increment);
}

static_assert(sizeof(TicketLock) <= Memory::mutex_bytes);

void NodeMemory::lock(Region region, int member, std::size_t offset) {
  auto& mutex = *reinterpret_cast<TicketLock*>(reach(region, member) + offset);
  const std::uint32_t number = mutex.next.fetch_add(1);
  for (std::uint32_t seen; (seen = mutex.serving.word.load()) != number;)
    wait_a_bit(mutex.serving, seen);
}

bool NodeMemory::unlock(Region region, int member, std::size_t offset) {
  auto& mutex = *reinterpret_cast<TicketLock*>(reach(region, member) + offset);
  if (mutex.serving.word.load() == mutex.next.load()) return false;
  mutex.serving.word.fetch_add(1);
  mutex.serving.wake_all();
  return true;
}

void NodeMemory::fence(int /*rank*/) { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace blockyard::fabric::node
