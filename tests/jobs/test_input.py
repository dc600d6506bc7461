#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors of an input are reported before the run, with their place and what to do."""

import json
import os
import pathlib
import unittest

import common

SIALIB = pathlib.Path(__file__).parents[2] / "sialib"

SCF = common.WATER + '[basis]\nname = "sto-3g"\n[method]\nname = "scf"\n'


class Input(common.JobTest):
    def fails(self, text, *parts):
        self.assert_fails(self.run_blockyard("run", self.write("job.toml", text)), *parts)

    def test_an_unknown_key_names_the_nearest_one_and_its_line(self):
        self.fails('titel = "x"\n' + SCF, "job.toml:1:", '"titel"', 'did you mean "title"?')
        self.fails(SCF + "frozen_cor = 1\n", "job.toml:12:", 'did you mean "frozen_core"?')

    def test_a_wrong_type_names_the_key_and_its_line(self):
        self.fails(SCF + '[run]\nworkers = "two"\n', "job.toml:13:", "run.workers",
                   "must be an integer")

    def test_an_unknown_method_basis_or_element_names_what_is_known(self):
        self.fails(SCF.replace('"scf"', '"ccds"'), '"ccds"', "ccsd")
        self.fails(SCF.replace("sto-3g", "sto-4g"), "sto-4g", "STO-3G")
        self.fails(SCF.replace("O 0 0", "Ox 0 0"), "Ox")

    def test_a_basis_without_the_element_is_named(self):
        self.fails(SCF.replace("O 0 0", "Rn 0 0").replace("sto-3g", "cc-pvdz"), "Rn")

    def test_a_basis_file_of_cartesian_functions_needs_a_word(self):
        job = SCF.replace('name = "sto-3g"', 'file = "x.nw"')
        self.write("x.nw", 'BASIS "ao basis" CARTESIAN\nO S\n 9 1\nO S\n 1 1\nO P\n 1 1\nO D\n 1 1\nH S\n 0.5 1\nEND\n')
        self.fails(job, "says that its functions are Cartesian", "spherical = false")
        energies = [self.results_of("run", self.write("job.toml", job.replace("[method]", f"spherical = {word}\n[method]")))
                    ["energies"]["scf"] for word in ("true", "false")]
        self.assertGreater(energies[0], energies[1] + 1e-3)

    def test_a_dependent_basis_is_the_reason(self):
        self.write("x.nw", "He S\n 1 1\nHe S\n 1.0000001 1\n")
        for options in [], ["--set", "method.unrestricted=true"]:
            path = self.write("job.toml", '[molecule]\ngeometry = "He 0 0 0"\n[basis]\nfile = "x.nw"\n[method]\nname = "scf"\n')
            self.assert_fails(self.run_blockyard("run", path, "--quiet", *options), "the basis is linearly dependent")
            done = self.run_blockyard("run", path, "--quiet", *options, "--set", "lindep_tol=12")  # still larger, but known
            self.assert_fails(done, "below 1e-12")

    def test_impossible_molecules_are_refused(self):
        self.fails(SCF.replace("[basis]", "multiplicity = 2\n[basis]"), "multiplicity")
        self.fails(SCF.replace('"scf"', '"lccd"').replace("[basis]", "multiplicity = 3\n[basis]"),
                   "multiplicity", "closed")
        self.fails(SCF.replace("[basis]", "charge = 10\n[basis]"), "electron")
        self.fails(SCF.replace("[basis]", "charge = 3000000000\n[basis]"), "charge 3000000000 is impossible")
        self.fails(SCF.replace("H 0 -0.7572", "H 0 0.7572"), "atoms")
        self.fails(SCF.replace("H 0 -0.7572 -0.4692", "H 0 abc"), "line 3")

    def test_missing_files_are_named(self):
        self.assert_fails(self.run_blockyard("run", "none.toml"), "none.toml")
        self.assert_fails(self.run_blockyard("run", "none.byx"), "none.byx")
        self.fails('[molecule]\nfile = "none.xyz"\n[basis]\nname = "sto-3g"\n[method]\n'
                   'name = "scf"\n', "none.xyz")
        missing = self.run_blockyard("run", "none.sial")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("none.sial", missing.stderr)

    def test_a_path_that_cannot_be_written_is_refused_before_the_run(self):
        done = self.run_blockyard("run", self.write("job.toml", SCF), "--json", "no/such/x.json")
        self.assert_fails(done, "no/such/x.json")
        self.assertEqual(done.stdout, "")

    def test_too_little_memory_says_how_much_is_needed(self):
        done = self.run_blockyard("run", self.write("job.toml", SCF), "--memory", "1M")
        self.assert_fails(done, "too little memory", "needs at least", "--memory")

    def test_segments_that_do_not_fit_are_refused(self):
        path = self.write("job.toml", SCF)
        self.assert_fails(self.run_blockyard("run", path, "--segments", "ao=3,3"), "shell")
        self.assert_fails(self.run_blockyard("run", path, "--segments", "moa=4,3"), "moa")
        self.assert_fails(self.run_blockyard("run", path, "--segments", "mo=4,3"), "a method chooses these itself")

    def test_options_that_make_no_sense_end_with_2(self):
        path = self.write("job.toml", SCF)
        for options in (["-w", "0"], ["--memory", "much"], ["--pardo", "wild"], ["--set", "x"],
                        ["--segments", "q=1"], ["--what"]):
            with self.subTest(options=options):
                done = self.run_blockyard("run", path, *options)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotEqual(done.stderr, "")

    def test_no_convergence_ends_with_1_and_says_what_to_try(self):
        path = self.write("job.toml", SCF + "scf_iterations = 2\n")
        self.assert_fails(self.run_blockyard("run", path), "did not converge", "level_shift")
        path = self.write("job.toml", SCF.replace('"scf"', '"ccsd"') + "cc_iterations = 2\n")
        done = self.run_blockyard("run", path, "--json", "x.json")
        self.assert_fails(done, "did not converge", "cc_iterations", "--guess from a job with shorter bonds")
        results = json.loads((self.folder / "x.json").read_text())
        self.assertFalse(results["converged"])
        self.assertEqual(results["iterations"]["ccsd"], 2)
        self.assertLess(results["energies"]["ccsd"], results["energies"]["scf"])
        self.assertIn("NOT CONVERGED", done.stdout)

    def test_a_geometry_may_come_from_a_file_beside_the_job(self):
        (self.folder / "sub").mkdir()
        self.write("sub/m.xyz", "2\nhydrogen\nH 0 0 0\nH 0 0 1.4\n")
        path = self.write("sub/job.toml", '[molecule]\nfile = "m.xyz"\nunits = "bohr"\n'
                          '[basis]\nname = "sto-3g"\n[method]\nname = "scf"\n')
        results = self.results_of("run", path)
        # Szabo & Ostlund, Modern Quantum Chemistry, table 3.11: -1.117 hartree at 1.4 bohr.
        self.assertAlmostEqual(results["energies"]["scf"], -1.117, places=3)
        self.assertAlmostEqual(results["energies"]["nuclear"], 1 / 1.4, places=12)


