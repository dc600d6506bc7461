// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/rpc/address.h"

namespace blockyard::rpc::socket {

/// The system's answer for the name of a host; freed at the end. Throws Error{comm}.
struct Names {
  Names(const Address& address, int flags) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags;
    const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &first);
    if (error != 0)
      throw base::Error(base::Errc::comm,
                        fmt::format("{}: {}", format_address(address), ::gai_strerror(error)));
  }
  ~Names() { ::freeaddrinfo(first); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  addrinfo* first = nullptr;
};

/// The port of a socket's name, as text.
[[nodiscard]] inline std::string port_of(const sockaddr_storage& name) {
  std::array<char, NI_MAXSERV> port{};
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&name), sizeof name, nullptr, 0, port.data(),
                port.size(), NI_NUMERICSERV);
  return port.data();
}

}  // namespace blockyard::rpc::socket
