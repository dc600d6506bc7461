// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/job_text.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "blockyard/base/error.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/settings.h"

namespace blockyard::input {
namespace {

TEST(JobText, IsReadBackAsTheSameJob) {
  Spec spec;
  spec.title = "a \"title\" with \\ and \t";
  spec.molecule = MoleculeSpec{"H 0 0 0\nF 0 0 1.7\n", "", "bohr", -1, 2};
  spec.basis = {{"cc-pvdz", "", ""},
                "sbkjc",
                {{"O1", {{"", "x.nw", ""}, ""}}, {"3", {{"6-31g", "", ""}, "none"}}},
                false,
                "cc-pvtz-rifit",
                ""};
  spec.method = MethodSpec{"ccsd",
                           std::nullopt,
                           {{"scf_guess", 0}, {"scf_direct", 1}, {"cc_iterations", 7}},
                           {{"level_shift", 1}, {"cc_amplitude_convergence", 1e-8}}};
  spec.ints = {{"norb", 4}};
  spec.scalars = {{"x", 0.1}};
  spec.asked = {{"norb", "[constants]"}, {"x", "[constants]"}};
  spec.segments.extents[array::IndexKind::mo] = {3, 4};
  spec.segments.ao = 7;
  spec.segments.virtual_ = 9;
  spec.run.workers = 2;
  spec.run.memory_bytes = 1 << 30;
  spec.run.pardo = program::Policy::locality;
  spec.run.check = true;
  spec.run.deterministic = true;
  spec.run.device.feeds_network = false;
  spec.arrays = {{"ca", {{1, 2}, {0.5, -1e-20}}}, {"clp", {{3, 0}, {}}}, {"nlp", {{2}, {3, -1}}}};
  spec.int_arrays = {"nlp"};
  spec.configuration = {{"scf_rhf.siox", {{"no servers", "f \"g\""}, {"b", ""}}}, {"x", {}}};
  EXPECT_EQ(parse_job(job_text(spec), "job.toml", ""), spec);
  spec.basis = {{"", "", "H S\n 0.5 1\n"}, "", {}, true, "", ""};
  EXPECT_EQ(parse_job(job_text(spec), "job.toml", ""), spec);
}

TEST(JobText, SettingsAskForNoConstantsThatNobodyAskedFor) {
  Spec spec;  // as from a .dat file
  spec.ints = {{"n", 4}};
  const std::vector<Setting> settings = {{"method.name", "scf"}, {"constants.x", "0.5"}};
  const std::map<std::string, std::string, std::less<>> asked = {{"x", "[constants]"}};
  EXPECT_EQ(with_settings(spec, settings).asked, asked);
}

TEST(JobText, LinesKeepBackslashesAndQuotes) {
  Spec spec;
  spec.basis.text = "# C:\\data \"\"\" \\\nH S\n 0.5 1\n";
  EXPECT_EQ(parse_job(job_text(spec), "job.toml", ""), spec);
}

TEST(JobText, IsUtf8WhateverItsTextsAre) {
  Spec spec;
  spec.title = "W\xe4sser \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\xa0\x80 \xc0\xaf \xe2\x82";
  const std::string unknown = "\xef\xbf\xbd";
  EXPECT_EQ(parse_job(job_text(spec), "job.toml", "").title,
            "W" + unknown + "sser \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 " + unknown + unknown +
                unknown + " " + unknown + unknown + " " + unknown + unknown);
  spec.basis.file = "w\xe4sser.nw";
  EXPECT_THROW((void)job_text(spec), base::Error);
}

TEST(JobText, FilesAreSeenFromTheFolderOfTheJob) {
  Spec spec;
  spec.basis.file = "jobs/x.nw";
  spec.basis.auxiliary_file = "/sets/y.nw";
  spec.run.guess = "basis:sto-3g";
  spec.run.save = "kept.h5";
  spec.run.supers = {"aces4:lib/x.so"};
  const std::filesystem::path folder = testing::TempDir() + "/job_text_test";
  std::filesystem::create_directories(folder / "jobs");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  const std::string text = job_text(spec, "jobs");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
  for (const char* line : {"file = \"x.nw\"", "file = \"/sets/y.nw\"", "guess = \"basis:sto-3g\"",
                           "save = \"../kept.h5\"", "\"aces4:../lib/x.so\""})
    EXPECT_NE(text.find(line), std::string::npos) << line << '\n' << text;
}

TEST(JobText, ArraysMustHaveAsManyValuesAsTheirExtentsSay) {
  for (const char* array :
       {"1", "{ extents = [2] }", "{ extents = [2], values = [1.0] }",
        "{ extents = [], values = [] }", "{ extents = [0], values = [1.0] }",
        "{ extents = [-1], values = [] }", "{ extents = [0], values = [], a = 1 }",
        "{ extents = [1], values = [1], type = \"float\" }", "{ extents = [1], values = [\"x\"] }",
        "{ extents = [4294967296, 4294967296], values = [1] }"})
    EXPECT_THROW(
        (void)parse_job(std::string("programs = [\"p\"]\n[arrays]\na = ") + array, "job.toml", ""),
        base::Error)
        << array;
}

}  // namespace
}  // namespace blockyard::input
