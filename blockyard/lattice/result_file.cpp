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

constexpr std::size_t w2_index = 2;

void begin_sets(store::DataWriter& file, const SliceShape& shape, bool has_errors,
                std::span<const std::int64_t> lengths) {
  for (const Channel channel : shape.channels) {
    file.begin(set_of(channel), lengths, true);
    if (has_errors) file.begin(errors_of(channel), lengths, true);
  }
}

/// w2_of(side): where a second frequency of the unit goes.
template <class Place>
void write_channels(store::DataWriter& file, const SliceShape& shape,
                    std::span<const double> values, ChannelValues& channel_values,
                    const Place& w2_of) {
  std::vector<std::int64_t> count = channel_lengths(shape);
  std::vector<std::int64_t> first(count.size(), 0);
  count[w2_index] = 1;
  for (std::size_t channel = 0; channel < shape.channels.size(); ++channel)
    for (int side = 0; side < 2; ++side) {
      first[w2_index] = w2_of(side);
      channel_values.take(values, channel, side);
      file.write(set_of(shape.channels[channel]), first, count, channel_values.values());
      if (channel_values.has_errors())
        file.write(errors_of(shape.channels[channel]), first, count, channel_values.errors());
    }
}

/// Where the two blocks of second frequencies of a slice are in G4, and in the file of the slice.
std::vector<store::DataWriter::Source> sources_of(const SliceShape& shape, const ring::Range& units,
                                                  const std::string& file, const std::string& set) {
  store::DataWriter::Source source{file, set, channel_lengths(shape), {}, {}, {}};
  source.count = source.lengths;
  source.first.assign(source.lengths.size(), 0);
  source.first_there = source.first;
  source.lengths[w2_index] = 2 * units.count();
  source.count[w2_index] = units.count();
  source.first[w2_index] = units.begin;
  std::vector<store::DataWriter::Source> both(2, source);
  both[1].first[w2_index] = shape.axes.compact() - units.end;
  both[1].first_there[w2_index] = units.count();
  return both;
}

}  // namespace

ChannelValues::ChannelValues(const Problem& problem, const SliceShape& shape,
                             const Averages& averages, bool normalise)
    : shape_(shape), normalise_(normalise), out_(shape.channel_values() / 2), errors_(out_.size()) {
  for (int bin = 0; bin < shape.bins; ++bin)
    signs_.push_back(averages.sign(bin) * problem.axes.beta * problem.axes.beta);
}

ResultWriter::ResultWriter(const std::string& path, const Problem& problem, const SliceShape& shape,
                           const Averages& averages, bool normalise)
    : file_(path),
      problem_(problem),
      shape_(shape),
      averages_(averages),
      normalise_(normalise),
      values_(problem, shape, averages, normalise) {
  write_averages();
}

void ResultWriter::begin_units() {
  begin_sets(file_, shape_, values_.has_errors(), channel_lengths(shape_));
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
  const double weight = averages_.weight();
  const Complex sign = weight > 0 ? averages_.sign() / weight : 0.0;
  const auto samples = static_cast<std::int64_t>(count);
  file_.write_all("sign", scalar, std::span(&sign, 1));
  file_.write_all("weight", scalar, std::span(&weight, 1));
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
Complex ChannelValues::value(std::span<const double> values, int bin, int side, std::size_t channel,
                             std::size_t row, std::size_t at) const {
  const auto nk = static_cast<std::size_t>(shape_.axes.sites);
  const std::size_t combinations = shape_.row() / (2 * nk);
  const std::size_t k1 = at / combinations;
  const std::size_t b = at % combinations;
  const std::size_t from =
      shape_.at(bin, side, channel, 0, 0, 0) + row * shape_.row() + b * 2 * nk + k1;
  return {values[from], values[from + nk]};
}

void ChannelValues::take(std::span<const double> values, std::size_t channel, int side) {
  const std::size_t row_values = shape_.row() / 2;
  std::vector<Complex> bins(static_cast<std::size_t>(shape_.bins));
  std::size_t to = 0;
  const auto nk = static_cast<std::size_t>(shape_.axes.sites);
  const auto nw = static_cast<std::size_t>(shape_.axes.compact());
  for (std::size_t number = 0; number < out_.size() / row_values; ++number) {
    // In the file w1 is faster than k2.
    const std::size_t block = number / (nk * nw) * (nk * nw);
    const std::size_t row = block + number % nw * nk + number / nw % nk;
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
}

void ResultWriter::write_unit(Extent unit, std::span<const double> values) {
  write_channels(file_, shape_, values, values_,
                 [&](int side) { return shape_.second_frequency(unit, side); });
}

void ResultWriter::refer_to_parts(const ring::Layout& layout, std::span<const std::string> files) {
  const std::vector<std::int64_t> lengths = channel_lengths(shape_);
  const auto refer = [&](const std::string& set) {
    std::vector<store::DataWriter::Source> sources;
    for (int place = 0; place < layout.places(0); ++place) {
      const auto both =
          sources_of(shape_, layout.range({0, place}), files[static_cast<std::size_t>(place)], set);
      sources.insert(sources.end(), both.begin(), both.end());
    }
    file_.write_virtual(set, lengths, true, sources);
  };
  for (const Channel channel : shape_.channels) {
    refer(set_of(channel));
    if (values_.has_errors()) refer(errors_of(channel));
  }
}

PartWriter::PartWriter(const std::string& path, const Problem& problem, const SliceShape& shape,
                       const Averages& averages, bool normalise, const ring::Range& units)
    : file_(path), shape_(shape), units_(units), values_(problem, shape, averages, normalise) {
  std::vector<std::int64_t> lengths = channel_lengths(shape);
  lengths[w2_index] = 2 * units.count();
  begin_sets(file_, shape, values_.has_errors(), lengths);
}

void PartWriter::write_unit(Extent unit, std::span<const double> values) {
  write_channels(file_, shape_, values, values_, [&](int side) {
    return side == 0 ? unit - units_.begin : units_.count() + units_.end - 1 - unit;
  });
}

}  // namespace blockyard::lattice
