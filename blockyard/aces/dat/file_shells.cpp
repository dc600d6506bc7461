// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/file_shells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::aces::dat {
namespace {

/// One value for each shell, or nothing if the file has no such array.
std::span<const std::int32_t> find_ints(const DatFile& file, std::string_view name,
                                        std::size_t shells) {
  const auto found = file.int_arrays.find(name);
  if (found == file.int_arrays.end()) return {};
  if (found->second.values.size() < shells)
    refuse(fmt::format("int array {} has {} values for {} shells", name,
                       found->second.values.size(), shells));
  return found->second.values;
}

/// One value for each shell.
std::span<const std::int32_t> of_shells(const DatFile& file, std::string_view name,
                                        std::size_t shells) {
  if (!file.int_arrays.contains(name)) refuse(fmt::format("no int array {}", name));
  return find_ints(file, name, shells);
}

/// `count` values from place `first` (from 1) on.
std::span<const double> part(std::span<const double> values, std::int32_t first, std::int64_t count,
                             std::string_view name) {
  if (first < 1 || count < 1 || first - 1 > std::ssize(values) - count)
    refuse(fmt::format("a shell wants {} values of {} from place {} on, which has {}", count, name,
                       first, values.size()));
  return values.subspan(static_cast<std::size_t>(first - 1), static_cast<std::size_t>(count));
}

/// Coefficients outside of ccbeg .. ccend of their contraction do not count.
void clear_unused(const DatFile& file, FileShell& shell) {
  const auto first = shell.first_contraction - 1;
  const auto last = first + static_cast<std::int64_t>(shell.contractions());
  const auto begins = find_ints(file, "ccbeg", 0), ends = find_ints(file, "ccend", 0);
  if (first < 0 || last > std::ssize(begins) || last > std::ssize(ends)) return;
  const auto primitives = static_cast<std::int64_t>(shell.exponents.size());
  for (std::int64_t k = first; k < last; ++k)
    for (std::int64_t p = 1; p <= primitives; ++p)
      if (p < begins[static_cast<std::size_t>(k)] || p > ends[static_cast<std::size_t>(k)])
        shell.coefficients[static_cast<std::size_t>((k - first) * primitives + p - 1)] = 0;
}

/// Checks angular momentum and exponents. REQUIRES: all else of the shell is there.
void check_shell(const FileShell& shell, std::size_t number) {
  constexpr int most_momentum = 6;
  if (shell.momentum < 0 || shell.momentum > most_momentum)
    refuse(fmt::format("shell {} has angular momentum {}", number, shell.momentum));
  for (const double exponent : shell.exponents)
    if (!(exponent > 0) || !std::isfinite(exponent))
      refuse(fmt::format("shell {} has the exponent {}", number, exponent));
}

}  // namespace

void refuse(const std::string& what) { throw base::Error(base::Errc::bad_input, what); }

std::span<const double> scalars(const DatFile& file, std::string_view name) {
  const auto found = file.scalar_arrays.find(name);
  if (found == file.scalar_arrays.end()) refuse(fmt::format("no scalar array {}", name));
  return found->second.values;
}

std::int32_t int_constant(const DatFile& file, std::string_view name) {
  const auto found = file.ints.find(name);
  if (found == file.ints.end()) refuse(fmt::format("no int {}", name));
  return found->second;
}

std::size_t shell_count(const DatFile& file) {
  return static_cast<std::size_t>(std::max(0, int_constant(file, "nshells")));
}

Centres::Centres(const DatFile& file, std::size_t shells)
    : positions_(scalars(file, "coords")),
      count_(static_cast<std::size_t>(std::max(0, int_constant(file, "ncenters")))),
      centre_of_(find_ints(file, "atom", shells)) {
  if (count_ == 0 || scalars(file, "charge").size() < count_)
    refuse(
        fmt::format("charge has {} values for {} centres", scalars(file, "charge").size(), count_));
  if (positions_.size() < 3 * count_)
    refuse(fmt::format("coords has {} values for {} centres", positions_.size(), count_));
  if (const auto found = file.scalar_arrays.find("tcoords"); found != file.scalar_arrays.end())
    places_ = found->second.values;
  if (!places_.empty() && places_.size() < 3 * shells)
    refuse(fmt::format("tcoords has {} values for {} shells", places_.size(), shells));
  if (places_.empty() && centre_of_.empty() && count_ > 1)
    refuse("there is neither a scalar array tcoords nor an int array atom: shells have no place");
}

std::size_t Centres::of_shell(std::size_t shell) const {
  std::size_t centre = 0;
  if (!centre_of_.empty()) {
    if (centre_of_[shell] < 1 || static_cast<std::size_t>(centre_of_[shell]) > count_)
      refuse(
          fmt::format("shell {} stands on centre {} of {}", shell + 1, centre_of_[shell], count_));
    centre = static_cast<std::size_t>(centre_of_[shell] - 1);
  }
  if (places_.empty() || is_at(shell, centre)) return centre;
  for (centre = 0; centre < count_; ++centre)
    if (is_at(shell, centre)) return centre;
  refuse(fmt::format("shell {} stands at {} {} {} bohr, which is not the place of any centre",
                     shell + 1, places_[3 * shell], places_[3 * shell + 1],
                     places_[3 * shell + 2]));
}

bool Centres::is_at(std::size_t shell, std::size_t centre) const {
  constexpr double same_bohr = 1e-6;
  for (std::size_t k = 0; k < 3; ++k)
    if (!(std::abs(places_[3 * shell + k] - positions_[3 * centre + k]) < same_bohr)) return false;
  return true;
}

std::vector<FileShell> read_shells(const DatFile& file, const Centres& centres, std::size_t count) {
  const auto momentum = of_shells(file, "ivangmom", count);
  const auto primitives = of_shells(file, "npfps", count);
  const auto contractions = of_shells(file, "ncfps", count);
  const auto exponents_at = find_ints(file, "ixalphas", count);
  const auto coefficients_at = find_ints(file, "ixpcoeffs", count);
  const auto contractions_at = find_ints(file, "indx_cc", count);
  std::vector<FileShell> shells;
  FileShell next;  // where the next one begins if nothing says otherwise
  for (std::size_t s = 0; s < count; ++s) {
    FileShell shell = next;
    if (!exponents_at.empty()) shell.exponents_at = exponents_at[s];
    if (!coefficients_at.empty()) shell.coefficients_at = coefficients_at[s];
    if (!contractions_at.empty()) shell.first_contraction = contractions_at[s];
    shell.centre = centres.of_shell(s);
    shell.momentum = momentum[s];
    shell.exponents = part(scalars(file, "alphas"), shell.exponents_at, primitives[s], "alphas");
    const auto coefficients =
        part(scalars(file, "pcoeffs"), shell.coefficients_at,
             std::int64_t{primitives[s]} * std::max(0, contractions[s]), "pcoeffs");
    shell.coefficients.assign(coefficients.begin(), coefficients.end());
    clear_unused(file, shell);
    check_shell(shell, s + 1);
    next.exponents_at = shell.exponents_at + primitives[s];
    next.coefficients_at = shell.coefficients_at + static_cast<std::int32_t>(coefficients.size());
    next.first_contraction = shell.first_contraction + contractions[s];
    shells.push_back(std::move(shell));
  }
  if (shells.empty()) refuse("there are no shells");
  return shells;
}

}  // namespace blockyard::aces::dat
