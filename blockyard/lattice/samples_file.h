// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/lattice/problem.h"
#include "blockyard/lattice/sample.h"
#include "blockyard/store/data_file.h"

namespace blockyard::lattice {

/// A file of samples, which any program may have written; docs/lattice.md says the format. Every
/// error names the file, the object in it, and what is wrong with that. One thread of the process
/// at a time.
class SamplesReader {
 public:
  explicit SamplesReader(const std::filesystem::path& path);
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Whether a sample holds its Green's function, not vertices and matrices.
  [[nodiscard]] bool has_green(std::int64_t number) const;
  /// The first such sample, if there is one.
  [[nodiscard]] std::optional<std::int64_t> first_green() const noexcept { return first_green_; }
  [[nodiscard]] Sample sample(std::int64_t number) const;
  /// Opens all that the samples have, and reads none of it.
  void open_all() const;
  /// The whole Green's function of a sample, in the order of TileSet::all; `sign` is set.
  [[nodiscard]] std::vector<double> green(std::int64_t number, Complex& sign) const;

 private:
  void read_axes();
  void read_cluster();
  void read_g0();
  [[nodiscard]] Complex sign(const std::string& group) const;
  [[nodiscard]] SpinSample spin(const std::string& group, int s) const;

  std::string path_;
  store::DataReader file_;
  Problem problem_;
  std::int64_t count_ = 0;
  std::optional<std::int64_t> first_green_;
};

}  // namespace blockyard::lattice
