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
};

/// Sends the replies and counts what goes in and out. One thread.
class Outbox {
 public:
  explicit Outbox(fabric::Fabric& fabric) : fabric_(fabric) {}

  void reply(int to, const wire::Any& message, fabric::Payload payload = nullptr) {
    if (payload) counts.bytes_sent += payload->size();
    fabric_.send(to, {-1, wire::encode(message), std::move(payload)});
  }

  wire::Statistics counts;  ///< so far; fields of memory and disk are not kept here

 private:
  fabric::Fabric& fabric_;
};

}  // namespace blockyard::server
