// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/flow/iterations.h"
#include "blockyard/flow/naming.h"

namespace blockyard::flow {

/// A loop under way.
struct OpenLoop {
  std::int32_t id = 0;  ///< index of a do, entry of pardos of a pardo
  std::int64_t last = 0;
  // Of a pardo:
  Iterations iterations{};
  std::int64_t total = 0;     ///< total iterations (dynamic)
  std::uint64_t counter = 0;  ///< names this run of the pardo
  std::uint64_t number = 0;   ///< of this run among those of all pardos, from 1
  [[nodiscard]] bool is_pardo() const noexcept { return counter != 0; }
  /// Number of the current iteration of a pardo, for the race rule. The runs of an epoch begin far
  /// from each other: multiples of 2^64 divided by the golden ratio spread over all numbers.
  [[nodiscard]] std::uint64_t iteration() const noexcept {
    constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;
    return number * apart + static_cast<std::uint64_t>(iterations.setting()) + 1;
  }
};

/// The loops of a program that are open, from outside in, and with them the values of its indexes.
/// A copy steps independently: that is how look-ahead runs ahead of the loops of the program. The
/// plan steps over values that it does not sample. Steps allocate nothing but iterations of a
/// pardo. One thread.
class LoopNest {
 public:
  explicit LoopNest(const Naming& naming);
  LoopNest(const LoopNest&) = delete;
  LoopNest& operator=(const LoopNest&) = delete;
  void assign(const LoopNest& other);

  /// By index of the program; `unbound` where no loop is open.
  [[nodiscard]] const std::vector<std::int64_t>& values() const noexcept { return values_; }
  [[nodiscard]] std::int64_t value_of(std::int32_t index) const noexcept {
    return values_[static_cast<std::size_t>(index)];
  }
  /// For iterations that write them.
  [[nodiscard]] std::span<std::int64_t> values_to_set() noexcept { return values_; }
  [[nodiscard]] std::span<const OpenLoop> open() const noexcept { return open_; }
  /// Stays where it is until it is closed.
  [[nodiscard]] OpenLoop& innermost() noexcept { return open_.back(); }
  /// The pardo that is open; null: none.
  [[nodiscard]] const OpenLoop* pardo() const noexcept;

  /// Throws Error{bad_input} if no loop over the index can be opened.
  void require_open(std::int32_t index) const;
  /// Whether one can, and has a range.
  [[nodiscard]] bool can_open(std::int32_t index) const noexcept;
  /// Opens a loop at its first value; false (and it is not open) if it has none.
  [[nodiscard]] bool begin_do(std::int32_t index);
  /// The next value, or that `step` further on; false after the last one, when the loop is closed.
  [[nodiscard]] bool next_do(std::int64_t step = 1);
  /// Opens a pardo before its first iteration.
  OpenLoop& begin_pardo(std::int32_t pardo, Sharing sharing);
  [[nodiscard]] Iterations iterations_of(std::int32_t pardo, Sharing sharing) const;
  /// The next iteration of the innermost loop, a pardo: as Iterations say.
  template <class Where>
  [[nodiscard]] Iterations::Step next(const Where& where) {
    return open_.back().iterations.next(values_, where);
  }
  /// Closes the innermost loop.
  void close();

  /// Iterations dealt since the barrier by pardos that are closed (balanced).
  [[nodiscard]] std::int64_t dealt() const noexcept { return dealt_; }
  void add_dealt(std::int64_t iterations) noexcept { dealt_ += iterations; }
  void restart_dealing() noexcept { dealt_ = 0; }
  /// How often each pardo was begun.
  [[nodiscard]] std::span<const std::uint64_t> entered() const noexcept { return entered_; }
  /// Outside of pardos: as they were. `loops`: index and last value.
  /// Throws Error{bad_input} if they are of another program.
  void restore(std::span<const std::int64_t> values,
               std::span<const std::pair<std::int32_t, std::int64_t>> loops,
               std::span<const std::uint64_t> entered);

 private:
  const Naming& naming_;
  std::vector<std::int64_t> values_;
  std::vector<OpenLoop> open_;
  std::vector<std::uint64_t> entered_;
  std::uint64_t begun_ = 0;  ///< pardos: the sum of entered_
  std::int64_t dealt_ = 0;
};

}  // namespace blockyard::flow
