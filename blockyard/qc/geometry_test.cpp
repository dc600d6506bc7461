// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/geometry.h"

#include <gtest/gtest.h>

#include <fstream>

#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

using testing::error_of;

std::string error_in(std::string_view text) {
  return error_of([&] { (void)parse_geometry(text, LengthUnit::bohr); });
}

TEST(Geometry, bare_lines_are_read) {
  const auto atoms =
      parse_geometry("\n O 0.0 +1.5 -2e-1 # oxygen\n\nh 1 2 3\r\n", LengthUnit::bohr);
  ASSERT_EQ(atoms.size(), 2U);
  EXPECT_EQ(atoms[0], (Atom{8, {0.0, 1.5, -0.2}}));
  EXPECT_EQ(atoms[1], (Atom{1, {1.0, 2.0, 3.0}}));
}

TEST(Geometry, symbols_may_have_labels_and_be_those_of_ghosts) {
  const auto atoms =
      parse_geometry("O1 0 0 0\nGh(he) 1 0 0\ngh(Ne12) 2 0 0\n10 3 0 0", LengthUnit::bohr);
  ASSERT_EQ(atoms.size(), 4U);
  EXPECT_EQ(name_of(atoms[0]), "O1");
  EXPECT_EQ(atoms[0].charge(), 8);
  EXPECT_EQ(name_of(atoms[1]), "Gh(He)");
  EXPECT_EQ(atoms[1].charge(), 0);
  EXPECT_EQ(name_of(atoms[2]), "Gh(Ne12)");
  EXPECT_EQ(name_of(atoms[3]), "Ne");
  EXPECT_EQ(name_of(parse_geometry("@He2 0 0 0", LengthUnit::bohr).at(0)), "Gh(He2)");
  EXPECT_EQ(error_in("@ 0 0 0").substr(0, 38), "geometry, line 1: '' is not an element");
  EXPECT_EQ(error_in("Gh 0 0 0").substr(0, 40), "geometry, line 1: 'Gh' is not an element");
}

TEST(Geometry, an_xyz_file_is_read_whatever_its_comment_says) {
  const auto atoms = parse_geometry("2\nO 1 2 3 no atom\n8 0 0 0\nH 0 0 1\n\n", LengthUnit::bohr);
  ASSERT_EQ(atoms.size(), 2U);
  EXPECT_EQ(atoms[0].atomic_number, 8);
}

TEST(Geometry, angstrom_become_bohr) {
  const auto atoms = parse_geometry("H 0 0 0.52917721092", LengthUnit::angstrom);
  EXPECT_DOUBLE_EQ(atoms[0].position_bohr[2], 1.0);
}

TEST(Geometry, a_malformed_line_is_named) {
  EXPECT_EQ(error_in("O 0 0 0\nH 0 0"),
            "geometry, line 2: expected a symbol and three coordinates, found 3 words");
  EXPECT_EQ(error_in("O 0 0 zero"), "geometry, line 1: 'zero' is not a number");
  EXPECT_EQ(error_in("O 0 0 nan"), "geometry, line 1: 'nan' is not a number");
  EXPECT_EQ(error_in("O 0 0 1x"), "geometry, line 1: '1x' is not a number");
  EXPECT_EQ(error_in("\nQx 0 0 0").substr(0, 40), "geometry, line 2: 'Qx' is not an element");
  EXPECT_EQ(error_in(" \n"), "the geometry has no atoms: write `symbol x y z`");
}

TEST(Geometry, a_wrong_number_of_atoms_is_named) {
  EXPECT_EQ(error_in("3\n\nO 0 0 0\nH 0 0 1\n"), "geometry, line 1: 3 atoms promised, 2 found");
  EXPECT_EQ(error_in("1\n\nO 0 0 0\nH 0 0 1\n"),
            "geometry, line 4: text after the 1 atoms that line 1 promised");
  EXPECT_EQ(error_in("0\n\n"), "geometry, line 1: 0 is not a number of atoms");
}

TEST(Geometry, errors_in_a_file_name_the_file) {
  const auto path = ::testing::TempDir() + "qc_bad.xyz";
  std::ofstream(path) << "1\n\nO 0 0\n";
  EXPECT_EQ(error_of([&] { (void)read_geometry(path, LengthUnit::bohr); }),
            path + ": geometry, line 3: expected a symbol and three coordinates, found 3 words");
  EXPECT_NE(error_of([] { (void)read_geometry("/no/such.xyz", LengthUnit::bohr); }), "");
}

TEST(Geometry, units_have_names) {
  EXPECT_EQ(parse_length_unit("Angstrom"), LengthUnit::angstrom);
  EXPECT_EQ(parse_length_unit("bohr"), LengthUnit::bohr);
  EXPECT_EQ(error_of([] { (void)parse_length_unit("nm"); }),
            "'nm' is not a unit of length: use angstrom or bohr");
}

TEST(Geometry, VariablesStandForCoordinates) {
  const std::string text = with_variables("O 0 0 h  # r\nH1 0 r -h\n", {{"h", 0.25}, {"r", 1.5}});
  EXPECT_EQ(text, "O 0 0 0.25\nH1 0 1.5 -0.25\n");
}

TEST(Geometry, AVariableThatNoLineUsesIsRefused) {
  EXPECT_THROW((void)with_variables("H 0 0 0\nr 0 0 1\n", {{"r", 1.5}}), base::Error);
}

}  // namespace
}  // namespace blockyard::qc
