// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "blockyard/aces/zmat/keywords.h"

namespace blockyard::aces::zmat {
using base::Extent;

namespace {

constexpr std::string_view form =
    "*FRAGLIST has a line with the number of fragments and two distances in bohr, a line with the "
    "number of atoms of each fragment, and a line for each fragment with the numbers of its atoms";

template <class Number>
Number number(const Parts& parts, const Line& line, const std::string& word) {
  Number value{};
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size() || !(value >= 0))
    throw parts.error(line,
                      fmt::format("\"{}\" is not a number that can stand here: {}", word, form));
  return value;
}

/// The first `count` whole numbers of a line, which may have more.
std::vector<std::int64_t> whole_numbers(const Parts& parts, const Line& line, std::size_t count) {
  const auto words = words_of(line.text);
  if (words.size() < count)
    throw parts.error(
        line, fmt::format("{} numbers stand here instead of {}: {}", words.size(), count, form));
  std::vector<std::int64_t> numbers;
  for (std::size_t k = 0; k < count; ++k)
    numbers.push_back(number<std::int64_t>(parts, line, words[k]));
  return numbers;
}

void put_ints(const std::string& name, std::vector<Extent> extents, std::vector<double> values,
              input::Spec& spec) {
  spec.arrays[name] = {std::move(extents), std::move(values)};
  spec.int_arrays.insert(name);
}

}  // namespace

void apply_fragments(const Parts& parts, ZmatJob& job) {
  const std::vector<Line>& lines = parts.fragments;
  if (lines.empty()) return;
  if (job.spec.programs.empty())
    job.warnings.push_back(fmt::format(
        "{}:{}: *FRAGLIST is for programs of SIAL_PROGRAM and changes nothing without any",
        parts.path, lines.front().number));
  const Line& head = lines.front();
  const auto words = words_of(head.text);
  if (words.size() != 3) throw parts.error(head, std::string(form));
  const auto count = number<std::size_t>(parts, head, words[0]);
  if (count == 0 || count > parts.atoms.size() || lines.size() != count + 2)
    throw parts.error(
        head, fmt::format("{} fragments of {} atoms on {} lines: {}", count, parts.atoms.size(),
                          std::max<std::size_t>(lines.size(), 2) - 2, form));
  job.spec.scalars["r_thresh"] = number<double>(parts, head, words[1]);
  job.spec.scalars["elst_thresh"] = number<double>(parts, head, words[2]);
  const auto lengths = whole_numbers(parts, lines[1], count);
  const auto longest = static_cast<std::size_t>(std::ranges::max(lengths));
  if (longest > parts.atoms.size())
    throw parts.error(lines[1], fmt::format("a fragment of {} atoms: the molecule has {}", longest,
                                            parts.atoms.size()));
  std::vector<double> atoms(count * longest, 0.0);  // fragment fastest
  for (std::size_t f = 0; f < count; ++f) {
    const auto members = whole_numbers(parts, lines[f + 2], static_cast<std::size_t>(lengths[f]));
    for (std::size_t k = 0; k < members.size(); ++k)
      atoms[f + count * k] = static_cast<double>(members[k]);
  }
  const auto extent = static_cast<Extent>(count);
  put_ints("natoms_frag", {extent}, {lengths.begin(), lengths.end()}, job.spec);
  put_ints("watom_frag", {extent, static_cast<Extent>(longest)}, std::move(atoms), job.spec);
}

}  // namespace blockyard::aces::zmat
