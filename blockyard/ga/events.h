// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "blockyard/ga/report.h"

namespace blockyard::ga {

/// The parts of a program that it names itself (TCGMSG's evbgin and evend), for its report. One
/// thread.
class Events {
 public:
  void turn(bool is_on) noexcept { is_on_ = is_on; }
  // report: null: there is none.
  void begin(Report* report, const char* name, void* place);
  /// The innermost part of this name ends, with those in it.
  void end(Report* report, const char* name);
  /// Something that takes no time.
  void happen(Report* report, const char* name, void* place);

 private:
  struct Open {
    const std::string* name;
    void* place;
    Report::Clock::time_point begun;
  };
  /// The same address for the same name.
  [[nodiscard]] const std::string& kept(const char* name);

  bool is_on_ = false;
  std::set<std::string> names_;
  std::vector<Open> open_;
};

}  // namespace blockyard::ga
