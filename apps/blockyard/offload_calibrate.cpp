// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "apps/blockyard/offload_run.h"
#include "apps/blockyard/offload_server.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"
#include "blockyard/blas/router/calibration.h"
#include "blockyard/blas/router/measure.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host/host.h"
#include "blockyard/remote/client/client.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::app {

namespace {

namespace fs = std::filesystem;

struct MeasureOptions {
  ServerChoice of;
  bool json = false;
};

void write_calibration(const fs::path& path, const blas::Calibration& found) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const std::string text = blas::format_calibration(found);
  store::write_whole_file(path, std::as_bytes(std::span(text)));
}

std::string text_of(const blas::Calibration& found) {
  std::string text =
      fmt::format("latency {:.0f} us, to the server {:.2f} GB/s, from it {:.2f} GB/s\n",
                  found.latency_seconds * 1e6, found.up_rate / 1e9, found.down_rate / 1e9);
  text += fmt::format("{:<10}{:>16}{:>16}\n", "products", "here Gflop/s", "there Gflop/s");
  const auto letters = blas::Calibration::letters;
  for (std::size_t k = 0; k < letters.size(); ++k)
    text += fmt::format("{}gemm{:>21.1f}{:>16.1f}\n", letters[k], found.local_rate[k] / 1e9,
                        found.device_rate[k] / 1e9);
  return text;
}

std::string json_text(const blas::Calibration& found, const std::string& server,
                      const fs::path& path) {
  nlohmann::ordered_json products = nlohmann::ordered_json::object();
  const auto letters = blas::Calibration::letters;
  for (std::size_t k = 0; k < letters.size(); ++k)
    products[fmt::format("{}gemm", letters[k])] = {{"local_flops_a_second", found.local_rate[k]},
                                                   {"device_flops_a_second", found.device_rate[k]}};
  return print_json({{"server", server},
                     {"file", path.string()},
                     {"latency_seconds", found.latency_seconds},
                     {"up_bytes_a_second", found.up_rate},
                     {"down_bytes_a_second", found.down_rate},
                     {"products", products}},
                    2);
}

int calibrate_offload(MeasureOptions options) {
  options.of.fill_in();
  const std::string& server = options.of.server;
  const fs::path path =
      blas::calibration_path(server, std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  if (path.empty())
    throw base::Error(base::Errc::io, "neither XDG_CACHE_HOME nor HOME names a folder to keep it");
  const std::string text = options.of.device_options(server);
  static_cast<void>(remote::devices_of(text));  // says best what is wrong
  device::Device there(remote::table(), 0, text);
  device::Device here(device::host::table(), 0);
  const blas::Calibration found = blas::measure(there, here);
  write_calibration(path, found);
  Output output(stdout);
  output.print(options.json ? json_text(found, server, path)
                            : text_of(found) + fmt::format("kept in {}\n", path.string()));
  return 0;
}

}  // namespace

void add_offload_calibrate(CLI::App& offload, Commands& commands) {
  auto options = std::make_shared<MeasureOptions>();
  CLI::App* const measuring = offload.add_subcommand(
      "calibrate", "Measure a server, the link to it and this machine, once, for `run`");
  options->of.add_to(*measuring, "where it listens: HOST:PORT or unix:PATH");
  measuring->add_flag("--json", options->json, "as JSON");
  commands[measuring] = [options] { return calibrate_offload(*options); };
}

}  // namespace blockyard::app
