// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/offload_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/offload_run.h"
#include "blockyard/device/loader.h"

namespace blockyard::app {

void ServerChoice::add_to(CLI::App& command, const std::string& where) {
  command.add_option("--server", server, where + " (default: that of this user)")
      ->each([this](const std::string&) { has_server = true; });
  command.add_option("--token", token, "file with name and secret");
  command.add_option("--sockets", sockets, "sockets that long data are divided among (default: 1)")
      ->check(CLI::Range(1, 16))
      ->each([this](const std::string&) { has_sockets = true; });
}

void ServerChoice::fill_in() {
  if (server.empty()) server = default_offload_address(false);
  for (const std::string& word : {server, token})
    if (word.find(' ') != std::string::npos)
      throw UsageError(fmt::format(
          "\"{}\": the address of a server and the path of a token have no blanks", word));
}

std::string ServerChoice::device_options(const std::string& of_server) const {
  return "server=" + of_server + (token.empty() ? "" : " token=" + token) +
         (sockets == 1 ? "" : " sockets=" + std::to_string(sockets));
}

void check_can_lend(const std::string& kind) {
  std::vector<std::string> kinds = device::plugin_kinds(find_places("").plugins);
  kinds.insert(kinds.begin(), {"host", "sim"});
  if (std::ranges::find(kinds, kind) == kinds.end())
    throw UsageError(fmt::format("--device {}: this is not a kind of device here: the kinds are {}",
                                 kind, fmt::join(kinds, ", ")));
}

}  // namespace blockyard::app
