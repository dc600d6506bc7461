// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/socket/socket_transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace blockyard::rpc::socket {

SocketTransport::SocketTransport(int socket, std::string peer)
    : socket_(socket), peer_(std::move(peer)) {
  const int on = 1;  // fails on Unix sockets, which send at once anyway
  static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

std::size_t SocketTransport::send(std::span<const Bytes> parts) {
  constexpr std::size_t most = 64;  // of the parts in one system call
  std::array<iovec, most> pieces{};
  const std::size_t count = std::min(parts.size(), most);
  for (std::size_t k = 0; k < count; ++k)
    pieces[k] = {const_cast<std::byte*>(parts[k].data()), parts[k].size()};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = ::sendmsg(descriptor(), &message, MSG_NOSIGNAL);
    if (sent > 0) return static_cast<std::size_t>(sent);
    if (errno != EINTR) fail("cannot send to " + peer_, errno);
  }
}

std::size_t SocketTransport::receive(std::span<std::byte> into) {
  for (;;) {
    const ssize_t received = ::recv(descriptor(), into.data(), into.size(), 0);
    if (received >= 0) return static_cast<std::size_t>(received);
    if (errno == ECONNRESET) return 0;
    if (errno != EINTR) fail("cannot receive from " + peer_, errno);
  }
}

void SocketTransport::cut() noexcept { ::shutdown(descriptor(), SHUT_RDWR); }

}  // namespace blockyard::rpc::socket
