// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::rpc {

inline constexpr int default_port = 7464;
/// Of the name of a Unix socket.
inline constexpr std::size_t most_path_letters = 100;

/// Where a server listens.
struct Address {
  enum class Kind { unix_socket, tcp, ucx };
  Kind kind = Kind::unix_socket;
  std::string path;  ///< of a Unix socket
  std::string host;
  std::string port;
  /// usual: TLS to another machine, for clients that have a token.
  enum class Security { usual, tls, plain };
  Security security = Security::usual;
  std::string pace;  ///< of a slower link that is modelled (delay/delay.h); empty: as it is
  friend bool operator==(const Address&, const Address&) = default;
};

/// `unix:PATH`, anything with a '/', `host`, `host:port`, `[::1]:port`; `remote://` and `tcp:` in
/// front mean nothing, `ucx:` takes a network that UCX knows, `tls:` and `plain:` say how it is
/// protected, each also with `//` after it; `plain:unix:PATH` goes without shared memory. `PACE@`
/// before all that slows the link down. Throws Error{bad_input}.
[[nodiscard]] Address parse_address(std::string_view whole);

/// The addresses of a list with commas between; that of a pace separates nothing.
[[nodiscard]] std::vector<std::string> split_addresses(std::string_view list);

/// As parse_address reads it.
[[nodiscard]] std::string format_address(const Address& address);

/// Whether an address of a host names this machine by its loopback interface.
[[nodiscard]] bool is_loopback(const Address& address);

}  // namespace blockyard::rpc
