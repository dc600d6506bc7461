// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <thread>

#include "blockyard/base/error.h"
#include "blockyard/rpc/transport.h"

/// For tests of transports.
namespace blockyard::rpc {

/// A client that sends what the server does not receive, and waits for what it does not send; ends
/// once both calls have found that the connection was cut.
class WaitingEnds {
 public:
  WaitingEnds(Transport& client, Bytes much)
      : full_([&client, much] {
          EXPECT_THROW(send_all(client, {&much, 1}), base::Error);
        }),
        empty_([&client] {
          std::byte byte{};
          EXPECT_EQ(client.receive({&byte, 1}), 0U);
        }) {}

 private:
  std::jthread full_, empty_;
};

}  // namespace blockyard::rpc
