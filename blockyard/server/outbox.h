// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "blockyard/fabric/fabric.h"
#include "blockyard/wire/messages.h"

namespace blockyard::server {

/// A request as it came in.
struct Request {
  int from = -1;
  wire::Any message;
  fabric::Payload payload;  ///< null where the message has none
  double queued_at = 0;     ///< when it began to wait for the disk or for room; 0: it did not
};

/// Sends the replies and counts what goes in and out. One thread.
class Outbox {
 public:
  explicit Outbox(fabric::Fabric& fabric) : fabric_(fabric) {}

  void reply(int to, const wire::Any& message, fabric::Payload payload = nullptr) {
    const auto* done = std::get_if<wire::Done>(&message);
    if (done != nullptr && to == collecting_for_) return done_.tickets.push_back(done->ticket);
    if (payload) counts.bytes_sent += payload->size();
    fabric_.send(to, {-1, wire::encode(message), std::move(payload)});
  }

  /// From now on replies to `to` are sent in one message, by end_batch.
  void begin_batch(int to) { collecting_for_ = to; }
  void end_batch() {
    const int to = std::exchange(collecting_for_, nobody);
    if (!done_.tickets.empty()) reply(to, std::exchange(done_, {}));
  }

  wire::ServerCounts counts;  ///< so far; fields of memory and disk are not kept here

 private:
  static constexpr int nobody = -1;
  fabric::Fabric& fabric_;
  int collecting_for_ = nobody;
  wire::DoneMany done_;
};

}  // namespace blockyard::server
