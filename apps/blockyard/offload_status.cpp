// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/offload_run.h"
#include "apps/blockyard/offload_server.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/text.h"
#include "blockyard/device/device.h"
#include "blockyard/remote/client/client.h"

namespace blockyard::app {

namespace {

struct StatusOptions {
  ServerChoice of;
  bool json = false;
  bool prometheus = false;
};

/// A device as a server shows it to a client.
struct ShownDevice {
  std::string kind, name;
  std::uint64_t memory_bytes = 0, free_bytes = 0;  ///< 0: as the system has it
  remote::DeviceUse use;
};

std::string memory_text(const ShownDevice& device) {
  if (device.memory_bytes == 0) return "memory as the system has it";
  return base::format_bytes(static_cast<std::int64_t>(device.free_bytes)) + " free";
}

/// Of the last ten seconds.
std::string rates_text(const remote::Rates& rates) {
  const auto bytes = [](double a_second) {
    return base::format_bytes(static_cast<std::int64_t>(a_second));
  };
  return fmt::format("busy {:.0f} %, in {}/s, out {}/s", 100 * rates.busy, bytes(rates.received),
                     bytes(rates.sent));
}

void add_rates(nlohmann::ordered_json& to, const remote::Rates& rates) {
  to["received_bytes_per_second"] = rates.received;
  to["sent_bytes_per_second"] = rates.sent;
  to["device_seconds_per_second"] = rates.busy;
}

std::string table_of(const std::vector<ShownDevice>& devices) {
  std::string text;
  for (std::size_t number = 0; number < devices.size(); ++number) {
    const ShownDevice& one = devices[number];
    text += fmt::format("{:<4}{:<8}{:<32}{}; {:.3f} s queued; {}\n", number, one.kind, one.name,
                        memory_text(one), one.use.queue_seconds, rates_text(one.use.rates));
    double all = 0;
    for (const remote::ClientUse& client : one.use.clients) all += client.used_seconds;
    for (const remote::ClientUse& client : one.use.clients)
      text += fmt::format(
          "      {:<24} weight {:<6.2f} {:>10.3f} s ({:.0f} %), {} parts queued, {}; {}\n",
          client.name, client.weight, client.used_seconds,
          all > 0 ? 100 * client.used_seconds / all : 0, client.queued,
          base::format_bytes(static_cast<std::int64_t>(client.memory_bytes)),
          rates_text(client.rates));
  }
  return text;
}

std::string json_of(const std::string& server, bool is_encrypted,
                    const std::vector<ShownDevice>& devices) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ShownDevice& one : devices) {
    nlohmann::ordered_json clients = nlohmann::ordered_json::array();
    for (const remote::ClientUse& client : one.use.clients) {
      clients.push_back({{"name", client.name},
                         {"weight", client.weight},
                         {"used_seconds", client.used_seconds},
                         {"queued", client.queued},
                         {"memory_bytes", client.memory_bytes}});
      add_rates(clients.back(), client.rates);
    }
    all.push_back({{"kind", one.kind},
                   {"name", one.name},
                   {"memory_bytes", one.memory_bytes},
                   {"free_bytes", one.free_bytes},
                   {"queue_seconds", one.use.queue_seconds},
                   {"used_bytes", one.use.memory_bytes},
                   {"limit_bytes", one.use.limit_bytes}});
    add_rates(all.back(), one.use.rates);
    all.back()["clients"] = clients;
  }
  return print_json({{"server", server}, {"encrypted", is_encrypted}, {"devices", all}}, 2);
}

