// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/node/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "blockyard/base/pause.h"

namespace blockyard::fabric::node {

namespace {

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  const timespec most{0, 100'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &most, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

constexpr std::uint32_t latch_spins = 100;

}  // namespace

void Signal::wake_all() noexcept {
  if (sleepers.load() > 0) wake(word, INT_MAX);
}

bool wait_for_change(Signal& signal, std::uint32_t seen, Patience patience) noexcept {
  for (std::uint32_t i = 0; i < patience.spins; ++i) {
    if (signal.word.load(std::memory_order_acquire) != seen) return true;
    base::pause_a_moment();
  }
  signal.sleepers.fetch_add(1);
  if (signal.word.load() == seen) sleep_on(signal.word, seen);
  signal.sleepers.fetch_sub(1);
  return signal.word.load() != seen;
}

void Latch::lock() noexcept {
  for (std::uint32_t i = 0; i < latch_spins; ++i) {
    std::uint32_t open = 0;
    if (state_.compare_exchange_weak(open, 1, std::memory_order_acquire)) return;
    base::pause_a_moment();
  }
  while (state_.exchange(2, std::memory_order_acquire) != 0) sleep_on(state_, 2);
}

void Latch::unlock() noexcept {
  if (state_.exchange(0, std::memory_order_release) == 2) wake(state_, 1);
}

}  // namespace blockyard::fabric::node
