// SPDX-License-Identifier: Apache-2.0
// Rings with slices and slots on devices. The device `sim` works whenever it likes, within the
// rules of streams and events: reading what is not written yet, or is overwritten, gives a wrong
// number here. Sums of integers do not depend on the order of items.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>

#include "blockyard/base/error.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/ring/detail/slots.h"
#include "blockyard/ring/kernel_update.h"
#include "blockyard/ring/ring.h"
#include "blockyard/ring/team.h"

namespace blockyard::ring {
namespace {

constexpr Extent units = 13;
constexpr int items = 30;

/// slice[i] += head * item[begin + i] for i in the range.
void add_item(const blockyard_range* range, void* const* arguments) {
  auto* slice = static_cast<double*>(arguments[0]);
  const auto* item = static_cast<const double*>(arguments[1]);
  const auto begin = *static_cast<const std::int64_t*>(arguments[2]);
  const auto head = *static_cast<const double*>(arguments[5]);
  for (std::int64_t i = range->first; i < range->first + range->count; ++i)
    slice[i] += head * item[begin + i];
}

KernelForms forms() {
  KernelForms forms;
  forms.entry = "add_item";
  forms.host = add_item;
  forms.opencl =
      "void add_item(long first, long count, global double* slice, global const double* item,\n"
      "              long begin, long end, long bytes, double head) {\n"
      "  for (long i = first; i < first + count; ++i) slice[i] += head * item[begin + i];\n}\n";
  forms.head_type = "double";
  forms.head_bytes = sizeof(double);
  return forms;
}

class HostUpdate final : public Update {
 public:
  explicit HostUpdate(Range range) : range_(range) {}
  void apply(std::span<const Item> all, const Slice& slice, device::Stream* /*stream*/) override {
    for (const Item& item : all) {
      ASSERT_EQ(static_cast<std::size_t>(item.bytes), item.payload.size());
      double head = 0;
      std::memcpy(&head, item.head.data(), sizeof head);
      const std::array<void*, 6> arguments{
          slice.host.data(), const_cast<std::byte*>(item.payload.data()),
          &range_.begin,     nullptr,
          nullptr,           &head};
      const blockyard_range all_of_it{0, range_.count(), 0, 0, 0};
      add_item(&all_of_it, arguments.data());
    }
  }

 private:
  Range range_;
};

struct Case {
  int ranks = 1;
  Options options = {};
  int devices = 1;        ///< ranks take them in turn
  bool has_host = false;  ///< the last rank has none
  bool makes_on_device = false;
  std::string device_options = {};
};

/// Longer than units, by a number that differs between items.
std::size_t length_of(int number) { return units + static_cast<std::size_t>(number % 5) * 100; }
double value_of(int number) { return number % 3 == 0 ? -number : 2.0 * number; }

void give(Ring& ring, base::BufferPool& pool, int number, bool makes_on_device) {
  const double head = number % 2 == 0 ? 1 : -3;
  const auto bytes = std::as_bytes(std::span(&head, 1));
  const std::size_t length = length_of(number);
  if (makes_on_device)
    return ring.give(bytes, static_cast<Extent>(length * sizeof(double)),
                     [&](device::Address at, device::Stream& stream) {
                       stream.fill(at, BLOCKYARD_F64, value_of(number),
                                   static_cast<Extent>(length));
                     });
  base::Buffer payload = pool.allocate(length * sizeof(double));
  std::fill_n(payload.as<double>(), length, value_of(number));
  ring.give(bytes, std::make_shared<const base::Buffer>(std::move(payload)));
}

double expected() {
  double sum = 0;
  for (int number = 0; number < items; ++number)
    sum += (number % 2 == 0 ? 1 : -3) * value_of(number);
  return sum;
}

/// Runs a ring; every value of every slice is the same sum.
void expect_right(const device::Table& table, const Case& what) {
  SCOPED_TRACE(what.device_options + ", ranks " + std::to_string(what.ranks));
  std::deque<device::Device> devices;
  for (int k = 0; k < what.devices; ++k)
    devices.emplace_back(table, k % device::device_count(table), what.device_options);
  base::BufferPool pool(std::size_t{1} << 26);
  const Layout layout(what.ranks, what.ranks, units);
  Team team;
  team.ranks_here = what.ranks;
  run_team(team, pool, [&](fabric::Fabric& fabric) {
    Member member(fabric);
    const int rank = fabric.rank();
    const Range range = layout.range(layout.seat(rank));
    std::vector<double> slice(static_cast<std::size_t>(range.count()), 0.0);
    const auto bytes = std::as_writable_bytes(std::span(slice));
    const auto run = [&](Update& update, const Slice& where) {
      Ring ring(member, layout, what.options, update, where);
      for (int number = 0; number < items; ++number)
        if (number % what.ranks == rank)
          give(ring, pool, number, what.makes_on_device && where.device != nullptr);
      ring.finish();
      EXPECT_EQ(ring.counts().applied, items);
    };
    if (what.has_host && rank == what.ranks - 1) {
      HostUpdate update(range);
      run(update, Slice::on_host(bytes));
    } else {
      device::Device& device = devices[static_cast<std::size_t>(rank % what.devices)];
      auto update = KernelUpdate::open(device, forms(), range, range.count());
      ASSERT_TRUE(update);
      const auto memory = device.allocate(static_cast<Extent>(bytes.size()));
      device::Stream stream = device.open_stream();
      stream.fill(memory->address(), BLOCKYARD_F64, 0.0, range.count());
      stream.synchronise();
      run(*update, Slice::on_device(device, *memory));
      stream.copy_out(bytes, memory->address());
      stream.synchronise();
    }
    for (const double value : slice) EXPECT_EQ(value, expected());
  });
}

std::vector<Case> cases(const std::string& device_options) {
  const Options ring, two_lanes{Route::ring, Direction::both, 2, 2, 1},
      direct{Route::direct, Direction::right, 1, 2, 3};
  return {
      {1, ring, 1, false, true, device_options},      {3, ring, 1, false, true, device_options},
      {3, two_lanes, 3, false, true, device_options}, {3, direct, 2, false, true, device_options},
      {3, ring, 3, false, false, device_options},     {4, two_lanes, 2, true, true, device_options},
      {4, direct, 3, true, false, device_options}};
}

TEST(DeviceRing, nothing_is_read_before_it_is_written_nor_overwritten_before_it_is_read) {
  for (int seed = 0; seed < 8; ++seed)
    for (const Case& what : cases(seed == 7 ? "page=0 seed=7" : "seed=" + std::to_string(seed)))
      expect_right(device::sim::table(), what);
}

TEST(DeviceRing, works_in_memory_of_the_host) {
  for (const Case& what : cases("")) expect_right(device::host::table(), what);
}

TEST(DeviceRing, a_failing_device_ends_the_run_with_its_cause) {
  for (const int after : {3, 10, 30}) try {
      expect_right(device::sim::table(),
                   {3, {}, 3, false, true, "seed=1 fail_after=" + std::to_string(after)});
      FAIL() << "nothing was thrown";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::Errc::device) << error.what();
    }
}

TEST(DeviceRing, without_room_for_an_item_it_says_what_to_do) {
  try {
    expect_right(device::sim::table(), {1, {}, 1, false, false, "memory=2000"});
    FAIL() << "nothing was thrown";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::no_memory);
    EXPECT_NE(std::string(error.what()).find("fewer slots"), std::string::npos) << error.what();
  }
}

