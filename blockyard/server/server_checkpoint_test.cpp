// SPDX-License-Identifier: Apache-2.0
// Blocks to a checkpoint and back.
#include <gtest/gtest.h>

#include <string>

#include "blockyard/server/detail/test_client.h"
#include "blockyard/store/faulty.h"
#include "blockyard/store/memory.h"

namespace blockyard::server {
namespace {

constexpr std::size_t block_count = 1000;
constexpr std::uint64_t checkpoint = 42;
const std::size_t block_charge = base::BufferPool::charge(block_count * sizeof(double));

ServerOptions room_for(std::size_t blocks) { return {blocks * block_charge, "scratch"}; }

Values block_of(std::uint64_t value) { return Values(block_count, static_cast<double>(value)); }

void load(TestClient& client, int server, int servers, int saved) {
  (void)client.ask(0, wire::LoadBlocks{5, "server-", checkpoint, server, servers, saved});
}

/// Two servers with room for three blocks each write the even and the odd of 20 blocks of array 3,
/// and label "t2", which has the values from before they were doubled.
void save_from_two(store::Store& files) {
  for (std::uint64_t server = 0; server < 2; ++server) {
    TestClient client(room_for(3), files);
    for (std::uint64_t n = server; n < 20; n += 2) client.put({3, n}, block_of(n));
    (void)client.ask(0, wire::KeepArray{1, 3, "t2"});
    (void)client.ask(0, wire::KeepArray{1, 9, "empty"});
    for (std::uint64_t n = server; n < 10; n += 2)
      client.put({3, n}, block_of(n), wire::PutMode::add);
    (void)client.ask(0, wire::SaveBlocks{4, "server-" + std::to_string(server), checkpoint});
    // The save changed nothing.
    EXPECT_EQ(client.get({3, server}), block_of(2 * server));
  }
}

TEST(ServerCheckpoint, blocks_and_labels_come_back_on_any_number_of_servers) {
  store::MemoryStore files;
  save_from_two(files);
  for (int servers = 1; servers <= 4; ++servers)
    for (int server = 0; server < servers; ++server) {
      TestClient client(room_for(3), files);
      load(client, server, servers, 2);
      for (std::uint64_t n = 0; n < 20; ++n) {
        const bool is_home =
            n % static_cast<std::uint64_t>(servers) == static_cast<std::uint64_t>(server);
        if (!is_home) continue;
        EXPECT_EQ(client.get({3, n}), block_of(n < 10 ? 2 * n : n)) << n;
      }
      (void)client.ask(0, wire::RestoreArray{1, 4, "t2"});
      const auto list = client.ask<wire::BlockList>(0, wire::ListBlocks{1, 4, ""});
      for (const std::uint64_t n : list.numbers) EXPECT_EQ(client.get({4, n}), block_of(n)) << n;
      EXPECT_EQ(list.numbers.size(),
                static_cast<std::size_t>((20 - server + servers - 1) / servers));
      (void)client.ask(0, wire::RestoreArray{1, 4, "empty"});
      EXPECT_LE(client.statistics().peak_bytes, 3 * block_charge);
    }
}

TEST(ServerCheckpoint, reads_no_file_that_cannot_have_its_blocks) {
  store::MemoryStore files;
  save_from_two(files);
  files.remove("server-1");
  TestClient client(room_for(3), files);
  load(client, 2, 4, 2);
  EXPECT_EQ(client.get({3, 6}), block_of(12));
  TestClient other(room_for(3), files);
  EXPECT_THROW(load(other, 3, 4, 2), base::Error);
}

TEST(ServerCheckpoint, values_that_an_array_and_a_label_share_are_written_once) {
  store::MemoryStore files;
  save_from_two(files);
  // 10 values of the array; of those 5 doubled, so that the label has 5 more of its own.
  EXPECT_LT(files.open("server-0", store::OpenMode::read)->size(),
            16 * block_count * sizeof(double));
}

std::string error_of(TestClient& client) {
  try {
    load(client, 0, 1, 1);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(ServerCheckpoint, a_bad_file_ends_the_run_with_the_reason) {
  store::MemoryStore files;
  save_from_two(files);
  {
    TestClient client(room_for(100), files);
    EXPECT_EQ(error_of(client), "");
  }
  store::FaultyStore lies(files, {store::Call::read_at, store::Fault::Kind::flip_bit, 5, 1});
  TestClient client(room_for(100), lies);
  const std::string error = error_of(client);
  EXPECT_NE(error.find("server-0 is not a valid checkpoint file"), std::string::npos) << error;
}

TEST(ServerCheckpoint, a_full_disk_ends_the_run_and_leaves_no_file) {
  store::MemoryStore files;
  store::FaultyStore full(files, {store::Call::write_at, store::Fault::Kind::short_write, 0, 1});
  TestClient client(room_for(100), full);
  client.put({3, 1}, block_of(1));
  try {
    (void)client.ask(0, wire::SaveBlocks{4, "server-0", checkpoint});
    ADD_FAILURE() << "a checkpoint on a full disk";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(files.holds("server-0"));
}

}  // namespace
}  // namespace blockyard::server
