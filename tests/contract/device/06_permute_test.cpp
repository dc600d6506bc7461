// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "blockyard/device/operation.h"
#include "blockyard/tensor/permute.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

using tensor::Shape;

class Permute : public DeviceContract {
 protected:
  /// Compares with the tensor room. All values are small whole numbers: no rounding.
  template <class T>
  static void expect_like_host(const Shape& shape, const std::vector<int>& to, T alpha, T beta) {
    std::vector<Extent> extents;
    for (const int from : to) extents.push_back(shape[static_cast<std::size_t>(from)]);
    const auto in = counted<T>(shape.element_count());
    std::vector<T> expected(in.size(), T(2));
    Device device = open();
    Stream stream = device.open_stream();
    const auto plan = device.open_plan(permute_operation(element_of<T>, shape, to));
    ASSERT_TRUE(plan.has_value());
    const Memory left = send(device, stream, in), result = send(device, stream, expected);
    const Memory workspace = allocate(device, plan->workspace_bytes());
    stream.run(*plan, {alpha, beta, result.address(), left.address(), 0, workspace.address()});
    const auto found = receive<T>(stream, result);
    tensor::transform<T>(alpha, tensor::View<const T>::dense(in.data(), shape), to, beta,
                         tensor::View<T>::dense(expected.data(), Shape(extents)));
    EXPECT_EQ(found, expected);
  }
};

TEST_P(Permute, _06_permute_equals_the_host_for_all_types) {
  expect_like_host<float>({3, 4, 5}, {2, 0, 1}, 1, 0);
  expect_like_host<double>({3, 4, 5}, {2, 0, 1}, 1, 0);
  expect_like_host<tensor::c64>({3, 4, 5}, {2, 0, 1}, 1, 0);
  expect_like_host<tensor::c128>({3, 4, 5}, {2, 0, 1}, 1, 0);
}

TEST_P(Permute, _06_permute_equals_the_host_for_all_orders) {
  expect_like_host<double>({}, {}, 3, 0);
  expect_like_host<double>({7}, {0}, 1, 1);
  expect_like_host<double>({6, 9}, {1, 0}, 2, 3);
  expect_like_host<double>({2, 3, 4, 5}, {3, 2, 1, 0}, 1, 0);
  expect_like_host<double>({2, 1, 2, 3, 1, 2, 2, 2}, {7, 0, 6, 1, 5, 2, 4, 3}, -1, 2);
}

TEST_P(Permute, _06_permute_equals_the_host_where_tiles_have_remainders) {
  expect_like_host<double>({40, 3, 33}, {2, 1, 0}, 1, 0);
  expect_like_host<float>({33, 67}, {1, 0}, 2, -1);
  expect_like_host<tensor::c64>({9, 5, 35, 2}, {2, 3, 0, 1}, 1, 0);
  expect_like_host<double>({40, 5, 6}, {0, 2, 1}, 3, 1);
}

TEST_P(Permute, _06_axpby_adds_blocks) {
  Device device = open();
  Stream stream = device.open_stream();
  const auto plan = device.open_plan(axpby_operation(BLOCKYARD_F64, {2, 3}));
  ASSERT_TRUE(plan.has_value());
  const auto numbers = counted<double>(6);
  const std::vector<double> ones(6, 1);
  const Memory x = send(device, stream, numbers), y = send(device, stream, ones);
  stream.run(*plan, {2, -1, y.address(), x.address(), 0, 0});
  EXPECT_EQ(receive<double>(stream, y), (std::vector<double>{1, 3, 5, 7, 9, 11}));
}

TEST_P(Permute, _06_infinity_and_what_is_no_number_are_copied_as_they_are) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<tensor::c128> values = {{infinity, 0}, {0, -infinity}, {1, 2}, {3, infinity}};
  Device device = open();
  Stream stream = device.open_stream();
  for (const bool conjugates : {false, true}) {
    auto operation = permute_operation(BLOCKYARD_C128, {2, 2}, std::vector<int>{1, 0});
    if (conjugates) operation.flags |= blockyard_conjugate_left;
    const auto plan = device.open_plan(operation);
    ASSERT_TRUE(plan.has_value());
    const Memory left = send(device, stream, values), result = send(device, stream, values);
    const Memory workspace = allocate(device, plan->workspace_bytes());
    stream.run(*plan, {1, 0, result.address(), left.address(), 0, workspace.address()});
    std::vector<tensor::c128> expected = {values[0], values[2], values[1], values[3]};
    if (conjugates)
      for (tensor::c128& one : expected) one = std::conj(one);
    EXPECT_EQ(receive<tensor::c128>(stream, result), expected);
  }
}

TEST_P(Permute, _06_permute_that_is_none_is_refused) {
  Device device = open();
  auto operation = permute_operation(BLOCKYARD_F64, {2, 3}, std::vector<int>{1, 0});
  operation.result.name[0] = 0;  // index 0 twice
  EXPECT_THROW(static_cast<void>(device.open_plan(operation)), base::Error);
  operation = permute_operation(BLOCKYARD_F64, {2, 3}, std::vector<int>{1, 0});
  operation.result.extent[0] = 7;
  EXPECT_THROW(static_cast<void>(device.open_plan(operation)), base::Error);
  operation.left.order = 100;
  EXPECT_THROW(static_cast<void>(device.open_plan(operation)), base::Error);
}

INSTANTIATE_TEST_SUITE_P(All, Permute, ::testing::ValuesIn(backends()), name_of);

}  // namespace
}  // namespace blockyard::device::contract
