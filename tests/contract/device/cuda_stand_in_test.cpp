// SPDX-License-Identifier: Apache-2.0
// What a test can see of the plug-in for CUDA over its stand-in for CUDA alone. That ends the
// process when a rule of CUDA is broken, or something is left when the last device is closed.
#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "blockyard/device/operation.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

class CudaStandIn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!table()) GTEST_SKIP() << "no headers of CUDA here: its plug-in is not tested";
  }
  static const Table* table() {
    static const std::vector<Backend> all = backends();
    const auto found = std::ranges::find(all, "cuda_stand_in_lazy", &Backend::name);
    return found == all.end() ? nullptr : found->table;
  }
  static Device open(const std::string& options) { return {*table(), 0, options}; }
};

constexpr Extent count = 256, bytes = count * Extent{sizeof(double)};

TEST_F(CudaStandIn, a_full_gpu_is_an_answer_and_what_its_pool_keeps_makes_room) {
  for (const char* const options : {"seed=1 device_bytes=8192", "device_bytes=8192 pools=0"}) {
    Device one = open(options), other = open(options);  // both see all of it free
    std::optional<Memory> first = one.allocate(4096);
    const std::optional<Memory> second = other.allocate(4096);
    ASSERT_TRUE(first && second) << options;
    EXPECT_FALSE(one.allocate(512)) << options;
    first.reset();
    EXPECT_TRUE(one.allocate(1024)) << options;
  }
}

TEST_F(CudaStandIn, memory_is_used_again_after_the_work_that_reads_it) {
  for (const char* const options : {"seed=0", "seed=1", "seed=2", "pools=0"}) {
    Device device = open(options);
    Stream reader = device.open_stream(), writer = device.open_stream();
    const std::vector<double> values = counted<double>(count);
    std::vector<double> back(count);
    std::optional<Memory> memory = device.allocate(bytes);
    reader.copy_in(memory->address(), std::as_bytes(std::span(values)));
    reader.copy_out(std::as_writable_bytes(std::span(back)), memory->address());
    memory.reset();
    memory = device.allocate(bytes);
    writer.fill(memory->address(), BLOCKYARD_F64, -1.0, count);
    writer.synchronise();
    reader.synchronise();
    EXPECT_EQ(back, values) << options;
  }
}

/// Each on a thread of its own.
template <class... Calls>
void on_new_threads(const Calls&... calls) {
  (std::thread(calls).join(), ...);
}

TEST_F(CudaStandIn, every_call_may_come_from_a_thread_that_has_chosen_no_gpu) {
  for (const char* const options : {"seed=0", "pools=0"}) {
    std::optional<Device> device;
    std::optional<Memory> values, sum;
    std::optional<Stream> one, other;
    std::optional<Event> event;
    std::optional<Plan> addition, product;
    const std::vector<double> twos(count, 2.0);
    double result = 0;
    on_new_threads(
        [&] { device.emplace(open(options)); }, [&] { values = device->allocate(bytes); },
        [&] { sum = device->allocate(sizeof(double)); }, [&] { one = device->open_stream(); },
        [&] { other = device->open_stream(); }, [&] { event = device->open_event(); },
        [&] { addition = device->open_plan(axpby_operation(BLOCKYARD_F64, {1})); },
        [&] { product = device->open_plan(dot_operation(BLOCKYARD_F64, {count})); },
        [&] { one->copy_in(values->address(), std::as_bytes(std::span(twos))); },
        [&] { one->fill(sum->address(), BLOCKYARD_F64, 3.0, 1); }, [&] { one->record(*event); },
        [&] { static_cast<void>(event->is_done()); }, [&] { other->wait(*event); },
        [&] {
          const Address all = values->address();
          other->run(*product, {1, 1, sum->address(), all, all, 0});
        },
        [&] {
          other->run(*addition, {1, 1, sum->address(), values->address(), 0, 0});
        },
        [&] { other->copy_within(values->address(), sum->address(), sizeof(double)); },
        [&] { other->copy_out(std::as_writable_bytes(std::span(&result, 1)), values->address()); },
        [&] { event->wait(); }, [&] { other->synchronise(); }, [&] { event.reset(); },
        [&] { product.reset(); }, [&] { values.reset(); }, [&] { one.reset(); });
    EXPECT_EQ(result, 3.0 + 4.0 * count + 2.0) << options;
  }
}

TEST_F(CudaStandIn, shows_no_values_to_who_does_not_wait) {
  Device device = open("seed=0");
  Stream stream = device.open_stream();
  const std::optional<Memory> memory = device.allocate(bytes);
  std::vector<double> back(count);
  stream.fill(memory->address(), BLOCKYARD_F64, 1.0, count);
  stream.copy_out(std::as_writable_bytes(std::span(back)), memory->address());
  EXPECT_TRUE(std::isnan(back.front()));
  stream.synchronise();
  EXPECT_EQ(back, std::vector<double>(count, 1.0));
}

}  // namespace
}  // namespace blockyard::device::contract
