// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/checkpoint.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::worker::detail {
namespace {

using Files = std::set<std::string>;

/// The state of a worker that held nothing.
class NoState final : public RecordSource {
 public:
  [[nodiscard]] std::vector<std::byte> next() override { return encode(JobState{}); }
  void next(std::span<std::byte>) override { throw base::Error(base::Errc::internal, "no frames"); }
};

/// What each of `servers` reads of a checkpoint of `saved` servers. The test says in their place
/// that all is done, before worker 0 asks.
std::vector<Files> files_read(int servers, int saved) {
  fabric::LoopbackWorld world(1 + servers);
  const auto worker = world.endpoint(0);
  std::vector<std::unique_ptr<fabric::Fabric>> homes;
  for (int server = 0; server < servers; ++server) homes.push_back(world.endpoint(1 + server));
  for (int ticket = 1; ticket <= servers * saved; ++ticket)
    homes[0]->send(0, {-1, wire::encode(wire::Done{static_cast<wire::Ticket>(ticket)}), nullptr});

  base::BufferPool pool(1 << 20);
  block::FramePool frames(pool, 1 << 20);
  Options options;
  options.servers = servers;
  const wire::Access here;
  Transport transport(*worker, frames, options, here);
  NoState state;
  const CheckpointPlace place{"checkpoint-000001", 42};
  Kept kept;
  Environment environment;
  EXPECT_FALSE(load(transport, options, {state, place, saved}, kept, environment));

  std::vector<Files> read(homes.size());
  for (std::size_t server = 0; server < homes.size(); ++server)
    while (const auto message = homes[server]->poll(0)) {
      const auto any = wire::decode(message->head);
      const auto& op = std::get<wire::LoadBlocks>(any);
      EXPECT_EQ(op.checkpoint, place.id);
      EXPECT_EQ(op.servers, servers);
      EXPECT_EQ(op.server, static_cast<int>(server));
      EXPECT_TRUE(read[server].insert(op.path).second) << op.path << " is read twice";
    }
  return read;
}

Files files(std::initializer_list<int> numbers) {
  Files all;
  for (const int number : numbers) all.insert("checkpoint-000001/" + server_file(number));
  return all;
}

TEST(Checkpoint, is_read_by_each_server_where_its_blocks_may_be) {
  EXPECT_EQ(files_read(3, 3), (std::vector{files({0}), files({1}), files({2})}));
  EXPECT_EQ(files_read(2, 4), (std::vector{files({0, 2}), files({1, 3})}));
  EXPECT_EQ(files_read(4, 2), (std::vector{files({0}), files({1}), files({0}), files({1})}));
  EXPECT_EQ(files_read(4, 6),
            (std::vector{files({0, 2, 4}), files({1, 3, 5}), files({0, 2, 4}), files({1, 3, 5})}));
  EXPECT_EQ(files_read(2, 3), (std::vector{files({0, 1, 2}), files({0, 1, 2})}));
  EXPECT_EQ(files_read(3, 1), (std::vector{files({0}), files({0}), files({0})}));
}

}  // namespace
}  // namespace blockyard::worker::detail
