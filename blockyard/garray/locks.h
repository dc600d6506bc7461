// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/runtime.h"

namespace blockyard::garray {

/// Mutexes of all ranks, numbered from 0, first come, first served, not recursive. They lie at the
/// ranks in turn.
class Locks {
 public:
  /// Collective among all ranks.
  Locks(Runtime& runtime, int count);
  /// Collective.
  void release();

  [[nodiscard]] int count() const noexcept { return count_; }
  /// Throws Error{bad_input} for a number that is not 0 .. count - 1.
  void lock(int number);
  /// Everything this rank put or added before is visible to the next holder.
  void unlock(int number);

 private:
  struct Place {
    int rank;
    std::size_t offset;
  };
  [[nodiscard]] Place place_of(int number) const;

  Runtime& runtime_;
  int count_;
  fabric::Region region_ = -1;
};

}  // namespace blockyard::garray
