// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <filesystem>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/input/words.h"

namespace blockyard::input {

namespace {

using Text = std::string_view;
using Texts = std::vector<std::string>;

template <std::integral Number>
Number parse_count(Text value, Text name) {
  Number number{};
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (status != std::errc() || end != value.data() + value.size())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{}: \"{}\" is not an integer in range", name, value));
  return number;
}

bool parse_truth(Text value, Text name) {
  const std::string lower = base::lower(value);
  if (lower != "true" && lower != "false")
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{}: \"{}\" is neither true nor false", name, value));
  return lower == "true";
}

template <class Number>
Texts printed(const std::optional<Number>& value, Text unit = "") {
  return value ? Texts{fmt::format("{}{}", *value, unit)} : Texts{};
}

Texts printed(const std::string& value) { return value.empty() ? Texts{} : Texts{value}; }
Texts printed(bool value) { return value ? Texts{"true"} : Texts{}; }

// The pairs of functions of a row, by the member that they read and print.

template <auto Member>
constexpr void read_text(RunSpec& run, Text value, Text) {
  run.*Member = value;
}
template <auto Member>
void read_count(RunSpec& run, Text value, Text name) {
  using Number = typename std::remove_cvref_t<decltype(run.*Member)>::value_type;
  run.*Member = parse_count<Number>(value, name);
}
template <auto Member>
void read_truth(RunSpec& run, Text value, Text name) {
  run.*Member = parse_truth(value, name);
}
template <auto Member>
Texts print(const RunSpec& run) {
  return printed(run.*Member);
}

void read_memory(RunSpec& run, Text value, Text name) {
  run.memory_bytes = base::parse_bytes(value, name);
}

void read_checkpoint(RunSpec& run, Text value, Text name) {
  run.checkpoint_seconds = base::parse_seconds(value, name);
}
Texts print_checkpoint(const RunSpec& run) { return printed(run.checkpoint_seconds, "s"); }

void read_super(RunSpec& run, Text value, Text) { run.supers.emplace_back(value); }
Texts print_supers(const RunSpec& run) { return run.supers; }

void read_pardo(RunSpec& run, Text value, Text) { run.pardo = parse_policy(value); }
Texts print_pardo(const RunSpec& run) {
  for (const Text name : policy_names)
    if (parse_policy(name) == run.pardo) return {std::string(name)};
  return {};
}

void read_prefetch(RunSpec& run, Text value, Text) { run.prefetch = worker::parse_prefetch(value); }
Texts print_prefetch(const RunSpec& run) {
  return run.prefetch.is_auto ? Texts{} : Texts{std::to_string(run.prefetch.fixed)};
}

void read_delay(RunSpec& run, Text value, Text) { run.fabric_delay = fabric::parse_delay(value); }
Texts print_delay(const RunSpec& run) {
  if (!run.fabric_delay) return {};
  std::string text = fmt::format("{}s", run.fabric_delay->latency_seconds);
  if (run.fabric_delay->bytes_per_second > 0)
    text += fmt::format(",{}B/s", run.fabric_delay->bytes_per_second);
  return {text};
}

/// Options of a plug-in are forgotten with the kind that they were for.
void read_device(RunSpec& run, Text value, Text) {
  const std::string kind = parse_device_kind(value);
  if (kind != run.device.kind) run.device.options.clear();
  run.device.kind = kind;
}
Texts print_device(const RunSpec& run) {
  return run.device.kind == DeviceSpec().kind ? Texts{} : Texts{run.device.kind};
}

void read_devices(RunSpec& run, Text value, Text name) {
  run.device.count = parse_count<int>(value, name);
}
Texts print_devices(const RunSpec& run) { return printed(run.device.count); }

void read_device_memory(RunSpec& run, Text value, Text name) {
  run.device.memory_bytes = base::parse_bytes(value, name);
}
Texts print_device_memory(const RunSpec& run) { return printed(run.device.memory_bytes); }

void read_device_options(RunSpec& run, Text value, Text) { run.device.options = value; }
Texts print_device_options(const RunSpec& run) { return printed(run.device.options); }

void read_placement(RunSpec& run, Text value, Text) {
  run.device.learns_placement = parse_placement(value);
}
Texts print_placement(const RunSpec& run) {
  if (!run.device.learns_placement) return {};
  return {*run.device.learns_placement ? "learned" : "device"};
}

