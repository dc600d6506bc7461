// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "apps/blockyard/hubbard.h"
#include "apps/blockyard/ring_report.h"
#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"
#include "blockyard/input/parse_toml.h"
#include "blockyard/input/toml_section.h"

namespace blockyard::app {

using input::TomlSection;
using lattice::HubbardJob;
using lattice::Vector2;

namespace {

constexpr std::array dca_keys = {"iterations", "mix",          "tolerance",
                                 "restart",    "patch_points", "self_energy_frequencies"};

void take_number(const TomlSection& section, std::string_view key, double& to) {
  if (!section.has(key)) return;
  const auto value = section.node(key).value<double>();
  if (!value || !(std::abs(*value) < 1e300)) throw section.error(key, "is not a number");
  to = *value;
}

template <class Integer>
void take_integer(const TomlSection& section, std::string_view key, std::int64_t least,
                  std::int64_t most, Integer& to) {
  const auto value = section.integer(key, least);
  if (!value) return;
  if (*value > most) throw section.error(key, fmt::format("is larger than {}", most));
  to = static_cast<Integer>(*value);
}

/// One of some words; nothing where the key is missing.
std::optional<std::string> word(const TomlSection& section, std::string_view key,
                                const std::vector<std::string>& words) {
  const auto text = section.text(key);
  if (!text || std::ranges::find(words, *text) != words.end()) return text;
  const std::string nearest = base::nearest_name(*text, words);
  throw section.error(
      key, fmt::format("is '{}'; it may be {}{}", *text, fmt::join(words, ", "),
                       nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
}

std::optional<Vector2> pair_of(const toml::node& node) {
  const auto* list = node.as_array();
  if (list == nullptr || list->size() != 2) return std::nullopt;
  const auto x = list->get(0)->value<std::int64_t>();
  const auto y = list->get(1)->value<std::int64_t>();
  constexpr std::int64_t most = 1 << 20;
  if (!x || !y || std::abs(*x) > most || std::abs(*y) > most) return std::nullopt;
  return Vector2{static_cast<int>(*x), static_cast<int>(*y)};
}

void read_lattice(const TomlSection& section, HubbardJob& job) {
  constexpr std::int64_t most_length = 32;
  lattice::Hubbard& model = job.model;
  const auto wrong = [&] {
    return section.error("sites", "must be [n] or [n, m], each from 1 to 32");
  };
  if (!section.has("sites")) throw section.error("sites", "is missing: for example sites = [4, 4]");
  const auto* sites = section.node("sites").as_array();
  if (sites == nullptr || sites->empty() || sites->size() > 2) throw wrong();
  for (std::size_t axis = 0; axis < sites->size(); ++axis) {
    const auto length = sites->get(axis)->value<std::int64_t>();
    if (!length || *length < 1 || *length > most_length) throw wrong();
    model.lengths[axis] = static_cast<int>(*length);
  }
  take_number(section, "t", model.t);
  take_number(section, "t_prime", model.t_prime);
  take_number(section, "t_perp", model.t_perp);
  take_number(section, "u", model.u);
  take_number(section, "mu", model.mu);
  constexpr double least_beta = 1e-6, most_beta = 1e4;  // beyond, matrices overflow
  model.beta = section.number("beta", false).value_or(model.beta);
  if (model.beta < least_beta || model.beta > most_beta)
    throw section.error("beta", fmt::format("must be from {} to {}", least_beta, most_beta));
  take_integer(section, "layers", 1, 2, model.layers);
  if (model.t_prime != 0 && (model.lengths[0] == 1 || model.lengths[1] == 1))
    throw section.error("t_prime", "couples diagonal neighbours: it needs two directions");
  if (model.t_perp != 0 && model.layers == 1)
    throw section.error("t_perp", "couples layers: it needs layers = 2");
}

void read_momenta(const TomlSection& section, HubbardJob& job) {
  const Vector2 lengths = job.model.lengths;
  job.exchange_momenta = lattice::irreducible_momenta(lengths);
  if (!section.has("exchange_momenta")) return;
  const toml::node& node = section.node("exchange_momenta");
  if (const auto name = node.value<std::string>()) {
    if (*name == "all") job.exchange_momenta = lattice::all_momenta(lengths);
    if (*name == "all" || *name == "irreducible") return;
  }
  const auto* list = node.as_array();
  job.exchange_momenta.clear();
  for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
    const auto momentum = pair_of(*list->get(k));
    if (!momentum) break;
    job.exchange_momenta.push_back(*momentum);
  }
  if (list == nullptr || list->empty() || job.exchange_momenta.size() != list->size())
    throw section.error(
        "exchange_momenta",
        "must be \"irreducible\", \"all\" or pairs of integers like [[0, 0], [2, 2]]");
}

/// The name of a file in a job, seen from the current folder.
std::string from_folder_of(const HubbardJob& job, const std::string& name) {
  return (std::filesystem::path(job.file).parent_path() / name).string();
}

/// The lattice has as many directions as `sites` has lengths.
void read_dca(const TomlSection& section, int directions, HubbardJob& job) {
  constexpr std::int64_t most = 1 << 12;
  lattice::DcaOptions dca;
  dca.directions = directions;
  take_integer(section, "iterations", 1, most, dca.iterations);
  take_integer(section, "patch_points", 1, most / directions, dca.points);
  take_integer(section, "self_energy_frequencies", 1, most, dca.frequencies);
  dca.tolerance = section.number("tolerance", true).value_or(dca.tolerance);
  dca.mix = section.number("mix", false).value_or(dca.mix);
  if (dca.mix > 1) throw section.error("mix", "is a fraction of the new self-energy: at most 1");
  if (const auto file = section.text("restart"); file && !file->empty())
    dca.restart = from_folder_of(job, *file);
  job.dca = dca;
}

void read_method(const TomlSection& section, int directions, HubbardJob& job) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  constexpr std::int64_t most_frequencies = 1 << 12;
  const std::string name = word(section, "name", {"g4", "g", "dca"}).value_or("g4");
  take_integer(section, "samples", 1, most, job.samples);
  take_integer(section, "warm_up", 0, most, job.warm_up);
  take_integer(section, "sweeps", 1, most, job.sweeps);
  take_integer(section, "walkers", 1, most_frequencies, job.walkers);
  take_integer(section, "seed", 0, most, job.seed);
  constexpr double most_shift = 1e3;
  job.shift = section.number("shift", false).value_or(job.shift);
  if (job.shift > most_shift)
    throw section.error("shift", fmt::format("must be at most {}", most_shift));
  take_integer(section, "frequencies", 1, most_frequencies, job.half);
  take_integer(section, "exchange_frequencies", 1, most_frequencies, job.exchange);
  if (job.exchange > 2 * job.half)
    throw section.error("exchange_frequencies",
                        fmt::format("is {}, but G4 with frequencies = {} has {} frequencies: use "
                                    "{} or fewer, or more frequencies",
                                    job.exchange, job.half, 2 * job.half, 2 * job.half));
  read_momenta(section, job);
  if (name == "dca") {
    read_dca(section, directions, job);
  } else {
    for (const char* key : dca_keys)
      if (section.has(key)) throw section.error(key, "goes with name = \"dca\" only");
  }
  if (name == "g" && section.has("channels"))
    throw section.error("channels", "does not go with name = \"g\"");
  if (name != "g4") job.options.channels.clear();
  if (!section.has("channels")) return;
  try {
    job.options.channels = lattice::parse_channels(section.texts("channels"));
  } catch (const base::Error& error) {
    throw section.error("channels", error.what());
  }
}

void read_run(const TomlSection& section, HubbardJob& job) {
  constexpr std::int64_t most = 64;
  constexpr std::int64_t most_bins = 10000;
  lattice::G4Options& options = job.options;
  options.bins = 8;
  options.normalise = true;
  options.has_matrices = true;
  if (section.has("ring")) {
    const auto size = section.node("ring").value<std::int64_t>();
    if (size && *size >= 1 && *size < INT32_MAX)
      options.ring = static_cast<int>(*size);
    else if (section.node("ring").value<std::string>() != "auto")
      throw section.error("ring", "must be \"auto\" or a number of ranks");
  }
  take_integer(section, "lanes", 1, most, options.flow.lanes);
  take_integer(section, "slots", 2, most, options.flow.slots);
  take_integer(section, "bins", 1, most_bins, options.bins);
  if (word(section, "direction", {"right", "both"}) == "both")
    options.flow.direction = ring::Direction::both;
  if (word(section, "route", {"ring", "direct"}) == "direct")
    options.flow.route = ring::Route::direct;
  options.travel = parse_travel(word(section, "travel", {"auto", "sample", "g"}).value_or("auto"));
  options.symmetrise = section.truth("symmetrise").value_or(false);
  options.has_parts = section.truth("parts").value_or(false);
  options.is_exact = word(section, "sums", {"double", "exact"}) == "exact";
  options.bound = section.number("bound", false).value_or(0);
  options.bound_option = "[run] bound";
  options.is_single = word(section, "element", {"c64", "c128"}) == "c64";
  if (const auto memory = section.text("memory"))
    options.memory_bytes = base::parse_bytes(*memory, "[run] memory");
  job.device = section.text("device").value_or(job.device);
  if (const auto output = section.text("output")) {
    if (output->empty()) throw section.error("output", "is empty: it names a file");
    job.output = from_folder_of(job, *output);
  }
  if (const auto time = section.text("checkpoint"))
    job.checkpoints.seconds = base::parse_seconds(*time, "[run] checkpoint");
  if (const auto folder = section.text("checkpoint_dir"); folder && !folder->empty())
    job.checkpoints.folder = from_folder_of(job, *folder);
}

}  // namespace

bool is_lattice_job(const std::string& path) {
  if (!path.ends_with(".toml")) return false;
  try {
    return input::parse_toml(base::read_file(path), path)["lattice"].is_table();
  } catch (const base::Error&) {
    return false;  // reported when it is read as a job of programs
  }
}

HubbardJob read_hubbard_job(const std::string& text, const std::string& path) {
  const toml::table table = input::parse_toml(text, path);
  const TomlSection top(table, "", path, {"title", "lattice", "method", "run"});
  HubbardJob job;
  job.file = path;
  job.source = text;
  job.title = top.text("title").value_or("");
  job.output = std::filesystem::path(path).stem().string() + ".h5";
  const toml::table none;
  const auto section = [&](const char* name, const std::vector<std::string>& known) {
    const auto* found = table[name].as_table();
    if (found == nullptr && table.contains(name))
      throw top.error(name, fmt::format("must be a table: [{}]", name));
    return TomlSection(found != nullptr ? *found : none, name, path, known);
  };
  read_lattice(section("lattice", {"sites", "t", "t_prime", "t_perp", "u", "mu", "beta", "layers"}),
               job);
  const auto directions = static_cast<int>(table["lattice"]["sites"].as_array()->size());
  std::vector<std::string> of_method{"name",
                                     "samples",
                                     "warm_up",
                                     "sweeps",
                                     "walkers",
                                     "seed",
                                     "shift",
                                     "channels",
                                     "frequencies",
                                     "exchange_momenta",
                                     "exchange_frequencies"};
  of_method.insert(of_method.end(), dca_keys.begin(), dca_keys.end());
  read_method(section("method", of_method), directions, job);
  read_run(section("run", {"ring", "lanes", "slots", "direction", "route", "travel", "sums",
                           "bound", "element", "bins", "memory", "device", "output", "checkpoint",
                           "checkpoint_dir", "symmetrise", "parts"}),
           job);
  set_output(job.output, job);
  return job;
}

std::string seen_from_job(const std::string& file, const HubbardJob& job) {
  namespace fs = std::filesystem;
  return fs::proximate(file, fs::absolute(job.file).parent_path()).string();
}

void set_output(const std::string& output, HubbardJob& job) {
  job.output = output;
  if (job.dca)
    job.dca->output = std::filesystem::path(output).replace_extension(".sigma.h5").string();
}

}  // namespace blockyard::app
