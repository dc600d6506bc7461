// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "blockyard/base/buffer.h"

namespace blockyard::plan {

/// Models block memory that is kept for the next block of its size class when one is released: the
/// peaks of all classes add up, within a program. One thread.
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
  /// Several blocks of `size`, `bytes` in total.
  void give_back(double size, double bytes) { release(size, bytes / size); }
  /// Frees kept memory, as a run does between programs, and forgets the peak.
  void free_kept() {
    most_ = held_;
    peak_ = live_;
  }
  /// The most memory taken, including kept memory.
  [[nodiscard]] double peak() const { return peak_; }
  /// Bytes taken now.
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
