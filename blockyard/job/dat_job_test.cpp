// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/dat_job.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "blockyard/base/error.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/job_text.h"
#include "blockyard/job/job.h"

namespace blockyard::job {

using base::Extent;

namespace {

namespace fs = std::filesystem;

/// HF as ACES4 writes it: general contractions, empty arrays of core potentials, no `atom`.
aces::dat::DatFile example() {
  aces::dat::DatFile file;
  file.programs = {"p.siox"};
  file.ints = {{"ncenters", 2}, {"nshells", 3},        {"intspherical", 1},    {"norb", 1},
               {"naocc", 5},    {"lindep_tol", 2},     {"nalpha_occupied", 5}, {"baocc", 1},
               {"eaocc", 1},    {"nbeta_occupied", 5}, {"bavirt", 2},          {"eavirt", 2},
               {"nalphas", 4},  {"npcoeffs", 6},       {"scf_hist", 10}};
  file.scalars = {{"scf_conv", 1e-12}, {"damp", 0.19999998807907104}, {"whole", 3}};
  file.segments = {{array::IndexKind::ao, {6}},
                   {array::IndexKind::mo, {5, 1}},
                   {array::IndexKind::moa, {5, 1}},
                   {array::IndexKind::mob, {5, 1}}};
  file.scalar_arrays = {
      {"charge", {{2}, {9, 1}}},
      {"coords", {{3, 2}, {0, 0, -0.087294754888, 0, 0, 1.645583976639}}},
      {"tcoords", {{3, 3}, {0, 0, -0.087294754888, 0, 0, -0.087294754888, 0, 0, 1.645583976639}}},
      {"alphas", {{4}, {3.0, 0.5, 1.5, 0.4}}},
      {"pcoeffs", {{6}, {0.2000000123, 0.8, 0.0, 1.0, 1.0, 1.0}}},
      {"clp", {{0}, {}}}};
  file.int_arrays = {{"ivangmom", {{3}, {0, 1, 0}}},       {"npfps", {{3}, {2, 1, 1}}},
                     {"ncfps", {{3}, {2, 1, 1}}},          {"ixalphas", {{3}, {1, 3, 4}}},
                     {"ixpcoeffs", {{3}, {1, 5, 6}}},      {"ao_seg_ranges", {{1}, {6}}},
                     {"moa_seg_ranges", {{2}, {5, 1}}},    {"kfirst", {{0}, {}}},
                     {"watom_frag", {{1, 2}, {-7, 70000}}}};
  file.configuration = {{"p.siox", {{"ignore_dropmo", "t"}, {"no_servers", "f"}}}};
  return file;
}

/// Everything in `part` is in `whole`, with the same value.
template <class Map>
void expect_in(const Map& part, const Map& whole) {
  for (const auto& [name, value] : part) {
    ASSERT_TRUE(whole.contains(name)) << name;
    EXPECT_EQ(whole.at(name), value) << name;
  }
}

void expect_in(const aces::dat::DatFile& part, const aces::dat::DatFile& whole) {
  EXPECT_EQ(part.programs, whole.programs);
  expect_in(part.ints, whole.ints);
  expect_in(part.scalars, whole.scalars);
  EXPECT_EQ(part.segments, whole.segments);
  expect_in(part.scalar_arrays, whole.scalar_arrays);
  expect_in(part.int_arrays, whole.int_arrays);
  EXPECT_EQ(part.configuration, whole.configuration);
}

class DatJob : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    write("PREDEFINED INT NAOCC\nINDEX I = 1,NAOCC");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& text) const {
    std::ofstream(folder_ / "p.sialx") << "SIAL P\n" << text << "\nENDSIAL P\n";
  }
  [[nodiscard]] input::Spec spec_of(const aces::dat::DatFile& file) const {
    input::Spec spec = aces::dat::make_spec(file);
    spec.programs = {(folder_ / "p.sialx").string()};
    return spec;
  }
  [[nodiscard]] static aces::dat::DatFile dat_of(const input::Spec& spec) {
    return aces::dat::make_dat(ready_job(*prepare(spec, {}).job), spec);
  }

