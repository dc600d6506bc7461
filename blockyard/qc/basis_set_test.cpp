// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/basis_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

using testing::error_of;

const BasisSet expected = {
    "x",
    {{1, {{0, {3.0, 0.5}, {0.2, 0.8}}, {0, {0.5}, {1.0}}, {1, {1.5}, {1.0}}}},
     {6, {{0, {2.0}, {-0.1}}, {1, {2.0}, {0.3}}}}}};

TEST(BasisSet, nwchem_format_is_read) {
  EXPECT_EQ(parse_nwchem_basis("# comment\nBASIS \"ao basis\" SPHERICAL PRINT\n"
                               "H    S\n  3.0  0.2  0.0\n  5.0D-01 0.8 1.0\nh p\n 1.5 1.0\n\nC    "
                               "SP\n 2.0 -0.1 0.3\nEND\n",
                               "x")
                .elements,
            expected.elements);
}

TEST(BasisSet, gaussian_format_is_read) {
  EXPECT_EQ(parse_gaussian_basis("! comment\n****\nH 0\nS 2 1.00\n 3.0 0.2\n 0.5D0 0.8\nS 1 1.0\n "
                                 "0.5 1.0\nP 1 1.0\n 1.5 1\n"
                                 "****\nC 0\nSP 1 1.00\n 2.0 -0.1 0.3\n****\n",
                                 "x")
                .elements,
            expected.elements);
}

TEST(BasisSet, json_of_the_exchange_is_read) {
  const auto basis = parse_json_basis(
      R"({"name": "x", "elements": {
        "1": {"electron_shells": [
          {"angular_momentum": [0], "exponents": ["3.0", "5.0E-01"],
           "coefficients": [["0.2", "0.8"], ["0.0", "1.0"]]},
          {"angular_momentum": [1], "exponents": ["1.5"], "coefficients": [["1.0"]]}]},
        "6": {"electron_shells": [
          {"angular_momentum": [0, 1], "exponents": ["2.0"],
           "coefficients": [["-0.1"], ["0.3"]]}]}}})",
      "x");
  EXPECT_EQ(basis.elements, expected.elements);
}

TEST(BasisSet, json_that_makes_no_sense_is_refused_with_the_element) {
  const auto failure = [](std::string_view text) {
    return error_of([&] { (void)parse_json_basis(text, "x"); });
  };
  EXPECT_EQ(failure("{"), "basis set x: this is not JSON");
  EXPECT_EQ(failure("{}"), "basis set x: the object \"elements\" is missing");
  EXPECT_EQ(failure(R"({"elements": {"H": {}}})"),
            "basis set x, element H: \"H\" is not an element");
  EXPECT_EQ(failure(R"({"elements": {"1": {}}})"),
            "basis set x, element 1: the list \"electron_shells\" is missing");
  EXPECT_EQ(failure(R"({"elements": {"3": {"electron_shells": [], "ecp_potentials": []}}})"),
            "basis set x, element 3: \"ecp_potentials\" without \"ecp_electrons\"");
  EXPECT_EQ(failure(R"({"elements": {"3": {"ecp_electrons": 2, "ecp_potentials": []}}})"),
            "basis set x, element 3: the effective core of Li has no potential");
  EXPECT_EQ(failure(R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0],
              "exponents": ["1"], "coefficients": [["1", "2"]]}]}}})"),
            "basis set x, element 1: a contraction needs 1 coefficients");
}

