// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

namespace blockyard::blas {

/// What went where, in one process. One thread.
class Report {
 public:
  enum class Place { here, there };
  void add(char type, Place place, double flops, double bytes, double seconds) noexcept;
  /// JSON; "%p" in the path is the number of the process. A file that cannot be written is not.
  void write(std::string path) const noexcept;

 private:
  struct Sum {
    double calls = 0, flops = 0, bytes = 0, seconds = 0;
  };
  std::array<std::array<Sum, 2>, 4> sums_;  ///< by element type and place
};

}  // namespace blockyard::blas
