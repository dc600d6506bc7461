// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <thread>

#include "blockyard/device/kernel.h"
#include "tests/contract/device/backends.h"
#include "tests/contract/device/test_kernels.h"

namespace blockyard::device::contract {
namespace {

using base::Errc;
using base::Error;

constexpr Extent size_of_double = sizeof(double);

/// Devices need not take kernels: where one does not, its test has nothing to say.
class KernelContract : public DeviceContract {
 protected:
  /// saxpy on counted values, `runs` times.
  static std::vector<double> computed(Device& device, const Plan& plan, Extent count, int runs) {
    Stream stream = device.open_stream();
    const std::vector<double> x = counted<double>(count);
    const std::vector<double> y(x.size(), 1.0);
    const Memory there_x = send(device, stream, x), there_y = send(device, stream, y);
    for (int run = 0; run < runs; ++run) {
      KernelRun call({count, 1, 1});
      stream.run(plan, call.memory(there_y.address(), there_y.bytes())
                           .memory(there_x.address(), there_x.bytes())
                           .value(2.0));
    }
    return receive<double>(stream, there_y);
  }
  static std::vector<double> expected(Extent count, int runs) {
    std::vector<double> y;
    for (Extent i = 1; i <= count; ++i) y.push_back(1.0 + runs * 2.0 * static_cast<double>(i));
    return y;
  }
  /// The text of the refusal; empty: it was not refused.
  template <class Body>
  static std::string refusal(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
      return error.what();
    }
    return {};
  }
};

TEST_P(KernelContract, _16_a_sum_of_vectors_is_computed_for_every_length) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  for (const Extent count : {1, 2, 63, 1000, 100003})
    EXPECT_EQ(computed(device, *plan, count, 1), expected(count, 1)) << count;
}

TEST_P(KernelContract, _16_the_result_is_the_same_in_every_shape) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  constexpr Extent count = 1000;
  Stream stream = device.open_stream();
  const std::vector<double> x = counted<double>(count);
  const std::vector<double> y(x.size(), 1.0);
  const Memory there_x = send(device, stream, x);
  for (const Extent group : {0, 7})
    for (const Extent per_item : {0, 1, 333, 5000}) {
      const Memory there_y = send(device, stream, y);
      KernelRun call({count, 1, 1});
      stream.run(*plan, call.memory(there_y.address(), there_y.bytes())
                            .memory(there_x.address(), there_x.bytes())
                            .value(2.0)
                            .shape(group, per_item));
      EXPECT_EQ(receive<double>(stream, there_y), expected(count, 1)) << group << ' ' << per_item;
    }
}

TEST_P(KernelContract, _16_a_stencil_walks_two_extents) {
  Device device = open();
  const auto plan = device.open_kernel(stencil());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  constexpr Extent columns = 37, rows = 23;
  std::vector<double> old(columns * rows);
  for (std::size_t at = 0; at < old.size(); ++at) old[at] = static_cast<double>(at * at % 101);
  const std::vector<double> nothing(old.size(), -1.0);
  Stream stream = device.open_stream();
  const Memory from = send(device, stream, old), to = send(device, stream, nothing);
  KernelRun call({columns - 2, rows - 2, 1});
  stream.run(*plan, call.memory(to.address(), to.bytes())
                        .memory(from.address(), from.bytes())
                        .value(std::int64_t{columns}));
  const std::vector<double> made = receive<double>(stream, to);
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t at = i + j * columns;
      const bool is_edge = i == 0 || j == 0 || i + 1 == columns || j + 1 == rows;
      EXPECT_EQ(made[at], is_edge ? -1.0
                                  : old[at - 1] + old[at + 1] + old[at - columns] +
                                        old[at + columns] - 4 * old[at]);
    }
}

TEST_P(KernelContract, _16_three_extents_number_every_element_once) {
  Device device = open();
  const auto plan = device.open_kernel(numbered());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  constexpr Extent n = 13, j = 5, k = 7;
  Stream stream = device.open_stream();
  const std::vector<double> zeros(n * j * k, 0.0);
  const Memory to = send(device, stream, zeros);
  KernelRun call({n, j, k});
  stream.run(*plan,
             call.memory(to.address(), to.bytes()).value(std::int64_t{n}).value(std::int64_t{j}));
  std::vector<double> numbers(n * j * k);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  EXPECT_EQ(receive<double>(stream, to), numbers);
}

