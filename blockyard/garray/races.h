// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "blockyard/array/box.h"

// Which one-sided uses of arrays by different ranks met without anything that ordered them.
namespace blockyard::garray {

/// read, write: of own memory, in place; count: an atomic read and increment.
enum class Use : std::uint8_t { get, put, accumulate, count, read, write };

/// Elements that a rank used. Plain bytes: ranks send them to each other.
struct Access {
  std::uint64_t array = 0;   ///< the same number at all ranks
  std::uint64_t locks = 0;   ///< bit n mod 64 for each mutex n that was held
  std::uint32_t origin = 0;  ///< the call in the program, by its rank's numbers
  std::uint32_t moment = 0;  ///< by its rank's numbers
  std::int32_t rank = 0;
  Use use = Use::get;
  array::Box box;
};

/// What a rank knew when it was at a moment: two counts for each rank, of its steps whose gets, and
/// of those whose puts and adds, are over. A step ends where the rank meets others.
class Moments {
 public:
  explicit Moments(int ranks = 0) : width_(2 * static_cast<std::size_t>(ranks)) {}
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t count() const noexcept { return counts_.size() / width_; }
  [[nodiscard]] std::span<const std::int64_t> at(std::size_t moment) const noexcept {
    return std::span(counts_).subspan(moment * width_, width_);
  }
  void add(std::span<const std::int64_t> counts) {
    counts_.insert(counts_.end(), counts.begin(), counts.end());
  }
  void clear() noexcept { counts_.clear(); }

 private:
  std::size_t width_;
  std::vector<std::int64_t> counts_;
};

/// Whether two uses of an element by different ranks must be ordered.
[[nodiscard]] bool clash(Use a, Use b) noexcept;

/// Whether two uses of the same elements clash, and neither a mutex nor the moments order them.
[[nodiscard]] bool is_race(const Access& a, const Access& b, std::span<const Moments> moments);

using Race = std::function<void(const Access& own, const Access& other, const array::Box& both)>;

/// Calls race() for each access of `rank` and each of a higher rank that clash, have elements in
/// common, and that neither a mutex nor the moments order. moments: by rank.
void find_races(std::span<const Access> accesses, int rank, std::span<const Moments> moments,
                const Race& race);

}  // namespace blockyard::garray
