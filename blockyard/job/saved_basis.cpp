// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/saved_basis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/job/keep.h"

namespace blockyard::job {

using base::Extent;
using worker::DenseArray;

namespace {

constexpr const char* atoms_label = "atoms";
constexpr const char* shells_label = "basis_shells";
constexpr const char* primitives_label = "basis_primitives";
constexpr std::size_t values_of_atom = 5;
constexpr std::size_t values_of_shell = 4;
constexpr std::size_t values_of_primitive = 2;
constexpr int highest_momentum = 10;  // of shells in a file, far beyond what is computed

[[noreturn]] void refuse() {
  throw base::Error(base::Errc::bad_input,
                    "the basis set in the guess file is damaged, or not one of Blockyard's");
}

void append(DenseArray& array, std::span<const double> column) {
  if (array.extents.empty()) array.extents = {std::ssize(column), 0};
  array.values.insert(array.values.end(), column.begin(), column.end());
  ++array.extents[1];
}

std::span<const double> column(const DenseArray& array, std::size_t number, std::size_t length) {
  return std::span(array.values).subspan(number * length, length);
}

/// A number of a file that must be whole and in range.
int whole(double x, int most) {
  if (!(x >= 0 && x <= most) || x != std::floor(x)) refuse();
  return static_cast<int>(x);
}

DenseArray read_columns(const store::PersistReader& reader, const char* label, std::size_t length) {
  DenseArray array = read_dense(reader, label);
  if (array.extents.size() != 2 || array.extents[0] != static_cast<Extent>(length) ||
      array.type != array::ElementType::f64)
    refuse();
  return array;
}

qc::Molecule read_atoms(const store::PersistReader& reader) {
  constexpr int most_protons = 118;
  const DenseArray array = read_columns(reader, atoms_label, values_of_atom);
  qc::Molecule molecule;
  for (std::size_t k = 0; k < static_cast<std::size_t>(array.extents[1]); ++k) {
    const auto values = column(array, k, values_of_atom);
    qc::Atom& atom = molecule.atoms.emplace_back();
    atom.atomic_number = whole(values[0], most_protons);
    atom.core_electrons = whole(values[1], most_protons);
    std::ranges::copy(values.subspan(2), atom.position_bohr.begin());
  }
  return molecule;
}

}  // namespace

std::map<std::string, DenseArray, std::less<>> basis_arrays(const qc::Molecule& molecule,
                                                            const qc::AoBasis& basis) {
  DenseArray atoms, shells, primitives;
  for (const qc::Atom& atom : molecule.atoms)
    append(atoms, std::array<double, values_of_atom>{static_cast<double>(atom.atomic_number),
                                                     static_cast<double>(atom.core_electrons),
                                                     atom.position_bohr[0], atom.position_bohr[1],
                                                     atom.position_bohr[2]});
  for (const qc::Shell& shell : basis.shells) {
    const qc::Contraction& c = shell.contraction;
    append(shells, std::array<double, values_of_shell>{
                       static_cast<double>(shell.atom), static_cast<double>(c.angular_momentum),
                       static_cast<double>(c.exponents.size()), basis.spherical ? 1.0 : 0.0});
    for (std::size_t p = 0; p < c.exponents.size(); ++p)
      append(primitives,
             std::array<double, values_of_primitive>{c.exponents[p], c.coefficients[p]});
  }
  return {{atoms_label, std::move(atoms)},
          {shells_label, std::move(shells)},
          {primitives_label, std::move(primitives)}};
}

std::optional<SavedBasis> read_basis_arrays(const store::PersistReader& reader) {
  const std::vector<std::string> labels = reader.arrays();
  for (const char* label : {atoms_label, shells_label, primitives_label})
    if (std::ranges::find(labels, label) == labels.end()) return std::nullopt;
  SavedBasis saved{read_atoms(reader), {}};
  const DenseArray shells = read_columns(reader, shells_label, values_of_shell);
  const DenseArray primitives = read_columns(reader, primitives_label, values_of_primitive);
  const auto most = static_cast<int>(primitives.extents[1]);
  std::size_t next = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(shells.extents[1]); ++k) {
    const auto values = column(shells, k, values_of_shell);
    qc::Shell& shell = saved.basis.shells.emplace_back();
    shell.atom = static_cast<std::size_t>(
        whole(values[0], static_cast<int>(saved.molecule.atoms.size()) - 1));
    shell.contraction.angular_momentum = whole(values[1], highest_momentum);
    saved.basis.spherical = whole(values[3], 1) == 1;
    const auto end = next + static_cast<std::size_t>(whole(values[2], most));
    if (end > static_cast<std::size_t>(most) || end == next) refuse();
    for (; next < end; ++next) {
      const auto primitive = column(primitives, next, values_of_primitive);
      shell.contraction.exponents.push_back(primitive[0]);
      shell.contraction.coefficients.push_back(primitive[1]);
    }
    shell.first_function = saved.basis.function_count;
    shell.function_count =
        qc::shell_function_count(shell.contraction.angular_momentum, saved.basis.spherical);
    saved.basis.function_count += shell.function_count;
  }
  if (saved.basis.shells.empty()) refuse();
  return saved;
}

bool have_same_functions(const qc::AoBasis& one, const qc::AoBasis& other) {
  return one.spherical == other.spherical &&
         std::ranges::equal(one.shells, other.shells, [](const qc::Shell& a, const qc::Shell& b) {
           return a.atom == b.atom && a.contraction == b.contraction;
         });
}

}  // namespace blockyard::job
