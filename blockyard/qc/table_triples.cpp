// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>

#include "blockyard/qc/detail/operands.h"
#include "blockyard/qc/detail/table_parts.h"
#include "blockyard/qc/triples_energy.h"
#include "blockyard/qc/triples_ranges.h"

// As in table_algebra.cpp.
namespace blockyard::qc {
namespace {

using namespace detail;

/// set_ijk_aaa X, set_ijk_aab X: one item in a row of seven; the row after the last is all -1.
/// Int constants baocc and eaocc: the first and the last occupied segment of the moa range.
void set_ijk(Operands operands, const Context& context, TriplesSpins spins) {
  Operand& list = operands[0];
  if (list.extents.size() != 2 || list.extents[1] < 7) refuse(list, "must have seven columns");
  const auto begin = context.int_constant("baocc");
  const auto end = context.int_constant("eaocc");
  std::vector<Extent> occupied;
  for (auto s = begin; s <= end; ++s)
    occupied.push_back(context.segments->extent(array::IndexKind::moa, s));
  const auto first = context.segments->offset(array::IndexKind::moa, begin);
  auto items = triples_items(occupied, first, spins);
  items.push_back({-1, -1, -1, -1, -1, -1, -1});
  const Extent rows = list.extents[0];
  if (std::ssize(items) > rows) refuse(list, "has too few rows for the work items");
  for (std::size_t row = 0; row < items.size(); ++row)
    for (std::size_t k = 0; k < 7; ++k)
      list.values[row + k * static_cast<std::size_t>(rows)] = static_cast<double>(items[row][k]);
}

void run_set_ijk_aaa(Operands operands, const Context& context) {
  set_ijk(operands, context, TriplesSpins::aaa);
}

void run_set_ijk_aab(Operands operands, const Context& context) {
  set_ijk(operands, context, TriplesSpins::aab);
}

/// Three virtual and three occupied orbitals of a block [x,i,y,j,z,k]; orbitals from 0.
struct TripleBlock {
  TripleBlock(const Operand& block, const Context& context) {
    if (block.extents.size() != 6) refuse(block, "must have six indexes: x, i, y, j, z, k");
    const auto first = first_orbitals(block, context);
    const auto virtual_begin =
        context.segments->offset(array::IndexKind::moa, context.int_constant("bavirt"));
    for (std::size_t n = 0; n < 3; ++n) {
      if (block.extents[2 * n + 1] != 1) refuse(block, "must have single occupied orbitals");
      ranges[n] = {first[2 * n] - virtual_begin, block.extents[2 * n]};
      occupied[n] = first[2 * n + 1];
    }
  }
  std::array<VirtualRange, 3> ranges;
  std::array<Extent, 3> occupied{};
};

/// triples_energy energy w w w w w w (bj|ck) (bi|ck) (bi|cj) t1 fock: W in the orders abc, bca,
/// cab, bac, cba, acb, integrals over all virtual orbitals, whole static t1 and Fock matrix.
void run_triples_energy(Operands operands, const Context& context) {
  constexpr std::size_t first_w = 1;
  constexpr std::size_t first_pair = 7;
  Operand& t1 = operands[10];
  if (t1.extents.size() != 2) refuse(t1, "must be a matrix: virtual, occupied");
  const auto virtual_count = static_cast<std::size_t>(t1.extents[0]);
  Operand& fock = operands[11];
  const std::vector<double> energies = orbital_energies(fock);
  if (energies.size() < virtual_count) refuse(fock, "has fewer orbitals than t1");
  const auto active_begin =
      context.segments->offset(array::IndexKind::moa, context.int_constant("baocc"));
  const TripleBlock triple(operands[first_w], context);
  for (const VirtualRange& range : triple.ranges)
    if (range.first < 0 || range.first + range.count > t1.extents[0])
      refuse(operands[first_w], "has an index beyond the virtual orbitals of t1");
  std::array<std::span<const double>, 6> w;
  for (std::size_t k = 0; k < w.size(); ++k) {
    w[k] = operands[first_w + k].values;
    if (w[k].size() != w[0].size())
      refuse(operands[first_w + k], "must have the size of the first");
  }
  OrbitalTriple orbitals;
  orbitals.virtual_count = t1.extents[0];
  orbitals.virtual_energies = std::span(energies).last(virtual_count);
  for (std::size_t n = 0; n < 3; ++n) {
    const auto column = static_cast<std::size_t>(triple.occupied[n] - active_begin);
    if (column >= static_cast<std::size_t>(t1.extents[1])) refuse(t1, "lacks an occupied orbital");
    if (triple.occupied[n] >= std::ssize(energies)) refuse(fock, "lacks an occupied orbital");
    orbitals.amplitudes[n] = t1.values.subspan(column * virtual_count, virtual_count);
    orbitals.occupied_energy += energies[static_cast<std::size_t>(triple.occupied[n])];
    Operand& pair = operands[first_pair + n];
    if (pair.values.size() != virtual_count * virtual_count)
      refuse(pair, "must be over all virtual orbitals");
    orbitals.pairs[n] = pair.values;
  }
  scalar(operands[0]) += triples_energy(orbitals, triple.ranges, w);
}

}  // namespace

void detail::add_triples(super::Table& table) {
  table.add({"set_ijk_aaa", "w", run_set_ijk_aaa, {"u"}});
  table.add({"set_ijk_aab", "w", run_set_ijk_aab, {"u"}});
  table.add({"triples_energy", "urrrrrrrrrrr", run_triples_energy, {}});
}

}  // namespace blockyard::qc
