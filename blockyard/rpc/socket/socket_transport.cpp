// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/socket/socket_transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "blockyard/rpc/socket/inherited.h"

namespace blockyard::rpc::socket {

SocketTransport::SocketTransport(Descriptor socket, std::string peer)
    : socket_(std::move(socket)), peer_(std::move(peer)) {
  note_connection(socket_);
  const int on = 1;  // fails on Unix sockets, which send at once anyway
  static_cast<void>(::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  // A machine that is gone says nothing: within two minutes its connections are known to be. Fails
  // on Unix sockets as well.
  constexpr int idle_seconds = 60, pause_seconds = 10, times = 6;
  static_cast<void>(::setsockopt(socket_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on));
  for (const auto& [option, value] :
       {std::pair(TCP_KEEPIDLE, idle_seconds), std::pair(TCP_KEEPINTVL, pause_seconds),
        std::pair(TCP_KEEPCNT, times)})
    static_cast<void>(::setsockopt(socket_.get(), IPPROTO_TCP, option, &value, sizeof value));
  // A Unix socket's own room is less than a payload: one end would wait while the other computes a
  // checksum. Networks find theirs by themselves.
  int domain = 0;
  socklen_t bytes = sizeof domain;
  constexpr int room = 1 << 20;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0 && domain == AF_UNIX)
    static_cast<void>(::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room));
  // A thread that waits for a socket whose number the program has closed is woken by nobody: it
  // looks from time to time.
  constexpr timeval look = {0, 200'000};
  for (const int kind : {SO_RCVTIMEO, SO_SNDTIMEO})
    static_cast<void>(::setsockopt(socket_.get(), SOL_SOCKET, kind, &look, sizeof look));
}

int SocketTransport::descriptor() const {
  if (!socket_.is_open()) fail("the program has closed the connection to " + peer_, EBADF);
  return socket_.get();
}

bool SocketTransport::continues_after(int error) const noexcept {
  return error == EINTR || ((error == EAGAIN || error == EWOULDBLOCK) && !is_cut_);
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
    if (!continues_after(errno)) fail("cannot send to " + peer_, errno);
  }
}

std::size_t SocketTransport::receive(std::span<std::byte> into) {
  for (;;) {
    const ssize_t received = ::recv(descriptor(), into.data(), into.size(), 0);
    if (received >= 0) return static_cast<std::size_t>(received);
    if (errno == ECONNRESET) return 0;
    if (!continues_after(errno)) fail("cannot receive from " + peer_, errno);
  }
}

void SocketTransport::cut() noexcept {
  is_cut_ = true;
  if (socket_.is_open()) ::shutdown(socket_.get(), SHUT_RDWR);
}

}  // namespace blockyard::rpc::socket
