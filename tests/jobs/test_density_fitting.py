#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Density-fitted integrals give the energies that PySCF gives with the same auxiliary basis."""

import unittest

import common
from common import job_file

# PySCF 2.14.0, cc.CCSD(mf).density_fit(auxbasis=...): exact SCF, all correlated integrals fitted; the auxiliary sets
# are those of share/basis, version 1 of the Basis Set Exchange. Molecule, basis, auxiliary, frozen core:
# MP2, CCSD, (T) in hartree.
FITTED = {
    ("h2o", "cc-pvdz", "", True): (-76.22842289655547, -76.23814232161206, -0.003040539438604556),
    ("h2o", "cc-pvdz", "cc-pvtz-rifit", False): (-76.23075836593337, -76.24008725903158, -0.0030585496546979723),
    ("h2o", "cc-pvtz", "", False): (-76.33221813587404, -76.33816999654242, -0.007779440628045616),
    ("oh", "cc-pvdz", "", False): (-75.54483930637164, -75.55947698333367, -0.0017530834201127383),
}
LIMIT = 1e-8  # hartree


class DensityFitting(common.MoleculeTest):
    def write_job(self, entry, method, auxiliary="", options=""):
        text = job_file(entry, method, f'integrals = "df"\n{options}')
        if auxiliary:
            text = text.replace("[basis]\n", f'[basis]\nauxiliary = "{auxiliary}"\n')
        return self.write("job.toml", text)

    def check(self, case, *more, options=""):
        molecule, basis, auxiliary, frozen = case
        entry = self.entry(molecule, basis, frozen=frozen)
        results = self.results_of("run", self.write_job(entry, "ccsd(t)", auxiliary, options), *more)
        mp2, ccsd, triples = FITTED[case]
        energies = results["energies"]
        for key, value in (("scf", entry["e_scf"]), ("mp2", mp2), ("ccsd", ccsd), ("triples_correction", triples)):
            self.assertLess(abs(energies[key] - value), LIMIT, key)

    def test_closed_shells(self):
        self.check(("h2o", "cc-pvdz", "", True), "-w", 1)
        self.check(("h2o", "cc-pvdz", "cc-pvtz-rifit", False), "-w", 3, "--segments", "virtual=5")
        self.check(("h2o", "cc-pvtz", "", False), "-w", 2)

    def test_open_shells(self):
        self.check(("oh", "cc-pvdz", "", False), "-w", 2)

    def test_integrals_of_four_virtual_orbitals_need_not_be_kept(self):
        self.check(("h2o", "cc-pvdz", "", True), "-w", 2, "--segments", "virtual=7",
                   options='four_virtual = "recomputed"')

    def test_mp2_alone_needs_few_integrals(self):
        for molecule, frozen in (("h2o", True), ("oh", False)):
            entry = self.entry(molecule, "cc-pvdz", frozen=frozen)
            results = self.results_of("run", self.write_job(entry, "mp2"), "-w", 2)
            self.assertLess(abs(results["energies"]["mp2"] - FITTED[(molecule, "cc-pvdz", "", frozen)][0]), LIMIT)

    def test_excitation_energies_come_nearer_with_a_larger_auxiliary_basis(self):
        entry = self.entry("h2o", "cc-pvdz", frozen=True)
        for auxiliary, limit in (("", 1e-3), ("cc-pvqz-rifit", 2e-5)):
            results = self.results_of("run", self.write_job(entry, "eom-ccsd", auxiliary), "-w", 2)
            for value, exact in zip(results["excitations"]["eom_ccsd"]["hartree"], entry["eom_singlet_hartree"]):
                self.assertLess(abs(value - exact), limit, auxiliary)

    def test_what_cannot_be_is_refused(self):
        entry = self.entry("h2o", "6-31g*")
        self.assert_fails(self.run_blockyard("run", self.write_job(entry, "mp2")),
                          "unknown basis set '6-31g*-RIFIT'", "[basis] auxiliary", "cc-pVDZ-RIFIT")
        self.write("own.nw", "H S\n 1.3 1.0\nO S\n 3.5 1.0\nO P\n 2.2 1.0\n")
        self.write_job(dict(entry, basis="own"), "mp2")
        text = (self.folder / "job.toml").read_text().replace('name = "own"', 'file = "own.nw"')
        self.assert_fails(self.run_blockyard("run", self.write("own.toml", text)),
                          "the basis has no name, and no fitting set belongs to it", "auxiliary_file")
        entry = self.entry("oh", "cc-pvdz")
        path = self.write_job(entry, "ccsd", options='four_virtual = "recomputed"')
        self.assert_fails(self.run_blockyard("run", path), "closed shell")


if __name__ == "__main__":
    unittest.main()
