// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/fragments.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "blockyard/array/even_segments.h"
#include "blockyard/base/error.h"
#include "blockyard/method/molecule_in_basis.h"
#include "blockyard/qc/segments.h"

namespace blockyard::aces {
namespace {

using base::Errc;
using base::Error;
using base::Extent;

struct Fragment {
  std::size_t first_atom = 0;
  std::size_t atoms = 0;
  Extent functions = 0;
  Extent occupied = 0;
};

/// Segments of one kind, and of each the fragment, from 1.
struct OwnedSegments {
  std::vector<Extent> extents;
  std::vector<double> owners;
  void append(const std::vector<Extent>& more, std::size_t owner) {
    extents.insert(extents.end(), more.begin(), more.end());
    owners.insert(owners.end(), more.size(), static_cast<double>(owner));
  }
};

/// The fragment of each atom, from 1.
std::vector<std::size_t> owners_of_atoms(const input::Spec& spec, std::size_t atoms) {
  const auto& counts = spec.arrays.at("natoms_frag").values;
  const auto& members = spec.arrays.at("watom_frag");
  std::vector<std::size_t> owners(atoms, 0);
  const std::size_t fragments = counts.size();
  if (members.extents.size() != 2 || members.extents[0] != std::ssize(counts))
    throw Error(Errc::bad_input, "array watom_frag must have the extents [fragments, atoms]");
  for (std::size_t f = 0; f < fragments; ++f)
    for (std::size_t k = 0; static_cast<double>(k) < counts[f]; ++k) {
      const double atom = k < static_cast<std::size_t>(members.extents[1])
                              ? members.values[f + fragments * k]
                              : 0.0;
      if (!(atom >= 1.0) || atom > static_cast<double>(atoms))
        throw Error(Errc::bad_input, fmt::format("fragment {} has no atom {}: the molecule has {}",
                                                 f + 1, atom, atoms));
      std::size_t& owner = owners[static_cast<std::size_t>(atom) - 1];
      if (owner != 0)
        throw Error(Errc::bad_input,
                    fmt::format("atom {} is in fragments {} and {}", atom, owner, f + 1));
      owner = f + 1;
    }
  if (const auto free = std::ranges::find(owners, 0U); free != owners.end())
    throw Error(Errc::bad_input,
                fmt::format("atom {} is in no fragment", free - owners.begin() + 1));
  return owners;
}

std::vector<Fragment> fragments_of(const input::Spec& spec, const method::MoleculeInBasis& placed) {
  const auto& atoms = placed.molecule.atoms;
  const auto owners = owners_of_atoms(spec, atoms.size());
  std::vector<Fragment> fragments(spec.arrays.at("natoms_frag").values.size());
  std::vector<Extent> electrons(fragments.size(), 0);
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    Fragment& fragment = fragments[owners[k] - 1];
    if (fragment.atoms++ == 0) fragment.first_atom = k;
    if (fragment.first_atom + fragment.atoms != k + 1)
      throw Error(Errc::bad_input,
                  fmt::format("the atoms of fragment {} do not stand together: atom {} belongs to "
                              "it, and one before it does not; put them in another order",
                              owners[k], k + 1));
    if (!atoms[k].is_ghost)
      electrons[owners[k] - 1] += atoms[k].atomic_number - atoms[k].core_electrons;
  }
  for (const qc::Shell& shell : placed.basis.shells)
    fragments[owners[shell.atom] - 1].functions += shell.function_count;
  for (std::size_t f = 0; f < fragments.size(); ++f) {
    if (fragments[f].functions == 0)
      throw Error(Errc::bad_input,
                  fmt::format("fragment {} has no atoms with basis functions", f + 1));
    if (electrons[f] % 2 != 0 || electrons[f] / 2 > fragments[f].functions)
      throw Error(Errc::bad_input,
                  fmt::format("fragment {} has {} electrons in {} functions; fragments must be "
                              "neutral closed shells",
                              f + 1, electrons[f], fragments[f].functions));
    fragments[f].occupied = electrons[f] / 2;
  }
  return fragments;
}

/// Segments of the functions on the atoms of one fragment.
std::vector<Extent> ao_segments(const qc::AoBasis& basis, const Fragment& fragment,
                                std::optional<Extent> wanted) {
  qc::AoBasis part;
  for (const qc::Shell& shell : basis.shells)
    if (shell.atom >= fragment.first_atom && shell.atom < fragment.first_atom + fragment.atoms) {
      part.shells.push_back(shell);
      part.shells.back().first_function = part.function_count;
      part.function_count += shell.function_count;
    }
  return qc::segment_shells(part, wanted.value_or(fragment.functions)).extents;
}

template <class Values>
void give_array(const std::string& name, const Values& values, input::Spec& spec) {
  const worker::DenseArray array{{static_cast<Extent>(values.size())},
                                 {values.begin(), values.end()}};
  if (spec.arrays.emplace(name, array).second) spec.int_arrays.insert(name);
}

void give_orbitals(const OwnedSegments& occupied, const OwnedSegments& virtuals,
                   const std::string& letter, input::Spec& spec) {
  const Extent last_occupied = std::ssize(occupied.extents);
  const Extent last = last_occupied + std::ssize(virtuals.extents);
  for (const auto& [name, value] : {std::pair<const char*, Extent>{"b{}occ", 1},
                                    {"e{}occ", last_occupied},
                                    {"b{}virt", last_occupied + 1},
                                    {"e{}virt", last}})
    spec.ints.emplace(fmt::format(fmt::runtime(name), letter), value);
  give_array("w_frag_" + letter + "occ", occupied.owners, spec);
  give_array("w_frag_" + letter + "virt", virtuals.owners, spec);
  std::vector<Extent> extents = occupied.extents;
  extents.insert(extents.end(), virtuals.extents.begin(), virtuals.extents.end());
  spec.segments.extents.emplace(letter == "a" ? array::IndexKind::moa : array::IndexKind::mob,
                                std::move(extents));
}

/// How many segments belong to the first fragment.
Extent of_first(const OwnedSegments& segments) { return std::ranges::count(segments.owners, 1.0); }

void give_constants(const std::vector<Fragment>& fragments, const OwnedSegments& aos,
                    const OwnedSegments& occupied, const OwnedSegments& virtuals,
                    input::Spec& spec) {
  const Extent most = std::ranges::max(fragments, {}, &Fragment::functions).functions;
  const Extent last_occupied = std::ssize(occupied.extents);
  const std::map<std::string, Extent> ints = {{"nfrags", std::ssize(fragments)},
                                              {"max_aoseg", most},
                                              {"max_alphaseg", most},
                                              {"max_betaseg", most},
                                              {"frag1_norb", of_first(aos)},
                                              {"frag1_baocc", 1},
                                              {"frag1_eaocc", of_first(occupied)},
                                              {"frag1_bavirt", last_occupied + 1},
                                              {"frag1_eavirt", last_occupied + of_first(virtuals)}};
  spec.ints.insert(ints.begin(), ints.end());
}

}  // namespace

