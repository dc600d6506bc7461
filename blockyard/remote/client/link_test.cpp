// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/link.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "blockyard/rpc/pair/pair.h"

namespace blockyard::remote {
namespace {

/// The server's end: greets, and answers the first request with `kind`.
void answer_with(rpc::Transport& transport, Kind kind, const auto& message) {
  const auto send = [&](const rpc::Outgoing& frame) { rpc::send_frames(transport, {&frame, 1}); };
  rpc::Frame frame;
  ASSERT_TRUE(rpc::receive_frame(transport, frame));
  send(frame_of(Kind::welcome, Welcome{}));
  ASSERT_TRUE(rpc::receive_frame(transport, frame));
  send(frame_of(kind, message, frame.head.request));
}

TEST(Link, says_why_the_server_ends_the_connection_later) {
  auto [client, server] = rpc::pair::make();
  std::thread serving([&end = *server] {
    answer_with(end, Kind::refused, Text{"it has no thread for another stream"});
  });
  {
    Link link(std::move(client), {});
    const Answer answer = link.ask(Kind::describe, encode(Number{0, 0}));
    EXPECT_EQ(answer.status, static_cast<std::uint32_t>(BLOCKYARD_FAILED));
    EXPECT_NE(answer.text.find("it has no thread for another stream"), std::string::npos)
        << answer.text;
  }
  serving.join();
}

}  // namespace
}  // namespace blockyard::remote
