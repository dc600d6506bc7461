// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/memory.h"

namespace blockyard::fabric::node {

/// What is known of each region of a process, by number. An entry never moves, so other threads may
/// read it. Taking and returning numbers: one thread.
template <class Entry>
class RegionTable {
 public:
  RegionTable() { chunks_.reserve(most_chunks); }

  /// A number that is not in use. Its entry may hold what an earlier region left.
  [[nodiscard]] Region take() {
    if (!unused_.empty()) {
      const Region region = unused_.back();
      unused_.pop_back();
      return region;
    }
    if (static_cast<std::size_t>(next_) / chunk_length == chunks_.size()) {
      base::require(chunks_.size() < most_chunks, "there are fewer than 16 million regions");
      chunks_.push_back(std::make_unique<Entry[]>(chunk_length));
    }
    return next_++;
  }
  void give_back(Region region) { unused_.push_back(region); }

  [[nodiscard]] Entry& operator[](Region region) const noexcept {
    const auto at = static_cast<std::size_t>(region);
    return chunks_[at / chunk_length][at % chunk_length];
  }

 private:
  static constexpr std::size_t chunk_length = 256, most_chunks = 65536;
  std::vector<std::unique_ptr<Entry[]>> chunks_;
  Region next_ = 0;
  std::vector<Region> unused_;
};

}  // namespace blockyard::fabric::node