TEST(BasisSet, malformed_lines_are_named) {
  const auto nwchem = [](std::string_view text) {
    return error_of([&] { (void)parse_nwchem_basis(text, "x"); });
  };
  EXPECT_EQ(nwchem("H S\n 1.0"),
            "basis set x, line 2: expected an exponent and its coefficients, found 1 words");
  EXPECT_EQ(nwchem("H S\n 1.0 1.0\n 2.0 one\n"), "basis set x, line 3: 'one' is not a number");
  EXPECT_EQ(nwchem("H S\n 1.0 1.0\n 2.0 1 2\n"),
            "basis set x, line 3: expected an exponent and 1 coefficients, found 3 words");
  EXPECT_EQ(nwchem("H S\n -1.0 1.0\n"), "basis set x, line 2: the exponent -1.0 is not positive");
  EXPECT_EQ(nwchem("H S\nH P\n 1 1\n"), "basis set x, line 2: a shell without primitives");
  EXPECT_EQ(nwchem("H S\n 1 0\n"),
            "basis set x, line 3: a contraction whose coefficients are all 0");
  EXPECT_EQ(nwchem("H SP\n 1 1\n"),
            "basis set x, line 3: an SP shell has 2 coefficients in a line, not 1");
  EXPECT_EQ(nwchem("1.0 1.0\n"), "basis set x, line 1: expected `symbol shell`, found '1.0'");
  EXPECT_EQ(nwchem("Qq S\n 1 1\n").substr(0, 43), "basis set x, line 1: 'Qq' is not an element");
  EXPECT_EQ(nwchem(""), "basis set x holds no element");
  const auto gaussian = [](std::string_view text) {
    return error_of([&] { (void)parse_gaussian_basis(text, "x"); });
  };
  EXPECT_EQ(gaussian("H 0\nS 2 1.0\n 1 1\n"),
            "basis set x, line 4: the last shell lacks 1 primitives");
  EXPECT_EQ(gaussian("H 0\nS two 1.0\n 1 1\n"),
            "basis set x, line 2: expected `shell primitives scale`, found 'S'");
  EXPECT_EQ(gaussian("H 0\nS 1 1.2\n 1 1\n"),
            "basis set x, line 2: scale factor '1.2': only 1.0 is supported");
}

TEST(BasisSet, an_element_described_twice_is_refused) {
  const auto nwchem = [](std::string_view text) {
    return error_of([&] { (void)parse_nwchem_basis(text, "x"); });
  };
  EXPECT_EQ(nwchem("BASIS\nH S\n 1 1\nC S\n 1 1\nH S\n 2 1\nEND\n"), "") << "in one block";
  EXPECT_EQ(nwchem("BASIS\nH S\n 1 1\nEND\nBASIS\nC S\n 1 1\nEND\n"), "");
  EXPECT_EQ(
      nwchem("BASIS\nH S\n 1 1\nEND\nBASIS\nH S\n 2 1\nEND\n"),
      "basis set x, line 6: this element has shells in an earlier block: a file holds one set "
      "for each element");
  EXPECT_EQ(nwchem("H S\n 1 1\nH P\n 1 1\nH S\n 1 1\n"),
            "basis set x, line 7: this shell repeats an earlier one of its element: is the element "
            "there twice?");
  const std::string core = "ECP\nLi nelec 2\nLi ul\n1 1 1\nEND\n";
  EXPECT_EQ(nwchem(core + core),
            "basis set x, line 10: an element of this block has an effective core in an earlier "
            "one");
  EXPECT_EQ(error_of([] {
              (void)parse_gaussian_basis("H 0\nS 1 1\n 1 1\n****\nH 0\nP 1 1\n 1 1\n****\n", "x");
            }),
            "basis set x, line 6: this element has shells in an earlier part: a file holds one set "
            "for each element");
  for (const std::string key : {"1", "01", "+1"})
    EXPECT_EQ(error_of([&] {
                (void)parse_json_basis(R"({"elements": {"1": {"electron_shells": []}, "2":
                  {"electron_shells": []}, ")" +
                                           key + R"(": {"electron_shells": []}}})",
                                       "x");
              }),
              "basis set x: element 1 is there twice");
}

const EffectiveCore core_of_lithium = {
    2, {{1, {1, 2}, {1.5, 0.5}, {-0.7, 0.2}}, {0, {0}, {0.6}, {1.8}}}};

