// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/machine_limits.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace blockyard::base {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t mib = std::int64_t{1} << 20;

/// A folder with a /proc and a /sys of its own.
class MachineLimits : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "limits_XXXXXX";
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    write("/proc/meminfo", "MemTotal: 33554432 kB\nMemAvailable: 16777216 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(root_ + name).parent_path());
    std::ofstream(root_ + name) << text;
  }
  /// Version 2, with this process in `group`; mounted is what is below `mounted`.
  void mount_version_2(const std::string& group, const std::string& mounted = "/") const {
    write("/proc/self/cgroup", "0::" + group + "\n");
    write("/proc/self/mountinfo", "21 20 0:19 / /proc rw - proc proc rw\n30 20 0:26 " + mounted +
                                      " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }
  void mount_version_1(const std::string& group, const std::string& mounted = "/") const {
    write("/proc/self/cgroup", "4:memory:" + group + "\n3:cpu,cpuacct:" + group + "\n0::/\n");
    write("/proc/self/mountinfo",
          "30 20 0:26 " + mounted +
              " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 20 0:27 " + mounted +
              " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  }
  [[nodiscard]] MemoryRoom room() const { return group_memory_room(root_).value(); }

  std::string root_;
};

TEST_F(MachineLimits, AreNoneWhereNothingLimits) {
  EXPECT_EQ(machine_memory_room(root_)->bytes, 16384 * mib);
  EXPECT_FALSE(group_memory_room(root_));
  EXPECT_FALSE(processor_quota(root_));
  fs::remove(root_ + "/proc/meminfo");
  EXPECT_FALSE(machine_memory_room(root_));
}

TEST_F(MachineLimits, OfVersion2AreTheTightestOnTheWayUpLessWhatIsUsed) {
  mount_version_2("/batch/job7/step");
  const std::string groups = "/sys/fs/cgroup";
  write(groups + "/batch/memory.max", "1258291200\n");
  write(groups + "/batch/memory.current", "209715200\n");
  write(groups + "/batch/memory.stat", "anon 1\ninactive_file 104857600\nactive_file 7\n");
  write(groups + "/batch/job7/memory.max", "max\n");
  write(groups + "/batch/job7/step/memory.max", "2147483648\n");
  EXPECT_EQ(room(), (MemoryRoom{1100 * mib, "what control group /batch leaves"}));
  write(groups + "/batch/job7/memory.high", "524288000\n");
  EXPECT_EQ(room(), (MemoryRoom{500 * mib, "what control group /batch/job7 leaves"}));
  write(groups + "/batch/job7/memory.current", "624288000\n");
  EXPECT_EQ(room().bytes, 0) << "more is used than may be";
}

TEST_F(MachineLimits, OfVersion1AreFoundByTheirController) {
  mount_version_1("/batch/job7");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/batch/job7/memory.limit_in_bytes", "1073741824\n");
  write("/sys/fs/cgroup/memory/batch/job7/memory.usage_in_bytes", "104857600\n");
  write("/sys/fs/cgroup/memory/batch/job7/memory.stat", "inactive_file 1\ntotal_inactive_file 0\n");
  EXPECT_EQ(room(), (MemoryRoom{924 * mib, "what control group /batch/job7 leaves"}));
}

TEST_F(MachineLimits, OfAContainerStandAtTheRootOfItsMount) {
  mount_version_1("/docker/c1", "/docker/c1");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(room(), (MemoryRoom{1024 * mib, "what control group / leaves"}));
  mount_version_2("/../other");
  write("/sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(room().bytes, 512 * mib);
}

TEST_F(MachineLimits, OfProcessorsAreTheLeastQuotaRoundedUp) {
  mount_version_2("/batch/job7");
  write("/sys/fs/cgroup/batch/cpu.max", "400000 100000\n");
  write("/sys/fs/cgroup/batch/job7/cpu.max", "max 100000\n");
  EXPECT_EQ(processor_quota(root_), 4);
  write("/sys/fs/cgroup/batch/job7/cpu.max", "150000 100000\n");
  EXPECT_EQ(processor_quota(root_), 2);
  mount_version_1("/job7");
  write("/sys/fs/cgroup/cpu/job7/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/job7/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(processor_quota(root_));
  write("/sys/fs/cgroup/cpu/job7/cpu.cfs_quota_us", "20000\n");
  EXPECT_EQ(processor_quota(root_), 1);
}

TEST(UsableCores, FollowTheAffinityMask) {
  const std::vector<std::int32_t> allowed = allowed_processors();
  ASSERT_FALSE(allowed.empty());
  EXPECT_LE(usable_cores(), static_cast<int>(allowed.size()));
  // The mask belongs to a thread: one of its own leaves that of the test alone.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(allowed.back()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowed_processors(), std::vector{allowed.back()});
    EXPECT_EQ(usable_cores(), 1);
  }).join();
}

TEST(ProcessMemoryRoom, IsWhatTheLimitOfAddressSpaceLeaves) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit less = before;
  less.rlim_cur = std::min<rlim_t>(before.rlim_max, rlim_t{1} << 47);  // more than sanitizers map
  ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
  const auto room = process_memory_room();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_TRUE(room);
  EXPECT_GT(room->bytes, 0);
  EXPECT_LT(room->bytes, std::int64_t{1} << 47);
  EXPECT_NE(room->limit.find("ulimit -v"), std::string::npos);
}

}  // namespace
}  // namespace blockyard::base
