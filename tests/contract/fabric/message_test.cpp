// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>

#include "blockyard/base/error.h"
#include "tests/contract/fabric/worlds.h"

namespace blockyard::contract {
namespace {

using fabric::Fabric;
using fabric::Message;

class FabricMessage : public testing::TestWithParam<World> {
 protected:
  [[nodiscard]] fabric::Payload payload_of(std::size_t count, double first) {
    auto buffer = std::make_shared<base::Buffer>(GetParam().pool->allocate(count * sizeof(double)));
    for (std::size_t i = 0; i < count; ++i)
      buffer->as<double>()[i] = first + static_cast<double>(i);
    return buffer;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, FabricMessage, testing::ValuesIn(all_worlds()),
                         [](const auto& test) { return test.param.name; });

std::vector<std::byte> head_of(int number) {
  std::vector<std::byte> head(sizeof number);
  std::memcpy(head.data(), &number, sizeof number);
  return head;
}

int number_in(const Message& message) {
  int number = -1;
  EXPECT_EQ(message.head.size(), sizeof number);
  std::memcpy(&number, message.head.data(), std::min(message.head.size(), sizeof number));
  return number;
}

Message receive(Fabric& fabric) {
  for (;;) {
    if (auto message = fabric.poll(1.0)) return std::move(*message);
  }
}

/// Writes first, first + 1, ... piece by piece, the next one at every third look, up to `end`
/// bytes.
class SlowSource final : public fabric::Source {
 public:
  SlowSource(std::shared_ptr<base::Buffer> into, double first, std::size_t piece, std::size_t end)
      : into_(std::move(into)), first_(first), piece_(piece), end_(end) {}
  std::size_t ready() noexcept override {
    const std::lock_guard lock(mutex_);
    if (++looks_ % 3 == 0 && written_ < end_) write(std::min(end_, written_ + piece_));
    return written_;
  }
  [[nodiscard]] std::size_t piece_bytes() const noexcept override { return piece_; }
  void finish() override {
    const std::lock_guard lock(mutex_);
    write(into_->size());
  }

