// SPDX-License-Identifier: Apache-2.0
// A server whose blocks do not fit its memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "blockyard/server/detail/test_client.h"
#include "blockyard/store/faulty.h"
#include "blockyard/store/memory.h"

namespace blockyard::server {
namespace {

using array::BlockId;
using wire::PutMode;

constexpr std::size_t block_count = 1000;
const std::size_t block_charge = base::BufferPool::charge(block_count * sizeof(double));

ServerOptions room_for(std::size_t blocks) { return {blocks * block_charge, "scratch"}; }

Values block_of(double value) { return Values(block_count, value); }

TEST(SpillingServer, holds_a_hundred_blocks_in_the_memory_of_three) {
  store::MemoryStore files;
  TestClient client(room_for(3), files);
  for (std::uint64_t number = 0; number < 100; ++number)
    client.put({1, number}, block_of(static_cast<double>(number)));
  for (std::uint64_t number = 0; number < 100; ++number)
    client.put({1, number}, block_of(0.5), PutMode::add);
  for (std::uint64_t number = 100; number-- > 0;)
    ASSERT_EQ(client.get({1, number}), block_of(static_cast<double>(number) + 0.5));
  const auto counts = client.statistics();
  EXPECT_LE(counts.peak_bytes, 3 * block_charge);
  EXPECT_GE(counts.spilled_bytes, 97 * block_count * sizeof(double));
  EXPECT_GE(counts.read_back_bytes, 97 * block_count * sizeof(double));
}

TEST(SpillingServer, works_in_the_memory_of_one_block) {
  store::MemoryStore files;
  TestClient client(room_for(1), files);
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t number = 0; number < 5; ++number)
      client.put({1, number}, block_of(1), PutMode::add);
  for (std::uint64_t number = 0; number < 5; ++number)
    ASSERT_EQ(client.get({1, number}), block_of(3));
  EXPECT_LE(client.statistics().peak_bytes, block_charge);
}

TEST(SpillingServer, does_not_write_unchanged_blocks_again) {
  store::MemoryStore files;
  TestClient client(room_for(4), files);
  for (std::uint64_t number = 0; number < 8; ++number) client.put({1, number}, block_of(2));
  for (int round = 0; round < 10; ++round)
    for (std::uint64_t number = 0; number < 8; ++number)
      ASSERT_EQ(client.get({1, number}), block_of(2));
  EXPECT_EQ(client.statistics().spilled_bytes, 8 * block_count * sizeof(double));
}

TEST(SpillingServer, replaces_a_block_on_disk_without_reading_it) {
  store::MemoryStore files;
  TestClient client(room_for(2), files);
  for (std::uint64_t number = 0; number < 6; ++number) client.put({1, number}, block_of(1));
  client.put({1, 0}, block_of(7));
  client.put_scalar({1, 1}, PutMode::set, 8, block_count);
  EXPECT_EQ(client.statistics().read_back_bytes, 0U);
  EXPECT_EQ(client.get({1, 0}), block_of(7));
  EXPECT_EQ(client.get({1, 1}), block_of(8));
}

TEST(SpillingServer, answers_for_blocks_in_memory_while_others_come_from_disk) {
  store::MemoryStore files;
  TestClient client(room_for(3), files);
  for (std::uint64_t number = 0; number < 9; ++number) client.put({1, number}, block_of(1));
  // All at once: each answer has its own ticket, in whatever order they come.
  for (std::uint64_t number = 0; number < 9; ++number)
    client.send(0, wire::GetBlock{100 + number, {1, number}, {}});
  std::vector<std::uint64_t> tickets;
  for (int i = 0; i < 9; ++i)
    tickets.push_back(std::get<wire::BlockData>(client.receive(0).first).ticket);
  std::sort(tickets.begin(), tickets.end());
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(tickets[i], 100 + i);
}

TEST(SpillingServer, shares_blocks_on_disk_between_an_array_and_a_label) {
  store::MemoryStore files;
  TestClient client(room_for(3), files);
  for (std::uint64_t number = 0; number < 10; ++number) client.put({1, number}, block_of(1));
  (void)client.ask(0, wire::KeepArray{1, 1, "old"});
  for (std::uint64_t number = 0; number < 10; ++number)
    client.put({1, number}, block_of(1), PutMode::add);
  (void)client.ask(0, wire::RestoreArray{1, 2, "old"});
  for (std::uint64_t number = 0; number < 10; ++number) {
    ASSERT_EQ(client.get({1, number}), block_of(2));
    ASSERT_EQ(client.get({2, number}), block_of(1));
  }
}

TEST(SpillingServer, says_what_it_needs_if_one_block_does_not_fit) {
  store::MemoryStore files;
  TestClient client({100, "scratch"}, files);
  client.send(0, wire::PutBlock{1, {1, 0}, PutMode::set, {}}, client.payload_of(block_of(1)));
  try {
    (void)client.receive(0);
    ADD_FAILURE() << "the server answered";
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("server 0: its memory of 100 B is too small: 8.0 KiB are needed"),
              std::string::npos)
        << text;
  }
}

