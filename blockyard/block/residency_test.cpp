// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/residency.h"

#include <gtest/gtest.h>

#include <random>

#include "blockyard/base/error.h"
#include "blockyard/block/test_device_blocks.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::block {
namespace {

TEST(Residency, makes_no_copy_that_the_accesses_do_not_require) {
  for (const unsigned seed : {0U, 1U, 2U, 3U}) {
    constexpr std::size_t count = 8;
    Blocks blocks("seed=" + std::to_string(seed), 1 << 20, count);
    struct State {
      bool on_host = true;
      bool on_device = false;
    };
    std::array<State, count> states;
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    std::mt19937 random(seed + 10);
    for (int step = 0; step < 500; ++step) {
      const std::size_t to = random() % count;
      const std::size_t from = (to + 1 + random() % (count - 1)) % count;
      switch (random() % 5) {
        case 0:
          if (!states[to].on_host) ++out;
          states[to].on_host = true;
          blocks.look(to);
          break;
        case 1:
          states[to] = {true, false};
          blocks.overwrite(to, step);
          break;
        default: {
          const bool updates = random() % 2 == 0;
          if (!states[from].on_device) ++in;
          states[from].on_device = true;
          if (updates && !states[to].on_device) ++in;
          states[to] = {false, true};
          blocks.run(to, from, updates);
        }
      }
    }
    const ResidencyCounts counts = blocks.residency().counts();
    EXPECT_EQ(counts.copies_in, in);
    EXPECT_EQ(counts.copies_out, out);
    EXPECT_EQ(counts.bytes_in, in * bytes);
    EXPECT_EQ(counts.evictions, 0U);
    EXPECT_GT(counts.saved_copies, 0U);
    blocks.look_at_all();
  }
}

TEST(Residency, gives_right_values_however_small_the_device_is) {
  for (const std::int64_t budget : {0, 1000, 2000, 3000, 5000})
    for (const unsigned seed : {0U, 1U, 2U}) {
      Blocks blocks("seed=" + std::to_string(seed), budget, 8);
      std::mt19937 random(seed);
      for (int step = 0; step < 300; ++step) {
        const std::size_t to = random() % 8;
        const std::size_t from = (to + 1 + random() % 7) % 8;
        const auto what = random() % 8;
        if (what == 0) blocks.look(to);
        if (what == 1) blocks.overwrite(to, 1.0);
        if (what > 1) blocks.run(to, from, what % 2 == 0);
      }
      blocks.look_at_all();
      const ResidencyCounts counts = blocks.residency().counts();
      EXPECT_LE(counts.peak_bytes, static_cast<std::uint64_t>(budget));
      const bool fits = budget >= 2000;  // two blocks
      EXPECT_EQ(counts.runs > 0, fits);
      EXPECT_EQ(counts.written_back > 0, fits);
      EXPECT_EQ(counts.fallbacks > 0, !fits);
    }
}

TEST(Residency, a_device_with_less_memory_than_told_is_used_as_far_as_it_goes) {
  Blocks blocks("memory=2500", 1 << 30, 6);
  for (std::size_t k = 0; k + 1 < 6; ++k) blocks.run(k + 1, k, true);
  EXPECT_EQ(blocks.residency().counts().runs, 5U);
  EXPECT_GT(blocks.residency().counts().evictions, 0U);
  blocks.look_at_all();
}

TEST(Residency, a_kept_frame_goes_when_nobody_else_holds_it) {
  Blocks blocks("", 1 << 20, 2);
  base::BufferPool pool(1 << 20);
  auto held = std::make_shared<base::Buffer>(pool.allocate(bytes));
  std::fill_n(held->as<double>(), elements, 1.0);
  const auto read = [&] {
    ASSERT_TRUE(blocks.residency().operand(held, Use::read, true));
    blocks.residency().enqueue([](device::Stream&) {});
    blocks.residency().end_run(true);
  };
  read();
  blocks.residency().sweep();
  EXPECT_TRUE(blocks.residency().is_resident(*held));
  const base::Buffer& frame = *held;
  const std::byte* data = frame.data();
  // Copies under way hold the frame too.
  for (int k = 0; k < 200; ++k) blocks.run(0, 1, false), blocks.overwrite(1, k);
  held.reset();
  blocks.residency().sweep();
  const auto other = std::make_shared<base::Buffer>(pool.allocate(bytes));
  EXPECT_EQ(other->data(), data);
  EXPECT_FALSE(blocks.residency().is_resident(*other));
}

TEST(Residency, the_copy_goes_over_to_a_new_frame) {
  Blocks blocks("", 1 << 20, 3);
  blocks.run(1, 0, true);
  base::BufferPool pool(1 << 20);
  const auto fresh = std::make_shared<base::Buffer>(pool.allocate(bytes));
  ASSERT_TRUE(blocks.residency().move(*blocks.frame(1), *fresh));
  EXPECT_FALSE(blocks.residency().move(*blocks.frame(2), *fresh));
  blocks.residency().host_reads(*fresh);
  EXPECT_EQ(fresh->as<double>()[0], 2.5);
  EXPECT_EQ(blocks.residency().counts().copies_in, 2U);
  blocks.residency().forget(*fresh);
}

/// What became of a program on a device of which something fails.
enum class End { well, on_the_host, error };

End run_with_failure(const std::string& options) {
  try {
    Blocks blocks(options, 4000, 6);
    std::mt19937 random(5);
    for (int step = 0; step < 40; ++step) {
      const std::size_t to = random() % 6;
      if (step % 5 == 0) blocks.look(to);
      if (step % 7 == 0) blocks.overwrite(to, step);
      blocks.run(to, (to + 1 + random() % 5) % 6, step % 3 != 0);
    }
    blocks.look_at_all();
    return blocks.residency().is_retired() ? End::on_the_host : End::well;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::device) << error.what();
    return End::error;
  }
}

