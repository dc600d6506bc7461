// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/common/launch_shape.h"
#include "plugins/common/shape_chooser.h"

namespace blockyard::plugin {

/// The launches of one kernel on one device, by size of the grid: a power of two for the first
/// extent and for all elements. It reads no clock and no file. One thread.
class KernelShapes {
 public:
  explicit KernelShapes(const LaunchDevice& device = {}) : device_(device) {}

  using SizeClass = std::pair<int, int>;
  /// A launch, as measured() wants it again.
  struct Launched {
    SizeClass size;
    std::size_t way = 0;
    LaunchShape shape;
    bool is_driver = false;  ///< as LaunchProposal says
    double elements = 0;     ///< 0: not to be measured
  };
  [[nodiscard]] Launched next(const std::array<std::int64_t, 3>& extent);
  /// What the first rule proposes, without regard to times.
  [[nodiscard]] LaunchShape rule(const std::array<std::int64_t, 3>& extent) const {
    return launch_proposals(device_, extent).front().shape;
  }
  /// Returns whether encode() has something new that is worth keeping.
  bool measured(const Launched& launched, double seconds);

  /// A line for each size: what is chosen and why.
  [[nodiscard]] std::vector<std::string> choices() const;
  /// The same as a text that names the kernel in each line.
  [[nodiscard]] std::string choices_of(const std::string& kernel) const {
    std::string text;
    for (const std::string& line : choices()) text += kernel + ": " + line + '\n';
    return text;
  }

  /// What is known, as a text for later processes.
  [[nodiscard]] std::string encode() const;
  /// Takes what encode() of an earlier process said. Lines that make no sense are ignored.
  void decode(std::string_view text);

 private:
  struct OfSize {
    std::vector<LaunchProposal> proposals;  ///< of the first grid
    ShapeChooser chooser;
    bool is_kept = false;  ///< by an earlier process
    int measured = 0;
  };
  [[nodiscard]] OfSize made(std::vector<LaunchProposal> proposals, SizeClass size) const;

  LaunchDevice device_;
  std::map<SizeClass, OfSize> sizes_;
  std::map<SizeClass, std::string> kept_;  ///< rules
};

}  // namespace blockyard::plugin
