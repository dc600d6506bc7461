// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/excited_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "blockyard/qc/single_excitations.h"

namespace blockyard::method {

using worker::DenseArray;

namespace {

constexpr double least_amplitude = 0.1;
constexpr std::size_t most_excitations = 5;

/// Singles of the states, one after the other; empty without the arrays.
struct Amplitudes {
  Extent virtuals = 0;
  Extent occupied = 0;
  std::vector<double> values;
  [[nodiscard]] std::span<const double> of(std::size_t state) const {
    const auto size = static_cast<std::size_t>(virtuals * occupied);
    return std::span(values).subspan(state * size, size);
  }
};

/// Those of CIS as they are, of EOM-CCSD from Davidson's vectors and the coefficients of the
/// states.
Amplitudes amplitudes_of(const ProgramResult& step, std::size_t states) {
  if (const DenseArray* whole = find_array(step, "cis_vectors");
      whole != nullptr && step.name.starts_with("cis"))
    return {whole->extents.at(0), whole->extents.at(1), whole->values};
  const DenseArray* vectors = find_array(step, "vectors");
  const DenseArray* coefficient = find_array(step, "coefficient");
  const auto applied = step.outcome->ints.find("applied");
  if (vectors == nullptr || coefficient == nullptr || applied == step.outcome->ints.end())
    return {};
  Amplitudes result{vectors->extents.at(0), vectors->extents.at(1), {}};
  const auto size = static_cast<std::size_t>(result.virtuals * result.occupied);
  const auto rows = static_cast<std::size_t>(coefficient->extents.at(0));
  result.values.resize(size * states);
  for (std::size_t state = 0; state < states; ++state)
    for (std::size_t v = 0; v < static_cast<std::size_t>(applied->second); ++v)
      for (std::size_t k = 0; k < size; ++k)
        result.values[state * size + k] +=
            coefficient->values[v + state * rows] * vectors->values[v * size + k];
  return result;
}

/// "5", of spin orbitals "5a", "4b": `number` counts active occupied ones or virtual ones.
std::string orbital_name(const Chemistry& chemistry, Extent number, bool is_virtual) {
  const auto count = [&](const Orbitals& o) { return is_virtual ? o.virtual_ : o.active_occupied; };
  const auto before = [&](const Orbitals& o) {
    return o.frozen + (is_virtual ? o.active_occupied : 0);
  };
  if (!chemistry.unrestricted) return fmt::format("{}", before(chemistry.alpha) + number + 1);
  const Extent of_alpha = count(chemistry.alpha);
  return number < of_alpha ? fmt::format("{}a", before(chemistry.alpha) + number + 1)
                           : fmt::format("{}b", before(chemistry.beta) + number - of_alpha + 1);
}

void add_leading(const Chemistry& chemistry, const Amplitudes& amplitudes, Excitations& states) {
  for (std::size_t state = 0; state < states.hartree.size(); ++state) {
    std::vector<LeadingExcitation>& leading = states.leading.emplace_back();
    for (const qc::Excitation& one : qc::leading_excitations(
             amplitudes.of(state), amplitudes.virtuals, least_amplitude, most_excitations))
      leading.push_back({orbital_name(chemistry, one.occupied, false),
                         orbital_name(chemistry, one.virtual_, true), one.amplitude});
  }
}

void add_oscillators(const Chemistry& chemistry, const DenseArray& orbitals,
                     const Amplitudes& amplitudes, Excitations& states) {
  const auto dipoles = qc::orbital_dipoles(chemistry.system.integrals, orbitals.values);
  const Orbitals& parts = chemistry.alpha;
  for (std::size_t state = 0; state < states.hartree.size(); ++state) {
    const qc::Vector3 moment = qc::singlet_transition_dipole(
        amplitudes.of(state), amplitudes.virtuals, parts.frozen,
        parts.frozen + parts.active_occupied, dipoles, orbitals.extents.at(1));
    states.transition_dipoles.push_back(moment);
    states.oscillator.push_back(qc::oscillator_strength(states.hartree[state], moment));
  }
}

/// Moments of transition densities over correlated orbitals, one state after the other.
std::vector<qc::Vector3> moments_of(const DenseArray& densities, std::size_t states, Extent frozen,
                                    const std::array<std::vector<double>, 3>& dipoles,
                                    Extent orbitals) {
  const Extent n = densities.extents.at(0);
  std::vector<qc::Vector3> moments(states);
  for (std::size_t state = 0; state < states; ++state)
    for (Extent q = 0; q < n; ++q)
      for (Extent p = 0; p < n; ++p)
        for (std::size_t axis = 0; axis < 3; ++axis)
          moments[state][axis] +=
              dipoles[axis][static_cast<std::size_t>(frozen + p + (frozen + q) * orbitals)] *
              densities.values[static_cast<std::size_t>(p + q * n) +
                               state * static_cast<std::size_t>(n * n)];
  return moments;
}

/// A moment whose square is the dipole strength of a left and a right moment. An axis alone may
/// have a negative product, where states of one energy are combinations that are not orthogonal;
/// the sum over the axes is the same for all combinations.
qc::Vector3 moment_of(const qc::Vector3& down, const qc::Vector3& up) {
  qc::Vector3 moment{};
  double strength = 0, positive = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double product = down[axis] * up[axis];
    strength += product;
    positive += std::max(0.0, product);
    moment[axis] = std::copysign(std::sqrt(std::max(0.0, product)), down[axis]);
  }
  const double scale = strength > 0 ? std::sqrt(strength / positive) : 0.0;
  for (double& component : moment) component *= scale;
  return moment;
}

/// The left states of EOM-CCSD come with any norm and, of states of one energy, in any combination:
/// `met` is what each meets of each right one. Moments in dipole strengths are products of both.
void add_left_and_right(const Chemistry& chemistry, const DenseArray& orbitals, Extent frozen,
                        const ProgramResult& left, Excitations& states) {
  const DenseArray* to_ground = find_array(left, "left_density");
  const DenseArray* from_ground = find_array(left, "right_density");
  const DenseArray* met = find_array(left, "overlap_of_states");
  if (to_ground == nullptr || from_ground == nullptr || met == nullptr) return;
  const auto dipoles = qc::orbital_dipoles(chemistry.system.integrals, orbitals.values);
  const std::size_t count = states.hartree.size();
  const Extent all = orbitals.extents.at(1);
  std::vector<qc::Vector3> down = moments_of(*to_ground, count, frozen, dipoles, all);
  const std::vector<qc::Vector3> up = moments_of(*from_ground, count, frozen, dipoles, all);
  std::vector<double> overlap(count * count);
  const auto rows = static_cast<std::size_t>(met->extents.at(0));
  for (std::size_t right = 0; right < count; ++right)
    for (std::size_t k = 0; k < count; ++k)
      overlap[k + right * count] = met->values[k + right * rows];
  qc::make_biorthogonal(overlap, down);
  for (std::size_t state = 0; state < count; ++state) {
    const qc::Vector3 moment = moment_of(down[state], up[state]);
    states.transition_dipoles.push_back(moment);
    states.oscillator.push_back(qc::oscillator_strength(states.hartree[state], moment));
  }
}

}  // namespace