/// The text that collectors of Prometheus read.
std::string metrics_of(const std::vector<ShownDevice>& devices) {
  std::string text =
      "# HELP blockyard_offload_up Whether the server answers.\n"
      "# TYPE blockyard_offload_up gauge\nblockyard_offload_up 1\n";
  const auto add = [&](const char* name, const char* help, const auto& value_of) {
    text += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
    for (std::size_t number = 0; number < devices.size(); ++number)
      text += fmt::format("{}{{device=\"{}\",kind=\"{}\"}} {}\n", name, number,
                          devices[number].kind, value_of(devices[number]));
  };
  add("blockyard_offload_memory_bytes", "Memory that a client can have; 0: not limited.",
      [](const ShownDevice& one) { return one.memory_bytes; });
  add("blockyard_offload_free_bytes", "What of it is free.",
      [](const ShownDevice& one) { return one.free_bytes; });
  add("blockyard_offload_used_bytes", "Memory that clients have allocated.",
      [](const ShownDevice& one) { return one.use.memory_bytes; });
  add("blockyard_offload_clients", "Clients that use the device.",
      [](const ShownDevice& one) { return one.use.clients.size(); });
  add("blockyard_offload_queue_seconds", "Work that waits.",
      [](const ShownDevice& one) { return fmt::format("{:.6f}", one.use.queue_seconds); });
  const auto rate = [](double remote::Rates::*which) {
    return [which](const auto& one) { return fmt::format("{:.6f}", one.use.rates.*which); };
  };
  add("blockyard_offload_received_bytes_per_second", "From clients, in the last ten seconds.",
      rate(&remote::Rates::received));
  add("blockyard_offload_sent_bytes_per_second", "To clients, in the last ten seconds.",
      rate(&remote::Rates::sent));
  add("blockyard_offload_device_seconds_per_second", "Device time used, in the last ten seconds.",
      rate(&remote::Rates::busy));
  const auto add_client = [&](const char* name, const char* help, const auto& value_of) {
    text += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
    for (std::size_t number = 0; number < devices.size(); ++number)
      for (std::size_t client = 0; client < devices[number].use.clients.size(); ++client)
        text += fmt::format("{}{{device=\"{}\",client=\"{}\",number=\"{}\"}} {:.6f}\n", name,
                            number, devices[number].use.clients[client].name, client,
                            value_of(devices[number].use.clients[client]));
  };
  add_client("blockyard_offload_client_seconds", "Device time that a client has had.",
             [](const remote::ClientUse& one) { return one.used_seconds; });
  add_client("blockyard_offload_client_weight", "Its share, relative to others.",
             [](const remote::ClientUse& one) { return one.weight; });
  add_client("blockyard_offload_client_received_bytes_per_second",
             "From a client, in the last ten seconds.",
             [](const remote::ClientUse& one) { return one.rates.received; });
  add_client("blockyard_offload_client_sent_bytes_per_second",
             "To a client, in the last ten seconds.",
             [](const remote::ClientUse& one) { return one.rates.sent; });
  add_client("blockyard_offload_client_device_seconds_per_second",
             "Device time that a client has had, in the last ten seconds.",
             [](const remote::ClientUse& one) { return one.rates.busy; });
  return text;
}

int print_status(StatusOptions options) {
  options.of.fill_in();
  const std::string& server = options.of.server;
  const std::string text = options.of.device_options(server);
  remote::Usage usage = remote::usage_of(text);  // before this client uses them too
  usage.devices.resize(remote::devices_of(text).size());
  std::vector<ShownDevice> shown;
  for (const remote::Offer& offer : remote::devices_of(text)) {
    device::Device opened(remote::table(), static_cast<int>(shown.size()), text);
    const blockyard_description found = opened.describe();
    shown.push_back({offer.kind, found.name, found.memory_bytes, found.free_bytes,
                     usage.devices[shown.size()]});
  }
  const rpc::Address address = rpc::parse_address(server);
  const bool is_encrypted = remote::uses_tls(address, !options.of.token.empty());
  const bool is_exposed = address.kind != rpc::Address::Kind::unix_socket && !is_encrypted;
  Output output(stdout);
  output.print(options.json         ? json_of(server, is_encrypted, shown)
               : options.prometheus ? metrics_of(shown)
                                    : table_of(shown));
  if (is_exposed && !options.json && !options.prometheus)
    output.print("plain: the link is not encrypted\n");
  return 0;
}

}  // namespace

void add_offload_status(CLI::App& offload, Commands& commands) {
  auto status = std::make_shared<StatusOptions>();
  CLI::App* const asking = offload.add_subcommand("status", "Show the devices that a server lends");
  status->of.add_to(*asking, "where it listens: HOST:PORT or unix:PATH");
  CLI::Option* const json = asking->add_flag("--json", status->json, "as JSON");
  asking->add_flag("--prometheus", status->prometheus, "as text for a collector of Prometheus")
      ->excludes(json);
  commands[asking] = [status] { return print_status(*status); };
}

}  // namespace blockyard::app
