// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/rpc/socket/descriptor.h"
#include "blockyard/rpc/transport.h"

namespace blockyard::rpc::socket {

/// A connected stream socket, which it owns.
class SocketTransport final : public Transport {
 public:
  SocketTransport(int socket, std::string peer);
  [[nodiscard]] std::size_t send(std::span<const Bytes> parts) override;
  [[nodiscard]] std::size_t receive(std::span<std::byte> into) override;
  void cut() noexcept override;
  [[nodiscard]] bool is_checked() const noexcept override { return false; }
  [[nodiscard]] std::string peer() const override { return peer_; }
  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }

 private:
  Descriptor socket_;
  std::string peer_;
};

}  // namespace blockyard::rpc::socket
