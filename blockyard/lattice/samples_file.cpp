// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/samples_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/lattice/green.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

constexpr const char* format_text = "blockyard samples 1";

/// An attribute that is a whole number within limits.
int whole(double value, const std::string& name, int least, int most, const std::string& path) {
  if (value == std::floor(value) && value >= least && value <= most) return static_cast<int>(value);
  throw Error(Errc::bad_input,
              fmt::format("{}: the attribute '{}' is {}; it must be a whole number from {} to {}",
                          path, name, value, least, most));
}

std::vector<Vector2> vectors(const store::DataReader& file, const std::string& set,
                             std::int64_t count) {
  const std::vector<std::int64_t> lengths{count, 2};
  const auto values = file.integers(set, lengths);
  std::vector<Vector2> result;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2)
    result.push_back({static_cast<int>(values[i]), static_cast<int>(values[i + 1])});
  return result;
}

std::int64_t rows_of(const store::DataReader& file, const std::string& set,
                     const std::string& path) {
  const auto lengths = file.lengths(set);
  if (lengths.size() != 2 || lengths[1] != 2)
    throw Error(Errc::bad_input,
                fmt::format("{}: {}: it is not a list of pairs of integers", path, set));
  return lengths[0];
}

std::string group_of(std::int64_t number) { return fmt::format("samples/{}", number); }

}  // namespace

SamplesReader::SamplesReader(const std::filesystem::path& path)
    : path_(path.string()), file_(path) {
  if (!file_.has_attribute("", "format") || file_.text_attribute("", "format") != format_text)
    throw Error(Errc::bad_input,
                fmt::format("{} is not a file of samples: its attribute 'format' is not '{}'; "
                            "docs/lattice.md describes the format",
                            path_, format_text));
  read_axes();
  read_cluster();
  read_g0();
  count_ = static_cast<std::int64_t>(file_.names_in("samples").size());
  if (count_ == 0) throw Error(Errc::bad_input, fmt::format("{} holds no samples", path_));
  for (std::int64_t number = 0; number < count_; ++number) {
    if (!file_.has(group_of(number)))
      throw Error(Errc::bad_input, fmt::format("{}: {} is missing: samples are numbered from 0 "
                                               "without gaps",
                                               path_, group_of(number)));
    if (!first_green_ && has_green(number)) first_green_ = number;
  }
}

void SamplesReader::read_axes() {
  constexpr int most = 1 << 14;
  const auto number = [&](const std::string& name, int least, int greatest) {
    return whole(file_.attribute("", name, 1)[0], name, least, greatest, path_);
  };
  Axes& axes = problem_.axes;
  axes.beta = file_.attribute("", "beta", 1)[0];
  if (!(axes.beta > 0) || !std::isfinite(axes.beta))
    throw Error(Errc::bad_input, fmt::format("{}: the attribute 'beta' is {}; it must be positive",
                                             path_, axes.beta));
  axes.bands = number("bands", 1, 2);
  axes.half = number("frequencies", 1, most);
  axes.exchange = number("exchange_frequencies", 1, most);
}

void SamplesReader::read_cluster() {
  constexpr int most_sites = 1024;
  const std::int64_t sites = rows_of(file_, "sites", path_);
  if (sites < 1 || sites > most_sites)
    throw Error(Errc::bad_input,
                fmt::format("{}: sites: {} sites; there may be 1 to {}", path_, sites, most_sites));
  problem_.axes.sites = static_cast<int>(sites);
  problem_.sites = vectors(file_, "sites", sites);
  problem_.momenta = vectors(file_, "momenta", sites);
  const std::vector<std::int64_t> two{2};
  const auto lengths = file_.integers("lengths", two);
  problem_.lengths = {static_cast<int>(lengths[0]), static_cast<int>(lengths[1])};
  problem_.exchange_momenta =
      vectors(file_, "exchange_momenta", rows_of(file_, "exchange_momenta", path_));
  if (problem_.exchange_momenta.empty())
    throw Error(Errc::bad_input, fmt::format("{}: exchange_momenta is empty", path_));
  try {
    (void)problem_.cluster();
  } catch (const Error& error) {
    throw Error(Errc::bad_input, fmt::format("{}: {}", path_, error.what()));
  }
}

