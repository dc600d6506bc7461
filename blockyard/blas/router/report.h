// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

namespace blockyard::blas {

/// The counts of calls by place, in one process. One thread.
class Report {
 public:
  enum class Place { here, there };
  void add(const std::string& routine, Place place, double flops, double bytes, double seconds);
  /// A call whose result there was wrong by the residual of check mode.
  void add_wrong(const std::string& routine) { wrong_[routine] += 1; }
  void add_checked(const std::string& routine) { checked_[routine] += 1; }
  /// JSON; "%p" in the path is the number of the process. A file that cannot be written is not.
  void write(std::string path) const noexcept;

 private:
  struct Sum {
    double calls = 0, flops = 0, bytes = 0, seconds = 0;
  };
  std::map<std::pair<std::string, Place>, Sum> sums_;
  std::map<std::string, double> checked_, wrong_;  ///< calls
};

}  // namespace blockyard::blas
