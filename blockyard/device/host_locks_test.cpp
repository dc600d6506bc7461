// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host_locks.h"

#include <gtest/gtest.h>

#include <memory>

#include "blockyard/base/buffer.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::device {
namespace {

using Answer = HostLocks::Answer;
constexpr std::size_t bytes = 1024;  // 16 pages of 64
constexpr std::int64_t no_limit = std::int64_t{1} << 40;

/// A pool whose memory is locked, as a job has it.
class Host {
 public:
  explicit Host(const std::string& options, std::int64_t limit_bytes = no_limit)
      : device_(sim::table(), 0, options), locks_(device_, limit_bytes, [this] {
          ++trims;
          pool.free_kept();
        }) {
    pool.on_leave([this](const std::byte* memory) { locks_.unlock(memory); });
  }
  ~Host() { pool.on_leave(nullptr); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Answer lock(const base::Buffer& buffer) {
    return locks_.lock(buffer.data(), base::BufferPool::charge(buffer.size()));
  }
  HostLocks& locks() { return locks_; }

  base::BufferPool pool{1 << 20};
  int trims = 0;

 private:
  Device device_;
  HostLocks locks_;
};

TEST(HostLocks, memory_that_a_pool_uses_again_is_locked_once) {
  Host host("page=64");
  for (int round = 0; round < 5; ++round) {
    const base::Buffer buffer = host.pool.allocate(bytes);
    EXPECT_EQ(host.lock(buffer), round == 0 ? Answer::locked_now : Answer::was_locked);
  }
  host.pool.free_kept();
  const base::Buffer buffer = host.pool.allocate(bytes);
  EXPECT_EQ(host.lock(buffer), Answer::locked_now) << "it had gone back to the system";
  EXPECT_EQ(host.locks().peak_bytes(), static_cast<std::int64_t>(bytes));
}

TEST(HostLocks, small_memory_and_devices_without_pages_are_left_alone) {
  Host host("page=64");
  EXPECT_EQ(host.lock(host.pool.allocate(bytes / 2)), Answer::not_asked);
  Host without("page=0");
  EXPECT_EQ(without.lock(without.pool.allocate(bytes)), Answer::not_asked);
}

TEST(HostLocks, a_longer_user_of_the_same_memory_is_locked_whole) {
  Host host("page=64");
  const base::Buffer buffer = host.pool.allocate(2 * bytes);
  EXPECT_EQ(host.locks().lock(buffer.data(), bytes), Answer::locked_now);
  EXPECT_EQ(host.locks().lock(buffer.data(), 2 * bytes), Answer::locked_now);
  EXPECT_EQ(host.locks().lock(buffer.data(), bytes), Answer::was_locked);
}

TEST(HostLocks, at_the_limit_idle_memory_is_given_back_before_anything_is_refused) {
  for (const bool is_limit_of_system : {false, true}) {
    Host host(is_limit_of_system ? "page=64 host_locks=2048" : "page=64",
              is_limit_of_system ? no_limit : 2048);
    const base::Buffer first = host.pool.allocate(bytes);
    EXPECT_EQ(host.lock(first), Answer::locked_now);
    {
      const base::Buffer idle = host.pool.allocate(bytes);
      EXPECT_EQ(host.lock(idle), Answer::locked_now);
    }
    base::Buffer second = host.pool.allocate(2 * bytes);
    EXPECT_EQ(host.lock(second), Answer::refused);
    EXPECT_EQ(host.lock(second), Answer::refused);
    EXPECT_EQ(host.trims, 1) << "nothing was given back since";
    const base::Buffer third = host.pool.allocate(bytes);
    EXPECT_EQ(host.lock(third), Answer::locked_now) << "for less there is room";
    const base::Buffer fourth = host.pool.allocate(2 * bytes);
    EXPECT_EQ(host.lock(fourth), Answer::refused) << "until something is given back";
    EXPECT_EQ(host.trims, 1);
    EXPECT_EQ(host.lock(first), Answer::was_locked);
  }
}

TEST(HostLocks, a_device_that_fails_to_lock_is_gone_on_with) {
  Host host("page=64 lose_call=2");
  EXPECT_EQ(host.lock(host.pool.allocate(bytes)), Answer::refused);
}

TEST(HostLocks, locks_the_memory_that_a_piece_was_cut_from_once) {
  Device device(sim::table(), 0, "page=64");
  base::BufferPool pool(std::size_t{64} << 20);
  pool.cut_from_chunks();
  HostLocks locks(
      device, 1 << 20, [] {},
      [&](std::span<const std::byte> piece) { return pool.locked_with(piece); });
  const base::Buffer first = pool.allocate(2048);
  const base::Buffer second = pool.allocate(4096);
  EXPECT_EQ(locks.lock(first.data(), first.size()), HostLocks::Answer::locked_now);
  EXPECT_EQ(locks.lock(second.data(), second.size()), HostLocks::Answer::was_locked);
  EXPECT_EQ(locks.peak_bytes(), static_cast<std::int64_t>(pool.locked_with(first.bytes()).size()));
}

}  // namespace
}  // namespace blockyard::device
