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
#include <nlohmann/json.hpp>
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
#include "blockyard/remote/client/client.h"
#include "blockyard/remote/server/device_process.h"
#include "blockyard/remote/server/server.h"
#include "blockyard/remote/token.h"
#include "blockyard/report/live_socket.h"
#include "blockyard/rpc/socket/socket.h"
#include "blockyard/rpc/tls/tls.h"
#include "blockyard/rpc/ucx/ucx.h"
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
  bool json = false;  ///< where it listens, as JSON
  bool only_device = false;
  std::string isolation;     ///< empty: as the kind of device wants it
  int parent = 0;            ///< the process that keeps this one for a device; 0: none
  bool counts_only = false;  ///< prints how many devices there are
};

/// Devices, and what must live as long.
struct Lent {
  std::optional<device::Plugin> plugin;
  std::vector<std::unique_ptr<remote::DeviceProcess>> processes;
  std::vector<remote::Export> devices;
};

bool isolates(const ServeOptions& options) {
  if (options.parent != 0 || options.counts_only) return false;
  if (!options.isolation.empty()) return options.isolation == "process";
  return options.device != "host" && options.device != "sim";  // what talks to a driver
}

/// This program as a server of some devices of the same kind.
std::vector<std::string> own_command(const ServeOptions& options) {
  std::vector<std::string> command = {fs::read_symlink("/proc/self/exe").string(),
                                      "offload",
                                      "serve",
                                      "--only-device",
                                      "--device",
                                      options.device};
  if (!options.device_options.empty())
    command.insert(command.end(), {"--device-options", options.device_options});
  return command;
}

void log_line(const std::string& line) {
  static_cast<void>(std::fprintf(stderr, "%s\n", line.c_str()));
}

/// The table of a kind that is used in this process.
const blockyard_device_table& table_of(const ServeOptions& options,
                                       std::optional<device::Plugin>& plugin) {
  if (options.device == "host") return device::host::table();
  if (options.device == "sim") return device::sim::table();
  plugin.emplace(
      (fs::path(find_places("").plugins) / fmt::format("libblockyard_device_{}.so", options.device))
          .string());
  return plugin->table();
}

/// Counted by another process where devices are in others: counting asks the driver.
int count_devices(const ServeOptions& options, Lent& lent) {
  if (!isolates(options)) return device::device_count(table_of(options, lent.plugin));
  std::vector<std::string> command = own_command(options);
  command.emplace_back("--count");
  const std::string counted = remote::output_of(command);
  return counted.empty() ? 0 : std::stoi(counted);
}

/// Adds one device of a kind, here or in a process of its own.
void lend(const ServeOptions& options, std::uint32_t number, std::uint64_t memory_bytes,
          const std::shared_ptr<const remote::HostDevice>& host, Lent& lent) {
  const auto use = std::make_shared<remote::SharedUse>(memory_bytes);  // by all clients
  if (!isolates(options)) {
    const blockyard_device_table& table =
        lent.plugin ? lent.plugin->table() : table_of(options, lent.plugin);
    // What is wrong with options is said now, not to each client.
    if (options.parent == 0 && !options.device_options.empty())
      static_cast<void>(device::Device(table, static_cast<int>(number), options.device_options));
    lent.devices.push_back(
        {&table, number, options.device_options, options.device, use, host, number});
    return;
  }
  std::vector<std::string> command = own_command(options);
  for (const std::string& word : {std::string("--devices"), std::to_string(number),
                                  std::string("--parent"), std::to_string(::getpid())})
    command.push_back(word);
  const std::string path =
      fmt::format("{}.{}.{}", rpc::parse_address(default_offload_address(true)).path, ::getpid(),
                  lent.processes.size());
  lent.processes.push_back(
      std::make_unique<remote::DeviceProcess>(std::move(command), path, log_line));
  lent.devices.push_back(
      {&remote::table(), 0, "alone=1 server=unix:" + path, options.device, use, host, number});
}

