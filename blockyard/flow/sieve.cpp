// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/sieve.h"

#include <algorithm>
#include <bit>

namespace blockyard::flow {
namespace {

constexpr std::size_t bits = 64;
constexpr std::int64_t fewest_settings = 1024;  // else there is nothing to gain
constexpr std::int64_t settings_of_trial = 4;   // at least, for each trial of the tables
constexpr std::int64_t most_trials = std::int64_t{1} << 24;

void clear(std::uint64_t* set, std::size_t value) {
  set[value / bits] &= ~(std::uint64_t{1} << (value % bits));
}

/// The first element from `value` on, or `length`.
std::size_t next_in(const std::uint64_t* set, std::size_t value, std::size_t length) {
  while (value < length) {
    const std::uint64_t rest = set[value / bits] >> (value % bits);
    if (rest != 0) return value + static_cast<std::size_t>(std::countr_zero(rest));
    value = (value / bits + 1) * bits;
  }
  return length;
}

}  // namespace

Sieve::Sieve(std::span<const IndexRange> ranges) {
  std::size_t row = 0;
  for (const IndexRange& range : ranges) {
    first_.push_back(range.first);
    lengths_.push_back(static_cast<std::size_t>(range.last - range.first + 1));
    words_.push_back((lengths_.back() + bits - 1) / bits);
    offsets_.push_back(row);
    row += words_.back();
    settings_ *= range.last - range.first + 1;
  }
  const std::size_t count = ranges.size();
  offsets_.push_back(row);
  pairs_.resize(count * count);
  left_.assign((count + 1) * row, 0);
  digits_.resize(count);
  lower_.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t value = 0; value < lengths_[k]; ++value)
      left(count, k)[value / bits] |= Word{1} << (value % bits);
}

std::shared_ptr<const Sieve> Sieve::make(std::span<const std::int32_t> indexes,
                                         std::span<const IndexRange> ranges,
                                         const FixedConditions& fixed,
                                         std::span<std::int64_t> values, const Holds& holds) {
  std::int64_t settings = 1, trials = 0;
  const auto length = [&](std::size_t place) {
    return ranges[place].last - ranges[place].first + 1;
  };
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (length(k) > most_trials) return nullptr;  // a set of its values would also be long
    settings *= std::max<std::int64_t>(0, length(k));
  }
  if (settings < fewest_settings) return nullptr;
  FixedConditions used{{}, fixed.are_all};
  const std::int64_t allowed = std::min(most_trials, settings / settings_of_trial);
  for (const Condition& condition : fixed.conditions) {
    std::int64_t of_condition = 1;
    if (condition.places.size() <= 2)
      for (const std::size_t place : condition.places) of_condition *= length(place);
    if (condition.places.size() > 2 || of_condition > allowed - trials) {
      used.are_all = false;
      continue;
    }
    trials += of_condition;
    used.conditions.push_back(condition);
  }
  if (used.conditions.empty()) return nullptr;
  const std::shared_ptr<Sieve> sieve(new Sieve(ranges));  // shared by copies of the iterations
  sieve->is_complete_ = used.are_all;
  const std::vector<std::int64_t> before(values.begin(), values.end());
  for (const Condition& condition : used.conditions) sieve->add(condition, indexes, values, holds);
  std::ranges::copy(before, values.begin());
  return sieve;
}

void Sieve::add(const Condition& condition, std::span<const std::int32_t> indexes,
                std::span<std::int64_t> values, const Holds& holds) {
  const std::size_t count = lengths_.size();
  const auto set = [&](std::size_t place, std::size_t digit) {
    values[static_cast<std::size_t>(indexes[place])] =
        first_[place] + static_cast<std::int64_t>(digit);
  };
  if (condition.places.empty()) {
    if (!holds(condition)) std::fill(left(count, 0), left(count, 0) + words_[0], Word{0});
    return;
  }
  const std::size_t fast = condition.places.front(), slow = condition.places.back();
  if (fast == slow) {
    for (std::size_t digit = 0; digit < lengths_[fast]; ++digit) {
      set(fast, digit);
      if (!holds(condition)) clear(left(count, fast), digit);
    }
    return;
  }
  auto& table = pairs_[slow * count + fast];
  if (table.empty()) table.assign(lengths_[slow] * words_[fast], ~Word{0});
  for (std::size_t of_slow = 0; of_slow < lengths_[slow]; ++of_slow)
    for (std::size_t of_fast = 0; of_fast < lengths_[fast]; ++of_fast) {
      set(slow, of_slow);
      set(fast, of_fast);
      if (!holds(condition)) clear(table.data() + of_slow * words_[fast], of_fast);
    }
}

Sieve::Word* Sieve::left(std::size_t from, std::size_t index) const {
  return left_.data() + from * offsets_.back() + offsets_[index];
}

const Sieve::Word* Sieve::partners(std::size_t slow, std::size_t digit, std::size_t fast) const {
  const auto& table = pairs_[slow * lengths_.size() + fast];
  return table.empty() ? nullptr : table.data() + digit * words_[fast];
}

/// Gives an index its value; false if that rules out all values of a faster one.
bool Sieve::take(std::size_t index, std::size_t digit) const {
  digits_[index] = digit;
  for (std::size_t fast = 0; fast < index; ++fast) {
    const Word* allowed = partners(index, digit, fast);
    const Word* before = left(index + 1, fast);
    Word* after = left(index, fast);
    Word any = 0;
    for (std::size_t k = 0; k < words_[fast]; ++k) {
      after[k] = allowed == nullptr ? before[k] : before[k] & allowed[k];
      any |= after[k];
    }
    if (any == 0) return false;
  }
  return true;
}

/// Values for the indexes 0 .. index; not below lower_ if all slower ones are at theirs.
bool Sieve::search(std::size_t index, bool is_tight) const {
  const Word* allowed = left(index + 1, index);
  const std::size_t length = lengths_[index];
  const std::size_t begin = is_tight ? lower_[index] : 0;
  for (std::size_t digit = next_in(allowed, begin, length); digit < length;
       digit = next_in(allowed, digit + 1, length)) {
    if (!take(index, digit)) continue;
    if (index == 0 || search(index - 1, is_tight && digit == lower_[index])) return true;
  }
  return false;
}

/// The first values from lower_ on. Slow indexes whose values are those of the last setting found
/// keep them, and what those leave of the faster ones.
bool Sieve::find() const {
  const std::size_t count = lengths_.size();
  std::size_t kept = count;  // indexes from there on keep theirs
  while (has_found_ && kept > 0 && digits_[kept - 1] == lower_[kept - 1]) --kept;
  has_found_ = true;
  if (kept == 0) return true;
  while (!search(kept - 1, true)) {
    if (kept == count) return has_found_ = false;
    lower_[kept] = digits_[kept] + 1;
    std::fill_n(lower_.begin(), kept, 0);
    ++kept;
  }
  return true;
}

std::int64_t Sieve::next(std::int64_t setting) const {
  if (setting >= settings_) return settings_;
  const std::size_t count = lengths_.size();
  for (std::size_t k = 0; k < count; ++k) {
    lower_[k] = static_cast<std::size_t>(setting) % lengths_[k];
    setting /= static_cast<std::int64_t>(lengths_[k]);
  }
  if (!find()) return settings_;
  std::int64_t found = 0;
  for (std::size_t k = count; k-- > 0;)
    found = found * static_cast<std::int64_t>(lengths_[k]) + static_cast<std::int64_t>(digits_[k]);
  return found;
}

}  // namespace blockyard::flow