void add_fragments(const input::Places& places, input::Spec& spec) {
  const bool is_parted =
      spec.molecule && spec.arrays.contains("natoms_frag") && spec.arrays.contains("watom_frag");
  if (!is_parted || spec.programs.empty() || spec.arrays.contains("w_frag_ao")) return;
  if (spec.molecule->charge != 0 || spec.molecule->multiplicity != 1)
    throw Error(Errc::bad_input,
                "the molecule has fragments: they must be neutral closed shells, and so must it");
  if (spec.method && spec.method->frozen_core != 0)
    throw Error(Errc::bad_input, "a molecule in fragments cannot have a frozen core");
  for (const auto kind : {array::IndexKind::ao, array::IndexKind::moa, array::IndexKind::mob})
    if (spec.segments.extents.contains(kind))
      throw Error(Errc::bad_input,
                  "the molecule has fragments, and no segment may belong to two of them: give the "
                  "sizes of segments, or their extents together with arrays w_frag_ao, "
                  "w_frag_aocc, ... that say which fragment each is of");
  const method::MoleculeInBasis placed = method::read_molecule(*spec.molecule, spec.basis, places);
  const std::vector<Fragment> fragments = fragments_of(spec, placed);
  std::vector<std::size_t> by_place(fragments.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  std::ranges::sort(by_place, {}, [&](std::size_t f) { return fragments[f].first_atom; });
  OwnedSegments aos, occupied, virtuals;
  for (const std::size_t f : by_place)
    aos.append(ao_segments(placed.basis, fragments[f], spec.segments.ao), f + 1);
  for (std::size_t f = 0; f < fragments.size(); ++f) {
    const Extent pairs = fragments[f].occupied, others = fragments[f].functions - pairs;
    const auto part = [&](Extent count, std::optional<Extent> wanted) {
      return array::even_segments(count, wanted.value_or(std::max<Extent>(count, 1)));
    };
    occupied.append(part(pairs, spec.segments.occupied), f + 1);
    virtuals.append(part(others, spec.segments.virtual_), f + 1);
  }
  spec.segments.extents.emplace(array::IndexKind::ao, aos.extents);
  give_array("w_frag_ao", aos.owners, spec);
  give_constants(fragments, aos, occupied, virtuals, spec);
  for (const std::string letter : {"a", "b"}) give_orbitals(occupied, virtuals, letter, spec);
}

}  // namespace blockyard::aces
