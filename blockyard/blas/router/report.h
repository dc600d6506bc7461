// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

namespace blockyard::blas {

/// What went where, in one process. One thread.
class Report {
 public:
  enum class Place { here, there };
  void add(const std::string& routine, Place place, double flops, double bytes, double seconds);
  /// JSON; "%p" in the path is the number of the process. A file that cannot be written is not.
  void write(std::string path) const noexcept;

 private:
  struct Sum {
    double calls = 0, flops = 0, bytes = 0, seconds = 0;
  };
  std::map<std::pair<std::string, Place>, Sum> sums_;
};

}  // namespace blockyard::blas
