// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/flow.h"

#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <random>
#include <set>
#include <tuple>

#include "blockyard/base/error.h"

namespace blockyard::ring {
namespace {

/// Places in virtual time. Messages of a pair keep their order; updates and messages take between 1
/// and 100 units, drawn anew each time, and each place takes one item in at a time.
class Simulation {
 public:
  Simulation(std::uint64_t seed, Route route)
      : random_(seed),
        places_(draw(2, 9)),
        lanes_(draw(1, 3)),
        slots_(draw(2, 5)),
        to_use_(static_cast<std::size_t>(places_)),
        is_busy_(to_use_.size(), false) {
    for (int place = 0; place < places_; ++place) {
      const int items = draw(0, 2) == 0 ? 0 : draw(1, 4);
      for (int lane = 0; lane < lanes_; ++lane) {
        flows_[{place, lane}] =
            make_flow(route, {place, places_, slots_, lane % 2 == 1 && is_both_ways_});
        left_[{place, lane}] = given_[{place, lane}] = items;
      }
    }
  }

  void run() {
    for (int place = 0; place < places_; ++place)
      for (int lane = 0; lane < lanes_; ++lane) act(place, lane);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      take(event);
    }
  }

  void check(std::uint64_t seed) const {
    for (const auto& [key, flow] : flows_)
      ASSERT_TRUE(flow->is_over()) << "seed " << seed << " place " << key.first;
    for (int lane = 0; lane < lanes_; ++lane) {
      std::size_t expected = 0;
      for (int place = 0; place < places_; ++place)
        expected += static_cast<std::size_t>(given_.at({place, lane}));
      for (int place = 0; place < places_; ++place) {
        const auto used = used_.find({place, lane});
        const std::size_t count = used == used_.end() ? 0 : used->second.size();
        ASSERT_EQ(count, expected) << "seed " << seed;
      }
    }
  }

 private:
  enum class Kind { item, credit, ending, used };
  struct Event {
    int at = 0;
    int number = 0;
    Kind kind = Kind::item;
    int place = 0;
    int lane = 0;
    int from = 0;
    ItemName item = {};
    std::int64_t count = 0;
    bool operator<(const Event& other) const {
      return std::tie(other.at, other.number) < std::tie(at, number);
    }
  };
  using Key = std::pair<int, int>;  // place, lane

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void post(Event event, int to) {
    int& last = last_[{event.from, to}];
    last = event.at = std::max(last, now_ + draw(1, 100));
    event.place = to;
    event.number = ++events_made_;
    events_.push(event);
  }

  void take(const Event& event) {
    Flow& flow = *flows_.at({event.place, event.lane});
    switch (event.kind) {
      case Kind::item:
        flow.arrive(event.from, event.item);
        to_use_[static_cast<std::size_t>(event.place)].push({event.lane, event.item});
        break;
      case Kind::credit:
        flow.take_credit(event.from, static_cast<int>(event.count));
        break;
      case Kind::ending:
        flow.hear_ending(event.item.origin, event.count);
        break;
      case Kind::used:
        flow.used(event.item);
        is_busy_[static_cast<std::size_t>(event.place)] = false;
        used_[{event.place, event.lane}].insert(event.item);
        break;
    }
    act(event.place, event.lane);
  }

  /// All that a place does at once.
  void act(int place, int lane) {
    Flow& flow = *flows_.at({place, lane});
    int& left = left_[{place, lane}];
    send_all(flow, place, lane);
    while (left > 0 && flow.may_give()) {
      to_use_[static_cast<std::size_t>(place)].push({lane, flow.give()});
      --left;
      send_all(flow, place, lane);
    }
    if (left == 0) {
      flow.end_giving();
      left = -1;
    }
    send_all(flow, place, lane);
    auto& queue = to_use_[static_cast<std::size_t>(place)];
    if (queue.empty() || is_busy_[static_cast<std::size_t>(place)]) return;
    is_busy_[static_cast<std::size_t>(place)] = true;
    const auto [of_lane, item] = queue.front();
    queue.pop();
    events_.push({now_ + draw(1, 100), ++events_made_, Kind::used, place, of_lane, 0, item, 0});
  }

  void send_all(Flow& flow, int place, int lane) {
    while (const auto send = flow.next_send())
      post({0, 0, Kind::item, 0, lane, place, send->item, 0}, send->to);
    while (const auto ending = flow.next_ending())
      post({0, 0, Kind::ending, 0, lane, place, {ending->origin, 0}, ending->count}, ending->to);
    while (const auto credit = flow.next_credit())
      post({0, 0, Kind::credit, 0, lane, place, {}, credit->slots}, credit->to);
  }

  std::mt19937_64 random_;
  int places_;
  int lanes_;
  int slots_;
  bool is_both_ways_ = draw(0, 1) == 1;
  std::map<Key, std::unique_ptr<Flow>> flows_;
  std::map<Key, int> left_;
  std::map<Key, int> given_;
  std::map<Key, std::set<ItemName>> used_;
  std::map<Key, int> last_;
  std::vector<std::queue<std::pair<int, ItemName>>> to_use_;
  std::vector<bool> is_busy_;
  std::priority_queue<Event> events_;
  int events_made_ = 0;
  int now_ = 0;
};

TEST(Flow, every_item_is_used_once_at_every_place_whatever_the_latencies) {
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    Simulation simulation(seed, seed % 2 == 0 ? Route::ring : Route::direct);
    ASSERT_NO_THROW(simulation.run()) << "seed " << seed;
    simulation.check(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Flow, an_item_is_given_only_if_a_slot_stays_free_behind_it) {
  const auto flow = make_flow(Route::ring, {0, 3, 2, false});
  ASSERT_TRUE(flow->may_give());
  (void)flow->give();
  ASSERT_TRUE(flow->next_send());
  EXPECT_FALSE(flow->may_give());  // one credit is left
  flow->take_credit(1, 1);
  EXPECT_TRUE(flow->may_give());
}

TEST(Flow, an_item_without_a_slot_is_an_error) {
  const auto flow = make_flow(Route::ring, {1, 3, 2, false});
  flow->arrive(0, {0, 0});
  flow->arrive(0, {0, 1});
  EXPECT_THROW(flow->arrive(0, {0, 2}), base::Error);
}

TEST(Flow, a_slot_is_free_once_its_item_was_used_and_sent) {
  const auto flow = make_flow(Route::ring, {1, 3, 2, false});
  flow->arrive(0, {0, 0});
  flow->used({0, 0});
  EXPECT_FALSE(flow->next_credit());
  ASSERT_EQ(flow->next_send()->to, 2);
  const auto credit = flow->next_credit();
  ASSERT_TRUE(credit);
  EXPECT_EQ(credit->to, 0);
  EXPECT_EQ(credit->slots, 1);
}

TEST(Flow, direct_sends_to_each_place_in_shifted_steps) {
  const auto flow = make_flow(Route::direct, {2, 4, 2, false});
  (void)flow->give();
  std::vector<int> order;
  while (const auto send = flow->next_send()) order.push_back(send->to);
  EXPECT_EQ(order, (std::vector{3, 0, 1}));
}

TEST(Flow, refuses_one_slot) {
  EXPECT_THROW((void)make_flow(Route::ring, {0, 2, 1, false}), base::Error);
}

}  // namespace
}  // namespace blockyard::ring
