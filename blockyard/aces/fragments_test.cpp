// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/fragments.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::aces {
using base::Extent;
namespace {

const input::Places places{"", BLOCKYARD_BASIS_FOLDER, {}};

/// H2, He and H2 in a row, 6-31G: 4, 2 and 4 functions. The atoms of each fragment: `members`.
input::Spec row(const std::vector<std::vector<double>>& members) {
  input::Spec spec;
  spec.molecule = input::MoleculeSpec{"H 0 0 0\nH 0 0 0.7\nHe 0 0 3\nH 0 0 6\nH 0 0 6.7\n", "",
                                      "angstrom", 0, 1};
  spec.basis.name = "6-31g";
  spec.method.emplace();
  spec.programs = {"own.sialx"};
  worker::DenseArray counts{{std::ssize(members)}, {}}, atoms{{std::ssize(members), 3}, {}};
  for (const auto& some : members) counts.values.push_back(static_cast<double>(some.size()));
  for (std::size_t k = 0; k < 3; ++k)
    for (const auto& some : members) atoms.values.push_back(k < some.size() ? some[k] : 0.0);
  spec.arrays = {{"natoms_frag", counts}, {"watom_frag", atoms}};
  return spec;
}

std::string failure(input::Spec spec) {
  try {
    add_fragments(places, spec);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

using Extents = std::vector<Extent>;
using Owners = std::vector<double>;

TEST(Fragments, HaveSegmentsOfTheirOwn) {
  input::Spec spec = row({{3}, {4, 5}, {1, 2}});
  add_fragments(places, spec);
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::ao), (Extents{4, 2, 4}));
  EXPECT_EQ(spec.arrays.at("w_frag_ao").values, (Owners{3, 1, 2}));
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::moa), (Extents{1, 1, 1, 1, 3, 3}));
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::mob), (Extents{1, 1, 1, 1, 3, 3}));
  EXPECT_EQ(spec.arrays.at("w_frag_avirt").values, (Owners{1, 2, 3}));
  EXPECT_EQ(spec.ints.at("eaocc"), 3);
  EXPECT_EQ(spec.ints.at("bbvirt"), 4);
  EXPECT_EQ(spec.ints.at("frag1_bavirt"), 4);
  EXPECT_EQ(spec.ints.at("frag1_eavirt"), 4);
  EXPECT_EQ(spec.ints.at("max_aoseg"), 4);
}

TEST(Fragments, ArePartedFurtherWhereTheJobAsksForSmallSegments) {
  input::Spec spec = row({{1, 2}, {3}, {4, 5}});
  spec.segments.ao = 2;
  spec.segments.virtual_ = 2;
  add_fragments(places, spec);
  EXPECT_EQ(spec.arrays.at("w_frag_ao").values, (Owners{1, 1, 2, 3, 3}));
  EXPECT_EQ(spec.arrays.at("w_frag_avirt").values, (Owners{1, 1, 2, 3, 3}));
  EXPECT_EQ(spec.ints.at("frag1_norb"), 2);
  EXPECT_EQ(spec.ints.at("frag1_eavirt"), 5);
}

TEST(Fragments, MustBeNeutralClosedShellsThatCoverTheMolecule) {
  EXPECT_NE(failure(row({{1, 2}, {3}})).find("atom 4 is in no fragment"), std::string::npos);
  EXPECT_NE(failure(row({{1, 2}, {2, 3}})).find("atom 2 is in fragments 1 and 2"),
            std::string::npos);
  EXPECT_NE(failure(row({{1, 2}, {3}, {4, 6}})).find("no atom 6"), std::string::npos);
  EXPECT_NE(failure(row({{1, 4}, {2, 5}, {3}})).find("do not stand together"), std::string::npos);
  EXPECT_NE(failure(row({{1}, {2, 3}, {4, 5}})).find("fragment 1 has 1 electrons"),
            std::string::npos);
  EXPECT_NE(failure(row({{1, 2}, {3}, {4, 5}, {}})).find("fragment 4 has no atoms"),
            std::string::npos);
  input::Spec charged = row({{1, 2}, {3}, {4, 5}});
  charged.molecule->charge = 2;
  EXPECT_NE(failure(charged).find("neutral"), std::string::npos);
  input::Spec given = row({{1, 2}, {3}, {4, 5}});
  given.segments.extents[array::IndexKind::ao] = {10};
  EXPECT_NE(failure(given).find("w_frag_ao"), std::string::npos);
}

TEST(Fragments, OfAJobThatSaysAllItselfStayAsTheyAre) {
  input::Spec spec = row({{1, 2}, {3}, {4, 5}});
  spec.arrays["w_frag_ao"] = {{1}, {1}};
  const input::Spec before = spec;
  add_fragments(places, spec);
  EXPECT_EQ(spec, before);
}

}  // namespace
}  // namespace blockyard::aces
