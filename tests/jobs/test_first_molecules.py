#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The smallest molecules, with which everybody begins: no electrons or no virtual orbitals of one spin, one function,
nothing to correlate; and a sweep of atoms, ions, molecules and radicals against PySCF on the same basis data. A short
choice of the sweep, or with SWEEP=1 all of it."""

import json
import os
import unittest

import common

SWEEP = json.loads((common.REFERENCES.parent / "sweep.json").read_text(encoding="utf-8"))["entries"]
CHOICE = {
    "sto-3g": ["H", "He", "H-", "He+", "H2", "H2 triplet", "H2+", "N", "Ne", "OH"],
    "6-31g": ["H", "He triplet", "H3+"],
}
LIMIT_HARTREE = 1e-8

H2 = "H 0 0 0\nH 0 0 0.74"


def job(geometry, basis, method, charge=0, multiplicity=1, options=""):
    return (f'[molecule]\ngeometry = """\n{geometry}\n"""\ncharge = {charge}\nmultiplicity = {multiplicity}\n'
            f'[basis]\nname = "{basis}"\n[method]\nname = "{method}"\n{options}\n[run]\nworkers = 1\n')


class FirstMolecules(common.JobTest):
    def results(self, *arguments, **keywords):
        return self.results_of("run", self.write("job.toml", job(*arguments, **keywords)))

    def check_zero(self, results, keys):
        for key in keys:
            self.assertEqual(results["energies"][key], 0.0, key)
        self.assertIn("nothing to correlate", results["note"])
        self.assertTrue(results["converged"])

    def test_sweep_agrees_with_pyscf(self):
        for entry in SWEEP:
            if "SWEEP" not in os.environ and entry["species"] not in CHOICE.get(entry["basis"], []):
                continue
            with self.subTest(species=entry["species"], basis=entry["basis"]):
                found = self.results("\n".join(entry["geometry_angstrom"]), entry["basis"], "ccsd(t)",
                                     entry["charge"], entry["multiplicity"])["energies"]
                for key in ["nuclear", "scf", "mp2_correlation", "ccsd_correlation", "triples_correction"]:
                    self.assertAlmostEqual(found[key], entry[key], delta=LIMIT_HARTREE, msg=key)

    def test_nothing_to_correlate_is_an_energy_of_zero_and_a_note(self):
        helium = self.results("He 0 0 0", "sto-3g", "ccsd(t)")
        self.check_zero(helium, ["mp2_correlation", "ccsd_correlation", "triples_correction"])
        self.assertEqual(helium["energies"]["ccsd_t"], helium["energies"]["scf"])
        self.check_zero(self.results("He 0 0 0", "sto-3g", "mp2", options="unrestricted = true\nstability = \"check\""),
                        ["mp2_correlation"])
        frozen = self.results("Li 0 0 0", "6-31g", "ccd", charge=1, options="frozen_core = true")
        self.check_zero(frozen, ["mp2_correlation", "ccd_correlation"])
        self.assertIn("frozen core", frozen["note"])
        density = self.results("He 0 0 0", "sto-3g", "ccsd-density")
        self.assertEqual(density["dipoles"]["ccsd"], density["dipoles"]["scf"])
        text = self.run_well("run", self.write("job.toml", job("He 0 0 0", "sto-3g", "ccsd"))).stdout
        self.assertIn("nothing to correlate", text)

    def test_excited_states_are_refused_where_there_are_none(self):
        for method, geometry, multiplicity in [("cis", "He 0 0 0", 1), ("eom-ccsd", "He 0 0 0", 1),
                                               ("eom-ccsd", "H 0 0 0", 2)]:
            path = self.write("job.toml", job(geometry, "sto-3g", method, multiplicity=multiplicity))
            self.assert_fails(self.run_blockyard("run", path), "there are no excited states")

    def test_excited_states_of_one_excitation(self):
        # Minimal H2: the singlet is the eigenvalue of [ionic, doubly excited] of the other symmetry alone.
        singlet = self.results(H2, "sto-3g", "eom-ccsd", options="roots = 1")["excitations"]["eom_ccsd"]["hartree"]
        triplet = self.results(H2, "sto-3g", "eom-ccsd",
                               options="roots = 1\ntriplets = true")["excitations"]["eom_ccsd"]["hartree"]
        both = self.results(H2, "sto-3g", "eom-ccsd",
                            options="roots = 2\nunrestricted = true")["excitations"]["eom_ccsd"]["hartree"]
        self.assertLess(triplet[0], singlet[0])
        self.assertAlmostEqual(both[0], triplet[0], delta=1e-6)
        self.assertAlmostEqual(both[1], singlet[0], delta=1e-6)

    def test_as_many_states_as_there_are_unless_more_are_asked_for(self):
        for method, name in (("cis", "cis"), ("eom-ccsd", "eom_ccsd")):
            usual = self.results(H2, "sto-3g", method)["excitations"][name]["hartree"]
            one = self.results(H2, "sto-3g", method, options="roots = 1")["excitations"][name]["hartree"]
            self.assertEqual(len(usual), 1)
            self.assertAlmostEqual(usual[0], one[0], delta=1e-8)
        path = self.write("job.toml", job(H2, "sto-3g", "cis", options="roots = 3"))
        self.assert_fails(self.run_blockyard("run", path), "so 1 to 1 roots")

    def test_electrons_of_one_spin_only(self):
        for options in ["", "reference = \"rohf\"", "integrals = \"cholesky\"\ncholesky_threshold = 1e-9",
                        "integrals = \"df\"", "stability = \"check\"", "scf_guess = \"core\""]:
            with self.subTest(options=options):
                found = self.results("H 0 0 0", "cc-pvdz", "ccsd(t)", multiplicity=2, options=options)["energies"]
                for key in ["mp2_correlation", "ccsd_correlation", "triples_correction"]:
                    self.assertAlmostEqual(found[key], 0.0, delta=1e-12, msg=key)
        states = self.results("H 0 0 0", "cc-pvdz", "eom-ccsd", multiplicity=2, options="roots = 1")
        self.assertGreater(states["excitations"]["eom_ccsd"]["hartree"][0], 0.3)
        self.results("H 0 0 0", "cc-pvdz", "ccsd-density", multiplicity=2)

    def test_no_virtual_orbitals_of_one_spin(self):
        for method in ["ccsd-density", "eom-ccsd"]:
            self.results("N 0 0 0", "sto-3g", method, multiplicity=4, options="roots = 1")
        exact = self.results("N 0 0 0", "sto-3g", "ccsd(t)", multiplicity=4)["energies"]
        near = self.results("N 0 0 0", "sto-3g", "ccsd(t)", multiplicity=4,
                            options="integrals = \"cholesky\"\ncholesky_threshold = 1e-10")["energies"]
        self.assertAlmostEqual(near["ccsd_t"], exact["ccsd_t"], delta=1e-7)

    def test_begins_from_saved_amplitudes(self):
        path = self.write("job.toml", job("N 0 0 0", "sto-3g", "ccsd", multiplicity=4))
        first = self.results_of("run", path, "--save", "n.h5")
        again = self.results_of("run", path, "--guess", "n.h5")
        self.assertAlmostEqual(again["energies"]["ccsd"], first["energies"]["ccsd"], delta=1e-8)
        self.assertLessEqual(again["iterations"]["ccsd"], first["iterations"]["ccsd"])


if __name__ == "__main__":
    unittest.main()
