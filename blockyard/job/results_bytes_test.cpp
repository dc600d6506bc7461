// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/results_bytes.h"

#include <gtest/gtest.h>

namespace blockyard::job {
namespace {

/// At process 0, of a job with two workers, one in each of two processes.
Results with_workers() {
  Results results;
  results.steps.push_back({"scf", 0, {}, {}, {}});
  results.steps[0].metrics.resize(2);
  return results;
}

/// The same at the other process.
Results with_the_second() {
  Results results = with_workers();
  results.first_worker = 1;
  results.steps[0].metrics.resize(1);
  return results;
}

TEST(ResultsBytes, bring_the_devices_of_a_process_that_alone_opened_some) {
  Results theirs = with_the_second();
  theirs.device_kind = "sim";
  theirs.devices = {{"first", 10}, {"second", 20}};
  theirs.steps[0].metrics[0].device_number = 1;
  theirs.steps[0].metrics[0].device.runs = 7;
  Results results = with_workers();
  results.device_kind = "auto";
  add_part(encode_part(theirs, 1), results);
  EXPECT_EQ(results.device_kind, "sim");
  EXPECT_EQ(results.devices, theirs.devices);
  EXPECT_EQ(results.steps[0].metrics[1].device_number, 1);
  EXPECT_EQ(results.steps[0].metrics[1].device.runs, 7U);

  Results none = with_the_second();
  none.device_kind = "auto";
  add_part(encode_part(none, 1), results);
  EXPECT_EQ(results.device_kind, "sim") << "who opened none does not undo it";
  EXPECT_EQ(results.devices, theirs.devices);
}

TEST(ResultsBytes, bring_records_of_a_process_that_knows_of_more_steps) {
  Results theirs = with_the_second();
  theirs.steps.push_back({"ccsd", 0, {}, {}, {}});
  theirs.steps[1].metrics.resize(1);
  theirs.ranks.resize(3);
  theirs.ranks[2].memory.resize(5);
  Results results = with_workers();
  results.ranks.resize(3);
  add_part(encode_part(theirs, 1), results);
  EXPECT_EQ(results.steps.size(), 1U);
  EXPECT_EQ(results.ranks[2].memory.size(), 5U);
}

TEST(ResultsBytes, hold_the_records_of_their_own_ranks_alone) {
  Results theirs = with_the_second();
  theirs.ranks.resize(10'000);
  theirs.ranks[7].memory.resize(1);
  const auto bytes = encode_part(theirs, 1);
  EXPECT_LT(bytes.size(), 2000U);
  Results results = with_workers();
  results.ranks.resize(10'000);
  results.ranks[8].memory.resize(2);
  add_part(bytes, results);
  EXPECT_EQ(results.ranks[7].memory.size(), 1U);
  EXPECT_EQ(results.ranks[8].memory.size(), 2U);
}

}  // namespace
}  // namespace blockyard::job