 private:
  void write(std::size_t end) {
    for (std::size_t i = written_ / sizeof(double); i < end / sizeof(double); ++i)
      into_->as<double>()[i] = first_ + static_cast<double>(i);
    written_ = end;
  }
  std::mutex mutex_;
  std::shared_ptr<base::Buffer> into_;
  double first_;
  std::size_t piece_;
  std::size_t end_;
  std::size_t written_ = 0;
  int looks_ = 0;
};

TEST_P(FabricMessage, tells_rank_and_size) {
  std::vector<int> seen(static_cast<std::size_t>(GetParam().size));
  GetParam().run([&](Fabric& fabric) {
    EXPECT_EQ(fabric.size(), GetParam().size);
    ++seen.at(static_cast<std::size_t>(fabric.rank()));
  });
  for (int rank = 0; rank < GetParam().size; ++rank)
    EXPECT_EQ(seen[static_cast<std::size_t>(rank)], GetParam().is_here(rank) ? 1 : 0);
}

TEST_P(FabricMessage, arrives_from_every_rank_in_the_order_of_sending) {
  constexpr int count = 200;
  GetParam().run([&](Fabric& fabric) {
    for (int number = 0; number < count; ++number)
      for (int to = 0; to < fabric.size(); ++to) fabric.send(to, {-1, head_of(number), nullptr});
    std::map<int, int> next_from;
    for (int i = 0; i < count * fabric.size(); ++i) {
      const Message message = receive(fabric);
      ASSERT_EQ(number_in(message), next_from[message.from]++);
    }
    EXPECT_EQ(next_from.size(), static_cast<std::size_t>(fabric.size()));
    fabric.barrier();
    EXPECT_FALSE(fabric.poll(0).has_value());
  });
}

TEST_P(FabricMessage, reaches_its_own_sender) {
  GetParam().run([&](Fabric& fabric) {
    fabric.send(fabric.rank(), {-1, head_of(5), payload_of(3, 1)});
    const Message message = receive(fabric);
    EXPECT_EQ(message.from, fabric.rank());
    EXPECT_EQ(number_in(message), 5);
    ASSERT_TRUE(message.payload);
    EXPECT_EQ(message.payload->as<double>()[2], 3.0);
  });
}

TEST_P(FabricMessage, may_be_empty) {
  GetParam().run([&](Fabric& fabric) {
    const int to = (fabric.rank() + 1) % fabric.size();
    fabric.send(to, {});
    const Message message = receive(fabric);
    EXPECT_TRUE(message.head.empty());
    EXPECT_FALSE(message.payload);
  });
}

TEST_P(FabricMessage, carries_a_large_payload) {
  constexpr std::size_t count = std::size_t{1} << 20;
  GetParam().run([&](Fabric& fabric) {
    const int to = (fabric.rank() + 1) % fabric.size();
    fabric.send(to, {-1, head_of(0), payload_of(count, fabric.rank())});
    const Message message = receive(fabric);
    ASSERT_TRUE(message.payload);
    ASSERT_EQ(message.payload->size(), count * sizeof(double));
    for (std::size_t i = 0; i < count; i += 4097)
      ASSERT_EQ(message.payload->as<double>()[i], message.from + static_cast<double>(i));
  });
  EXPECT_EQ(GetParam().pool->live_bytes(), 0U);
}

constexpr std::size_t block_count = std::size_t{1} << 14;

void expect_values(const fabric::Payload& payload, double first) {
  ASSERT_TRUE(payload);
  ASSERT_EQ(payload->size(), block_count * sizeof(double));
  for (std::size_t i = 0; i < block_count; i += 61)
    ASSERT_EQ(payload->as<double>()[i], first + static_cast<double>(i));
}

TEST_P(FabricMessage, payload_stays_as_it_was_sent_for_all_who_hold_it) {
  constexpr int count = 6;
  GetParam().run([&](Fabric& fabric) {
    const int to = (fabric.rank() + 1) % fabric.size();
    for (int number = 0; number < count; ++number)
      fabric.send(to, {-1, {}, payload_of(block_count, number)});
    std::vector<fabric::Payload> held;
    for (int number = 0; number < count; ++number) held.push_back(receive(fabric).payload);
    fabric.barrier();
    // The senders let go; their memory is not used again yet.
    std::vector<fabric::Payload> others;
    for (int number = 0; number < count; ++number) others.push_back(payload_of(block_count, -1));
    fabric.barrier();
    for (int number = 0; number < count; ++number)
      expect_values(held[static_cast<std::size_t>(number)], number);
  });
  EXPECT_EQ(GetParam().pool->live_bytes(), 0U);
}

TEST_P(FabricMessage, sender_is_the_only_holder_again_when_all_let_go) {
  GetParam().run([&](Fabric& fabric) {
    const fabric::Payload mine = payload_of(block_count, fabric.rank());
    for (int round = 0; round < 3; ++round) {
      for (int to = 0; to < fabric.size(); ++to) fabric.send(to, {-1, {}, mine});
      for (int i = 0; i < fabric.size(); ++i) {
        const Message message = receive(fabric);
        expect_values(message.payload, message.from);
      }
      fabric.barrier();
      while (!base::is_sole_holder(mine)) EXPECT_FALSE(fabric.poll(1e-4).has_value());
      fabric.barrier();
    }
  });
}

TEST_P(FabricMessage, payload_can_be_sent_on) {
  GetParam().run([&](Fabric& fabric) {
    const int to = (fabric.rank() + 1) % fabric.size();
    fabric.send(to, {-1, {}, payload_of(block_count, fabric.rank())});
    for (int step = 1; step <= fabric.size(); ++step) {
      const Message message = receive(fabric);
      expect_values(message.payload, (fabric.rank() - step + fabric.size()) % fabric.size());
      if (step < fabric.size()) fabric.send(to, {-1, {}, message.payload});
    }
  });
}

TEST_P(FabricMessage, waits_for_a_late_receiver) {
  GetParam().run([&](Fabric& fabric) {
    fabric.send(0, {-1, head_of(fabric.rank()), payload_of(10, fabric.rank())});
    fabric.barrier();  // no rank looked so far
    if (fabric.rank() != 0) return;
    for (int i = 0; i < fabric.size(); ++i) {
      const Message message = receive(fabric);
      EXPECT_EQ(message.from, number_in(message));
      EXPECT_EQ(message.payload->as<double>()[9], message.from + 9.0);
    }
  });
}

TEST_P(FabricMessage, poll_returns_nothing_when_nothing_comes) {
  GetParam().run([&](Fabric& fabric) {
    EXPECT_FALSE(fabric.poll(0).has_value());
    EXPECT_FALSE(fabric.poll(1e-4).has_value());
  });
}

TEST_P(FabricMessage, goes_back_and_forth) {
  constexpr int rounds = 500;
  GetParam().run([&](Fabric& fabric) {
    if (fabric.rank() == 0) {
      for (int round = 0; round < rounds; ++round) {
        for (int to = 1; to < fabric.size(); ++to) fabric.send(to, {-1, head_of(round), nullptr});
        for (int to = 1; to < fabric.size(); ++to) EXPECT_EQ(number_in(receive(fabric)), round + 1);
      }
    } else {
      for (int round = 0; round < rounds; ++round)
        fabric.send(0, {-1, head_of(number_in(receive(fabric)) + 1), nullptr});
    }
  });
}

TEST_P(FabricMessage, a_payload_is_sent_while_its_source_writes_it) {
  constexpr std::array<std::size_t, 5> counts = {1, 300, 5000, 40000, 400000};
  GetParam().run([&](Fabric& fabric) {
    for (int to = 0; to < fabric.size(); ++to)
      for (int k = 0; k < static_cast<int>(counts.size()); ++k) {
        const std::size_t bytes = counts[static_cast<std::size_t>(k)] * sizeof(double);
        const auto payload = std::make_shared<base::Buffer>(GetParam().pool->allocate(bytes));
        const std::size_t piece = std::max<std::size_t>(bytes / 400 * 8, 1000);
        fabric.send(to, {.from = -1,
                         .head = head_of(2 * k),
                         .payload = payload,
                         .source = std::make_shared<SlowSource>(payload, k, piece, bytes)});
        fabric.send(to, {-1, head_of(2 * k + 1), payload_of(10, k)});
      }
    std::map<int, int> next_from;
    for (std::size_t n = 0; n < 2 * counts.size() * static_cast<std::size_t>(fabric.size()); ++n) {
      const Message message = receive(fabric);
      const int number = number_in(message);
      ASSERT_EQ(number, next_from[message.from]++) << "in the order of sending";
      ASSERT_FALSE(message.source);
      const std::size_t count = number % 2 == 1 ? 10 : counts[static_cast<std::size_t>(number / 2)];
      ASSERT_EQ(message.payload->size(), count * sizeof(double));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(message.payload->as<double>()[i], number / 2 + static_cast<double>(i));
    }
    fabric.barrier();
  });
}

/// Has the values first + i in a place of its own, which is spoilt when it goes: at the third look,
/// or, where that fails, in the payload at the sixth.
class PlacedSource final : public fabric::Source {
 public:
  PlacedSource(std::shared_ptr<base::Buffer> payload, double first, bool fails)
      : payload_(std::move(payload)),
        place_(payload_->size() / sizeof(double)),
        first_(first),
        fails_(fails) {}
  PlacedSource(const PlacedSource&) = delete;
  PlacedSource& operator=(const PlacedSource&) = delete;
  ~PlacedSource() override { std::fill(place_.begin(), place_.end(), -2.0); }
  std::size_t ready() noexcept override {
    const std::lock_guard lock(mutex_);
    ++looks_;
    if (looks_ == 3 && !fails_) write(place_.data());
    if (looks_ == 6 && fails_) finish();
    return is_there_ ? payload_->size() : 0;
  }
  [[nodiscard]] const std::byte* place() override {
    const std::lock_guard lock(mutex_);
    return is_in_payload_ ? nullptr : reinterpret_cast<const std::byte*>(place_.data());
  }
  [[nodiscard]] std::size_t piece_bytes() const noexcept override { return payload_->size(); }
  void finish() override {
    is_in_payload_ = true;
    write(payload_->as<double>());
  }

