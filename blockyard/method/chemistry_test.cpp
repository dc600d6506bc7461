// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/chemistry.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/method/methods.h"

namespace blockyard::method {
namespace {

const input::Places places{"", BLOCKYARD_BASIS_FOLDER, {}};

input::Spec water(const std::string& basis, std::optional<std::int64_t> frozen_core = 0) {
  input::Spec spec;
  spec.molecule.emplace().geometry = "O 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n";
  spec.basis.name = basis;
  spec.method.emplace().name = "ccsd";
  spec.method->frozen_core = frozen_core;
  return spec;
}

void expect_error(const input::Spec& spec, const std::string& part) {
  try {
    (void)read_chemistry(spec, places);
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Chemistry, PartsOrbitalsIntoCoreOccupiedAndVirtual) {
  const Chemistry chemistry = read_chemistry(water("cc-pvdz", std::nullopt), places);
  EXPECT_EQ(chemistry.electrons, 10);
  EXPECT_EQ(chemistry.basis_functions(), 24);
  EXPECT_EQ(chemistry.alpha.frozen, 1);
  EXPECT_EQ(chemistry.alpha.segments, (std::vector<Extent>{1, 4, 7, 6, 6}));
  EXPECT_EQ(chemistry.alpha.frozen_segments, 1);
  EXPECT_EQ(chemistry.alpha.occupied_segments, 1);
  EXPECT_EQ(chemistry.alpha.virtual_segments, 3);
}

TEST(Chemistry, TakesWantedSizesOfSegments) {
  input::Spec spec = water("cc-pvdz");
  spec.segments.occupied = 2;
  spec.segments.virtual_ = 10;
  const Chemistry chemistry = read_chemistry(spec, places);
  EXPECT_EQ(chemistry.alpha.segments, (std::vector<Extent>{2, 2, 1, 10, 9}));
}

TEST(Chemistry, TakesSegmentsThatTheUserGives) {
  input::Spec spec = water("cc-pvdz", 1);
  spec.segments.extents[array::IndexKind::moa] = {1, 2, 2, 9, 10};
  const Chemistry chemistry = read_chemistry(spec, places);
  EXPECT_EQ(chemistry.alpha.occupied_segments, 2);
  EXPECT_EQ(chemistry.alpha.virtual_segments, 2);
}

TEST(Chemistry, RefusesSegmentsThatCrossABorderOrDoNotAddUp) {
  input::Spec spec = water("cc-pvdz");
  spec.segments.extents[array::IndexKind::moa] = {4, 10, 10};
  expect_error(spec, "none may cross the border");
  spec.segments.extents[array::IndexKind::moa] = {5, 19, 1};
  expect_error(spec, "25 orbitals, there are 24");
  spec.segments.extents[array::IndexKind::moa] = {5, 10};
  expect_error(spec, "19 virtual");
}

TEST(Chemistry, RefusesWhatTheMethodsCannotTreat) {
  expect_error(water("sto-3g", 6), "only 5 orbitals are occupied");
}

TEST(Chemistry, KnowsWhereNothingIsLeftToCorrelate) {
  EXPECT_FALSE(read_chemistry(water("sto-3g", 5), places).has_excitations());
  EXPECT_EQ(read_chemistry(water("sto-3g", 4), places).single_excitations(), 2);
}

TEST(Chemistry, GivesTheConstantsOfOurPrograms) {
  const input::Spec spec = water("cc-pvdz", 1);
  const Chemistry chemistry = read_chemistry(spec, places);
  input::MethodSpec method = *spec.method;
  method.ints["cc_iterations"] = 9;
  worker::Environment environment;
  add_constants(chemistry, method, environment);
  EXPECT_EQ(environment.ints.at("norb"), environment.segments.count(array::IndexKind::ao));
  EXPECT_EQ(environment.ints.at("baocc"), 2);
  EXPECT_EQ(environment.ints.at("eaocc"), 2);
  EXPECT_EQ(environment.ints.at("bavirt"), 3);
  EXPECT_EQ(environment.ints.at("eavirt"), environment.segments.count(array::IndexKind::moa));
  EXPECT_EQ(environment.ints.at("integral_kinds"), 4);
  EXPECT_EQ(environment.ints.at("cc_iterations"), 9);
  EXPECT_EQ(environment.ints.at("scf_iterations"), 100);
  EXPECT_EQ(environment.scalars.at("cc_energy_convergence"), 1e-9);
}

TEST(Chemistry, PartsTheOrbitalsOfBothSpinsOfAnOpenShell) {
  input::Spec triplet = water("cc-pvdz", 1);
  triplet.molecule->multiplicity = 3;
  const Chemistry chemistry = read_chemistry(triplet, places);
  EXPECT_TRUE(chemistry.unrestricted);
  EXPECT_EQ(chemistry.alpha.active_occupied, 5);
  EXPECT_EQ(chemistry.beta.active_occupied, 3);
  EXPECT_EQ(chemistry.beta.virtual_, 20);
  worker::Environment environment;
  add_constants(chemistry, *triplet.method, environment);
  EXPECT_EQ(environment.ints.at("ebocc"), 2);
  EXPECT_EQ(environment.ints.at("so_eaocc"), 1);
  EXPECT_EQ(environment.ints.at("so_ebocc"), 2);
  EXPECT_EQ(environment.ints.at("so_eavirt"), 5);
  EXPECT_EQ(environment.ints.at("so_ebvirt"), 8);
  EXPECT_EQ(environment.ints.at("so_occupied"), 8);
  EXPECT_EQ(environment.segments.extent(array::IndexKind::mo, 2), 3);
}

TEST(Chemistry, NamesTheNearestMethod) {
  EXPECT_EQ(programs_of_method("ccsd").size(), 4U);
  EXPECT_EQ(programs_of_method("ccsd(t)").back(), "triples_rhf.sial");
  for (const auto& [asked, meant] :
       {std::pair{"ccsd2", "did you mean \"ccsd\"?"}, std::pair{"HF", "did you mean \"scf\"?"},
        std::pair{"uhf", "did you mean \"scf\" with reference = \"uhf\"?"}}) {
    try {
      (void)programs_of_method(asked);
      FAIL();
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find(meant), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace blockyard::method
