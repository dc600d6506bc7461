// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "blockyard/lattice/averages.h"
#include "blockyard/lattice/two_particle.h"
#include "blockyard/ring/layout.h"
#include "blockyard/store/data_file.h"

namespace blockyard::lattice {

/// Values and errors of one channel at one second frequency, as the file orders them, from the sums
/// of a unit. `averages` stay. One thread.
class ChannelValues {
 public:
  ChannelValues(const Problem& problem, const SliceShape& shape, const Averages& averages,
                bool normalise);
  /// values: sums over samples, shape.unit_values().
  void take(std::span<const double> values, std::size_t channel, int side);
  [[nodiscard]] std::span<const Complex> values() const noexcept { return out_; }
  /// Only with bins and division.
  [[nodiscard]] std::span<const Complex> errors() const noexcept { return errors_; }
  [[nodiscard]] bool has_errors() const noexcept { return shape_.bins > 1 && normalise_; }

 private:
  [[nodiscard]] Complex value(std::span<const double> values, int bin, int side,
                              std::size_t channel, std::size_t row, std::size_t at) const;
  SliceShape shape_;
  bool normalise_;
  std::vector<Complex> signs_;  ///< by bin, with beta^2
  std::vector<Complex> out_;
  std::vector<Complex> errors_;
};

/// Writes the averages and G4 of a run, unit by unit; docs/lattice.md says the format. The file has
/// its name only once finish() returned. What the constructor gets stays. One thread.
class ResultWriter {
 public:
  ResultWriter(const std::string& path, const Problem& problem, const SliceShape& shape,
               const Averages& averages, bool normalise);
  /// G4 here. values: sums over samples, shape.unit_values().
  void begin_units();
  void write_unit(Extent unit, std::span<const double> values);
  /// G4 in other files, which PartWriter wrote: those of the places of a ring with `layout`.
  void refer_to_parts(const ring::Layout& layout, std::span<const std::string> files);
  void finish() { file_.finish(); }

 private:
  void write_averages();

  store::DataWriter file_;
  const Problem& problem_;
  SliceShape shape_;
  const Averages& averages_;
  bool normalise_;
  ChannelValues values_;
};

/// Writes the units of one slice to a file of its own: G4/CHANNEL as in the result, of the second
/// frequencies of the slice only, smallest first. One thread.
class PartWriter {
 public:
  PartWriter(const std::string& path, const Problem& problem, const SliceShape& shape,
             const Averages& averages, bool normalise, const ring::Range& units);
  void write_unit(Extent unit, std::span<const double> values);
  void finish() { file_.finish(); }

 private:
  store::DataWriter file_;
  SliceShape shape_;
  ring::Range units_;
  ChannelValues values_;
};

}  // namespace blockyard::lattice
