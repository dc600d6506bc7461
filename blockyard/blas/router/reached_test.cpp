// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/reached.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "blockyard/device/sim/sim.h"
#include "blockyard/remote/server/server.h"
#include "blockyard/rpc/socket/socket.h"

namespace blockyard::blas {
namespace {

/// Of a simulated device, at a socket of its own.
class ReachedServer : public ::testing::Test {
 protected:
  ReachedServer() {
    const rpc::Address address = rpc::parse_address(address_);
    std::vector<remote::Door> doors;
    doors.push_back({std::make_unique<rpc::socket::SocketListener>(address), false, false});
    remote::Terms terms;
    terms.devices = {{&device::sim::table(), 0, "", "of the test"}};
    server_ = std::make_unique<remote::Server>(std::move(doors), terms, [](const std::string&) {});
  }

  const std::string address_ =
      "unix:" + ::testing::TempDir() + "reached_test." + std::to_string(::getpid());
  std::unique_ptr<remote::Server> server_;
};

TEST_F(ReachedServer, is_tried_again_sooner_only_if_it_has_computed_a_call) {
  Reached at({address_});
  const double first = at.pause_seconds();
  static_cast<void>(at.lose());
  const double next = at.pause_seconds();
  EXPECT_GT(next, first);
  while (!at.products) ASSERT_EQ(at.connect({}), "");  // not before the pause is over
  EXPECT_EQ(at.pause_seconds(), next);
  at.note_computed();
  EXPECT_EQ(at.pause_seconds(), first);
}

}  // namespace
}  // namespace blockyard::blas
