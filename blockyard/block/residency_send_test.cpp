// SPDX-License-Identifier: Apache-2.0
// The tests of sends by a Residency, and of piece_length.h.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "blockyard/block/piece_length.h"
#include "blockyard/block/test_device_blocks.h"

namespace blockyard::block {
namespace {

void expect_values(const base::Buffer& frame, std::size_t ready, double value) {
  for (std::size_t n = 0; n < ready / sizeof(double); ++n) ASSERT_EQ(frame.as<double>()[n], value);
}

constexpr std::size_t short_piece = 64;

TEST(Residency, what_is_sent_comes_in_pieces_while_the_worker_goes_on) {
  for (const unsigned seed : {0U, 1U, 2U, 3U}) {
    Blocks blocks("seed=" + std::to_string(seed), 1 << 20, 4, true, short_piece);
    Residency& residency = blocks.residency();
    EXPECT_FALSE(residency.send(blocks.frame(0))) << "the host has it";
    blocks.run(1, 0, false);
    const auto pieces = residency.send(blocks.frame(1));
    ASSERT_TRUE(pieces);
    const auto again = residency.send(blocks.frame(1));
    EXPECT_TRUE(again == pieces || pieces->is_whole());
    EXPECT_EQ(pieces->piece_bytes(), short_piece);
    blocks.run(2, 1, false);
    if (seed % 2 == 1) residency.forget(*blocks.frame(1));  // its scope ends
    std::size_t before = 0;
    while (!pieces->is_whole()) {
      const std::size_t ready = pieces->ready();
      EXPECT_GE(ready, before);
      EXPECT_TRUE(ready % short_piece == 0 || ready == bytes);
      expect_values(*pieces->frame(), ready, 0.5);
      before = ready;
    }
    expect_values(*pieces->frame(), bytes, 0.5);
    residency.look_after();
    EXPECT_FALSE(residency.is_sending());
    EXPECT_FALSE(residency.send(blocks.frame(1)));
    blocks.look_at_all();
    const ResidencyCounts counts = residency.counts();
    EXPECT_EQ(counts.sent_blocks, 1U);
    EXPECT_EQ(counts.sent_pieces, (bytes + short_piece - 1) / short_piece);
    EXPECT_EQ(counts.sent_bytes, bytes);
    EXPECT_EQ(counts.copies_out, 2U);
  }
}

TEST(Residency, who_looks_at_what_is_sent_waits_for_it) {
  for (const unsigned seed : {0U, 1U, 2U}) {
    Blocks blocks("seed=" + std::to_string(seed), 1 << 20, 4, true, short_piece);
    blocks.run(1, 0, false);
    ASSERT_TRUE(blocks.residency().send(blocks.frame(1)));
    if (seed > 0) blocks.residency().forget(*blocks.frame(1));
    blocks.look(1);
    EXPECT_EQ(blocks.residency().counts().copies_out, 1U);
  }
}

TEST(Residency, a_full_device_waits_for_what_is_sent) {
  Blocks blocks("seed=1", 2 * static_cast<std::int64_t>(base::BufferPool::charge(bytes)), 6, true,
                short_piece);
  for (int round = 0; round < 20; ++round)
    for (std::size_t k = 1; k < 6; ++k) {
      blocks.overwrite(k, 1);
      blocks.run(k, 0, false);
      const auto pieces = blocks.residency().send(blocks.frame(k));
      ASSERT_TRUE(pieces);
      blocks.residency().forget(*blocks.frame(k));
    }
  EXPECT_EQ(blocks.residency().counts().fallbacks, 0U);
  blocks.look_at_all();
}

TEST(Residency, a_device_that_fails_while_it_sends_never_gives_a_wrong_number) {
  int whole = 0;
  int lost = 0;
  for (const std::string option : {"fail_call", "lose_call", "fail_after"})
    for (int at = 1; at < 700; at += at < 300 ? 50 : 1) try {
        Blocks blocks(
            "seed=3 " + option + "=" + std::to_string(option == "fail_after" ? at / 25 : at),
            1 << 20, 4, true, short_piece);
        blocks.run(1, 0, false);
        const auto pieces = blocks.residency().send(blocks.frame(1));
        const Frame frame = blocks.frame(1);
        if (at % 2 == 1) blocks.residency().forget(*frame);
        while (pieces && !pieces->is_whole()) {
          expect_values(*frame, pieces->ready(), 0.5);
          blocks.residency().look_after();
        }
        expect_values(*frame, bytes, 0.5);
        ++whole;
      } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::Errc::device);
        ++lost;
      }
  EXPECT_GT(whole, 10);
  EXPECT_GT(lost, 10);
}

