#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in the style of ACES4 from a ZMAT and from a .dat file: the energies of others.

The programs lie in chemistry/; that of CCSD, of some 1,600 lines, is written by rccsd.py.
"""

import subprocess
import unittest

import old_programs
import rccsd
from old_programs import ENTRIES, SEGMENTS, ProgramsTest

PROGRAMS = ["scf_rhf_coreh", "tran_rhf", "mp2_rhf", "rccsd_rhf", "rccsdpt"]
LIMIT_HARTREE = 1e-8

ZMAT = """water in the style of ACES      # with a comment
O 0.0 0.0 0.1173
H 0.0 0.7572 -0.4692
H 0.0 -0.7572 -0.4692

*ACES2(CALC=CCSD,BASIS=6-31G*,REF=RHF
COORD=CARTESIAN,SPHERICAL=ON,SCF_CONV=10
CC_CONV=9,CC_MAXCYC=40,MULT=1,CHARGE=0,SYM=NONE)
""" + SEGMENTS.format(7, 3, 7)


AMIDOGEN = """amidogen, an open shell
N 0.0 0.0 0.0
H 0.0 0.8025 0.6411
H 0.0 -0.8025 0.6411

*ACES2(CALC=HF,BASIS=6-31G*,REF=UHF,MULT=2,SCF_CONV=9)

*SIP
SIP_MX_SEGSIZE=7
SIP_MX_OCC_SEGSIZE=3
SIP_MX_VIRT_SEGSIZE=7
SIAL_PROGRAM = programs/scf_uhf.siox
SIAL_PROGRAM = programs/tran_uhf.siox
SIAL_PROGRAM = programs/mp2_uhf.siox
"""


def reference(molecule="h2o", frozen_core=False):
    for entry in ENTRIES:
        if (entry["molecule"], entry["basis"]) == (molecule, "6-31g*") and not entry["cart"]:
            if entry["frozen_core"] == frozen_core:
                return entry
    raise KeyError(molecule)


class OldPrograms(ProgramsTest):
    written = {"rccsd_rhf": rccsd.program}

    def setUp(self):
        super().setUp()
        self.write_zmat(ZMAT, PROGRAMS)

    def check(self, scalars):
        expected = reference()
        got = {"e_scf": scalars["scf_energy"], "e_ccsd": scalars["total_energy"],
               "e_mp2": scalars["scf_energy"] + scalars["mp2_energy"], "e_t": scalars["e_t"]}
        for name, energy in got.items():
            self.assertAlmostEqual(energy, expected[name], delta=LIMIT_HARTREE, msg=name)

    def test_a_zmat_with_programs_gives_the_energies_of_the_references(self):
        self.check(self.scalars("ZMAT", "-w", 2))

    def test_an_open_shell_runs_from_a_zmat_and_from_its_dat_file(self):
        (self.folder / "ZMAT").write_text(AMIDOGEN)
        self.blockyard("convert", "ZMAT", "job.dat")
        for words in (["ZMAT", "-w", 2], ["job.dat", "--programs", "programs", "-w", 1]):
            got = self.scalars(*words)
            expected = reference("nh2")
            self.assertAlmostEqual(got["scf_energy"], expected["e_scf"], delta=LIMIT_HARTREE)
            self.assertAlmostEqual(got["s2"], expected["S2"], delta=1e-6)
            self.assertAlmostEqual(got["total_energy"], expected["e_mp2"], delta=LIMIT_HARTREE)

    def test_dropped_orbitals_of_an_open_shell_stay_out_of_what_is_behind_the_scf(self):
        (self.folder / "ZMAT").write_text(AMIDOGEN.replace("MULT=2", "MULT=2,DROPMO=1"))
        got = self.scalars("ZMAT", "-w", 2)
        expected = reference("nh2", frozen_core=True)
        self.assertAlmostEqual(got["scf_energy"], expected["e_scf"], delta=LIMIT_HARTREE)
        self.assertAlmostEqual(got["total_energy"], expected["e_mp2"], delta=LIMIT_HARTREE)

    def test_super_instructions_of_a_molecule_give_what_theory_says(self):
        (self.folder / "ZMAT").write_text(ZMAT + "SIAL_PROGRAM = programs/guess.sialx\n")
        got = self.scalars("ZMAT", "-w", 1)
        self.assertAlmostEqual(got["electrons"], 10, delta=1e-6)   # tr D S of the atoms together
        self.assertEqual(got["occupied"], 5)
        self.assertEqual(got["dropped"], 1)        # oxygen 1s: columns of zeros
        self.assertEqual(got["ecp"], 0)
        self.assertAlmostEqual(got["nuc_z"], (8 * 0.1173 - 2 * 0.4692) / 0.52917721092, delta=1e-12)
        self.assertAlmostEqual(got["asymmetry"], 0, delta=1e-12)
        self.assertAlmostEqual(got["repulsion"], reference()["e_nuc"], delta=1e-9)

    def test_converting_a_job_tells_unused_names_in_a_line_for_each_file(self):
        program = "SIAL UNUSED\nINDEX I = 1,2\nINDEX J = 1,2\nPRINT \"x\"\nENDSIAL UNUSED\n"
        (self.programs / "unused.sialx").write_text(program)
        (self.folder / "ZMAT").write_text(ZMAT + "SIAL_PROGRAM = unused.siox\n")
        done = subprocess.run([old_programs.BLOCKYARD, "convert", "ZMAT", "job.dat", "--programs", "."], capture_output=True,
                              text=True, check=False, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn("2 declared names are never used", done.stderr)

    def test_the_dat_file_of_it_runs_the_same(self):
        self.blockyard("convert", "ZMAT", "job.dat")
        self.assertIn("int baocc = 1\n", self.blockyard("dump", "job.dat"))
        self.check(self.scalars("job.dat", "--programs", "programs", "-w", 1))

    def test_the_job_file_of_the_dat_file_runs_the_same(self):
        self.blockyard("convert", "ZMAT", "job.dat")
        self.blockyard("convert", "job.dat", "job.toml", "--programs", "programs")
        self.check(self.scalars("job.toml", "-w", 3))


if __name__ == "__main__":
    unittest.main()
