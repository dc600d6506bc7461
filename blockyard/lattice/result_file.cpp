// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/result_file.h"

#include <fmt/format.h>

namespace blockyard::lattice {

namespace {

std::vector<std::int64_t> channel_lengths(const SliceShape& shape) {
  const Axes& axes = shape.axes;
  const std::int64_t nb = axes.bands;
  return {axes.exchange,
          shape.exchange_momenta,
          axes.compact(),
          axes.sites,
          axes.compact(),
          axes.sites,
          nb,
          nb,
          nb,
          nb};
}

std::string set_of(Channel channel) { return fmt::format("G4/{}", name_of(channel)); }
std::string errors_of(Channel channel) { return fmt::format("G4_error/{}", name_of(channel)); }

std::vector<std::int64_t> pairs(const std::vector<Vector2>& vectors) {
  std::vector<std::int64_t> values;
  for (const Vector2& v : vectors) values.insert(values.end(), v.begin(), v.end());
  return values;
}

}  // namespace

ResultWriter::ResultWriter(const std::string& path, const Problem& problem, const SliceShape& shape,
                           const Averages& averages, bool normalise)
    : file_(path), problem_(problem), shape_(shape), averages_(averages), normalise_(normalise) {
  for (int bin = 0; bin < shape.bins; ++bin)
    signs_.push_back(averages.sign(bin) * problem.axes.beta * problem.axes.beta);
  write_averages();
  for (const Channel channel : shape.channels) {
    file_.begin(set_of(channel), channel_lengths(shape), true);
    if (shape.bins > 1 && normalise) file_.begin(errors_of(channel), channel_lengths(shape), true);
  }
  out_.resize(shape.channel_values() / 2);
  errors_.resize(out_.size());
}

void ResultWriter::write_averages() {
  const Axes& axes = problem_.axes;
  const std::vector<std::int64_t> numbers{axes.bands, axes.half, axes.exchange, normalise_ ? 1 : 0};
  const std::vector<std::string> names{"bands", "frequencies", "exchange_frequencies",
                                       "normalised"};
  file_.write_attribute("", "format", "blockyard g4 1");
  for (std::size_t k = 0; k < names.size(); ++k)
    file_.write_attribute("", names[k], std::span(numbers).subspan(k, 1));
  file_.write_attribute("", "beta", std::span(&axes.beta, 1));
  const auto list = [&](const std::string& name, const std::vector<Vector2>& vectors) {
    const std::vector<std::int64_t> lengths{static_cast<std::int64_t>(vectors.size()), 2};
    file_.write_all(name, lengths, pairs(vectors));
  };
  list("sites", problem_.sites);
  list("momenta", problem_.momenta);
  list("exchange_momenta", problem_.exchange_momenta);
  const std::vector<std::int64_t> scalar;
  const double count = averages_.count();
  const Complex sign = averages_.sign() / std::max(1.0, count);
  const auto samples = static_cast<std::int64_t>(count);
  file_.write_all("sign", scalar, std::span(&sign, 1));
  file_.write_all("samples", scalar, std::span(&samples, 1));

  const std::vector<std::int64_t> lengths{axes.extended(), axes.sites, 2, axes.bands, axes.bands};
  std::vector<std::vector<Complex>> sums;
  std::vector<Complex> signs;
  for (int bin = 0; bin < shape_.bins; ++bin) {
    sums.push_back(averages_.sums(bin));
    signs.push_back(averages_.sign(bin));
  }
  std::vector<Complex> g(sums[0].size()), errors(sums[0].size()), of_bins(sums.size());
  for (std::size_t at = 0; at < g.size(); ++at) {
    for (std::size_t bin = 0; bin < sums.size(); ++bin) of_bins[bin] = sums[bin][at];
    if (normalise_) {
      const Estimate found = estimate(of_bins, signs);
      g[at] = found.value;
      errors[at] = found.error;
    } else {
      for (const Complex& one : of_bins) g[at] += one;
    }
  }
  file_.write_all("G", lengths, g);
  if (normalise_ && shape_.bins > 1) file_.write_all("G_error", lengths, errors);
}

/// The value of a row at (band combination, k1), as the file orders them.
Complex ResultWriter::value(std::span<const double> values, int bin, int side, std::size_t channel,
                            std::size_t row, std::size_t at) const {
  const auto nk = static_cast<std::size_t>(shape_.axes.sites);
  const std::size_t combinations = shape_.row() / (2 * nk);
  const std::size_t k1 = at / combinations;
  const std::size_t b = at % combinations;
  const std::size_t from =
      shape_.at(bin, side, channel, 0, 0, 0) + row * shape_.row() + b * 2 * nk + k1;
  return {values[from], values[from + nk]};
}

void ResultWriter::take_channel(std::span<const double> values, std::size_t channel, int side) {
  const std::size_t row_values = shape_.row() / 2;
  std::vector<Complex> bins(static_cast<std::size_t>(shape_.bins));
  std::size_t to = 0;
  for (std::size_t row = 0; row < out_.size() / row_values; ++row)
    for (std::size_t at = 0; at < row_values; ++at, ++to) {
      for (int bin = 0; bin < shape_.bins; ++bin)
        bins[static_cast<std::size_t>(bin)] = value(values, bin, side, channel, row, at);
      if (normalise_) {
        const Estimate found = estimate(bins, signs_);
        out_[to] = found.value;
        errors_[to] = found.error;
        continue;
      }
      out_[to] = 0;
      for (const Complex& one : bins) out_[to] += one;
    }
}

void ResultWriter::write_unit(Extent unit, std::span<const double> values) {
  std::vector<std::int64_t> count = channel_lengths(shape_);
  std::vector<std::int64_t> first(count.size(), 0);
  constexpr std::size_t w2_index = 2;
  count[w2_index] = 1;
  for (std::size_t channel = 0; channel < shape_.channels.size(); ++channel)
    for (int side = 0; side < 2; ++side) {
      first[w2_index] = shape_.second_frequency(unit, side);
      take_channel(values, channel, side);
      file_.write(set_of(shape_.channels[channel]), first, count, std::span<const Complex>(out_));
      if (shape_.bins > 1 && normalise_)
        file_.write(errors_of(shape_.channels[channel]), first, count,
                    std::span<const Complex>(errors_));
    }
}

}  // namespace blockyard::lattice
