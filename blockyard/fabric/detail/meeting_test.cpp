// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/detail/meeting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace blockyard::fabric::detail {
namespace {

/// Processes that hand each other offers and results, in an order drawn from a seed.
class Processes {
 public:
  Processes(std::vector<int> process_of, unsigned seed)
      : process_of_(std::move(process_of)), draw_(seed) {
    const int processes = *std::ranges::max_element(process_of_) + 1;
    for (int process = 0; process < processes; ++process)
      all_.emplace_back(process_of_, process, sends(false), sends(true));
  }

  void come(int rank, Offer mine) { of(rank).come(rank, std::move(mine)); }
  /// Delivers all that is under way.
  void deliver() {
    while (!letters_.empty()) {
      const auto drawn = letters_.begin() + static_cast<std::ptrdiff_t>(draw_() % letters_.size());
      const Sent sent = *drawn;
      letters_.erase(drawn);
      Offer offer = decode(sent.bytes);
      if (sent.is_result)
        of(sent.to).take_result(sent.to, std::make_shared<const Offer>(std::move(offer)));
      else
        of(sent.to).take_offer(sent.from, sent.to, std::move(offer));
    }
  }
  [[nodiscard]] Meetings& of(int rank) { return all_[at(process_of_[at(rank)])]; }
  /// Of whom each process heard.
  [[nodiscard]] const std::map<int, std::multiset<int>>& heard() const noexcept { return heard_; }

 private:
  struct Sent {
    int from, to;
    bool is_result;
    std::vector<std::byte> bytes;
  };
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  Meetings::Send sends(bool is_result) {
    return [this, is_result](int from, int to, const Offer& offer) {
      EXPECT_NE(process_of_[at(from)], process_of_[at(to)]);
      heard_[process_of_[at(to)]].insert(from);
      letters_.push_back({from, to, is_result, encode(offer)});
    };
  }

  std::vector<int> process_of_;
  std::mt19937 draw_;
  std::deque<Meetings> all_;
  std::deque<Sent> letters_;
  std::map<int, std::multiset<int>> heard_;
};

/// Each process has `together` ranks, one after the other; 0: two processes have every other one.
std::vector<int> placed(int ranks, int together) {
  std::vector<int> process_of;
  for (int rank = 0; rank < ranks; ++rank)
    process_of.push_back(together == 0 ? rank % 2 : rank / together);
  return process_of;
}

Offer sum_of(double value) {
  Offer offer{Collective::reduce, 0, sizeof value, std::vector<std::byte>(sizeof value)};
  std::memcpy(offer.bytes.data(), &value, sizeof value);
  return offer;
}
double value_of(const Offer& offer) {
  double value = 0;
  std::memcpy(&value, offer.bytes.data(), sizeof value);
  return value;
}
/// Values whose sum depends on the order of additions.
double awkward(int rank) { return rank % 3 == 1 ? 1e16 : rank % 3 == 2 ? -1e16 : 1.0 + rank; }

TEST(Meetings, let_process_0_hear_from_few) {
  constexpr int ranks = 256;
  Processes processes(placed(ranks, 4), 1);
  for (int rank = ranks - 1; rank >= 0; --rank) processes.come(rank, {});
  processes.deliver();
  for (int rank = 0; rank < ranks; ++rank) EXPECT_TRUE(processes.of(rank).is_over(rank));
  EXPECT_EQ(processes.heard().at(0), (std::multiset<int>{4, 8, 12, 16, 32, 48, 64, 128, 192}));
}

TEST(Meetings, sum_in_an_order_that_the_number_of_ranks_determines) {
  for (const int ranks : {1, 2, 4, 5, 17, 21}) {
    std::set<double> sums;
    for (const int together : {0, 1, 3, 7, 21})
      for (const unsigned seed : {1U, 2U, 3U}) {
        Processes processes(placed(ranks, together), seed);
        for (int meeting = 0; meeting < 3; ++meeting) {
          for (int rank = 0; rank < ranks; ++rank) processes.come(rank, sum_of(awkward(rank)));
          processes.deliver();
          for (int rank = 0; rank < ranks; ++rank) {
            ASSERT_TRUE(processes.of(rank).is_over(rank));
            sums.insert(value_of(*processes.of(rank).take(rank)));
            EXPECT_FALSE(processes.of(rank).is_over(rank));
          }
        }
      }
    EXPECT_EQ(sums.size(), 1U) << ranks << " ranks";
    if (ranks > 4) continue;
    double in_order = 0;
    for (int rank = 0; rank < ranks; ++rank) in_order += awkward(rank);
    EXPECT_EQ(sums, std::set<double>{in_order});
  }
}

TEST(Meetings, tell_all_in_the_order_of_ranks) {
  constexpr int ranks = 21;
  for (const int together : {0, 1, 3}) {
    Processes processes(placed(ranks, together), 5);
    for (int rank = 0; rank < ranks; ++rank)
      processes.come(rank, {Collective::tell, 0, 0, {std::byte(rank)}});
    processes.deliver();
    for (int rank = 0; rank < ranks; ++rank) {
      const auto told = processes.of(rank).take(rank);
      ASSERT_EQ(told->bytes.size(), std::size_t{ranks});
      for (int from = 0; from < ranks; ++from)
        EXPECT_EQ(told->bytes[static_cast<std::size_t>(from)], std::byte(from));
    }
  }
}

TEST(Meetings, tell_all_ranks_why_they_do_not_fit_together) {
  constexpr int ranks = 21;
  const auto error_when = [&](int other, const Offer& theirs) {
    std::set<std::string> errors;
    Processes processes(placed(ranks, 3), 7);
    for (int rank = 0; rank < ranks; ++rank)
      processes.come(rank, rank == other ? theirs : sum_of(1));
    processes.deliver();
    for (int rank = 0; rank < ranks; ++rank) errors.insert(processes.of(rank).take(rank)->error);
    return errors;
  };
  for (const int other : {0, 1, 5, 16, 20}) {
    EXPECT_EQ(error_when(other, {}),
              std::set<std::string>{"ranks came to different collectives at the same time"});
    EXPECT_EQ(error_when(other, {Collective::reduce, 0, 0, {}}),
              std::set<std::string>{"ranks called reduce with different lengths"});
  }
}

}  // namespace
}  // namespace blockyard::fabric::detail
