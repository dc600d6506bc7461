// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/base/test_worked_example.h"
#include "blockyard/wire/messages.h"

namespace blockyard::wire {
namespace {

/// One message of each kind, no field with its default value.
std::vector<Any> one_of_each() {
  const array::BlockId block{3, 0x1122334455667788};
  const Access access{1, 42, 7, 9};
  const std::vector<std::byte> bytes{std::byte{1}, std::byte{0xff}, std::byte{0}};
  return {GetBlock{1, block, access},
          PutBlock{2, block, PutMode::subtract, access, array::ElementType::c128},
          PutScalar{3, block, PutMode::multiply, -0.5, 4096, access, array::ElementType::c64, 2.5},
          DeleteArray{4, -1},
          ListBlocks{5, 2, "amplitudes", 3, 1000},
          KeepArray{6, 2, std::string("with\0zero", 9)},
          RestoreArray{7, 2, "t2"},
          EndProgram{8},
          TakeChunk{9, 77, 1'000'000'000'000, 64},
          AskStatistics{10},
          Shutdown{},
          BlockData{11},
          Done{12},
          Failed{13, Failure::race, access, "put", "get"},
          BlockList{14, true, {0, 5, ~std::uint64_t{0}}, 3},
          Chunk{15, 100, 200},
          Statistics{16, {1, 2, 3, 4, 5, 6, 7}},
          Collect{17, 2, 42, bytes},
          Spread{18, bytes},
          SaveBlocks{19, "checkpoint/server-1", 99},
          LoadBlocks{20, "checkpoint/server-", 99, 2, 3, 4},
          Batch{{46, 60}, {8, 0}, bytes},
          DoneMany{{21, 22}}};
}

TEST(Encode, brings_back_every_kind_of_message) {
  const auto messages = one_of_each();
  ASSERT_EQ(messages.size(), std::variant_size_v<Any>);
  for (std::size_t kind = 0; kind < messages.size(); ++kind) {
    ASSERT_EQ(messages[kind].index(), kind);
    EXPECT_EQ(decode(encode(messages[kind])), messages[kind]) << "kind " << kind;
  }
}

TEST(Encode, brings_back_empty_strings_and_lists) {
  for (const Any& message : {Any(ListBlocks{}), Any(BlockList{}), Any(Collect{}), Any(Failed{})})
    EXPECT_EQ(decode(encode(message)), message);
}

void expect_refused(std::span<const std::byte> bytes, const std::string& what) {
  try {
    const Any message = decode(bytes);
    ADD_FAILURE() << what << " was taken as kind " << message.index();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::comm) << what << ": " << error.what();
  }
}

TEST(Decode, refuses_a_message_cut_at_any_length) {
  for (const Any& message : one_of_each()) {
    const auto bytes = encode(message);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      expect_refused(std::span(bytes).first(length), "a cut message");
  }
}

TEST(Decode, refuses_a_message_with_a_byte_too_many) {
  for (const Any& message : one_of_each()) {
    auto bytes = encode(message);
    bytes.push_back(std::byte{0});
    expect_refused(bytes, "an overlong message");
  }
}

TEST(Decode, refuses_every_unknown_kind) {
  for (std::size_t kind = std::variant_size_v<Any>; kind < 256; ++kind) {
    std::vector<std::byte> bytes(64);
    bytes[0] = static_cast<std::byte>(kind);
    expect_refused(bytes, "an unknown kind");
  }
}

TEST(Decode, refuses_a_put_mode_a_failure_and_a_truth_value_that_do_not_exist) {
  auto put = encode(PutBlock{});
  put[1 + 8 + 12] = std::byte{4};
  expect_refused(put, "put mode 4");
  put = encode(PutBlock{});
  put.back() = std::byte{4};
  expect_refused(put, "element type 4");
  auto failed = encode(Failed{});
  failed[1 + 8] = std::byte{3};
  expect_refused(failed, "failure 3");
  auto list = encode(BlockList{});
  list[1 + 8] = std::byte{2};
  expect_refused(list, "truth value 2");
}

TEST(Decode, refuses_a_length_that_promises_more_than_there_is) {
  auto bytes = encode(Spread{1, {}});
  for (std::size_t i = 9; i < 17; ++i) bytes[i] = std::byte{0xff};
  expect_refused(bytes, "a huge length");
}

TEST(Encode, gives_the_bytes_of_the_worked_example_in_docs) {
  const Any message = PutBlock{258, {3, 17}, PutMode::add, {1, 42, 7, 9}, array::ElementType::c128};
  EXPECT_EQ(encode(message), base::worked_example(BLOCKYARD_SOURCE_DIR "/docs/wire.md"));
}

TEST(Messages, are_listed_in_the_page_under_their_kinds) {
  std::ifstream file(BLOCKYARD_SOURCE_DIR "/docs/wire.md");
  std::stringstream page;
  page << file.rdbuf();
  for (std::size_t kind = 0; kind < message_names.size(); ++kind) {
    const std::string row = fmt::format("| {} | {} |", kind, message_names[kind].type);
    EXPECT_NE(page.str().find(row), std::string::npos) << "docs/wire.md lacks " << row;
  }
}

}  // namespace
}  // namespace blockyard::wire
