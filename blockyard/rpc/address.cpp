// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "blockyard/base/error.h"
#include "blockyard/rpc/delay/delay.h"

namespace blockyard::rpc {

using base::Errc;
using base::Error;

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// `text` without the "//" of tcp://, tls://, plain:// and ucx://, wherever such a prefix is.
std::string without_slashes(std::string_view text) {
  std::string result(text);
  for (const std::string_view prefix : {"tcp:", "tls:", "plain:", "ucx:"})
    if (const std::size_t at = result.find(std::string(prefix) + "//"); at != std::string::npos)
      result.erase(at + prefix.size(), 2);
  return result;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
         std::stoi(std::string(text)) <= 65535;
}

}  // namespace

Address parse_address(std::string_view whole) {
  const std::string kept = without_slashes(whole);
  std::string_view text = kept;
  const auto fail = [&](std::string_view why) -> Address {
    throw Error(Errc::bad_input, fmt::format("\"{}\" is not the address of a server: {}; use "
                                             "HOST:PORT or unix:PATH",
                                             whole, why));
  };
  static_cast<void>(take_prefix(text, "remote://"));
  const bool has_pace = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
  if (const std::size_t end = text.find('@'); has_pace && end != std::string_view::npos) {
    Address slower = parse_address(text.substr(end + 1));
    slower.pace = text.substr(0, end);
    static_cast<void>(delay::parse_pace(slower.pace));
    return slower;
  }
  if (text.starts_with("tls:ucx:")) return fail("there is no TLS over UCX");
  const bool is_plain_ucx = text.starts_with("plain:ucx:");
  if (is_plain_ucx) static_cast<void>(take_prefix(text, "plain:"));
  if (take_prefix(text, "ucx:")) {
    Address over_ucx = parse_address(text);
    if (over_ucx.kind != Address::Kind::tcp || over_ucx.security != Address::Security::usual)
      return fail("ucx: is followed by HOST:PORT");
    over_ucx.kind = Address::Kind::ucx;
    if (is_plain_ucx) over_ucx.security = Address::Security::plain;
    return over_ucx;
  }
  const bool is_plain_path = text.starts_with("plain:") && text.find('/') != std::string_view::npos;
  if (is_plain_path) static_cast<void>(take_prefix(text, "plain:"));
  const bool is_unix = take_prefix(text, "unix:");
  if (!is_unix && text.find("://") != std::string_view::npos)
    return fail("it begins with none of remote://, tcp://, tls://, plain:// and ucx://");
  if (text.empty()) return fail("it is empty");
  if (is_unix || text.find('/') != std::string_view::npos) {
    if (text.size() > most_path_letters)
      return fail("the path of a socket has at most 100 characters");
    const auto security = is_plain_path ? Address::Security::plain : Address::Security::usual;
    return {Address::Kind::unix_socket, std::string(text), "", "", security, ""};
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
    if (!text.empty() && !take_prefix(text, ":")) return fail("a ':' and a port must follow ']'");
    port = text;
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (!is_port(port)) return fail("its port is not a number up to 65535");
  }
  if (host.empty()) return fail("the host is missing");
  const std::string number = port.empty() ? std::to_string(default_port) : std::string(port);
  if (!is_port(number)) return fail("its port is not a number up to 65535");
  return {Address::Kind::tcp, "", std::string(host), number, security, ""};
}

std::vector<std::string> split_addresses(std::string_view list) {
  std::vector<std::string> all;
  std::string begun;  // a pace whose address is still to come
  while (!list.empty()) {
    const std::string word = begun + std::string(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(
        list.size(), list.find(',') == std::string_view::npos ? list.size() : list.find(',') + 1));
    const bool is_time = std::isdigit(static_cast<unsigned char>(word.empty() ? 'x' : word[0])) &&
                         word.ends_with('s') && word.find_first_of("@:/") == std::string::npos;
    begun = is_time && !list.empty() ? word + "," : "";
    if (begun.empty() && !word.empty()) all.push_back(word);
  }
  return all;
}

std::string format_address(const Address& address) {
  const std::string pace = address.pace.empty() ? "" : address.pace + "@";
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string_view prefix = address.security == Address::Security::tls     ? "tls:"
                                  : address.security == Address::Security::plain ? "plain:"
                                                                                 : "";
  if (address.kind == Address::Kind::unix_socket)
    return fmt::format("{}{}unix:{}", pace, prefix, address.path);
  const std::string_view network = address.kind == Address::Kind::ucx ? "ucx:" : "";
  return fmt::format("{}{}{}{}{}{}:{}", pace, prefix, network, is_v6 ? "[" : "", address.host,
                     is_v6 ? "]" : "", address.port);
}

bool is_loopback(const Address& address) {
  return address.host == "localhost" || address.host == "::1" || address.host.starts_with("127.");
}

}  // namespace blockyard::rpc
