// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_task.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "blockyard/base/test_memory.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::blas {
namespace {

constexpr std::int64_t extent = 3;

/// What a call may write.
struct Written {
  std::vector<double> a{4, 2, 1, 2, 5, 3, 1, 3, 6}, b{1, 2, 3};
  std::array<int, extent> pivots{1, 2, 3};
  int info = -1;
  friend bool operator==(const Written&, const Written&) = default;
};

/// Whether the device computed it.
bool compute(Task task, DeviceProducts& products, Written& written) {
  const WholeCall<double> call{.task = task,
                               .m = extent,
                               .n = extent,
                               .k = 1,
                               .a = written.a.data(),
                               .lda = extent,
                               .b = written.b.data(),
                               .ldb = extent,
                               .pivots = written.pivots.data(),
                               .info = &written.info};
  try {
    return compute_there(call, products);
  } catch (const std::exception&) {
    return false;
  }
}

class WholeTaskOf : public testing::TestWithParam<Task> {};

TEST_P(WholeTaskOf, writes_all_or_nothing_when_an_allocation_fails) {
  Written expected;
  DeviceProducts undisturbed(device::sim::table(), "");
  ASSERT_TRUE(compute(GetParam(), undisturbed, expected));
  int number = 0;
  for (bool has_failed = true; has_failed; ++number) {
    DeviceProducts products(device::sim::table(), "");
    Written written;
    bool is_there = false;
    {
      const base::FailingAllocation one(number);
      is_there = compute(GetParam(), products, written);
      has_failed = one.has_failed();
    }
    EXPECT_EQ(written, is_there ? expected : Written()) << number;
  }
  EXPECT_GT(number, 5) << "the call allocates";
}

INSTANTIATE_TEST_SUITE_P(All, WholeTaskOf,
                         testing::Values(Task::getrf, Task::gesv, Task::getrs, Task::potrf,
                                         Task::posv, Task::potrs, Task::getri, Task::potri));

/// Then it goes there in pieces.
TEST(WholeTask, says_that_its_pivots_lacked_room) {
  DeviceProducts products(device::sim::table(), "memory=80");
  Written written;
  EXPECT_FALSE(compute(Task::getrf, products, written));
  EXPECT_TRUE(products.lacked_room());
  EXPECT_EQ(written, Written());
}

}  // namespace
}  // namespace blockyard::blas