TEST(BasisSet, effective_cores_are_read_in_each_format) {
  const auto nwchem = parse_nwchem_basis(
      "BASIS\nLi S\n 0.5 1\nEND\n\nECP\nLi nelec 2\nli ul\n1 1.5 -0.7\n2 5.0D-1 0.2\nLi S\n"
      "0 0.6 1.8\nEND\n",
      "x");
  EXPECT_EQ(nwchem.cores.at(3), core_of_lithium);
  EXPECT_EQ(nwchem.elements.at(3).size(), 1U);
  const auto gaussian = parse_gaussian_basis(
      "Li 0\nS 1 1.0\n 0.5 1\n****\n\nLi 0\nLI-ECP 1 2\np potential\n 2\n1 1.5 -0.7\n2 0.5 0.2\n"
      "s-p potential\n 1\n0 0.6 1.8\nBe 0\nBE-ECP 0 2\ns potential\n 1\n2 1 1\n",
      "x");
  EXPECT_EQ(gaussian.cores.at(3), core_of_lithium);
  EXPECT_EQ(gaussian.cores.at(4), (EffectiveCore{2, {{0, {2}, {1}, {1}}}}));
  const auto json = parse_json_basis(
      R"({"elements": {"3": {"ecp_electrons": 2, "ecp_potentials": [
        {"angular_momentum": [0], "r_exponents": [0], "gaussian_exponents": ["0.6"],
         "coefficients": [["1.8"]]},
        {"angular_momentum": [1], "r_exponents": [1, 2], "gaussian_exponents": ["1.5", "0.5"],
         "coefficients": [["-0.7", "0.2"]]}]}}})",
      "x");
  EXPECT_EQ(json.cores.at(3), core_of_lithium);
}

TEST(BasisSet, heavier_elements_than_radon_are_left_out) {
  const auto has_only_hydrogen = [](const BasisSet& basis) {
    return basis.elements.size() == 1 && basis.elements.contains(1) && basis.cores.empty();
  };
  EXPECT_TRUE(has_only_hydrogen(parse_nwchem_basis(
      "H S\n 1 1\nU S\n 2 1\nEND\nECP\nU nelec 60\nU ul\n2 1 1\nU S\n2 1 1\nEND\n", "x")));
  EXPECT_TRUE(has_only_hydrogen(
      parse_gaussian_basis("H 0\nS 1 1.0\n 1 1\n****\nRg 0\nS 1 1.0\n 2 1\n****\n\n"
                           "Rg 0\nRG-ECP 0 92\ns potential\n 1\n2 1 1\n",
                           "x")));
  const std::string shells = R"({"electron_shells": [
      {"angular_momentum": [0], "exponents": ["1"], "coefficients": [["1"]]}]})";
  EXPECT_TRUE(has_only_hydrogen(
      parse_json_basis(R"({"elements": {"1": )" + shells + R"(, "118": )" + shells + "}}", "x")));
}

TEST(BasisSet, a_file_may_say_that_its_functions_are_cartesian) {
  EXPECT_FALSE(parse_nwchem_basis("BASIS \"ao basis\" SPHERICAL\nH S\n 1 1\n", "x").says_cartesian);
  EXPECT_TRUE(parse_nwchem_basis("BASIS \"ao basis\" CARTESIAN\nH S\n 1 1\n", "x").says_cartesian);
  EXPECT_TRUE(parse_json_basis(R"({"elements": {"1": {"electron_shells": [
      {"function_type": "gto_cartesian", "angular_momentum": [2], "exponents": ["1"],
       "coefficients": [["1"]]}]}}})",
                               "x")
                  .says_cartesian);
}

TEST(BasisSet, malformed_effective_cores_are_named) {
  const auto nwchem = [](std::string_view text) {
    return error_of([&] { (void)parse_nwchem_basis(text, "x"); });
  };
  EXPECT_EQ(nwchem("ECP\nLi ul\n1 1 1\n"),
            "basis set x, line 2: `Li nelec N` must come before its potentials");
  EXPECT_EQ(nwchem("ECP\nLi nelec 2\nLi S\n0 1 1\nEND\n"),
            "basis set x, line 5: the local potential comes once, before those of s, p, ...");
  EXPECT_EQ(nwchem("ECP\nLi nelec 2\nLi ul\n5 1 1\nEND\n"),
            "basis set x, line 4: expected `power exponent coefficient` of a potential, with a "
            "power of 0 to 4 and a positive exponent, found '5 1 1'");
  EXPECT_EQ(nwchem("ECP\nLi nelec 2\nLi ul\n2 1 1\nLi s\n2 1 1\nLi s\n2 1 1\nEND\n"),
            "basis set x, line 9: two potentials of l = 0");
  EXPECT_EQ(nwchem("ECP\nLi nelec 4\nLi ul\n2 1 1\nEND\n"),
            "basis set x, line 5: an effective core of 4 electrons is impossible for Li: they are "
            "paired, and fewer than the element has");
  EXPECT_EQ(nwchem("ECP\nXe nelec 28\nXe ul\n2 1 1\nXe h\n2 1 1\nEND\n"),
            "basis set x, line 7: the effective core of Xe has potentials beyond h: they are not "
            "supported");
  EXPECT_EQ(error_of([] { (void)parse_gaussian_basis("Li 0\nLI-ECP 1 2\np\n 1\n2 1 1\n", "x"); }),
            "basis set x, line 6: the last effective core lacks 1 potentials");
}

