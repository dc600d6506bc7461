// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>

namespace blockyard::bench {

/// The main function of a benchmark `name` that answers `question` by this many rounds of each
/// measurement: run_all(rounds, json_file).
inline int main_of_rounds(int argc, char** argv, const std::string& name,
                          const std::string& question,
                          void (&run_all)(int rounds, const std::string& json_file)) {
  CLI::App app(question);
  int rounds = 15;
  std::string json_file;
  app.add_option("--rounds", rounds, "measurements of each; the best counts");
  app.add_option("--json", json_file, "file of the JSON lines (default: standard output)");
  app.add_flag_callback(
      "--quick", [&] { rounds = 3; }, "three rounds");
  CLI11_PARSE(app, argc, argv);
  try {
    run_all(rounds, json_file);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace blockyard::bench
