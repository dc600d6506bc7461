// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <string>

#include "blockyard/blas/router/costs.h"

namespace blockyard::blas {

/// Seconds of what a call on a device consists of; these overlap.
struct CallSplit {
  double to_server = 0, to_device = 0, plan = 0, compute = 0, from_device = 0, from_server = 0;
};

/// The calls of one process by routine, class, place and the reason for the place. One thread.
class Report {
 public:
  enum class Place { here, there };
  struct Key {
    CallClass what;
    Place place = Place::here;
    std::string why;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// What calls add up to.
  struct Sum {
    std::string shape;  ///< of the call with the most flops
    double most_flops = -1;
    double calls = 0, flops = 0, bytes = 0, seconds = 0;
    double kept = 0, kept_bytes = 0;  ///< operands that were on the device already
    CallSplit split;
    double compared = 0, saved_seconds = 0;  ///< calls whose time here was known; what they saved
  };
  /// One call, or a share of one.
  struct Entry {
    std::string shape = {};
    double flops = 0, bytes = 0, seconds = 0;
    double kept = 0, kept_bytes = 0;
    double local_seconds = 0;  ///< what it was expected to take here; 0: not known
  };
  /// Where it was added, for what is known of it later; stays as long as this.
  Sum& add(const Key& key, const Entry& entry);
  static void add(Sum& sum, const CallSplit& split);
  /// A call whose result there was wrong by the residual of check mode.
  void add_wrong(const std::string& routine) { wrong_[routine] += 1; }
  void add_checked(const std::string& routine) { checked_[routine] += 1; }
  /// JSON; "%p" in the path is the number of the process. A file that cannot be written is not.
  void write(std::string path) const noexcept;

 private:
  std::map<Key, Sum> sums_;
  std::map<std::string, double> checked_, wrong_;  ///< calls
};

}  // namespace blockyard::blas