TEST(Residency, a_failure_at_any_call_never_gives_a_wrong_number) {
  for (const std::string failure : {"fail_call", "lose_call", "fail_after"}) {
    std::array<int, 3> ends{};
    int at = 1;
    for (End end = End::error; end != End::well && at < 5000; ++at) {
      // A few calls may fail unnoticed: those that end things.
      end = run_with_failure("seed=1 " + failure + "=" + std::to_string(at));
      ++ends[static_cast<std::size_t>(end)];
      if (failure == "fail_call" && at < 900) end = End::error;
    }
    EXPECT_LT(at, 5000) << failure;
    if (failure == "fail_call") {
      EXPECT_GT(ends[1], 10 * ends[2]) << "most calls that fail once do not end the run";
    }
    RecordProperty(failure + "_on_the_host", ends[1]);
    RecordProperty(failure + "_error", ends[2]);
  }
}

TEST(Residency, what_is_brought_ahead_is_there_when_a_run_reads_it) {
  Blocks blocks("", 1 << 20, 2);
  base::BufferPool pool(1 << 20);
  std::vector<SharedFrame> coming;
  for (int k = 0; k < 3; ++k) {
    auto frame = std::make_shared<base::Buffer>(pool.allocate(bytes));
    std::fill_n(frame->as<double>(), elements, 8.0);
    coming.push_back(frame);
  }
  Residency& residency = blocks.residency();
  for (const SharedFrame& frame : coming) residency.bring_ahead(frame);
  residency.bring_ahead(coming[0]);
  EXPECT_EQ(residency.counts().ahead_copies, 3U);
  EXPECT_EQ(residency.counts().copies_in, 3U);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(residency.operand(coming[0], Use::read, true));
    residency.enqueue([](device::Stream&) {});
    residency.end_run(true);
    EXPECT_EQ(residency.counts().saved_copies, static_cast<std::uint64_t>(round));
  }
  EXPECT_EQ(residency.counts().copies_in, 3U);
  coming.clear();
  for (int k = 0; k < 200; ++k) blocks.run(0, 1, false), blocks.overwrite(1, k);
  residency.sweep();
  EXPECT_EQ(residency.counts().ahead_unused, 2U);
}

TEST(Residency, what_is_brought_ahead_takes_no_room_from_what_is_in_use) {
  constexpr std::int64_t budget = 4 * static_cast<std::int64_t>(base::BufferPool::page_from);
  base::BufferPool pool(1 << 22);
  device::Device device(device::sim::table(), 0);
  const auto make = [&](std::size_t size) {
    return std::make_shared<base::Buffer>(pool.allocate(size));
  };
  constexpr std::size_t quarter = base::BufferPool::page_from;
  const auto opened = Residency::open(device, {budget});
  Residency& residency = *opened;
  const auto pinned = make(quarter);
  const auto modified = make(2 * quarter);
  const auto idle = make(quarter);
  ASSERT_TRUE(residency.operand(idle, Use::read));
  ASSERT_TRUE(residency.operand(modified, Use::write));
  residency.enqueue([](device::Stream&) {});
  residency.end_run(true);
  ASSERT_TRUE(residency.operand(pinned, Use::read));
  const auto ahead = make(quarter);
  residency.bring_ahead(ahead);
  EXPECT_TRUE(residency.is_resident(*ahead)) << "the idle copy went for it";
  EXPECT_FALSE(residency.is_resident(*idle));
  const auto more = make(quarter / 2);
  residency.bring_ahead(more);
  EXPECT_FALSE(residency.is_resident(*more));
  EXPECT_TRUE(residency.is_resident(*pinned));
  EXPECT_TRUE(residency.is_modified(*modified));
  residency.end_run(false);
  for (const auto& frame : {pinned, modified, idle}) residency.forget(*frame);
}

