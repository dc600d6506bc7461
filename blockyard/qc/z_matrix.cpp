// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/z_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::qc {

using base::Errc;
using base::Error;

namespace {

Vector3 difference(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector3& a) { return std::hypot(a[0], a[1], a[2]); }
Vector3 scaled(const Vector3& a, double factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor};
}

Error wrong(std::size_t row, std::string_view what) {
  return {Errc::bad_input, fmt::format("row {} of the Z-matrix: {}", row + 1, what)};
}

void check_row(const ZMatrixRow& row, std::size_t number) {
  const std::array references = {row.bond_to, row.angle_to, row.dihedral_to};
  const std::size_t needed = std::min<std::size_t>(number, 3);
  for (std::size_t k = 0; k < needed; ++k) {
    if (references[k] < 0 || references[k] >= static_cast<int>(number))
      throw wrong(number, "it must refer to rows before it");
    if (std::count(references.begin(), references.begin() + needed, references[k]) > 1)
      throw wrong(number, "it refers to one row twice");
  }
  if (number > 0 && !(row.bond_bohr > 0)) throw wrong(number, "the distance must be positive");
}

/// The place at a distance from c, at an angle with b, and turned out of the plane of a, b, c.
Vector3 turned(const ZMatrixRow& row, std::size_t number, const Vector3& a, const Vector3& b,
               const Vector3& c) {
  const Vector3 along = difference(c, b);
  const Vector3 normal = cross(difference(b, a), along);
  if (!(length(normal) > 1e-8 * length(along) * length(difference(b, a))))
    throw wrong(number, "its three references lie on one line: a dummy atom X off it helps");
  const Vector3 u = scaled(along, 1 / length(along));
  const Vector3 n = scaled(normal, 1 / length(normal));
  const Vector3 m = cross(n, u);
  const double in_plane = std::sin(row.angle_radians) * std::cos(row.dihedral_radians);
  const double out_of_plane = std::sin(row.angle_radians) * std::sin(row.dihedral_radians);
  Vector3 place = c;
  for (std::size_t k = 0; k < 3; ++k)
    place[k] += row.bond_bohr *
                (-std::cos(row.angle_radians) * u[k] + in_plane * m[k] + out_of_plane * n[k]);
  return place;
}

Vector3 place(const ZMatrixRow& row, std::size_t number, std::span<const Vector3> places) {
  if (number == 0) return {};
  const Vector3& c = places[static_cast<std::size_t>(row.bond_to)];
  if (number == 1) return {c[0], c[1], c[2] + row.bond_bohr};
  const Vector3& b = places[static_cast<std::size_t>(row.angle_to)];
  if (number > 2)
    return turned(row, number, places[static_cast<std::size_t>(row.dihedral_to)], b, c);
  const double towards = b[2] > c[2] ? 1 : -1;  // both are on the z axis
  return {row.bond_bohr * std::sin(row.angle_radians), 0,
          c[2] + towards * row.bond_bohr * std::cos(row.angle_radians)};
}

}  // namespace

std::vector<Atom> place_z_matrix(std::span<const ZMatrixRow> rows) {
  std::vector<Vector3> places;
  std::vector<Atom> atoms;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    check_row(rows[number], number);
    places.push_back(place(rows[number], number, places));
    if (rows[number].atomic_number > 0)
      atoms.push_back({.atomic_number = rows[number].atomic_number,
                       .position_bohr = places.back(),
                       .is_ghost = rows[number].is_ghost});
  }
  return atoms;
}

}  // namespace blockyard::qc