TEST(BasisSet, sets_beyond_krypton_come_with_their_effective_cores) {
  const auto cores = [](std::string_view name, int z) {
    return load_basis(name, testing::data_folder).cores.at(z).electrons;
  };
  EXPECT_EQ(cores("def2-svp", 53), 28);
  EXPECT_EQ(cores("def2-qzvp", 79), 60);
  EXPECT_EQ(cores("LANL2DZ", 53), 46);
  EXPECT_EQ(cores("sbkjc", 17), 10);
  EXPECT_EQ(cores("cc-pvdz-pp", 53), 28);
  EXPECT_FALSE(load_basis("def2-svp", testing::data_folder).cores.contains(36));
}

TEST(BasisSet, every_known_set_holds_hydrogen_to_argon) {
  for (const auto name : known_basis_names()) {
    // Made for heavy elements, and for those with a core
    if (name.ends_with("-PP") || name == "LANL2DZ") continue;
    const auto basis = load_basis(name, testing::data_folder);
    std::set<int> unpublished;
    if (name.find("++") != std::string_view::npos) unpublished = {2};
    if (name.starts_with("cc-pwCV")) unpublished = {3, 4, 11, 12};
    const int last = name == "6-311G(2df,2pd)" ? 10 : name == "6-311++G(3df,3pd)" ? 17 : 18;
    for (int z = 1; z <= last; ++z)
      EXPECT_TRUE(basis.elements.contains(z) || unpublished.contains(z)) << name << " " << z;
  }
}

TEST(BasisSet, every_auxiliary_set_goes_with_an_orbital_set) {
  for (const auto name : known_auxiliary_names()) {
    const auto set = load_auxiliary(name, testing::data_folder);
    const auto orbital = load_basis(name.substr(0, name.rfind('-')), testing::data_folder);
    EXPECT_EQ(load_auxiliary(orbital.name, testing::data_folder).name, name);
    const auto highest = [](const BasisSet& of, int z) {
      return std::ranges::max(of.elements.at(z), {}, &Contraction::angular_momentum)
          .angular_momentum;
    };
    for (const int z : {1, 6, 8, 17}) EXPECT_GE(highest(set, z), highest(orbital, z)) << name << z;
  }
  const auto message = error_of([] { (void)load_auxiliary("6-31G*", testing::data_folder); });
  EXPECT_NE(message.find("unknown basis set '6-31G*-RIFIT'"), std::string::npos) << message;
  EXPECT_NE(message.find("def2-SVP-RIFIT"), std::string::npos) << message;
}

TEST(BasisSet, names_do_not_know_case_and_have_other_spellings) {
  EXPECT_EQ(load_basis("6-31G(d)", testing::data_folder).name, "6-31G*");
  EXPECT_EQ(load_basis("6-31g(d,p)", testing::data_folder).name, "6-31G**");
  EXPECT_EQ(load_basis("CC-PVDZ", testing::data_folder).name, "cc-pVDZ");
}

TEST(BasisSet, light_elements_of_some_sets_come_from_others) {
  const auto functions = [](std::string_view name, int z) {
    return load_basis(name, testing::data_folder).elements.at(z);
  };
  EXPECT_EQ(functions("jul-cc-pVDZ", 1), functions("cc-pVDZ", 1));
  EXPECT_EQ(functions("jul-cc-pVDZ", 8), functions("aug-cc-pVDZ", 8));
  EXPECT_EQ(functions("jul-cc-pV(T+d)Z", 16), functions("aug-cc-pV(T+d)Z", 16));
  EXPECT_EQ(functions("aug-cc-pCVTZ", 1), functions("aug-cc-pVTZ", 1));
  EXPECT_EQ(functions("aug-cc-pCVTZ", 8).size(), 19U);
}

