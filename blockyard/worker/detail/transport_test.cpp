// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/transport.h"

#include <gtest/gtest.h>

#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::worker::detail {
namespace {

TEST(Transport, workers_share_the_servers_that_they_ask_together) {
  base::BufferPool pool(1 << 20);
  const wire::Access here;
  for (const int workers : {1, 3, 4, 9})
    for (const int servers : {1, 4, 7}) {
      fabric::LoopbackWorld world(workers + servers);
      const auto most = static_cast<std::size_t>((servers + workers - 1) / workers);
      for (int worker = 0; worker < workers; ++worker) {
        block::FramePool frames(pool, 1 << 20);
        Options options;
        options.worker = worker;
        options.workers = workers;
        options.servers = servers;
        const auto fabric = world.endpoint(worker);
        Transport transport(*fabric, frames, options, here);
        const auto tickets = transport.start_share([](int server) {
          return wire::DeleteArray{0, server};
        });
        EXPECT_LE(tickets.size(), most);
      }
      for (int server = 0; server < servers; ++server) {
        const auto home = world.endpoint(workers + server);
        const auto message = home->poll(0);
        ASSERT_TRUE(message.has_value()) << server;
        EXPECT_EQ(std::get<wire::DeleteArray>(wire::decode(message->head)).array, server);
        EXPECT_FALSE(home->poll(0).has_value());
      }
    }
}

}  // namespace
}  // namespace blockyard::worker::detail
