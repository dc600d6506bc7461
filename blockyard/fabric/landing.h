// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace blockyard::fabric {

/// Memory that a receiver named for a payload to come: its message has this in place of a payload.
/// Messages between ranks of one process may have a landing of the sender's, which passes as a
/// pointer as payloads do. May outlive the fabric, at the end of a run that failed.
class Landing {
 public:
  virtual ~Landing() = default;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
  /// Where the fabric writes them: memory of the host, or, if it writes to devices, of a device as
  /// network libraries find it.
  [[nodiscard]] virtual std::byte* place() noexcept = 0;
  /// `count` bytes from `offset` on have come, in any order of pieces; all have before the message
  /// does. By the thread that moves messages, one at a time: it only enqueues what follows.
  virtual void came(std::size_t offset, std::size_t count) = 0;
};

/// Names memory for a payload of `bytes` from another process, or null: then it comes as a payload.
/// By the thread that moves messages, one at a time. Throws nothing.
using NameLanding =
    std::function<std::shared_ptr<Landing>(std::size_t bytes, bool writes_to_devices)>;

}  // namespace blockyard::fabric