TEST_P(KernelContract, _16_groups_sum_with_local_memory) {
  Device device = open();
  const auto plan = device.open_kernel(group_sum());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  constexpr Extent count = 1000, group = 16, per_item = 5, groups = 13;  // the last one is not full
  Stream stream = device.open_stream();
  const std::vector<double> x = counted<double>(count);
  const Memory from = send(device, stream, x);
  const Memory sums = allocate(device, groups * size_of_double);
  KernelRun call({count, 1, 1});
  stream.run(*plan, call.memory(sums.address(), sums.bytes())
                        .memory(from.address(), from.bytes())
                        .local(group * size_of_double)
                        .shape(group, per_item));
  const std::vector<double> made = receive<double>(stream, sums);
  for (std::size_t g = 0; g < groups; ++g) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(g * group * per_item);
    const auto end =
        x.begin() +
        std::min<std::ptrdiff_t>(count, (static_cast<std::ptrdiff_t>(g) + 1) * group * per_item);
    EXPECT_EQ(made[g], std::accumulate(begin, end, 0.0)) << g;
  }
}

TEST_P(KernelContract, _16_an_argument_may_be_inside_an_allocation_and_result_too) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  Stream stream = device.open_stream();
  const std::vector<double> values = counted<double>(20);
  const Memory memory = send(device, stream, values);
  KernelRun call({10, 1, 1});  // the second half += 1 * itself
  const Address half = memory.address() + 10 * sizeof(double);
  stream.run(*plan,
             call.memory(half, 10 * size_of_double).memory(half, 10 * size_of_double).value(1.0));
  const std::vector<double> made = receive<double>(stream, memory);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(made[i], (i < 10 ? 1 : 2) * values[i]);
}

TEST_P(KernelContract, _16_memory_of_the_host_where_the_device_works_there) {
  Device device = open();
  if (device.describe().works_in_place == 0) GTEST_SKIP() << "it has only memory of its own";
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  struct alignas(64) Values {
    std::array<double, 100> all{};
  } x, y;
  x.all.fill(3.0);
  y.all.fill(1.0);
  Stream stream = device.open_stream();
  KernelRun call({100, 1, 1});
  stream.run(*plan, call.memory(reinterpret_cast<std::uintptr_t>(y.all.data()), sizeof y)
                        .memory(reinterpret_cast<std::uintptr_t>(x.all.data()), sizeof x)
                        .value(2.0));
  stream.synchronise();
  EXPECT_EQ(std::ranges::count(y.all, 7.0), 100);
}

TEST_P(KernelContract, _16_one_plan_runs_many_times_at_a_time) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  std::vector<double> there;
  std::thread other([&] { there = computed(device, *plan, 5000, 10); });
  const std::vector<double> here = computed(device, *plan, 3000, 20);
  other.join();
  EXPECT_EQ(here, expected(3000, 20));
  EXPECT_EQ(there, expected(5000, 10));
}

TEST_P(KernelContract, _16_values_may_change_once_the_run_is_enqueued) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  Stream stream = device.open_stream();
  const std::vector<double> ones(100, 1.0);
  const Memory x = send(device, stream, ones), y = send(device, stream, ones);
  for (const double factor : {1.0, 10.0, 100.0}) {
    KernelRun call({100, 1, 1});
    stream.run(*plan,
               call.memory(y.address(), y.bytes()).memory(x.address(), x.bytes()).value(factor));
  }
  EXPECT_EQ(receive<double>(stream, y), std::vector<double>(100, 112.0));
}

TEST_P(KernelContract, _16_a_grid_without_elements_computes_nothing) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  Stream stream = device.open_stream();
  const std::vector<double> ones(10, 1.0);
  const Memory y = send(device, stream, ones);
  KernelRun call({0, 1, 1});
  stream.run(*plan, call.memory(y.address(), y.bytes()).memory(0, 0).value(2.0));
  EXPECT_EQ(receive<double>(stream, y), ones);
}

