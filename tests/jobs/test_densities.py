#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multipliers, density and dipole moment of CCSD are those of other programs and those of our program over spin orbitals."""

import unittest

import common
from common import job_file

LIMIT = 1e-9  # of a multiplier and an element of the density
TIGHT = """scf_energy_convergence = 1e-12
scf_density_convergence = 1e-10
cc_energy_convergence = 1e-11
cc_amplitude_convergence = 1e-10"""


class Densities(common.MoleculeTest):
    def test_dipole_moments(self):
        for entry, workers, more in (
                (self.entry("h2o_crawford", "sto-3g"), 1, ["--segments", "occupied=2"]),
                (self.entry("h2o", "cc-pvdz"), 2, ["-s", 2, "--segments", "virtual=5"]),
                (self.entry("h2o", "cc-pvdz", frozen=True), 2, []),
                (self.entry("hf", "cc-pvdz"), 3, ["--memory", "20M"]),
                (self.entry("hf", "cc-pvdz", frozen=True), 1, ["--segments", "moa=1,4,4,10"])):
            with self.subTest(molecule=entry["molecule"], frozen=entry["frozen_core"]):
                path = self.write("job.toml", job_file(entry, "ccsd-density") + "[segments]\nao = 7\n")
                results = self.results_of("run", path, "-w", workers, *more)
                self.compare(entry, results, ["scf", "ccsd"])
                self.compare_dipole(entry, results, "scf", "dipole_scf_au")
                self.compare_dipole(entry, results, "ccsd", "dipole_ccsd_unrelaxed_au")

    def kept(self, entry, options, *more):
        """Arrays that `ccsd-density` keeps, indexes in our order."""
        import h5py
        path = self.write("job.toml", job_file(entry, "ccsd-density", f"{TIGHT}\n{options}"))
        name = self.folder / "kept.h5"
        name.unlink(missing_ok=True)
        self.run_well("run", path, "--persistent", name, *more)
        with h5py.File(name) as file:
            return {label: array[()].T for label, array in file["arrays"].items()}

    def same(self, one, other, what):
        self.assertEqual(one.shape, other.shape)
        self.assertLess(abs(one - other).max(), LIMIT, what)

    def check_with_spin_orbitals(self, entry, ways, options="", ours_alone=""):
        try:
            import h5py  # noqa: F401
            import numpy
        except ImportError:
            self.skipTest("numpy or h5py is not there")
        spin = self.kept(entry, "unrestricted = true\n" + options, "-w", 2)
        for more in ways:
            with self.subTest(options=more):
                ours = self.kept(entry, f"{options}\n{ours_alone}", *more)
                virtuals, occupied = ours["cc_l1"].shape
                frozen = entry["frozen_core_orbitals"]

                def turns(orbitals):
                    """From orbitals of the restricted job to these: signs, and rotations within one energy."""
                    turn = numpy.linalg.solve(orbitals, ours["mo_coefficients"])
                    active = slice(frozen, frozen + occupied)
                    return turn[frozen + occupied:, frozen + occupied:], turn[active, active]

                (va, oa), (vb, ob) = turns(spin["ca"]), turns(spin["cb"])
                l1 = va.T @ spin["so_l1"][:virtuals, :occupied] @ oa
                l2 = spin["so_l2"][:virtuals, :occupied, virtuals:, occupied:]
                l2 = numpy.einsum("aibj,ac,ik,bd,jl->ckdl", l2, va, oa, vb, ob, optimize=True)
                self.same(ours["cc_l1"], l1, "l1")
                self.same(ours["cc_l2"], l2, "l2")
                self.same(ours["ccsd_density"], spin["ccsd_density"], "density")
                self.same(ours["ccsd_density"], ours["ccsd_density"].T, "symmetry of the density")

    def test_multipliers_and_density_are_those_over_spin_orbitals(self):
        self.check_with_spin_orbitals(self.entry("h2o", "6-31g*"), [
            ["-w", 1], ["-w", 3, "-s", 2, "--segments", "occupied=2", "--segments", "virtual=5"],
            ["-w", 2, "--check", "--segments", "moa=3,2,1,9,3", "--pardo", "dynamic", "--seed", "3"]])
        self.check_with_spin_orbitals(self.entry("hf", "cc-pvdz", frozen=True), [["-w", 2, "--memory", "20M"]],
                                      ours_alone="[segments]\nao = 7")

    def test_integrals_made_anew_in_each_iteration_give_the_same(self):
        self.check_with_spin_orbitals(self.entry("hf", "cc-pvdz", frozen=True), [["-w", 2, "--segments", "virtual=6"]],
                                      'integrals = "df"', 'four_virtual = "recomputed"')

    def test_too_few_iterations_are_an_error(self):
        # From saved amplitudes CCSD is done in 3 iterations; the multipliers are not.
        path = self.write("job.toml", job_file(self.entry("h2o", "6-31g*"), "ccsd"))
        self.run_well("run", path, "--save", "water.h5")
        path = self.write("job.toml", job_file(self.entry("h2o", "6-31g*"), "ccsd-density", "cc_iterations = 3"))
        self.assert_fails(self.run_blockyard("run", path, "--guess", "water.h5"), "lambda_rhf did not converge")


if __name__ == "__main__":
    unittest.main()
