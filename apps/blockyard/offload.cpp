// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/offload_run.h"
#include "apps/blockyard/offload_server.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/loader.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/remote/server/server.h"
#include "blockyard/remote/token.h"
#include "blockyard/report/live_socket.h"
#include "blockyard/rpc/socket/socket.h"
#include "blockyard/rpc/tls/tls.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::app {

namespace {

namespace fs = std::filesystem;

constexpr double end_seconds = 10;  // that calls in flight have at the end

struct ServeOptions {
  std::vector<std::string> listen;
  std::string device = "host";
  std::string device_options;
  std::string memory;
  std::string client_memory;
  std::string tokens;
  std::string idle;
  std::vector<int> devices;  ///< none: all
  std::size_t clients = 256;
  int threads = 0;  ///< 0: as many as the library takes
  bool plain = false;
  bool only_device = false;
};

/// The tables of a kind. The plug-in outlives the server.
std::vector<remote::Export> exports_of(const ServeOptions& options,
                                       std::optional<device::Plugin>& plugin) {
  const blockyard_device_table* table = &device::host::table();
  if (options.device == "sim") {
    table = &device::sim::table();
  } else if (options.device != "host") {
    plugin.emplace((fs::path(find_places("").plugins) /
                    fmt::format("libblockyard_device_{}.so", options.device))
                       .string());
    table = &plugin->table();
  }
  const std::uint64_t memory_bytes =
      options.memory.empty()
          ? 0
          : static_cast<std::uint64_t>(base::parse_bytes(options.memory, "--memory"));
  std::shared_ptr<const remote::HostDevice> host;  // shared by the devices that it helps
  if (options.device != "host" && !options.only_device)
    host = std::make_shared<remote::HostDevice>(device::host::table());
  std::vector<remote::Export> all;
  const int count = device::device_count(*table);
  for (const int k : options.devices)
    if (k >= count)
      throw UsageError(fmt::format(
          "--devices: there are {} devices of kind {}, from number 0 on, but no number {}", count,
          options.device, k));
  for (int k = 0; k < count; ++k) {
    if (!options.devices.empty() && std::ranges::find(options.devices, k) == options.devices.end())
      continue;
    all.push_back({table, static_cast<std::uint32_t>(k), options.device_options, options.device,
                   std::make_shared<remote::SharedUse>(memory_bytes), host});
  }
  if (all.empty())
    throw base::Error(base::Errc::device,
                      fmt::format("--device {}: there is none on this machine", options.device));
  return all;
}

/// Where it listens is added to `places`.
remote::Door open_door(const std::string& text, bool plain, std::vector<std::string>& places) {
  const rpc::Address address = rpc::parse_address(text);
  const bool is_tcp = address.kind == rpc::Address::Kind::tcp;
  using Security = rpc::Address::Security;
  const bool is_plain = plain || address.security == Security::plain;
  const bool wants_tls =
      is_tcp && !is_plain && (!rpc::is_loopback(address) || address.security == Security::tls);
  if (wants_tls && !rpc::tls::is_available())
    throw UsageError(
        fmt::format("--listen {}: other machines connect by TLS, and this one has no libssl.so.3 "
                    "(OpenSSL 3); install it, use an SSH tunnel to a Unix socket, or --plain on a "
                    "network where no one listens",
                    text));
  auto listener = std::make_unique<rpc::socket::SocketListener>(address);
  places.push_back(rpc::format_address(listener->address()));
  return {std::move(listener), is_tcp, wants_tls};
}

int serve(const ServeOptions& options) {
  std::optional<device::Plugin> plugin;
  remote::Terms terms;
  terms.devices = exports_of(options, plugin);
  terms.max_clients = options.clients;
  if (!options.client_memory.empty())
    terms.client_memory_bytes =
        static_cast<std::uint64_t>(base::parse_bytes(options.client_memory, "--client-memory"));
  const double idle_seconds = options.idle.empty() ? std::numeric_limits<double>::infinity()
                                                   : base::parse_seconds(options.idle, "--idle");
  std::vector<std::string> listen = options.listen;
  if (listen.empty()) listen = {default_offload_address(true)};
  std::vector<remote::Door> doors;
  std::vector<std::string> places;
  for (const std::string& text : listen) doors.push_back(open_door(text, options.plain, places));
  for (const remote::Door& door : doors)
    if (door.wants_proof && terms.tokens.empty()) {
      if (options.tokens.empty())
        throw UsageError(
            "over TCP a server knows its clients by tokens: give their file with "
            "--tokens; `blockyard offload token NAME` makes one");
      terms.tokens = remote::read_tokens(options.tokens);
    }
  if (options.threads > 0 && !tensor::blas::limit_blas_threads(options.threads))
    throw UsageError("--threads: the BLAS of this Blockyard computes with one thread");
  note_signals();
  remote::Server server(std::move(doors), terms, [](const std::string& line) {
    static_cast<void>(std::fprintf(stderr, "%s\n", line.c_str()));
  });
  Output output(stdout);
  for (const std::string& place : places)
    output.print(fmt::format("{} of kind {} at {}\n",
                             terms.devices.size() == 1 ? "one device" : "devices", options.device,
                             place));
  std::fflush(stdout);
  double had_clients = base::now_seconds();
  while (noted_signal() == 0 && base::now_seconds() - had_clients <= idle_seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (server.clients() > 0) had_clients = base::now_seconds();
  }
  server.stop(end_seconds);
  return 0;
}

struct TokenOptions {
  std::string name;
  std::string file = "tokens";
  double weight = 1;
};

int make_token(const TokenOptions& options) {
  if (!remote::is_weight(options.weight))
    throw UsageError("--weight: a weight is a number from 0.01 to 100");
  remote::Token token = remote::new_token(options.name);
  token.weight = options.weight;
  remote::add_token(options.file, token);
  const std::string own = options.name + ".token";
  remote::add_token(own, token);
  Output output(stdout);
  output.print(
      fmt::format("{} knows it now; give {} to the client, for --token\n", options.file, own));
  return 0;
}

void add_serve(CLI::App& offload, Commands& commands) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* const serving =
      offload.add_subcommand("serve", "Lend devices of this machine to programs and jobs");
  serving->add_option("--listen", options->listen,
                      "where: unix:PATH, HOST:PORT; several times for several places (default: a "
                      "Unix socket of this user)");
  serving->add_option("--device", options->device, "host (default), cuda, opencl or sim")
      ->check(CLI::IsMember({"host", "cuda", "opencl", "sim"}));
  serving->add_option("--device-options", options->device_options,
                      "options of the device's plug-in (docs/devices.md)");
  serving
      ->add_option("--devices", options->devices,
                   "which of them, like 0,2, from number 0 on (default: all)")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  serving->add_option("--clients", options->clients, "clients at a time (default: 256)")
      ->check(CLI::Range(1, 4096));
  serving->add_option("--memory", options->memory,
                      "memory of a device that all clients together may use, like 16G");
  serving->add_option("--client-memory", options->client_memory,
                      "memory of a device that a client may use, like 4G");
  serving->add_option("--tokens", options->tokens, "file of the tokens that are let in over TCP");
  serving->add_option("--idle", options->idle,
                      "end after so long without a client, like 10m (default: never)");
  serving
      ->add_option("--threads", options->threads,
                   "processors that the host device computes with (default: all)")
      ->check(CLI::Range(1, 4096));
  serving->add_flag("--only-device", options->only_device,
                    "compute nothing on the processors here that the device does not know");
  serving->add_flag("--plain", options->plain,
                    "let other machines connect without TLS; tokens are proven all the same");
  commands[serving] = [options] { return serve(*options); };
}

}  // namespace

