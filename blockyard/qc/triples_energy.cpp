// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/triples_energy.h"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace blockyard::qc {
namespace {

// Cubes of 16 orbitals at each index: six of W fit the second cache, a row is two cache lines.
constexpr std::size_t tile = 16;
using Row = std::array<double, tile>;
using Square = std::array<Row, tile>;
using Cube = std::array<Square, tile>;  // [c][b][a]

constexpr double beyond = 1e6;  // hartree: the energy of places after the last orbital

/// The orders of w: which of a, b, c (0, 1, 2) stands first, second, third.
constexpr std::array<std::array<std::size_t, 3>, 6> orders = {
    {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}}};

/// A tile of one range.
struct Part {
  std::size_t begin = 0;  // in the range
  std::size_t count = 0;
  std::size_t first = 0;  // virtual orbital
};
using Parts = std::array<Part, 3>;

/// cube = this part of a block of W in one order. Runs along what is contiguous in memory.
void load(std::span<const double> block, const std::array<std::size_t, 3>& order,
          const std::array<VirtualRange, 3>& ranges, const Parts& parts, Cube& cube) {
  constexpr std::array<std::size_t, 3> step = {1, tile, tile * tile};  // of a, b, c in the cube
  const auto [x, y, z] = order;
  const auto rows = static_cast<std::size_t>(ranges[x].count);
  const auto columns = static_cast<std::size_t>(ranges[y].count);
  double* const out = cube.data()->data()->data();
  for (std::size_t kz = 0; kz < parts[z].count; ++kz)
    for (std::size_t ky = 0; ky < parts[y].count; ++ky) {
      const double* from = block.data() + parts[x].begin +
                           rows * (parts[y].begin + ky + columns * (parts[z].begin + kz));
      double* to = out + ky * step[y] + kz * step[z];
      for (std::size_t kx = 0; kx < parts[x].count; ++kx) to[kx * step[x]] = from[kx];
    }
}

/// The part of a matrix over all virtual orbitals whose row is in `row` and whose column is in
/// `column`; [column][row].
Square square_of(std::span<const double> matrix, std::size_t virtual_count, const Part& row,
                 const Part& column) {
  Square square{};
  for (std::size_t c = 0; c < column.count; ++c)
    for (std::size_t r = 0; r < row.count; ++r)
      square[c][r] = matrix[row.first + r + virtual_count * (column.first + c)];
  return square;
}

Square transposed(const Square& from) {
  Square to;
  for (std::size_t r = 0; r < tile; ++r)
    for (std::size_t c = 0; c < tile; ++c) to[c][r] = from[r][c];
  return to;
}

/// One of the three pairs of orbitals, (x.|y.) for all x, y of a, b, c: names say x, then y; those
/// with a have it fastest.
struct Pair {
  Square ab, ba, ac, ca, bc, cb;
  Pair(std::span<const double> matrix, std::size_t virtual_count, const Parts& parts)
      : ab(square_of(matrix, virtual_count, parts[0], parts[1])),
        ba(transposed(square_of(matrix, virtual_count, parts[1], parts[0]))),
        ac(square_of(matrix, virtual_count, parts[0], parts[2])),
        ca(transposed(square_of(matrix, virtual_count, parts[2], parts[0]))),
        bc(square_of(matrix, virtual_count, parts[1], parts[2])),
        cb(transposed(square_of(matrix, virtual_count, parts[2], parts[1]))) {}
};

Row row_of(std::span<const double> values, const Part& part, double otherwise) {
  Row row;
  row.fill(otherwise);
  for (std::size_t k = 0; k < part.count; ++k) row[k] = values[part.first + k];
  return row;
}

/// The weight of one term of the sum: 1 for a > b > c, 1/2 if two are the same, 0 for other
/// orders and where all three are the same: there the sum over the orders is zero.
double weight_of(std::size_t a, std::size_t b, std::size_t c) {
  if (a == b && b == c) return 0.0;
  return a == b || b == c ? 0.5 : 1.0;
}

/// Sums over one tile of a, b, c.
class TileSum {
 public:
  explicit TileSum(const OrbitalTriple& orbitals)
      : orbitals_(orbitals), w_(std::make_unique<std::array<Cube, 6>>()) {}

