// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <thread>

#include "blockyard/block/test_device_blocks.h"

namespace blockyard::block {
namespace {

constexpr std::int64_t much = 1 << 20;

/// Workers of one process with the same blocks, which never change, on two devices.
class Peers {
 public:
  Peers(const std::vector<std::string>& options, const std::vector<std::size_t>& device_of,
        std::int64_t budget_bytes, int blocks)
      : device_of_(device_of) {
    const tensor::Shape shape({&elements, 1});
    for (int k = 0; k < 2; ++k) {
      devices_.emplace_back(device::sim::table(), k, options[static_cast<std::size_t>(k)]);
      plans_.push_back(
          *devices_.back().open_plan(device::axpby_operation(device::element_of<double>, shape)));
    }
    for (const std::size_t device : device_of)
      workers_.push_back(
          Residency::open(devices_[device], {.budget_bytes = budget_bytes, .peers = &peers_}));
    for (int k = 0; k < blocks; ++k) {
      frames_.push_back(std::make_shared<base::Buffer>(pool_.allocate(bytes)));
      std::fill_n(frames_.back()->as<double>(), elements, k + 1.0);
    }
  }
  /// 2 * block, on the device of the worker if that works and has room.
  void read(std::size_t worker, std::size_t block) {
    Residency& residency = *workers_[worker];
    const Frame result = std::make_shared<base::Buffer>(pool_.allocate(bytes));
    bool is_done = false;
    try {
      is_done = enqueue(worker, block, result);
      residency.end_run(is_done);
    } catch (const base::Error& error) {
      is_done = false;
      residency.retire(error.what());
    }
    residency.host_reads(*result);
    for (base::Extent n = 0; is_done && !residency.is_retired() && n < elements; ++n)
      ASSERT_EQ(result->as<double>()[n], 2.0 * static_cast<double>(block + 1));
    residency.forget(*result);
  }
  void bring_ahead(std::size_t worker, std::size_t block) {
    workers_[worker]->bring_ahead(frames_[block]);
  }
  /// Only brings the block. False: no room.
  bool hold(std::size_t worker, std::size_t block) {
    const bool is_there = workers_[worker]->operand(frames_[block], Use::read, true).has_value();
    workers_[worker]->end_run(is_there);
    return is_there;
  }
  std::size_t held(std::size_t worker) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        frames_, [&](const Frame& frame) { return workers_[worker]->is_resident(*frame); }));
  }
  /// To a block that the worker alone has.
  bool move(std::size_t worker, std::size_t block) {
    const Frame to = std::make_shared<base::Buffer>(pool_.allocate(bytes));
    const bool is_moved = workers_[worker]->move(*frames_[block], *to);
    workers_[worker]->host_reads(*to);
    for (base::Extent n = 0; is_moved && n < elements; ++n)
      EXPECT_EQ(to->as<double>()[n], static_cast<double>(block + 1));
    workers_[worker]->forget(*to);
    return is_moved;
  }
  ResidencyCounts counts(std::size_t worker) const { return workers_[worker]->counts(); }
  std::vector<std::unique_ptr<Residency>>& workers() { return workers_; }

 private:
  bool enqueue(std::size_t worker, std::size_t block, const Frame& to) {
    Residency& residency = *workers_[worker];
    const auto left = residency.operand(frames_[block], Use::read, true);
    if (!left) return false;
    const auto result = residency.operand(to, Use::write);
    if (!result) return false;
    residency.enqueue([&](device::Stream& stream) {
      stream.run(plans_[device_of_[worker]], {.alpha = 2.0, .result = *result, .left = *left});
    });
    return true;
  }

  base::BufferPool pool_{std::size_t{1} << 30};
  std::deque<device::Device> devices_;
  std::vector<device::Plan> plans_;
  PeerCopies peers_;
  std::vector<std::size_t> device_of_;
  std::vector<Frame> frames_;
  std::vector<std::unique_ptr<Residency>> workers_;
};

TEST(Peers, a_block_comes_from_where_another_worker_has_it) {
  for (const std::size_t device : {0U, 1U}) {
    Peers peers({"", ""}, {0, device}, much, 3);
    peers.read(0, 0);
    peers.read(1, 0);
    EXPECT_EQ(peers.counts(0).copies_in, 1U);
    EXPECT_EQ(peers.counts(1).copies_in, 0U);
    EXPECT_EQ(peers.counts(1).peer_copies, 1U);
    EXPECT_EQ(peers.counts(1).peer_bytes, bytes);
    peers.read(1, 2);
    EXPECT_EQ(peers.counts(1).copies_in, 1U) << "nobody else has it";
    peers.bring_ahead(0, 1);
    peers.read(1, 1);
    EXPECT_EQ(peers.counts(1).copies_in, 2U) << "it is on its way there";
  }
}

/// Seed 0: a copy happens only once a caller waits for it.
TEST(Peers, memory_that_is_copied_from_stays_as_it_is_when_its_owner_lets_it_go) {
  for (const bool ends : {false, true}) {
    Peers peers({"", ""}, {0, 1}, 4 * static_cast<std::int64_t>(base::BufferPool::charge(bytes)),
                9);
    peers.read(1, 0);
    peers.bring_ahead(0, 0);
    for (std::size_t block = 1; block < 9; ++block) peers.read(1, block);
    EXPECT_GT(peers.counts(1).evictions, 4U);
    if (ends) peers.workers().pop_back();
    peers.read(0, 0);
    peers.read(0, 8);
    EXPECT_EQ(peers.counts(0).peer_copies, ends ? 1U : 2U);
    EXPECT_EQ(peers.counts(0).copies_in, ends ? 1U : 0U);
  }
}

