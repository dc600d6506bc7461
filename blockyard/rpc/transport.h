// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "blockyard/base/checksum.h"

namespace blockyard::rpc {

using Bytes = std::span<const std::byte>;

/// One end of a connection: a stream of bytes in both directions. One thread may send while
/// another receives. After the first Error{comm} nothing but `cut`, `peer` and the end of life
/// makes sense.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends bytes from the beginning of `parts`, at least one, and returns how many; waits while
  /// the link is full. `parts` hold at least one byte. Throws Error{comm}.
  [[nodiscard]] virtual std::size_t send(std::span<const Bytes> parts) = 0;
  /// Receives at least one byte into the beginning of `into`, which is not empty, and returns how
  /// many; waits for the first. 0: the other end has ended the connection. Throws Error{comm}.
  [[nodiscard]] virtual std::size_t receive(std::span<std::byte> into) = 0;
  /// Ends the connection for both ends: a waiting call returns or throws. Any thread.
  virtual void cut() noexcept = 0;
  /// True if what arrives is known to be what was sent: frames then carry no second checksum.
  [[nodiscard]] virtual bool is_checked() const noexcept = 0;
  /// The other end, for messages: "unix:/run/x", "10.0.0.7:7400".
  [[nodiscard]] virtual std::string peer() const = 0;
};

/// Waits for connections. One thread accepts.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Null: `cut` was called. Throws Error{comm} for what ends listening, not for one connection
  /// that failed.
  [[nodiscard]] virtual std::unique_ptr<Transport> accept() = 0;
  /// Ends listening, also a wait in `accept`. Any thread.
  virtual void cut() noexcept = 0;
};

/// All of `parts`. Throws Error{comm}.
void send_all(Transport& transport, std::span<const Bytes> parts);

/// Throws Error{comm}: the other end went where more was to come.
[[noreturn]] void end_within_message(const Transport& transport);

/// Fills `into`. False: the connection ended before the first byte. Throws Error{comm} if it ends
/// later. `sum` gets what has come while more comes, and while it is in the cache.
[[nodiscard]] bool receive_all(Transport& transport, std::span<std::byte> into,
                               base::Checksum* sum = nullptr);

}  // namespace blockyard::rpc
