// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "blockyard/base/error.h"
#include "blockyard/block/residency.h"
#include "blockyard/device/operation.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::block {

inline constexpr base::Extent elements = 100;
inline constexpr std::size_t bytes = elements * sizeof(double);

/// Blocks that host and device change in turn, with the values they should have.
class Blocks {
 public:
  Blocks(const std::string& options, std::int64_t budget_bytes, std::size_t count,
         bool honours_use = true, std::size_t piece_bytes = 0, int streams = Lanes::count,
         bool keeps_memory = true)
      : device_(device::sim::table(), 0, options),
        plan_(*device_.open_plan(
            device::axpby_operation(device::element_of<double>, tensor::Shape({&elements, 1})))),
        residency_(Residency::open(device_, {.budget_bytes = budget_bytes,
                                             .honours_use = honours_use,
                                             .piece_bytes = piece_bytes,
                                             .streams = streams,
                                             .keeps_memory = keeps_memory})) {
    for (std::size_t k = 0; k < count; ++k) {
      frames_.push_back(std::make_shared<base::Buffer>(pool_.allocate(bytes)));
      expected_.push_back(static_cast<double>(k + 1));
      std::fill_n(frames_[k]->as<double>(), elements, expected_[k]);
    }
  }
  ~Blocks() {
    for (const Frame& frame : frames_) residency_->forget(*frame);
  }

  /// to = [to +] 0.5 * from, on the device if that has room.
  void run(std::size_t to, std::size_t from, bool updates) {
    bool is_done = false;
    try {
      is_done = enqueue(to, from, updates);
      residency_->end_run(is_done);
    } catch (const base::Error& error) {
      is_done = false;
      residency_->retire(error.what());
    }
    expected_[to] = 0.5 * expected_[from] + (updates ? expected_[to] : 0.0);
    if (!is_done) compute(to, from, updates);
  }
  void look(std::size_t k) {
    residency_->host_reads(*frames_[k]);
    for (base::Extent n = 0; n < elements; ++n)
      ASSERT_EQ(frames_[k]->as<double>()[n], expected_[k]) << "block " << k;
  }
  void overwrite(std::size_t k, double value) { write(k, value); }
  void look_at_all() {
    for (std::size_t k = 0; k < frames_.size(); ++k) look(k);
  }
  Residency& residency() { return *residency_; }
  Frame& frame(std::size_t k) { return frames_[k]; }
  base::BufferPool& pool() { return pool_; }

 private:
  bool enqueue(std::size_t to, std::size_t from, bool updates) {
    const auto left = residency_->operand(frames_[from], Use::read);
    if (!left) return false;
    const auto result = residency_->operand(frames_[to], updates ? Use::update : Use::write);
    if (!result) return false;
    residency_->enqueue([&](device::Stream& stream) {
      stream.run(plan_,
                 {.alpha = 0.5, .beta = updates ? 1.0 : 0.0, .result = *result, .left = *left});
    });
    return true;
  }
  void compute(std::size_t to, std::size_t from, bool updates) {
    residency_->host_reads(*frames_[from]);
    if (updates) residency_->host_reads(*frames_[to]);
    write(to, expected_[to]);
  }
  void write(std::size_t k, double value) {
    residency_->host_writes(*frames_[k]);
    if (!base::is_sole_holder(frames_[k]))  // a copy under way reads it
      frames_[k] = std::make_shared<base::Buffer>(pool_.allocate(bytes));
    std::fill_n(frames_[k]->as<double>(), elements, expected_[k] = value);
  }

  base::BufferPool pool_{std::size_t{1} << 30};
  device::Device device_;
  device::Plan plan_;
  std::unique_ptr<Residency> residency_;
  std::vector<Frame> frames_;
  std::vector<double> expected_;
};

}  // namespace blockyard::block
