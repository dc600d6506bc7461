// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/chemistry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "blockyard/array/even_segments.h"
#include "blockyard/base/text.h"
#include "blockyard/input/method_options.h"
#include "blockyard/method/methods.h"
#include "blockyard/method/molecule_in_basis.h"
#include "blockyard/qc/basis_set.h"

namespace blockyard::method {

using base::Errc;
using base::Error;

namespace {

// Extents that keep the contractions of coupled cluster near the speed of the BLAS, and blocks of
// four virtual indexes at a few megabytes.
constexpr Extent usual_ao = 14;
constexpr Extent usual_occupied = 24;
constexpr Extent usual_virtual = 28;
constexpr Extent usual_fitting = 64;
constexpr Extent most_stability_steps = 40;
constexpr std::size_t most_of_long = 4;  // usual segments in a long one

/// Throws unless the electrons fit the basis.
void check_shells(const Chemistry& chemistry) {
  if (chemistry.alpha.virtual_ < 0)
    throw Error(Errc::bad_input, fmt::format("{} electrons do not fit {} basis functions: use a "
                                             "larger basis",
                                             chemistry.electrons,
                                             chemistry.system.integrals.basis().function_count));
}

void count_orbitals(Chemistry& chemistry, const input::MethodSpec& method) {
  const qc::Molecule& molecule = chemistry.system.molecule;
  chemistry.electrons = qc::electron_count(molecule);
  const Extent frozen = method.frozen_core.value_or(
      std::min(qc::usual_frozen_core(molecule), qc::beta_count(molecule)));
  const auto count = [&](Extent occupied) {
    if (frozen > occupied)
      throw Error(
          Errc::bad_input,
          fmt::format("frozen_core = {}, but only {} orbitals are occupied", frozen, occupied));
    Orbitals orbitals;
    orbitals.frozen = frozen;
    orbitals.active_occupied = occupied - frozen;
    orbitals.virtual_ = chemistry.system.integrals.basis().function_count - occupied;
    return orbitals;
  };
  chemistry.alpha = count(qc::alpha_count(molecule));
  chemistry.beta = count(qc::beta_count(molecule));
}

void part_orbitals(Orbitals& orbitals, const input::SegmentSpec& segments) {
  const Extent occupied_size = segments.occupied.value_or(usual_occupied);
  const Extent virtual_size =
      segments.virtual_.value_or(array::automatic_segment(orbitals.virtual_, usual_virtual));
  const auto append = [&](Extent count, Extent at_most) {
    const std::vector<Extent> parts = array::even_segments(count, at_most);
    orbitals.segments.insert(orbitals.segments.end(), parts.begin(), parts.end());
    return static_cast<Extent>(parts.size());
  };
  orbitals.frozen_segments = append(orbitals.frozen, occupied_size);
  orbitals.occupied_segments = append(orbitals.active_occupied, occupied_size);
  orbitals.virtual_segments = append(orbitals.virtual_, virtual_size);
}

/// Takes the extents that the user gave; no segment may cross the border of a group of orbitals.
void part_orbitals_as_given(Orbitals& orbitals, array::IndexKind kind,
                            const std::vector<Extent>& extents) {
  const std::string_view name = array::kind_names[static_cast<std::size_t>(kind)];
  std::size_t next = 0;
  const auto take = [&](Extent count) {
    const std::size_t first = next;
    while (count > 0 && next < extents.size()) count -= extents[next++];
    if (count != 0)
      throw Error(Errc::bad_input,
                  fmt::format("segments of {} must part {} frozen, {} active occupied and {} "
                              "virtual orbitals, and none may cross the border of two: {} do not",
                              name, orbitals.frozen, orbitals.active_occupied, orbitals.virtual_,
                              fmt::join(extents, ", ")));
    return static_cast<Extent>(next - first);
  };
  const Extent expected = orbitals.frozen + orbitals.active_occupied + orbitals.virtual_;
  orbitals.frozen_segments = take(orbitals.frozen);
  orbitals.occupied_segments = take(orbitals.active_occupied);
  orbitals.virtual_segments = take(orbitals.virtual_);
  const Extent total = std::accumulate(extents.begin(), extents.end(), Extent{0});
  if (total != expected)
    throw Error(Errc::bad_input, fmt::format("segments of {} hold {} orbitals, there are {}", name,
                                             total, expected));
  orbitals.segments = extents;
}

/// Whether a job with programs of its own says which segments are occupied and which are virtual:
/// then its segments need not be those that we would take.
bool gives_ranges(const input::Spec& spec, const std::string& letter) {
  const auto gives = [&](const std::string& name) { return spec.ints.contains(name); };
  return !spec.programs.empty() && gives("b" + letter + "occ") && gives("e" + letter + "occ") &&
         gives("b" + letter + "virt") && gives("e" + letter + "virt");
}

const input::MethodOption& option_of(std::string_view key) {
  return *input::find_method_option(key);
}

/// An option as the job says it, or as it usually is.
std::int64_t int_of(const input::MethodSpec& method, std::string_view key) {
  const auto given = method.ints.find(std::string(key));
  return given == method.ints.end() ? static_cast<std::int64_t>(option_of(key).standard)
                                    : given->second;
}

double scalar_of(const input::MethodSpec& method, std::string_view key) {
  const auto given = method.scalars.find(std::string(key));
  return given == method.scalars.end() ? option_of(key).standard : given->second;
}

enum class CorrelatedIntegrals { exact, cholesky, df };  // the words of option `integrals`

CorrelatedIntegrals wanted_integrals(const input::MethodSpec& method) {
  if (!method_named(method.name).is_correlated) return CorrelatedIntegrals::exact;
  return static_cast<CorrelatedIntegrals>(int_of(method, "integrals"));
}

enum class Reference { usual, uhf, rohf };  // the words of option `reference`

Reference wanted_reference(const input::MethodSpec& method) {
  return static_cast<Reference>(int_of(method, "reference"));
}

/// Whether each spin has orbitals of its own. Those of a restricted open shell are semicanonical.
bool wants_unrestricted(const input::MethodSpec& method, const qc::Molecule& molecule) {
  const bool is_asked =
      int_of(method, "unrestricted") != 0 || wanted_reference(method) == Reference::uhf;
  const Method& record = method_named(method.name);
  const bool needs_spin_orbitals =
      record.triplets == Triplets::from_spin_orbitals && int_of(method, "triplets") != 0;
  if (is_asked && wanted_reference(method) == Reference::rohf)
    throw Error(Errc::bad_input, "unrestricted = true and reference = \"rohf\" exclude each other");
  const auto wanted_stability = int_of(method, "stability");
  if (wanted_stability == 2 && molecule.multiplicity == 1 && needs_spin_orbitals)
    throw Error(
        Errc::bad_input,
        "stability = \"follow\" and triplets = true exclude each other: triplets are those of "
        "a closed shell, and lower solutions have no closed shells");
  if (wanted_stability == 2 && molecule.multiplicity == 1 && !is_asked)
    throw Error(
        Errc::bad_input,
        "stability = \"follow\" needs unrestricted = true: lower solutions of a closed shell "
        "have orbitals of their own for each spin");
  const bool is_unrestricted = molecule.multiplicity != 1 || is_asked || needs_spin_orbitals;
  if (is_unrestricted && !record.takes_semicanonical && wanted_reference(method) == Reference::rohf)
    throw Error(Errc::bad_input, method.name +
                                     " needs canonical orbitals: reference = \"rohf\" has "
                                     "none");
  return is_unrestricted;
}

/// The part of one kind of orbitals that is correlated, without frozen segments.
std::span<const Extent> part_of(const Orbitals& orbitals, bool is_virtual) {
  const auto active =
      std::span(orbitals.segments).subspan(static_cast<std::size_t>(orbitals.frozen_segments));
  const auto occupied = static_cast<std::size_t>(orbitals.occupied_segments);
  return is_virtual ? active.subspan(occupied) : active.first(occupied);
}

/// Spin orbitals, index kind mo: occupied alpha, occupied beta, virtual alpha, virtual beta, all
/// active. Their int constants are the last segment of each part.
void add_spin_orbitals(const Chemistry& chemistry, worker::Environment& environment) {
  std::vector<Extent> segments;
  for (const bool is_virtual : {false, true})
    for (const Orbitals* orbitals : {&chemistry.alpha, &chemistry.beta}) {
      const auto part = part_of(*orbitals, is_virtual);
      segments.insert(segments.end(), part.begin(), part.end());
      const std::string spin = orbitals == &chemistry.alpha ? "a" : "b";
      environment.ints["so_e" + spin + (is_virtual ? "virt" : "occ")] = std::ssize(segments);
    }
  environment.segments.set(array::IndexKind::mo, segments);
  environment.ints["so_bvirt"] = environment.ints["so_ebocc"] + 1;
  environment.ints["so_occupied"] =
      chemistry.alpha.active_occupied + chemistry.beta.active_occupied;
}

/// Behind the spin orbitals, for closed shells: one segment of all correlated orbitals, one of all
/// virtual ones, and the virtual ones in long segments, of several moa segments each, so that
/// products of their blocks are large.
void add_long_segments(const Orbitals& orbitals, worker::Environment& environment) {
  const auto occupied = part_of(orbitals, false);
  const auto virtuals = part_of(orbitals, true);
  if (virtuals.empty()) return;
  const auto total = [](std::span<const Extent> extents) {
    return std::accumulate(extents.begin(), extents.end(), Extent{0});
  };
  const std::size_t long_count = (virtuals.size() + most_of_long - 1) / most_of_long;
  const std::size_t of_long = (virtuals.size() + long_count - 1) / long_count;
  const auto& usual = environment.segments.extents(array::IndexKind::mo);
  std::vector<Extent> segments(usual.begin(), usual.end());
  auto& ints = environment.ints;
  segments.push_back(total(occupied) + total(virtuals));
  ints["correlated_segment"] = std::ssize(segments);
  segments.push_back(total(virtuals));
  ints["virtual_segment"] = std::ssize(segments);
  ints["first_long_virtual"] = std::ssize(segments) + 1;
  for (std::size_t k = 0; k < virtuals.size(); k += of_long)
    segments.push_back(total(virtuals.subspan(k, std::min(of_long, virtuals.size() - k))));
  ints["last_long_virtual"] = std::ssize(segments);
  ints["segments_of_long"] = static_cast<Extent>(of_long);
  environment.segments.set(array::IndexKind::mo, segments);
}

/// Constants of the orbitals of one spin: baocc, eaocc, bavirt, eavirt for letter a.
void add_ranges(const Orbitals& orbitals, const std::string& letter,
                worker::Environment& environment) {
  const Extent occupied = orbitals.frozen_segments + orbitals.occupied_segments;
  environment.ints["b" + letter + "occ"] = orbitals.frozen_segments + 1;
  environment.ints["e" + letter + "occ"] = occupied;
  environment.ints["b" + letter + "virt"] = occupied + 1;
  environment.ints["e" + letter + "virt"] = occupied + orbitals.virtual_segments;
}

/// Whether orbitals can be turned into each other: else a solution is the only one.
bool has_rotations(const Chemistry& chemistry) {
  const auto rotations = [](const Orbitals& o) {
    return (o.frozen + o.active_occupied) * o.virtual_;
  };
  return rotations(chemistry.alpha) + rotations(chemistry.beta) > 0;
}

void add_options(const input::MethodSpec& method, worker::Environment& environment) {
  for (const input::MethodOption& option : input::method_options()) {
    const std::string name(option.key);
    if (option.form == input::OptionForm::number)
      environment.scalars[name] = scalar_of(method, name);
    else
      environment.ints[name] = int_of(method, name);
  }
}

/// How many vectors the programs for excited states work with. A few states more than wanted are
/// followed, so that none is missed whose energy is lower than it seems at first.
/// Where doubles reorder the single excitations that a method begins with, it takes more of them.
/// Three states are usual, or as many as there are.
void add_excited_states(const Chemistry& chemistry, const input::MethodSpec& spec,
                        worker::Environment& environment) {
  constexpr Extent starts_of_state = 4;
  constexpr Extent rounds = 20;
  constexpr Extent kept_vectors = 8;  // of a state
  const std::string& method = spec.name;
  const Method& record = method_named(method);
  auto& ints = environment.ints;
  // Triplets of a closed shell are half of what its spin orbitals have.
  const Extent singles = ints["triplets"] != 0
                             ? chemistry.alpha.active_occupied * chemistry.alpha.virtual_
                             : chemistry.single_excitations();
  if (record.finds_excited_states && singles == 0)
    throw Error(Errc::bad_input,
                fmt::format("{}: there are no excited states: no active electron has a virtual "
                            "orbital of its spin to go to; use a larger basis",
                            method));
  if (!spec.ints.contains("roots")) ints["roots"] = std::min(ints["roots"], singles);
  const Extent roots = ints["roots"];
  if (record.finds_excited_states && (roots < 1 || roots > singles))
    throw Error(Errc::bad_input,
                fmt::format("roots = {}: there are {} excitations of one electron from the active "
                            "occupied to the virtual orbitals, so 1 to {} roots",
                            roots, singles, singles));
  if (record.triplets == Triplets::refused && ints["triplets"] != 0)
    throw Error(
        Errc::bad_input,
        fmt::format("triplets = true is for cis and eom-ccsd; {} finds singlets only", method));
  if (record.triplets == Triplets::from_spin_orbitals && ints["triplets"] != 0 &&
      chemistry.system.molecule.multiplicity != 1)
    throw Error(
        Errc::bad_input,
        "triplets = true is for closed shells; of an open shell eom-ccsd finds states of all "
        "multiplicities");
  if (ints["oscillator_strengths"] != 0 && !record.moments.empty() && ints["triplets"] != 0)
    throw Error(
        Errc::bad_input,
        "oscillator_strengths = true: those of triplets of a closed shell are zero, for the "
        "ground state is a singlet; leave out one of the two options");
  const Extent followed = record.reorders_states ? 2 * roots + 4 : roots + 2;
  const Extent vectors = std::min(singles, followed);
  ints["excited_vectors"] = vectors;
  ints["excited_space"] = kept_vectors * vectors;
  ints["cis_start"] = std::min(singles, starts_of_state * vectors);
  ints["cis_space"] = ints["cis_start"] + rounds * vectors;
}

}  // namespace

Chemistry read_chemistry(const input::Spec& spec, const input::Places& places) {
  const input::MethodSpec method = spec.method.value_or(input::MethodSpec{});
  const MoleculeInBasis placed = read_molecule(*spec.molecule, spec.basis, places);
  const qc::Molecule& molecule = placed.molecule;
  const qc::AoBasis& basis = placed.basis;
  const CorrelatedIntegrals correlated = wanted_integrals(method);
  qc::BasisSet auxiliary;
  qc::AoBasis placed_auxiliary;
  if (correlated == CorrelatedIntegrals::df) {
    auxiliary = read_auxiliary(spec.basis, places);
    placed_auxiliary = qc::place_auxiliary(auxiliary, molecule);
  }
  const auto& given = spec.segments.extents;
  const auto ao = given.find(array::IndexKind::ao);
  qc::AoSegments segments = ao != given.end()
                                ? qc::segments_of_extents(basis, ao->second)
                                : qc::segment_shells(basis, spec.segments.ao.value_or(usual_ao));
  Chemistry chemistry{.system = {molecule, qc::Integrals(molecule, basis, {}, placed_auxiliary),
                                 std::move(segments)},
                      .basis_name = placed.basis_name,
                      .auxiliary_name = auxiliary.name,
                      .alpha = {},
                      .beta = {}};
  chemistry.unrestricted = wants_unrestricted(method, chemistry.system.molecule);
  count_orbitals(chemistry, method);
  check_shells(chemistry);
  const auto part = [&](array::IndexKind kind, const std::string& letter, Orbitals& orbitals) {
    const auto extents = given.find(kind);
    if (extents == given.end() || gives_ranges(spec, letter))
      part_orbitals(orbitals, spec.segments);
    else
      part_orbitals_as_given(orbitals, kind, extents->second);
  };
  part(array::IndexKind::moa, "a", chemistry.alpha);
  if (chemistry.unrestricted || given.contains(array::IndexKind::mob))
    part(array::IndexKind::mob, "b", chemistry.beta);
  else
    chemistry.beta = chemistry.alpha;
  if (correlated == CorrelatedIntegrals::df)
    chemistry.system.fitting = qc::segment_shells(placed_auxiliary, usual_fitting);
  if (correlated == CorrelatedIntegrals::cholesky)
    chemistry.system.pivots = qc::cholesky_pivots(
        chemistry.system.integrals, scalar_of(method, "cholesky_threshold"),
        spec.run.memory_bytes.value_or(std::numeric_limits<std::int64_t>::max()));
  return chemistry;
}

void add_constants(const Chemistry& chemistry, const input::MethodSpec& method,
                   worker::Environment& environment) {
  environment.segments.set(array::IndexKind::ao, chemistry.system.segments.extents);
  environment.segments.set(array::IndexKind::moa, chemistry.alpha.segments);
  environment.segments.set(array::IndexKind::mob, chemistry.beta.segments);
  const std::vector<Extent> fitting =
      chemistry.system.pivots.empty()
          ? chemistry.system.fitting.extents
          : array::even_segments(std::ssize(chemistry.system.pivots), usual_fitting);
  if (!fitting.empty()) environment.segments.set(array::IndexKind::la, fitting);
  const qc::Molecule& molecule = chemistry.system.molecule;
  const Orbitals& alpha = chemistry.alpha;
  environment.ints = {{"norb", static_cast<Extent>(chemistry.system.segments.extents.size())},
                      {"nalpha_occupied", qc::alpha_count(molecule)},
                      {"nbeta_occupied", qc::beta_count(molecule)},
                      {"integral_kinds", method_named(method.name).integral_kinds},
                      {"first_occupied", alpha.frozen + 1},
                      {"last_occupied", alpha.frozen + alpha.active_occupied}};
  environment.ints["core_potentials"] = chemistry.system.integrals.basis().cores.empty() ? 0 : 1;
  environment.ints["fitting_segments"] = std::max<Extent>(1, std::ssize(fitting));
  add_ranges(alpha, "a", environment);
  add_ranges(chemistry.beta, "b", environment);
  add_spin_orbitals(chemistry, environment);
  if (!chemistry.unrestricted) add_long_segments(alpha, environment);
  add_options(method, environment);
  if (!has_rotations(chemistry)) environment.ints["stability"] = 0;
  environment.ints["stability_steps"] =
      environment.ints["stability"] == 0 ? 1 : most_stability_steps;
  if (environment.ints["four_virtual"] != 0) {
    if (fitting.empty() || chemistry.unrestricted)
      throw Error(Errc::bad_input,
                  "four_virtual = \"recomputed\" needs integrals = \"cholesky\" or \"df\" and a "
                  "closed shell");
    environment.ints["integral_kinds"] =
        std::min<Extent>(3, method_named(method.name).integral_kinds);
  }
  add_excited_states(chemistry, method, environment);
}

}  // namespace blockyard::method