 private:
  void write(double* to) {
    for (std::size_t i = 0; i < place_.size(); ++i) to[i] = first_ + static_cast<double>(i);
    is_there_ = true;
  }
  std::mutex mutex_;
  std::shared_ptr<base::Buffer> payload_;
  std::vector<double> place_;
  double first_;
  bool fails_;
  bool is_there_ = false;
  bool is_in_payload_ = false;
  int looks_ = 0;
};

TEST_P(FabricMessage, a_payload_is_read_where_its_source_has_it) {
  constexpr std::array<std::size_t, 4> counts = {500, 5000, 40000, 400000};
  GetParam().run([&](Fabric& fabric) {
    for (int to = 0; to < fabric.size(); ++to)
      for (int k = 0; k < 2 * static_cast<int>(counts.size()); ++k) {
        const std::size_t bytes = counts[static_cast<std::size_t>(k / 2)] * sizeof(double);
        const auto payload = std::make_shared<base::Buffer>(GetParam().pool->allocate(bytes));
        std::fill_n(payload->as<double>(), bytes / sizeof(double), -1.0);
        const auto source = std::make_shared<PlacedSource>(payload, k, k % 2 == 1);
        if (!fabric.reads_devices(to, bytes)) source->finish();
        fabric.send(to, {.from = -1, .head = head_of(k), .payload = payload, .source = source});
      }
    std::map<int, int> next_from;
    for (std::size_t n = 0; n < 2 * counts.size() * static_cast<std::size_t>(fabric.size()); ++n) {
      const Message message = receive(fabric);
      const int number = number_in(message);
      ASSERT_EQ(number, next_from[message.from]++) << "in the order of sending";
      const std::size_t count = counts[static_cast<std::size_t>(number / 2)];
      ASSERT_EQ(message.payload->size(), count * sizeof(double));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(message.payload->as<double>()[i], number + static_cast<double>(i)) << i;
    }
    fabric.barrier();
  });
}

TEST_P(FabricMessage, devices_are_read_only_by_who_says_so) {
  GetParam().run([&](Fabric& fabric) {
    constexpr std::size_t length = 4 << 20;
    for (int to = 0; to < fabric.size(); ++to) {
      EXPECT_EQ(fabric.reads_devices(to, length), GetParam().reads_devices && fabric.is_remote(to));
      EXPECT_FALSE(fabric.reads_devices(to, 8)) << "what is short goes with its message";
    }
    fabric.barrier();
  });
}

TEST_P(FabricMessage, an_abort_waits_for_no_source) {
  GetParam().run([&](Fabric& fabric) {
    if (fabric.rank() == 0) {
      const auto payload = std::make_shared<base::Buffer>(GetParam().pool->allocate(1 << 22));
      for (int to = 0; to < fabric.size(); ++to)
        fabric.send(to, {.from = -1,
                         .head = head_of(0),
                         .payload = payload,
                         .source = std::make_shared<SlowSource>(payload, 0, 1 << 16, 1 << 20)});
      fabric.abort("the rest never comes");
    }
    try {
      for (;;) (void)receive(fabric);
    } catch (const base::Error& error) {
      EXPECT_STREQ(error.what(), "the rest never comes");
    }
  });
}

TEST_P(FabricMessage, abort_of_one_rank_wakes_all_with_its_cause) {
  GetParam().run([&](Fabric& fabric) {
    const auto throws_cause = [](const auto& call) {
      try {
        call();
        ADD_FAILURE() << "returned after an abort";
      } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::Errc::comm);
        EXPECT_STREQ(error.what(), "rank 0 lost its disk");
      }
    };
    if (fabric.rank() == 0) fabric.abort("rank 0 lost its disk");
    const bool is_odd = fabric.rank() % 2 == 1;
    if (is_odd) throws_cause([&] { (void)fabric.poll(1000); });
    throws_cause([&] { fabric.barrier(); });
    throws_cause([&] { fabric.send(0, {}); });
    throws_cause([&] { (void)fabric.poll(0); });
    throws_cause([&] { (void)fabric.window(8); });
    fabric.abort("a later cause");
    throws_cause([&] { fabric.broadcast({}, 0); });
    throws_cause([&] { fabric.reduce({}); });
  });
}

TEST_P(FabricMessage, a_rank_that_fails_ends_the_run_of_all) {
  const auto run = [&] {
    GetParam().run([&](Fabric& fabric) {
      if (fabric.rank() == fabric.size() - 1) throw base::Error(base::Errc::io, "disk full");
      for (;;) (void)receive(fabric);
    });
  };
  try {
    run();
    ADD_FAILURE() << "no rank failed";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "disk full");
  }
}

}  // namespace
}  // namespace blockyard::contract
