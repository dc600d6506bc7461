// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace blockyard::plan {

/// Names of blocks with their bytes in the order of their last use: a cache without data.
/// One thread.
class Lru {
 public:
  struct Entry {
    std::uint64_t key = 0;
    double bytes = 0;
    bool is_marked = false;  ///< for the user: dirty, foreign
    std::int32_t before = -1;
    std::int32_t after = -1;
  };

  /// The entry of a key, which becomes the most recently used, or null.
  [[nodiscard]] Entry* use(std::uint64_t key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    if (found->second != last_) {
      unlink(found->second);
      append(found->second);
    }
    return &entries_[static_cast<std::size_t>(found->second)];
  }

  /// REQUIRES: it is not there.
  void add(std::uint64_t key, double bytes, bool is_marked) {
    auto at = static_cast<std::int32_t>(entries_.size());
    if (free_.empty()) {
      entries_.emplace_back();
    } else {
      at = free_.back();
      free_.pop_back();
    }
    entries_[static_cast<std::size_t>(at)] = {key, bytes, is_marked, -1, -1};
    append(at);
    by_key_.emplace(key, at);
    bytes_ += bytes;
  }

  /// The least recently used; REQUIRES: not empty.
  [[nodiscard]] Entry& oldest() { return entries_[static_cast<std::size_t>(first_)]; }
  [[nodiscard]] bool is_empty() const { return first_ < 0; }

  void remove(std::uint64_t key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    unlink(found->second);
    bytes_ -= entries_[static_cast<std::size_t>(found->second)].bytes;
    free_.push_back(found->second);
    by_key_.erase(found);
  }

  void clear() {
    entries_.clear();
    free_.clear();
    // A table that was once large would be wiped whole each time.
    std::unordered_map<std::uint64_t, std::int32_t>().swap(by_key_);
    first_ = last_ = -1;
    bytes_ = 0;
  }

  /// Removes all entries that satisfy the condition, which is asked once for each.
  template <class Condition>
  void remove_if(const Condition& condition) {
    std::vector<std::uint64_t> gone;
    for (const auto& [key, at] : by_key_)
      if (condition(entries_[static_cast<std::size_t>(at)])) gone.push_back(key);
    for (const std::uint64_t key : gone) remove(key);
  }

  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  void append(std::int32_t at) {
    Entry& entry = entries_[static_cast<std::size_t>(at)];
    entry.before = last_;
    entry.after = -1;
    if (last_ >= 0) entries_[static_cast<std::size_t>(last_)].after = at;
    last_ = at;
    if (first_ < 0) first_ = at;
  }
  void unlink(std::int32_t at) {
    const Entry& entry = entries_[static_cast<std::size_t>(at)];
    if (entry.before >= 0) entries_[static_cast<std::size_t>(entry.before)].after = entry.after;
    if (entry.after >= 0) entries_[static_cast<std::size_t>(entry.after)].before = entry.before;
    if (first_ == at) first_ = entry.after;
    if (last_ == at) last_ = entry.before;
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> free_;
  std::unordered_map<std::uint64_t, std::int32_t> by_key_;
  std::int32_t first_ = -1;
  std::int32_t last_ = -1;
  double bytes_ = 0;
};

}  // namespace blockyard::plan
