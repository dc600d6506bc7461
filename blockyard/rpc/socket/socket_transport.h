// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "blockyard/rpc/socket/descriptor.h"
#include "blockyard/rpc/transport.h"

namespace blockyard::rpc::socket {

/// A connected stream socket, which it owns.
class SocketTransport final : public Transport {
 public:
  SocketTransport(int socket, std::string peer)
      : SocketTransport(Descriptor(socket), std::move(peer)) {}
  SocketTransport(Descriptor socket, std::string peer);
  [[nodiscard]] std::size_t send(std::span<const Bytes> parts) override;
  [[nodiscard]] std::size_t receive(std::span<std::byte> into) override;
  void cut() noexcept override;
  [[nodiscard]] bool is_checked() const noexcept override { return false; }
  [[nodiscard]] std::string peer() const override { return peer_; }
  /// The number; throws Error{comm} if the program has closed it.
  [[nodiscard]] int descriptor() const;
  /// Whether a system call that has failed with `error` is to be made again.
  [[nodiscard]] bool continues_after(int error) const noexcept;

 private:
  Descriptor socket_;
  std::atomic<bool> is_cut_ = false;
  std::string peer_;
};

}  // namespace blockyard::rpc::socket