void add_offload(CLI::App& app, Commands& commands) {
  CLI::App* const offload = app.add_subcommand(
      "offload",
      "Compute matrix operations of any program on a device, here or in another machine");
  offload->require_subcommand(1);
  auto inner = std::make_shared<Commands>();
  add_serve(*offload, *inner);
  add_offload_run(*offload, *inner);
  add_offload_calibrate(*offload, *inner);

  add_offload_status(*offload, *inner);

  auto token = std::make_shared<TokenOptions>();
  CLI::App* const making =
      offload->add_subcommand("token", "Make a secret by which a server knows a client");
  making->add_option("name", token->name, "of the client")->required();
  making->add_option(
      "--weight", token->weight,
      "its share of a device that others use as well, relative to theirs (default: 1)");
  making->add_option("--tokens", token->file, "file of the server (default: tokens)");
  (*inner)[making] = [token] { return make_token(*token); };

  commands[offload] = [offload, inner] { return inner->at(offload->get_subcommands().front())(); };
}

std::string default_offload_address(bool makes_folder) {
  const fs::path folder = report::live_folder(std::getenv("XDG_RUNTIME_DIR"));
  if (makes_folder && ::mkdir(folder.c_str(), 0700) != 0) {
    // It exists: another user may have made it for us.
    struct stat found {};
    if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) ||
        found.st_uid != ::geteuid() || (found.st_mode & 0077) != 0)
      throw base::Error(base::Errc::io,
                        fmt::format("{} is not a folder of this user alone", folder.string()));
  }
  return "unix:" + (folder / "offload").string();
}

}  // namespace blockyard::app
