// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "blockyard/base/error.h"

namespace blockyard::rpc {

using base::Errc;
using base::Error;

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
         std::stoi(std::string(text)) <= 65535;
}

}  // namespace

Address parse_address(std::string_view text) {
  const std::string_view whole = text;
  const auto fail = [&](std::string_view why) -> Address {
    throw Error(Errc::bad_input, fmt::format("\"{}\" is not the address of a server: {}; use "
                                             "HOST:PORT or unix:PATH",
                                             whole, why));
  };
  static_cast<void>(take_prefix(text, "remote://"));
  const bool is_unix = take_prefix(text, "unix:");
  if (text.empty()) return fail("it is empty");
  if (is_unix || text.find('/') != std::string_view::npos) {
    if (text.size() > 100) return fail("the path of a socket has at most 100 characters");
    return {Address::Kind::unix_socket, std::string(text), "", "", Address::Security::usual};
  }
  static_cast<void>(take_prefix(text, "tcp:"));
  const auto security = take_prefix(text, "tls:")     ? Address::Security::tls
                        : take_prefix(text, "plain:") ? Address::Security::plain
                                                      : Address::Security::usual;
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return fail("a ']' is missing");
    host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.empty() && !take_prefix(text, ":")) return fail("a port follows ']' and ':'");
    port = text;
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (!is_port(port)) return fail("its port is not a number up to 65535");
  }
  if (host.empty()) return fail("the host is missing");
  const std::string number = port.empty() ? std::to_string(default_port) : std::string(port);
  if (!is_port(number)) return fail("its port is not a number up to 65535");
  return {Address::Kind::tcp, "", std::string(host), number, security};
}

std::string format_address(const Address& address) {
  if (address.kind == Address::Kind::unix_socket) return "unix:" + address.path;
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string_view prefix = address.security == Address::Security::tls     ? "tls:"
                                  : address.security == Address::Security::plain ? "plain:"
                                                                                 : "";
  return fmt::format("{}{}{}{}:{}", prefix, is_v6 ? "[" : "", address.host, is_v6 ? "]" : "",
                     address.port);
}

bool is_loopback(const Address& address) {
  return address.host == "localhost" || address.host == "::1" || address.host.starts_with("127.");
}

}  // namespace blockyard::rpc
