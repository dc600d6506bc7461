// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "blockyard/aces/dat/file_shells.h"

namespace blockyard::aces::dat {
namespace {

constexpr std::string_view letters = "SPDFGHIK";  ///< of angular momenta

template <class T>
const std::vector<T>& values_of(const std::map<std::string, Array<T>, std::less<>>& arrays,
                                std::string_view name, std::size_t least) {
  const auto found = arrays.find(name);
  if (found == arrays.end())
    refuse(fmt::format("the job has effective core potentials, but no array {}", name));
  if (found->second.values.size() < least)
    refuse(fmt::format("array {} of effective core potentials has {} values, {} are needed", name,
                       found->second.values.size(), least));
  return found->second.values;
}

std::int32_t int_or_zero(const DatFile& file, std::string_view name) {
  const auto found = file.ints.find(name);
  return found == file.ints.end() ? 0 : found->second;
}

/// The arrays of terms, read from the front.
class Terms {
 public:
  explicit Terms(const DatFile& file)
      : first_(values_of(file.int_arrays, "kfirst", 1)),
        last_(values_of(file.int_arrays, "klast", first_.size())),
        powers_(values_of(file.int_arrays, "nlp", 1)),
        coefficients_(values_of(file.scalar_arrays, "clp", powers_.size())),
        exponents_(values_of(file.scalar_arrays, "zlp", powers_.size())) {}

  /// The parts of the next centre, local one of angular momentum `local` first.
  std::vector<qc::RadialPotential> next(int local, std::size_t centre) {
    std::vector<qc::RadialPotential> parts;
    std::size_t used = 0;
    for (int t = 0; t <= local; ++t, ++part_) {
      if (part_ >= first_.size())
        refuse(fmt::format("kfirst ends before the potentials of centre {}", centre + 1));
      const std::int64_t begin = first_[part_], end = last_[part_];
      if (begin < 1 || end < begin || end > std::ssize(powers_) - static_cast<std::int64_t>(term_))
        refuse(
            fmt::format("a potential of centre {} has the terms {} to {}", centre + 1, begin, end));
      qc::RadialPotential part{t == 0 ? local : t - 1, {}, {}, {}};
      for (std::int64_t k = begin; k <= end; ++k) {
        const std::size_t at = term_ + static_cast<std::size_t>(k - 1);
        part.powers.push_back(powers_[at]);
        part.exponents.push_back(exponents_[at]);
        part.coefficients.push_back(coefficients_[at]);
      }
      parts.push_back(std::move(part));
      used = std::max(used, static_cast<std::size_t>(end));
    }
    term_ += used;
    return parts;
  }

 private:
  const std::vector<std::int32_t>& first_;
  const std::vector<std::int32_t>& last_;
  const std::vector<std::int32_t>& powers_;
  const std::vector<double>& coefficients_;
  const std::vector<double>& exponents_;
  std::size_t part_ = 0;
  std::size_t term_ = 0;
};

}  // namespace

bool is_core_int_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"ipseux", "nelecp", "llmax",
                                                     "kfirst", "klast",  "nlp"};
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::optional<qc::EffectiveCore>> read_cores(const DatFile& file, std::size_t centres) {
  std::vector<std::optional<qc::EffectiveCore>> cores(centres);
  const bool is_promised = int_or_zero(file, "necp_atoms") > 0 || int_or_zero(file, "iecp_on") == 1;
  const auto has = file.int_arrays.find("ipseux");
  const bool is_there =
      has != file.int_arrays.end() && std::ranges::count(has->second.values, 1) > 0;
  if (!is_there) {
    if (is_promised)
      refuse("necp_atoms or iecp_on promise effective core potentials, but ipseux names no centre");
    return cores;
  }
  const auto& marks = values_of(file.int_arrays, "ipseux", centres);
  const auto& electrons = values_of(file.int_arrays, "nelecp", centres);
  const auto& local = values_of(file.int_arrays, "llmax", centres);
  Terms terms(file);
  for (std::size_t centre = 0; centre < centres; ++centre) {
    if (marks[centre] != 1) continue;
    if (local[centre] < 0 || local[centre] >= std::ssize(letters))
      refuse(fmt::format("the potential of centre {} has the angular momentum {}", centre + 1,
                         local[centre]));
    cores[centre] = qc::EffectiveCore{electrons[centre], terms.next(local[centre], centre)};
  }
  return cores;
}

std::string core_text(std::string_view symbol, const qc::EffectiveCore& core) {
  std::string text = fmt::format("{} nelec {}\n", symbol, core.electrons);
  for (const qc::RadialPotential& part : core.parts) {
    if (&part == &core.parts.front())
      text += fmt::format("{} ul\n", symbol);
    else
      text +=
          fmt::format("{} {}\n", symbol, letters[static_cast<std::size_t>(part.angular_momentum)]);
    for (std::size_t k = 0; k < part.powers.size(); ++k)
      text += fmt::format("{} {} {}\n", part.powers[k], part.exponents[k], part.coefficients[k]);
  }
  return text;
}

void write_cores(const qc::Molecule& molecule, const qc::AoBasis& basis, DatFile& file) {
  const auto atoms = molecule.atoms.size();
  std::vector<std::int32_t> marks(atoms, 0), electrons(atoms, 0), local(atoms, 0);
  std::vector<std::int32_t> first, last, powers;
  std::vector<double> coefficients, exponents;
  for (const qc::PlacedCore& placed : basis.cores) {
    marks[placed.atom] = 1;
    electrons[placed.atom] = placed.core.electrons;
    local[placed.atom] = placed.core.parts[0].angular_momentum;
    std::int32_t term = 0;  // in the stretch of this atom
    for (const qc::RadialPotential& part : placed.core.parts) {
      first.push_back(term + 1);
      term += static_cast<std::int32_t>(part.powers.size());
      last.push_back(term);
      powers.insert(powers.end(), part.powers.begin(), part.powers.end());
      coefficients.insert(coefficients.end(), part.coefficients.begin(), part.coefficients.end());
      exponents.insert(exponents.end(), part.exponents.begin(), part.exponents.end());
    }
  }
  const auto size = [](const auto& values) { return std::vector<Extent>{std::ssize(values)}; };
  if (basis.cores.empty()) return;
  file.int_arrays["ipseux"] = {size(marks), marks};
  file.int_arrays["nelecp"] = {size(electrons), electrons};
  file.int_arrays["llmax"] = {size(local), local};
  file.int_arrays["kfirst"] = {size(first), first};
  file.int_arrays["klast"] = {size(last), last};
  file.int_arrays["nlp"] = {size(powers), powers};
  file.scalar_arrays["clp"] = {size(coefficients), coefficients};
  file.scalar_arrays["zlp"] = {size(exponents), exponents};
}

}  // namespace blockyard::aces::dat
