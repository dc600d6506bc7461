// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/server.h"

#include <gtest/gtest.h>

#include "blockyard/server/detail/test_client.h"
#include "blockyard/wire/batch.h"

namespace blockyard::server {
namespace {

using array::BlockId;
using wire::Access;
using wire::PutMode;

constexpr std::size_t plenty = std::size_t{1} << 26;
constexpr BlockId some_block{1, 5};

TEST(Server, gives_back_what_was_put) {
  TestClient client({plenty});
  client.put(some_block, {1, 2, 3});
  EXPECT_EQ(client.get(some_block), (Values{1, 2, 3}));
  client.put(some_block, {4, 5, 6});
  EXPECT_EQ(client.get(some_block), (Values{4, 5, 6}));
}

TEST(Server, shares_the_memory_of_a_put_and_of_gets) {
  TestClient client({plenty});
  const auto payload = client.payload_of({1, 2});
  (void)client.ask(0, wire::PutBlock{1, some_block, PutMode::set, {}}, payload);
  EXPECT_EQ(client.get_payload(some_block), payload);
  EXPECT_EQ(client.get_payload(some_block), payload);
}

TEST(Server, keeps_a_copy_of_what_another_process_lends) {
  TestClient client({plenty});
  Values theirs{1, 2};
  const auto lent = std::make_shared<base::Buffer>(
      base::Buffer::lent(reinterpret_cast<std::byte*>(theirs.data()), 2 * sizeof(double)));
  (void)client.ask(0, wire::PutBlock{1, some_block, PutMode::set, {}}, lent);
  (void)client.ask(0, wire::PutBlock{1, {1, 7}, PutMode::add, {}}, lent);
  (void)client.ask(0, wire::PutBlock{1, {1, 7}, PutMode::add, {}}, lent);
  EXPECT_EQ(theirs, (Values{1, 2}));
  theirs = {8, 9};
  EXPECT_EQ(client.get(some_block), (Values{1, 2}));
  EXPECT_EQ(client.get({1, 7}), (Values{2, 4}));
  EXPECT_EQ(lent.use_count(), 1);
}

TEST(Server, adds_and_subtracts) {
  TestClient client({plenty});
  client.put(some_block, {1, 2}, PutMode::add);
  client.put(some_block, {10, 20}, PutMode::add);
  client.put(some_block, {100, 200}, PutMode::subtract);
  EXPECT_EQ(client.get(some_block), (Values{-89, -178}));
  client.put({1, 6}, {3, -4}, PutMode::subtract);
  EXPECT_EQ(client.get({1, 6}), (Values{-3, 4}));
}

TEST(Server, adds_elements_of_the_type_that_the_put_tells) {
  using array::ElementType;
  TestClient client({plenty});
  // One complex number 1 + 2i, and twice itself; then times i, and minus 1.
  for (int time = 0; time < 2; ++time)
    (void)client.ask(0, wire::PutBlock{1, some_block, PutMode::add, {}, ElementType::c128},
                     client.payload_of({1, 2}));
  (void)client.ask(
      0, wire::PutScalar{2, some_block, PutMode::multiply, 0, 1, {}, ElementType::c128, 1});
  (void)client.ask(
      0, wire::PutScalar{3, some_block, PutMode::subtract, 1, 1, {}, ElementType::c128, 0});
  EXPECT_EQ(client.get(some_block), (Values{-5, 2}));
  // Three f32 make a block of 12 bytes.
  const array::BlockId single{1, 9};
  (void)client.ask(0, wire::PutScalar{4, single, PutMode::set, 0.1, 3, {}, ElementType::f32, 0});
  (void)client.ask(0, wire::PutScalar{5, single, PutMode::add, 0.25, 3, {}, ElementType::f32, 0});
  const auto payload = client.get_payload(single);
  ASSERT_EQ(payload->size(), 12u);
  EXPECT_EQ(payload->as<float>()[2], 0.1f + 0.25f);
}

TEST(Server, never_changes_values_that_others_hold) {
  TestClient client({plenty});
  client.put(some_block, {1, 2});
  const auto held = client.get_payload(some_block);
  client.put(some_block, {1, 1}, PutMode::add);
  client.put_scalar(some_block, PutMode::multiply, 2, 2);
  EXPECT_EQ(held->as<double>()[0], 1.0);
  EXPECT_EQ(client.get(some_block), (Values{4, 6}));
}

TEST(Server, changes_in_place_what_nobody_else_holds) {
  TestClient client({plenty});
  client.put(some_block, {1, 2});
  const auto* const before = client.get_payload(some_block).get();
  client.put(some_block, {1, 1}, PutMode::add);
  client.put_scalar(some_block, PutMode::set, 3, 2);
  EXPECT_EQ(client.get_payload(some_block).get(), before);
}

TEST(Server, applies_scalars_to_every_element) {
  TestClient client({plenty});
  client.put(some_block, {1, 2});
  client.put_scalar(some_block, PutMode::add, 0.5, 2);
  client.put_scalar(some_block, PutMode::multiply, 2, 2);
  client.put_scalar(some_block, PutMode::subtract, 1, 2);
  EXPECT_EQ(client.get(some_block), (Values{2, 4}));
  client.put_scalar(some_block, PutMode::set, 7, 2);
  EXPECT_EQ(client.get(some_block), (Values{7, 7}));
}

TEST(Server, takes_a_block_never_written_as_zeros_before_a_scalar) {
  TestClient client({plenty});
  client.put_scalar({1, 0}, PutMode::set, 7, 3);
  client.put_scalar({1, 1}, PutMode::add, 7, 3);
  client.put_scalar({1, 2}, PutMode::subtract, 7, 3);
  client.put_scalar({1, 3}, PutMode::multiply, 7, 3);
  EXPECT_EQ(client.get({1, 0}), (Values{7, 7, 7}));
  EXPECT_EQ(client.get({1, 1}), (Values{7, 7, 7}));
  EXPECT_EQ(client.get({1, 2}), (Values{-7, -7, -7}));
  EXPECT_EQ(client.get({1, 3}), (Values{0, 0, 0}));
}

TEST(Server, says_that_a_block_was_never_written) {
  TestClient client({plenty});
  const auto failed = client.ask<wire::Failed>(0, wire::GetBlock{8, some_block, {}});
  EXPECT_EQ(failed.ticket, 8U);
  EXPECT_EQ(failed.failure, wire::Failure::never_written);
}

TEST(Server, reports_a_race_with_both_accesses) {
  TestClient client({plenty});
  const Access first{0, 100, 1, 3};
  client.put(some_block, {1}, PutMode::add, first);
  const auto failed = client.ask<wire::Failed>(1, wire::GetBlock{8, some_block, {1, 200, 1, 4}});
  EXPECT_EQ(failed, (wire::Failed{8, wire::Failure::race, first, "put +=", "get"}));
  // After a barrier all is well, and the refused access was not remembered.
  EXPECT_EQ(client.get(some_block, {1, 200, 2, 4}), (Values{1}));
}

TEST(Server, serves_a_batch_in_order_and_tells_what_is_done_in_one_message) {
  TestClient client({plenty});
  const Values added{10, 20};
  wire::BatchWriter batch;
  batch.add(wire::PutScalar{1, some_block, PutMode::set, 1, 2, {}}, {});
  batch.add(wire::PutBlock{2, some_block, PutMode::add, {}}, std::as_bytes(std::span(added)));
  batch.add(wire::PutScalar{3, some_block, PutMode::multiply, 2, 2, {}}, {});
  const auto done = client.ask<wire::DoneMany>(0, batch.take(), client.payload_of(added));
  EXPECT_EQ(done.tickets, (std::vector<wire::Ticket>{1, 2, 3}));
  EXPECT_EQ(client.get(some_block), (Values{22, 42}));
}

TEST(Server, refuses_the_put_of_a_batch_that_races_and_serves_the_others) {
  TestClient client({plenty});
  client.put(some_block, {1}, PutMode::set, {0, 100, 1, 3});
  const Access second{1, 200, 1, 4};
  wire::BatchWriter batch;
  batch.add(wire::PutScalar{4, some_block, PutMode::set, 5, 1, second}, {});
  batch.add(wire::PutScalar{5, {1, 6}, PutMode::set, 5, 1, second}, {});
  const auto failed = client.ask<wire::Failed>(1, batch.take());
  EXPECT_EQ(failed.ticket, 4U);
  EXPECT_EQ(failed.failure, wire::Failure::race);
  EXPECT_EQ(std::get<wire::DoneMany>(client.receive(1).first).tickets,
            (std::vector<wire::Ticket>{5}));
  EXPECT_EQ(client.get(some_block), (Values{1}));
}

TEST(Server, counts_put_of_a_scalar_as_put_and_its_sum_as_accumulate) {
  TestClient client({plenty});
  client.put({1, 0}, {1}, PutMode::add, {0, 1, 1, 0});
  client.put_scalar({1, 0}, PutMode::subtract, 1, 1, {1, 2, 1, 0});
  for (const PutMode mode : {PutMode::set, PutMode::multiply}) {
    const auto failed =
        client.ask<wire::Failed>(1, wire::PutScalar{8, {1, 0}, mode, 2.0, 1, {1, 2, 1, 0}});
    EXPECT_EQ(failed.failure, wire::Failure::race);
    EXPECT_EQ(failed.verb, "put");
  }
}

TEST(Server, sees_races_between_iterations_of_one_worker_only_when_checking) {
  for (const bool check : {false, true}) {
    ServerOptions options{plenty};
    options.check = check;
    TestClient client(options);
    client.put(some_block, {1}, PutMode::set, {0, 1, 1, 3});
    client.send(0, wire::GetBlock{3, some_block, {0, 2, 1, 4}});
    EXPECT_EQ(std::holds_alternative<wire::Failed>(client.receive(0).first), check);
  }
}

TEST(Server, deletes_all_blocks_of_an_array_and_no_others) {
  TestClient client({plenty});
  for (std::uint64_t number = 0; number < 5; ++number) client.put({1, number}, {1});
  client.put({2, 0}, {2});
  (void)client.ask(0, wire::DeleteArray{1, 1});
  EXPECT_TRUE(client.ask<wire::BlockList>(0, wire::ListBlocks{1, 1, ""}).numbers.empty());
  EXPECT_EQ(client.get({2, 0}), (Values{2}));
}

using Numbers = std::vector<std::uint64_t>;

TEST(Server, lists_blocks_in_the_order_in_which_they_came) {
  TestClient client({plenty});
  for (const std::uint64_t number : {9, 2, 700, 0, 2}) client.put({1, number}, {1});
  const auto list = client.ask<wire::BlockList>(0, wire::ListBlocks{1, 1, ""});
  EXPECT_EQ(list.numbers, (Numbers{9, 2, 700, 0}));
  EXPECT_EQ(client.ask<wire::BlockList>(0, wire::ListBlocks{1, 0, "t2"}),
            (wire::BlockList{1, false, {}}));
}

/// The list for a worker that knows what `before` says and `known` blocks in all; adds to these.
wire::BlockList list_more(TestClient& client, const wire::BlockList& before, std::uint64_t& known) {
  auto list = client.ask<wire::BlockList>(0, wire::ListBlocks{1, 1, "", before.generation, known});
  known = (list.generation == before.generation ? known : 0) + list.numbers.size();
  return list;
}

TEST(Server, lists_only_the_blocks_that_came_since_a_worker_asked) {
  TestClient client({plenty});
  std::uint64_t known = 0;
  auto list = list_more(client, {}, known);
  EXPECT_EQ(list, (wire::BlockList{1, true, {}}));
  for (const std::uint64_t number : {9, 2}) client.put({1, number}, {1});
  list = list_more(client, list, known);
  EXPECT_EQ(list.numbers, (Numbers{9, 2}));
  for (const std::uint64_t number : {2, 0, 9, 700}) client.put({1, number}, {1});
  list = list_more(client, list, known);
  EXPECT_EQ(list.numbers, (Numbers{0, 700}));
  list = list_more(client, list, known);
  EXPECT_EQ(list.numbers, Numbers{});
  EXPECT_EQ(known, 4U);
}

TEST(Server, lists_all_blocks_again_after_some_went) {
  TestClient client({plenty});
  client.put({1, 5}, {1});
  (void)client.ask(0, wire::KeepArray{1, 1, "t2"});
  const std::vector<wire::Any> removals = {wire::DeleteArray{1, 1}, wire::RestoreArray{1, 1, "t2"},
                                           wire::EndProgram{1}};
  for (const wire::Any& removal : removals) {
    for (const std::uint64_t number : {7, 3}) client.put({1, number}, {1});
    std::uint64_t known = 0;
    const auto before = list_more(client, {}, known);
    (void)client.ask(0, removal);
    client.put({1, 8}, {1});
    const auto after = list_more(client, before, known);
    EXPECT_NE(after.generation, before.generation);
    EXPECT_EQ(after.numbers,
              std::holds_alternative<wire::RestoreArray>(removal) ? (Numbers{5, 8}) : (Numbers{8}));
  }
}

TEST(Server, keeps_and_restores_arrays_apart_from_later_changes) {
  TestClient client({plenty});
  client.put({1, 0}, {1, 1});
  client.put({1, 1}, {2, 2});
  (void)client.ask(0, wire::KeepArray{1, 1, "t2"});
  client.put({1, 0}, {5, 5}, PutMode::add);
  client.put({1, 7}, {9, 9});
  (void)client.ask(0, wire::EndProgram{1});
  EXPECT_TRUE(client.ask<wire::BlockList>(0, wire::ListBlocks{1, 1, ""}).numbers.empty());
  EXPECT_EQ(client.ask<wire::BlockList>(0, wire::ListBlocks{1, 0, "t2"}).numbers,
            (std::vector<std::uint64_t>{0, 1}));
  (void)client.ask(0, wire::RestoreArray{1, 3, "t2"});
  client.put_scalar({3, 1}, PutMode::multiply, 10, 2);
  EXPECT_EQ(client.get({3, 0}), (Values{1, 1}));
  EXPECT_EQ(client.get({3, 1}), (Values{20, 20}));
  (void)client.ask(0, wire::RestoreArray{1, 4, "t2"});
  EXPECT_EQ(client.get({4, 1}), (Values{2, 2}));
  (void)client.ask(0, wire::KeepArray{1, 3, "t2"});
  (void)client.ask(0, wire::RestoreArray{1, 4, "t2"});
  EXPECT_EQ(client.get({4, 1}), (Values{20, 20}));
}

TEST(Server, says_that_a_label_is_not_known) {
  TestClient client({plenty});
  const auto failed = client.ask<wire::Failed>(0, wire::RestoreArray{4, 1, "t1"});
  EXPECT_EQ(failed, (wire::Failed{4, wire::Failure::no_label, {}, "", ""}));
}

TEST(Server, deals_out_loops) {
  TestClient client({plenty});
  EXPECT_EQ(client.ask<wire::Chunk>(0, wire::TakeChunk{7, 1, 12, 2}), (wire::Chunk{7, 2, 4}));
  EXPECT_EQ(client.ask<wire::Chunk>(1, wire::TakeChunk{8, 1, 12, 2}), (wire::Chunk{8, 4, 6}));
  (void)client.ask(0, wire::EndProgram{1});
  EXPECT_EQ(client.ask<wire::Chunk>(0, wire::TakeChunk{9, 1, 12, 2}), (wire::Chunk{9, 2, 4}));
}

TEST(Server, counts_what_it_does) {
  TestClient client({plenty});
  client.put({1, 0}, {1, 2});
  client.put_scalar({1, 0}, PutMode::add, 1, 2);
  (void)client.get({1, 0});
  const auto counts = client.statistics();
  EXPECT_EQ(counts.gets, 1U);
  EXPECT_EQ(counts.puts, 2U);
  EXPECT_EQ(counts.bytes_received, 16U);
  EXPECT_EQ(counts.bytes_sent, 16U);
  EXPECT_EQ(counts.peak_bytes, base::BufferPool::charge(16));
}

void expect_end(TestClient& client, const wire::Any& message, const fabric::Payload& payload,
                std::string_view cause) {
  client.send(0, message, payload);
  try {
    (void)client.receive(0);
    ADD_FAILURE() << "the server answered";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(cause), std::string::npos) << error.what();
  }
}

TEST(Server, ends_at_requests_that_make_no_sense) {
  {
    TestClient client({plenty});
    client.put(some_block, {1, 2});
    expect_end(client, wire::PutBlock{1, some_block, PutMode::add, {}}, client.payload_of({1}),
               "a put of 8 bytes does not match the block's 16 bytes");
  }
  {
    TestClient client({plenty});
    expect_end(client, wire::PutBlock{1, some_block, PutMode::set, {}}, nullptr,
               "without its values");
  }
  {
    TestClient client({plenty});
    expect_end(client, wire::PutScalar{1, some_block, PutMode::set, 1, 0, {}}, nullptr,
               "no values");
  }
  {
    TestClient client({plenty});
    client.put(some_block, {1});
    const auto list = client.ask<wire::BlockList>(0, wire::ListBlocks{1, some_block.array, ""});
    expect_end(client, wire::ListBlocks{1, some_block.array, "", list.generation, 2}, nullptr,
               "more blocks than its server has");
  }
  {
    TestClient client({plenty});
    expect_end(client, wire::Done{1}, nullptr, "only workers take");
  }
}

}  // namespace
}  // namespace blockyard::server
