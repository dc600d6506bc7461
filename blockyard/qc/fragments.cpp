// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fragments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

using array::DenseArray;
using base::Errc;
using base::Error;

double distance(const DenseArray& coordinates, std::size_t a, std::size_t b) {
  double square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double along = coordinates.values[3 * a + k] - coordinates.values[3 * b + k];
    square += along * along;
  }
  return std::sqrt(square);
}

/// The arrays `coords` and `charge`, for the atoms that are asked for.
class Nuclei {
 public:
  explicit Nuclei(const Context& context)
      : coordinates_(context.predefined_array("coords")),
        charges_(context.predefined_array("charge")) {
    if (coordinates_.values.size() < 3 * charges_.values.size())
      throw Error(Errc::bad_input,
                  "the job's array coords must have three values for each of "
                  "charge");
  }
  [[nodiscard]] double repulsion(std::size_t a, std::size_t b) const {
    return charges_.values[a] * charges_.values[b] / distance(coordinates_, a, b);
  }
  [[nodiscard]] const DenseArray& coordinates() const { return coordinates_; }
  [[nodiscard]] double charge(std::size_t atom) const { return charges_.values[atom]; }

 private:
  const DenseArray& coordinates_;
  const DenseArray& charges_;
};

}  // namespace

std::vector<std::size_t> atoms_of_fragment(const Context& context, double fragment) {
  const DenseArray& counts = context.predefined_array("natoms_frag");
  const DenseArray& atoms = context.predefined_array("watom_frag");
  const DenseArray& charges = context.predefined_array("charge");
  if (!(fragment >= 1.0) || fragment > static_cast<double>(counts.values.size()))
    throw Error(Errc::bad_input,
                fmt::format("no fragment {}: the job has {}", fragment, counts.values.size()));
  const auto row = static_cast<std::size_t>(fragment) - 1;
  const double count = counts.values[row];
  if (atoms.extents.size() != 2 || static_cast<Extent>(row) >= atoms.extents[0] || count < 0 ||
      count > static_cast<double>(atoms.extents[1]))
    throw Error(
        Errc::bad_input,
        fmt::format("the job's array watom_frag does not hold the {} atoms that natoms_frag "
                    "gives to fragment {}",
                    count, fragment));
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const double atom = atoms.values[row + static_cast<std::size_t>(atoms.extents[0]) * k];
    if (!(atom >= 1.0) || atom > static_cast<double>(charges.values.size()))
      throw Error(Errc::bad_input,
                  fmt::format("atom {} of fragment {} is not there: the job has {} atoms", atom,
                              fragment, charges.values.size()));
    result.push_back(static_cast<std::size_t>(atom) - 1);
  }
  return result;
}

double distance_of_fragments(const Context& context, double one, double other) {
  const Nuclei nuclei(context);
  double least = std::numeric_limits<double>::infinity();
  const auto others = atoms_of_fragment(context, other);
  for (const std::size_t a : atoms_of_fragment(context, one))
    for (const std::size_t b : others)
      least = std::min(least, distance(nuclei.coordinates(), a, b));
  return least;
}

double repulsion_in_fragment(const Context& context, double fragment) {
  const Nuclei nuclei(context);
  const auto atoms = atoms_of_fragment(context, fragment);
  double energy = 0.0;
  for (std::size_t b = 0; b < atoms.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) energy += nuclei.repulsion(atoms[a], atoms[b]);
  return energy;
}

double repulsion_of_fragments(const Context& context, double one, double other) {
  if (one == other) return 0.0;
  const Nuclei nuclei(context);
  const auto others = atoms_of_fragment(context, other);
  double energy = 0.0;
  for (const std::size_t a : atoms_of_fragment(context, one))
    for (const std::size_t b : others) energy += nuclei.repulsion(a, b);
  return energy;
}

std::array<double, 3> nuclear_dipole_of_fragment(const Context& context, double fragment) {
  const Nuclei nuclei(context);
  std::array<double, 3> sum{};
  for (const std::size_t atom : atoms_of_fragment(context, fragment))
    for (std::size_t k = 0; k < 3; ++k)
      sum[k] += nuclei.charge(atom) * nuclei.coordinates().values[3 * atom + k];
  return sum;
}

SegmentsOfFragment segments_of_fragment(std::span<const double> owners, double fragment) {
  const auto first = std::ranges::find(owners, fragment);
  if (first == owners.end())
    throw Error(Errc::bad_input, fmt::format("fragment {} has no segments of this kind", fragment));
  const auto last = std::find_if(first, owners.end(), [&](double one) { return one != fragment; });
  return {first - owners.begin() + 1, last - owners.begin()};
}

std::vector<double> owners_of_orbitals(const Context& context) {
  std::vector<double> owners = context.predefined_array("w_frag_aocc").values;
  const auto& virtuals = context.predefined_array("w_frag_avirt").values;
  owners.insert(owners.end(), virtuals.begin(), virtuals.end());
  return owners;
}

Extent elements_of_fragment_before(const Context& context, array::IndexKind kind,
                                   std::span<const double> owners, double fragment,
                                   std::int64_t segment) {
  base::require(context.segments != nullptr, "a run has segments");
  if (segment - 1 > std::ssize(owners) || segment > context.segments->count(kind))
    throw Error(Errc::bad_input,
                fmt::format("the job's arrays give no fragment to segment {}", segment - 1));
  Extent count = 0;
  for (std::int64_t k = 1; k < segment; ++k)
    if (owners[static_cast<std::size_t>(k) - 1] == fragment)
      count += context.segments->extent(kind, k);
  return count;
}

}  // namespace blockyard::qc
