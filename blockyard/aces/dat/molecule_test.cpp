// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/molecule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "blockyard/base/error.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/geometry.h"

namespace blockyard::aces::dat {
namespace {

/// HF: a shell of two s contractions and one of p on F, one s on H.
DatFile example() {
  DatFile file;
  file.ints = {{"ncenters", 2},        {"nshells", 3},        {"intspherical", 1},
               {"nalpha_occupied", 5}, {"nbeta_occupied", 5}, {"naos", 6}};
  file.scalar_arrays = {{"charge", {{2}, {9, 1}}},
                        {"coords", {{3, 2}, {0, 0, 0, 0, 0, 1.7}}},
                        {"alphas", {{4}, {3.0, 0.5, 1.5, 0.4}}},
                        {"pcoeffs", {{6}, {0.2, 0.8, 0.0, 1.0, 1.0, 1.0}}}};
  file.int_arrays = {{"atom", {{3}, {1, 1, 2}}},     {"ivangmom", {{3}, {0, 1, 0}}},
                     {"npfps", {{3}, {2, 1, 1}}},    {"ncfps", {{3}, {2, 1, 1}}},
                     {"ixalphas", {{3}, {1, 3, 4}}}, {"ixpcoeffs", {{3}, {1, 5, 6}}}};
  return file;
}

std::string failure(const DatFile& file) {
  try {
    static_cast<void>(read_molecule(file));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DatMolecule, ReadsGeometryAndShells) {
  const auto [molecule, functions] = read_molecule(example());
  EXPECT_EQ(molecule.geometry, "F 0 0 0\nH 0 0 1.7\n");
  EXPECT_EQ(molecule.units, "bohr");
  EXPECT_EQ(molecule.charge, 0);
  EXPECT_EQ(molecule.multiplicity, 1);
  const auto basis = qc::parse_nwchem_basis(functions.text, "x");
  ASSERT_EQ(basis.elements.at(9).size(), 3u);
  EXPECT_EQ(basis.elements.at(9)[0], (qc::Contraction{0, {3.0, 0.5}, {0.2, 0.8}}));
  EXPECT_EQ(basis.elements.at(9)[1], (qc::Contraction{0, {0.5}, {1.0}}));
  EXPECT_EQ(basis.elements.at(9)[2], (qc::Contraction{1, {1.5}, {1.0}}));
}

TEST(DatMolecule, ComputesWhatFollowsFromTheRest) {
  const auto whole = read_molecule(example());
  DatFile file = example();
  file.int_arrays.erase("ixalphas");
  file.int_arrays.erase("ixpcoeffs");
  file.int_arrays.erase("atom");
  EXPECT_EQ(failure(file),
            "there is neither a scalar array tcoords nor an int array atom: shells have no place");
  file.scalar_arrays["tcoords"] = {{3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 1.7}};
  EXPECT_EQ(read_molecule(file), whole);
  complete_molecule(file);
  const auto ints = [&](const char* name) { return file.int_arrays.at(name).values; };
  EXPECT_EQ(ints("atom"), (std::vector<std::int32_t>{1, 1, 2}));
  EXPECT_EQ(ints("ixalphas"), (std::vector<std::int32_t>{1, 3, 4}));
  EXPECT_EQ(ints("ixpcoeffs"), (std::vector<std::int32_t>{1, 5, 6}));
  EXPECT_EQ(ints("indx_cc"), (std::vector<std::int32_t>{1, 3, 4}));
  EXPECT_EQ(ints("ccbeg"), (std::vector<std::int32_t>{1, 2, 1, 1}));
  EXPECT_EQ(ints("ccend"), (std::vector<std::int32_t>{2, 2, 1, 1}));
  EXPECT_EQ(ints("end_nfps"), (std::vector<std::int32_t>{2, 5, 6}));
  EXPECT_EQ(file.ints.at("nalphas"), 4);
  EXPECT_EQ(file.ints.at("npcoeffs"), 6);
  EXPECT_EQ(file.ints.at("n_c_funcs"), 4);
  EXPECT_EQ(file.ints.at("ntotshells"), 3);
}

TEST(DatMolecule, ShellsStandWhereTcoordsSays) {
  DatFile file = example();
  file.int_arrays["atom"].values = {1, 1, 1};
  file.scalar_arrays["tcoords"] = {{3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 1.7}};
  EXPECT_EQ(read_molecule(file), read_molecule(example()));
  file.scalar_arrays["tcoords"].values.back() = 1.6;
  EXPECT_EQ(failure(file), "shell 3 stands at 0 0 1.6 bohr, which is not the place of any centre");
}

TEST(DatMolecule, CountsTheCoefficientsThatTheFileSaysCount) {
  DatFile file = example();
  file.scalar_arrays["pcoeffs"].values[2] = 0.7;  // before ccbeg
  file.int_arrays["indx_cc"] = {{3}, {1, 3, 4}};
  file.int_arrays["ccbeg"] = {{4}, {1, 2, 1, 1}};
  file.int_arrays["ccend"] = {{4}, {2, 2, 1, 1}};
  EXPECT_EQ(read_molecule(file), read_molecule(example()));
}

TEST(DatMolecule, ArraysOfAnotherMoleculeOrBasisAreRefused) {
  DatFile file = example();
  qc::Molecule molecule{{{9, {0, 0, 0}}, {1, {0, 0, 1.7}}}, 0, 1};
  auto set = qc::parse_nwchem_basis(read_molecule(file).second.text, "x");
  const auto check = [&] {
    try {
      check_same_molecule(file, molecule, qc::place_basis(set, molecule, true));
    } catch (const base::Error& error) {
      return std::string(error.what()).substr(0, 47);
    }
    return std::string("the same");
  };
  EXPECT_EQ(check(), "the same");
  set.elements.at(1)[0].exponents[0] += 0.1;
  EXPECT_EQ(check(), "the arrays alphas, coords, ... belong to anothe");
  set = qc::parse_nwchem_basis(read_molecule(file).second.text, "x");
  set.elements.at(9)[0].coefficients[0] += 0.1;
  EXPECT_EQ(check(), "the arrays alphas, coords, ... belong to anothe");
  set.elements.at(9)[0].coefficients = {0.6, 2.4};
  EXPECT_EQ(check(), "the same") << "functions have many norms";
  file.scalar_arrays["charge"].values[0] = 8;
  EXPECT_EQ(check(), "the arrays alphas, coords, ... belong to anothe");
  file = example();
  molecule.atoms[1].position_bohr[2] = 1.8;
  EXPECT_EQ(check(), "the arrays alphas, coords, ... belong to anothe");
}

TEST(DatMolecule, KnowsCoefficientsOfBarePrimitives) {
  DatFile file = example();
  // Norm 1 with bare primitives: (2a/pi)^(3/4) for s, times 2 sqrt(a) for p.
  const auto s = [](double a) { return std::pow(2 * a / std::numbers::pi, 0.75); };
  file.scalar_arrays["pcoeffs"].values = {s(3), 0, 0, s(0.5), 2 * std::sqrt(1.5) * s(1.5), s(0.4)};
  const auto basis = qc::parse_nwchem_basis(read_molecule(file).second.text, "x");
  // The same factor in each coefficient of a contraction does not matter.
  const qc::Contraction& first = basis.elements.at(9)[0];
  EXPECT_EQ(first.exponents, std::vector<double>{3.0});
  file.scalar_arrays["pcoeffs"].values = {
      0.5 * s(3), 0.5 * s(0.5), 0, s(0.5), 2 * std::sqrt(1.5) * s(1.5), s(0.4)};
  // <chi|chi> of 0.5 g1 + 0.5 g2, scaled to 1.
  const double overlap = std::pow(2 * std::sqrt(1.5) / 3.5, 1.5);
  for (std::size_t k = 0; k < 2; ++k)
    file.scalar_arrays["pcoeffs"].values[k] /= std::sqrt(0.5 + 0.5 * overlap);
  const auto mixed = qc::parse_nwchem_basis(read_molecule(file).second.text, "x").elements.at(9)[0];
  EXPECT_NEAR(mixed.coefficients[0], mixed.coefficients[1], 1e-12);
}

TEST(DatMolecule, NamesWhatContradictsItself) {
  EXPECT_EQ(failure(DatFile{}), "no int nshells");
  DatFile file = example();
  file.int_arrays["ixalphas"].values[2] = 5;
  EXPECT_EQ(failure(file), "a shell wants 1 values of alphas from place 5 on, which has 4");
  file = example();
  file.int_arrays["atom"].values[2] = 3;
  EXPECT_EQ(failure(file), "shell 3 stands on centre 3 of 2");
  file = example();
  file.scalar_arrays["charge"].values[1] = 0.5;
  EXPECT_EQ(failure(file).substr(0, 27), "centre 2 has the charge 0.5");
  file = example();
  file.ints["necp_atoms"] = 1;
  EXPECT_EQ(failure(file),
            "necp_atoms or iecp_on promise effective core potentials, but ipseux names no centre");
  file = example();
  file.int_arrays.erase("npfps");
  EXPECT_EQ(failure(file), "no int array npfps");
  file = example();
  file.ints["nshells"] = 4;
  EXPECT_EQ(failure(file), "int array atom has 3 values for 4 shells");
  file = example();
  file.scalar_arrays["alphas"].values[0] = -1;
  EXPECT_EQ(failure(file), "shell 1 has the exponent -1");
}

TEST(DatMolecule, CentresWithoutChargeAreGhosts) {
  DatFile file = example();
  file.scalar_arrays["charge"].values = {0, 1};
  file.ints["nalpha_occupied"] = 1;
  file.ints["nbeta_occupied"] = 0;
  const auto [molecule, basis] = read_molecule(file);
  EXPECT_EQ(molecule.geometry, "Gh(H) 0 0 0\nH 0 0 1.7\n");
  EXPECT_EQ(molecule.charge, 0);
  EXPECT_EQ(molecule.multiplicity, 2);
  // The ghost has the functions of F, the hydrogen its own.
  EXPECT_EQ(qc::parse_nwchem_basis(basis.text, "x").elements.at(1).size(), 3u);
  EXPECT_EQ(qc::parse_nwchem_basis(basis.atoms.at("2").set.text, "x").elements.at(1).size(), 1u);
}

/// Two equal centres with a core of 2 electrons: p local, s less p.
DatFile with_cores() {
  DatFile file = example();
  file.ints["necp_atoms"] = 2;
  file.scalar_arrays["charge"].values = {7, 1};
  file.int_arrays["ipseux"] = {{2}, {1, 1}};
  file.int_arrays["nelecp"] = {{2}, {2, 2}};
  file.int_arrays["llmax"] = {{2}, {1, 1}};
  file.int_arrays["kfirst"] = {{4}, {1, 2, 1, 2}};
  file.int_arrays["klast"] = {{4}, {1, 3, 1, 3}};
  file.int_arrays["nlp"] = {{6}, {1, 0, 2, 1, 0, 2}};
  file.scalar_arrays["clp"] = {{6}, {-3, 6, 42, -4, 7, 43}};
  file.scalar_arrays["zlp"] = {{6}, {4, 17, 5, 3, 16, 6}};
  return file;
}

TEST(DatMolecule, ReadsEffectiveCores) {
  const auto [molecule, basis] = read_molecule(with_cores());
  EXPECT_EQ(molecule.geometry, "F 0 0 0\nLi 0 0 1.7\n");
  EXPECT_EQ(molecule.charge, -2);
  const auto set = qc::parse_nwchem_basis(basis.text, "x");
  EXPECT_EQ(set.cores.at(9),
            (qc::EffectiveCore{2, {{1, {1}, {4}, {-3}}, {0, {0, 2}, {17, 5}, {6, 42}}}}));
  EXPECT_EQ(set.cores.at(3),
            (qc::EffectiveCore{2, {{1, {1}, {3}, {-4}}, {0, {0, 2}, {16, 6}, {7, 43}}}}));
}

TEST(DatMolecule, WritesTheEffectiveCoresThatItReads) {
  const auto [spec, basis] = read_molecule(with_cores());
  const auto set = qc::parse_nwchem_basis(basis.text, "x");
  qc::Molecule molecule{qc::parse_geometry(spec.geometry, qc::LengthUnit::bohr), -2, 1};
  const std::vector<qc::AtomSets> sets(2, qc::AtomSets{&set, &set});
  qc::take_cores(sets, molecule);
  DatFile written;
  write_molecule(molecule, qc::place_basis(sets, molecule, true), written);
  for (const char* name : {"ipseux", "nelecp", "llmax", "kfirst", "klast", "nlp"})
    EXPECT_EQ(written.int_arrays.at(name), with_cores().int_arrays.at(name)) << name;
  for (const char* name : {"clp", "zlp", "charge"})
    EXPECT_EQ(written.scalar_arrays.at(name), with_cores().scalar_arrays.at(name)) << name;
}

TEST(DatMolecule, EffectiveCoresThatContradictThemselvesAreRefused) {
  DatFile file = with_cores();
  file.int_arrays.erase("nlp");
  EXPECT_EQ(failure(file), "the job has effective core potentials, but no array nlp");
  file = with_cores();
  file.int_arrays["klast"].values[3] = 4;
  EXPECT_EQ(failure(file), "a potential of centre 2 has the terms 2 to 4");
  file = with_cores();
  file.int_arrays["llmax"].values[1] = 2;
  EXPECT_EQ(failure(file), "kfirst ends before the potentials of centre 2");
  for (const int momentum : {-1, 8, 1'000'000}) {
    file.int_arrays["llmax"].values[1] = momentum;
    EXPECT_EQ(failure(file).substr(0, 49), "the potential of centre 2 has the angular momentu");
  }
}

TEST(DatMolecule, ReadsEffectiveCoresOfALocalPotentialAlone) {
  DatFile file = with_cores();
  file.int_arrays["llmax"].values = {0, 0};
  file.int_arrays["kfirst"] = {{2}, {1, 1}};
  file.int_arrays["klast"] = {{2}, {1, 1}};
  file.int_arrays["nlp"] = {{2}, {2, 2}};
  file.scalar_arrays["clp"] = {{2}, {-1, -3}};
  file.scalar_arrays["zlp"] = {{2}, {2, 4}};
  const auto set = qc::parse_nwchem_basis(read_molecule(file).second.text, "x");
  EXPECT_EQ(set.cores.at(9), (qc::EffectiveCore{2, {{0, {2}, {2}, {-1}}}}));
  EXPECT_EQ(set.cores.at(3), (qc::EffectiveCore{2, {{0, {2}, {4}, {-3}}}}));
}

}  // namespace
}  // namespace blockyard::aces::dat
