// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/memory_plan.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"

namespace blockyard::job {
namespace {

constexpr std::int64_t mib = 1 << 20;

std::vector<ProgramNeed> need_of(std::int64_t static_mib, std::int64_t block_mib,
                                 std::int64_t distributed_mib, std::int64_t largest_mib) {
  return {
      {"p", {static_mib * mib, block_mib * mib, distributed_mib * mib, largest_mib * mib, "", ""}}};
}

TEST(MemoryPlan, GivesServersWhatTheArraysTakeAndWorkersTheRest) {
  const auto needs = need_of(10, 20, 80, 1);
  const MemoryPlan plan = plan_memory(1000 * mib, 100 * mib, 2, 1, needs);
  EXPECT_GE(plan.server_bytes, 80 * mib);
  EXPECT_LE(plan.server_bytes, 100 * mib);
  EXPECT_GE(plan.worker_bytes, 390 * mib);
  EXPECT_EQ(plan.spilled_bytes, 0);
}

TEST(MemoryPlan, NeverSharesOutMoreThanThereIs) {
  for (std::int64_t total = 200; total < 3000; total += 111) {
    const auto needs = need_of(10, 20, 1500, 2);
    const MemoryPlan plan = plan_memory(total * mib, 40 * mib, 3, 2, needs);
    EXPECT_LE(plan.shared_bytes + 3 * plan.worker_bytes + 2 * plan.server_bytes, total * mib);
    EXPECT_GE(plan.worker_bytes, 30 * mib);
  }
}

TEST(MemoryPlan, SaysWhatWillSpill) {
  const auto needs = need_of(10, 20, 1000, 1);
  const MemoryPlan plan = plan_memory(300 * mib, 0, 1, 1, needs);
  EXPECT_GT(plan.spilled_bytes, 700 * mib);
  EXPECT_LT(plan.spilled_bytes, 900 * mib);
  EXPECT_GT(plan.worker_bytes, 60 * mib) << "some of what is left is for the cache";
}

TEST(MemoryPlan, LeavesWorkersRoomToAskForBlocksAhead) {
  const auto needs = need_of(0, 60, 4000, 20);  // blocks of 20 MiB
  const MemoryPlan plan = plan_memory(600 * mib, 0, 2, 1, needs);
  EXPECT_GE(plan.worker_bytes, (60 + 2 * 20) * mib);
  EXPECT_GE(plan.server_bytes, 8 * 20 * mib);
}

TEST(MemoryPlan, RefusesTooLittleAndSaysHowMuchIsNeededAndWhatToDo) {
  const auto needs = need_of(100, 100, 1000, 1);
  try {
    (void)plan_memory(300 * mib, 0, 2, 1, needs);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::no_memory);
    const std::string text = error.what();
    EXPECT_NE(text.find("p needs at least 408.0 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("--memory 409M"), std::string::npos) << text;
    EXPECT_NE(text.find("smaller segments"), std::string::npos) << text;
    EXPECT_NE(text.find("fewer workers"), std::string::npos) << text;
  }
  EXPECT_NO_THROW((void)plan_memory(409 * mib, 0, 2, 1, needs));
}

TEST(MemoryPlan, PlansForTheLargestProgram) {
  auto needs = need_of(10, 20, 80, 1);
  needs.push_back(need_of(30, 20, 10, 3)[0]);
  const MemoryPlan plan = plan_memory(200 * mib, 0, 1, 1, needs);
  EXPECT_GE(plan.worker_bytes, 50 * mib);
  EXPECT_EQ(plan.distributed_bytes, 80 * mib);
}

std::int64_t mapped_bytes() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(Memory, OfThisMachineAndProcessIsKnown) {
  EXPECT_GT(usual_memory(granted_memory(1)).bytes, mib);
  EXPECT_FALSE(usual_memory(granted_memory(1)).source.empty());
  EXPECT_GT(peak_rss_bytes(), mib / 4);
}

TEST(Memory, TakenWithoutAWishLeavesRoomBelowTheLimitOfTheProcess) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const std::int64_t mapped = base::process_memory_room() ? 0 : mapped_bytes();
  if (mapped == 0) GTEST_SKIP() << "this test runs under a limit already";
  rlimit less = before;
  less.rlim_cur = static_cast<rlim_t>(mapped + 600 * mib);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
  const UsualMemory usual = usual_memory(granted_memory(4));
  const std::string warning = memory_warning(1000 * mib, granted_memory(4));
  const std::string none = memory_warning(100 * mib, granted_memory(4));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(usual.source.find("ulimit -v"), std::string::npos) << usual.source;
  EXPECT_GT(usual.bytes, 200 * mib) << "the limit is of each process";
  EXPECT_LT(usual.bytes, 400 * mib) << "the program itself takes some";
  EXPECT_NE(warning.find("1000.0 MiB of memory are more than"), std::string::npos) << warning;
  EXPECT_EQ(none, "");
}

}  // namespace
}  // namespace blockyard::job
