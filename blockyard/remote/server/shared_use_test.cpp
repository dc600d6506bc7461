// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/shared_use.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <thread>

namespace blockyard::remote {
namespace {

/// Clients whose parts take the seconds that are said, not those of a clock. A thread for each
/// wants a turn again and again; the order of turns is recorded.
class Turns : public ::testing::Test {
 protected:
  struct Client {
    Client(const std::shared_ptr<SharedUse>& use, const std::string& name, double weight)
        : seat(use, name, weight) {}
    Seat seat;
    std::thread thread;
  };

  /// One that holds the device until all others have come.
  Turns() {
    gate_turn_.emplace(gate_);
    EXPECT_TRUE(gate_turn_->begin([] { return false; }));
  }
  void add(const std::string& name, double weight, double part_seconds, int parts) {
    Client& client = clients_.emplace_back(use_, name, weight);
    client.thread = std::thread([this, &client, name, part_seconds, parts] {
      const auto ticket = client.seat.queue();
      Turn turn(client.seat);
      for (int part = 0; part < parts && turn.begin([] { return false; }); ++part) {
        order_.push_back(name);  // one turn at a time
        if (order_.size() == late_at_) {
          late_at_ = 0;
          const int before = use_->waiting();
          add("late", 1, 0.001, 1);
          while (use_->waiting() == before) std::this_thread::yield();
        }
        turn.end(part_seconds);
      }
    });
  }
  void run() {
    while (use_->waiting() < static_cast<int>(clients_.size())) std::this_thread::yield();
    gate_turn_->leave();
    for (Client& client : clients_) client.thread.join();
  }
  [[nodiscard]] double seconds_of(const std::string& name, std::size_t turns, double part) const {
    return part * static_cast<double>(std::count(
                      order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(turns), name));
  }

  std::shared_ptr<SharedUse> use_ = std::make_shared<SharedUse>();  // shared by the clients
  Seat gate_{use_, "gate", 1};
  std::optional<Turn> gate_turn_;
  std::list<Client> clients_;
  std::vector<std::string> order_;
  std::size_t late_at_ = 0;  ///< turns after which a client with a small part comes
};

TEST_F(Turns, equal_clients_have_equal_time_whatever_their_parts_take) {
  add("long", 1, 0.030, 40);
  add("short", 1, 0.010, 120);
  run();
  // While both have parts left.
  EXPECT_NEAR(seconds_of("long", 100, 0.030), seconds_of("short", 100, 0.010), 0.04);
}

TEST_F(Turns, a_client_of_twice_the_weight_has_twice_the_time) {
  add("heavy", 2, 0.010, 100);
  add("light", 1, 0.010, 100);
  run();
  EXPECT_NEAR(seconds_of("heavy", 120, 0.010), 2 * seconds_of("light", 120, 0.010), 0.03);
}

TEST_F(Turns, a_small_call_waits_for_two_parts_of_big_ones_at_most) {
  late_at_ = 42;
  for (const char* name : {"a", "b", "c", "d"}) add(name, 1, 0.5, 30);
  run();
  const auto late = std::find(order_.begin(), order_.end(), "late") - order_.begin();
  EXPECT_GE(late, 42);
  EXPECT_LE(late, 43);
}

TEST_F(Turns, whoever_paused_has_saved_no_time) {
  add("a", 1, 0.010, 100);
  add("b", 1, 0.010, 50);
  Seat idle(use_, "idle", 1);
  run();
  EXPECT_EQ(std::count(order_.begin(), order_.begin() + 20, "a"), 10);
  Turn turn(idle);
  ASSERT_TRUE(turn.begin([] { return false; }));
  const DeviceUse now = use_->state();
  ASSERT_EQ(now.clients.size(), 4U);
  EXPECT_NEAR(now.clients[1].used_seconds, 1.0, 1e-9);
  EXPECT_NEAR(now.clients[2].used_seconds, 0.5, 1e-9);
}

TEST(Seat, a_client_alone_has_several_parts_in_flight) {
  const auto use = std::make_shared<SharedUse>();
  Seat seat(use, "alone", 1);
  Turn one(seat), two(seat);
  EXPECT_TRUE(one.begin([] { return false; }));
  EXPECT_TRUE(two.begin([] { return false; }));
  EXPECT_FALSE(two.is_shared());
}

TEST(Seat, a_wait_for_a_turn_ends_when_its_stream_does) {
  const auto use = std::make_shared<SharedUse>();
  Seat first(use, "first", 1), second(use, "second", 1);
  Turn holding(first);
  ASSERT_TRUE(holding.begin([] { return false; }));
  std::atomic<bool> gives_up = false;
  std::thread waiting([&] {
    Turn turn(second);
    EXPECT_FALSE(turn.begin([&] { return gives_up.load(); }));
  });
  while (use->waiting() == 0) std::this_thread::yield();
  gives_up = true;
  second.wake();
  waiting.join();
}

TEST(Seat, memory_that_others_give_back_is_room) {
  const auto use = std::make_shared<SharedUse>(100);
  Seat first(use, "first", 1), second(use, "second", 1);
  ASSERT_TRUE(first.take_memory(80));
  EXPECT_FALSE(second.take_memory(30));
  std::thread giving([&] {
    std::uint64_t wanted = 0;
    while ((wanted = first.take_wanted()) == 0) std::this_thread::yield();
    EXPECT_EQ(wanted, 30U);
    first.give_memory(40);
  });
  second.ask_others(30);
  giving.join();
  EXPECT_TRUE(second.take_memory(30));
  EXPECT_EQ(use->state().memory_bytes, 70U);
  EXPECT_EQ(first.load().free_bytes, 30U);
}

TEST(Seat, a_client_has_no_more_than_its_own_share) {
  const auto use = std::make_shared<SharedUse>();
  Seat seat(use, "me", 1);
  EXPECT_TRUE(seat.take_memory(80, 100));
  EXPECT_FALSE(seat.take_memory(30, 100)) << "however often it opened the device";
  EXPECT_TRUE(seat.take_memory(20, 100));
  EXPECT_EQ(seat.memory_bytes(), 100U);
  EXPECT_TRUE(seat.take_memory(30));
}

TEST(Seat, others_work_is_the_queue_of_a_client) {
  const auto use = std::make_shared<SharedUse>();
  Seat first(use, "first", 1), second(use, "second", 1);
  first.note(0.5, 2);
  const auto one = first.queue(), two = first.queue();
  EXPECT_DOUBLE_EQ(second.load().queue_seconds, 0.5);
  EXPECT_DOUBLE_EQ(first.load().queue_seconds, 0);
}

}  // namespace
}  // namespace blockyard::remote
