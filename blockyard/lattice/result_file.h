// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "blockyard/lattice/averages.h"
#include "blockyard/lattice/two_particle.h"
#include "blockyard/store/data_file.h"

namespace blockyard::lattice {

/// Writes the averages and G4 of a run, unit by unit; docs/lattice.md says the format. The file has
/// its name only once finish() returned. What the constructor gets stays. One thread.
class ResultWriter {
 public:
  ResultWriter(const std::string& path, const Problem& problem, const SliceShape& shape,
               const Averages& averages, bool normalise);
  /// values: sums over samples, shape.unit_values().
  void write_unit(Extent unit, std::span<const double> values);
  void finish() { file_.finish(); }

 private:
  void write_averages();
  void take_channel(std::span<const double> values, std::size_t channel, int side);
  [[nodiscard]] Complex value(std::span<const double> values, int bin, int side,
                              std::size_t channel, std::size_t row, std::size_t at) const;

  store::DataWriter file_;
  const Problem& problem_;
  SliceShape shape_;
  const Averages& averages_;
  bool normalise_;
  std::vector<Complex> signs_;  ///< by bin, with beta^2
  std::vector<Complex> out_;
  std::vector<Complex> errors_;
};

}  // namespace blockyard::lattice
