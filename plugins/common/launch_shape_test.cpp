// SPDX-License-Identifier: Apache-2.0
// The choice of launch shapes, with times that a table says instead of a clock.
#include "plugins/common/launch_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plugins/common/kernel_shapes.h"
#include "plugins/common/shape_chooser.h"

namespace blockyard::plugin {
namespace {

constexpr LaunchDevice processor{true, 8, 4096, 16};
constexpr LaunchDevice gpu{false, 132, 1024, 32};

/// Runs a chooser on grids of a million elements whose runs take these seconds.
class Runs {
 public:
  Runs(ShapeChooser chooser, std::vector<double> seconds)
      : chooser_(std::move(chooser)), seconds_(std::move(seconds)) {}
  /// Returns the seconds of all runs.
  double repeat(int times) {
    double total = 0;
    for (int k = 0; k < times; ++k) {
      const std::size_t way = chooser_.next();
      total += seconds_[way];
      chooser_.measured(way, seconds_[way] / elements, elements);
      ways_.push_back(way);
    }
    return total;
  }
  ShapeChooser& chooser() { return chooser_; }
  void change(std::size_t way, double seconds) { seconds_[way] = seconds; }
  [[nodiscard]] const std::vector<std::size_t>& ways() const { return ways_; }

 private:
  static constexpr double elements = 1e6;
  ShapeChooser chooser_;
  std::vector<double> seconds_;
  std::vector<std::size_t> ways_;
};

TEST(ShapeChooser, finds_the_fastest_way_in_eight_runs) {
  for (std::size_t best = 0; best < 3; ++best) {
    std::vector<double> seconds(3, 2e-3);
    seconds[best] = 1e-3;
    Runs runs(ShapeChooser({1, 1, 1}), seconds);
    runs.repeat(8);
    EXPECT_EQ(runs.chooser().chosen(), best);
    EXPECT_TRUE(runs.chooser().is_settled());
  }
}

TEST(ShapeChooser, trials_cost_little_however_slow_the_other_ways_are) {
  for (const double seconds : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}) {
    Runs runs(ShapeChooser({1, 1, 1, 64}),
              {seconds, 1.25 * seconds, 1.2 * seconds, 1.25 * seconds});
    const int count = std::max(1, static_cast<int>(1 / seconds));
    const double total = runs.repeat(count);
    EXPECT_LE(total - count * seconds, 0.03 * total + 0.02) << seconds;
  }
}

TEST(ShapeChooser, what_must_be_compiled_first_is_tried_once_that_fits) {
  Runs runs(ShapeChooser({1, 64}), {1e-2, 1e-3});
  runs.repeat(8);
  EXPECT_EQ(std::ranges::count(runs.ways(), 1U), 0);
  runs.repeat(400);
  EXPECT_EQ(runs.chooser().chosen(), 1U);
}

TEST(ShapeChooser, does_not_switch_for_a_hair) {
  Runs runs(ShapeChooser({1, 1}), {1.00e-3, 0.99e-3});
  runs.repeat(200);
  EXPECT_EQ(runs.chooser().chosen(), 0U);
}

TEST(ShapeChooser, notices_later_that_another_way_has_become_faster) {
  Runs runs(ShapeChooser({1, 1}), {1.0e-3, 1.1e-3});
  runs.repeat(10);
  EXPECT_EQ(runs.chooser().chosen(), 0U);
  runs.change(0, 3e-3);
  runs.repeat(60);
  EXPECT_EQ(runs.chooser().chosen(), 1U);
}

TEST(ShapeChooser, a_way_that_is_known_needs_no_trials) {
  Runs runs(ShapeChooser({1, 1, 1}, 2, true), {1e-3, 1e-3, 1e-3});
  runs.repeat(15);
  EXPECT_EQ(std::ranges::count(runs.ways(), 2U), 15);
}

TEST(ShapeChooser, runs_whose_times_are_not_known_yet_are_no_trials) {
  ShapeChooser chooser({1, 1, 1});
  for (int k = 0; k < 15; ++k) EXPECT_EQ(chooser.next(), 0U);
}

TEST(LaunchProposals, are_different_and_cover_the_grid) {
  for (const LaunchDevice& device : {processor, gpu})
    for (const std::array<std::int64_t, 3>& extent : {std::array<std::int64_t, 3>{1, 1, 1},
                                                      {7, 1, 1},
                                                      {1000000, 1, 1},
                                                      {64, 512, 1},
                                                      {3, 5, 7}}) {
      const auto all = launch_proposals(device, extent);
      ASSERT_FALSE(all.empty());
      EXPECT_LE(all.size(), 4U);
      std::set<std::pair<std::int64_t, std::int64_t>> shapes;
      for (const LaunchProposal& one : all) {
        EXPECT_GE(one.shape.group, 1);
        EXPECT_LE(one.shape.group, device.most_items);
        EXPECT_GE(one.shape.per_item, 1);
        shapes.emplace(one.shape.group, one.shape.per_item);
      }
      EXPECT_EQ(shapes.size(), all.size());
    }
}

TEST(LaunchProposals, are_long_loops_on_a_processor_and_small_items_on_a_gpu) {
  const std::array<std::int64_t, 3> extent{1000000, 1, 1};
  const LaunchShape long_loops = launch_proposals(processor, extent).front().shape;
  EXPECT_EQ(long_loops, (LaunchShape{1, 31250}));
  const LaunchShape small = launch_proposals(gpu, extent).front().shape;
  EXPECT_EQ(small, (LaunchShape{128, 1}));
}

/// Eight runs of a grid, of which those by one rule take a tenth of the others.
void run_often(KernelShapes& shapes, const std::array<std::int64_t, 3>& extent,
               std::string_view fast) {
  const auto proposals = launch_proposals(processor, extent);
  for (int k = 0; k < 8; ++k) {
    const auto launched = shapes.next(extent);
    const bool is_fast = proposals[launched.way].rule == fast;
    static_cast<void>(shapes.measured(launched, is_fast ? 1e-4 : 1e-3));
  }
}

TEST(KernelShapes, keep_what_they_found_for_later_processes) {
  const std::array<std::int64_t, 3> extent{1000000, 1, 1};
  KernelShapes shapes(processor);
  run_often(shapes, extent, "a task for each core");
  KernelShapes later(processor);
  later.decode(shapes.encode());
  EXPECT_EQ(later.next(extent).shape, (LaunchShape{1, 125000}));
  EXPECT_NE(later.choices().at(0).find("kept from an earlier run"), std::string::npos);
  // Other sizes begin anew.
  EXPECT_EQ(later.next({4000000, 1, 1}).shape, (LaunchShape{1, 125000}));
}

TEST(KernelShapes, say_what_is_chosen_and_why) {
  KernelShapes shapes(processor);
  run_often(shapes, {4000000, 1, 1}, "sixteen tasks for each core");
  const auto lines = shapes.choices();
  ASSERT_EQ(lines.size(), 1U);
  for (const char* part : {"2^21 elements", "groups of 1, 31250 an item",
                           "sixteen tasks for each core", "measured", "with four tasks"})
    EXPECT_NE(lines[0].find(part), std::string::npos) << lines[0];
}

TEST(KernelShapes, try_the_text_of_the_driver_late_and_say_so) {
  LaunchDevice device = processor;
  device.has_functions = true;
  KernelShapes shapes(device);
  const std::array<std::int64_t, 3> extent{1000000, 1, 1};
  int first = 0;
  for (int run = 1; run <= 1000; ++run) {
    const auto launched = shapes.next(extent);
    if (launched.is_driver && first == 0) first = run;
    static_cast<void>(shapes.measured(launched, launched.is_driver ? 0.1 : 0.2));
  }
  EXPECT_GT(first, 100);  // a second of compilation is 3 % of what went before
  EXPECT_TRUE(shapes.next(extent).is_driver);
  EXPECT_NE(shapes.choices().at(0).find("functions of the driver"), std::string::npos);
  KernelShapes later(device);
  later.decode(shapes.encode());
  EXPECT_TRUE(later.next(extent).is_driver);
}

TEST(KernelShapes, ignore_a_text_of_another_version_and_lines_without_sense) {
  for (const char* text : {"", "blockyard launch shapes 0\n19 19 one core\n",
                           "blockyard launch shapes 1\n19 19\nx\n19 19 by magic\n"}) {
    KernelShapes shapes(processor);
    shapes.decode(text);
    EXPECT_EQ(shapes.next({1000000, 1, 1}).shape, (LaunchShape{1, 31250})) << text;
  }
}

}  // namespace
}  // namespace blockyard::plugin