TEST_P(KernelContract, _16_a_run_that_does_not_fit_is_refused_before_anything_happens) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  Stream stream = device.open_stream();
  const std::vector<double> ones(10, 1.0);
  const Memory x = send(device, stream, ones), y = send(device, stream, ones);
  const auto refused = [&](KernelRun& call) { return refusal([&] { stream.run(*plan, call); }); };
  const auto begin = [&](KernelRun& call) -> KernelRun& {
    return call.memory(y.address(), y.bytes()).memory(x.address(), x.bytes());
  };
  KernelRun too_few({10, 1, 1}), too_many({10, 1, 1}), narrow({10, 1, 1}),
      huge({(1LL << 31) + 1, 1, 1}), negative({-1, 1, 1}), wide_group({10, 1, 1});
  EXPECT_NE(refused(begin(too_few)).find("number of arguments"), std::string::npos);
  EXPECT_NE(refused(begin(too_many).value(2.0).value(2.0)).find("number"), std::string::npos);
  EXPECT_NE(refused(begin(narrow).value(2.0F)).find("size"), std::string::npos);
  EXPECT_NE(refused(begin(huge).value(2.0)).find("2^31"), std::string::npos);
  EXPECT_NE(refused(begin(negative).value(2.0)).find("negative"), std::string::npos);
  EXPECT_NE(refused(begin(wide_group).value(2.0).shape(1025, 1)).find("1024"), std::string::npos);
  EXPECT_EQ(receive<double>(stream, y), ones);
}

TEST_P(KernelContract, _16_an_address_of_nothing_is_refused) {
  Device device = open();
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  Stream stream = device.open_stream();
  const Memory y = allocate(device, 80);
  KernelRun missing({10, 1, 1}), beyond({10, 1, 1});
  EXPECT_NE(
      refusal([&] { stream.run(*plan, missing.memory(y.address(), 80).memory(0, 80).value(2.0)); }),
      "");
  if (device.describe().works_in_place != 0) return;  // any address is one of the host's
  EXPECT_NE(refusal([&] {
              stream.run(*plan,
                         beyond.memory(y.address(), 80).memory(y.address() + 8, 80).value(2.0));
            }),
            "");
}

TEST_P(KernelContract, _16_a_kernel_that_is_none_is_refused) {
  Device device = open();
  if (!device.open_kernel(saxpy())) GTEST_SKIP() << "it takes no kernels";
  Kernel many = saxpy(), flat = saxpy(), wide = saxpy(), local = saxpy();
  many.parameters.resize(blockyard_max_parameters + 1);
  flat.order = 4;
  wide.parameters[2].bytes = blockyard_max_value_bytes + 1;
  local.parameters[0].kind = BLOCKYARD_LOCAL;
  for (const Kernel& one : {many, flat, wide, local})
    EXPECT_NE(refusal([&] { static_cast<void>(device.open_kernel(one)); }), "");
  Kernel formless = saxpy();
  formless.host = nullptr;
  formless.opencl = formless.cuda = formless.ptx = "";
  EXPECT_FALSE(device.open_kernel(formless).has_value());
}

TEST_P(KernelContract, _16_too_much_local_memory_is_refused) {
  Device device = open();
  const auto plan = device.open_kernel(group_sum());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  Stream stream = device.open_stream();
  const Memory memory = allocate(device, 80);
  KernelRun call({10, 1, 1}), shapeless({10, 1, 1});
  const auto begin = [&](KernelRun& run) -> KernelRun& {
    return run.memory(memory.address(), 80).memory(memory.address(), 80);
  };
  EXPECT_NE(refusal([&] {
              stream.run(*plan, begin(call).local(blockyard_max_local_bytes + 1).shape(16, 1));
            }),
            "");
  EXPECT_NE(refusal([&] { stream.run(*plan, begin(shapeless).local(64)); }).find("groups"),
            std::string::npos);
}

TEST_P(KernelContract, _16_a_full_device_still_runs_kernels) {
  Device device = open("memory=4096");
  const auto plan = device.open_kernel(saxpy());
  if (!plan) GTEST_SKIP() << "it takes no form of the kernel";
  const std::vector<double> ones(256, 1.0);
  Stream stream = device.open_stream();
  const Memory x = send(device, stream, ones), y = send(device, stream, ones);
  EXPECT_FALSE(device.allocate(4096).has_value());
  KernelRun call({256, 1, 1});
  stream.run(*plan, call.memory(y.address(), y.bytes()).memory(x.address(), x.bytes()).value(4.0));
  EXPECT_EQ(receive<double>(stream, y), std::vector<double>(256, 5.0));
}