ZMAT = """water
O
H 1 R
H 1 R 2 A

R=0.957839
A=104.478

*ACES2(CALC=MBPT(2),BASIS=STO-3G,SYM=ON)
"""


class Zmat(common.JobTest):

    def test_runs_like_the_job_file_it_converts_to(self):
        zmat = self.write("ZMAT", ZMAT)
        done = self.run_well("run", zmat, "-w", 2, "--json", "zmat.json")
        self.assertIn("warning: ", done.stderr)
        self.assertIn("SYM=ON", done.stderr)
        self.run_well("convert", zmat, "job.toml")
        self.run_well("run", "job.toml", "-w", 2, "--json", "toml.json")
        energies = [json.loads((self.folder / name).read_text())["energies"]
                    for name in ("zmat.json", "toml.json")]
        self.assertEqual(energies[0], energies[1])
        self.run_well("convert", "job.toml", "job.dat")
        self.run_well("run", "job.dat", "--programs", SIALIB, "-w", 2)
        self.assert_fails(self.run_blockyard("convert", "job.toml", "job.toml"), "job.toml would be written over")

    def test_says_where_the_programs_of_a_dat_file_are_missed(self):
        zmat = self.write("ZMAT", ZMAT)
        self.run_well("convert", zmat, "job.dat")
        done = self.run_blockyard("run", "job.dat")
        self.assert_fails(done, "job.dat: program \"scf_rhf.siox\" has no source", "--programs")
        done = self.run_blockyard("convert", zmat, "job.xyz")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(".toml or .dat", done.stderr)
        self.assertFalse(os.path.exists(self.folder / "job.xyz"))

    def test_names_the_line_of_what_is_wrong(self):
        zmat = self.write("water.zmat", ZMAT.replace("R=0.957839", "B=0.957839"))
        self.assert_fails(self.run_blockyard("run", zmat), "water.zmat:3: variable R")
        zmat = self.write("water.zmat", ZMAT.replace("MBPT(2)", "MAGIC"))
        self.assert_fails(self.run_blockyard("run", zmat), "magic", "ccsd")


if __name__ == "__main__":
    unittest.main()
