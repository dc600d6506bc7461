// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/socket/socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/rpc/shared/shared.h"
#include "blockyard/rpc/socket/names.h"
#include "blockyard/rpc/socket/socket_transport.h"

namespace blockyard::rpc::socket {

using base::Errc;
using base::Error;

namespace {

int open_socket(int family) {
  return above_standard(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

sockaddr_un unix_name(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) fail(path, ENAMETOOLONG);
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  return name;
}

/// 0, or the error number.
int connect_by(double until, int socket, const sockaddr* name, socklen_t bytes) {
  const int flags = ::fcntl(socket, F_GETFL);
  ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  int error = ::connect(socket, name, bytes) == 0 ? 0 : errno;
  // More clients than the queue of a Unix socket holds have come at once.
  while (error == EAGAIN && base::now_seconds() < until) {
    static_cast<void>(::poll(nullptr, 0, 2));
    error = ::connect(socket, name, bytes) == 0 ? 0 : errno;
  }
  if (error == EINPROGRESS) {
    pollfd waiting{socket, POLLOUT, 0};
    int ready = 0;
    do {
      const double left = std::max(0.0, until - base::now_seconds());
      ready = ::poll(&waiting, 1, static_cast<int>(left * 1000) + 1);
    } while (ready < 0 && errno == EINTR);
    socklen_t length = sizeof error;
    error = ETIMEDOUT;
    if (ready == 1) ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  }
  ::fcntl(socket, F_SETFL, flags);
  return error;
}

}  // namespace

std::unique_ptr<Transport> connect(const Address& address, double patience_seconds) {
  const std::string text = format_address(address);
  const double until = base::now_seconds() + patience_seconds;
  /// others: names that are tried if this one does not answer, each in its share of what is left.
  const auto attempt = [&](const sockaddr* name, socklen_t bytes, std::ptrdiff_t others,
                           int& error) {
    const int made = open_socket(name->sa_family);
    if (made < 0) fail(text, errno);
    const double now = base::now_seconds();
    error = connect_by(now + (until - now) / static_cast<double>(1 + others), made, name, bytes);
    if (error == 0) return made;
    ::close(made);
    return -1;
  };
  int error = 0, made = -1;
  if (address.kind == Address::Kind::unix_socket) {
    const sockaddr_un name = unix_name(address.path);
    made = attempt(reinterpret_cast<const sockaddr*>(&name), sizeof name, 0, error);
  } else {
    const Names names = find_names(address, until);
    std::ptrdiff_t others = 0;
    for (const addrinfo* name = names->ai_next; name != nullptr; name = name->ai_next) ++others;
    for (const addrinfo* name = names.get(); name != nullptr && made < 0; name = name->ai_next)
      made = attempt(name->ai_addr, name->ai_addrlen, others--, error);
  }
  if (made < 0) fail(fmt::format("no server answers at {}", text), error);
  if (address.kind == Address::Kind::unix_socket && address.security != Address::Security::plain)
    return shared::offer(made, text, until - base::now_seconds());
  return std::make_unique<SocketTransport>(made, text);
}

SocketListener::SocketListener(const Address& address) : address_(address) {
  if (::pipe2(wake_, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  try {
    if (address.kind == Address::Kind::unix_socket)
      listen_on_path();
    else
      listen_on_port();
  } catch (...) {
    for (const int end : {socket_, wake_[0], wake_[1]})
      if (end >= 0) ::close(end);
    throw;
  }
}

SocketListener::SocketListener(int descriptor) : socket_(descriptor) {
  address_.kind = Address::Kind::unix_socket;
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  // Others that accept there may be faster after `poll` said that there is something.
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  if (::pipe2(wake_, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
}

void SocketListener::listen_on_path() {
  const std::string text = format_address(address_);
  const sockaddr_un name = unix_name(address_.path);
  const auto* const raw = reinterpret_cast<const sockaddr*>(&name);
  const int asking = open_socket(AF_UNIX);
  const bool is_taken = asking >= 0 && ::connect(asking, raw, sizeof name) == 0;
  const bool is_left_over = !is_taken && errno == ECONNREFUSED;
  if (asking >= 0) ::close(asking);
  if (is_taken) throw Error(Errc::comm, fmt::format("{}: a server listens there already", text));
  struct stat found {};
  if (is_left_over && ::lstat(address_.path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode))
      throw Error(Errc::bad_input, fmt::format("{}: a file that is no socket has that name", text));
    ::unlink(address_.path.c_str());
  }
  socket_ = open_socket(AF_UNIX);
  // Closed to others from its first moment on.
  if (socket_ < 0 || ::fchmod(socket_, 0600) != 0 || ::bind(socket_, raw, sizeof name) != 0)
    fail(fmt::format("cannot listen at {}", text), errno);
  if (::chmod(address_.path.c_str(), 0600) != 0 || ::listen(socket_, SOMAXCONN) != 0)
    fail(fmt::format("cannot listen at {}", text), errno);
}

void SocketListener::listen_on_port() {
  const Names names = find_own_names(address_);
  const std::string text = format_address(address_);
  socket_ = open_socket(names->ai_family);
  const int on = 1;
  if (socket_ < 0 || ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket_, names->ai_addr, names->ai_addrlen) != 0 || ::listen(socket_, SOMAXCONN) != 0)
    fail(fmt::format("cannot listen at {}", text), errno);
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &bytes);
  address_.port = port_of(bound);
}

SocketListener::~SocketListener() {
  if (address_.kind == Address::Kind::unix_socket && !address_.path.empty())
    ::unlink(address_.path.c_str());
  for (const int end : {socket_, wake_[0], wake_[1]}) ::close(end);
}

std::unique_ptr<Transport> SocketListener::accept() {
  for (;;) {
    std::array<pollfd, 2> waiting = {{{socket_, POLLIN, 0}, {wake_[0], POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[1].revents != 0) return nullptr;
    const int made = above_standard(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
    if (made >= 0 && address_.kind == Address::Kind::unix_socket)
      return shared::accept(made, "a client");
    if (made >= 0) {  // no probes are sent while data are unanswered
      constexpr unsigned unanswered_ms = 120'000;
      static_cast<void>(
          ::setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms));
      return std::make_unique<SocketTransport>(made, "a client");
    }
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK)
      fail(fmt::format("cannot accept at {}", format_address(address_)), errno);
    constexpr int pause_ms = 100;  // until descriptors or memory may be free
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      static_cast<void>(::poll(&waiting[1], 1, pause_ms));
  }
}

/// A byte in the pipe; it is never read, so every later `accept` sees it too. Signal handlers may
/// call this.
void SocketListener::cut() noexcept {
  const char byte = 0;
  static_cast<void>(::write(wake_[1], &byte, 1) == 1);
}

}  // namespace blockyard::rpc::socket
