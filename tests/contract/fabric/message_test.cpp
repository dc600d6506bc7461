// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "blockyard/base/error.h"
#include "tests/contract/fabric/messages.h"

namespace blockyard::contract {
namespace {

class FabricMessage : public FabricMessages {};
INSTANTIATE_TEST_SUITE_P(Every, FabricMessage, testing::ValuesIn(all_worlds()), name_of_world);

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

/// Answers each message; leaves some to the rank, and wakes it now and then. Not thread-safe: one
/// at a time must be at work here.
class Answering final : public fabric::Receiver {
 public:
  explicit Answering(Fabric& fabric) : fabric_(fabric) {}
  Taken take(Message& message) override {
    if (number_in(message) % 3 == 1) return Taken::no;
    note(message);
    return number_in(message) % 5 == 0 ? Taken::wakes : Taken::yes;
  }
  void note(const Message& message) {
    EXPECT_EQ(number_in(message), next_from_[message.from]++);
    fabric_.send(message.from, {-1, message.head, nullptr});
    ++count;
  }
  int count = 0;

 private:
  Fabric& fabric_;
  std::map<int, int> next_from_;
};

TEST_P(FabricMessage, may_be_taken_in_the_place_of_a_rank_that_sleeps) {
  constexpr int rounds = 100;
  constexpr int in_a_round = 4;
  GetParam().run([&](Fabric& fabric) {
    if (fabric.rank() == 0) {
      Answering answering(fabric);
      fabric.stay_awake();
      fabric.receive_by(&answering);
      while (answering.count < rounds * in_a_round * (fabric.size() - 1))
        if (const auto message = fabric.poll(1.0)) answering.note(*message);
      fabric.receive_by(nullptr);
    } else {
      for (int round = 0; round < rounds; ++round) {
        for (int k = 0; k < in_a_round; ++k)
          fabric.send(0, {-1, head_of(round * in_a_round + k), nullptr});
        for (int k = 0; k < in_a_round; ++k)
          ASSERT_EQ(number_in(receive(fabric)), round * in_a_round + k);
      }
    }
    fabric.barrier();
    EXPECT_FALSE(fabric.poll(0).has_value());
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
    // The senders have released theirs; the memory is not reused yet.
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
    if (fabric.rank() % 2 == 1) fabric.stay_awake();
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
    if (fabric.rank() % 4 == 1) fabric.stay_awake();
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
