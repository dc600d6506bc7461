// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/checkpoint.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::worker::detail {
namespace {

/// The state of a worker that held nothing.
class NoState final : public RecordSource {
 public:
  [[nodiscard]] std::vector<std::byte> next() override { return encode(JobState{}); }
  void next(std::span<std::byte>) override { throw base::Error(base::Errc::internal, "no frames"); }
};

TEST(Checkpoint, is_loaded_by_one_message_to_each_server) {
  constexpr int servers = 3;
  constexpr int saved = 4;
  fabric::LoopbackWorld world(1 + servers);
  const auto worker = world.endpoint(0);
  std::vector<std::unique_ptr<fabric::Fabric>> homes;
  for (int server = 0; server < servers; ++server) homes.push_back(world.endpoint(1 + server));
  // The test says in place of the servers that all is done, before the worker asks.
  for (wire::Ticket ticket = 1; ticket <= servers; ++ticket)
    homes[0]->send(0, {-1, wire::encode(wire::Done{ticket}), nullptr});

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

  for (int server = 0; server < servers; ++server) {
    const auto& home = homes[static_cast<std::size_t>(server)];
    const auto message = home->poll(0);
    ASSERT_TRUE(message.has_value());
    const wire::Ticket ticket = static_cast<wire::Ticket>(server) + 1;
    EXPECT_EQ(wire::decode(message->head),
              wire::Any(wire::LoadBlocks{ticket, "checkpoint-000001/server-", place.id, server,
                                         servers, saved}));
    EXPECT_FALSE(home->poll(0).has_value());
  }
}

}  // namespace
}  // namespace blockyard::worker::detail
