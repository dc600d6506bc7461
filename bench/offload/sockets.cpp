// SPDX-License-Identifier: Apache-2.0
/// What plain sockets do between two processes: the peer of our frames. Prints bytes a second to
/// the other process and from it, and the seconds of a round trip of 64 bytes; each the best of
/// several.
///
/// Usage: offload_sockets tcp|unix BYTES
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 5, round_trips = 2000;
constexpr std::size_t short_bytes = 64;

void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

void send_all(int socket, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = ::write(socket, from, bytes);
    if (sent <= 0) fail("write");
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void receive_all(int socket, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = ::read(socket, to, bytes);
    if (got <= 0) fail("read");
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

/// Both ends of a connection over the loopback interface.
void connect_tcp(int (&ends)[2]) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listening, at, length) != 0 || ::listen(listening, 1) != 0) fail("listen");
  ::getsockname(listening, at, &length);
  ends[0] = ::socket(AF_INET, SOCK_STREAM, 0);
  if (::connect(ends[0], at, length) != 0) fail("connect");
  ends[1] = ::accept(listening, nullptr, nullptr);
  if (ends[1] < 0) fail("accept");
  ::close(listening);
  for (const int end : ends) {
    const int on = 1;
    ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
}

template <class Work>
double seconds_of(Work work) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - began).count();
}

/// The other process: takes what comes and answers, as the first one does it.
void serve(int socket, std::vector<char>& memory) {
  for (int k = 0; k < rounds; ++k) {
    receive_all(socket, memory.data(), memory.size());
    send_all(socket, memory.data(), 1);
    send_all(socket, memory.data(), memory.size());
  }
  for (int k = 0; k < round_trips; ++k) {
    receive_all(socket, memory.data(), short_bytes);
    send_all(socket, memory.data(), short_bytes);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  std::vector<char> memory(static_cast<std::size_t>(std::atoll(words[2])), 1);
  if (memory.size() < short_bytes) return 2;
  int ends[2];
  if (std::string(words[1]) == "tcp")
    connect_tcp(ends);
  else if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    fail("socketpair");
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  ::close(ends[child == 0 ? 0 : 1]);
  if (child == 0) {
    serve(ends[1], memory);
    std::_Exit(0);
  }
  const int socket = ends[0];
  double up = 1e9, down = 1e9, trip = 1e9;
  for (int k = 0; k < rounds; ++k) {
    up = std::min(up, seconds_of([&] {
                    send_all(socket, memory.data(), memory.size());
                    receive_all(socket, memory.data(), 1);
                  }));
    down = std::min(down, seconds_of([&] { receive_all(socket, memory.data(), memory.size()); }));
  }
  for (int k = 0; k < round_trips; ++k)
    trip = std::min(trip, seconds_of([&] {
                      send_all(socket, memory.data(), short_bytes);
                      receive_all(socket, memory.data(), short_bytes);
                    }));
  int status = 0;
  ::waitpid(child, &status, 0);
  const auto bytes = static_cast<double>(memory.size());
  std::printf("%.0f %.0f %.9f\n", bytes / up, bytes / down, trip);
  return status;
}
