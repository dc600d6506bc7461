// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/zmat.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/job_text.h"

namespace blockyard::aces {
namespace {

ZmatJob parse(std::string_view text) { return parse_zmat(text, "ZMAT", "/jobs"); }

std::string failure(std::string_view text) {
  try {
    static_cast<void>(parse(text));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

constexpr std::string_view water = R"(water, internal coordinates
# a comment
O
H 1 R
H 1 R 2 A

R=0.9578   # angstrom
A = 104.478

*ACES2(CALC=CCSD(T),BASIS=CC-PVDZ
REF=RHF, CC_CONV=8
SCF_CONV=9,DROPMO=1)

*SIP
MAXMEM=500
SIP_MX_VIRT_SEGSIZE = 12
)";

TEST(Zmat, ReadsInternalCoordinatesKeywordsAndTheSipSection) {
  const ZmatJob job = parse(water);
  EXPECT_TRUE(job.warnings.empty());
  EXPECT_EQ(job.spec.title, "water, internal coordinates");
  EXPECT_EQ(job.spec.method->name, "ccsd(t)");
  EXPECT_EQ(job.spec.method->frozen_core, 1);
  EXPECT_DOUBLE_EQ(job.spec.method->scalars.at("cc_amplitude_convergence"), 1e-8);
  EXPECT_DOUBLE_EQ(job.spec.method->scalars.at("scf_density_convergence"), 1e-9);
  EXPECT_EQ(job.spec.basis.name, "cc-pvdz");
  EXPECT_EQ(job.spec.run.memory_bytes, std::int64_t{500} << 20);
  EXPECT_EQ(job.spec.segments.virtual_, 12);
  EXPECT_EQ(job.spec.molecule->units, "angstrom");
  EXPECT_EQ(job.spec.molecule->geometry.substr(0, 54),
            "O 0.000000000000 0.000000000000 0.000000000000\nH 0.000");
}

TEST(Zmat, ASectionOfFragmentsBecomesArraysOfTheJob) {
  const std::string head =
      "two\nHe 0 0 0\nH 0 0 4\nH 0 0 4.7\n\n*ACES2(BASIS=STO-3G)\n*SIP\nSIAL_PROGRAM = a.sialx\n";
  const ZmatJob job = parse(head + "*FRAGLIST\n2 10.0 14.5\n1 2 2 2\n1\n2 3\n");
  EXPECT_EQ(job.spec.arrays.at("natoms_frag"), (worker::DenseArray{{2}, {1, 2}}));
  EXPECT_EQ(job.spec.arrays.at("watom_frag"), (worker::DenseArray{{2, 2}, {1, 2, 0, 3}}));
  EXPECT_TRUE(job.spec.int_arrays.contains("watom_frag"));
  EXPECT_EQ(job.spec.scalars.at("r_thresh"), 10.0);
  EXPECT_EQ(job.spec.scalars.at("elst_thresh"), 14.5);
  EXPECT_TRUE(job.warnings.empty());
  for (const auto& [section, line] : std::vector<std::pair<std::string, std::string>>{
           {"2 10.0\n1 2\n1\n2 3\n", "ZMAT:10"},       // one distance
           {"3 10.0 10.0\n1 2\n1\n2 3\n", "ZMAT:10"},  // a line too few
           {"2 10.0 10.0\n1\n1\n2 3\n", "ZMAT:11"},    // a number too few
           {"2 10.0 10.0\n1 4\n1\n2 3\n", "ZMAT:11"},  // more than all atoms
           {"2 10.0 10.0\n1 2\n1\n2\n", "ZMAT:13"},    // an atom too few
           {"2 10.0 10.0\n1 2\n1\n2 x\n", "ZMAT:13"}})
    EXPECT_TRUE(failure(head + "*FRAGLIST\n" + section).starts_with(line + ": "))
        << section << failure(head + "*FRAGLIST\n" + section);
}

TEST(Zmat, OptionsThatOnlyProgramsOfTheUserKnowBecomeTheirConstants) {
  const std::string head =
      "t\nO 0 0 0\n\n*ACES2(BASIS=3-21G,ESTATE_TOL=9,SCF_EXPORDER=10,LINDEP_TOL=3,\n"
      "sym=none,,damp_type=davidson,NOREORI=ON)\n*SIP\n";
  const ZmatJob job = parse(head + "SIAL_PROGRAM = scf_rhf.siox\n");
  EXPECT_TRUE(job.warnings.empty());
  EXPECT_EQ(job.spec.ints.at("scf_hist"), 10);
  EXPECT_EQ(job.spec.ints.at("lindep_tol"), 3);
  EXPECT_EQ(job.spec.ints.at("damp_type"), 1);
  EXPECT_DOUBLE_EQ(job.spec.method->scalars.at("excited_convergence"), 1e-9);
  const ZmatJob ours = parse(head + "MAXMEM=500\n");
  EXPECT_TRUE(ours.spec.ints.empty());
  EXPECT_EQ(ours.warnings.size(), 3U);
  EXPECT_NE(failure("t\nO 0 0 0\n\n*ACES2(BASIS=3-21G,DAMP_TYPE=HARD)\n").find("NONE, DAVIDSON"),
            std::string::npos);
}

TEST(Zmat, SetsOfAtomsWithoutASpecialBasisAreNoted) {
  const std::string head = "t\nO\nH 1 R\n\nR=0.97\n\n*ACES2(CALC=HF,MULT=2,BASIS=";
  EXPECT_TRUE(parse(head + "SPECIAL)\n\nO:PVTZ\nH:PVDZ\n").warnings.empty());
  const ZmatJob job = parse(head + "PVDZ)\n\nO:PVTZ\nH:PVDZ\n");
  ASSERT_EQ(job.warnings.size(), 1U);
  EXPECT_NE(job.warnings.front().find("BASIS=SPECIAL takes these"), std::string::npos);
}

TEST(Zmat, ABlankFirstLineIsATitleToo) {
  const ZmatJob job = parse("\nO\nH 1 R\n\nR=0.97\n\n*ACES2(CALC=HF,BASIS=STO-3G,MULT=2)\n");
  EXPECT_EQ(job.spec.title, "");
  EXPECT_EQ(job.spec.molecule->geometry.substr(0, 1), "O");
  EXPECT_EQ(parse("\nHydroxyl\nO\nH 1 R\n\nR=0.97\n\n*ACES2(CALC=HF,BASIS=STO-3G)").spec.title,
            "Hydroxyl");
}

TEST(Zmat, ExcitationsAndPropertiesChooseTheMethod) {
  const auto with = [](const std::string& keywords) {
    return parse("t\nO\nH 1 R\n\nR=0.97\n\n*ACES2(BASIS=STO-3G," + keywords + ")\n").spec;
  };
  const input::Spec spec = with("CALC=CCSD,EXCITE=EOMEE,ESTATE_SYM=2/1/0/1");
  EXPECT_EQ(spec.method->name, "eom-ccsd");
  EXPECT_EQ(spec.method->ints.at("roots"), 4);
  EXPECT_EQ(with("CALC=SCF,EXCITE=CIS").method->name, "cis");
  EXPECT_EQ(with("CALC=CCSD,PROP=FIRST_ORDER").method->name, "ccsd-density");
  EXPECT_EQ(with("CALC=CCSD,EXCITE=NONE").method->name, "ccsd");
  EXPECT_EQ(with("CALC=EOM-CCSD,EXCITE=EOMEE").method->name, "eom-ccsd");
}

TEST(Zmat, RefusesExcitationsThatMakeNoSense) {
  const auto error = [](const std::string& keywords) {
    return failure("t\nO\n\n*ACES2(BASIS=STO-3G," + keywords + ")");
  };
  EXPECT_NE(error("CALC=MP4,EXCITE=EOMEE"), "");
  EXPECT_NE(error("CALC=CCSD,EXCITE=CIS(D)").find("with MP2 or SCF"), std::string::npos);
  EXPECT_NE(error("CALC=CCSD,EXCITE=EOMEE,PROP=FIRST_ORDER").find("not both"), std::string::npos);
  for (const std::string number : {"9223372036854775807/1", "1000001", "0/0"})
    EXPECT_NE(error("CALC=CCSD,EXCITE=EOMEE,ESTATE_SYM=" + number).find("number of states"),
              std::string::npos);
}

TEST(Zmat, RefusesWhatIsNotComputed) {
  const auto error = [](const std::string& keyword, const std::string& sip = "") {
    return failure("t\nO\nH 1 R\n\nR=0.97\n\n*ACES2(BASIS=STO-3G," + keyword + ")\n" + sip);
  };
  EXPECT_NE(error("VIB=EXACT").find("ZMAT:7: VIB=EXACT: vibrational"), std::string::npos);
  for (const std::string one :
       {"OPT_METHOD=NR", "GEO_METHOD=2", "GEO_MAXCYC=50", "GEO_CONV=5", "GEOM_OPT=FULL"})
    EXPECT_NE(error(one).find("not optimised"), std::string::npos) << one;
  EXPECT_NE(error("DERIV_LEVEL=1").find("derivatives"), std::string::npos);
  for (const std::string one : {"VIB=NO", "DERIV_LEVEL=ZERO", "GEO_METHOD=SINGLE_POINT"})
    EXPECT_EQ(error(one), "no error") << one;
  EXPECT_EQ(error("DERIV_LEVEL=1", "*SIP\nSIAL_PROGRAM = a.sialx\n"), "no error");
  EXPECT_NE(failure("t\nO\nH 1 R*\n\nR=0.97\n\n*ACES2(BASIS=STO-3G)\n").find("ZMAT:3: R*"),
            std::string::npos);
}

TEST(Zmat, AWrongRowHasItsLine) {
  EXPECT_NE(failure("t\n# comment\nO\nH 1 0.9\nH 1 0.9 1 90.\n\n*ACES2(BASIS=STO-3G)\n")
                .find("ZMAT:5: row 3 of the Z-matrix: it refers to one row twice"),
            std::string::npos);
}

TEST(Zmat, NamesTheKeywordThatIsMeant) {
  const std::string text = "t\nO\nH 1 R\n\nR=0.97\n\n*ACES2(CALC=CCSD,BAS=STO-3G)\n";
  EXPECT_NE(failure(text).find("keyword BAS is not known and changes nothing; is BASIS meant?"),
            std::string::npos);
  EXPECT_NE(failure("t\nO\n\n*ACES2(CALC=MP2,BASIS=STO-3G,EXCITE=EOMEE)").find("with CCSD"),
            std::string::npos);
}

TEST(Zmat, ReadsCartesianCoordinatesInTheirUnits) {
  const ZmatJob job = parse(
      "title\nO 0.0 0.0 0.1\nX 0 0 5\nH 0.0 1.4 -1.0\nH 0.0 -1.4 -1.0\n\n"
      "*ACES2(CALC=HF,BASIS=STO-3G,COORD=CARTESIAN,UNITS=BOHR,MULT=1,CHARGE=0,SPHERICAL=OFF)\n");
  EXPECT_EQ(job.spec.molecule->geometry, "O 0.0 0.0 0.1\nH 0.0 1.4 -1.0\nH 0.0 -1.4 -1.0\n");
  EXPECT_EQ(job.spec.molecule->units, "bohr");
  EXPECT_EQ(job.spec.method->name, "scf");
  EXPECT_EQ(job.spec.basis.spherical, false);
}

TEST(Zmat, TakesTheBasisOfEachAtomIfItIsOne) {
  constexpr std::string_view head =
      "t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(CALC=MBPT(2),BASIS=SPECIAL)\n\n";
  EXPECT_EQ(parse(std::string(head) + "H:CC-PVDZ\nF:CC-PVDZ\n").spec.basis.name, "cc-pvdz");
  EXPECT_NE(failure(head).find("ATOM:BASIS"), std::string::npos);
}

TEST(Zmat, TakesABasisOfItsOwnForEachAtom) {
  constexpr std::string_view head = "t\nH 0 0 0\nX 0 0 9\nF 0 0 1.7\n\n*ACES2(BASIS=SPECIAL)\n\n";
  const input::BasisSpec basis = parse(std::string(head) + "H:CC-PVDZ\nF:PVTZ\n").spec.basis;
  EXPECT_TRUE(basis.name.empty());
  EXPECT_EQ(basis.atoms.at("1").set.name, "cc-pvdz");
  EXPECT_EQ(basis.atoms.at("2").set.name, "cc-pvtz");
  EXPECT_NE(failure(std::string(head) + "F:PVTZ\nH:PVDZ\n").find("ZMAT:8: atom 1 is h"),
            std::string::npos);
  EXPECT_NE(failure(std::string(head) + "H:PVTZ\nF:PVDZ\nF:PVTZ\n").find("3 lines ATOM:NAME for 2"),
            std::string::npos);
}

TEST(Zmat, TakesListsOfBasisSetsAndOfPotentials) {
  constexpr std::string_view atoms = "t\nCL 0 0 0\nH 0 0 1.3\n\n";
  const input::BasisSpec basis =
      parse(std::string(atoms) +
            "*ACES2(ECP=ON,CALC=CCSD)\n\nCL:SBKJC\nH:PVDZ\n\nCL:SBKJC\nH:NONE\n\n")
          .spec.basis;
  EXPECT_EQ(basis.atoms.at("1").set.name, "sbkjc");
  EXPECT_EQ(basis.atoms.at("2").set.name, "cc-pvdz");
  EXPECT_EQ(basis.atoms.at("1").ecp, "sbkjc");
  EXPECT_EQ(basis.atoms.at("2").ecp, "none");
  const input::BasisSpec named =
      parse(std::string(atoms) + "*ACES2(ECP=ON,BASIS=LANL2DZ)\n\nCL:LANL2DZ\nH:LANL2DZ\n")
          .spec.basis;
  EXPECT_EQ(named.name, "lanl2dz");
  EXPECT_EQ(named.ecp, "lanl2dz");
  EXPECT_NE(failure(std::string(atoms) + "*ACES2(ECP=ON)\n\nCL:SBKJC\nH:PVDZ\nCL:SBKJC\n")
                .find("ATOM:NONE"),
            std::string::npos);
}

TEST(Zmat, TakesGhostAtomsWithTheFunctionsOfAnElement) {
  const ZmatJob job =
      parse("t\nHE\nGH 1 R\n\nR=3.0\n\n*ACES2(CALC=HF,BASIS=SPECIAL)\n\nHE:PVDZ\nNE:PVDZ\n");
  EXPECT_NE(job.spec.molecule->geometry.find("Gh(Ne) 0.0"), std::string::npos);
  EXPECT_EQ(job.spec.basis.name, "cc-pvdz");
  EXPECT_NE(failure("t\nHE 0 0 0\nGH 0 0 3\n\n*ACES2(BASIS=PVDZ)\n").find("ZMAT:3: a ghost atom"),
            std::string::npos);
}

TEST(Zmat, TakesProgramsInThePlaceOfAMethod) {
  const ZmatJob job = parse(
      "t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(CALC=CCSD,BASIS=CC-PVDZ)\n\n*SIP\n"
      "SIAL_PROGRAM = scf_rhf.siox\nSIAL_PROGRAM = ccsd.sialx\nIO_COMPANY = 2\n");
  EXPECT_EQ(job.spec.programs,
            (std::vector<std::string>{"/jobs/scf_rhf.sialx", "/jobs/ccsd.sialx"}));
  EXPECT_EQ(job.spec.method->name, "");
  ASSERT_EQ(job.warnings.size(), 1u);
  EXPECT_EQ(job.warnings[0], "ZMAT:10: IO_COMPANY of *SIP is not known and changes nothing");
}

TEST(Zmat, KnowsTheSpellingsOfKeywords) {
  const ZmatJob job = parse(
      "t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(CALCLEVEL = CCSD\nbasis = cc-pvdz , REFERENCE=RHF\n"
      "MULTIPLICITY=1 , Charge = 0\nCC_CONVERGENCE=9,SCF_CONVERGENCE=10\nCC_MAXCYCLE=30, "
      "SCF_MAX_CYCLE=40\nDROP_MO=1>2,DAMPTYP=NONE,SYMMETRY=OFF,UNIT=BOHR,COORDS=CARTESIAN)\n");
  EXPECT_TRUE(job.warnings.empty());
  const input::MethodSpec& method = *job.spec.method;
  EXPECT_EQ(method.name, "ccsd");
  EXPECT_EQ(method.frozen_core, 2);
  EXPECT_EQ(method.ints.at("cc_iterations"), 30);
  EXPECT_EQ(method.ints.at("scf_iterations"), 40);
  EXPECT_DOUBLE_EQ(method.scalars.at("cc_amplitude_convergence"), 1e-9);
  EXPECT_DOUBLE_EQ(method.scalars.at("scf_density_convergence"), 1e-10);
  EXPECT_EQ(job.spec.molecule->units, "bohr");
}

TEST(Zmat, KnowsBasisSetsByTheirShortNames) {
  const auto basis = [](const std::string& name) {
    return parse("t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(BASIS=" + name + ")\n").spec.basis.name;
  };
  EXPECT_EQ(basis("PVDZ"), "cc-pvdz");
  EXPECT_EQ(basis("aug-pVTZ"), "aug-cc-pvtz");
  EXPECT_EQ(basis("AUG-CC-PVQZ"), "aug-cc-pvqz");
  EXPECT_EQ(basis("6-31G(D,P)"), "6-31g(d,p)");
}

TEST(Zmat, TakesMemoryInWordsAndUnits) {
  const auto memory = [](const std::string& keywords, const std::string& sip = "") {
    return parse("t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(BASIS=STO-3G" + keywords + ")\n\n" + sip)
        .spec.run.memory_bytes;
  };
  EXPECT_EQ(memory(",MEMORY=1000000"), 8'000'000);
  EXPECT_EQ(memory(",MEMORY=2GB"), std::int64_t{2} << 30);
  EXPECT_EQ(memory(",MEMORY=2,MEM_UNIT=GB"), std::int64_t{2} << 30);
  EXPECT_EQ(memory(",MEM_UNIT=MB,MEMORY_SIZE=300"), std::int64_t{300} << 20);
  EXPECT_EQ(memory("", "*SIP\nMAXMEM = 1500 MB\n"), std::int64_t{1500} << 20);
  EXPECT_EQ(memory("", "*SIP\nmaxmem=3G\n"), std::int64_t{3} << 30);
  EXPECT_EQ(memory("", "*SIP\nMAXMEM=700\n"), std::int64_t{700} << 20);
}

TEST(Zmat, TakesNumbersOfFortranTabsAndReturns) {
  const ZmatJob job = parse(
      "title\r\n\r\n\tO\r\nH\t1\tR\r\nH 1 R 2 A\r\n\r\nR\t=\t9.578D-1\r\nA = +104.478\r\n\r\n"
      "*ACES2(CALC=SCF,BASIS=STO-3G\r\n\r\nCHARGE=0\r\nCHARGE=0)\r\n\r\n*SIP\r\nMAXMEM=500\r\n");
  EXPECT_TRUE(job.warnings.empty());
  EXPECT_EQ(job.spec.run.memory_bytes, std::int64_t{500} << 20);
  const std::string& geometry = job.spec.molecule->geometry;
  EXPECT_NE(geometry.find("0.957800000000"), std::string::npos) << geometry;
}

TEST(Zmat, WarnsOfARestrictedReferenceForAnOpenShell) {
  const auto warnings = [](const std::string& keywords) {
    return parse("t\nO 0 0 0\nH 0 0 1\n\n*ACES2(BASIS=STO-3G," + keywords + ")\n").warnings;
  };
  ASSERT_EQ(warnings("MULT=2,REF=RHF").size(), 1u);
  EXPECT_NE(warnings("REF=RHF,MULT=2")[0].find("REF=RHF: an open shell"), std::string::npos);
  EXPECT_TRUE(warnings("REF=UHF,MULT=2").empty());
  EXPECT_TRUE(warnings("REF=RHF,MULT=1,CHARGE=1").empty());
}

TEST(Zmat, KeywordsWithoutBracketsBeginOnTheFirstLine) {
  const ZmatJob job =
      parse("t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2 CALC=CCSD(T), CHARGE=1\nBASIS=CC-PVDZ\n\n");
  EXPECT_EQ(job.spec.method->name, "ccsd(t)");
  EXPECT_EQ(job.spec.molecule->charge, 1);
  EXPECT_EQ(job.spec.basis.name, "cc-pvdz");
  EXPECT_EQ(parse("t\nF 0 0 0\n\n*ACES2 (CALC=CCSD(T),\nBASIS=6-31G)\n").spec.basis.name, "6-31g");
}

TEST(Zmat, CoreOrbitalsAreTheGuessThatIsNumberOne) {
  const auto has_core_guess = [](const std::string& guess) {
    const auto& method =
        parse("t\nF 0 0 0\n\n*ACES2(BASIS=STO-3G,GUESS=" + guess + ")\n").spec.method;
    return method->ints.contains("scf_guess");
  };
  EXPECT_TRUE(has_core_guess("CORE"));
  EXPECT_TRUE(has_core_guess("1"));
  EXPECT_FALSE(has_core_guess("MOREAD"));
  EXPECT_FALSE(has_core_guess("0"));
}

TEST(Zmat, IsKnownByItsName) {
  for (const char* name : {"ZMAT", "zmat", "jobs/ZMAT.h2o", "ZMAT_1", "zmat-2", "water.zmat"})
    EXPECT_TRUE(is_zmat_name(name)) << name;
  for (const char* name : {"zmatrix.toml", "ZMATRIX", "water.xyz"})
    EXPECT_FALSE(is_zmat_name(name)) << name;
}

TEST(Zmat, AnUnrestrictedReferenceIsOneForClosedShellsToo) {
  const ZmatJob job = parse("t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(CALC=CCSD,BASIS=STO-3G,REF=UHF)\n");
  EXPECT_TRUE(job.warnings.empty());
  EXPECT_EQ(job.spec.method->ints.at("unrestricted"), 1);
  const ZmatJob rohf =
      parse("t\nO 0 0 0\nH 0 0 1\n\n*ACES2(CALC=CCSD,BASIS=STO-3G,REF=ROHF,MULT=2)\n");
  EXPECT_TRUE(rohf.warnings.empty());
  EXPECT_EQ(rohf.spec.method->ints.at("reference"), 2);
}

TEST(Zmat, WarnsOfKeywordsThatChangeNothing) {
  const ZmatJob job = parse(
      "t\nH 0 0 0\nF 0 0 1.7\n\n*ACES2(CALC=CCSD,BASIS=CC-PVDZ,SYM=FULL,FOO=BAR,DAMP_TYPE=NONE)\n");
  ASSERT_EQ(job.warnings.size(), 2u);
  EXPECT_NE(job.warnings[0].find("SYM=FULL"), std::string::npos);
  EXPECT_NE(job.warnings[1].find("FOO"), std::string::npos);
}

TEST(Zmat, NamesLineAndReasonOfWhatIsWrong) {
  constexpr std::string_view head = "t\nH 0 0 0\nF 0 0 1.7\n\n";
  const auto keywords = [&](std::string_view text) {
    return failure(std::string(head) + "*ACES2(BASIS=STO-3G," + std::string(text) + ")\n");
  };
  EXPECT_NE(keywords("CHARGE=many").find("ZMAT:5: CHARGE=MANY: it must be a whole"),
            std::string::npos);
  EXPECT_NE(keywords("DROPMO=2-3").find("lowest"), std::string::npos);
  for (const char* const both : {"DROPMO=1-2,FROZEN_CORE=ON", "FROZEN_CORE=ON,DROPMO=1-2"})
    EXPECT_NE(keywords(both).find("DROPMO=1-2: but line 5 says FROZEN_CORE=ON"), std::string::npos);
  EXPECT_EQ(keywords("DROPMO=1,FROZEN_CORE=OFF"), "no error");
  EXPECT_NE(keywords("MEMORY=1099511627776,MEM_UNIT=TB").find("ZMAT:5: MEMORY=1099511627776"),
            std::string::npos);
  EXPECT_NE(keywords("REF=GHF").find("RHF, UHF and ROHF"), std::string::npos);
  EXPECT_NE(keywords("UNITS=MILES").find("ANGSTROM"), std::string::npos);
  EXPECT_NE(keywords("COORD=INTERNAL").find("three coordinates"), std::string::npos);
  EXPECT_NE(keywords("CHARGE=0,CHARGE=1").find("CHARGE=1: but line 5 says CHARGE=0"),
            std::string::npos);
  EXPECT_NE(keywords("MEMORY=1,MEM_UNIT=PAGES").find("units are"), std::string::npos);
  EXPECT_NE(keywords("CHARGE").find("KEYWORD=value"), std::string::npos);
  EXPECT_NE(failure("t\nO\nH 1 R\n\n*ACES2(CALC=HF)\n").find("ZMAT:3: variable R"),
            std::string::npos);
  EXPECT_NE(failure("t\nO\nH 1 R\n\nR=long\n\n*ACES2(CALC=HF)\n").find("ZMAT:5"),
            std::string::npos);
  EXPECT_NE(failure("t\nQq 0 0 0\n\n*ACES2(CALC=HF)\n").find("ZMAT:2"), std::string::npos);
  EXPECT_NE(failure("t\nO 0 0 0\n\n*ACES2(CALC=HF\n").find("not closed"), std::string::npos);
  EXPECT_NE(failure("t\nO 0 0 0\n").find("no keywords"), std::string::npos);
  EXPECT_NE(failure("").find("title line"), std::string::npos);
  EXPECT_NE(failure("t\nO 0 0 0\n\n*ACES2(CALC=HF)\n").find("ZMAT:4: no basis set is given"),
            std::string::npos);
  EXPECT_NE(failure("H 0 0 0\nF 0 0 1.7\n\n*ACES2(CALC=HF)\n").find("looks like an atom"),
            std::string::npos);
  EXPECT_NE(failure("t\nO 0 0 nan\n\n*ACES2(CALC=HF)\n").find("ZMAT:2"), std::string::npos);
  const auto sip = [&](std::string_view line) {
    return failure(std::string(head) + "*ACES2(BASIS=STO-3G)\n\n*SIP\n" + std::string(line));
  };
  EXPECT_NE(sip("SIAL_PROGRAM = a.sialx b.sialx\n").find("ZMAT:8: a line of *SIP"),
            std::string::npos);
  EXPECT_NE(sip("MAXMEM = lots\n").find("ZMAT:8"), std::string::npos);
  EXPECT_NE(sip("MAXMEM=17592186044416\n").find("ZMAT:8"), std::string::npos);
}

TEST(Zmat, IsReadBackFromTheTextOfItsJob) {
  const input::Spec spec =
      parse_zmat(
          "t\nO\nH 1 R\nH 1 R 2 "
          "A\n\nR=0.9578\nA=104.478\n\n*ACES2(CALC=CCSD,BASIS=CC-PVDZ,DROPMO=1)\n",
          "ZMAT", "")
          .spec;
  EXPECT_EQ(input::parse_job(input::job_text(spec), "job.toml", ""), spec);
}

}  // namespace
}  // namespace blockyard::aces
