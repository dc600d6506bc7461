// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/session.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/device/host/host.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/rpc/pair/pair.h"

namespace blockyard::remote {
namespace {

/// A server for one client, which says what it likes, and reads when it likes.
class Client {
 public:
  explicit Client(Export lent) {
    terms_.devices = {std::move(lent)};
    auto [mine, theirs] = rpc::pair::make();
    end_ = std::move(mine);
    session_ = std::make_unique<Session>(std::move(theirs), terms_);
    thread_ = std::thread([this] { static_cast<void>(session_->run()); });
    send(Kind::hello, Hello{});
    static_cast<void>(next());
  }
  ~Client() { leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(Kind kind, const auto& message, std::uint64_t request = 0) {
    const rpc::Outgoing frame = frame_of(kind, message, request);
    rpc::send_frames(*end_, {&frame, 1});
  }
  void open(std::uint32_t device) {
    send(Kind::open, Open{device, 0, ""}, 1);
    EXPECT_EQ(answer().text, "");
  }
  void open_stream(std::uint32_t device, std::uint32_t stream) {
    send(Kind::stream, Place{device, stream, 0});
  }
  std::uint64_t allocate(std::uint32_t device, std::uint64_t bytes) {
    send(Kind::allocate, Memory{device, 0, bytes}, 1);
    return answer().value;
  }
  /// The next message; payloads are taken and forgotten.
  rpc::Frame next() {
    rpc::Frame frame;
    if (!rpc::receive_frame(*end_, frame)) throw std::runtime_error("the session is over");
    std::vector<std::byte> payload(frame.head.payload_bytes);
    rpc::receive_payload(*end_, frame, payload);
    ++received_[static_cast<Kind>(frame.head.kind)];
    return frame;
  }
  /// The next one of that kind.
  rpc::Frame next(Kind kind) {
    rpc::Frame frame = next();
    while (static_cast<Kind>(frame.head.kind) != kind) frame = next();
    return frame;
  }
  Answer answer() { return decode<Answer>(next(Kind::answer)); }
  [[nodiscard]] int received(Kind kind) { return received_[kind]; }
  /// Returns when the session is over.
  void leave() {
    end_->cut();
    if (thread_.joinable()) thread_.join();
  }

 private:
  Terms terms_;
  std::unique_ptr<rpc::Transport> end_;
  std::unique_ptr<Session> session_;
  std::thread thread_;
  std::map<Kind, int> received_;
};

Export lent(const blockyard_device_table& table, const std::string& kind,
            const std::string& options = {}) {
  Export made;
  made.table = &table;
  made.kind = kind;
  made.options = options;
  return made;
}
Export host() { return lent(device::host::table(), "host"); }

constexpr std::uint64_t megabyte = 1 << 20;

TEST(Session, lets_a_number_of_a_stream_be_used_again) {
  Client client(host());
  client.open(1);
  client.open_stream(1, 7);
  const std::uint64_t at = client.allocate(1, 4 * megabyte);
  for (std::uint64_t k = 1; k <= 3; ++k)
    client.send(Kind::copy_out, Copy{{1, 7, k}, 0, at, 4 * megabyte, 0});  // until we read
  client.send(Kind::release, Memory{1, at, 0});
  client.send(Kind::end_stream, Place{1, 7, 0});
  client.open_stream(1, 7);
  client.send(Kind::describe, Number{1, 0}, 2);
  EXPECT_EQ(client.answer().status, static_cast<std::uint32_t>(BLOCKYARD_OK));
}

/// Eight copies from a piece of device 2, whose address this returns, to one of device 1.
std::uint64_t copy_between_devices(Client& client) {
  for (const std::uint32_t device : {1, 2}) client.open(device);
  client.open_stream(1, 3);
  const std::uint64_t to = client.allocate(1, 64 * megabyte),
                      from = client.allocate(2, 64 * megabyte);
  for (std::uint64_t k = 1; k <= 8; ++k)
    client.send(Kind::copy_peer, Copy{{1, 3, k}, to, from, 64 * megabyte, 2});
  return from;
}

TEST(Session, ends_copies_between_devices_before_the_devices) {
  for (int round = 0; round < 4; ++round) {
    Client client(host());
    static_cast<void>(copy_between_devices(client));
    client.send(Kind::describe, Number{2, 0}, 4);
    static_cast<void>(client.answer());  // it has them all
    client.leave();
  }
}

TEST(Session, keeps_memory_that_a_copy_to_another_device_reads) {
  Client client(host());
  const std::uint64_t from = copy_between_devices(client);
  client.send(Kind::release, Memory{2, from, 0});
  client.send(Kind::describe, Number{2, 0}, 4);
  EXPECT_EQ(client.answer().status, static_cast<std::uint32_t>(BLOCKYARD_OK));
}

TEST(Session, says_once_that_a_stream_has_failed) {
  Client client(lent(device::sim::table(), "sim", "fail_after=2"));
  client.open(1);
  client.open_stream(1, 2);
  const std::uint64_t at = client.allocate(1, 64);  // the first piece: it is cleared
  for (std::uint64_t k = 1; k <= 4; ++k) client.send(Kind::fill, Fill{{1, 2, k}, at, 0, {}, 16});
  static_cast<void>(client.next(Kind::failed));
  for (int k = 0; k < 100; ++k) {
    client.send(Kind::describe, Number{1, 0}, 3);
    static_cast<void>(client.answer());
  }
  EXPECT_EQ(client.received(Kind::failed), 1);
}

/// y = x of one element, as a plan.
Plan plan_of_copy(std::uint32_t device, std::uint32_t number) {
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_PERMUTE;
  operation.element = BLOCKYARD_F64;
  for (blockyard_operand* one : {&operation.result, &operation.left}) {
    one->order = 1;
    one->extent[0] = 1;
  }
  return {{device, number}, operation};
}

TEST(Session, plans_nothing_for_blocks_that_no_memory_holds) {
  for (const Export& lent_one : {host(), lent(device::sim::table(), "sim", "memory=1048576")}) {
    Client client(lent_one);
    client.open(1);
    Plan plan = plan_of_copy(1, 5);
    for (blockyard_operand* one : {&plan.operation.result, &plan.operation.left})
      one->extent[0] = std::int64_t{1} << 44;
    client.send(Kind::plan, plan, 1);
    EXPECT_EQ(client.answer().status, static_cast<std::uint32_t>(BLOCKYARD_UNSUPPORTED));
  }
}

/// A client runs a part and wants to hear of it.
void run_a_part(Client& client, std::uint32_t stream, std::uint64_t at) {
  client.send(Kind::run, Run{{1, stream, 1}, 5, {1, 0}, {}, at, at + 8, 0, 0});
  client.send(Kind::record, Place{1, stream, 1});
  client.send(Kind::run, Run{{1, stream, 2}, 5, {1, 0}, {}, at, at + 8, 0, 0});
}

TEST(Session, gives_the_device_to_others_when_its_client_reads_nothing) {
  const Export shared = host();
  Client stopped(shared), other(shared);
  for (Client* client : {&stopped, &other}) {
    client->open(1);
    client->send(Kind::plan, plan_of_copy(1, 5), 1);
    EXPECT_EQ(client->answer().text, "");
    for (const std::uint32_t stream : {2, 3}) client->open_stream(1, stream);
  }
  const std::uint64_t at = stopped.allocate(1, 8 * megabyte);
  stopped.send(Kind::copy_out, Copy{{1, 2, 1}, 0, at, 8 * megabyte, 0});  // fills the connection
  run_a_part(stopped, 3, at);
  while (shared.use->state().clients[0].used_seconds == 0) std::this_thread::yield();
  run_a_part(other, 3, other.allocate(1, 64));
  EXPECT_EQ(decode<Place>(other.next(Kind::done)).sequence, 1U);
}

}  // namespace
}  // namespace blockyard::remote
