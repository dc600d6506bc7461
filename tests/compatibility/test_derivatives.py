#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of thousands of lines in the style of ACES4 after CCSD: LCCSD, Lambda with the dipole moment, CIS,
CIS(D) and EOM-CCSD, from a ZMAT and from its .dat file.
"""

import unittest

import cis_d
import eom
import lccsd
import rccsd
import rlambda
from old_programs import ENTRIES, SEGMENTS, ProgramsTest

WRITTEN = {"rccsd_rhf": rccsd.program, "rlambda_rhf": rlambda.program, "lccsd_rhf": lccsd.program,
           "eom_ccsd_rhf_right": eom.program, "rcis_d_rhf": cis_d.program}

ZMAT = """water in a minimal basis
O 0.0 -0.07579183813472694 0.0
H 0.8668117665907855 0.6014357359898315 0.0
H -0.8668117665907855 0.6014357359898315 0.0

*ACES2(CALC=METHOD,BASIS=STO-3G,REF=RHF
COORD=CARTESIAN,SPHERICAL=ON,SCF_CONV=10
CC_CONV=10,CC_MAXCYC=60,MULT=1,CHARGE=0,SYM=NONE)
""" + SEGMENTS.format(5, 3, 2)


def reference():
    for entry in ENTRIES:
        if entry["molecule"] == "h2o_crawford":
            return entry
    raise KeyError("h2o_crawford")


class Derivatives(ProgramsTest):
    written = WRITTEN

    def zmat(self, programs, method="CCSD"):
        self.write_zmat(ZMAT.replace("METHOD", method), programs.split())

    def check_roots(self, got, expected):
        for number, energy in enumerate(expected, 1):
            self.assertAlmostEqual(got[f"root_{number}"], energy, delta=1e-6)

    def test_the_dipole_moment_and_excitation_energies_are_those_of_the_references(self):
        self.zmat("scf_rhf_coreh tran_rhf mp2_rhf rccsd_rhf rlambda_rhf eom_ccsd_rhf_right")
        got = self.scalars("ZMAT", "-w", 2, "--set", "eom_subspc=40")
        expected = reference()
        self.assertAlmostEqual(got["scf_energy"], expected["e_scf"], delta=1e-8)
        self.assertAlmostEqual(got["total_energy"], expected["e_ccsd"], delta=1e-8)
        for axis, value in zip("xyz", expected["dipole_ccsd_unrelaxed_au"]):
            self.assertAlmostEqual(got["dipole_" + axis], value, delta=1e-6)
        self.check_roots(got, expected["eom_singlet_hartree"])

    def test_the_dat_file_gives_the_dipole_moment_too(self):
        self.zmat("scf_rhf_coreh tran_rhf mp2_rhf rccsd_rhf rlambda_rhf")
        self.blockyard("convert", "ZMAT", "job.dat")
        got = self.scalars("job.dat", "--programs", "programs", "-w", 1, "--check")
        self.assertAlmostEqual(got["dipole_y"], reference()["dipole_ccsd_unrelaxed_au"][1], delta=1e-6)

    def test_arrays_of_the_molecule_are_there_from_a_zmat_and_from_a_dat_file(self):
        self.zmat("asks_for_the_molecule")
        self.blockyard("convert", "ZMAT", "job.dat")
        bohr = 0.52917721092
        centre = (-8 * 0.07579183813472694 + 2 * 0.6014357359898315) / bohr
        for words in (["ZMAT"], ["job.dat", "--programs", "programs"]):
            got = self.scalars(*words, "-w", 1)
            self.assertAlmostEqual(got["centre_y"], centre, delta=1e-9)
            self.assertEqual((got["momenta"], got["primitives"], got["orbitals"]), (1, 15, 7))

    def test_an_scf_program_has_the_dropped_orbitals_and_those_behind_it_do_not(self):
        self.zmat("", "CCSD,DROPMO=1")
        total = self.results("ZMAT")["energies"]["ccsd"]
        self.zmat("scf_rhf_coreh tran_rhf mp2_rhf rccsd_rhf", "CCSD,DROPMO=1")
        self.assertAlmostEqual(self.scalars("ZMAT", "-w", 2)["total_energy"], total, delta=1e-8)
        self.blockyard("convert", "ZMAT", "job.dat")
        got = self.scalars("job.dat", "--programs", "programs", "-w", 1)
        self.assertAlmostEqual(got["total_energy"], total, delta=1e-8)

    def test_cis_cis_d_and_lccsd_give_what_our_own_programs_give(self):
        self.zmat("", "CIS")
        states = self.results("ZMAT")["excitations"]["cis"]["hartree"]
        self.zmat("", "SCF,EXCITE=CIS(D)")
        corrected = self.results("ZMAT")["excitations"]["cis_d"]["hartree"][0]
        self.zmat("", "LCCSD")
        total = self.results("ZMAT")["energies"]["lccsd"]
        self.zmat("scf_rhf_coreh tran_rhf rcis_rhf rcis_d_rhf mp2_rhf lccsd_rhf")
        got = self.results("ZMAT", "-w", 2, "--set", "eom_subspc=20")["scalars"]
        self.check_roots(got, states)
        self.assertAlmostEqual(got["cis_d_energy"], corrected, delta=1e-6)
        self.assertAlmostEqual(got["total_energy"], total, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
