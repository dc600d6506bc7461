// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/read_file.h"
#include "blockyard/input/parse_toml.h"
#include "blockyard/input/toml_section.h"

namespace blockyard::plan {

using base::Errc;
using base::Error;

namespace {

/// A number of the machine file.
struct Number {
  std::string_view key;
  double Machine::*value;
  std::string_view comment;
  bool may_be_zero = true;  ///< a plan does not divide by it
};

constexpr std::array numbers = {
    Number{"permute_bytes", &Machine::permute_bytes, "per second, read and written", false},
    Number{"copy_bytes", &Machine::copy_bytes, "per second, read and written", false},
    Number{"instruction_seconds", &Machine::instruction_seconds, "one opcode"},
    Number{"block_seconds", &Machine::block_seconds, "a block statement without its arithmetic"},
    Number{"get_seconds", &Machine::get_seconds, "a block of the same process"},
    Number{"put_seconds", &Machine::put_seconds, "the same"},
    Number{"barrier_seconds", &Machine::barrier_seconds, ""},
    Number{"collective_seconds", &Machine::collective_seconds, ""},
    Number{"start_seconds", &Machine::start_seconds, "before the first instruction"},
    Number{"job_ratio", &Machine::job_ratio, "a whole job relative to the sum of its parts"},
    Number{"denominator_seconds", &Machine::denominator_seconds, "an element"},
    Number{"eigen_seconds", &Machine::eigen_seconds, "times n^3"},
    Number{"disk_read_bytes", &Machine::disk_read_bytes, "per second", false},
    Number{"disk_write_bytes", &Machine::disk_write_bytes, "per second", false},
    Number{"fabric_latency_seconds", &Machine::fabric_latency_seconds,
           "a block of another process"},
    Number{"fabric_bytes", &Machine::fabric_bytes, "per second and process", false},
    Number{"worker_rss_bytes", &Machine::worker_rss_bytes, "a worker without its blocks"},
};

/// A list of numbers of the machine file.
struct List {
  std::string_view key;
  std::vector<double> Machine::*values;
  std::string_view comment;
};

constexpr std::array lists = {
    List{"contraction_flops", &Machine::contraction_flops,
         "per second; m, k, n of 1 4 16 64 256, n fastest, then k"},
    List{"quartet_seconds", &Machine::quartet_seconds,
         "repulsion integrals of four shells, by the sum of their angular momenta"},
    List{"primitive_seconds", &Machine::primitive_seconds, "each four of their primitives"},
};

std::vector<double> parse_list(const input::TomlSection& in, std::string_view key) {
  std::vector<double> values;
  const toml::array* list = in.node(key).as_array();
  if (list == nullptr) throw in.error(key, "must be a list of numbers");
  for (const toml::node& entry : *list) {
    if (!entry.is_number() || !(*entry.value<double>() >= 0))
      throw in.error(key, "must be a list of numbers from 0 on");
    values.push_back(*entry.value<double>());
  }
  return values;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys = {"name", "cores"};
  for (const Number& number : numbers) keys.emplace_back(number.key);
  for (const List& list : lists) keys.emplace_back(list.key);
  return keys;
}

/// Where `value` lies between the sizes: the one below, and the share of the one above.
std::pair<std::size_t, double> place_of(double value) {
  const auto& sizes = Machine::sizes;
  if (value >= sizes.back()) return {sizes.size() - 2, 1.0};
  std::size_t at = 0;
  while (at + 2 < sizes.size() && value >= sizes[at + 1]) ++at;
  return {at,
          std::clamp(std::log(value / sizes[at]) / std::log(sizes[at + 1] / sizes[at]), 0.0, 1.0)};
}

}  // namespace

Machine assumed_machine() {
  constexpr double peak_flops = 4e10;
  constexpr double half = 12;  // an extent that has half of the peak
  constexpr int most_momentum = 16;
  Machine machine;
  for (const double m : Machine::sizes)
    for (const double k : Machine::sizes)
      for (const double n : Machine::sizes)
        machine.contraction_flops.push_back(peak_flops * m / (m + half) * n / (n + half) * k /
                                            (k + half));
  for (int sum = 0; sum <= most_momentum; ++sum) {
    const double growth = std::pow(1.6, sum);
    machine.quartet_seconds.push_back(3e-7 * growth);
    machine.primitive_seconds.push_back(3e-8 * growth);
  }
  return machine;
}

double contraction_rate(const Machine& machine, double m, double n, double k) {
  const std::array places = {place_of(m), place_of(k), place_of(n)};
  double log_rate = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::size_t at = 0;
    double weight = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool is_above = (corner >> d & 1U) != 0;
      at = at * Machine::sizes.size() + places[d].first + std::size_t{is_above};
      weight *= is_above ? places[d].second : 1 - places[d].second;
    }
    if (weight > 0) log_rate += weight * std::log(std::max(1e6, machine.contraction_flops[at]));
  }
  return std::exp(log_rate);
}

std::string print_machine(const Machine& machine) {
  std::string text = fmt::format(
      "# How fast this machine is: rates of one core while all compute. Written by `blockyard "
      "calibrate`.\n"
      "name = \"{}\"\ncores = {}\n",
      machine.name, machine.cores);
  for (const Number& number : numbers) {
    text += fmt::format("{} = {:.4e}", number.key, machine.*number.value);
    text += number.comment.empty() ? "\n" : fmt::format("  # {}\n", number.comment);
  }
  for (const List& list : lists)
    text += fmt::format("# {}\n{} = [{:.3e}]\n", list.comment, list.key,
                        fmt::join(machine.*list.values, ", "));
  return text;
}

Machine parse_machine(std::string_view text, const std::string& path) {
  const toml::table top = input::parse_toml(text, path);
  const input::TomlSection in(top, "", path, known_keys());
  Machine machine = assumed_machine();
  machine.name = in.text("name").value_or(path);
  machine.cores =
      static_cast<int>(std::min<std::int64_t>(in.integer("cores", 1).value_or(1), 65536));
  for (const Number& number : numbers)
    if (const auto value = in.number(number.key, number.may_be_zero))
      machine.*number.value = *value;
  for (const List& list : lists)
    if (in.has(list.key)) machine.*list.values = parse_list(in, list.key);
  const std::size_t rates = Machine::sizes.size() * Machine::sizes.size() * Machine::sizes.size();
  if (machine.contraction_flops.size() != rates)
    throw in.error("contraction_flops", fmt::format("must have {} numbers", rates));
  for (const auto list : {&Machine::quartet_seconds, &Machine::primitive_seconds})
    if ((machine.*list).empty())
      throw Error(Errc::bad_input, fmt::format("{}: an empty list of seconds", path));
  return machine;
}

Machine read_machine(const std::string& path) { return parse_machine(base::read_file(path), path); }

}  // namespace blockyard::plan
