// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/core_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/detail/shell_letters.h"
#include "blockyard/qc/detail/words.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc::detail {
namespace {

constexpr int highest_power = 4;
constexpr int highest_core_momentum = 5;  // what libecpint is built for

[[noreturn]] void refuse(const std::string& message) {
  throw base::Error(base::Errc::bad_input, message);
}

}  // namespace

void add_term(std::string_view power, std::string_view exponent, std::string_view coefficient,
              RadialPotential& part) {
  const auto n = parse_integer(power);
  const auto a = parse_real(exponent), c = parse_real(coefficient);
  if (!n || *n < 0 || *n > highest_power || !a || *a <= 0 || !c)
    refuse(
        fmt::format("expected `power exponent coefficient` of a potential, with a power of 0 to 4 "
                    "and a positive exponent, found '{} {} {}'",
                    power, exponent, coefficient));
  part.powers.push_back(static_cast<int>(*n));
  part.exponents.push_back(*a);
  part.coefficients.push_back(*c);
}

void add_part(RadialPotential part, bool is_local, EffectiveCore& core) {
  if (part.powers.empty()) refuse("a potential without terms");
  if (is_local != core.parts.empty())
    refuse("the local potential comes once, before those of s, p, ...");
  if (!is_local && std::ranges::any_of(core.parts, [&](const RadialPotential& other) {
        return &other != &core.parts[0] && other.angular_momentum == part.angular_momentum;
      }))
    refuse(fmt::format("two potentials of l = {}", part.angular_momentum));
  core.parts.push_back(std::move(part));
}

void check_core(int atomic_number, const EffectiveCore& core) {
  if (atomic_number > heaviest_element) return;
  const auto symbol = element_symbol(atomic_number);
  if (core.electrons < 0 || core.electrons % 2 != 0 || core.electrons >= atomic_number)
    refuse(
        fmt::format("an effective core of {} electrons is impossible for {}: they are paired, "
                    "and fewer than the element has",
                    core.electrons, symbol));
  if (core.parts.empty()) refuse(fmt::format("the effective core of {} has no potential", symbol));
  const int local = core.parts[0].angular_momentum;
  for (std::size_t k = 1; k < core.parts.size(); ++k)
    if (core.parts[k].angular_momentum >= local)
      refuse(
          fmt::format("the local potential of {} must be of a higher angular momentum than the "
                      "others",
                      symbol));
  if (local > highest_core_momentum)
    refuse(fmt::format("the effective core of {} has potentials beyond {}: they are not supported",
                       symbol, shell_letters[highest_core_momentum]));
}

void NwchemCoreReader::read_line(const std::vector<std::string_view>& words) {
  if (words.size() == 3 && base::lower(words[1]) == "nelec") {
    finish_part();
    const auto electrons = parse_integer(words[2]);
    if (!electrons || *electrons < 0 || *electrons > last_element)
      refuse(fmt::format("'{}' is not a number of electrons", words[2]));
    cores_[any_atomic_number(words[0])].electrons = static_cast<int>(*electrons);
    return;
  }
  if (words.size() == 2) {
    const auto name = base::lower(words[1]);
    const auto momenta = parse_shell_letters(words[1]);
    finish_part();
    is_local_ = name == "ul";
    if (!is_local_ && (!momenta || momenta->size() != 1))
      refuse(fmt::format("expected `symbol ul` or `symbol s`, found '{}'", words[1]));
    atomic_number_ = any_atomic_number(words[0]);
    if (!cores_.contains(atomic_number_))
      refuse(fmt::format("`{} nelec N` must come before its potentials", words[0]));
    part_.angular_momentum = is_local_ ? 0 : momenta->front();
    return;
  }
  if (words.size() != 3 || atomic_number_ == 0)
    refuse(fmt::format("expected a potential, found '{}'", words[0]));
  add_term(words[0], words[1], words[2], part_);
}

void NwchemCoreReader::finish_part() {
  if (atomic_number_ == 0) return;
  add_part(std::exchange(part_, {}), is_local_, cores_[atomic_number_]);
  atomic_number_ = 0;
}

void NwchemCoreReader::finish() {
  finish_part();
  for (auto& [element, core] : cores_) {
    // The format leaves the angular momentum of the local part out: one above the others.
    int highest = -1;
    for (std::size_t k = 1; k < core.parts.size(); ++k)
      highest = std::max(highest, core.parts[k].angular_momentum);
    if (!core.parts.empty()) core.parts[0].angular_momentum = highest + 1;
    check_core(element, core);
    if (into_.contains(element))
      refuse("an element of this block has an effective core in an earlier one");
    into_[element] = std::move(core);
  }
  cores_.clear();
}

}  // namespace blockyard::qc::detail