TEST(Slots, an_item_of_any_length_takes_a_slot_that_is_free) {
  device::Device device(device::sim::table(), 0);
  base::BufferPool pool(std::size_t{1} << 20);
  const auto slots = std::make_shared<Slots>(device);
  const auto fill = [&](std::size_t bytes) {
    (void)slots->fill(std::make_shared<const base::Buffer>(pool.allocate(bytes)));
  };
  for (const std::size_t bytes : {0, 8, 31, 64, 1000}) {
    fill(bytes);
    const std::int64_t peak = slots->peak_bytes();
    fill(bytes);
    EXPECT_EQ(slots->peak_bytes(), peak) << bytes;
  }
}

TEST(KernelUpdate, a_device_that_takes_no_form_leaves_it_to_the_host) {
  device::Device device(device::sim::table(), 0);
  KernelForms opencl_only = forms();
  opencl_only.host = nullptr;
  EXPECT_FALSE(KernelUpdate::open(device, opencl_only, {0, units}, units));
}

TEST(KernelUpdate, refuses_a_slice_of_more_values_than_a_grid_has) {
  device::Device device(device::sim::table(), 0);
  constexpr Extent most = Extent{1} << 31;
  EXPECT_TRUE(KernelUpdate::open(device, forms(), {0, units}, most));
  try {
    (void)KernelUpdate::open(device, forms(), {0, units}, most + 1);
    FAIL() << "nothing was thrown";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find("slice of 2147483649 values"), std::string::npos);
  }
}

TEST(KernelUpdate, refuses_a_head_that_is_too_short) {
  device::Device device(device::sim::table(), 0);
  auto update = KernelUpdate::open(device, forms(), {0, units}, units);
  const auto memory = device.allocate(units * 8);
  device::Stream stream = device.open_stream();
  const std::array<Item, 1> all{Item{0, 0, {}, {}, units * 8, memory->address()}};
  EXPECT_THROW(update->apply(all, Slice::on_device(device, *memory), &stream), base::Error);
}

TEST(KernelUpdate, refuses_an_item_that_is_no_whole_number_of_values) {
  device::Device device(device::sim::table(), 0);
  auto update = KernelUpdate::open(device, forms(), {0, units}, units);
  const auto memory = device.allocate(units * 8);
  device::Stream stream = device.open_stream();
  const double head = 1;
  const std::array<Item, 1> all{
      Item{0, 0, std::as_bytes(std::span(&head, 1)), {}, units * 8 - 4, memory->address()}};
  EXPECT_THROW(update->apply(all, Slice::on_device(device, *memory), &stream), base::Error);
}

}  // namespace
}  // namespace blockyard::ring
