// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/lattice/dca.h"
#include "blockyard/store/data_file.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

constexpr const char* format_text = "blockyard self-energy 1";

std::vector<std::int64_t> lengths_of(const LevelFunction& f) {
  return {f.frequencies(), f.momenta, f.levels};
}

/// At other frequencies: on the line through the two nearest, also below the first; above the last
/// the limit.
SelfEnergy interpolated(const SelfEnergy& from, double from_beta, double beta, int frequencies) {
  SelfEnergy to{{from.known.levels, from.known.momenta, {}}, from.constant, from.tail};
  for (int n = 0; n < frequencies; ++n) {
    const double w = matsubara(n, beta);
    const double place = (w * from_beta / std::numbers::pi - 1) / 2;
    const int low = std::max(0, static_cast<int>(std::floor(place)));
    const double f = place - low;
    for (int k = 0; k < to.known.momenta; ++k)
      for (int level = 0; level < to.known.levels; ++level) {
        const auto there = [&](int m) { return from.at(level, k, m, from_beta); };
        to.known.values.push_back((1 - f) * there(low) + f * there(low + 1));
      }
  }
  return to;
}

}  // namespace

void write_self_energy(const std::string& path, const Hubbard& model,
                       const SavedSelfEnergy& saved) {
  store::DataWriter file(path);
  const std::vector<std::int64_t> layers{model.layers};
  const std::vector<std::int64_t> two{2};
  const std::vector<std::int64_t> lengths{model.lengths[0], model.lengths[1]};
  file.write_attribute("", "format", format_text);
  file.write_attribute("", "layers", layers);
  for (const auto& [name, value] : {std::pair<const char*, double>{"beta", saved.beta},
                                    {"u", model.u},
                                    {"mu", model.mu},
                                    {"constant", saved.sigma.constant},
                                    {"tail", saved.sigma.tail}})
    file.write_attribute("", name, std::span(&value, 1));
  file.write_all("lengths", two, lengths);
  std::vector<std::int64_t> momenta;
  for (const Vector2& k : all_momenta(model.lengths))
    momenta.insert(momenta.end(), k.begin(), k.end());
  const std::vector<std::int64_t> pairs{model.sites(), 2};
  file.write_all("momenta", pairs, momenta);
  const auto write = [&](const std::string& name, const LevelFunction& f) {
    if (!f.values.empty()) file.write_all(name, lengths_of(f), f.values);
  };
  write("self_energy", saved.sigma.known);
  write("self_energy_error", saved.error);
  write("g0", saved.g0);
  file.finish();
}

SelfEnergy read_self_energy(const std::string& path, const Hubbard& model, int frequencies) {
  const store::DataReader file(path);
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, why));
  };
  if (!file.has_attribute("", "format") || file.text_attribute("", "format") != format_text)
    refuse(
        fmt::format("it is not a self-energy to restart from: its attribute 'format' is not '{}'",
                    format_text));
  const std::vector<std::int64_t> two{2};
  const auto lengths = file.integers("lengths", two);
  const auto layers = static_cast<int>(file.attribute("", "layers", 1)[0]);
  if (lengths[0] != model.lengths[0] || lengths[1] != model.lengths[1] || layers != model.layers)
    refuse(
        fmt::format("its cluster has {} x {} sites in {} layer{}, and that of the job {} x {} in "
                    "{}: restart from a file of the same cluster, or leave out 'restart'",
                    lengths[0], lengths[1], layers, layers == 1 ? "" : "s", model.lengths[0],
                    model.lengths[1], model.layers));
  const double beta = file.attribute("", "beta", 1)[0];
  SelfEnergy sigma{{layers, model.sites(), {}},
                   file.attribute("", "constant", 1)[0],
                   file.attribute("", "tail", 1)[0]};
  const auto found = file.lengths("self_energy");
  if (found.size() != 3 || found[0] < 1) refuse("self_energy must have three indexes");
  const std::vector<std::int64_t> wanted{found[0], model.sites(), layers};
  sigma.known.values = file.complexes("self_energy", wanted);
  double sum = beta + sigma.constant + sigma.tail;
  for (const Complex& value : sigma.known.values) sum += value.real() + value.imag();
  if (!std::isfinite(sum) || !(beta > 0)) refuse("a value is not finite, or beta is not positive");
  return interpolated(sigma, beta, model.beta, frequencies);
}

}  // namespace blockyard::lattice
