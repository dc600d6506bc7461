// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/locks.h"

#include <fmt/format.h>

#include <cstring>

#include "blockyard/base/error.h"

namespace blockyard::garray {

namespace {

using fabric::Memory;

constexpr std::size_t lock_bytes = Memory::mutex_bytes;

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

Locks::Place Locks::place_of(int number) const {
  if (number < 0 || number >= count_)
    refuse(fmt::format("mutex {} is not one of the {} that were made", number, count_));
  const int ranks = runtime_.memory().size();
  return {number % ranks, static_cast<std::size_t>(number / ranks) * lock_bytes};
}

void Locks::lock(int number) {
  const Place place = place_of(number);
  runtime_.memory().lock(region_, place.rank, place.offset);
}

void Locks::unlock(int number) {
  const Place place = place_of(number);
  runtime_.memory().fence(-1);
  if (!runtime_.memory().unlock(region_, place.rank, place.offset))
    refuse(fmt::format("mutex {} is not locked", number));
}

}  // namespace blockyard::garray
