// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "blockyard/flow/bind.h"
#include "blockyard/flow/conditions.h"

namespace blockyard::flow {

/// Finds the settings of the indexes of a pardo that conditions on one or two of them admit,
/// without trying all: tables say which pairs of values go together, and of an index whose values
/// are all ruled out by those of slower ones nothing faster is looked at. One thread.
class Sieve {
 public:
  /// Whether a condition holds for the values that the indexes have.
  using Holds = std::function<bool(const Condition&)>;

  /// indexes: of the pardo; ranges: their values; values: of the indexes of the program, left as
  /// they are found. Null if trying all settings is as quick.
  [[nodiscard]] static std::shared_ptr<const Sieve> make(std::span<const std::int32_t> indexes,
                                                         std::span<const IndexRange> ranges,
                                                         const FixedConditions& fixed,
                                                         std::span<std::int64_t> values,
                                                         const Holds& holds);

  /// The first setting from `setting` on that passes, by its number (the first index fastest); the
  /// number of all settings if there is none.
  [[nodiscard]] std::int64_t next(std::int64_t setting) const;
  /// Whether a setting that passes is an iteration for sure.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }

 private:
  using Word = std::uint64_t;
  explicit Sieve(std::span<const IndexRange> ranges);
  void add(const Condition& condition, std::span<const std::int32_t> indexes,
           std::span<std::int64_t> values, const Holds& holds);
  /// The values of the faster index `fast` allowed with value `digit` of `slow`; null: any.
  [[nodiscard]] const Word* partners(std::size_t slow, std::size_t digit, std::size_t fast) const;
  /// Values left of `index` once those from `from` on have theirs.
  [[nodiscard]] Word* left(std::size_t from, std::size_t index) const;
  [[nodiscard]] bool take(std::size_t index, std::size_t digit) const;
  [[nodiscard]] bool search(std::size_t index, bool is_tight) const;
  [[nodiscard]] bool find() const;

  std::vector<std::int64_t> first_;
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> words_;    ///< of a set of values
  std::vector<std::size_t> offsets_;  ///< of the set of each index in a row of sets
  std::int64_t settings_ = 1;
  bool is_complete_ = true;
  std::vector<std::vector<Word>> pairs_;  ///< [slow * indexes + fast]: a set for each value of slow
  // Of a search:
  mutable std::vector<Word> left_;
  mutable std::vector<std::size_t> digits_;
  mutable std::vector<std::size_t> lower_;
  mutable bool has_found_ = false;  ///< digits_ and left_ are those of a setting that passes
};

}  // namespace blockyard::flow