TEST_P(KernelContract, _16_a_text_that_is_wrong_is_refused_with_the_line) {
  Device device = open();
  if (!device.open_kernel(saxpy())) GTEST_SKIP() << "it takes no kernels";
  Kernel wrong = saxpy();
  wrong.host = nullptr;
  wrong.ptx = "";
  wrong.opencl =
      "void saxpy(long first, long count,\n  global double* y, global const double* x, double a) "
      "{\n  y[first] = nonsense;\n}";
  wrong.cuda =
      "__device__ void saxpy(long long first, long long count,\n  double* y, const double* x, "
      "double a) {\n  y[first] = nonsense;\n}";
  std::optional<Plan> plan;
  const std::string said = refusal([&] { plan = device.open_kernel(wrong); });
  if (said.empty()) GTEST_SKIP() << "it has no use for texts";
  EXPECT_NE(said.find("nonsense"), std::string::npos) << said;
  EXPECT_NE(said.find("saxpy:3"), std::string::npos) << said;
  EXPECT_NE(said.find(device.describe().name), std::string::npos) << said;
  EXPECT_TRUE(device.open_kernel(saxpy()).has_value()) << "and the device stays usable";
}

TEST_P(KernelContract, _16_a_text_without_its_entry_or_with_another_value_is_refused) {
  Device device = open();
  Kernel other = saxpy();
  other.host = nullptr;
  std::optional<Plan> plan;
  static_cast<void>(refusal([&] { plan = device.open_kernel(other); }));
  if (!plan) GTEST_SKIP() << "it has no use for texts";
  other.entry = "another_entry";
  EXPECT_NE(refusal([&] { plan = device.open_kernel(other); }).find("another_entry"),
            std::string::npos);
  Kernel narrow = saxpy();
  narrow.host = nullptr;
  narrow.parameters[2].bytes = 4;  // of a double
  EXPECT_NE(refusal([&] { plan = device.open_kernel(narrow); }), "");
}

INSTANTIATE_TEST_SUITE_P(All, KernelContract, ::testing::ValuesIn(backends()), name_of);

TEST(SimulatedKernels, fail_at_any_call_and_never_give_wrong_numbers) {
  const auto run = [](Device& device) {
    const std::vector<double> x = counted<double>(100);
    std::vector<double> made(100);  // both outlive what is under way when a call fails
    Stream stream = device.open_stream();
    const auto memory = device.allocate(800);
    const auto plan = device.open_kernel(saxpy());
    stream.copy_in(memory->address(), std::as_bytes(std::span(x)));
    KernelRun call({100, 1, 1});
    stream.run(*plan,
               call.memory(memory->address(), 800).memory(memory->address(), 800).value(1.0));
    stream.copy_out(std::as_writable_bytes(std::span(made)), memory->address());
    stream.synchronise();
    EXPECT_EQ(made[99], 200.0);
  };
  const std::vector<Backend> all = backends();
  const Backend& sim = *std::ranges::find(all, "sim_seed_1", &Backend::name);
  for (const std::string fault : {"fail_call=", "lose_call=", "fail_after="}) {
    int failures = 0;
    for (int number = 0; number < 12; ++number) {
      Device device(*sim.table, 0, sim.options + " " + fault + std::to_string(number));
      try {
        run(device);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::device) << error.what();
        ++failures;
      }
    }
    EXPECT_GT(failures, 2) << fault;
  }
}

TEST(SimulatedKernels, in_seeded_order_do_not_hide_that_elements_need_each_other) {
  const std::vector<Backend> all = backends();
  const auto summed = [&](const std::string& name) {
    const Backend& backend = *std::ranges::find(all, name, &Backend::name);
    Device device(*backend.table, 0, backend.options);
    Stream stream = device.open_stream();
    const std::vector<double> ones(1000, 1.0);
    const auto memory = device.allocate(8000);
    stream.copy_in(memory->address(), std::as_bytes(std::span(ones)));
    const auto plan = device.open_kernel(running_sum());
    KernelRun call({999, 1, 1});
    stream.run(*plan, call.memory(memory->address(), 8000));
    std::vector<double> made(1000);
    stream.copy_out(std::as_writable_bytes(std::span(made)), memory->address());
    stream.synchronise();
    return made.back();
  };
  EXPECT_EQ(summed("sim_lazy"), 1000.0);
  EXPECT_NE(summed("sim_seed_1"), 1000.0);
  EXPECT_EQ(summed("sim_seed_1"), summed("sim_seed_1"));
  EXPECT_NE(summed("sim_seed_1"), summed("sim_seed_2"));
}

}  // namespace
}  // namespace blockyard::device::contract