Lent lend_all(const ServeOptions& options) {
  Lent lent;
  const int count = count_devices(options, lent);
  const std::uint64_t memory_bytes =
      options.memory.empty() ? 0 : static_cast<std::uint64_t>(read_usage([&] {
        return base::parse_bytes(options.memory, "--memory");
      }));
  std::shared_ptr<const remote::HostDevice> host;  // shared by the devices that it helps
  if (options.device != "host" && !options.only_device)
    host = std::make_shared<remote::HostDevice>(device::host::table());
  for (const int k : options.devices)
    if (k >= count)
      throw UsageError(fmt::format(
          "--devices: there are {} devices of kind {}, from number 0 on, but no number {}", count,
          options.device, k));
  for (int k = 0; k < count; ++k) {
    if (!options.devices.empty() && std::ranges::find(options.devices, k) == options.devices.end())
      continue;
    lend(options, static_cast<std::uint32_t>(k), memory_bytes, host, lent);
  }
  if (lent.devices.empty())
    throw base::Error(base::Errc::device,
                      fmt::format("--device {}: there is none on this machine", options.device));
  return lent;
}

/// The network sees all but the token.
remote::Door open_ucx_door(rpc::Address address, bool is_plain, std::vector<std::string>& places) {
  if (!is_plain && !rpc::is_loopback(address))
    throw UsageError(
        fmt::format("--listen {}: there is no TLS over UCX; use --plain on a network where no one "
                    "listens, or HOST:PORT",
                    rpc::format_address(address)));
  auto listener = rpc::ucx::listen(address);
  places.push_back(rpc::format_address(address));
  return {std::move(listener), true, false};
}

