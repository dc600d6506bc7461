// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/chemistry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "blockyard/base/text.h"
#include "blockyard/job/even_segments.h"
#include "blockyard/job/method_options.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/geometry.h"

namespace blockyard::job {

using base::Errc;
using base::Error;

namespace {

// Extents that keep the contractions of coupled cluster near the speed of the BLAS, and blocks of
// four virtual indexes at a few megabytes.
constexpr Extent usual_ao = 14;
constexpr Extent usual_occupied = 24;
constexpr Extent usual_virtual = 28;

constexpr std::string_view scf = "scf";
constexpr std::string_view mp2 = "mp2";

qc::Molecule read_molecule(const MoleculeSpec& spec) {
  const qc::LengthUnit unit = qc::parse_length_unit(spec.units);
  qc::Molecule molecule;
  molecule.atoms = spec.file.empty() ? qc::parse_geometry(spec.geometry, unit)
                                     : qc::read_geometry(spec.file, unit);
  molecule.charge = base::to_int(spec.charge);
  molecule.multiplicity = base::to_int(spec.multiplicity);
  qc::check_molecule(molecule);
  return molecule;
}

/// Throws unless the method can treat the electrons of the molecule.
void check_shells(const Chemistry& chemistry, const std::string& method) {
  if (chemistry.system.molecule.multiplicity != 1)
    throw Error(
        Errc::bad_input,
        fmt::format("the multiplicity is {}, and so far methods are for closed shells: only "
                    "multiplicity 1",
                    chemistry.system.molecule.multiplicity));
  if (chemistry.virtual_ < 0)
    throw Error(Errc::bad_input, fmt::format("{} electrons do not fit {} basis functions: use a "
                                             "larger basis",
                                             chemistry.electrons,
                                             chemistry.system.integrals.basis().function_count));
  if (method == scf || method.empty()) return;
  if (chemistry.virtual_ == 0 || chemistry.active_occupied == 0)
    throw Error(Errc::bad_input,
                fmt::format("{} has nothing to correlate: there are {} active occupied and {} "
                            "virtual orbitals",
                            method, chemistry.active_occupied, chemistry.virtual_));
}

void count_orbitals(Chemistry& chemistry, const MethodSpec& method) {
  chemistry.electrons = qc::electron_count(chemistry.system.molecule);
  const Extent occupied = chemistry.electrons / 2;
  chemistry.frozen = method.frozen_core.value_or(qc::usual_frozen_core(chemistry.system.molecule));
  if (chemistry.frozen > occupied)
    throw Error(Errc::bad_input, fmt::format("frozen_core = {}, but only {} orbitals are occupied",
                                             chemistry.frozen, occupied));
  chemistry.active_occupied = occupied - chemistry.frozen;
  chemistry.virtual_ = chemistry.system.integrals.basis().function_count - occupied;
}

void part_orbitals(Chemistry& chemistry, const SegmentSpec& segments) {
  const Extent occupied_size = segments.occupied.value_or(usual_occupied);
  const Extent virtual_size =
      segments.virtual_.value_or(automatic_segment(chemistry.virtual_, usual_virtual));
  const auto append = [&](Extent orbitals, Extent at_most) {
    const std::vector<Extent> parts = even_segments(orbitals, at_most);
    chemistry.moa.insert(chemistry.moa.end(), parts.begin(), parts.end());
    return static_cast<Extent>(parts.size());
  };
  chemistry.frozen_segments = append(chemistry.frozen, occupied_size);
  chemistry.occupied_segments = append(chemistry.active_occupied, occupied_size);
  chemistry.virtual_segments = append(chemistry.virtual_, virtual_size);
}

/// Takes the extents that the user gave; no segment may cross the border of a group of orbitals.
void part_orbitals_as_given(Chemistry& chemistry, const std::vector<Extent>& extents) {
  std::size_t next = 0;
  const auto take = [&](Extent orbitals) {
    const std::size_t first = next;
    while (orbitals > 0 && next < extents.size()) orbitals -= extents[next++];
    if (orbitals != 0)
      throw Error(Errc::bad_input,
                  fmt::format("segments of moa must part {} frozen, {} active occupied and {} "
                              "virtual orbitals, and none may cross the border of two: {} do not",
                              chemistry.frozen, chemistry.active_occupied, chemistry.virtual_,
                              fmt::join(extents, ", ")));
    return static_cast<Extent>(next - first);
  };
  chemistry.frozen_segments = take(chemistry.frozen);
  chemistry.occupied_segments = take(chemistry.active_occupied);
  chemistry.virtual_segments = take(chemistry.virtual_);
  const Extent total = std::accumulate(extents.begin(), extents.end(), Extent{0});
  if (total != chemistry.basis_functions())
    throw Error(Errc::bad_input, fmt::format("segments of moa hold {} orbitals, there are {}",
                                             total, chemistry.basis_functions()));
  chemistry.moa = extents;
}

}  // namespace

Chemistry read_chemistry(const Spec& spec, const Places& places) {
  const MethodSpec method = spec.method.value_or(MethodSpec{});
  qc::Molecule molecule = read_molecule(*spec.molecule);
  const qc::BasisSet set = spec.basis.file.empty()
                               ? qc::load_basis(spec.basis.name, places.basis_sets)
                               : qc::read_basis(spec.basis.file);
  qc::AoBasis basis = qc::place_basis(set, molecule, spec.basis.spherical);
  const auto& given = spec.segments.extents;
  const auto ao = given.find(array::IndexKind::ao);
  qc::AoSegments segments = ao != given.end()
                                ? qc::segments_of_extents(basis, ao->second)
                                : qc::segment_shells(basis, spec.segments.ao.value_or(usual_ao));
  Chemistry chemistry{.system = {molecule, qc::Integrals(molecule, basis), std::move(segments)},
                      .basis_name = set.name,
                      .moa = {}};
  count_orbitals(chemistry, method);
  check_shells(chemistry, method.name);
  if (const auto moa = given.find(array::IndexKind::moa); moa != given.end())
    part_orbitals_as_given(chemistry, moa->second);
  else
    part_orbitals(chemistry, spec.segments);
  return chemistry;
}

void add_constants(const Chemistry& chemistry, const MethodSpec& method,
                   worker::Environment& environment) {
  environment.segments.set(array::IndexKind::ao, chemistry.system.segments.extents);
  environment.segments.set(array::IndexKind::moa, chemistry.moa);
  environment.segments.set(array::IndexKind::mob, chemistry.moa);
  const Extent core = chemistry.frozen_segments;
  const Extent occupied = core + chemistry.occupied_segments;
  environment.ints = {{"norb", static_cast<Extent>(chemistry.system.segments.extents.size())},
                      {"baocc", core + 1},
                      {"eaocc", occupied},
                      {"bavirt", occupied + 1},
                      {"eavirt", occupied + chemistry.virtual_segments},
                      {"nalpha_occupied", qc::alpha_count(chemistry.system.molecule)},
                      {"nbeta_occupied", qc::beta_count(chemistry.system.molecule)},
                      {"transform_all", method.name == mp2 ? 0 : 1},
                      {"first_occupied", chemistry.frozen + 1},
                      {"last_occupied", chemistry.frozen + chemistry.active_occupied}};
  for (const MethodOption& option : method_options()) {
    const std::string name(option.key);
    if (option.form == OptionForm::number) {
      const auto given = method.scalars.find(name);
      environment.scalars[name] = given == method.scalars.end() ? option.standard : given->second;
    } else {
      const auto given = method.ints.find(name);
      environment.ints[name] =
          given == method.ints.end() ? static_cast<Extent>(option.standard) : given->second;
    }
  }
}

std::vector<std::string> programs_of_method(const std::string& method) {
  using Programs = std::vector<std::string>;
  static const std::vector<std::pair<std::string, Programs>> methods = {
      {"scf", {"scf_rhf.sial"}},
      {"mp2", {"scf_rhf.sial", "transform_rhf.sial", "mp2_rhf.sial"}},
      {"ccsd", {"scf_rhf.sial", "transform_rhf.sial", "mp2_rhf.sial", "ccsd_rhf.sial"}},
      {"ccsd(t)",
       {"scf_rhf.sial", "transform_rhf.sial", "mp2_rhf.sial", "ccsd_rhf.sial", "triples_rhf.sial"}},
  };
  std::vector<std::string> known;
  for (const auto& [name, programs] : methods) {
    if (name == method) return programs;
    known.push_back(name);
  }
  const std::string nearest = base::nearest_name(method, known);
  throw Error(Errc::bad_input,
              fmt::format("unknown method \"{}\"{}; known are: {}", method,
                          nearest.empty() ? "" : fmt::format(": did you mean \"{}\"?", nearest),
                          fmt::join(known, ", ")));
}

}  // namespace blockyard::job
