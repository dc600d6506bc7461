// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/settings.h"

#include <unistd.h>

#include <cstdlib>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::blas {

namespace {

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void say(const std::string& text) noexcept {
  const std::string line = "blockyard: " + text + "\n";
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) < 0);
}

Settings read_settings() {
  Settings settings;
  settings.server = value_of("BLOCKYARD_OFFLOAD");
  if (settings.server.empty()) settings.server = value_of("RCPU_SERVER");
  settings.token = value_of("BLOCKYARD_OFFLOAD_TOKEN");
  settings.report = value_of("BLOCKYARD_OFFLOAD_REPORT");
  const std::string place = value_of("BLOCKYARD_OFFLOAD_PLACE");
  if (place == "local")
    settings.place = Where::local;
  else if (place == "remote")
    settings.place = Where::remote;
  else if (!place.empty() && place != "auto")
    say("BLOCKYARD_OFFLOAD_PLACE=" + place + " is not known: use auto, local or remote");
  if (const std::string keep = value_of("BLOCKYARD_OFFLOAD_KEEP"); !keep.empty()) try {
      settings.kept_bytes = base::parse_bytes(keep, "BLOCKYARD_OFFLOAD_KEEP");
    } catch (const base::Error& error) {
      say(error.what());
    }
  const std::string log = value_of("BLOCKYARD_OFFLOAD_LOG");
  settings.logs_calls = log == "call";
  settings.is_quiet = log == "off";
  return settings;
}

}  // namespace blockyard::blas
