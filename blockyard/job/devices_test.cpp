// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/devices.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::job {
namespace {

/// A simulated device whose opening waits for work.
struct Late {
  explicit Late(double after_seconds, const std::string& options = "page=64") {
    input::DeviceSpec spec;
    spec.kind = "sim";
    spec.count = 1;
    spec.options = options;
    spec.learns_placement = true;
    spec.after_seconds = after_seconds;
    devices.emplace(spec, DeviceUsers{2, 2, 0}, 1 << 20, pool, 1 << 20);
  }
  base::BufferPool pool{1 << 20};
  std::optional<Devices> devices;
};

TEST(Devices, are_opened_when_there_was_enough_work) {
  Late late(1000);
  Devices& devices = *late.devices;
  EXPECT_TRUE(devices.is_possible());
  devices.note_work(600);
  EXPECT_EQ(devices.share(0), nullptr);
  EXPECT_EQ(devices.host_locks(), nullptr);
  devices.note_work(600);
  while (devices.share(1) == nullptr) std::this_thread::yield();
  EXPECT_EQ(devices.share(0), devices.share(1));
  EXPECT_EQ(devices.share(0)->number, 0);
  EXPECT_GT(devices.share(0)->bytes, 0);
  EXPECT_EQ(devices.host_locks(), devices.share(0)->host_locks);
  EXPECT_NE(devices.host_locks(), nullptr);
  while (!devices.try_end_opening()) std::this_thread::yield();
  EXPECT_EQ(devices.infos().size(), 1U);
  EXPECT_TRUE(devices.may_come());
}

TEST(Devices, are_not_opened_for_a_short_job) {
  Late late(1000);
  late.devices->note_work(1);
  EXPECT_TRUE(late.devices->may_come());
  EXPECT_TRUE(late.devices->try_end_opening());
  EXPECT_EQ(late.devices->share(0), nullptr);
  EXPECT_EQ(late.devices->kind(), "sim");
  EXPECT_TRUE(late.devices->infos().empty());
}

TEST(Devices, are_opened_at_once_for_who_cannot_wait) {
  Late late(1000);
  const worker::DeviceShare* const share = late.devices->open(0, [] {});
  ASSERT_NE(share, nullptr);
  EXPECT_EQ(late.devices->share(0), share);
}

TEST(Devices, that_are_named_and_cannot_be_opened_are_told_even_without_work) {
  Late late(0.001, "speed=9");
  while (late.devices->failure() == nullptr) std::this_thread::yield();
  try {
    static_cast<void>(late.devices->open(0, [] {}));
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("speed=9"), std::string::npos) << error.what();
  }
  EXPECT_EQ(late.devices->share(0), nullptr);
  while (!late.devices->try_end_opening()) std::this_thread::yield();
  EXPECT_FALSE(late.devices->may_come());
  EXPECT_EQ(late.devices->kind(), "none");
  EXPECT_TRUE(late.devices->infos().empty());
}

/// Calls the device until it refuses.
void use_until_it_fails(device::Device& device) {
  while (true) try {
      static_cast<void>(device.describe());
    } catch (const base::Error&) {
      return;
    }
}

TEST(Devices, are_told_by_the_name_that_they_have_in_the_end) {
  Late late(1000, "fail_call=100");
  use_until_it_fails(*late.devices->open(0, [] {})->device);
  while (!late.devices->try_end_opening()) std::this_thread::yield();
  const DeviceInfo info = late.devices->infos().at(0);
  EXPECT_EQ(info.name, "simulated device that failed a call");
  EXPECT_GT(info.memory_bytes, 0);
}

TEST(Devices, that_are_lost_are_told_by_the_name_they_had) {
  Late late(1000, "lose_call=100");
  use_until_it_fails(*late.devices->open(0, [] {})->device);
  while (!late.devices->try_end_opening()) std::this_thread::yield();
  EXPECT_EQ(late.devices->infos().at(0).name, "simulated device");
}

TEST(Devices, are_dealt_among_the_workers_of_the_machine) {
  base::BufferPool pool(1 << 20);
  input::DeviceSpec spec;
  spec.kind = "sim";
  spec.count = 2;
  // Workers 5 and 6 of the job are the third and the fourth here.
  Devices devices(spec, {2, 4, 3}, 1 << 20, pool, 1 << 20);
  devices.wait_until_open([] {});
  EXPECT_EQ(devices.share(5)->number, 0);
  EXPECT_EQ(devices.share(6)->number, 1);
}

/// Of each of 8 workers here, where 4 processes have as many.
std::int64_t share_of_32(input::DeviceSpec spec) {
  base::BufferPool pool(1 << 20);
  spec.kind = "sim";
  Devices devices(spec, {8, 32, 0}, 1 << 20, pool, 1 << 20);
  devices.wait_until_open([] {});
  return devices.share(0)->bytes;
}

TEST(Devices, are_used_by_a_process_as_far_as_it_is_told) {
  input::DeviceSpec spec;
  spec.count = 1;
  spec.memory_bytes = 1 << 20;
  EXPECT_EQ(share_of_32(spec), (1 << 20) / 8);
  spec.count = 2;
  EXPECT_EQ(share_of_32(spec), (1 << 20) / 4);
}

TEST(Devices, are_shared_with_other_processes_without_a_wish) {
  input::DeviceSpec spec;
  spec.count = 1;
  spec.options = "memory=1048000";
  EXPECT_EQ(share_of_32(spec), 1048000 / 10 * 9 / 32);
}

TEST(Devices, wait_for_work_however_long_that_is) {
  Late late(1e300);
  late.devices->note_work(1e18);
  EXPECT_TRUE(late.devices->try_end_opening());
  EXPECT_EQ(late.devices->failure(), nullptr);
  EXPECT_EQ(late.devices->share(0), nullptr);
}

TEST(Devices, of_no_certain_kind_are_impossible_without_a_plugin) {
  base::BufferPool pool(1 << 20);
  input::DeviceSpec spec;
  spec.kind = "auto";
  spec.plugins = "/nowhere";
  Devices devices(spec, {}, 1 << 20, pool, 1 << 20);
  devices.wait_until_open([] {});
  EXPECT_FALSE(devices.is_possible());
  EXPECT_FALSE(devices.may_come());
  EXPECT_EQ(devices.kind(), "none");
}

TEST(Devices, refuse_a_plugin_that_is_not_there_before_any_work) {
  base::BufferPool pool(1 << 20);
  input::DeviceSpec spec;
  spec.kind = "opencl";
  spec.plugins = "/nowhere";
  spec.learns_placement = true;
  try {
    const Devices devices(spec, {}, 1 << 20, pool, 1 << 20);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace blockyard::job
