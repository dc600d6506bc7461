// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "blockyard/rpc/address.h"
#include "blockyard/rpc/transport.h"

/// TCP and Unix sockets. Nagle's algorithm is off at both ends, descriptors are close-on-exec and
/// never 0 to 2, and a connection that the other end has closed raises no signal.
namespace blockyard::rpc::socket {

/// Throws Error{comm} that names the address if no server answers within `patience_seconds`, in
/// which its host is also looked up.
[[nodiscard]] std::unique_ptr<Transport> connect(const Address& address, double patience_seconds);

/// A Unix socket gets mode 0600; one that is left over from a server that has ended is replaced,
/// one that a server answers at is not. Port 0: any free one.
/// Throws Error{comm} that names the address.
class SocketListener final : public Listener {
 public:
  explicit SocketListener(const Address& address);
  /// Takes over a Unix socket that listens already; its path stays when this goes.
  explicit SocketListener(int descriptor);
  ~SocketListener() override;
  SocketListener(const SocketListener&) = delete;
  SocketListener& operator=(const SocketListener&) = delete;

  [[nodiscard]] std::unique_ptr<Transport> accept() override;
  void cut() noexcept override;
  /// With the port that was found for port 0.
  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] int descriptor() const noexcept { return socket_; }

 private:
  void listen_on_path();
  void listen_on_port();
  Address address_;
  int socket_ = -1;
  int wake_[2] = {-1, -1};  ///< a pipe: a byte in it ends `accept`
};

}  // namespace blockyard::rpc::socket
