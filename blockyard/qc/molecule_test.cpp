// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/molecule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "blockyard/qc/element.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

using testing::error_of;

TEST(Element, symbols_and_numbers_agree) {
  for (int z = 1; z <= heaviest_element; ++z) EXPECT_EQ(atomic_number(element_symbol(z)), z);
  EXPECT_EQ(atomic_number("cl"), 17);
  EXPECT_EQ(atomic_number("8"), 8);
  EXPECT_FALSE(find_element("Xx"));
}

TEST(Element, an_unknown_symbol_is_refused) {
  EXPECT_EQ(error_of([] { (void)atomic_number("Oxygen"); }),
            "'Oxygen' is not an element; write a symbol such as C, or its number");
  EXPECT_EQ(error_of([] { (void)atomic_number("u"); }),
            "'u' is beyond Rn, the heaviest element that is known here");
  EXPECT_EQ(error_of([] { (void)atomic_number("X"); }),
            "'X' is not an element; leave out dummy atoms");
  EXPECT_EQ(error_of([] { (void)atomic_number("Bq"); }),
            "'Bq' is not an element; a ghost atom with the functions of helium is Gh(He)");
  EXPECT_EQ(error_of([] { (void)atomic_number("D"); }),
            "'D' is not an element; write H: energies do not depend on the isotope");
  EXPECT_NE(error_of([] { (void)atomic_number("0"); }), "");
  EXPECT_NE(error_of([] { (void)atomic_number(""); }), "");
}

TEST(Molecule, counts_electrons_by_spin) {
  auto water = testing::molecule_of(testing::water);
  EXPECT_EQ(electron_count(water), 10);
  EXPECT_EQ(alpha_count(water), 5);
  EXPECT_EQ(beta_count(water), 5);
  EXPECT_EQ(usual_frozen_core(water), 1);
  water.charge = 1;
  water.multiplicity = 2;
  check_molecule(water);
  EXPECT_EQ(alpha_count(water), 5);
  EXPECT_EQ(beta_count(water), 4);
}

TEST(Molecule, the_usual_frozen_core_is_what_effective_cores_leave) {
  const auto frozen = [](int z, int core_electrons) {
    return usual_frozen_core({{{.atomic_number = z, .core_electrons = core_electrons}}, 0, 1});
  };
  EXPECT_EQ(frozen(53, 28), 4);  // 4s4p
  EXPECT_EQ(frozen(53, 46), 0);
  EXPECT_EQ(frozen(57, 28), 13);  // 4s4p4d5s5p
  EXPECT_EQ(frozen(78, 60), 4);   // 5s5p, not 4f
  EXPECT_EQ(frozen(82, 78), 0);
}

TEST(Molecule, an_impossible_multiplicity_is_refused) {
  auto water = testing::molecule_of(testing::water);
  water.multiplicity = 2;
  EXPECT_EQ(error_of([&] { check_molecule(water); }),
            "multiplicity 2 is impossible with 10 electrons (charge 0): use 1, 3, 5, ...");
  for (const int impossible : {-1, 0, 4, 13}) {
    water.multiplicity = impossible;
    EXPECT_NE(error_of([&] { check_molecule(water); }), "") << impossible;
  }
  water.multiplicity = 1;
  water.charge = 10;
  EXPECT_EQ(error_of([&] { check_molecule(water); }), "charge 10 leaves the molecule no electron");
}

TEST(Molecule, two_atoms_in_one_place_are_refused) {
  const auto molecule = testing::molecule_of("O 0 0 0\nH 0 0 1\nH 0 0 1.0000001\n");
  EXPECT_EQ(error_of([&] { check_molecule(molecule); }), "atoms 2 (H) and 3 (H) are in one place");
  EXPECT_EQ(
      error_of([&] { (void)nuclear_repulsion(nuclear_charges(molecule), positions(molecule)); }),
      "atoms 2 and 3 are in one place");
}

TEST(Molecule, no_atoms_are_refused) {
  EXPECT_EQ(error_of([] { check_molecule({}); }), "the molecule has no atoms");
}

TEST(NuclearRepulsion, is_the_sum_over_pairs) {
  const std::vector<double> charges = {1.0, 2.0, 3.0};
  const std::vector<Vector3> places = {{0, 0, 0}, {0, 0, 2}, {0, 1.5, 0}};
  EXPECT_DOUBLE_EQ(nuclear_repulsion(charges, places), 2.0 / 2.0 + 3.0 / 1.5 + 6.0 / 2.5);
  EXPECT_EQ(nuclear_repulsion({}, {}), 0.0);
}

TEST(NuclearDipole, is_the_sum_of_charge_times_place) {
  const std::vector<double> charges = {1.0, 2.0};
  const std::vector<Vector3> places = {{1, 0, -1}, {0, 3, 2}};
  EXPECT_EQ(nuclear_dipole(charges, places), (Vector3{1.0, 6.0, 3.0}));
}

}  // namespace
}  // namespace blockyard::qc
