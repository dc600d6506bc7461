// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "blockyard/base/buffer.h"

namespace blockyard::plan {

/// Memory for blocks that is kept for the next block of its size class when one is given back: the
/// most of each class adds up, within a program. One thread.
class FrameModel {
 public:
  void take(double bytes) {
    const double charged = charge(bytes);
    const std::size_t k = class_of(bytes);
    held_[k] += charged;
    live_ += charged;
    if (held_[k] <= most_[k]) return;
    peak_ += held_[k] - most_[k];
    most_[k] = held_[k];
  }
  void give_back(double bytes) { release(bytes, 1); }
  /// Several blocks of `size`, `bytes` in all.
  void give_back(double size, double bytes) { release(size, bytes / size); }
  /// Frees what is kept, as a run does between programs, and forgets the peak.
  void free_kept() {
    most_ = held_;
    peak_ = live_;
  }
  /// The most that was taken, with what was kept.
  [[nodiscard]] double peak() const { return peak_; }
  /// What is taken now.
  [[nodiscard]] double live() const { return live_; }

 private:
  void release(double size, double count) {
    const double charged = count * charge(size);
    held_[class_of(size)] -= charged;
    live_ -= charged;
  }
  static double charge(double bytes) {
    return static_cast<double>(base::BufferPool::charge(static_cast<std::size_t>(bytes)));
  }
  static std::size_t class_of(double bytes) {
    return base::BufferPool::class_of(static_cast<std::size_t>(bytes));
  }
  std::array<double, base::BufferPool::class_count> held_{};
  std::array<double, base::BufferPool::class_count> most_{};
  double peak_ = 0;
  double live_ = 0;
};

}  // namespace blockyard::plan
