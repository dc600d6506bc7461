// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/words.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/orbitals.h"

namespace blockyard::qc {

namespace {

using Powers = std::array<int, 3>;

constexpr std::string_view shell_letters = "spdfgh";

/// 1 3 5 ... n, 1 for n < 1
double odd_product(int n) { return n < 2 ? 1.0 : n * odd_product(n - 2); }

/// <p|p> of r^l exp(-a r^2) with N_p: of a sum of normed primitives with exponents a and b.
double primitive_overlap(int l, double a, double b) {
  return std::pow(2 * std::sqrt(a * b) / (a + b), l + 1.5);
}

/// The factor that makes the norm of a contraction 1.
double norm_factor(const Contraction& c) {
  double square = 0;
  for (std::size_t p = 0; p < c.exponents.size(); ++p)
    for (std::size_t q = 0; q < c.exponents.size(); ++q)
      square += c.coefficients[p] * c.coefficients[q] *
                primitive_overlap(c.angular_momentum, c.exponents[p], c.exponents[q]);
  return 1 / std::sqrt(square);
}

/// Powers of x, y, z in our order: xx, xy, xz, yy, yz, zz.
std::vector<Powers> our_cartesians(int l) {
  std::vector<Powers> result;
  for (int x = l; x >= 0; --x)
    for (int y = l - x; y >= 0; --y) result.push_back({x, y, l - x - y});
  return result;
}

/// Those in the order of the format, as letters.
std::vector<Powers> molden_cartesians(int l) {
  constexpr std::array<std::string_view, 5> orders = {
      "", "x y z", "xx yy zz xy xz yz", "xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz",
      "xxxx yyyy zzzz xxxy xxxz yyyx yyyz zzzx zzzy xxyy xxzz yyzz xxyz yyxz zzxy"};
  if (l == 0) return {{0, 0, 0}};
  if (l >= static_cast<int>(orders.size())) return our_cartesians(l);
  std::vector<Powers> result(1);
  for (const char c : orders[static_cast<std::size_t>(l)])
    if (c == ' ')
      result.emplace_back();
    else
      ++result.back()[static_cast<std::size_t>(c - 'x')];
  return result;
}

/// Where a function of the format comes from among ours of the shell, and its factor.
struct Source {
  Extent function = 0;
  double factor = 1;
};

/// The Cartesian functions of the format have norm 1, ours that of x^l.
std::vector<Source> cartesian_sources(int l) {
  const std::vector<Powers> ours = our_cartesians(l);
  std::vector<Source> sources;
  for (const Powers& powers : molden_cartesians(l)) {
    double square = 1 / odd_product(2 * l - 1);
    for (const int power : powers) square *= odd_product(2 * power - 1);
    sources.push_back({std::ranges::find(ours, powers) - ours.begin(), std::sqrt(square)});
  }
  return sources;
}

/// m = 0, 1, -1, 2, -2, ... of our m = -l ... l.
std::vector<Source> spherical_sources(int l) {
  std::vector<Source> sources = {{l, 1}};
  for (int m = 1; m <= l; ++m) {
    sources.push_back({l + m, 1});
    sources.push_back({l - m, 1});
  }
  return sources;
}

std::vector<Source> sources_of(const Shell& shell, bool spherical) {
  const int l = shell.contraction.angular_momentum;
  return spherical && l > 1 ? spherical_sources(l) : cartesian_sources(l);
}

std::string print_atoms(const Molecule& molecule) {
  std::string text = "[Atoms] AU\n";
  for (std::size_t k = 0; k < molecule.atoms.size(); ++k) {
    const Atom& atom = molecule.atoms[k];
    text += fmt::format("{:<4} {:>4} {:>4} {:>20.12f} {:>20.12f} {:>20.12f}\n",
                        element_symbol(atom.atomic_number), k + 1,
                        atom.is_ghost ? 0 : atom.atomic_number, atom.position_bohr[0],
                        atom.position_bohr[1], atom.position_bohr[2]);
  }
  std::string cores;
  for (std::size_t k = 0; k < molecule.atoms.size(); ++k)
    if (molecule.atoms[k].core_electrons > 0)
      cores += fmt::format("{} : {}\n", k + 1, molecule.atoms[k].core_electrons);
  return cores.empty() ? text : text + "[Core]\n" + cores;
}

std::string print_shells(const AoBasis& basis, std::size_t atoms) {
  std::string text = "[GTO]\n";
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    text += fmt::format("{} 0\n", atom + 1);
    for (const Shell& shell : basis.shells) {
      if (shell.atom != atom) continue;
      const Contraction& c = shell.contraction;
      text += fmt::format(" {} {} 1.00\n",
                          shell_letters.at(static_cast<std::size_t>(c.angular_momentum)),
                          c.exponents.size());
      const double factor = norm_factor(c);
      for (std::size_t p = 0; p < c.exponents.size(); ++p)
        text += fmt::format(" {:>24.14e} {:>24.14e}\n", c.exponents[p], factor * c.coefficients[p]);
    }
    text += '\n';
  }
  return text;
}

std::string print_orbital(const WaveFunction& wave_function, const OrbitalSet& set,
                          std::size_t orbital) {
  const AoBasis& basis = wave_function.basis;
  std::string text =
      fmt::format(" Sym= A\n Ene= {:.12f}\n Spin= {}\n Occup= {:.6f}\n", set.hartree[orbital],
                  set.is_beta ? "Beta" : "Alpha", set.occupations[orbital]);
  const double* c =
      set.coefficients.data() + orbital * static_cast<std::size_t>(basis.function_count);
  Extent number = 0;
  for (const Shell& shell : basis.shells)
    for (const Source& source : sources_of(shell, basis.spherical))
      text += fmt::format("{:>5} {:>22.14f}\n", ++number,
                          source.factor * c[shell.first_function + source.function]);
  return text;
}

}  // namespace

std::string molden_text(const WaveFunction& wave_function) {
  const AoBasis& basis = wave_function.basis;
  for (const Shell& shell : basis.shells)
    if (shell.contraction.angular_momentum >= static_cast<int>(shell_letters.size()))
      throw base::Error(base::Errc::bad_input, "the Molden format has no shells beyond h");
  std::string text =
      fmt::format("[Molden Format]\n[Title]\n {}\n", detail::one_line(wave_function.title));
  text += print_atoms(wave_function.molecule) +
          print_shells(basis, wave_function.molecule.atoms.size());
  if (basis.spherical) text += "[5D]\n[7F]\n[9G]\n[11H]\n";
  text += "[MO]\n";
  for (const OrbitalSet& set : wave_function.orbitals)
    for (std::size_t orbital = 0; orbital < set.hartree.size(); ++orbital)
      text += print_orbital(wave_function, set, orbital);
  return text;
}

}  // namespace blockyard::qc