/// The device has no more than the budget.
TEST(Peers, memory_that_is_copied_from_comes_back_to_its_owner) {
  constexpr std::size_t room = 8;
  const auto budget = static_cast<std::int64_t>(room * base::BufferPool::charge(bytes));
  const std::string memory = "memory=" + std::to_string(budget);
  Peers peers({memory, memory}, {0, 1}, budget, 3 * room);
  const auto hold_all = [&](std::size_t worker, std::size_t from) {
    std::size_t sum = 0;
    for (std::size_t block = from; block < from + room; ++block)
      sum += peers.hold(worker, block) ? 1U : 0U;
    return sum;
  };
  EXPECT_EQ(hold_all(1, 0), room);
  peers.workers()[1]->finish_copies();
  EXPECT_EQ(hold_all(0, 0), room);
  EXPECT_EQ(peers.counts(0).peer_copies, room);
  hold_all(1, room);
  EXPECT_LT(peers.held(1), room) << "others copy from what it had";
  peers.workers()[0]->finish_copies();
  EXPECT_TRUE(peers.hold(0, 0)) << "no copy: an operand that is there";
  EXPECT_EQ(hold_all(1, 2 * room), room);
  EXPECT_EQ(peers.held(1), room);
  EXPECT_EQ(peers.counts(1).peak_bytes, static_cast<std::uint64_t>(budget));
}

TEST(Peers, a_copy_that_is_whole_is_taken_before_one_that_may_not_be) {
  Peers peers({"", ""}, {0, 1, 1}, much, 1);
  peers.read(0, 0);
  peers.bring_ahead(1, 0);
  peers.read(2, 0);
  EXPECT_EQ(peers.counts(1).peer_copies, 1U);
  EXPECT_EQ(peers.counts(2).peer_copies, 1U) << "that on its own device is not whole";
}

TEST(Peers, a_copy_moves_to_another_block_unless_a_peer_copies_from_it) {
  for (const bool is_read : {false, true}) {
    Peers peers({"", ""}, {0, 1}, much, 1);
    peers.read(0, 0);
    if (is_read) peers.bring_ahead(1, 0);
    EXPECT_EQ(peers.move(0, 0), !is_read);
    peers.read(1, 0);
    EXPECT_EQ(peers.counts(1).peer_copies, is_read ? 1U : 0U);
  }
}

TEST(Peers, a_device_that_is_lost_gives_nothing_and_the_host_does) {
  int lost = 0;
  for (int at = 1; at < 600; ++at) try {
      Peers peers({"", "lose_call=" + std::to_string(at)}, {0, 1}, much, 4);
      for (std::size_t block = 0; block < 4; ++block) peers.read(1, block);
      lost += peers.workers()[1]->is_retired() ? 1 : 0;
      for (std::size_t block = 0; block < 4; ++block) peers.read(0, block);
      EXPECT_FALSE(peers.workers()[0]->is_retired());
      EXPECT_EQ(peers.counts(0).peer_copies + peers.counts(0).copies_in, 4U);
    } catch (const base::Error& error) {  // of the device that is lost
      EXPECT_EQ(error.code(), base::Errc::device);
    }
  EXPECT_GT(lost, 5);
}

TEST(Peers, whatever_fails_no_number_is_wrong) {
  int failed = 0;
  int well = 0;
  for (const std::string option : {"fail_call", "lose_call", "fail_after"})
    for (int at = 5; at < 1100; at += 3) try {
        const std::string options = "seed=3 " + option + "=" + std::to_string(at);
        Peers peers({options, options}, {0, 1, 0}, much, 6);
        std::mt19937 random(static_cast<unsigned>(at));
        for (int step = 0; step < 40; ++step) peers.read(random() % 3, random() % 6);
        bool has_failed = false;
        for (const auto& worker : peers.workers()) has_failed |= worker->is_retired();
        ++(has_failed ? failed : well);
      } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::Errc::device);
      }
  EXPECT_GT(failed, 100);
  EXPECT_GT(well, 0);
}

TEST(Peers, workers_are_threads_and_evict_what_others_copy) {
  for (const std::string seed : {"seed=0", "seed=1"}) {
    constexpr std::size_t blocks = 12;
    Peers peers({seed, seed}, {0, 1, 0, 1},
                6 * static_cast<std::int64_t>(base::BufferPool::charge(bytes)), blocks);
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < 4; ++worker)
      threads.emplace_back([&peers, worker] {
        std::mt19937 random(static_cast<unsigned>(worker));
        for (int step = 0; step < 800; ++step) {
          if (random() % 3 == 0) peers.bring_ahead(worker, random() % blocks);
          peers.read(worker, random() % blocks);
        }
      });
    for (std::thread& thread : threads) thread.join();
    std::uint64_t peer_copies = 0;  // the first to run may find nothing
    for (std::size_t worker = 0; worker < 4; ++worker) {
      EXPECT_EQ(peers.counts(worker).failures, 0U);
      EXPECT_GT(peers.counts(worker).evictions, 30U);
      peer_copies += peers.counts(worker).peer_copies;
    }
    EXPECT_GT(peer_copies, 30U);
  }
}

}  // namespace
}  // namespace blockyard::block
