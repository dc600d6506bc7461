// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/flow/bind.h"
#include "blockyard/flow/sieve.h"
#include "blockyard/program/program.h"

namespace blockyard::flow {

/// A pardo over more indexes than this is refused.
inline constexpr std::size_t most_pardo_indexes = 16;

/// The value of an index while no loop over it is open.
inline constexpr std::int64_t unbound = INT64_MIN;

/// The values that a loop over `index` takes, while the indexes of the program have `values`: the
/// range of this run, or for a subindex the subsegments of its parent's value.
/// Throws Error{bad_input} if the parent has no value.
[[nodiscard]] IndexRange range_of(const program::Program& program, const Tables& tables,
                                  std::span<const std::int64_t> values, std::int32_t index);

/// The worker for which iterations are enumerated.
struct Sharing {
  program::Policy policy = program::Policy::sequential;
  int worker = 0;
  int workers = 1;
  std::int64_t dealt = 0;  ///< iterations of earlier pardos since the barrier (balanced)
};

/// As a pardo or a job says it.
[[nodiscard]] std::string_view name_of(program::Policy policy) noexcept;

/// The policy of a pardo: its own, or that of the job; alone, a worker needs none.
[[nodiscard]] program::Policy policy_of(const program::PardoDecl& pardo, program::Policy of_job,
                                        int workers);

/// The iterations of one pardo that one worker does, one after the other: pure arithmetic on index
/// values. Every setting of the indexes that passes the sieve is tried, the first index fastest;
/// those for which the where code holds are iterations, and their numbers are positions 0, 1, 2,
/// ... A copy advances independently: that is how look-ahead runs ahead of the loop.
///
/// `values` has a value for each index of the program; those of the pardo are written. `where` is
/// called with the pc of the where code, and says whether the setting in `values` is an iteration.
class Iterations {
 public:
  enum class Step : std::uint8_t {
    found,        ///< `values` hold the next iteration
    chunk_ended,  ///< dynamic, locality: take_chunk() must give the next positions
    ended
  };

  Iterations() = default;
  /// At the begin of a pardo. Throws Error{bad_input} if it has more than 2^62 settings or 16
  /// indexes.
  Iterations(const program::Program& program, const Tables& tables, std::int32_t pardo,
             const Sharing& sharing, std::span<const std::int64_t> values);

  /// Settings that do not pass are not tried; null: all are. Before the first next().
  void use(std::shared_ptr<const Sieve> sieve) noexcept { sieve_ = std::move(sieve); }
  [[nodiscard]] const std::shared_ptr<const Sieve>& sieve() const noexcept { return sieve_; }

  template <class Where>
  [[nodiscard]] Step next(std::span<std::int64_t> values, const Where& where);
  /// Enumerates the rest without doing it.
  template <class Where>
  void skip(std::span<std::int64_t> values, const Where& where) {
    while (next_of_all(values, where)) {
    }
  }
  /// Locality: the settings at the positions; the vector stays with the caller.
  void follow(const std::vector<std::int64_t>& order) noexcept { order_ = &order; }
  /// Positions first .. last-1 come next; none: the loop ends.
  void take_chunk(std::int64_t first, std::int64_t last) noexcept {
    chunk_first_ = first;
    chunk_last_ = last;
    position_ = first;
    is_last_chunk_ = first >= last;
  }
  /// Sets `values` to setting number `setting`, iteration or not. REQUIRES: there is such a one.
  void select(std::int64_t setting, std::span<std::int64_t> values) noexcept;
  /// Back to the begin.
  void rewind() noexcept {
    setting_ = -1;
    passed_ = 0;
  }

  [[nodiscard]] std::span<const IndexRange> ranges() const noexcept {
    return {ranges_.data(), pardo_->indexes.size()};
  }
  [[nodiscard]] const program::PardoDecl& pardo() const noexcept { return *pardo_; }
  [[nodiscard]] program::Policy policy() const noexcept { return sharing_.policy; }
  [[nodiscard]] std::int64_t settings() const noexcept { return settings_; }
  /// Number of the setting that `values` hold.
  [[nodiscard]] std::int64_t setting() const noexcept { return setting_; }
  /// Iterations of all workers enumerated so far.
  [[nodiscard]] std::int64_t passed() const noexcept { return passed_; }

 private:
  /// Goes to a setting by its number; false if there is none.
  [[nodiscard]] bool jump(std::span<std::int64_t> values, std::int64_t setting) noexcept;
  [[nodiscard]] bool next_in_order(std::span<std::int64_t> values) noexcept;
  [[nodiscard]] bool advance(std::span<std::int64_t> values) noexcept;
  template <class Where>
  [[nodiscard]] bool holds(const Where& where) const {
    return pardo_->where < 0 || (sieve_ && sieve_->is_complete()) || where(pardo_->where);
  }
  template <class Where>
  [[nodiscard]] bool next_of_all(std::span<std::int64_t> values, const Where& where) {
    while (advance(values))
      if (holds(where)) {
        ++passed_;
        return true;
      }
    return false;
  }
  [[nodiscard]] bool is_mine(std::int64_t number) const noexcept {
    return number % sharing_.workers == sharing_.worker;
  }

  const program::PardoDecl* pardo_ = nullptr;
  Sharing sharing_;
  std::array<IndexRange, most_pardo_indexes> ranges_{};
  std::shared_ptr<const Sieve> sieve_;  // shared by copies
  std::int64_t settings_ = 0;
  std::int64_t setting_ = -1;
  std::int64_t passed_ = 0;
  std::int64_t position_ = 0;
  const std::vector<std::int64_t>* order_ = nullptr;
  std::int64_t chunk_first_ = 0;
  std::int64_t chunk_last_ = 0;
  bool is_last_chunk_ = false;
};

template <class Where>
Iterations::Step Iterations::next(std::span<std::int64_t> values, const Where& where) {
  using program::Policy;
  bool found = false;
  switch (sharing_.policy) {
    case Policy::unset:
    case Policy::every_worker:
      found = next_of_all(values, where);
      break;
    case Policy::sequential:
      found = sharing_.worker == 0 && next_of_all(values, where);
      break;
    case Policy::static_:
      while (!found && advance(values)) found = is_mine(setting_) && holds(where);
      break;
    case Policy::balanced:
      while (!found && next_of_all(values, where)) found = is_mine(sharing_.dealt + passed_ - 1);
      break;
    case Policy::dynamic:
      if (is_last_chunk_) return Step::ended;
      if (passed_ == chunk_last_) return Step::chunk_ended;
      do found = next_of_all(values, where);
      while (found && passed_ <= chunk_first_);
      break;
    case Policy::locality:
      if (is_last_chunk_) return Step::ended;
      if (position_ == chunk_last_) return Step::chunk_ended;
      found = next_in_order(values);
      break;
  }
  return found ? Step::found : Step::ended;
}

}  // namespace blockyard::flow
