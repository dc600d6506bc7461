// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/workspaces.h"

#include <gtest/gtest.h>

#include "blockyard/device/abi_kinds.h"
#include "blockyard/device/host/host.h"

namespace blockyard::device::host {
namespace {

/// A plan for the spectrum of a matrix, which need not be there.
blockyard_status open_spectrum(std::uint32_t element, std::uint32_t flags, std::int64_t rows,
                               std::int64_t columns) {
  const std::int64_t least = std::min(rows, columns);
  const bool is_singular = (flags & blockyard_singular) != 0;
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_SPECTRUM;
  operation.element = element;
  operation.flags = flags;
  operation.result = {2, {0, 1}, {rows, is_singular ? least : columns}};
  operation.left = {2, {0, 1}, {is_singular ? rows : 1, is_singular ? columns : 1}};
  operation.right = {1, {0}, {least + 1}};
  blockyard_device* device = nullptr;
  blockyard_plan* plan = nullptr;
  EXPECT_EQ(table().open(0, "", &device), BLOCKYARD_OK);
  const blockyard_status status = table().plan_open(device, &operation, &plan);
  table().close(device);
  return status;
}

TEST(Workspaces, are_never_shorter_than_their_routine_allows) {
  const Lengths shortest = syevd_lengths(false, true, 2896);
  EXPECT_EQ(length_of(16791008.0F, shortest.work), 16791009) << "a float of 24 bits";
  EXPECT_EQ(length_of(-2147418111.0, shortest.work), 16791009) << "a count that wrapped";
  EXPECT_EQ(length_of(std::complex<float>(20000000), shortest.work), 20000000);
}

TEST(Workspaces, a_matrix_whose_workspace_32_bits_do_not_count_is_refused) {
  constexpr std::uint32_t vectors = blockyard_vectors, singular = blockyard_singular | vectors;
  EXPECT_EQ(open_spectrum(BLOCKYARD_F64, vectors, 32766, 32766), BLOCKYARD_OK);
  EXPECT_EQ(open_spectrum(BLOCKYARD_F64, vectors, 32767, 32767), BLOCKYARD_UNSUPPORTED);
  EXPECT_EQ(open_spectrum(BLOCKYARD_C128, vectors, 32767, 32767), BLOCKYARD_UNSUPPORTED);
  EXPECT_EQ(open_spectrum(BLOCKYARD_F64, 0, 40000, 40000), BLOCKYARD_OK);
  EXPECT_EQ(open_spectrum(BLOCKYARD_F64, singular, 23169, 23169), BLOCKYARD_OK);
  EXPECT_EQ(open_spectrum(BLOCKYARD_F64, singular, 40000, 23170), BLOCKYARD_UNSUPPORTED);
  EXPECT_EQ(open_spectrum(BLOCKYARD_C64, singular, 30000, 30000), BLOCKYARD_UNSUPPORTED);
  EXPECT_EQ(open_spectrum(BLOCKYARD_F32, blockyard_singular, 300000000, 300000000),
            BLOCKYARD_UNSUPPORTED);
}

}  // namespace
}  // namespace blockyard::device::host
