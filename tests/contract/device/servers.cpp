// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/servers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <list>
#include <map>
#include <memory>

#include "blockyard/remote/server/server.h"
#include "blockyard/rpc/socket/socket.h"
#include "blockyard/rpc/ucx/ucx.h"

namespace blockyard::device::contract {
namespace {

/// A server at a fresh address; its token, if it wants one, is in a file.
struct Served {
  Served(const blockyard_device_table& table, const std::string& options, Way way) {
    const std::string base = ::testing::TempDir() + "device_contract." +
                             std::to_string(::getpid()) + "." + std::to_string(number);
    ++number;
    const bool is_tls = way == Way::tls;
    const bool is_tcp = is_tls || way == Way::tcp || way == Way::four_sockets || way == Way::ucx;
    rpc::Address address = rpc::parse_address(is_tcp ? "127.0.0.1:0" : "unix:" + base);
    std::unique_ptr<rpc::Listener> listener;
    if (way == Way::ucx) {
      address.kind = rpc::Address::Kind::ucx;
      listener = rpc::ucx::listen(address);
    } else {
      auto made = std::make_unique<rpc::socket::SocketListener>(address);
      address = made->address();
      listener = std::move(made);
    }
    client_options = (is_tls                    ? "server=tls:"
                      : way == Way::unix_socket ? "server=plain:"
                                                : "server=") +
                     rpc::format_address(address);
    remote::Terms terms;
    terms.devices = {{&table, 0, options, "of the test"}};
    if (is_tcp) {
      token_file = base + ".token";
      terms.tokens = {remote::new_token("test")};
      remote::add_token(token_file, terms.tokens.front());
      client_options += " token=" + token_file;
      if (way == Way::four_sockets) client_options += " sockets=4";
    }
    std::vector<remote::Door> doors;
    doors.push_back({std::move(listener), is_tcp, is_tls});
    server = std::make_unique<remote::Server>(std::move(doors), terms, [](const std::string&) {});
  }
  ~Served() {
    server.reset();
    if (!token_file.empty()) std::remove(token_file.c_str());
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  static inline int number = 0;
  std::string client_options;
  std::string token_file;
  std::unique_ptr<remote::Server> server;
};

}  // namespace

std::string served(const blockyard_device_table& table, const std::string& options, Way way) {
  static std::map<std::string, Served> all;
  const std::string name =
      std::to_string(reinterpret_cast<std::uintptr_t>(&table)) + options + std::to_string(int(way));
  return all.try_emplace(name, table, options, way).first->second.client_options;
}

}  // namespace blockyard::device::contract