  const fs::path folder_ =
      fs::temp_directory_path() / (std::string("blockyard_dat_job_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(DatJob, GoesThroughATomlFileWithTheSameValues) {
  const input::Spec spec = spec_of(example());
  const input::Spec again = input::parse_job(input::job_text(spec), "job.toml", "");
  EXPECT_EQ(again, spec);
  const aces::dat::DatFile back = dat_of(again);
  expect_in(example(), back);
  const aces::dat::DatFile once_more =
      dat_of(input::parse_job(input::job_text(spec_of(back)), "job.toml", ""));
  EXPECT_EQ(once_more, back);
}

TEST_F(DatJob, HasWhatAcesAsksForAndNothingOfOurs) {
  aces::dat::DatFile file = example();
  file.ints.erase("norb");
  file.int_arrays.erase("ixalphas");
  const aces::dat::DatFile back = dat_of(spec_of(file));
  for (const char* name : {"norb", "nbocc", "bavirtorb", "ebvirtorb", "n_c_funcs", "ntotshells",
                           "nalpha_virtual", "nbasis_funcs", "scf_beg", "damp_type", "guess"})
    EXPECT_TRUE(back.ints.contains(name)) << name;
  for (const char* name :
       {"ixalphas", "ixpcoeffs", "atom", "indx_cc", "ccbeg", "ccend", "end_nfps", "mo_seg_ranges"})
    EXPECT_TRUE(back.int_arrays.contains(name)) << name;
  EXPECT_EQ(back.int_arrays.at("ao_seg_ranges").values, std::vector<std::int32_t>{6});
  for (const char* name : {"so_eaocc", "stability", "scf_iterations", "correlated_segment"})
    EXPECT_FALSE(back.ints.contains(name)) << name;
}

TEST_F(DatJob, OfAMoleculeHasTheSegmentsOfTheBasisAsTheirEnds) {
  input::Spec spec;
  spec.molecule = input::MoleculeSpec{"F 0 0 0\nH 0 0 1.7\n", "", "bohr", 0, 1};
  spec.basis.text = "F S\n 3 1\nF S\n 0.5 1\nF S\n 9 1\nF P\n 1.5 1\nH S\n 0.4 1\n";
  spec.segments.extents = {{array::IndexKind::ao, {6, 1}}};
  spec.programs = {(folder_ / "p.sialx").string()};
  const aces::dat::DatFile file = dat_of(spec);
  EXPECT_EQ(file.int_arrays.at("ao_seg_ranges").values, (std::vector<std::int32_t>{6, 7}));
  EXPECT_EQ(file.int_arrays.at("moa_seg_ranges").values, (std::vector<std::int32_t>{5, 2}));
  EXPECT_EQ(file.segments.at(array::IndexKind::mo), (std::vector<Extent>{5, 2}));
  EXPECT_EQ(file.scalar_arrays.at("tcoords").extents, (std::vector<Extent>{3, 5}));
}

TEST_F(DatJob, AMoleculeThatIsNotWholeIsMissedByProgramsThatWantIt) {
  aces::dat::DatFile file = example();
  file.scalar_arrays.erase("charge");
  const input::Spec spec = spec_of(file);
  EXPECT_FALSE(spec.molecule);
  const auto job = prepare(spec, {}).job;
  EXPECT_FALSE(job->chemistry);
  EXPECT_EQ(job->no_molecule, "no scalar array charge");
}

TEST_F(DatJob, ArraysOfAnotherMoleculeThanThatOfTheJobAreRefused) {
  input::Spec spec = spec_of(example());
  spec.molecule->geometry = "F 0 0 0\nH 0 0 1.7\n";
  EXPECT_THROW((void)prepare(spec, {}), base::Error);
  for (const char* name : {"coords", "alphas", "ivangmom"}) spec.arrays.erase(name);
  EXPECT_NO_THROW((void)prepare(spec, {}));
}

}  // namespace
}  // namespace blockyard::job
