#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The results of a method besides energies: orbital energies, dipole moments, charges, diagnostics.

Reference values: PySCF 2.14.0, SCF converged to 1e-12 hartree, CCSD to 1e-11."""

import unittest

import common

WATER = common.WATER + '[basis]\nname = "cc-pvdz"\n[method]\nfrozen_core = 1\nname = "{}"\n'
HYDROXYL = ('title = "hydroxyl"\n[molecule]\ngeometry = """\nO 0 0 0\nH 0 0 0.9697\n"""\nmultiplicity = 2\n'
            '[basis]\nname = "cc-pvdz"\n[method]\nname = "ccsd"\nfrozen_core = 1\n')
LIMIT = 1e-6


class Properties(common.JobTest):
    def assert_close(self, values, references, limit=LIMIT):
        for value, reference in zip(values, references, strict=False):
            self.assertAlmostEqual(value, reference, delta=limit)

    def test_a_closed_shell(self):
        results = self.results_of("run", self.write("job.toml", WATER.format("ccsd-density")), "-w", "2")
        self.assertEqual(results["geometry"]["atoms"], ["O", "H", "H"])
        self.assertAlmostEqual(results["geometry"]["bohr"][1][1], 0.7572 / 0.52917721092, delta=1e-12)
        (orbitals,) = results["orbitals"]
        self.assertEqual((orbitals["spin"], orbitals["occupied"], len(orbitals["hartree"])), ("both", 5, 24))
        self.assert_close(orbitals["hartree"], [-20.550538026, -1.336447826, -0.698951268, -0.566543441,
                                                -0.493120572, 0.185474159, 0.256179455, 0.788824491])
        self.assertEqual((orbitals["homo"], orbitals["lumo"]), tuple(orbitals["hartree"][4:6]))
        self.assertAlmostEqual(results["dipoles_debye"]["scf"], 2.0573608771, delta=1e-5)
        self.assert_close(results["charges"]["scf"]["mulliken"], [-0.306050248, 0.153025124, 0.153025124])
        self.assertAlmostEqual(sum(results["charges"]["ccsd"]["mulliken"]), 0, delta=LIMIT)
        self.assert_close([results["diagnostics"]["ccsd"]["t1"], results["diagnostics"]["ccsd"]["d1"]],
                          [0.005888954, 0.011132630])

    def test_an_open_shell(self):
        results = self.results_of("run", self.write("job.toml", HYDROXYL))
        alpha, beta = results["orbitals"]
        self.assertEqual((alpha["spin"], alpha["occupied"], beta["spin"], beta["occupied"]), ("alpha", 5, "beta", 4))
        self.assert_close(alpha["hartree"], [-20.626246018, -1.374465745, -0.666537261, -0.638617270, -0.544997644,
                                             0.184859653])
        self.assert_close(beta["hartree"], [-20.586291790, -1.218842488, -0.623621305, -0.499188427, 0.137680617])
        charges = results["charges"]["scf"]
        self.assert_close(charges["mulliken"], [-0.184502665, 0.184502665])
        self.assert_close(charges["spin"], [1.048511555, -0.048511555])
        self.assert_close([results["diagnostics"]["ccsd"]["t1"], results["diagnostics"]["ccsd"]["d1"]],
                          [0.005753216, 0.013893832])

    def test_a_closed_shell_over_spin_orbitals_has_the_same(self):
        text = WATER.format("ccsd") + "unrestricted = true\n"
        results = self.results_of("run", self.write("job.toml", text))
        self.assert_close([results["diagnostics"]["ccsd"]["t1"], results["diagnostics"]["ccsd"]["d1"]],
                          [0.005888954, 0.011132630])
        self.assert_close(results["charges"]["scf"]["mulliken"], [-0.306050248, 0.153025124, 0.153025124])
        self.assert_close(results["charges"]["scf"]["spin"], [0, 0, 0])

    def test_the_text_has_them_without_negative_zeros(self):
        text = self.run_well("run", self.write("job.toml", WATER.format("ccsd"))).stdout
        for part in ("geometry", "0.75720000", "HOMO", "LUMO", "dipole moments, debye", "2.057361",
                     "Mulliken, SCF", "-0.306050", "T1", "0.005889"):
            self.assertIn(part, text)
        self.assertNotRegex(text, r"-0\.0+(?![0-9])")

    def test_quiet_prints_the_final_table_only(self):
        text = self.run_well("run", self.write("job.toml", WATER.format("mp2")), "--quiet").stdout
        self.assertTrue(text.lstrip().startswith("energies"), text)
        self.assertNotIn("iteration", text)

    def test_a_summary_of_energies_is_one_line(self):
        text = self.run_well("run", self.write("job.toml", HYDROXYL), "--summary", "energies").stdout
        self.assertRegex(text, r"^hydroxyl: SCF -75\.3938460335  MP2 -75\.\d{10}  CCSD -75\.5575371\d{3}  hartree\n$")


if __name__ == "__main__":
    unittest.main()
