// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::ring {

/// How many items each place gives, once known, and how many of them were used here. One thread.
class Endings {
 public:
  explicit Endings(int places)
      : given_(static_cast<std::size_t>(places), unknown),
        used_(static_cast<std::size_t>(places), 0) {}

  void hear(int origin, std::int64_t count) {
    base::require(given_.at(static_cast<std::size_t>(origin)) == unknown,
                  "a place ends its items once");
    given_[static_cast<std::size_t>(origin)] = count;
  }
  void use(int origin) { ++used_.at(static_cast<std::size_t>(origin)); }
  [[nodiscard]] bool is_over() const { return given_ == used_; }

 private:
  static constexpr std::int64_t unknown = -1;
  std::vector<std::int64_t> given_;
  std::vector<std::int64_t> used_;
};

}  // namespace blockyard::ring
