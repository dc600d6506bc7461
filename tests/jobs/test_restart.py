#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job starts from the orbitals and amplitudes that an earlier one saved, or says why it cannot."""

import unittest

import common
from common import job_file


class Restart(common.MoleculeTest):
    def job(self, entry, method, options=""):
        return self.write("job.toml", job_file(entry, method, options))

    def test_saved_amplitudes_need_few_iterations(self):
        entry = self.entry("h2o", "cc-pvdz", frozen=True)
        first = self.results_of("run", self.job(entry, "ccsd"), "-w", 2, "--save", "water.h5")
        self.assertGreater(first["iterations"]["ccsd"], 8)
        path = self.job(entry, "ccsd(t)")
        for more in (["-w", 1], ["-w", 3, "--segments", "occupied=2", "--segments", "virtual=7"]):
            again = self.results_of("run", path, "--guess", "water.h5", *more)
            self.compare(entry, again, common.ENERGIES)
            self.assertLessEqual(again["iterations"]["ccsd"], 2)
            self.assertLessEqual(again["iterations"]["scf"], 3)

    def test_iterations_that_were_too_few_go_on(self):
        entry = self.entry("h2o", "6-31g*")
        path = self.job(entry, "ccsd", "cc_iterations = 4")
        self.assert_fails(self.run_blockyard("run", path, "--save", "part.h5"), "ccsd_rhf did not converge",
                          "--guess part.h5")
        results = self.results_of("run", self.job(entry, "ccsd"), "--guess", "part.h5", "--save", "part.h5")
        self.compare(entry, results, ["scf", "mp2", "ccsd"])
        again = self.results_of("run", self.job(entry, "lccd"), "--guess", "part.h5")
        self.assertTrue(again["converged"])
        other = self.results_of("run", self.job(entry, "lccd"))
        self.assertLess(abs(other["energies"]["lccd"] - again["energies"]["lccd"]), 1e-8)

    def test_orbitals_of_equal_energy_may_turn_and_the_molecule_may_move(self):
        entry = self.entry("hf", "cc-pvdz")
        first = self.results_of("run", self.job(entry, "ccsd"), "--save", "hf.h5")
        moved = dict(entry, geometry_angstrom=[["F", 0, 0, 0], ["H", 0.3, 0.4, 0.7641]])
        path = self.job(moved, "ccsd")
        near = self.results_of("run", path, "--guess", "hf.h5")
        self.assertLess(abs(near["energies"]["ccsd"] - self.results_of("run", path)["energies"]["ccsd"]), 1e-8)
        stretched = dict(entry, geometry_angstrom=[["F", 0, 0, 0], ["H", 0, 0, 0.9178]])
        path = self.job(stretched, "ccsd")
        near = self.results_of("run", path, "--guess", "hf.h5")
        self.assertLess(abs(near["energies"]["ccsd"] - self.results_of("run", path)["energies"]["ccsd"]), 1e-8)
        self.assertLess(near["iterations"]["ccsd"], first["iterations"]["ccsd"])

    def test_amplitudes_of_a_shorter_bond_start_a_long_one(self):
        # By themselves the iterations for the long one wander about. PySCF 2.14.0: RHF, RCCSD.
        job = ('[molecule]\ngeometry = "N 0 0 0\\nN 0 0 %s"\n[basis]\nname = "6-31g"\n'
               '[method]\nname = "ccsd"\nfrozen_core = 2\n[run]\nworkers = 1\n')
        self.results_of("run", self.write("job.toml", job % 1.8), "--save", "n2.h5")
        energies = self.results_of("run", self.write("job.toml", job % 2.2), "--guess", "n2.h5")["energies"]
        self.assertAlmostEqual(energies["scf"], -108.2164627906, delta=1e-8)
        self.assertAlmostEqual(energies["ccsd"], -108.92052723, delta=1e-7)

    def test_saved_multipliers_need_few_iterations(self):
        for molecule, frozen in (("hf", True), ("oh", False)):
            with self.subTest(molecule=molecule):
                entry = self.entry(molecule, "cc-pvdz", frozen=frozen)
                path = self.job(entry, "ccsd-density")
                first = self.results_of("run", path, "-w", 2, "--save", "saved.h5")
                self.assertGreater(first["iterations"]["lambda"], 6)
                again = self.results_of("run", path, "--guess", "saved.h5", "-w", 3, "--segments", "virtual=6")
                self.assertLessEqual(again["iterations"]["ccsd"], 2)
                self.assertLessEqual(again["iterations"]["lambda"], 2)
                self.compare(entry, again, ["scf", "ccsd"])
                self.compare_dipole(entry, again, "ccsd", "dipole_ccsd_unrelaxed_au")

    def test_open_shells(self):
        entry = self.entry("oh", "cc-pvdz")
        path = self.job(entry, "ccsd")
        self.results_of("run", path, "-w", 2, "--save", "oh.h5")
        again = self.results_of("run", path, "-w", 2, "--guess", "oh.h5", "--segments", "virtual=9")
        self.compare(entry, again, ["scf", "mp2", "ccsd"])
        self.assertLessEqual(again["iterations"]["ccsd"], 2)
        self.assertLessEqual(again["iterations"]["scf"], 3)

    def test_orbitals_alone_are_a_start_too(self):
        entry = self.entry("h2o", "6-31g*")
        self.results_of("run", self.job(entry, "scf"), "--save", "scf.h5")
        results = self.results_of("run", self.job(entry, "ccsd"), "--guess", "scf.h5")
        self.compare(entry, results, ["scf", "mp2", "ccsd"])
        self.assertLessEqual(results["iterations"]["scf"], 3)

    def iterations_from(self, guess, entry, options="", method="scf"):
        """SCF iterations from the usual start, and from the file; the energies are the same."""
        path = self.job(entry, method, options)
        usual, started = self.results_of("run", path), self.results_of("run", path, "--guess", guess)
        self.compare(entry, started, ["scf"])
        self.assertLess(abs(usual["energies"]["scf"] - started["energies"]["scf"]), common.SAME_HARTREE)
        return usual["iterations"]["scf"], started["iterations"]["scf"]

    def test_amplitudes_of_another_charge_do_not_matter_to_orbitals(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        self.results_of("run", self.job(entry, "ccsd"), "--save", "water.h5")
        for method in "scf", "mp2", "cis":
            job = self.job(entry | {"charge": 2}, method)
            energies = [self.results_of("run", job, *more)["energies"][method if method == "mp2" else "scf"]
                        for more in ([], ["--guess", "water.h5"])]
            self.assertAlmostEqual(*energies, 7)

    def test_orbitals_of_another_basis_are_projected(self):
        self.results_of("run", self.job(self.entry("h2o", "cc-pvtz"), "scf"), "--save", "large.h5")
        self.results_of("run", self.job(self.entry("h2o", "6-31g*"), "ccsd"), "--save", "small.h5")
        for guess, basis in (("small.h5", "cc-pvtz"), ("large.h5", "cc-pvdz"), ("small.h5", "cc-pvdz")):
            with self.subTest(guess=guess, basis=basis):
                usual, started = self.iterations_from(guess, self.entry("h2o", basis))
                self.assertLess(started, usual)
        results = self.results_of("run", self.job(self.entry("h2o", "cc-pvdz"), "ccsd"), "--guess", "small.h5")
        self.compare(self.entry("h2o", "cc-pvdz"), results, ["scf", "mp2", "ccsd"])

    def test_orbitals_of_an_open_shell_are_projected(self):
        self.results_of("run", self.job(dict(self.entry("oh", "cc-pvdz"), basis="6-31g*"), "scf"), "--save", "oh.h5")
        usual, started = self.iterations_from("oh.h5", self.entry("oh", "cc-pvdz"))
        self.assertLess(started, usual)

    def test_another_basis_is_computed_first(self):
        for molecule, options, basis in (("h2o", "", "6-31g"), ("oh", "", "6-31g*"), ("oh", 'reference = "rohf"', "sto-3g")):
            with self.subTest(molecule=molecule, options=options):
                path = self.job(self.entry(molecule, "cc-pvdz"), "scf", options)
                usual = self.results_of("run", path)
                started = self.results_of("run", path, "--guess", f"basis:{basis}")
                self.assertLess(abs(usual["energies"]["scf"] - started["energies"]["scf"]), common.SAME_HARTREE)
                self.assertNotEqual(started["iterations"]["scf"], usual["iterations"]["scf"])
        water = self.job(self.entry("h2o", "cc-pvdz"), "ccsd", '[run]\nguess = "basis:6-31g"')
        self.compare(self.entry("h2o", "cc-pvdz"), self.results_of("run", water), ["scf", "mp2", "ccsd"])
        states = "triplets = true\nroots = 1"  # with orbitals of both spins, unlike SCF of the guess
        found = [self.results_of("run", self.job(self.entry("h2o", "6-31g*"), "eom-ccsd", states), *guess)["energies"]
                 for guess in ([], ["--guess", "basis:sto-3g"])]
        self.assertLess(abs(found[0]["ccsd"] - found[1]["ccsd"]), common.LIMIT_HARTREE)
        hydrogen = self.write("h.xyz", "1\n\nH 0 0 0\n")  # no orbital of one spin is occupied
        self.run_well("run", hydrogen, "--method", "scf", "--basis", "cc-pvdz", "--multiplicity", 2, "--guess", "basis:sto-3g")
        self.assert_fails(self.run_blockyard("run", water, "--guess", "basis:sto-3h"), "the guess basis:sto-3h", "STO-3G")
        iodide = self.write("hi.xyz", "2\n\nH 0 0 0\nI 0 0 1.6\n")  # 28 electrons of iodine have no orbitals
        self.assert_fails(self.run_blockyard("run", iodide, "--method", "scf", "--basis", "def2-svp", "--guess", "basis:sto-3g"),
                          "the guess basis:sto-3g", "atom 2 (I) has an effective core of 0 electrons, here of 28")

    def test_the_guess_of_an_earlier_run_is_not_kept(self):
        guess = ["--guess", "basis:sto-3g", "--persistent", "kept.h5"]
        for basis in ("6-31g", "cc-pvdz"):  # orbitals of other lengths
            entry = dict(self.entry("h2o", "cc-pvdz"), basis=basis)
            results = self.results_of("run", self.job(entry, "ccsd"), *guess)
        self.compare(self.entry("h2o", "cc-pvdz"), results, ["scf", "mp2", "ccsd"])

    def test_unrestricted_orbitals_start_from_restricted_ones(self):
        entry = self.entry("h2o", "6-31g*")
        self.results_of("run", self.job(entry, "ccsd"), "--save", "closed.h5")
        usual, started = self.iterations_from("closed.h5", entry, "unrestricted = true")
        self.assertLess(started, usual)
        self.assertLessEqual(started, 3)
        _, of_another_basis = self.iterations_from("closed.h5", self.entry("h2o", "cc-pvdz"), "unrestricted = true")
        self.assertGreater(of_another_basis, started)
        self.results_of("run", self.job(entry, "ccsd", "unrestricted = true"), "--save", "open.h5")
        self.assertLessEqual(self.iterations_from("open.h5", entry)[1], 3)

    def test_what_does_not_fit_is_refused(self):
        entry = self.entry("h2o", "6-31g*")
        self.results_of("run", self.job(entry, "ccsd"), "--save", "water.h5")
        for other, why in ((self.entry("hf", "cc-pvdz"), "it has 3 atoms, here there are 2"),
                           (dict(self.entry("nh2", "6-31g*"), basis="cc-pvdz"), "atom 1 is O, here it is N")):
            other = self.job(other, "scf")
            self.assert_fails(self.run_blockyard("run", other, "--guess", "water.h5"), "does not fit this molecule", why)
        cartesian = self.job(dict(entry, cart=True), "scf")
        self.assert_fails(self.run_blockyard("run", cartesian, "--guess", "water.h5"), "both Cartesian")
        frozen = self.job(self.entry("h2o", "6-31g*", frozen=True), "ccsd")
        self.assert_fails(self.run_blockyard("run", frozen, "--guess", "water.h5"), "cc_t1 is 13 x 5, here it is 13 x 4")
        self.assert_fails(self.run_blockyard("run", frozen, "--guess", "none.h5"), "no such guess file: none.h5")
        self.write("text.h5", "not HDF5")
        self.assert_fails(self.run_blockyard("run", frozen, "--guess", "text.h5"), "text.h5")
        own = self.write("own.sial", "sial own\naoindex i = 1:1\nstatic s[i]\nset_persistent s \"s\"\nendsial own\n")
        self.run_well("run", own, "--segments", "ao=2", "--persistent", "own.h5")
        self.assert_fails(self.run_blockyard("run", frozen, "--guess", "own.h5"), "holds no orbitals")
        program = self.write("own.sial", "sial own\nendsial own\n")
        self.assert_fails(self.run_blockyard("run", program, "--save", "own.h5"), "for the methods")


if __name__ == "__main__":
    unittest.main()
