// SPDX-License-Identifier: Apache-2.0
// The tests of InPlaceResidency, on a simulated device that works as late as it can or when
// it likes: touching a frame too early gives wrong numbers.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "blockyard/block/test_device_blocks.h"

namespace blockyard::block {
namespace {

constexpr const char* lazy = "in_place=1 seed=0";

std::string with_seed(unsigned seed) { return "in_place=1 seed=" + std::to_string(seed); }

void expect_no_copies(const ResidencyCounts& counts) {
  EXPECT_EQ(counts.copies_in + counts.copies_out + counts.peer_copies, 0U);
  EXPECT_EQ(counts.evictions + counts.fallbacks + counts.written_back, 0U);
  EXPECT_EQ(counts.peak_bytes, 0U);
}

TEST(ResidencyInPlace, nothing_is_copied_however_small_the_device_is) {
  for (const std::int64_t budget : {0, 1000, 3000, 1 << 20})
    for (const unsigned seed : {0U, 1U, 2U, 3U}) {
      Blocks blocks(with_seed(seed), budget, 8);
      ASSERT_TRUE(blocks.residency().is_in_place());
      std::mt19937 random(seed);
      std::uint64_t runs = 0;
      for (int step = 0; step < 500; ++step) {
        const std::size_t to = random() % 8;
        const std::size_t from = (to + 1 + random() % 7) % 8;
        const auto what = random() % 8;
        if (what == 0) blocks.look(to);
        if (what == 1) blocks.overwrite(to, step);
        if (what > 1) blocks.run(to, from, what % 2 == 0), ++runs;
      }
      blocks.look_at_all();
      const ResidencyCounts counts = blocks.residency().counts();
      expect_no_copies(counts);
      EXPECT_EQ(counts.runs, runs);
      EXPECT_EQ(counts.saved_copies, 2 * runs);
      EXPECT_EQ(counts.saved_bytes, 2 * runs * bytes);
    }
}

TEST(ResidencyInPlace, the_device_gets_the_frame_itself) {
  Blocks blocks(lazy, 1 << 20, 1);
  const auto address = blocks.residency().operand(blocks.frame(0), Use::read);
  EXPECT_EQ(address, reinterpret_cast<device::Address>(blocks.frame(0)->data()));
  blocks.residency().end_run(false);
}

TEST(ResidencyInPlace, who_writes_what_the_device_still_reads_gets_another_frame) {
  Blocks blocks(lazy, 1 << 20, 2);
  const std::byte* const before = blocks.frame(0)->data();
  blocks.run(1, 0, true);
  EXPECT_TRUE(base::is_sole_holder(blocks.frame(0))) << "the next run may write there";
  blocks.overwrite(0, 100.0);
  EXPECT_NE(blocks.frame(0)->data(), before);
  blocks.look_at_all();
  blocks.overwrite(1, 200.0);
  blocks.overwrite(0, 300.0);
  blocks.look_at_all();
  expect_no_copies(blocks.residency().counts());
}

TEST(ResidencyInPlace, who_writes_what_the_device_is_done_with_keeps_the_frame) {
  Blocks blocks(lazy, 1 << 20, 2);
  const std::byte* const before = blocks.frame(0)->data();
  blocks.run(1, 0, true);
  blocks.residency().finish_runs();
  blocks.overwrite(0, 100.0);
  EXPECT_EQ(blocks.frame(0)->data(), before);
  blocks.look_at_all();
}

TEST(ResidencyInPlace, a_frame_that_goes_is_held_until_the_device_is_done_with_it) {
  for (const bool keeps : {false, true})
    for (const bool releases : {false, true}) {
      Blocks blocks(lazy, 1 << 20, 1);
      Residency& residency = blocks.residency();
      auto frame = std::make_shared<base::Buffer>(blocks.pool().allocate(bytes));
      const std::weak_ptr<base::Buffer> seen = frame;
      const auto address = residency.operand(frame, Use::write, keeps);
      ASSERT_TRUE(address);
      residency.enqueue(
          [&](device::Stream& stream) { stream.fill(*address, BLOCKYARD_F64, 3.0, elements); });
      residency.end_run(true);
      if (releases && keeps)
        residency.release(frame);
      else
        residency.forget(*frame);
      frame.reset();
      ASSERT_FALSE(seen.expired());
      residency.finish_runs();
      EXPECT_EQ(seen.lock()->as<double>()[0], 3.0);
      residency.sweep();
      EXPECT_TRUE(seen.expired());
    }
}

TEST(ResidencyInPlace, of_frames_that_went_no_more_are_held_than_the_budget_says) {
  constexpr std::int64_t budget = 10 * bytes;
  Blocks blocks(lazy, budget, 1);
  Residency& residency = blocks.residency();
  const std::size_t before = blocks.pool().live_bytes();
  for (int k = 0; k < 50; ++k) {
    const auto frame = std::make_shared<base::Buffer>(blocks.pool().allocate(bytes));
    ASSERT_TRUE(residency.operand(frame, Use::write));
    residency.enqueue([](device::Stream&) {});
    residency.end_run(true);
    residency.forget(*frame);
    EXPECT_LE(blocks.pool().live_bytes() - before, budget + 2 * base::BufferPool::charge(bytes));
  }
}

TEST(ResidencyInPlace, a_frame_that_others_hold_does_not_become_another) {
  Blocks blocks(lazy, 1 << 20, 2);
  blocks.run(1, 0, true);
  const auto fresh = std::make_shared<base::Buffer>(blocks.pool().allocate(bytes));
  EXPECT_FALSE(blocks.residency().move(*blocks.frame(1), *fresh));
  blocks.look(1);
}

TEST(ResidencyInPlace, what_is_sent_is_the_frame_once_it_is_written) {
  for (const unsigned seed : {0U, 1U, 2U}) {
    Blocks blocks(with_seed(seed), 1 << 20, 3, true, 64);
    Residency& residency = blocks.residency();
    EXPECT_FALSE(residency.send(blocks.frame(0))) << "the host has it";
    blocks.run(1, 0, false);
    const auto sent = residency.send(blocks.frame(1), seed == 1);
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->place(), nullptr);
    blocks.run(2, 1, true);
    blocks.overwrite(1, 9.0);
    EXPECT_NE(blocks.frame(1), sent->frame());
    while (!sent->is_whole()) residency.look_after();
    EXPECT_EQ(sent->frame()->as<double>()[elements - 1], 0.5);
    sent->end_sending();
    residency.look_after();
    EXPECT_FALSE(residency.is_sending());
    blocks.look_at_all();
    const ResidencyCounts counts = residency.counts();
    expect_no_copies(counts);
    EXPECT_EQ(counts.direct_blocks, 1U);
    EXPECT_EQ(counts.direct_bytes, bytes);
  }
}

/// What became of a program on a device of which something fails.
enum class End { well, on_the_host, error };

End run_with_failure(const std::string& options, bool sends) {
  try {
    Blocks blocks("in_place=1 " + options, 4000, 6);
    std::mt19937 random(5);
    for (int step = 0; step < 40; ++step) {
      const std::size_t to = random() % 6;
      if (step % 5 == 0) blocks.look(to);
      if (step % 7 == 0) blocks.overwrite(to, step);
      if (sends && step % 4 == 0)
        if (const auto sent = blocks.residency().send(blocks.frame(to))) {
          while (!sent->is_whole()) blocks.residency().look_after();
          sent->end_sending();
          blocks.look(to);
        }
      blocks.run(to, (to + 1 + random() % 5) % 6, step % 3 != 0);
    }
    try {  // Leftover work must not be seen any more.
      if (blocks.residency().counts().runs > 0) blocks.residency().finish_runs();
    } catch (const base::Error&) {
    }
    blocks.look_at_all();
    return blocks.residency().is_retired() ? End::on_the_host : End::well;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::device) << error.what();
    return End::error;
  }
}

TEST(ResidencyInPlace, a_failure_at_any_call_never_gives_a_wrong_number) {
  for (const bool sends : {false, true})
    for (const std::string failure : {"fail_call", "lose_call", "fail_after"}) {
      std::array<int, 3> ends{};
      const int last = failure == "fail_after" ? 45 : 900;
      for (int at = 1; at < last; ++at)
        ++ends[static_cast<std::size_t>(run_with_failure(
            (sends ? "seed=1 " : "seed=0 ") + failure + "=" + std::to_string(at), sends))];
      EXPECT_GT(ends[0], 0) << failure << " is tried to the end of the program";
      EXPECT_GT(ends[1] + ends[2], 30) << failure;
      if (failure == "fail_call") {
        EXPECT_GT(ends[1], ends[2]) << "most calls that fail once do not end the run";
      }
    }
}

}  // namespace
}  // namespace blockyard::block