/// What the network finds on the device.
void expect_values_at(const std::byte* place, double value) {
  for (std::size_t n = 0; n < bytes / sizeof(double); ++n) {
    double read = 0;
    std::memcpy(&read, place + n * sizeof read, sizeof read);
    ASSERT_EQ(read, value);
  }
}

TEST(Residency, what_the_network_reads_stays_on_the_device_until_it_has) {
  for (const unsigned seed : {0U, 1U, 2U, 3U}) {
    Blocks blocks("network=1 seed=" + std::to_string(seed), 1 << 20, 6);
    Residency& residency = blocks.residency();
    blocks.run(1, 0, false);
    const auto sent = residency.send(blocks.frame(1), true);
    ASSERT_TRUE(sent);
    ASSERT_NE(sent->place(), nullptr);
    EXPECT_EQ(sent->piece_bytes(), bytes);
    EXPECT_EQ(residency.send(blocks.frame(1), true), sent);
    sent->end_sending();
    const auto fresh = std::make_shared<base::Buffer>(blocks.pool().allocate(bytes));
    EXPECT_FALSE(residency.move(*blocks.frame(1), *fresh)) << "it is read";
    if (seed % 2 == 1) residency.forget(*blocks.frame(1));  // its scope ends
    while (!sent->is_whole()) residency.look_after();
    for (int round = 0; round < 5; ++round)  // others want memory
      for (std::size_t k = 2; k < 6; ++k) {
        blocks.run(k, 0, false);
        residency.forget(*blocks.frame(k));
        residency.look_after();
        EXPECT_TRUE(residency.is_sending());
        expect_values_at(sent->place(), 0.5);
      }
    EXPECT_EQ(residency.counts().copies_out, 0U);
    sent->end_sending();
    residency.look_after();
    EXPECT_FALSE(residency.is_sending());
    if (seed % 2 == 0) blocks.look(1);
    EXPECT_EQ(residency.counts().direct_blocks, 1U);
    EXPECT_EQ(residency.counts().direct_bytes, bytes);
    EXPECT_EQ(residency.counts().sent_blocks, 0U);
  }
}

TEST(Residency, one_send_at_a_time_has_the_memory_of_a_copy) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Blocks blocks("network=1 seed=" + std::to_string(seed), 1 << 20, 6, true, short_piece);
    Residency& residency = blocks.residency();
    blocks.run(1, 0, false);
    const auto first = residency.send(blocks.frame(1), false);
    ASSERT_TRUE(first);
    const auto fresh = std::make_shared<base::Buffer>(blocks.pool().allocate(bytes));
    ASSERT_TRUE(residency.move(*blocks.frame(1), *fresh));
    blocks.frame(1) = fresh;
    blocks.run(1, 0, true);
    const auto second = residency.send(blocks.frame(1), true);
    ASSERT_TRUE(second);
    ASSERT_NE(second->place(), nullptr);
    residency.forget(*blocks.frame(1));  // their scope ends
    while (!second->is_whole()) residency.look_after();
    while (!first->is_whole()) residency.look_after();
    residency.look_after();
    for (std::size_t k = 2; k < 6; ++k) blocks.run(k, 0, false);  // others want memory
    for (std::size_t k = 2; k < 6; ++k) blocks.look(k);
    expect_values_at(second->place(), 1.0);
    expect_values(*first->frame(), bytes, 0.5);
    first->end_sending();
    second->end_sending();
  }
}

TEST(Residency, who_cannot_read_a_device_gets_what_another_reads_there_from_the_host) {
  Blocks blocks("network=1", 1 << 20, 4);
  blocks.run(1, 0, false);
  const auto sent = blocks.residency().send(blocks.frame(1), true);
  ASSERT_TRUE(sent);
  EXPECT_FALSE(blocks.residency().send(blocks.frame(1), false));
  expect_values(*blocks.frame(1), bytes, 0.5);
  sent->end_sending();
}

TEST(Residency, what_the_network_cannot_read_goes_to_the_host_in_pieces) {
  Blocks blocks("", 1 << 20, 4, true, short_piece);
  for (std::size_t k = 1; k < 4; ++k) {
    blocks.run(k, 0, false);
    const auto sent = blocks.residency().send(blocks.frame(k), true);
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->place(), nullptr);
    EXPECT_EQ(sent->piece_bytes(), short_piece);
  }
  blocks.look_at_all();
  EXPECT_EQ(blocks.residency().counts().direct_blocks, 0U);
  EXPECT_EQ(blocks.residency().counts().sent_blocks, 3U);
}