void SamplesReader::read_g0() {
  const Axes& axes = problem_.axes;
  const std::vector<std::int64_t> lengths{axes.extended(), axes.sites, 2, axes.bands, axes.bands};
  const auto found = file_.lengths("g0");
  if (!found.empty() && found[0] != axes.extended())
    throw Error(Errc::bad_input,
                fmt::format("{}: g0: it has {} frequencies; frequencies = {} and "
                            "exchange_frequencies = {} take {}, from {} to {} in units of 2 pi / "
                            "beta: write g0 at all of them, or reduce the attributes",
                            path_, found[0], axes.half, axes.exchange, axes.extended(),
                            0.5 - axes.half - axes.offset(), axes.half + axes.offset() - 0.5));
  problem_.g0 = file_.complexes("g0", lengths);
  for (const Complex& value : problem_.g0)
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
      throw Error(Errc::bad_input, fmt::format("{}: g0: a value is not finite", path_));
}

bool SamplesReader::has_green(std::int64_t number) const {
  return file_.has(group_of(number) + "/g");
}

void SamplesReader::open_all() const {
  for (std::int64_t number = 0; number < count_; ++number) {
    const std::string group = group_of(number);
    (void)sign(group);
    if (has_green(number)) {
      (void)file_.is_complex(group + "/g");
      continue;
    }
    for (int s = 0; s < 2; ++s) {
      (void)file_.lengths(fmt::format("{}/vertices_{}", group, s));
      (void)file_.is_complex(fmt::format("{}/m_{}", group, s));
    }
  }
}

Complex SamplesReader::sign(const std::string& group) const {
  const auto sign = file_.attribute(group, "sign", 2);
  return {sign[0], sign[1]};
}

SpinSample SamplesReader::spin(const std::string& group, int s) const {
  const std::string list = fmt::format("{}/vertices_{}", group, s);
  const std::string matrix = fmt::format("{}/m_{}", group, s);
  const auto band = file_.member(list, "band");
  const auto site = file_.member(list, "site");
  const auto tau = file_.member(list, "tau");
  SpinSample spin;
  for (std::size_t i = 0; i < band.size(); ++i) {
    constexpr double most = 1 << 20;
    const auto index = [&](double value) {
      return value >= 0 && value < most ? static_cast<std::int32_t>(value) : -1;
    };
    spin.vertices.push_back({index(band[i]), index(site[i]), tau[i]});
  }
  const auto n = static_cast<std::int64_t>(spin.count());
  const std::vector<std::int64_t> lengths{n, n};
  if (!file_.is_complex(matrix)) {
    spin.real = file_.doubles(matrix, lengths);
    return spin;
  }
  for (const Complex& value : file_.complexes(matrix, lengths)) {
    spin.real.push_back(value.real());
    spin.imaginary.push_back(value.imag());
  }
  return spin;
}

Sample SamplesReader::sample(std::int64_t number) const {
  const std::string group = group_of(number);
  Sample sample{sign(group), {spin(group, 0), spin(group, 1)}};
  try {
    check(sample, problem_.axes);
  } catch (const Error& error) {
    throw Error(Errc::bad_input, fmt::format("{}: {}: {}", path_, group, error.what()));
  }
  return sample;
}

std::vector<double> SamplesReader::green(std::int64_t number, Complex& its_sign) const {
  const Axes& axes = problem_.axes;
  const std::string group = group_of(number);
  its_sign = sign(group);
  const std::vector<std::int64_t> lengths{
      axes.extended(), axes.extended(), axes.sites, axes.sites, 2, axes.bands, axes.bands};
  const auto values = file_.complexes(group + "/g", lengths);
  const TileSet set = TileSet::all(axes);
  std::vector<double> tiles(set.values());
  std::size_t at = 0;
  for (const TileSet::Pair& pair : set.pairs()) {  // the order of the file, outer indexes first
    const std::size_t index = set.find(pair.row, pair.column);
    for (int k = 0; k < axes.sites * axes.sites; ++k) {
      // In the file k2 is the outer one, as in a tile.
      for (int s = 0; s < 2; ++s)
        for (int b2 = 0; b2 < axes.bands; ++b2)
          for (int b1 = 0; b1 < axes.bands; ++b1, ++at) {
            if (!std::isfinite(values[at].real()) || !std::isfinite(values[at].imag()))
              throw Error(Errc::bad_input,
                          fmt::format("{}: {}/g: a value is not finite", path_, group));
            const std::size_t to = set.at(index, s, b1, b2) + static_cast<std::size_t>(k);
            tiles[to] = values[at].real();
            tiles[to + set.plane()] = values[at].imag();
          }
    }
  }
  return tiles;
}

}  // namespace blockyard::lattice
