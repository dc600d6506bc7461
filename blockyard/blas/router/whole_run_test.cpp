// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/device/abi_kinds.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::blas {
namespace {

int allocations = 0;  // a function of a table has nowhere else to count

/// The simulated device, whose allocations are counted.
const device::Table& counted() {
  static const device::Table table = [] {
    device::Table made = device::sim::table();
    made.allocate = [](blockyard_device* device, std::uint64_t bytes, blockyard_address* address) {
      ++allocations;
      return device::sim::table().allocate(device, bytes, address);
    };
    return made;
  }();
  return table;
}

TEST(WholeRun, allocates_no_workspace_where_none_is_needed) {
  device::Device device(counted(), 0);
  allocations = 0;
  WholeRun<double> run(On{device});
  const auto matrix = run.send(std::vector<double>{4, 2, 0, 5}), info = run.make(1);
  run.run(BLOCKYARD_FACTOR, blockyard_cholesky, {matrix, 2, 2}, {matrix, 2, 2}, {info});
  const std::vector<double>& factor = run.fetch(matrix);
  ASSERT_TRUE(run.synchronise());
  EXPECT_EQ(factor, (std::vector<double>{2, 1, 0, 2}));
  EXPECT_EQ(allocations, 2) << "each is a round trip to a server";
}

}  // namespace
}  // namespace blockyard::blas