/// Where it listens is added to `places`.
remote::Door open_door(const std::string& text, bool plain, std::vector<std::string>& places) {
  const rpc::Address address = read_usage([&] { return rpc::parse_address(text); });
  const bool is_tcp = address.kind == rpc::Address::Kind::tcp;
  using Security = rpc::Address::Security;
  const bool is_plain = plain || address.security == Security::plain;
  if (address.kind == rpc::Address::Kind::ucx) return open_ucx_door(address, is_plain, places);
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

/// The server of one device that another process keeps for its clients, until that one ends it.
int serve_parent(const ServeOptions& options) {
  remote::end_with(options.parent);
  const Lent lent = lend_all(options);
  remote::Terms terms;
  terms.devices = lent.devices;
  terms.max_clients = std::numeric_limits<std::size_t>::max();
  std::vector<remote::Door> doors;
  doors.push_back({std::make_unique<rpc::socket::SocketListener>(remote::DeviceProcess::adopted),
                   false, false});
  remote::Server server(std::move(doors), terms, [](const std::string&) {});
  for (;;) ::pause();
}

int count_only(const ServeOptions& options) {
  Lent lent;
  Output(stdout).print(fmt::format("{}\n", count_devices(options, lent)));
  return 0;
}

int serve(const ServeOptions& options) {
  check_can_lend(options.device);
  if (options.counts_only) return count_only(options);
  if (options.parent != 0) return serve_parent(options);
  const Lent lent = lend_all(options);
  remote::Terms terms;
  terms.devices = lent.devices;
  terms.max_clients = options.clients;
  if (!options.client_memory.empty())
    terms.client_memory_bytes = static_cast<std::uint64_t>(
        read_usage([&] { return base::parse_bytes(options.client_memory, "--client-memory"); }));
  const double idle_seconds =
      options.idle.empty()
          ? std::numeric_limits<double>::infinity()
          : read_usage([&] { return base::parse_seconds(options.idle, "--idle"); });
  std::vector<std::string> listen = options.listen;
  if (listen.empty()) listen = {default_offload_address(true)};
  std::vector<remote::Door> doors;
  std::vector<std::string> places;
  for (const std::string& text : listen) doors.push_back(open_door(text, options.plain, places));
  for (const remote::Door& door : doors)
    if (door.wants_proof && terms.tokens.empty()) {
      if (options.tokens.empty())
        throw UsageError(
            "over TCP and UCX a server knows its clients by tokens: give their file with "
            "--tokens; `blockyard offload token NAME` makes one");
      terms.tokens = remote::read_tokens(options.tokens);
    }
  if (options.threads > 0 && !tensor::blas::limit_blas_threads(options.threads))
    throw UsageError("--threads: the BLAS of this Blockyard computes with one thread");
  tensor::blas::map_buffers(1);  // one client computes at a time
  note_signals();
  remote::Server server(std::move(doors), terms, log_line);
  Output output(stdout);
  if (options.json)
    output.print(print_json(
        {{"kind", options.device}, {"devices", terms.devices.size()}, {"places", places}}, -1));
  for (const std::string& place : places)
    if (!options.json)
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
  bool json = false;
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
  if (options.json) {
    output.print(print_json(
        {{"name", token.name}, {"weight", token.weight}, {"tokens", options.file}, {"token", own}},
        2));
    return 0;
  }
  output.print(
      fmt::format("{} knows it now; give {} to the client, for --token\n", options.file, own));
  return 0;
}

void add_serve(CLI::App& offload, Commands& commands) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* const serving =
      offload.add_subcommand("serve", "Lend devices of this machine to programs and jobs");
  serving->add_option("--listen", options->listen,
                      "where: unix:PATH, HOST:PORT, ucx://HOST:PORT; several times for several "
                      "places (default: a Unix socket of this user)");
  serving
      ->add_option("--device", options->device,
                   "host (default), sim, or a kind that has a plug-in, such as cuda or opencl")
      ->type_name("KIND");
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
  serving->add_option("--tokens", options->tokens,
                      "file of the tokens that are let in over TCP and UCX");
  serving->add_option("--idle", options->idle,
                      "end after so long without a client, like 10m (default: never)");
  serving
      ->add_option("--threads", options->threads,
                   "processors that the host device computes with (default: all)")
      ->check(CLI::Range(1, 4096));
  serving->add_flag("--only-device", options->only_device,
                    "compute nothing on the processors here that the device does not know");
  serving
      ->add_option("--isolation", options->isolation,
                   "process: each device in a process of its own, which is started again when it "
                   "ends (default for cuda and opencl); none")
      ->check(CLI::IsMember({"process", "none"}));
  serving->add_option("--parent", options->parent)->group("");
  serving->add_flag("--count", options->counts_only)->group("");
  serving->add_flag("--plain", options->plain,
                    "let other machines connect without TLS; tokens are proven all the same");
  serving->add_flag("--json", options->json, "print the addresses as one line of JSON");
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
  making->add_flag("--json", token->json, "print what was written as JSON");
  (*inner)[making] = [token] { return make_token(*token); };

  commands[offload] = [offload, inner] { return inner->at(offload->get_subcommands().front())(); };
}

std::string default_offload_address(bool makes_folder) {
  const fs::path folder = report::live_folder(std::getenv("XDG_RUNTIME_DIR"));
  const int error = makes_folder && ::mkdir(folder.c_str(), 0700) != 0 ? errno : 0;
  // Where it exists another user may have made it, to take our matrices and give us his results.
  struct stat found {};
  const bool exists = ::lstat(folder.c_str(), &found) == 0;
  if (!exists && makes_folder)
    throw base::Error(base::Errc::io, fmt::format("cannot make the folder {}: {}", folder.string(),
                                                  std::strerror(error)));
  if (exists &&
      (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & 0077) != 0))
    throw base::Error(base::Errc::io,
                      fmt::format("{} is not a folder of this user alone", folder.string()));
  return "unix:" + (folder / "offload").string();
}

}  // namespace blockyard::app
