// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/job_file.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/input/words.h"

namespace blockyard::input {
namespace {

Spec parse(std::string_view text) { return parse_job(text, "j.toml", "/jobs"); }

std::string error_of(std::string_view text) {
  try {
    check_spec(parse(text));
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    return error.what();
  }
  return "no error";
}

void expect_error(std::string_view text, const std::string& part) {
  const std::string found = error_of(text);
  EXPECT_NE(found.find(part), std::string::npos) << found;
}

TEST(JobFile, OfTheDocumentedFormIsRead) {
  const Spec spec = parse(R"(title = "water"
[molecule]
geometry = """
O  0.0  0.0000  0.1173
H  0.0  0.7572 -0.4692
H  0.0 -0.7572 -0.4692
"""
units = "angstrom"
charge = 0
multiplicity = 1
[basis]
name = "cc-pvdz"
[method]
name = "CCSD"
frozen_core = true
[run]
workers = 2
memory = "4G"
)");
  EXPECT_EQ(spec.title, "water");
  ASSERT_TRUE(spec.molecule && spec.method);
  EXPECT_NE(spec.molecule->geometry.find("0.1173"), std::string::npos);
  EXPECT_EQ(spec.basis.name, "cc-pvdz");
  EXPECT_FALSE(spec.basis.spherical.has_value());
  EXPECT_EQ(spec.method->name, "ccsd");
  EXPECT_EQ(spec.method->frozen_core, std::nullopt);
  EXPECT_EQ(spec.run.workers, 2);
  EXPECT_EQ(spec.run.memory_bytes, std::int64_t{4} << 30);
  EXPECT_NO_THROW(check_spec(spec));
}

TEST(JobFile, UnknownKeysAreErrorsThatNameTheNearest) {
  expect_error("titel = \"x\"",
               "j.toml:1: unknown key \"titel\" in the job file: did you mean \"title\"?");
  expect_error("[run]\n\nworker = 2",
               "j.toml:3: unknown key \"worker\" in [run]: did you mean \"workers\"?");
  expect_error("[basis]\nzzz = 2", "known are: name, file, text, spherical");
}

TEST(JobFile, AJobOfALatticeIsForTheCommandLine) {
  expect_error("title = \"x\"\n[lattice]\nsites = [2, 2]",
               "j.toml:2: [lattice] makes it a job of a lattice, which only the command line runs");
}

TEST(JobFile, WrongTypesAreErrorsWithTheLine) {
  expect_error("title = 3", "j.toml:1: title: must be a text, not an integer");
  expect_error("[run]\nworkers = 2.5", "j.toml:2: run.workers: must be an integer, not a number");
  expect_error("[basis]\nspherical = \"yes\"", "must be true or false");
  expect_error("programs = \"x.sial\"", "must be a list of texts");
  expect_error("programs = [1]", "must be a list of texts");
  expect_error("run = 1", "run must be a table");
  expect_error("constants = 1", "constants must be a table");
  expect_error("[constants]\nn = \"1\"", "j.toml:2: constants.n");
}

TEST(JobFile, ValuesOutOfRangeAreErrors) {
  expect_error("[run]\nworkers = 0", "must be at least 1");
  expect_error("[run]\nservers = 100000", "must be at most");
  expect_error("[run]\nmemory = \"4 apples\"", "j.toml:2: run.memory");
  expect_error("[run]\npardo = \"wild\"", "j.toml:2: run.pardo");
  expect_error("[run]\ndevice_network = \"wild\"", "j.toml:2: run.device_network");
  expect_error("[molecule]\ngeometry=\"\"\nunits = \"mile\"", "must be \"angstrom\" or \"bohr\"");
  expect_error("[segments]\nao = []", "list with the number of elements");
  expect_error("[segments]\nmoa = [3, 0]", "at least 1");
  expect_error("[method]\nfrozen_core = -1", "must be at least 0");
  expect_error("[method]\nfrozen_core = \"all\"", "number of orbitals, or true");
  expect_error("[method]\nlevel_shift = -0.5", "must not be negative");
  expect_error("[method]\ndamping = 1", "method.damping: must be less than 1");
  expect_error("[method]\nscf_iterations = 0", "must be at least 1");
  expect_error("[method]\ncc_iterations = 0", "must be at least 1");
  for (const char* threshold :
       {"scf_energy_convergence", "scf_density_convergence", "cc_energy_convergence",
        "cc_amplitude_convergence", "excited_convergence"})
    expect_error(std::string("[method]\n") + threshold + " = 0", "must be above 0");
  expect_error("[method]\nscf_guess = \"magic\"", "must be \"core\" or \"atomic\"");
}

TEST(JobFile, ThatIsNotTomlIsAnErrorWithTheLine) {
  expect_error("title = \"x\"\n[run\n", "j.toml:2: not TOML");
}

TEST(JobFile, WithoutAnythingToRunIsAnError) {
  expect_error("title = \"x\"", "nothing to run");
  expect_error("[method]\nname = \"scf\"", "needs a [molecule]");
  expect_error("[molecule]\ngeometry = \"H 0 0 0\"\n[method]\nname = \"scf\"", "no basis");
  expect_error("programs = [\"a.sial\"]\n[method]\nname = \"scf\"", "either");
  expect_error("[molecule]\ncharge = 0", "needs a geometry or a file");
  expect_error("title = \"x\"\n[molecule]\ngeometry = \"H 0 zero 0\"",
               "j.toml:3: molecule.geometry: geometry, line 1: 'zero' is not a number");
  expect_error("[molecule]\ngeometry = \"\"\nfile = \"a.xyz\"", "give only one");
}

TEST(JobFile, NamesFilesFromItsFolder) {
  const Spec spec = parse(
      "programs = [\"a.sial\", \"/b.sial\"]\n[molecule]\nfile = \"m.xyz\"\n"
      "[run]\nscratch = \"s\"\nsuper = [\"lib.so\"]\npersistent = \"k.h5\"");
  EXPECT_EQ(spec.programs, (std::vector<std::string>{"/jobs/a.sial", "/b.sial"}));
  EXPECT_EQ(spec.molecule->file, "/jobs/m.xyz");
  EXPECT_EQ(spec.run.scratch, "/jobs/s");
  EXPECT_EQ(spec.run.supers, std::vector<std::string>{"/jobs/lib.so"});
  EXPECT_EQ(spec.run.persistent, "/jobs/k.h5");
}

TEST(JobFile, AnEmptyNameIsNoFile) {
  const Spec spec =
      parse("programs = [\"a.sial\"]\n[run]\nscratch = \"\"\nguess = \"\"\nsave = \"\"");
  EXPECT_EQ(spec.run.scratch, "");
  EXPECT_EQ(spec.run.guess, "");
  EXPECT_EQ(spec.run.save, "");
}

TEST(JobFile, GivesConstantsAndSegments) {
  const Spec spec = parse(
      "[constants]\nNorb = 4\nx = 1.5\n"
      "[segments]\nao = 14\nmoa = [3, 3]\noccupied = 20\nvirtual = 30\nsubsegment = 4");
  EXPECT_EQ(spec.ints.at("norb"), 4);
  EXPECT_EQ(spec.scalars.at("x"), 1.5);
  EXPECT_EQ(spec.segments.ao, 14);
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::moa), (std::vector<Extent>{3, 3}));
  EXPECT_EQ(spec.segments.occupied, 20);
  EXPECT_EQ(spec.segments.virtual_, 30);
  EXPECT_EQ(spec.segments.subsegment, 4);
}

