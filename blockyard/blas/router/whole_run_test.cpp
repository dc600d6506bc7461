// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/device/abi_kinds.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::blas {
namespace {

int allocations = 0, streams = 0;  // a function of a table has nowhere else to count

/// The simulated device, whose allocations and streams are counted.
const device::Table& counted() {
  static const device::Table table = [] {
    device::Table made = device::sim::table();
    made.allocate = [](blockyard_device* device, std::uint64_t bytes, blockyard_address* address) {
      ++allocations;
      return device::sim::table().allocate(device, bytes, address);
    };
    made.stream_open = [](blockyard_device* device, blockyard_stream** stream) {
      ++streams;
      return device::sim::table().stream_open(device, stream);
    };
    return made;
  }();
  return table;
}

/// The factor of a matrix of two rows.
std::vector<double> factor_of(WholeRun<double>& run, double a, double b, double c) {
  const auto matrix = run.send(std::vector<double>{a, b, 0, c}), info = run.make(1);
  run.run(BLOCKYARD_FACTOR, blockyard_cholesky, {matrix, 2, 2}, {matrix, 2, 2}, {info});
  const std::vector<double>& factor = run.fetch(matrix);
  EXPECT_TRUE(run.synchronise());
  return factor;
}

TEST(WholeRun, allocates_no_workspace_where_none_is_needed) {
  device::Device device(counted(), 0);
  allocations = 0;
  WholeRun<double> run(On{device});
  EXPECT_EQ(factor_of(run, 4, 2, 5), (std::vector<double>{2, 1, 0, 2}));
  EXPECT_EQ(allocations, 2) << "each is a round trip to a server";
}

TEST(WholeRun, uses_memory_and_stream_of_earlier_ones_again) {
  device::Device device(counted(), 0);
  Kept kept(device, 1 << 20);
  allocations = streams = 0;
  for (int call = 0; call < 3; ++call) {
    WholeRun<double> run(On{device, &kept});
    EXPECT_EQ(factor_of(run, 4, 2, 5), (std::vector<double>{2, 1, 0, 2}));
  }
  EXPECT_EQ(allocations, 2) << "each is a round trip to a server";
  EXPECT_EQ(streams, 1) << "each is a thread of a server";
}

TEST(Kept, gives_memory_of_no_known_content_before_it_forgets_any) {
  device::Device device(counted(), 0);
  Kept kept(device, 256);
  const base::Fingerprint first{1, 1}, second{2, 2}, third{3, 3};
  for (const auto& content : {first, second, third}) kept.let_go(kept.make(64, content));
  kept.let_go(kept.make(64, {}));
  for (int call = 0; call < 2; ++call) {
    kept.let_go(kept.make(64, {}));
    for (const auto& content : {first, second, third}) {
      Kept::Operand* const found = kept.find(content);
      EXPECT_NE(found, nullptr);
      kept.let_go(found);
    }
  }
}

TEST(WholeRun, shares_no_memory_with_one_that_is_under_way) {
  device::Device device(counted(), 0);
  Kept kept(device, 1 << 20);
  WholeRun<double> first(On{device, &kept});
  const auto mine = first.send(std::vector<double>{1, 2, 3, 4});
  for (int call = 0; call < 2; ++call) {  // the end of one does not end the other
    WholeRun<double> second(On{device, &kept});
    EXPECT_EQ(factor_of(second, 4, 2, 5), (std::vector<double>{2, 1, 0, 2}));
  }
  const std::vector<double>& found = first.fetch(mine);
  ASSERT_TRUE(first.synchronise());
  EXPECT_EQ(found, (std::vector<double>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace blockyard::blas