TEST(BasisSet, an_unknown_name_gets_near_ones_and_how_to_use_a_file) {
  const auto message = error_of([] { (void)load_basis("cc-pvdx", testing::data_folder); });
  EXPECT_NE(message.find("unknown basis set 'cc-pvdx' (did you mean 'cc-pVDZ' or "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("[basis] file = \"cc-pvdx.nw\""), std::string::npos) << message;
}

TEST(BasisSet, a_file_of_the_user_is_read_in_each_format) {
  const auto path = ::testing::TempDir() + "qc_user_basis.txt";
  std::ofstream(path) << "H 0\nS 1 1.0\n 0.5 1.0\n****\n";
  EXPECT_EQ(read_basis(path).elements.at(1).size(), 1U);
  std::ofstream(path) << "H S\n 0.5 1.0 0.0\n 0.1 0.0 1.0\n";
  EXPECT_EQ(read_basis(path).elements.at(1).size(), 2U);
  std::ofstream(path) << R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0],
      "exponents": ["0.5"], "coefficients": [["1.0"]]}]}}})";
  EXPECT_EQ(read_basis(path).elements.at(1).size(), 1U);
}

TEST(AoBasis, has_the_number_of_functions_of_the_set) {
  const auto water = testing::molecule_of(testing::water);
  const auto count = [&](std::string_view name, bool spherical) {
    return place_basis(load_basis(name, testing::data_folder), water, spherical).function_count;
  };
  EXPECT_EQ(count("sto-3g", true), 7);
  EXPECT_EQ(count("3-21g", true), 13);
  EXPECT_EQ(count("6-31g*", true), 18);
  EXPECT_EQ(count("6-31g*", false), 19);
  EXPECT_EQ(count("6-31g**", false), 25);
  EXPECT_EQ(count("6-311g**", true), 30);
  EXPECT_EQ(count("cc-pvtz", true), 58);
  EXPECT_EQ(count("cc-pvtz", false), 65);
  EXPECT_EQ(count("aug-cc-pvtz", true), 92);
  EXPECT_EQ(count("def2-tzvp", true), 43);
}

TEST(AoBasis, atoms_may_have_sets_of_their_own_and_ghosts_have_no_core) {
  const auto large = load_basis("def2-svp", testing::data_folder);
  const auto small = load_basis("lanl2dz", testing::data_folder);
  auto molecule = testing::molecule_of("I 0 0 0\nI 0 0 3\nGh(I) 0 0 6\nI 0 0 9\n");
  const std::vector<AtomSets> sets = {
      {&large, &large}, {&small, &small}, {&large, &large}, {&small, &large}};
  take_cores(sets, molecule);
  EXPECT_EQ(nuclear_charges(molecule), (std::vector<double>{25, 7, 0, 25}));
  EXPECT_EQ(electron_count(molecule), 57);
  EXPECT_EQ(usual_frozen_core(molecule), 4 + 0 + 0 + 4);  // 18 orbitals less those of the core
  const auto basis = place_basis(sets, molecule, true);
  ASSERT_EQ(basis.cores.size(), 3U);
  EXPECT_EQ(basis.cores[1].core.electrons, 46);
  EXPECT_EQ(basis.cores[2].atom, 3U);
  const auto functions = [&](std::size_t atom) {
    Extent count = 0;
    for (const auto& shell : basis.shells) count += shell.atom == atom ? shell.function_count : 0;
    return count;
  };
  EXPECT_EQ(functions(2), functions(0));
  EXPECT_NE(functions(1), functions(0));
}

TEST(AoBasis, an_element_that_the_set_lacks_is_named) {
  const auto gold = testing::molecule_of("H 0 0 0\nAu 0 0 2\n");
  EXPECT_EQ(
      error_of([&] { (void)place_basis(load_basis("cc-pvdz", testing::data_folder), gold, true); }),
      "basis set cc-pVDZ has no functions for Au (atom 2)");
}

}  // namespace
}  // namespace blockyard::qc