TEST(Residency, notes_what_its_lanes_do) {
  base::TraceLine trace(1000);
  base::BufferPool pool(1 << 20);
  device::Device device(device::sim::table(), 0, "seed=1");
  {
    const auto opened = Residency::open(device, {.budget_bytes = 1 << 20, .trace = &trace});
    Residency& residency = *opened;
    residency.note_program(3);
    const auto frame = std::make_shared<base::Buffer>(pool.allocate(bytes));
    for (int k = 0; k < 100; ++k) {
      residency.note_place(k);
      ASSERT_TRUE(residency.operand(frame, Use::update));
      residency.enqueue([](device::Stream&) {});
      residency.end_run(true);
    }
    residency.host_reads(*frame);
    residency.forget(*frame);
  }
  std::array<int, 1 + Lanes::count> events{};
  std::array<double, 1 + Lanes::count> ends{};
  for (const base::TraceEvent& event : trace.take()) {
    ++events[event.lane];
    EXPECT_EQ(event.program, 3);
    EXPECT_GE(event.seconds, 0);
    EXPECT_GE(event.begin_seconds, ends[event.lane] - 1e-6) << "one after the other in a lane";
    ends[event.lane] = event.begin_seconds + static_cast<double>(event.seconds);
  }
  EXPECT_EQ(events, (std::array{0, 1, 1, 50, 50}));
}

TEST(Residency, locks_the_memory_that_copies_touch_and_no_other) {
  base::BufferPool pool(1 << 20);
  device::Device device(device::sim::table(), 0, "page=16");
  device::HostLocks locks(device, 1 << 20, [] {});
  pool.on_leave([&](const std::byte* memory) { locks.unlock(memory); });
  {
    const auto opened = Residency::open(device, {1 << 20, true, &locks});
    Residency& residency = *opened;
    const auto copied = std::make_shared<base::Buffer>(pool.allocate(bytes));
    const auto written = std::make_shared<base::Buffer>(pool.allocate(bytes));
    for (int round = 0; round < 10; ++round) {
      ASSERT_TRUE(residency.operand(copied, Use::read));
      ASSERT_TRUE(residency.operand(written, Use::write));
      residency.enqueue([](device::Stream&) {});
      residency.end_run(true);
      residency.forget(*copied);
      if (round > 0) {
        residency.forget(*written);
        continue;
      }
      EXPECT_EQ(residency.counts().locked_bytes, base::BufferPool::charge(bytes));
      residency.host_reads(*written);
    }
    EXPECT_EQ(residency.counts().lock_requests, 11U);
    EXPECT_EQ(residency.counts().lock_hits, 9U);
    EXPECT_EQ(residency.counts().locked_bytes, 2 * base::BufferPool::charge(bytes));
    residency.forget(*written);
  }
  pool.free_kept();
  pool.on_leave(nullptr);
}

TEST(Residency, gives_right_values_with_fewer_streams_and_without_kept_memory) {
  for (const int streams : {1, 2, 3, 4})
    for (const bool keeps_memory : {false, true})
      for (const unsigned seed : {0U, 1U}) {
        Blocks blocks("seed=" + std::to_string(seed), 4000, 8, true, 0, streams, keeps_memory);
        std::mt19937 random(seed);
        for (int step = 0; step < 100; ++step) {
          const std::size_t to = random() % 8;
          const std::size_t from = (to + 1 + random() % 7) % 8;
          if (step % 7 == 0) blocks.look(to);
          blocks.run(to, from, step % 2 == 0);
        }
        blocks.look_at_all();
        const ResidencyCounts counts = blocks.residency().counts();
        EXPECT_GT(counts.runs, 0U);
        EXPECT_EQ(counts.pool_hits > 0, keeps_memory);
      }
}

TEST(Residency, without_intents_more_is_copied) {
  std::array<std::uint64_t, 2> copied{};
  for (const bool honours_use : {true, false}) {
    Blocks blocks("", 1 << 20, 4, honours_use);
    for (int round = 0; round < 10; ++round) {
      blocks.run(3, 0, false);
      blocks.run(3, 1, true);
      blocks.look_at_all();
      blocks.overwrite(1, round);
    }
    const ResidencyCounts counts = blocks.residency().counts();
    copied[honours_use ? 1 : 0] = counts.copies_in + counts.copies_out;
  }
  EXPECT_LT(copied[1], copied[0]);
}

}  // namespace
}  // namespace blockyard::block
