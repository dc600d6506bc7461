// SPDX-License-Identifier: Apache-2.0
#include "bench/ring/overlap.h"

#include <algorithm>
#include <mutex>
#include <random>

#include "blockyard/base/clock.h"
#include "blockyard/ring/ring.h"
#include "blockyard/ring/team.h"

namespace blockyard::bench {

namespace {

constexpr std::size_t item_bytes = 1 << 20;

void compute(double seconds) {
  const double end = base::now_seconds() + seconds;
  while (base::now_seconds() < end) {
  }
}

/// Each item takes `seconds`, up to `variation` of it more or less.
class TimedUpdate final : public ring::Update {
 public:
  TimedUpdate(double seconds, double variation, int rank)
      : seconds_(seconds),
        draw_(1 - variation, 1 + variation),
        random_(static_cast<std::uint64_t>(rank)) {}
  void apply(std::span<const ring::Item> items, const ring::Slice& /*slice*/,
             device::Stream* /*stream*/) override {
    double seconds = 0;
    for (std::size_t k = 0; k < items.size(); ++k) seconds += seconds_ * draw_(random_);
    all_seconds_ += seconds;
    compute(seconds);
  }
  [[nodiscard]] double all_seconds() const noexcept { return all_seconds_; }

 private:
  double seconds_;
  double all_seconds_ = 0;
  std::uniform_real_distribution<double> draw_;
  std::mt19937_64 random_;
};

/// Runs `work` on two ranks whose link has the rate that an item takes `transfer_seconds`; returns
/// the seconds of rank 0.
double on_two_ranks(double transfer_seconds,
                    const std::function<void(fabric::Fabric&, const fabric::Payload& item)>& work) {
  base::BufferPool pool(std::size_t{64} * item_bytes);
  const auto item = std::make_shared<const base::Buffer>(pool.allocate(item_bytes));
  ring::Team team;
  team.ranks_here = 2;
  team.delay = fabric::Delay{1e-6, static_cast<double>(item_bytes) / transfer_seconds};
  double seconds = 0;
  ring::run_team(team, pool, [&](fabric::Fabric& fabric) {
    fabric.barrier();
    const double begin = base::now_seconds();
    work(fabric, item);
    fabric.barrier();
    if (fabric.rank() == 0) seconds = base::now_seconds() - begin;
  });
  return seconds;
}

}  // namespace

OverlapTimes measure_overlap(double update_seconds, double transfer_seconds, double variation,
                             int items) {
  OverlapTimes times;
  std::mutex mutex;  // guards times.updates
  times.ring =
      on_two_ranks(transfer_seconds, [&](fabric::Fabric& fabric, const fabric::Payload& item) {
        ring::Member member(fabric);
        const ring::Layout layout(2, 2, 2);
        TimedUpdate update(update_seconds, variation, fabric.rank());
        ring::Options options;
        options.slots = 4;
        options.batch = 1;
        ring::Ring ring(member, layout, options, update, {});
        for (int k = 0; k < items; ++k) ring.give({}, item);
        ring.finish();
        const std::lock_guard lock(mutex);
        times.updates = std::max(times.updates, update.all_seconds());
      });
  times.lock_step =
      on_two_ranks(transfer_seconds, [&](fabric::Fabric& fabric, const fabric::Payload& item) {
        for (int k = 0; k < items; ++k) {
          fabric::Message message;
          message.payload = item;
          fabric.send(1 - fabric.rank(), std::move(message));
          compute(update_seconds);  // this rank's item
          while (!fabric.poll(1.0)) {
          }
          compute(update_seconds);  // that of the neighbour
        }
      });
  return times;
}

}  // namespace blockyard::bench
