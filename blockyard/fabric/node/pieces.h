// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace blockyard::fabric::node {

/// Which parts of a range of `size` bytes are given out, first fit, and which of its pages are
/// claimed from the system. One thread at a time.
class Pieces {
 public:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t alignment = 128;

  Pieces(std::size_t begin, std::size_t size) : begin_(begin), size_(size) {
    free_.emplace(begin, size - begin);
  }

  /// Where a new piece begins; nothing if it does not fit.
  [[nodiscard]] std::optional<std::size_t> allocate(std::size_t bytes);
  /// Where a piece ends that begins at `offset`.
  [[nodiscard]] std::size_t length_of(std::size_t offset) const { return taken_.at(offset); }

  struct Pages {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  /// The pages of a piece that are not claimed yet; they count as claimed from now on.
  [[nodiscard]] std::vector<Pages> claim(std::size_t offset);
  /// They count as not claimed again, for the system refused them.
  void unclaim(const Pages& pages) { set_claimed(pages, false); }
  /// Ends a piece. Returns the claimed pages that nothing uses any more, if they are worth giving
  /// back; they count as not claimed from now on.
  [[nodiscard]] std::optional<Pages> release(std::size_t offset);

 private:
  void set_claimed(const Pages& pages, bool are);

  /// Fewer bytes stay claimed, so that arrays that come and go cost no system call.
  static constexpr std::size_t least_given_back = std::size_t{1} << 20;

  std::size_t begin_, size_;
  std::map<std::size_t, std::size_t> free_;   ///< length by beginning; neighbours are joined
  std::map<std::size_t, std::size_t> taken_;  ///< the same
  std::vector<bool> claimed_;                 ///< by page
};

}  // namespace blockyard::fabric::node
