// SPDX-License-Identifier: Apache-2.0
#include "blockyard/wire/batch.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::wire {
namespace {

const std::vector<std::byte> sixteen(16, std::byte{7});

/// A block, a scalar, a block, and the payload of their values.
std::pair<Batch, std::vector<std::byte>> three() {
  BatchWriter writer;
  writer.add(PutBlock{1, {2, 3}, PutMode::add, {}}, sixteen);
  writer.add(PutScalar{2, {2, 4}, PutMode::add, 0.5, 2, {}}, {});
  writer.add(PutBlock{3, {2, 5}, PutMode::set, {}}, std::span(sixteen).first(8));
  EXPECT_EQ(writer.count(), 3U);
  std::vector<std::byte> payload(writer.values().begin(), writer.values().end());
  Batch batch = writer.take();
  EXPECT_EQ(writer.count(), 0U);
  EXPECT_TRUE(writer.values().empty());
  EXPECT_EQ(writer.values().data(), nullptr) << "it keeps memory";
  return {std::move(batch), std::move(payload)};
}

TEST(Batch, brings_back_the_puts_in_order_with_their_values) {
  const auto [batch, payload] = three();
  const auto all = parts(std::get<Batch>(decode(encode(batch))), payload);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(std::get<PutBlock>(all[0].put), (PutBlock{1, {2, 3}, PutMode::add, {}}));
  EXPECT_EQ(all[0].values.size(), 16U);
  EXPECT_EQ(std::get<PutScalar>(all[1].put).value, 0.5);
  EXPECT_TRUE(all[1].values.empty());
  EXPECT_EQ(std::get<PutBlock>(all[2].put).ticket, 3U);
  EXPECT_EQ(all[2].values.size(), 8U);
}

TEST(Batch, refuses_lengths_that_do_not_fit) {
  const auto refused = [](const Batch& batch, std::span<const std::byte> payload) {
    try {
      return parts(batch, payload).empty();
    } catch (const base::Error& error) {
      return error.code() == base::Errc::comm;
    }
  };
  const auto [batch, payload] = three();
  EXPECT_TRUE(refused(batch, std::span(payload).first(23)));
  auto changed = batch;
  changed.payload_bytes.pop_back();
  EXPECT_TRUE(refused(changed, payload));
  changed = batch;
  changed.head_bytes.back() = ~std::uint64_t{0};
  EXPECT_TRUE(refused(changed, payload));
  changed = batch;
  changed.payload_bytes.back() = 7;
  EXPECT_TRUE(refused(changed, payload));
}

}  // namespace
}  // namespace blockyard::wire
