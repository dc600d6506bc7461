// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/pool.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

namespace {

std::atomic<bool> has_no_threads = false;
std::atomic<bool> is_slow = false;

}  // namespace

/// That of the system, which std::thread calls, but for a while without threads.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) noexcept {
  if (has_no_threads) return EAGAIN;
  static const auto next =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  const int code = next(thread, attributes, work, argument);
  // Time for what the new thread must not do; nothing waits for it.
  if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return code;
}

namespace blockyard::device::host {
namespace {

TEST(Pool, a_thread_that_starts_late_has_no_part_in_earlier_rounds) {
  is_slow = true;
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::int64_t> first = 0, second = 0;
    const Pool::Body body = [&](std::int64_t begin, std::int64_t end) { first += end - begin; };
    Pool pool(2);
    has_no_threads = true;
    pool.share(10, body);
    has_no_threads = false;
    EXPECT_EQ(first, 10);
    pool.share(10, [&](std::int64_t begin, std::int64_t end) { second += end - begin; });
    EXPECT_EQ(first, 10) << "the first body was called again";
    EXPECT_EQ(second, 10);
  }
  is_slow = false;
}

}  // namespace
}  // namespace blockyard::device::host
