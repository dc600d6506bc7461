// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/locks.h"

#include <fmt/format.h>

#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/fabric/node/futex.h"

namespace blockyard::garray {

namespace {

using fabric::Memory;
using fabric::node::TicketLock;

constexpr std::size_t lock_bytes = 64;  // a cache line each
static_assert(sizeof(TicketLock) <= lock_bytes);

}  // namespace

Locks::Locks(Runtime& runtime, int count) : runtime_(runtime), count_(count) {
  if (count < 0) refuse(fmt::format("{} mutexes cannot be made", count));
  Memory& memory = runtime.memory();
  const auto mine = static_cast<std::size_t>((count + memory.size() - 1) / memory.size());
  const auto made = memory.allocate(Memory::everyone, mine * lock_bytes);
  if (made.region < 0)
    throw base::Error(base::Errc::no_memory, fmt::format(": no memory for {} mutexes", count));
  region_ = made.region;
  if (mine > 0) std::memset(memory.reach(region_, memory.rank()), 0, mine * lock_bytes);
  memory.barrier(Memory::everyone);
}

void Locks::release() {
  runtime_.memory().barrier(Memory::everyone);
  runtime_.memory().release(region_);
}

void* Locks::place_of(int number) const {
  if (number < 0 || number >= count_)
    refuse(fmt::format("mutex {} is not one of the {} that were made", number, count_));
  const int ranks = runtime_.memory().size();
  return runtime_.memory().reach(region_, number % ranks) +
         static_cast<std::size_t>(number / ranks) * lock_bytes;
}

void Locks::lock(int number) {
  auto& lock = *static_cast<TicketLock*>(place_of(number));
  const std::uint32_t ticket = lock.next.fetch_add(1);
  for (std::uint32_t seen; (seen = lock.serving.word.load()) != ticket;)
    static_cast<void>(fabric::node::wait_for_change(lock.serving, seen, {200}));
}

void Locks::unlock(int number) {
  auto& lock = *static_cast<TicketLock*>(place_of(number));
  if (lock.serving.word.load() == lock.next.load())
    refuse(fmt::format("mutex {} is not locked", number));
  runtime_.memory().fence(-1);
  lock.serving.word.fetch_add(1);
  lock.serving.wake_all();
}

}  // namespace blockyard::garray