  double add(const std::array<VirtualRange, 3>& ranges, const Parts& parts,
             const std::array<std::span<const double>, 6>& w) {
    for (std::size_t o = 0; o < 6; ++o) load(w[o], orders[o], ranges, parts, (*w_)[o]);
    const auto count = static_cast<std::size_t>(orbitals_.virtual_count);
    const Pair jk(orbitals_.pairs[0], count, parts);
    const Pair ik(orbitals_.pairs[1], count, parts);
    const Pair ij(orbitals_.pairs[2], count, parts);
    std::array<std::array<Row, 3>, 3> t;  // [i, j, k][a, b, c]
    std::array<Row, 3> energy;
    for (std::size_t x = 0; x < 3; ++x) {
      energy[x] = row_of(orbitals_.virtual_energies, parts[x], beyond);
      for (std::size_t n = 0; n < 3; ++n) t[n][x] = row_of(orbitals_.amplitudes[n], parts[x], 0.0);
    }
    const bool is_ab_same = ranges[0] == ranges[1];
    const bool is_bc_same = ranges[1] == ranges[2];
    Row sum{};
    for (std::size_t c = 0; c < parts[2].count; ++c)
      for (std::size_t b = 0; b < parts[1].count; ++b) {
        const std::size_t b_orbital = parts[1].first + b;
        const std::size_t c_orbital = parts[2].first + c;
        if (is_bc_same && b_orbital < c_orbital) continue;
        Row scale{};
        for (std::size_t a = 0; a < parts[0].count; ++a)
          if (!is_ab_same || parts[0].first + a >= b_orbital)
            scale[a] = weight_of(parts[0].first + a, b_orbital, c_orbital);
        add_row(b, c, jk, ik, ij, t, energy, scale, sum);
      }
    double total = 0.0;
    for (const double value : sum) total += value;
    return total;
  }

 private:
  /// All a of the tile for one b and one c.
  void add_row(std::size_t b, std::size_t c, const Pair& jk, const Pair& ik, const Pair& ij,
               const std::array<std::array<Row, 3>, 3>& t, const std::array<Row, 3>& energy,
               const Row& scale, Row& sum) const {
    const auto& [abc, bca, cab, bac, cba, acb] = *w_;
    const auto& [ti, tj, tk] = t;
    const double gap = orbitals_.occupied_energy - energy[1][b] - energy[2][c];
    const double bi = ti[1][b], bj = tj[1][b], bk = tk[1][b];
    const double ci = ti[2][c], cj = tj[2][c], ck = tk[2][c];
    for (std::size_t a = 0; a < tile; ++a) {
      const double w0 = abc[c][b][a], w1 = bca[c][b][a], w2 = cab[c][b][a];
      const double w3 = bac[c][b][a], w4 = cba[c][b][a], w5 = acb[c][b][a];
      const double ai = ti[0][a], aj = tj[0][a], ak = tk[0][a];
      const double v0 = w0 + ai * jk.bc[c][b] + bj * ik.ac[c][a] + ck * ij.ab[b][a];
      const double v1 = w1 + bi * jk.ca[c][a] + cj * ik.ba[b][a] + ak * ij.bc[c][b];
      const double v2 = w2 + ci * jk.ab[b][a] + aj * ik.cb[c][b] + bk * ij.ca[c][a];
      const double v3 = w3 + bi * jk.ac[c][a] + aj * ik.bc[c][b] + ck * ij.ba[b][a];
      const double v4 = w4 + ci * jk.ba[b][a] + bj * ik.ca[c][a] + ak * ij.cb[c][b];
      const double v5 = w5 + ai * jk.cb[c][b] + cj * ik.ab[b][a] + bk * ij.ac[c][a];
      const double direct = w0 * v0 + w1 * v1 + w2 * v2 + w3 * v3 + w4 * v4 + w5 * v5;
      const double even = w0 + w1 + w2;
      const double odd = w3 + w4 + w5;
      const double cross =
          (even - 2.0 * odd) * (v0 + v1 + v2) + (odd - 2.0 * even) * (v3 + v4 + v5);
      sum[a] += scale[a] * (3.0 * direct + cross) / (gap - energy[0][a]);
    }
  }

  const OrbitalTriple& orbitals_;
  std::unique_ptr<std::array<Cube, 6>> w_;
};

}  // namespace

double triples_energy(const OrbitalTriple& orbitals, const std::array<VirtualRange, 3>& ranges,
                      const std::array<std::span<const double>, 6>& w) {
  TileSum tiles(orbitals);
  const auto part = [&](std::size_t x, std::size_t begin) {
    const auto count = static_cast<std::size_t>(ranges[x].count);
    return Part{begin, std::min(tile, count - begin),
                static_cast<std::size_t>(ranges[x].first) + begin};
  };
  const auto last = [&](std::size_t x, std::size_t before) {
    const auto count = static_cast<std::size_t>(ranges[x].count);
    return ranges[x] == ranges[x - 1] ? std::min(count, before + 1) : count;
  };
  double sum = 0.0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(ranges[0].count); a += tile)
    for (std::size_t b = 0; b < last(1, a); b += tile)
      for (std::size_t c = 0; c < last(2, b); c += tile)
        sum += tiles.add(ranges, {part(0, a), part(1, b), part(2, c)}, w);
  return sum;
}

}  // namespace blockyard::qc