void read_device_after(RunSpec& run, Text value, Text name) {
  run.device.after_seconds = base::parse_seconds(value, name);
}
Texts print_device_after(const RunSpec& run) { return printed(run.device.after_seconds, "s"); }

void read_device_network(RunSpec& run, Text value, Text) {
  run.device.feeds_network = parse_device_network(value);
}
Texts print_device_network(const RunSpec& run) {
  if (!run.device.feeds_network) return {};
  return {*run.device.feeds_network ? "on" : "off"};
}

void read_hints(RunSpec& run, Text value, Text name) {
  run.device.respects_hints = parse_truth(value, name);
}
Texts print_hints(const RunSpec& run) { return printed(run.device.respects_hints); }

using enum ValueForm;
using enum OptionGroup;
using Run = RunSpec;

constexpr std::int64_t most_ranks = 4096;
constexpr std::int64_t most_devices = 64;

constexpr std::array options = {
    RunOption{.key = "super",
              .group = files,
              .form = paths,
              .value = "FILE",
              .help = "load super instructions from this shared object",
              .read = read_super,
              .print = print_supers},
    RunOption{
        .key = "persistent",
        .group = files,
        .form = path,
        .value = "FILE",
        .help = "HDF5 file of persistent arrays and scalars: read at the start, written at the end",
        .read = read_text<&Run::persistent>,
        .print = print<&Run::persistent>},
    RunOption{.key = "guess",
              .group = files,
              .form = path,
              .value = "FILE",
              .help = "start from orbitals and amplitudes that an earlier job saved, or "
                      "(basis:NAME) from orbitals of SCF in another basis",
              .read = read_text<&Run::guess>,
              .print = print<&Run::guess>},
    RunOption{.key = "save",
              .group = files,
              .form = path,
              .value = "FILE",
              .help = "save orbitals and amplitudes (HDF5), for the guess of a later job",
              .read = read_text<&Run::save>,
              .print = print<&Run::save>},
    RunOption{.key = "checkpoint",
              .group = files,
              .form = time,
              .value = "TIME",
              .help = "take a checkpoint this often (10m, 2h), at the next barrier",
              .is_of_resume = true,
              .read = read_checkpoint,
              .print = print_checkpoint},
    RunOption{.key = "checkpoint_dir",
              .group = files,
              .form = path,
              .value = "DIR",
              .help = "folder for checkpoints; with it, SIGUSR1 and SIGTERM take one too",
              .usual = "JOB.checkpoint",
              .read = read_text<&Run::checkpoint_folder>,
              .print = print<&Run::checkpoint_folder>},
    RunOption{.key = "workers",
              .form = count,
              .value = "INT",
              .help = "workers per process",
              .usual = "one per core",
              .least = 1,
              .most = most_ranks,
              .is_of_resume = true,
              .letter = "w",
              .read = read_count<&Run::workers>,
              .print = print<&Run::workers>},
    RunOption{.key = "servers",
              .form = count,
              .value = "INT",
              .help = "servers; under mpirun, processes that only serve",
              .usual = "1; under mpirun none: every process also serves",
              .least = 1,
              .most = most_ranks,
              .is_of_resume = true,
              .letter = "s",
              .read = read_count<&Run::servers>,
              .print = print<&Run::servers>},
    RunOption{.key = "memory",
              .form = count_or_text,
              .value = "SIZE",
              .help = "memory per process, such as 4G",
              .usual = "70 % of what is free",
              .least = 1,
              .is_of_resume = true,
              .read = read_memory,
              .print = print<&Run::memory_bytes>},
    RunOption{.key = "scratch",
              .form = path,
              .value = "DIR",
              .help = "folder for blocks that do not fit into memory",
              .usual = "TMPDIR, or /tmp",
              .is_of_resume = true,
              .read = read_text<&Run::scratch>,
              .print = print<&Run::scratch>},
    RunOption{
        .key = "pardo",
        .value = "POLICY",
        .help =
            "how pardo iterations are scheduled: sequential, static, balanced, dynamic or locality",
        .usual = "balanced",
        .read = read_pardo,
        .print = print_pardo},
    RunOption{.key = "prefetch",
              .form = count_or_text,
              .value = "DEPTH",
              .help = "blocks that each get requests ahead of time: auto or 0 to 64",
              .usual = "auto",
              .read = read_prefetch,
              .print = print_prefetch},
    RunOption{.key = "fabric_delay",
              .group = testing,
              .value = "TIME,RATE",
              .help = "delay messages as a network would, such as 100us,1GB/s (for measurements)",
              .read = read_delay,
              .print = print_delay},
    RunOption{.key = "check",
              .form = truth,
              .help = "find races, uninitialised reads and leaks while running",
              .read = read_truth<&Run::check>,
              .print = print<&Run::check>},
    RunOption{.key = "deterministic",
              .form = truth,
              .help = "bitwise reproducible results for a given number of workers (needs more "
                      "memory on servers)",
              .read = read_truth<&Run::deterministic>,
              .print = print<&Run::deterministic>},
    RunOption{.key = "device",
              .group = device,
              .value = "KIND",
              .help = "device that computes in addition to the host: auto (a GPU if there is one), "
                      "none, cuda, opencl, sim or remote://SERVER (blockyard offload serve)",
              .usual = "auto",
              .is_of_resume = true,
              .read = read_device,
              .print = print_device},
    RunOption{.key = "devices",
              .group = device,
              .form = count,
              .value = "INT",
              .help = "devices per process, shared among its workers",
              .usual = "all",
              .least = 1,
              .most = most_devices,
              .is_of_resume = true,
              .read = read_devices,
              .print = print_devices},
    RunOption{.key = "device_memory",
              .group = device,
              .form = count_or_text,
              .value = "SIZE",
              .help = "memory that a process uses on each device, such as 4G",
              .usual = "90 % of what is free",
              .least = 1,
              .is_of_resume = true,
              .read = read_device_memory,
              .print = print_device_memory},
    RunOption{.key = "device_options",
              .group = device,
              .value = "LIST",
              .help = "options of the device, such as seed=3 or token=FILE (docs/devices.md)",
              .is_of_resume = true,
              .read = read_device_options,
              .print = print_device_options},
    RunOption{.key = "placement",
              .group = device,
              .value = "HOW",
              .help = "learned (each statement runs where it is faster) or device (all that can)",
              .usual = "learned with device auto, else device",
              .is_of_resume = true,
              .read = read_placement,
              .print = print_placement},
    RunOption{.key = "device_after",
              .group = device,
              .form = time,
              .value = "TIME",
              .help = "with learned placement: open a device only after this much eligible work "
                      "or, if a device is named, after this much time; 0s: at once",
              .usual = "0.1s for a GPU, else 2s",
              .is_of_resume = true,
              .read = read_device_after,
              .print = print_device_after},
    RunOption{.key = "device_network",
              .group = device,
              .value = "HOW",
              .help = "let MPI send blocks directly from device memory: auto (if the MPI library "
                      "can), on or off",
              .usual = "auto",
              .is_of_resume = true,
              .read = read_device_network,
              .print = print_device_network},
    RunOption{.key = "respect_gpu_hints",
              .group = device,
              .form = truth,
              .help = "run statements between gpu_on and gpu_off on the device",
              .is_of_resume = true,
              .read = read_hints,
              .print = print_hints},
    RunOption{.key = "seed",
              .group = testing,
              .form = count,
              .value = "UINT",
              .help = "randomise message order with this seed (testing)",
              .is_of_resume = true,
              .read = read_count<&Run::seed>,
              .print = print<&Run::seed>},
};

}  // namespace

std::span<const RunOption> run_options() noexcept { return options; }

const RunOption* find_run_option(std::string_view key) noexcept {
  const auto* found = std::ranges::find(options, key, &RunOption::key);
  return found == options.end() ? nullptr : found;
}

void name_checkpoints(RunSpec& run, std::string_view first_file) {
  if (!run.checkpoint_seconds || !run.checkpoint_folder.empty()) return;
  // Of standard input: no command takes a name that begins like an option.
  const std::filesystem::path named = first_file == "-" ? "job" : first_file;
  run.checkpoint_folder = named.stem().string() + ".checkpoint";
}

}  // namespace blockyard::input
