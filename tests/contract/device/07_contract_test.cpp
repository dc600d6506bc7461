// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/operation.h"
#include "blockyard/tensor/contract.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

using tensor::ContractSpec;
using tensor::Names;
using tensor::Shape;

class Contract : public DeviceContract {
 protected:
  static Shape shape_of(const Names& names, Extent stretch = 1) {
    std::vector<Extent> extents;
    for (const int name : names.all()) extents.push_back(stretch * (2 + name));
    return Shape(extents);
  }
  /// Compares with the tensor room. All values are whole numbers that floats hold: no rounding. The
  /// blocks begin after `skipped` elements of their memory.
  template <class T>
  static void expect_like_host(const ContractSpec& spec, T alpha, T beta, Extent stretch = 1,
                               Extent skipped = 0) {
    const Shape result_shape = shape_of(spec.result, stretch);
    const Shape left_shape = shape_of(spec.left, stretch);
    const Shape right_shape = shape_of(spec.right, stretch);
    const auto left = counted<T>(skipped + left_shape.element_count());
    const auto right = counted<T>(skipped + right_shape.element_count());
    std::vector<T> expected(static_cast<std::size_t>(skipped + result_shape.element_count()), T(3));
    Device device = open();
    Stream stream = device.open_stream();
    const auto plan = device.open_plan(
        contract_operation(element_of<T>, spec, result_shape, left_shape, right_shape));
    ASSERT_TRUE(plan.has_value());
    const Memory a = send(device, stream, left), b = send(device, stream, right);
    const Memory c = send(device, stream, expected);
    const Memory workspace = allocate(device, plan->workspace_bytes());
    const auto place = [&](const Memory& memory) {
      return memory.address() + static_cast<std::uint64_t>(skipped) * sizeof(T);
    };
    stream.run(*plan, {alpha, beta, place(c), place(a), place(b), workspace.address()});
    const auto found = receive<T>(stream, c);
    const tensor::ContractPlan host(spec, result_shape, left_shape, right_shape);
    std::vector<T> scratch(static_cast<std::size_t>(host.workspace_elements()));
    tensor::run<T>(host, alpha, left.data() + skipped, right.data() + skipped, beta,
                   expected.data() + skipped, scratch);
    EXPECT_EQ(found, expected);
  }
  template <class T>
  static void expect_all_like_host() {
    expect_like_host<T>({{0, 1}, {0, 2}, {2, 1}}, 1, 0);
    expect_like_host<T>({{1, 0}, {2, 0}, {1, 2}}, 2, -1);
    expect_like_host<T>({{0, 2, 1}, {1, 3, 0}, {2, 3}}, 1, 1);
    expect_like_host<T>({{0}, {0, 1}, {1}}, 1, 0);
    expect_like_host<T>({{0, 1}, {0}, {1}}, 1, 0);
    expect_like_host<T>({{0, 1, 2}, {2, 0, 3}, {3, 2, 1}}, 1, 0);
    expect_like_host<T>({{}, {}, {}}, 3, 2);
  }
};

TEST_P(Contract, _07_contract_equals_the_host_for_all_types) {
  expect_all_like_host<float>();
  expect_all_like_host<double>();
  expect_all_like_host<tensor::c64>();
  expect_all_like_host<tensor::c128>();
}

TEST_P(Contract, _07_contract_equals_the_host_for_blocks_that_are_worth_packing) {
  // Extents that no register tile divides, and remainders of one.
  expect_like_host<double>({{0, 1}, {0, 2}, {2, 1}}, 1, 0, 17);
  expect_like_host<double>({{0, 2, 1}, {1, 3, 0}, {2, 3}}, 2, 1, 5);
  expect_like_host<double>({{0, 1, 2}, {2, 0, 3}, {3, 2, 1}}, 1, -1, 7);
  expect_like_host<double>({{0, 1, 2, 3}, {3, 4, 0}, {1, 2, 4}}, 1, 0, 3);
}

TEST_P(Contract, _07_contract_takes_blocks_that_begin_at_any_element) {
  expect_like_host<double>({{0, 1}, {0, 2}, {2, 1}}, 1, 0, 1, 1);
  expect_like_host<double>({{0, 2, 1}, {1, 3, 0}, {2, 3}}, 1, 1, 1, 1);
  expect_like_host<float>({{0, 2, 1}, {1, 3, 0}, {2, 3}}, 2, 0, 1, 3);
}

TEST_P(Contract, _07_contract_conjugates_where_asked) {
  using enum tensor::Conjugate;
  expect_like_host<tensor::c128>({{0, 1}, {0, 2}, {2, 1}, yes, no}, 1, 0);
  expect_like_host<tensor::c128>({{0, 1}, {0, 2}, {2, 1}, no, yes}, 1, 0);
  expect_like_host<tensor::c64>({{0, 2, 1}, {1, 3, 0}, {2, 3}, yes, yes}, 1, 2);
  expect_like_host<double>({{0, 1}, {0, 2}, {2, 1}, yes, yes}, 1, 0);
}

TEST_P(Contract, _07_dot_sums_all_products) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto plan = device.open_plan(dot_operation(BLOCKYARD_F64, {2, 2}));
  ASSERT_TRUE(plan.has_value());
  const auto up = counted<double>(4);
  const std::vector<double> down = {4, 3, 2, 1};
  const Memory x = send(device, stream, up), y = send(device, stream, down);
  const Memory result = allocate(device, sizeof(double));
  stream.run(*plan, {2, 0, result.address(), x.address(), y.address(), 0});
  EXPECT_EQ(receive<double>(stream, result), std::vector<double>{40});
}

TEST_P(Contract, _07_contract_of_a_lonely_name_is_refused) {
  Device device = open();
  const ContractSpec spec{{0, 1}, {0, 2}, {3, 1}};
  const auto operation = contract_operation(BLOCKYARD_F64, spec, shape_of(spec.result),
                                            shape_of(spec.left), shape_of(spec.right));
  EXPECT_THROW(static_cast<void>(device.open_plan(operation)), base::Error);
}

TEST_P(Contract, _07_operation_of_tomorrow_is_unsupported_not_an_error) {
  Device device = open();
  auto operation = dot_operation(BLOCKYARD_F64, {2});
  operation.kind = 1000;
  EXPECT_FALSE(device.open_plan(operation).has_value());
  operation = dot_operation(BLOCKYARD_F64, {2});
  operation.flags = 1U << 20;
  EXPECT_FALSE(device.open_plan(operation).has_value());
}

INSTANTIATE_TEST_SUITE_P(All, Contract, ::testing::ValuesIn(backends()), name_of);

}  // namespace
}  // namespace blockyard::device::contract