void describe_states(const Chemistry& chemistry, std::span<const ProgramResult> results,
                     const ProgramResult& step, Excitations& states) {
  const Amplitudes amplitudes = amplitudes_of(step, states.hartree.size());
  if (amplitudes.values.empty()) return;
  add_leading(chemistry, amplitudes, states);
  const auto triplets = step.outcome->ints.find("triplets");
  const bool is_triplet = triplets != step.outcome->ints.end() && triplets->second != 0;
  if (is_triplet) return;
  const ProgramResult* left = find_step(results, "eom_left");
  const ProgramResult* scf = find_step(results, "scf");
  if (chemistry.unrestricted) {  // correlated spin orbitals: no frozen ones among them
    const DenseArray* both = left == nullptr ? nullptr : find_array(*left, "cmo");
    if (both != nullptr) add_left_and_right(chemistry, *both, 0, *left, states);
    return;
  }
  const DenseArray* orbitals = scf == nullptr ? nullptr : find_array(*scf, "cmo");
  if (orbitals == nullptr) return;
  if (states.key == "cis") add_oscillators(chemistry, *orbitals, amplitudes, states);
  if (states.key == "eom_ccsd" && left != nullptr)
    add_left_and_right(chemistry, *orbitals, chemistry.alpha.frozen, *left, states);
}

}  // namespace blockyard::method
