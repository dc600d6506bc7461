// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/client.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <tuple>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/rpc/delay/delay.h"
#include "blockyard/rpc/socket/socket.h"
#include "blockyard/rpc/striped/striped.h"
#include "blockyard/rpc/tls/tls.h"
#include "blockyard/rpc/ucx/ucx.h"

namespace blockyard::remote {

using base::Errc;
using base::Error;

namespace {

/// To a process of a server whose client waits meanwhile, and loses patience after 2 s.
constexpr double connect_alone_seconds = 1.5;

/// The functions of the table have no argument for what devices of one server share: the links of
/// this process stand here. One that is lost is not given again, nor one of the process that
/// forked: its threads are not ours.
struct Links {
  using Key = std::tuple<std::string, std::string, std::uint32_t, pid_t>;
  std::mutex mutex;
  std::map<Key, std::weak_ptr<Link>> all;
};

/// Never freed: calls come after the end of main, too.
constinit std::atomic<Links*> current_links = nullptr;

Links& links() {
  Links* known = current_links;
  if (known != nullptr) return *known;
  auto made = std::make_unique<Links>();
  return current_links.compare_exchange_strong(known, made.get()) ? *made.release() : *known;
}

std::optional<Token> token_in(const std::string& file) {
  if (file.empty()) return std::nullopt;
  const std::vector<Token> tokens = read_tokens(file);
  if (tokens.empty())
    throw Error(Errc::bad_input,
                file + " holds no token; `blockyard offload token NAME` makes one");
  return tokens.front();
}

}  // namespace

namespace {

std::uint32_t parse_sockets(const std::string& text) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 ||
      count > rpc::striped::most_members)
    throw Error(Errc::bad_input, "device option sockets: a number from 1 to 16");
  return count;
}

}  // namespace

ServerOptions read_options(std::string_view text) {
  ServerOptions options;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t sign = word.find('=');
    const std::string_view key = word.substr(0, sign);
    const std::string value(sign == std::string_view::npos ? "" : word.substr(sign + 1));
    if (key == "server")
      options.server = value;
    else if (key == "token")
      options.token_file = value;
    else if (key == "patience")
      options.patience_seconds = base::parse_seconds(value, "device option patience");
    else if (key == "sockets")
      options.sockets = parse_sockets(value);
    else if (word == "alone=1")
      options.is_alone = true;
    else if (!word.empty() && word != "network=1")  // its memory is in another process anyway
      options.rest += (options.rest.empty() ? "" : " ") + std::string(word);
  }
  if (options.server.empty())
    throw Error(Errc::bad_input, "a remote device needs the option server=ADDRESS");
  return options;
}

namespace {

std::unique_ptr<rpc::Transport> connect_socket(const rpc::Address& address,
                                               const std::optional<Token>& token,
                                               double patience_seconds) {
  auto transport = address.kind == rpc::Address::Kind::ucx
                       ? rpc::ucx::connect(address, patience_seconds)
                       : rpc::socket::connect(address, patience_seconds);
  if (!address.pace.empty())
    transport = rpc::delay::over(std::move(transport), rpc::delay::parse_pace(address.pace));
  if (!uses_tls(address, token.has_value())) return transport;
  return rpc::tls::connect(std::move(transport), token->name, rpc::tls::key_of(token->secret));
}

std::shared_ptr<Link> connect(const rpc::Address& address, const ServerOptions& options) {
  const std::optional<Token> token = token_in(options.token_file);
  const auto connect_one = [&] {
    return connect_socket(address, token,
                          options.is_alone ? connect_alone_seconds : options.connect_seconds);
  };
  return std::make_shared<Link>(connect_one(), token, options.patience_seconds,
                                Link::More{options.sockets, connect_one, options.connect_seconds,
                                           address.kind != rpc::Address::Kind::unix_socket});
}

}  // namespace

void forget_links() noexcept { current_links = nullptr; }

std::shared_ptr<Link> link_to(const ServerOptions& options) {
  const rpc::Address address = rpc::parse_address(options.server);
  if (options.is_alone) return connect(address, options);
  const Links::Key key{rpc::format_address(address), options.token_file, options.sockets,
                       ::getpid()};
  Links& here = links();
  const std::lock_guard lock(here.mutex);
  if (auto known = here.all[key].lock(); known && known->lost().empty()) return known;
  auto made = connect(address, options);
  here.all[key] = made;
  return made;
}

bool uses_tls(const rpc::Address& address, bool has_token) {
  using Security = rpc::Address::Security;
  if (address.kind != rpc::Address::Kind::tcp) return false;
  if (address.security == Security::tls && !has_token)
    throw Error(Errc::bad_input,
                rpc::format_address(address) + ": TLS needs a token: name its file with --token");
  return address.security == Security::tls ||
         (address.security == Security::usual && has_token && !rpc::is_loopback(address));
}

std::vector<Offer> devices_of(const std::string& options) {
  return link_to(read_options(options))->devices();
}

Usage usage_of(const std::string& options) {
  const Answer answer = link_to(read_options(options))->ask(Kind::status, {});
  if (answer.status != BLOCKYARD_OK) throw Error(Errc::comm, answer.text);
  return decode<Usage>(std::as_bytes(std::span(answer.text)));
}

}  // namespace blockyard::remote
