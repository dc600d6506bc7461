// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/accumulate.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/join.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/ring_devices.h"
#include "apps/blockyard/ring_report.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/lattice/samples_file.h"
#include "blockyard/store/apart.h"
#include "blockyard/store/survive.h"

namespace blockyard::app {

namespace {

struct AccumulateOptions {
  std::string fabric = "auto";
  std::string samples;
  std::string output;
  std::vector<std::string> channels;
  std::string ring = "auto";
  std::string route = "ring";
  std::string direction = "right";
  std::string sums = "double";
  std::string travel = "auto";
  std::string element = "c128";
  std::string memory;
  std::string json;
  std::string report;
  std::string fabric_delay;
  RingDeviceChoice device;
  std::string device_memory;
  int lanes = 1;
  int slots = 3;
  int bins = 1;
  double bound = 0;
  int ranks = 0;
  bool normalise = false;
  bool symmetrise = false;
  bool parts = false;
  bool deterministic = false;
  bool quiet = false;
};

std::optional<std::int64_t> bytes_of(const std::string& text, std::string_view option) {
  if (text.empty()) return std::nullopt;
  return base::parse_bytes(text, option);
}

RingDeviceChoice device_of(const AccumulateOptions& options) {
  RingDeviceChoice choice = options.device;
  choice.memory_bytes = bytes_of(options.device_memory, "--device-memory");
  return choice;
}

lattice::AccumulateJob job_of(const AccumulateOptions& options, ring::Team& team) {
  lattice::AccumulateJob job;
  job.samples = options.samples;
  job.output = options.output;
  lattice::G4Options& g4 = job.options;
  if (!options.channels.empty()) g4.channels = lattice::parse_channels(options.channels);
  g4.ring = ring::parse_size(options.ring);
  g4.flow.route = options.route == "direct" ? ring::Route::direct : ring::Route::ring;
  g4.flow.direction = options.direction == "both" ? ring::Direction::both : ring::Direction::right;
  g4.flow.lanes = options.lanes;
  g4.flow.slots = options.slots;
  g4.travel = parse_travel(options.travel);
  g4.is_single = options.element == "c64";
  g4.is_exact = options.sums == "exact" || options.deterministic;
  g4.bound = options.bound;
  g4.bins = options.bins;
  g4.normalise = options.normalise;
  g4.symmetrise = options.symmetrise;
  g4.has_parts = options.parts;
  g4.memory_bytes = memory_of_rank(bytes_of(options.memory, "--memory"), team);
  if (!options.fabric_delay.empty()) team.delay = fabric::parse_delay(options.fabric_delay);
  return job;
}

void tell(const AccumulateOptions& options, const lattice::G4Report& report) {
  const nlohmann::ordered_json json = {{"title", options.samples},
                                       {"samples", report.samples},
                                       {"sign", {report.sign.real(), report.sign.imag()}},
                                       {"sign_error", report.sign_error},
                                       {"ring", ring_json(report)},
                                       {"seconds", report.seconds}};
  if (!options.quiet && !is_output_taken({options.json, options.report}))
    print_out("{} samples, average sign {:.6f}{:+.6f}i +- {:.1e}{}\n{}written to {}\n",
              report.samples, report.sign.real(), report.sign.imag(), report.sign_error,
              sign_error_note(report), ring_text(report), options.output);
  write_ring_json(json, report, options.json, options.report);
}

int accumulate(const AccumulateOptions& options) {
  store::check_survivable(options.samples,
                          [&] { lattice::SamplesReader(options.samples).open_all(); });
  auto session = join_processes(options.fabric);
  return run_quietly(session.get(), [&] {
    const int usual_ranks = is_launched() ? 1 : 0;  // 0: one for each core
    ring::Team team = make_team(session.get(), options.ranks > 0 ? options.ranks : usual_ranks);
    lattice::AccumulateJob job = read_usage([&] { return job_of(options, team); });
    RingDevices devices(read_usage([&] { return device_of(options); }), session.get());
    devices.put_into(job.options, team);
    const bool is_lead = !session || session->process() == 0;
    fabric::agree(session.get(), [&] {
      if (!is_lead) return;
      const std::vector<std::string> outputs = {options.output, options.json, options.report};
      for (const std::string& file : outputs) check_writable(file);
      store::check_apart({options.samples}, outputs);
    });
    const lattice::G4Report report = lattice::accumulate(job, team);
    if (!is_lead) return 0;
    warn_of_undivided(report, options.output);
    tell(options, report);
    return 0;
  });
}

void add_ring_options(CLI::App& command, AccumulateOptions& options) {
  command.add_option("--ring", options.ring,
                     "ranks of a ring, which share one G4: auto (the fewest that fit) or a number");
  command.add_option("--route", options.route, "how items get to the other ranks")
      ->check(CLI::IsMember({"ring", "direct"}));
  command.add_option("--direction", options.direction, "right, or every second lane to the left")
      ->check(CLI::IsMember({"right", "both"}));
  command.add_option("--lanes", options.lanes, "rings over the same ranks")
      ->check(CLI::Range(1, 64));
  command.add_option("--slots", options.slots, "room for items from elsewhere, by rank and lane")
      ->check(CLI::Range(2, 64));
  command
      .add_option("--travel", options.travel,
                  "what travels: the sample, its Green's function (g), or whichever is smaller")
      ->check(CLI::IsMember({"auto", "sample", "g"}));
  command.add_option("--element", options.element, "what travels, in single precision with c64")
      ->check(CLI::IsMember({"c64", "c128"}));
  command
      .add_option("--sums", options.sums,
                  "double, or exact: the same bits whatever the ranks and rings")
      ->check(CLI::IsMember({"double", "exact"}));
  command
      .add_option("--bound", options.bound,
                  "the largest contribution of a sample, for exact sums (default: by the first)")
      ->check(
          [](const std::string& text) -> std::string {
            const double value = std::strtod(text.c_str(), nullptr);
            return std::isfinite(value) && value > 0 ? "" : "not positive";
          },
          "POSITIVE");
  command.add_flag("--deterministic", options.deterministic, "the same as --sums exact");
}

}  // namespace

void add_accumulate(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand(
      "accumulate", "Accumulate two-particle Green's functions of recorded Monte Carlo samples");
  const auto options = std::make_shared<AccumulateOptions>();  // shared with the function below
  command->add_option("samples", options->samples, "samples (HDF5, docs/lattice.md)")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "result (HDF5)")
      ->required()
      ->type_name("FILE");
  command->add_option("--channels", options->channels, "channels of G4 (default: all six)")
      ->delimiter(',');
  command->add_flag("--normalise", options->normalise, "divide by the average sign and beta^2");
  command->add_flag("--symmetrise", options->symmetrise,
                    "average G4 over the point group, and with its conjugate");
  command->add_flag(
      "--parts", options->parts,
      "each rank writes its slice to a file of its own; the result shows them as one");
  command
      ->add_option("--bins", options->bins, "error bars from this many bins, each with its own G4")
      ->check(CLI::Range(1, 10000));
  add_ring_options(*command, *options);
  add_fabric_option(*command, options->fabric);
  command
      ->add_option("-w,--workers", options->ranks,
                   "ranks of each process (default: one per core; under mpirun: one)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--device", options->device.kind,
                      "what holds the slices: none (the memory of ranks), opencl, cuda, sim, host");
  command->add_option("--device-options", options->device.options,
                      "options of the device, such as seed=3 (docs/devices.md)");
  command->add_option("--device-memory", options->device_memory,
                      "memory to use on each device, such as 4G (default: 90 % of what is free)");
  command->add_option("--memory", options->memory,
                      "memory of each process, like 4G (default: 70 % of what is free)");
  command->add_option("--fabric-delay", options->fabric_delay,
                      "make messages as slow as on a network, like 100us,1GB/s (for measurements)");
  command
      ->add_option("--json", options->json, "write the results to this file ('-': standard output)")
      ->type_name("FILE");
  command
      ->add_option("--report", options->report,
                   "write measurements to this file, for 'blockyard report'")
      ->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "print nothing");
  commands[command] = [options] { return accumulate(*options); };
}

}  // namespace blockyard::app
