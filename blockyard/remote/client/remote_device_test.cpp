// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/remote_device.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "blockyard/base/test_memory.h"
#include "blockyard/device/host/host.h"
#include "blockyard/remote/client/client.h"
#include "blockyard/remote/server/session.h"
#include "blockyard/rpc/pair/pair.h"

namespace blockyard::remote {
namespace {

/// A device that a server in this process lends.
class Lent {
 public:
  Lent() {
    terms_.devices.resize(1);
    terms_.devices[0].table = &device::host::table();
    auto [mine, theirs] = rpc::pair::make();
    session_ = std::make_unique<Session>(std::move(theirs), terms_);
    serving_ = std::thread([this] { static_cast<void>(session_->run()); });
    auto made = std::make_unique<RemoteDevice>();
    made->link = std::make_shared<Link>(std::move(mine), std::nullopt);
    made->number = made->link->next_number();
    EXPECT_EQ(made->link->ask(Kind::open, encode(Open{made->number, 0, ""})).text, "");
    device_ = reinterpret_cast<blockyard_device*>(made.release());
  }
  ~Lent() {
    table().close(device_);
    serving_.join();
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  [[nodiscard]] blockyard_device* device() const noexcept { return device_; }

 private:
  Terms terms_;
  std::unique_ptr<Session> session_;
  std::thread serving_;
  blockyard_device* device_ = nullptr;
};

using Values = std::array<double, 4>;

/// Sends values, overwrites one, and fetches them. False: something failed.
bool exchange(blockyard_device* device, const Values& sent, Values& fetched) {
  const auto number = [](const Values& values) {
    return reinterpret_cast<std::uintptr_t>(values.data());
  };
  const auto& f = table();
  blockyard_stream *stream = nullptr, *other = nullptr;
  blockyard_event* event = nullptr;
  blockyard_address at = 0;
  const double zero[2] = {};
  const bool is_open = f.stream_open(device, &stream) == BLOCKYARD_OK &&
                       f.stream_open(device, &other) == BLOCKYARD_OK &&
                       f.event_open(device, &event) == BLOCKYARD_OK &&
                       f.allocate(device, sizeof sent, &at) == BLOCKYARD_OK;
  bool is_done =
      is_open &&
      f.copy(device, stream, BLOCKYARD_TO_DEVICE, at, number(sent), sizeof sent) == BLOCKYARD_OK &&
      f.fill(device, stream, at, BLOCKYARD_F64, zero, 1) == BLOCKYARD_OK &&
      f.event_record(device, event, stream) == BLOCKYARD_OK &&
      f.stream_wait(device, other, event) == BLOCKYARD_OK &&
      f.copy(device, other, BLOCKYARD_TO_HOST, number(fetched), at, sizeof sent) == BLOCKYARD_OK;
  for (blockyard_stream* const one : {stream, other})
    if (one != nullptr) is_done = f.stream_synchronise(device, one) == BLOCKYARD_OK && is_done;
  return is_done;
}

TEST(RemoteDevice, lets_no_call_wait_for_ever_for_want_of_memory) {
  const Values sent{1, 2, 3, 4}, expected{0, 2, 3, 4};
  int number = 0;
  for (bool has_failed = true; has_failed; ++number) {
    const Lent lent;
    Values fetched{};
    const base::FailingAllocation one(number);
    const bool is_done = exchange(lent.device(), sent, fetched);
    has_failed = one.has_failed();
    EXPECT_TRUE(is_done ? fetched == expected : has_failed) << number;
  }
  EXPECT_GT(number, 10) << "the calls allocate";
}

}  // namespace
}  // namespace blockyard::remote
