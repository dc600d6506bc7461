// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/super/detail/test_operand.h"
#include "blockyard/super/form_plans.h"
#include "blockyard/super/load.h"

namespace blockyard::super {
namespace {

std::string refused(DeviceForm form, const std::string& signature = "ur") {
  Table table;
  try {
    table.add({"x",
               signature,
               [](std::span<Operand>, const Context&) {},
               {},
               {},
               std::make_shared<DeviceForm>(std::move(form))});
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    return error.what();
  }
  return "";
}

TEST(DeviceForm, IsRefusedWithWhatIsWrong) {
  EXPECT_EQ(refused({.entry = "f"}), "");
  EXPECT_NE(refused({}).find("the device form of super instruction x: it names no entry"),
            std::string::npos);
  EXPECT_NE(refused({.entry = "f"}, "rr").find("writes no operand"), std::string::npos);
  EXPECT_NE(refused({.entry = "f", .order = 4}).find("one, two or three"), std::string::npos);
  EXPECT_NE(refused({.entry = "f", .values = {{"long", 65}}}).find("1 to 64"), std::string::npos);
  EXPECT_NE(refused({.entry = "f", .values = {{"", 8}}}).find("without a type"), std::string::npos);
  EXPECT_NE(refused({.entry = "f", .types = "f64 f32 f32"}).find("for 3 operands, but it has 2"),
            std::string::npos);
  EXPECT_NE(refused({.entry = "f", .types = "f16"}).find("'f16' is not an element type"),
            std::string::npos);
}

TEST(DeviceForm, OfALibraryRunsOnADevice) {
  const Library library(BLOCKYARD_SUPER_FORMS);
  Table table;
  library.add_to(table);
  device::Device device(device::sim::table(), 0, "seed=7");
  device::Stream stream = device.open_stream();
  TestOperand b("b", {3, 2}, Access::write);
  b.values.assign(6, 0.0);
  const std::vector<Operand> operands = {b.view()};
  const std::map<std::string, std::int64_t, std::less<>> ints = {{"start", 5}};
  Context context;
  const Entry& entry = *table.find("number");
  EXPECT_FALSE(prepared(entry, operands, context)) << "without the constant the host reports it";
  context.ints = &ints;
  const auto call = prepared(entry, operands, context);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->extents[0], 6);
  FormPlans plans;
  const auto& plan = plans.of(device, entry, operands);
  ASSERT_TRUE(plan);
  const auto memory = device.allocate(48);
  ASSERT_TRUE(memory);
  const device::Address address = memory->address();
  device::KernelRun run(call->extents);
  add_arguments(run, entry, operands, std::span(&address, 1), *call);
  stream.copy_in(address, std::as_bytes(std::span(b.values)));
  stream.run(*plan, run);
  stream.copy_out(std::as_writable_bytes(std::span(b.values)), address);
  stream.synchronise();
  EXPECT_EQ(b.values, (std::vector<double>{5, 6, 7, 8, 9, 10}));
}

TEST(DeviceForm, IsNotForOperandsOfAnotherTypeNorForNumbersThatAreWritten) {
  const Library library(BLOCKYARD_SUPER_FORMS);
  Table table;
  library.add_to(table);
  TestOperand b("b", {2}, Access::update);
  double factor = 2;
  std::vector<Operand> operands = {b.view(), {}};
  operands[1].values = {&factor, 1};
  EXPECT_TRUE(prepared(*table.find("scale"), operands, {}));
  operands[1].access = Access::update;
  EXPECT_FALSE(prepared(*table.find("scale"), operands, {}));
  operands[1].access = Access::read;
  operands[0].type = array::ElementType::f32;
  EXPECT_FALSE(prepared(*table.find("scale"), operands, {}));
}

TEST(DeviceForm, OfAnInstructionThatALibraryHasNotIsRefused) {
  try {
    const Library library(BLOCKYARD_SUPER_FORM_OF_NOTHING);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("a device form of 'twice', which is not an instruction"),
        std::string::npos);
  }
}

}  // namespace
}  // namespace blockyard::super
