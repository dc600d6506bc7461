// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace blockyard::rpc {

inline constexpr int default_port = 7464;

/// Where a server listens.
struct Address {
  enum class Kind { unix_socket, tcp };
  Kind kind = Kind::unix_socket;
  std::string path;  ///< of a Unix socket
  std::string host;
  std::string port;
  /// usual: TLS to another machine, for clients that have a token.
  enum class Security { usual, tls, plain };
  Security security = Security::usual;
  friend bool operator==(const Address&, const Address&) = default;
};

/// `unix:PATH`, anything with a '/', `host`, `host:port`, `[::1]:port`; `remote://` and `tcp:` in
/// front mean nothing, `tls:` and `plain:` say how it is protected. Throws Error{bad_input}.
[[nodiscard]] Address parse_address(std::string_view text);

/// As parse_address reads it.
[[nodiscard]] std::string format_address(const Address& address);

/// Whether a TCP address names this machine by its loopback interface.
[[nodiscard]] bool is_loopback(const Address& address);

}  // namespace blockyard::rpc