TEST(SpillingServer, has_no_file_with_a_name_that_could_be_left) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "has_no_file_with_a_name";
  std::filesystem::create_directories(folder);
  {
    TestClient client({2 * block_charge, folder});
    for (std::uint64_t number = 0; number < 9; ++number) client.put({1, number}, block_of(1));
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "unlinked once open";
    EXPECT_EQ(client.get({1, 0}), block_of(1));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

/// Puts and gets until the server ends; the cause it gives.
std::string cause_of_end(store::Store& files) {
  TestClient client(room_for(3), files);
  try {
    for (int round = 0; round < 3; ++round)
      for (std::uint64_t number = 0; number < 20; ++number)
        client.put({1, number}, block_of(1), PutMode::add);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(SpillingServer, ends_with_the_cause_when_the_disk_fails) {
  using store::Call;
  using store::Fault;
  struct Case {
    Fault fault;
    std::string expected;
  };
  const Case cases[] = {
      {{Call::open, Fault::Kind::fail, 0}, "cannot open scratch/"},
      {{Call::write_at, Fault::Kind::fail, 0}, "cannot write scratch/"},
      {{Call::write_at, Fault::Kind::fail, 9}, "No space left on device"},
      {{Call::write_at, Fault::Kind::short_write, 8}, "No space left on device"},
      {{Call::read_at, Fault::Kind::fail, 5}, "cannot read scratch/"},
      {{Call::read_at, Fault::Kind::flip_bit, 7}, "its checksum is wrong"},
      {{Call::write_at, Fault::Kind::flip_bit, 8, 6}, "its checksum is wrong"},
  };
  for (const Case& test : cases) {
    store::MemoryStore inner;
    store::FaultyStore files(inner, test.fault);
    const std::string cause = cause_of_end(files);
    EXPECT_NE(cause.find(test.expected), std::string::npos)
        << "expected '" << test.expected << "', got '" << cause << "'";
  }
}

/// What a server should hold, as plainly as possible.
struct Model {
  struct Array {
    std::map<std::uint64_t, Values> blocks;
    std::vector<std::uint64_t> numbers;  ///< in the order in which the blocks came
  };
  std::map<int, Array> arrays;
  std::map<std::string, Array> labels;
};

/// Sends random requests, several before it hears the answers, and compares with the model.
class RandomTalk {
 public:
  RandomTalk(TestClient& client, std::uint64_t seed) : client_(client), draw_(seed) {}

  void run(int requests) {
    for (int i = 0; i < requests; ++i) {
      request();
      if (one_of(12) == 0) hear_all();
      // What it did not expect it has heard: it would wait for that for ever.
      if (testing::Test::HasFatalFailure()) return;
    }
    hear_all();
  }

 private:
  std::uint64_t one_of(std::uint64_t count) { return draw_() % count; }

  void send(const wire::Any& message, wire::Any reply, Values values = {},
            fabric::Payload payload = nullptr) {
    client_.send(0, message, std::move(payload));
    expected_[ticket_++] = {std::move(reply), std::move(values)};
  }

  void request() {
    const BlockId id{static_cast<int>(one_of(3)), one_of(10)};
    const std::string label = one_of(2) == 0 ? "a" : "b";
    const auto kind = one_of(100);
    if (kind < 40) return get(id);
    if (kind < 70) return put(id);
    if (kind < 90) return put_scalar(id);
    if (kind < 92) return keep(id.array, label);
    if (kind < 95) return restore(id.array, label);
    if (kind < 97) return list(id.array);
    if (kind < 99) {
      model_.arrays.erase(id.array);
      return send(wire::DeleteArray{ticket_, id.array}, wire::Done{ticket_});
    }
    if (one_of(5) != 0) return;
    model_.arrays.clear();
    send(wire::EndProgram{ticket_}, wire::Done{ticket_});
  }

  void get(const BlockId& id) {
    const auto& array = model_.arrays[id.array];
    const auto found = array.blocks.find(id.number);
    if (found == array.blocks.end()) {
      send(wire::GetBlock{ticket_, id, {}},
           wire::Failed{ticket_, wire::Failure::never_written, {}, "", "get"});
    } else {
      send(wire::GetBlock{ticket_, id, {}}, wire::BlockData{ticket_}, found->second);
    }
  }

  /// Blocks differ in length, but each keeps its own.
  static std::size_t length_of(const BlockId& id) { return block_count - 100 * (id.number % 4); }

  void put(const BlockId& id) {
    const auto mode = static_cast<PutMode>(one_of(3));
    const Values given(length_of(id), static_cast<double>(one_of(100)));
    auto& values = value_of(id);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (mode == PutMode::set) values[i] = given[i];
      if (mode == PutMode::add) values[i] += given[i];
      if (mode == PutMode::subtract) values[i] -= given[i];
    }
    send(wire::PutBlock{ticket_, id, mode, {}}, wire::Done{ticket_}, {}, client_.payload_of(given));
  }

  void put_scalar(const BlockId& id) {
    const auto mode = static_cast<PutMode>(one_of(4));
    const double scalar = static_cast<double>(one_of(3));
    auto& values = value_of(id);
    for (double& value : values) {
      if (mode == PutMode::set) value = scalar;
      if (mode == PutMode::add) value += scalar;
      if (mode == PutMode::subtract) value -= scalar;
      if (mode == PutMode::multiply) value *= scalar;
    }
    const auto count = static_cast<std::int64_t>(values.size());
    send(wire::PutScalar{ticket_, id, mode, scalar, count, {}}, wire::Done{ticket_});
  }

  Values& value_of(const BlockId& id) {
    Model::Array& array = model_.arrays[id.array];
    auto& values = array.blocks[id.number];
    if (values.empty()) {
      values.resize(length_of(id));
      array.numbers.push_back(id.number);
    }
    return values;
  }

  void keep(int array, const std::string& label) {
    Model::Array& kept = model_.labels[label] = model_.arrays[array];
    std::ranges::sort(kept.numbers);
    send(wire::KeepArray{ticket_, array, label}, wire::Done{ticket_});
  }

  void restore(int array, const std::string& label) {
    const auto found = model_.labels.find(label);
    if (found == model_.labels.end()) {
      send(wire::RestoreArray{ticket_, array, label},
           wire::Failed{ticket_, wire::Failure::no_label, {}, "", ""});
    } else {
      model_.arrays[array] = found->second;
      send(wire::RestoreArray{ticket_, array, label}, wire::Done{ticket_});
    }
  }

  void list(int array) {
    send(wire::ListBlocks{ticket_, array, ""},
         wire::BlockList{ticket_, true, model_.arrays[array].numbers});
  }

  void hear_all() {
    while (!expected_.empty()) {
      auto [reply, payload] = client_.receive(0);
      const auto ticket = std::visit(
          [](const auto& message) -> wire::Ticket {
            if constexpr (requires { message.ticket; }) return message.ticket;
            return 0;
          },
          reply);
      if (auto* list = std::get_if<wire::BlockList>(&reply)) list->generation = 0;
      const auto found = expected_.find(ticket);
      ASSERT_NE(found, expected_.end());
      ASSERT_EQ(reply, found->second.first) << "ticket " << ticket;
      const Values values =
          payload ? Values(payload->as<double>(), payload->as<double>() + payload->size() / 8)
                  : Values();
      ASSERT_EQ(values, found->second.second) << "ticket " << ticket;
      expected_.erase(found);
    }
  }

  TestClient& client_;
  std::mt19937_64 draw_;
  Model model_;
  wire::Ticket ticket_ = 1;
  std::map<wire::Ticket, std::pair<wire::Any, Values>> expected_;
};

TEST(SpillingServer, does_what_a_map_does_whatever_is_asked) {
  for (const std::size_t blocks : {2, 3, 5, 1000}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE("room for " + std::to_string(blocks) + ", seed " + std::to_string(seed));
      store::MemoryStore files;
      TestClient client(room_for(blocks), files);
      RandomTalk(client, seed).run(2000);
      if (testing::Test::HasFatalFailure()) return;
      EXPECT_LE(client.statistics().peak_bytes, blocks * block_charge);
    }
  }
}

}  // namespace
}  // namespace blockyard::server
