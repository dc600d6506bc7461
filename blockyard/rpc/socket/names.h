// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>

#include "blockyard/rpc/address.h"

namespace blockyard::rpc::socket {

struct FreeNames {
  void operator()(addrinfo* first) const noexcept { ::freeaddrinfo(first); }
};
/// The system's answer for the name of a host.
using Names = std::unique_ptr<addrinfo, FreeNames>;

/// Of a host to connect to. Throws Error{comm}, also if there is no answer by `until`, of
/// base::now_seconds(): the system may ask name servers for much longer.
[[nodiscard]] Names find_names(const Address& address, double until);

/// Of this host, to listen at. Throws Error{comm}.
[[nodiscard]] Names find_own_names(const Address& address);

/// The port of a socket's name, as text.
[[nodiscard]] inline std::string port_of(const sockaddr_storage& name) {
  std::array<char, NI_MAXSERV> port{};
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&name), sizeof name, nullptr, 0, port.data(),
                port.size(), NI_NUMERICSERV);
  return port.data();
}

}  // namespace blockyard::rpc::socket