TEST(Residency, the_network_reads_a_share_of_the_memory_and_nobody_waits_for_it) {
  constexpr std::int64_t blocks_there = Residency::network_share;
  Blocks blocks("network=1 seed=1",
                blocks_there * static_cast<std::int64_t>(base::BufferPool::charge(bytes)), 12, true,
                short_piece);
  Residency& residency = blocks.residency();
  blocks.run(1, 0, false);
  const auto first = residency.send(blocks.frame(1), true);
  ASSERT_NE(first->place(), nullptr);
  residency.forget(*blocks.frame(1));
  for (std::size_t k = 2; k < 12; ++k) {
    blocks.run(k, 0, false);
    const auto next = residency.send(blocks.frame(k), true);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->place(), nullptr) << k;
  }
  EXPECT_EQ(residency.counts().fallbacks, 0U);
  expect_values_at(first->place(), 0.5);
  first->end_sending();
  for (std::size_t k = 2; k < 12; ++k) blocks.look(k);
  blocks.run(1, 0, false);
  const auto last = residency.send(blocks.frame(1), true);
  EXPECT_NE(last->place(), nullptr) << "there is room again";
  last->end_sending();
}

TEST(Residency, what_the_network_reads_outlives_the_residency) {
  device::Device device(device::sim::table(), 0, "network=1");
  base::BufferPool pool(1 << 20);
  std::shared_ptr<PieceCopy> sent;
  const auto frame = std::make_shared<base::Buffer>(pool.allocate(bytes));
  {
    const auto opened = Residency::open(device, {.budget_bytes = 1 << 20});
    Residency& residency = *opened;
    const auto address = residency.operand(frame, Use::write);
    residency.enqueue(
        [&](device::Stream& stream) { stream.fill(*address, BLOCKYARD_F64, 3.0, elements); });
    residency.end_run(true);
    sent = residency.send(frame, true);
    ASSERT_NE(sent->place(), nullptr);
    while (!sent->is_whole()) residency.look_after();
    residency.forget(*frame);
  }
  expect_values_at(sent->place(), 3.0);
  EXPECT_LT(device.describe().free_bytes, device.describe().memory_bytes);
  sent.reset();
  EXPECT_EQ(device.describe().free_bytes, device.describe().memory_bytes);
}

TEST(Residency, a_device_that_fails_while_the_network_reads_never_gives_a_wrong_number) {
  int direct = 0;
  int rescued = 0;
  int lost = 0;
  for (const std::string option : {"fail_call", "lose_call", "fail_after"})
    for (int at = 1; at < 700; at += at < 250 ? 50 : 1) try {
        Blocks blocks("network=1 seed=3 " + option + "=" +
                          std::to_string(option == "fail_after" ? at / 25 : at),
                      1 << 20, 4, true, short_piece);
        blocks.run(1, 0, false);
        const auto sent = blocks.residency().send(blocks.frame(1), true);
        const Frame frame = blocks.frame(1);
        if (at % 2 == 1) blocks.residency().forget(*frame);
        while (sent && !sent->is_whole()) blocks.residency().look_after();
        blocks.run(2, 0, false);
        blocks.run(3, 2, true);
        if (sent && sent->place() != nullptr) {
          expect_values_at(sent->place(), 0.5);
          ++direct;
        } else {
          expect_values(*frame, bytes, 0.5);
          if (blocks.residency().is_retired()) ++rescued;
        }
        if (sent) sent->end_sending();
        blocks.look(2);
        blocks.look(3);
      } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::Errc::device);
        ++lost;
      }
  EXPECT_GT(direct, 10);
  EXPECT_GT(rescued, 10);
  EXPECT_GT(lost, 10);
}

TEST(PieceLength, is_learned_from_the_first_copies) {
  PieceLength length;
  constexpr std::size_t size = std::size_t{16} << 20;
  EXPECT_FALSE(length.wants_time(PieceLength::least));
  const auto took = [&](double start, double rate) {
    const double least = static_cast<double>(PieceLength::least);
    const double rest = static_cast<double>(size) - least;
    length.took(start + least / rate, size - PieceLength::least, rest / rate);
  };
  const double best = std::sqrt(static_cast<double>(size) * 1e-5 * 1e10);
  took(1e-5, 1e10);
  EXPECT_NEAR(static_cast<double>(length.of(size)), best, 4096);
  took(5e-3, 0.5e10);  // disturbed
  EXPECT_NEAR(static_cast<double>(length.of(size)), best, 4096);
  ASSERT_TRUE(length.wants_time(size));
  took(0, 1e10);
  EXPECT_FALSE(length.wants_time(size));
  EXPECT_LT(length.of(size), 3 * PieceLength::least) << "a start costs next to nothing";
  EXPECT_EQ(length.of(1000), 1000U);
  EXPECT_EQ(PieceLength(64).of(size), 64U);
}

}  // namespace
}  // namespace blockyard::block