TEST(JobFile, GivesOptionsOfTheMethodAsConstants) {
  const Spec spec = parse(
      "[method]\nscf_guess = \"core\"\nscf_direct = true\ncc_iterations = 9\nlevel_shift = 0.25");
  EXPECT_EQ(spec.method->ints.at("scf_guess"), 0);
  EXPECT_EQ(spec.method->ints.at("scf_direct"), 1);
  EXPECT_EQ(spec.method->ints.at("cc_iterations"), 9);
  EXPECT_EQ(spec.method->scalars.at("level_shift"), 0.25);
}

TEST(JobFile, ThatIsNotThereIsAnErrorWithItsName) {
  try {
    (void)read_job_file("/no/such/job.toml");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find("/no/such/job.toml"), std::string::npos);
  }
}

TEST(CommandLine, ConstantsAreIntsOrScalarsAndReplaceThoseOfTheFile) {
  Spec spec;
  spec.scalars["n"] = 2.5;
  set_constant(spec, "N=4");
  set_constant(spec, "eps=1e-9");
  set_constant(spec, "m=-3");
  EXPECT_EQ(spec.ints.at("n"), 4);
  EXPECT_FALSE(spec.scalars.contains("n"));
  EXPECT_EQ(spec.scalars.at("eps"), 1e-9);
  EXPECT_EQ(spec.ints.at("m"), -3);
  for (const char* wrong : {"n", "=3", "n=", "n=x", "n=3x"})
    EXPECT_THROW(set_constant(spec, wrong), base::Error) << wrong;
}

TEST(CommandLine, SegmentsAreListsOfExtents) {
  Spec spec;
  set_segments(spec, "ao=5,6,7,8");
  set_segments(spec, "subsegment=4");
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::ao), (std::vector<Extent>{5, 6, 7, 8}));
  EXPECT_EQ(spec.segments.subsegment, 4);
  set_segments(spec, "mo=3*4");
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::mo), (std::vector<Extent>{4, 4, 4}));
  set_segments(spec, "mo=2*4,7/3,1");
  EXPECT_EQ(spec.segments.extents.at(array::IndexKind::mo),
            (std::vector<Extent>{4, 4, 3, 2, 2, 1}));
  for (const char* wrong :
       {"ao=", "ao=5,,6", "ao=5,6,", "ao=0", "ao=*4", "ao=4*", "ao=0*4", "ao=4*0", "ao=4/0",
        "ao=8/", "ao=2*3*4", "ao=9000000000000*1", "simple=1", "what=3", "virtual=3,4"})
    EXPECT_THROW(set_segments(spec, wrong), base::Error) << wrong;
}

}  // namespace
}  // namespace blockyard::input
