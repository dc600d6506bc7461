#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Energies of molecules agree with other programs, however the work and the memory are shared out."""

import json
import unittest

import common
from common import job_file

ALL = common.ENERGIES
# Each is (workers, servers, more options).
MANY_WAYS = [(1, 1, []), (2, 1, []), (3, 2, []), (2, 2, ["--pardo", "dynamic", "--seed", "7"])]
TWO_WAYS = [(1, 2, []), (3, 1, ["--pardo", "static"])]


class Molecules(common.MoleculeTest):
    def check(self, entry, ways):
        self.check_method(entry, "ccsd(t)", ALL, ways)

    def test_water_polarised_double_zeta(self):
        self.check(self.entry("h2o", "cc-pvdz"), MANY_WAYS)

    def test_water_with_frozen_core(self):
        self.check(self.entry("h2o", "cc-pvdz", frozen=True), TWO_WAYS)

    def test_water_spherical_d_functions(self):
        self.check(self.entry("h2o", "6-31g*"), TWO_WAYS)
        self.check(self.entry("h2o", "6-31g*", frozen=True), TWO_WAYS[:1])

    def test_water_cartesian_d_functions(self):
        self.check(self.entry("h2o", "6-31g*", cart=True), TWO_WAYS)
        self.check(self.entry("h2o", "6-31g*", cart=True, frozen=True), TWO_WAYS[:1])

    def test_water_minimal_basis_with_fewer_blocks_than_workers(self):
        self.check(self.entry("h2o_crawford", "sto-3g"), MANY_WAYS)

    def test_hydrogen_fluoride(self):
        self.check(self.entry("hf", "cc-pvdz"), TWO_WAYS)
        self.check(self.entry("hf", "cc-pvdz", frozen=True), TWO_WAYS)

    def test_water_triple_zeta_with_arrays_larger_than_memory(self):
        path = self.write("job.toml", job_file(self.entry("h2o", "cc-pvtz"), "ccsd(t)"))
        report = self.folder / "run.json"
        # The memory of a simulated device is that of the process.
        more = ["--device-memory", "20M"] if common.DEVICE == "sim" else []
        results = self.results_of("run", path, "-w", 2, "-s", 2, "--memory", "48M",
                                  "--segments", "virtual=11", "--report", report, *more)
        self.compare(self.entry("h2o", "cc-pvtz"), results, ALL)
        metrics = json.loads(report.read_text())
        # The promise: --memory, 10 % and 200 MB more. A sanitizer takes as much again.
        if not common.IS_SANITIZED:
            self.assertLess(results["peak_rss_bytes"], 1.1 * (48 << 20) + 200e6)
        self.assertLessEqual(metrics["peak_block_bytes"], 48 << 20)
        self.assertGreater(sum(server["spilled_bytes"] for server in metrics["servers"]), 0)
        self.assertGreater(sum(server["read_back_bytes"] for server in metrics["servers"]), 0)

    def test_water_triple_zeta_in_memory(self):
        self.check(self.entry("h2o", "cc-pvtz"), [(2, 1, [])])

    def test_other_segments_give_the_same_energy(self):
        entry = self.entry("h2o", "cc-pvdz")
        path = self.write("job.toml", job_file(entry, "ccsd(t)"))
        for segments in (["ao=14,10", "moa=5,19"], ["moa=2,3,1,9,9"], ["occupied=2", "virtual=4"]):
            with self.subTest(segments=segments):
                options = [word for text in segments for word in ("--segments", text)]
                results = self.results_of("run", path, "-w", 2, *options)
                self.compare(entry, results, ALL)

    def test_coupled_cluster_without_singles_or_products(self):
        for frozen in (False, True):
            for method in ("ccd", "lccsd", "lccd"):
                self.check_method(self.entry("h2o", "6-31g*", frozen), method, ["scf", "mp2", method],
                                  [(2, 1, []), (3, 1, [])][frozen:frozen + 1])

    def test_direct_and_stored_integrals_and_both_guesses_agree(self):
        entry = self.entry("h2o", "6-31g*")
        for options in ("scf_direct = true", 'scf_guess = "core"', "level_shift = 0.2", "damping = 0.3"):
            with self.subTest(options=options):
                path = self.write("job.toml", job_file(entry, "mp2") + options + "\n")
                self.compare(entry, self.results_of("run", path), ["nuclear", "scf", "mp2"])

    def test_checking_mode_finds_nothing_wrong_with_our_programs(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        path = self.write("job.toml", job_file(entry, "ccsd(t)"))
        done = self.run_well("run", path, "--check", "-w", 3, "--json", "-")
        self.assertNotIn("warning", done.stderr)
        self.compare(entry, json.loads(done.stdout), ALL)


if __name__ == "__main__":
    unittest.main()
