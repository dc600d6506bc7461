#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Energies from Cholesky vectors come as near to the exact ones as their threshold says."""

import json
import unittest

import common
from common import job_file


class Cholesky(common.MoleculeTest):
    def run_with(self, entry, method, threshold, *more, options=""):
        path = self.write("job.toml", job_file(
            entry, method, f'integrals = "cholesky"\ncholesky_threshold = {threshold}\n{options}'))
        return self.results_of("run", path, *more)

    def check_near(self, entry, results, keys, limit):
        for key in keys:
            reference = entry[{"triples_correction": "e_t"}.get(key, "e_" + key)]
            self.assertLess(abs(results["energies"][key] - reference), limit, key)

    def test_a_tight_threshold_gives_the_exact_energies(self):
        for entry, more in ((self.entry("h2o", "cc-pvdz"), ["-w", 1]),
                            (self.entry("h2o", "6-31g*", frozen=True, cart=True),
                             ["-w", 3, "--segments", "occupied=2", "--segments", "virtual=5"])):
            results = self.run_with(entry, "ccsd(t)", 1e-8, *more)
            self.check_near(entry, results, ["mp2", "ccsd", "triples_correction", "ccsd_t"], 2e-7)
            self.check_near(entry, results, ["scf"], 1e-8)

    def test_open_shells(self):
        entry = self.entry("oh", "cc-pvdz")
        results = self.run_with(entry, "ccsd(t)", 1e-8, "-w", 2)
        self.check_near(entry, results, ["mp2", "ccsd", "triples_correction", "ccsd_t"], 2e-7)

    def test_the_error_follows_the_threshold(self):
        entry = self.entry("h2o", "cc-pvdz", frozen=True)
        for threshold, limit in ((1e-3, 1e-2), (1e-5, 1e-4)):
            results = self.run_with(entry, "mp2", threshold, "-w", 2)
            self.check_near(entry, results, ["mp2"], limit)
            self.assertGreater(abs(results["energies"]["mp2"] - entry["e_mp2"]), 1e-9)

    def test_integrals_of_four_virtual_orbitals_need_not_be_kept(self):
        entry = self.entry("h2o", "cc-pvdz", frozen=True)
        for method, key in (("ccsd(t)", "ccsd_t"), ("eom-ccsd", "ccsd")):
            results = self.run_with(entry, method, 1e-8, "-w", 2, "--segments", "virtual=7",
                                    options='four_virtual = "recomputed"')
            self.check_near(entry, results, [key], 2e-7)
        for value, reference in zip(results["excitations"]["eom_ccsd"]["hartree"], entry["eom_singlet_hartree"]):
            self.assertLess(abs(value - reference), 1e-6)

    def test_excited_states(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        results = self.run_with(entry, "eom-ccsd", 1e-9, "-w", 2)
        for value, reference in zip(results["excitations"]["eom_ccsd"]["hartree"], entry["eom_singlet_hartree"]):
            self.assertLess(abs(value - reference), 1e-6)
        exact = self.results_of("run", self.write("exact.toml", job_file(entry, "cis(d)")))
        near = self.run_with(entry, "cis(d)", 1e-9)
        for key in ("cis", "cis_d"):
            for value, reference in zip(near["excitations"][key]["hartree"], exact["excitations"][key]["hartree"]):
                self.assertLess(abs(value - reference), 1e-6)

    def test_little_memory_makes_them_when_they_are_needed(self):
        options = 'integrals = "cholesky"\ncholesky_threshold = 1e-2\n[segments]\nao = 7\nvirtual = 9'
        path = self.write("job.toml", job_file(self.entry("h2o", "cc-pvtz"), "ccsd", options))

        def kept_integrals(*more):
            self.run_well("plan", path, "-w", 1, "--no-segments", "--json", "plan.json", *more)
            programs = json.loads((self.folder / "plan.json").read_text())["programs"]
            arrays = next(p["arrays"] for p in programs if p["name"] == "transform_fitted_rhf")
            return next(array["written_bytes"] for array in arrays if array["name"] == "mo")

        self.assertLess(kept_integrals("--memory", "14500K"), 0.6 * kept_integrals("--memory", "1G"))

    def test_the_decomposition_takes_no_more_than_the_memory(self):
        path = self.write("job.toml", job_file(self.entry("h2o", "cc-pvtz"), "mp2",
                                               'integrals = "cholesky"\ncholesky_threshold = 1e-8'))
        self.assert_fails(self.run_blockyard("run", path, "--memory", "4M"), "the Cholesky decomposition", "--memory ")

    def test_what_cannot_be_is_refused(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        path = self.write("job.toml", job_file(entry, "mp2", 'integrals = "cholesky"\ncholesky_threshold = 5.0'))
        self.assert_fails(self.run_blockyard("run", path), "cholesky_threshold must be between")
        path = self.write("job.toml", job_file(entry, "mp2", 'integrals = "fitted"'))
        self.assert_fails(self.run_blockyard("run", path), "integrals", '"exact" or "cholesky" or "df"')


if __name__ == "__main__":
    unittest.main()
