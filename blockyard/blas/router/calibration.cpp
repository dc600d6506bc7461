// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>

#include "blockyard/rpc/address.h"

namespace blockyard::blas {

namespace {

/// Calls body(name, value) for each line.
template <class C, class Body>
void visit(C& calibration, Body body) {
  body("latency_seconds", calibration.latency_seconds);
  body("up_bytes_a_second", calibration.up_rate);
  body("down_bytes_a_second", calibration.down_rate);
  for (std::size_t k = 0; k < Calibration::letters.size(); ++k) {
    body(fmt::format("local_flops_a_second_{}", Calibration::letters[k]),
         calibration.local_rate[k]);
    body(fmt::format("device_flops_a_second_{}", Calibration::letters[k]),
         calibration.device_rate[k]);
  }
}

/// One spelling for all of an address.
std::string spelling_of(std::string_view server) try {
  rpc::Address address = rpc::parse_address(server);
  if (!address.path.empty())
    address.path = std::filesystem::absolute(address.path).lexically_normal().string();
  return rpc::format_address(address);
} catch (const std::exception&) {  // who connects says what is wrong with it
  return std::string(server);
}

}  // namespace

Guess Calibration::guess(char letter) const noexcept {
  Guess guess;
  guess.latency_seconds = latency_seconds;
  guess.byte_seconds = 1 / std::min(up_rate, down_rate);
  const std::size_t at = letters.find(letter);
  if (at == std::string_view::npos) return guess;
  guess.local_rate = local_rate[at];
  guess.device_rate = device_rate[at];
  return guess;
}

std::string format_calibration(const Calibration& calibration) {
  std::string text = "# What `blockyard offload calibrate` measured.\n";
  visit(calibration, [&](std::string_view name, const double& value) {
    text += fmt::format("{} {:.9g}\n", name, value);
  });
  return text;
}

std::optional<Calibration> parse_calibration(std::string_view text) {
  std::map<std::string, double, std::less<>> values;
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t gap = line.find(' ');
    if (line.starts_with('#') || gap == std::string::npos) continue;
    const std::size_t at = line.find_first_not_of(' ', gap);
    if (at == std::string::npos) continue;
    // Not by strtod, which goes by the locale of the program.
    std::from_chars(line.data() + at, line.data() + line.size(), values[line.substr(0, gap)]);
  }
  Calibration calibration;
  bool is_complete = true;
  visit(calibration, [&](std::string_view name, double& value) {
    const auto found = values.find(name);
    value = found == values.end() ? 0 : found->second;
    is_complete = is_complete && std::isfinite(value) && value > 0;
  });
  if (!is_complete) return std::nullopt;
  return calibration;
}

std::string calibration_path(std::string_view server, const char* cache, const char* home) {
  std::string folder;
  if (cache != nullptr && *cache == '/')
    folder = cache;
  else if (home != nullptr && *home == '/')
    folder = std::string(home) + "/.cache";
  else
    return "";
  std::string name = spelling_of(server);
  std::ranges::replace_if(
      name,
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '.' || c == '-');
      },
      '_');
  return fmt::format("{}/blockyard/offload/{}.rates", folder, name);
}

std::optional<Calibration> read_calibration(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  std::string text(64 << 10, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return parse_calibration(text);
}

}  // namespace blockyard::blas
