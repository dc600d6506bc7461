// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/blas/router/calibration.h"
#include "blockyard/rpc/address.h"

namespace blockyard::blas {

namespace {

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_on(const char* name) {
  const std::string value = value_of(name);
  if (!value.empty() && value != "0" && value != "1") say(fmt::format("{} is 0 or 1", name));
  return value == "1";
}

std::vector<Server> read_servers(const std::string& list) {
  std::vector<Server> all;
  for (const std::string& word : rpc::split_addresses(list)) all.push_back(parse_server(word));
  return all;
}

}  // namespace

Server parse_server(const std::string& word) {
  Server one{word};
  const std::size_t at = word.rfind('#');
  if (at == std::string::npos) return one;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + at + 1, end, one.device);
  if (error == std::errc{} && stop == end && one.device >= 0)
    one.address.resize(at);
  else
    one.device = 0;
  return one;
}

void say(const std::string& text) {
  const std::string line = "blockyard: " + text + "\n";
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) < 0);
}

Settings read_settings() {
  Settings settings;
  settings.servers = read_servers(value_of("BLOCKYARD_OFFLOAD"));
  if (settings.servers.empty()) settings.servers = read_servers(value_of("RCPU_SERVER"));
  settings.token = value_of("BLOCKYARD_OFFLOAD_TOKEN");
  settings.sockets = value_of("BLOCKYARD_OFFLOAD_SOCKETS");
  const auto has_blank = [](const std::string& text) { return text.find(' ') != text.npos; };
  if (has_blank(settings.token) ||
      std::ranges::any_of(settings.servers, has_blank, &Server::address)) {
    say("the address of a server and the path of a token have no blanks: the program continues "
        "with its own libraries");
    settings.servers.clear();
  }
  settings.report = value_of("BLOCKYARD_OFFLOAD_REPORT");
  const std::string place = value_of("BLOCKYARD_OFFLOAD_PLACE");
  if (place == "local")
    settings.place = Where::local;
  else if (place == "remote")
    settings.place = Where::remote;
  else if (place == "both")
    settings.place = Where::both;
  else if (!place.empty() && place != "auto")
    say("BLOCKYARD_OFFLOAD_PLACE=" + place + " is not known: use auto, local, remote or both");
  if (const std::string keep = value_of("BLOCKYARD_OFFLOAD_KEEP"); !keep.empty()) try {
      settings.kept_bytes = keep == "0" ? 0 : base::parse_bytes(keep, "BLOCKYARD_OFFLOAD_KEEP");
    } catch (const base::Error& error) {
      say(error.what());
    }
  const std::string log = value_of("BLOCKYARD_OFFLOAD_LOG");
  settings.logs_calls = log == "call";
  settings.is_quiet = log == "off";
  settings.is_deterministic = is_on("BLOCKYARD_OFFLOAD_DETERMINISTIC");
  settings.is_checking = is_on("BLOCKYARD_OFFLOAD_CHECK");
  if (!settings.servers.empty())
    settings.calibration = calibration_path(settings.servers.front().address,
                                            std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  return settings;
}

}  // namespace blockyard::blas
