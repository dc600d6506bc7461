#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that the command line says: a geometry with a method, keys of the job file, several jobs, scans, standard
input; and files that are neither a job nor a program."""

import json
import os
import resource
import signal
import subprocess
import unittest

import common

H2 = "2\nhydrogen\nH 0 0 0\nH 0 0 0.74\n"
STRETCHED = """
title = "hydrogen"
[molecule]
geometry = "H 0 0 0\\nH 0 0 r"
variables = { r = 0.74 }
[basis]
name = "sto-3g"
[method]
name = "scf"
"""
SMALL = ["--method", "scf", "--basis", "sto-3g"]


def without_files():
    """In the child: nothing can be written into files, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


class Settings(common.JobTest):
    def energy(self, *arguments):
        return self.results_of("run", *arguments)["energies"]

    def test_a_geometry_with_a_method_is_a_job(self):
        self.write("h2.xyz", H2)
        self.assertIn("mp2", self.energy("h2.xyz", "--method", "MP2", "--basis", "6-31g**"))
        results = self.results_of("run", "h2.xyz", *SMALL, "--charge", "1", "--multiplicity", "2")
        self.assertEqual((results["geometry"]["charge"], results["geometry"]["multiplicity"]), (1, 2))
        self.assertEqual(results["title"], "h2")

    def test_a_geometry_alone_says_what_it_lacks(self):
        self.write("h2.xyz", H2)
        self.assert_fails(self.run_blockyard("run", "h2.xyz"), "h2.xyz", "--method")
        self.assert_fails(self.run_blockyard("run", "h2.xyz", "--method", "scf"), "basis")

    def test_set_takes_keys_of_the_job_file(self):
        self.write("h2.xyz", H2)
        path = self.write("job.toml", STRETCHED)
        far = self.energy(path, "--set", "molecule.variables.r=1.4", "--set", "method.scf_iterations=50")
        self.assertGreater(far["scf"], self.energy(path)["scf"])
        self.assertEqual(self.energy(path)["scf"], self.energy("h2.xyz", *SMALL)["scf"])
        self.assert_fails(self.run_blockyard("run", path, "--set", "method.scf_iteration=50"),
                          "method.scf_iteration=50", 'did you mean "scf_iterations"?')
        self.assert_fails(self.run_blockyard("run", path, "--set", "method.scf_iterations=many"),
                          "method.scf_iterations=many", "integer")

    def test_a_constant_that_the_job_does_not_know_is_refused(self):
        self.write("h2.xyz", H2)
        for name, hint in (("charge=2", "molecule.charge"), ("workers=2", "run.workers"),
                           ("scf_iteration=9", "method.scf_iterations"), ("nonsense=1", "")):
            with self.subTest(name=name):
                done = self.run_blockyard("run", "h2.xyz", *SMALL, "--set", name)
                self.assert_fails(done, f"--set {name.split('=')[0]}: the job has no predefined int or scalar",
                                  f"; did you mean {hint}?" if hint else "of this name\n")
        self.assert_fails(self.run_blockyard("plan", "h2.xyz", *SMALL, "--set", "charge=2"), "molecule.charge")
        path = self.write("job.toml", STRETCHED + "[constants]\ncharge = 2\n")
        self.assert_fails(self.run_blockyard("run", path), "[constants] charge", "did you mean molecule.charge?")

    def test_an_option_of_the_method_is_no_constant(self):
        # It would come after the job is made: a cis(d) of triplets, say, which there is none of.
        self.write("h2.xyz", H2)
        for name in ("triplets=1", "roots=6", "reference=2", "level_shift=1", "damping=0.5", "four_virtual=1"):
            with self.subTest(name=name):
                done = self.run_blockyard("run", "h2.xyz", *SMALL, "--set", name)
                self.assert_fails(done, f"--set {name.split('=')[0]}: ", f"give it as method.{name.split('=')[0]}")
        path = self.write("job.toml", STRETCHED + "[constants]\nunrestricted = 1\n")
        self.assert_fails(self.run_blockyard("run", path), "[constants] unrestricted: ", "method.unrestricted")

    def test_a_constant_has_the_type_of_its_declaration(self):
        path = self.write("p.sial", "sial p\npredefined scalar x\npredefined int n\nscalar y\ny = x\ny += (scalar) n\n"
                          "endsial p\n")
        job = self.write("job.toml", 'programs = ["p.sial"]\n[constants]\nx = 2\nn = 3\n')
        for arguments in ([path, "--set", "x=2", "n=3"], [job], [job, "--set", "x=2.0"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.results_of("run", *arguments)["scalars"]["y"], 5)
        self.assert_fails(self.run_blockyard("run", path, "--set", "x=2", "n=3.5"), "--set n = 3.5", "an integer")
        self.write("job.toml", 'programs = ["p.sial"]\n[constants]\nx = 2\nn = 3.5\n')
        self.assert_fails(self.run_blockyard("run", job), "n = 3.5", "an integer")
        self.write("h2.xyz", H2)  # whose constants of ACES and of our programs an own program has, too
        own = self.write("own.toml", STRETCHED.replace('[method]\nname = "scf"', "").replace(
            "[molecule]", 'programs = ["damp.sial"]\n[molecule]'))
        self.write("damp.sial", "sial p\npredefined scalar damp\nscalar y\ny = damp\nendsial p\n")
        self.assertEqual(self.results_of("run", own, "--set", "damp=1")["scalars"]["y"], 1)

    def test_a_constant_that_a_program_declares_is_known(self):
        path = self.write("p.sial", "sial p\npredefined int unused\nscalar x\nx = 1.0\nendsial p\n")
        self.assertEqual(self.results_of("run", path, "--set", "unused=2")["scalars"]["x"], 1)
        self.assert_fails(self.run_blockyard("run", path, "--set", "unusd=2"), "did you mean unused?")
        self.run_well("compile", path, "-o", "p.byx")
        self.assertEqual(self.results_of("run", "p.byx", "--set", "unused=2")["scalars"]["x"], 1)
        self.assert_fails(self.run_blockyard("run", "p.byx", "--set", "unusd=2"), "did you mean unused?")
        job = self.write("job.toml", 'programs = ["p.sial"]\n[constants]\nof_a_dat_file = 1\n')
        self.assertEqual(self.results_of("run", job)["scalars"]["x"], 1)

    def test_a_setting_replaces_what_contradicts_it(self):
        self.write("h2.xyz", H2)
        self.write("h.ri", "H S\n 1 1\nH S\n 0.3 1\nH P\n 0.8 1\n")
        path = self.write("job.toml", STRETCHED)
        self.assertEqual(self.energy(path, "--set", "molecule.file=h2.xyz"), self.energy("h2.xyz", *SMALL))
        lacking = self.write("lacking.toml", STRETCHED.replace("variables = { r = 0.74 }", ""))
        self.assertEqual(self.energy(lacking, "--set", "molecule.variables.r=0.74"), self.energy(path))
        scan = self.run_well("run", lacking, "--scan", "molecule.variables.r=0.7,0.8")
        self.assertEqual(len(scan.stdout.splitlines()), 3)
        self.assert_fails(self.run_blockyard("run", lacking, "--set", "method.scf_iterations=50"), "lacking.toml:", "r")
        self.assert_fails(self.run_blockyard("run", lacking, "--set", "molecule.variables.r=1", "method.x=1"),
                          "method.x=1: ")
        text = STRETCHED.replace('"sto-3g"', '"cc-pvdz"\nauxiliary = "cc-pvdz"').replace(
            '"scf"', '"mp2"\nintegrals = "df"')
        fitted = self.energy(self.write("df.toml", text))
        self.assertNotEqual(fitted["mp2"], self.energy("df.toml", "--set", "basis.auxiliary_file=h.ri")["mp2"])
        self.assertNotEqual(fitted["mp2"], self.energy("df.toml", "--set", "basis.auxiliary=cc-pvtz")["mp2"])

    def test_variables_must_be_used(self):
        self.assert_fails(self.run_blockyard("run", self.write("job.toml", STRETCHED.replace("0 0 r", "0 0 1"))),
                          "job.toml:", "no line of the geometry uses r")

    def test_several_jobs_make_one_table(self):
        self.write("h2.xyz", H2)
        self.write("job.toml", STRETCHED)
        done = self.run_well("run", "h2.xyz", "job.toml", *SMALL, "--json", "all.json")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["hartree", "h2.xyz", "job.toml"])
        jobs = json.loads((self.folder / "all.json").read_text())["jobs"]
        self.assertEqual([job["file"] for job in jobs], ["h2.xyz", "job.toml"])
        self.assertEqual(jobs[0]["results"]["energies"], jobs[1]["results"]["energies"])

    def test_each_job_of_a_list_is_read_once(self):
        self.write("job.toml", STRETCHED + '[run]\nsave = "kept.h5"\n')
        self.write("ZMAT", "H2\nH\nH 1 R\n\nR=0.74\n\n*ACES2(CALC=SCF,BASIS=STO-3G,ODDITY=1)\n")
        done = self.run_well("run", "job.toml", "ZMAT", "--json", "all.json")
        self.assertEqual(done.stderr.count("ODDITY"), 1, done.stderr)
        kept = (self.folder / "kept.h5").read_bytes()
        self.assert_fails(self.run_blockyard("run", "ZMAT", "job.toml", "--json", "kept.h5"), "kept.h5 is named for two outputs")
        self.assertEqual((self.folder / "kept.h5").read_bytes(), kept)

    def test_a_scan_goes_through_values(self):
        path = self.write("job.toml", STRETCHED)
        done = self.run_well("run", path, "--scan", "molecule.variables.r=0.5:0.9:3", "--scan",
                             "basis.name=sto-3g,3-21g", "--json", "all.json")
        self.assertEqual(len(done.stdout.splitlines()), 7)
        self.assertIn("r=0.7 basis=3-21g", done.stdout)
        jobs = json.loads((self.folder / "all.json").read_text())["jobs"]
        energies = [job["results"]["energies"]["scf"] for job in jobs]
        self.assertEqual(jobs[3]["settings"], {"molecule.variables.r": "0.7", "basis.name": "3-21g"})
        self.assertAlmostEqual(energies[3], self.energy(path, "--set", "molecule.variables.r=0.7", "--basis",
                                                        "3-21g")["scf"], delta=1e-9)

    def test_a_scan_keeps_what_is_in_brackets(self):
        path = self.write("job.toml", STRETCHED)
        done = self.run_well("run", path, "--scan", "basis.name=6-31G(d,p),sto-3g")
        self.assertEqual(len(done.stdout.splitlines()), 3)

    def test_a_job_that_fails_does_not_end_the_others(self):
        path = self.write("job.toml", STRETCHED)
        done = self.run_blockyard("run", path, "--scan", "basis.name=sto-4g,sto-3g", "--json", "all.json")
        self.assert_fails(done, "basis=sto-4g", "STO-3G")
        self.assertIn("failed", done.stdout)
        jobs = json.loads((self.folder / "all.json").read_text())["jobs"]
        self.assertIn("sto-4g", jobs[0]["error"])
        self.assertEqual((jobs[0]["results"], jobs[1]["error"]), (None, None))
        done = self.run_blockyard("run", path, "--scan", "method.scf_iterations=2,50")
        self.assertEqual((done.returncode, done.stdout.count("not converged")), (1, 1))

    def test_a_job_whose_results_cannot_be_saved_is_not_called_unconverged(self):
        path = self.write("job.toml", STRETCHED + '[run]\nsave = "save.kept"\n')
        done = self.run_blockyard("run", path, "--scan", "molecule.variables.r=0.7", preexec_fn=without_files)
        self.assert_fails(done, "r=0.7: cannot create", "save.kept")
        self.assertIn("not saved", done.stdout)
        self.assertNotIn("not converged", done.stdout)

    def test_jobs_of_a_scan_do_not_write_over_what_others_keep(self):
        for key in ("save", "checkpoint_dir"):
            path = self.write("job.toml", STRETCHED + f'[run]\n{key} = "{key}.kept"\n')
            done = self.run_blockyard("run", path, "--scan", "molecule.variables.r=0.7,0.8")
            if key == "save":
                self.assert_fails(done, "r=0.8", "save.kept is that of an earlier job")
            else:  # a job that ends removes its checkpoints
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_job_of_a_scan_that_fails_leaves_its_checkpoints_to_itself(self):
        path = self.write("job.toml", STRETCHED + '[run]\ncheckpoint = "0s"\n')
        done = self.run_blockyard("run", path, "--scan", "method.scf_iterations=2,50,60")
        self.assertEqual(done.stdout.count("not converged"), 1, done.stdout + done.stderr)
        self.assertNotIn("failed", done.stdout)
        self.assertEqual([entry.name for entry in self.folder.glob("*.checkpoint*")], ["job.checkpoint"])

    def test_a_signal_leaves_the_results_of_jobs_that_ended(self):
        self.write("endless.sial", common.endless(2)[0])
        self.write("quick.toml", STRETCHED)
        self.write("endless.toml", 'programs = ["endless.sial"]\n[segments]\nao = [1, 1]\n')
        with subprocess.Popen([common.BLOCKYARD, "run", "quick.toml", "endless.toml", "--json", "all.json"],
                              cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            for line in child.stdout:
                if "quick.toml" in line:
                    break
            child.send_signal(signal.SIGTERM)
            _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
        self.assertEqual((child.returncode, errors.count("error: ")), (143, 1), errors)
        self.assertIn("SIGTERM", errors)
        quick, *others = json.loads((self.folder / "all.json").read_text())["jobs"]
        self.assertIsNone(quick["error"])
        for other in others:  # unless the signal came before it began
            self.assertIn("SIGTERM", other["error"])

    def test_wrong_lists_end_with_2(self):
        path = self.write("job.toml", STRETCHED)
        for options in (["--scan", "r=1,2"], ["--scan", "method.name="], ["--scan", "a.b=1:2:1"],
                        [path, "--report", "r.json"], ["--scan", "basis.name=sto-3g", "--save", "x.h5"],
                        ["-"], ["program.sial"]):
            with self.subTest(options=options):
                self.assertEqual(self.run_blockyard("run", path, *options).returncode, 2)

    def test_a_job_comes_from_standard_input(self):
        def energy(text, *options):
            done = subprocess.run([common.BLOCKYARD, "run", "-", "--json", "-", *options], input=text, text=True,
                                  capture_output=True, timeout=common.LIMIT_SECONDS, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["energies"]["scf"]
        self.assertEqual(energy(STRETCHED), energy(H2, *SMALL))
        self.assertEqual(energy(H2.replace("hydrogen", "C:\\data\\"), *SMALL), energy(H2, *SMALL))

    def test_basis_sets_of_large_functions_cores_and_tight_ones(self):
        # PySCF 2.14.0 with the same sets of the Basis Set Exchange, SCF converged to 1e-11 hartree
        self.write("he.xyz", "1\n\nHe 0 0 0\n")
        self.write("h2s.xyz", "3\n\nS 0 0 0\nH 0 0.96 0.93\nH 0 -0.96 0.93\n")
        self.write("ne.xyz", "1\n\nNe 0 0 0\n")
        for file, basis, reference in [("he.xyz", "aug-cc-pV5Z", -2.861626929245821),
                                       ("h2s.xyz", "cc-pV(D+d)Z", -398.6986918038288),
                                       ("h2s.xyz", "def2-TZVPPD", -398.7085472813715),
                                       ("ne.xyz", "aug-cc-pCVDZ", -128.4964438723325)]:
            with self.subTest(basis=basis):
                energies = self.energy(file, "--method", "scf", "--basis", basis)
                self.assertAlmostEqual(energies["scf"], reference, delta=common.LIMIT_HARTREE)

    def test_what_is_not_utf8_is_replaced_or_named(self):
        (self.folder / "l.zmat").write_bytes(b"W\xe4sser\nH 0 0 0\nH 0 0 0.74\n\n*ACES2(BASIS=STO-3G\nCALC=SCF\n"
                                             b"COORD=CARTESIAN)\n")
        self.run_well("convert", "l.zmat", "l.toml")
        self.assertIn('title = "W\ufffdsser"', (self.folder / "l.toml").read_text(encoding="utf-8"))
        folder = os.fsencode(self.folder) + b"/w\xe4sser"
        os.mkdir(folder)
        with open(folder + b"/h2.xyz", "w", encoding="ascii") as file:
            file.write(H2)
        done = self.run_blockyard("run", os.fsdecode(b"w\xe4sser/h2.xyz"), *SMALL)
        self.assert_fails(done, "w\ufffdsser/h2.xyz' is not UTF-8")

    def test_a_byte_order_mark_is_no_part_of_the_text(self):
        self.write("h2.xyz", "\ufeff" + H2)
        self.write("bare.xyz", "\ufeffH 0 0 0\nH 0 0 0.74\n")
        self.write("h2.zmat", "\ufeff\nH 0 0 0\nH 0 0 0.74\n\n*ACES2(BASIS=STO-3G\nCALC=SCF\nCOORD=CARTESIAN)\n")
        self.write("h2.toml", "\ufeff" + STRETCHED)
        energies = [self.energy(file, *SMALL)["scf"] for file in ("h2.xyz", "bare.xyz", "h2.zmat", "h2.toml")]
        self.assertLess(max(energies) - min(energies), common.SAME_HARTREE)

    def test_convert_takes_a_geometry(self):
        self.write("h2.xyz", H2)
        self.run_well("convert", "h2.xyz", "job.toml", *SMALL, "--set", "method.scf_iterations=50")
        text = (self.folder / "job.toml").read_text()
        self.assertIn("scf_iterations", text)
        self.assertEqual(self.energy("job.toml")["scf"], self.energy("h2.xyz", *SMALL)["scf"])
        (self.folder / "jobs").mkdir()
        self.write("jobs/h2.xyz", H2)
        self.run_well("convert", "jobs/h2.xyz", "jobs/job.toml", *SMALL)
        self.assertEqual(self.energy("jobs/job.toml")["scf"], self.energy("h2.xyz", *SMALL)["scf"])

    def test_what_is_neither_is_called_what_it_is(self):
        (self.folder / "kept").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(8))
        (self.folder / "library").write_bytes(b"\x7fELF" + bytes(8))
        (self.folder / "folder").mkdir()
        for name, text, what in [("kept", None, "--guess"), ("library", None, "--super"), ("folder", None, "folder"),
                                 ("job.txt", STRETCHED, ".toml"), ("h2.txt", H2, ".xyz"), ("empty", "", "empty"),
                                 ("r.json", '{"kind": 1}', "blockyard report"),
                                 ("water.inp", "water\nH\n*ACES2(CALC=SCF)\n", "ZMAT"),
                                 ("page.md", "# A page\n```\nsial p\nendsial p\n```\n", "Markdown"),
                                 ("letter", "Dear Sir,\n", "`sial NAME`")]:
            with self.subTest(name=name):
                if text is not None:
                    self.write(name, text)
                self.assert_fails(self.run_blockyard("run", name), name, "neither a SIAL program nor a job", what)


if __name__ == "__main__":
    unittest.main()
