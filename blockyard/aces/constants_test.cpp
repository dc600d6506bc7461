// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/constants.h"

#include <gtest/gtest.h>

#include <map>

namespace blockyard::aces {
namespace {

const input::Places places{"", BLOCKYARD_BASIS_FOLDER, {}};

/// HF in 3-21G: of ACES4's test directory, job second_ccsdpt_test, but for a frozen core and a
/// multiplicity as asked for.
input::Spec hydrogen_fluoride(std::int64_t frozen, std::int64_t multiplicity) {
  input::Spec spec;
  spec.molecule = input::MoleculeSpec{"H 0 0 0\nF 0 0 0.917\n", "", "angstrom", 0, multiplicity};
  spec.basis.name = "3-21g";
  spec.basis.spherical = false;
  spec.method.emplace();
  spec.method->frozen_core = frozen;
  spec.programs = {"scf_rhf.sialx"};
  return spec;
}

AcesConstants constants_of(const input::Spec& spec) {
  return aces_constants(method::read_chemistry(spec, places), *spec.method);
}

TEST(AcesConstants, AreThoseOfItsJobFiles) {
  const auto [ints, scalars] = constants_of(hydrogen_fluoride(0, 1));
  const std::map<std::string, std::int64_t> expected = {
      {"norb", 1},           {"baocc", 1},          {"eaocc", 1},
      {"bavirt", 2},         {"eavirt", 2},         {"bbocc", 1},
      {"ebocc", 1},          {"bbvirt", 2},         {"ebvirt", 2},
      {"bocc", 1},           {"eocc", 1},           {"naocc", 5},
      {"nbocc", 5},          {"bavirtorb", 6},      {"eavirtorb", 11},
      {"bbvirtorb", 6},      {"ebvirtorb", 11},     {"cc_iter", 50},
      {"scf_iter", 150},     {"scf_beg", 2},        {"scf_hist", 6},
      {"diis_start", 2},     {"diis_order", 6},     {"damp_end", 200},
      {"damp_tol", 10},      {"damp_type", 0},      {"fromvar", 0},
      {"guess", 0},          {"iecp_on", 0},        {"intgrl_tol", 14},
      {"intspherical", 0},   {"ipseud", 0},         {"lindep_tol", 8},
      {"lock_orbitals", 0},  {"lock_orbocc", 0},    {"lshft_a1", 0},
      {"lshft_b1", 0},       {"max_shells", 5000},  {"nalpha_occupied", 5},
      {"nalpha_virtual", 6}, {"nbeta_occupied", 5}, {"nbeta_virtual", 6},
      {"natoms", 2},         {"ncenters", 2},       {"nbasis_funcs", 11},
      {"n_c_funcs", 7},      {"necp_atoms", 0},     {"nfrags", 0},
      {"reference", 0},      {"three_natoms", 6},   {"max_ecp_angmom", 0},
      {"max_ecp_prims", 0}};
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(ints.contains(name)) << name;
    EXPECT_EQ(ints.at(name), value) << name;
  }
  EXPECT_EQ(scalars.at("scf_conv"), 1e-7);
  EXPECT_EQ(scalars.at("cc_conv"), 1e-7);
  EXPECT_EQ(scalars.at("damp"), 0.19999998807907104);
  EXPECT_NEAR(scalars.at("nn_repulsion"), 5.19366983751325, 1e-6);  // its bohr is another
  EXPECT_EQ(scalars.at("scfeneg"), 0);
  EXPECT_EQ(scalars.at("totenerg"), 0);
}

TEST(AcesConstants, CountFrozenOrbitalsAsOccupiedOnes) {
  const auto ints = constants_of(hydrogen_fluoride(1, 1)).ints;
  for (const auto& [name, value] : std::map<std::string, int>{{"naocc", 5},
                                                              {"baocc", 2},
                                                              {"eaocc", 2},
                                                              {"bocc", 1},
                                                              {"eocc", 2},
                                                              {"bavirtorb", 6},
                                                              {"naoccorb", 4}})
    EXPECT_EQ(ints.at(name), value) << name;
}

TEST(AcesConstants, OfAnOpenShellTellTheSpinsApart) {
  const auto ints = constants_of(hydrogen_fluoride(0, 3)).ints;
  EXPECT_EQ(ints.at("naocc"), 6);
  EXPECT_EQ(ints.at("nbocc"), 4);
  EXPECT_EQ(ints.at("bbvirtorb"), 5);
  EXPECT_EQ(ints.at("nbeta_virtual"), 7);
  EXPECT_EQ(ints.at("reference"), 1);
}

TEST(AcesConstants, FollowTheOptionsOfTheJob) {
  input::Spec spec = hydrogen_fluoride(0, 1);
  spec.method->ints = {{"roots", 4}, {"scf_guess", 0}, {"scf_iterations", 1}};
  spec.method->scalars = {{"excited_convergence", 1e-9}, {"damping", 0}};
  const auto [ints, scalars] = constants_of(spec);
  EXPECT_EQ(ints.at("eom_roots"), 4);
  EXPECT_EQ(ints.at("eom_subspc"), 12);
  EXPECT_EQ(ints.at("guess"), 1);
  EXPECT_EQ(ints.at("scf_iter"), 1);
  EXPECT_EQ(scalars.at("eom_tol"), 1e-9);
  EXPECT_EQ(scalars.at("damp"), 0);
}

TEST(AcesConstants, TheKindMoHasOurSpinOrbitalsOnlyForProgramsThatAskForThem) {
  program::Program ours, theirs;
  ours.ints = {{"so_eaocc", true, 0, {}}};
  theirs.ints = {{"so_eaocc", false, 0, {}}, {"eaocc", true, 0, {}}};
  EXPECT_TRUE(wants_our_orbitals(ours));
  EXPECT_FALSE(wants_our_orbitals(theirs));
  const method::Chemistry chemistry = method::read_chemistry(hydrogen_fluoride(0, 1), places);
  worker::Environment environment;
  method::add_constants(chemistry, input::MethodSpec{}, environment);
  EXPECT_TRUE(environment.ints.contains("so_eaocc"));
  set_aces_orbitals(chemistry, environment);
  EXPECT_FALSE(environment.ints.contains("so_eaocc"));
  EXPECT_FALSE(environment.ints.contains("correlated_segment"));
  EXPECT_EQ(environment.segments.count(array::IndexKind::mo), 2);
  EXPECT_EQ(environment.segments.extent(array::IndexKind::mo, 1), 5);
}

}  // namespace
}  // namespace blockyard::aces
