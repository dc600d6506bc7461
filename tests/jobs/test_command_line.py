# SPDX-License-Identifier: Apache-2.0
"""The texts of the command line: help, wrong usage, and options that take several forms."""

import os
import re
import subprocess
import unittest

import common

CONSTANTS = """sial constants
predefined int n
predefined scalar x
print n
print x
endsial constants
"""

SEGMENTS = """sial segments
aoindex i = 1:3
static a[i]
scalar length
do i
  a[i] = 1.0
  length = a[i]*a[i]
  print length
enddo i
endsial segments
"""


class CommandLine(common.JobTest):

    def says(self, *arguments, code=2):
        done = self.run_blockyard(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr

    def test_no_arguments_print_the_help(self):
        alone, asked = self.run_blockyard(), self.run_blockyard("--help")
        self.assertEqual((alone.returncode, alone.stdout), (0, asked.stdout))
        self.assertIn("Usage: blockyard", alone.stdout)

    def test_help_fits_into_80_columns(self):
        commands = re.findall(r"^  ([a-z]+) ", self.run_blockyard().stdout.split("Commands:")[1], re.MULTILINE)
        self.assertIn("run", commands)
        for command in commands:
            for line in self.run_blockyard(command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def assert_fits(self, columns, *arguments):
        done = self.run_blockyard(*arguments, environment={"COLUMNS": str(columns)})
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), columns, line)
        return done.stdout

    def test_help_fits_into_the_columns_that_there_are(self):
        for columns in (50, 60, 100):
            texts = [self.assert_fits(columns, *command) for command in ((), ("run", "--help"), ("offload", "run", "--help"))]
            self.assert_fits(columns, "methods")
            self.assertGreater(max(len(line) for text in texts for line in text.splitlines()), columns - 10)
        for unusable in ("0", "many", "80x", ""):
            done = self.run_blockyard("run", "--help", environment={"COLUMNS": unusable})
            self.assertEqual(done.stdout, self.run_blockyard("run", "--help", environment={"COLUMNS": "80"}).stdout)

    def test_an_unknown_name_gets_the_nearest(self):
        for arguments, said in (
                (["rnu"], "error: 'rnu' is not a command; did you mean 'run'?\nSee 'blockyard --help'.\n"),
                (["run", "x.toml", "--worker", "2"],
                 "error: blockyard run has no option --worker; did you mean --workers?\nSee 'blockyard run --help'.\n"),
                (["plan", "--mem=4G", "x.toml"], "error: blockyard plan has no option --mem; did you mean --memory?\n"),
                (["--bogus"], "error: blockyard has no option --bogus\n"),
                (["help"], "error: 'help' is not a command; did you mean '--help'?\n"),
                (["-v"], "error: blockyard has no option -v; did you mean --version?\n"),
                (["run", "x.toml", "--fabric", "loopbak"],
                 "error: --fabric loopbak: must be auto, loopback or mpi; did you mean loopback?\n")):
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.says(*arguments))

    def test_a_file_in_place_of_a_command_says_how_to_run_it(self):
        self.write("h2.toml", "")
        self.assertIn("'h2.toml' is not a command; to run it: blockyard run h2.toml", self.says("h2.toml"))

    def test_a_wrong_or_missing_value_says_what_is_wanted(self):
        self.write("p.sial", SEGMENTS)
        for arguments, said in (
                (["run", "x", "-w", "0"], "error: --workers 0: must be a whole number from 1 to 4096\n"),
                (["run", "x", "-w", "two"], "error: --workers two: must be a whole number from 1 to 4096\n"),
                (["run", "x", "-w"], "error: --workers needs a value, a whole number from 1 to 4096: workers per"),
                (["run", "x", "--set"], "error: --set needs a value, NAME=VALUE: "),
                (["run", "x", "--set", "a=5", "--set"], "error: --set needs a value, NAME=VALUE: "),
                (["run", "x", "-w", "2", "--workers"], "error: --workers needs a value, a whole number from 1 to 4096: "),
                (["run", "x", "--basis", ""], "error: --basis needs a value, TEXT: basis set"),
                (["run", "x", "--method="], "error: --method needs a value, TEXT: scf, mp2"),
                (["run", "x", "--json", ""], "error: --json needs a value, FILE: "),
                (["plan", "x", "--steps", "-5"], "error: --steps -5: must be a number from 1 to"),
                (["plan", "p.sial", "--segments", "ao=4*3", "--iterations", "q=5"],
                 "error: --iterations q=5: the programs are p\n"),
                (["offload", "serve", "--device", "host", "--memory", "abc"], "error: --memory: "),
                (["offload", "serve", "--device", "host", "--client-memory", "abc"], "error: --client-memory: "),
                (["offload", "serve", "--device", "host", "--idle", "abc"], "error: --idle: "),
                (["offload", "serve", "--device", "host", "--listen", "a:b:c"], "a:b:c"),
                (["offload", "status", "--token", "sp ace/laptop.token"], "have no blanks\n"),
                (["top", "--every", "0"], "error: --every 0: must be a number from 0.1 to 3600\n"),
                (["run"], "error: missing argument 'files': job files"),
                (["run", "x", "-w", "2", "-w", "3"], "error: --workers is given more than once: 2, 3\n"),
                (["run", "p.sial", "--pardo", "often"], 'error: --pardo: "often" is not a way to deal out a pardo'),
                (["run", "p.sial", "--segments", "4"], 'error: "4" is not of the form ao=5,6,7, ao=8*4 or ao=64/8\n'),
                (["accumulate", "x"], "error: --output FILE is missing: result (HDF5)\n"),
                (["convert", "h2.toml", "x.toml", "--set", "n=2"], 'error: --set: "n=2" is not of the form KEY=VALUE'),
                (["compare", "a", "b", "c"], "error: unexpected argument 'c'\n")):
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.says(*arguments))

    def test_a_file_that_cannot_be_read_is_an_error_that_says_why(self):
        self.write("empty.sial", "")
        for name in ("folder", "d.toml", "d.xyz", "d.zmat", "d.dat"):
            (self.folder / name).mkdir()
        for arguments, said in (
                (["run", "absent.sial"], "error: cannot read absent.sial: No such file or directory\n"),
                (["convert", "absent.sial", "x.toml"], "error: cannot read absent.sial: No such file or directory\n"),
                (["compile", "absent.sial"], "absent.sial:1:1: error: there is no file 'absent.sial'"),
                (["compile", "folder"], "folder:1:1: error: cannot read folder: it is a folder"),
                *((["run", f"d.{ending}"], f"error: cannot read d.{ending}: it is a folder\n")
                  for ending in ("toml", "xyz", "zmat", "dat")),
                (["fmt", "folder"], "error: cannot read folder: it is a folder\n"),
                (["dump", "empty.sial"], "error: empty.sial is none of the files that dump shows"),
                (["report", "folder"], "error: cannot read folder: it is a folder\n"),
                (["resume", "folder"], "error: no complete checkpoint in folder\n"),
                (["resume", "empty.sial"], "error: no complete checkpoint in empty.sial: it is not a folder\n"),
                (["resume", "absent"], "error: no complete checkpoint in absent: there is no such folder\n")):
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.says(*arguments, code=1))
        self.assertFalse((self.folder / "x.toml").exists())
        done = self.run_blockyard("check", "empty.sial")
        self.assertEqual((done.returncode, done.stdout.count("error")), (1, 1), done.stdout)

    def test_a_key_that_is_missing_is_told_with_the_line_of_its_section(self):
        job = self.write("lattice.toml", "# a lattice without sites\n[lattice]\n")
        self.assertIn("lattice.toml:2: lattice.sites: is missing", self.says("run", job, code=1))

    def test_a_program_that_cannot_be_started_is_the_only_error(self):
        done = self.run_blockyard("offload", "run", "--", "no-such-program")
        self.assertEqual((done.returncode, done.stderr),
                         (127, "error: cannot start no-such-program: No such file or directory\n"))

    def test_no_servers_are_a_value(self):
        done = self.run_blockyard("offload", "run", "--server", "", "--", "no-such-program")
        self.assertEqual(done.returncode, 127, done.stderr)
        told = {**os.environ, "BLOCKYARD_OFFLOAD": "gpu7", "BLOCKYARD_OFFLOAD_SOCKETS": "8"}
        done = subprocess.run([common.BLOCKYARD, "offload", "run", "--quiet", "--server", "", "--sockets", "1", "--", "sh", "-c",
                               "echo $BLOCKYARD_OFFLOAD,$BLOCKYARD_OFFLOAD_SOCKETS"], env=told, text=True,
                              capture_output=True, timeout=common.LIMIT_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ",1\n"), done.stderr)

    def test_formatting_is_checked_also_where_it_is_printed(self):
        path = self.write("ugly.sial", "sial p\nscalar x\nx   =   1.0\nendsial p\n")
        done = self.run_blockyard("fmt", "--check", "--stdout", path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("x = 1.0", done.stdout)

    def test_a_plan_for_more_workers_than_there_are_numbers_is_refused(self):
        path = self.write("segments.sial", SEGMENTS)
        self.assertIn("-w 4096", self.says("plan", path, "-n", "1048576", "-w", "4096", code=2))

    def test_options_of_a_molecule_need_one(self):
        path = self.write("segments.sial", SEGMENTS)
        for option in (["--basis", "sto-3g"], ["--charge", "1"]):
            with self.subTest(option=option):
                self.assertIn("molecule", self.says("run", path, "--segments", "ao=1,1,1", *option, code=1))

    def test_a_plan_needs_no_folder_of_settings(self):
        path = self.write("segments.sial", SEGMENTS)
        (self.folder / "loop").symlink_to("loop")  # cannot be looked into, even by root
        done = self.run_blockyard("plan", path, "--segments", "ao=3*4", environment={"XDG_CONFIG_HOME": str(self.folder / "loop")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_set_takes_several_constants(self):
        path = self.write("constants.sial", CONSTANTS)
        for arguments in (["--set", "n=2", "x=0.5", path], [path, "--set", "n=2", "--set", "x=0.5"],
                          [path, "--set", "n=2", "x=0.5", "-w", "1"]):
            with self.subTest(arguments=arguments):
                output = self.run_well("run", *arguments).stdout
                self.assertIn("n = 2", output)
                self.assertIn("x = 0.5", output)

    def test_a_file_whose_name_has_an_equals_sign_stays_a_file(self):
        self.write("n=3", "")
        self.assertIn("n=3 is neither", self.says("run", "--set", "n=2", "n=3", code=1))

    def test_segments_are_lists_multiples_or_totals(self):
        path = self.write("segments.sial", SEGMENTS)
        for text, lengths in (("2,3,4", [2, 3, 4]), ("3*4", [4, 4, 4]), ("8/3", [3, 3, 2]), ("2*5,1", [5, 5, 1])):
            with self.subTest(text=text):
                output = self.run_well("run", path, "--segments", f"ao={text}", "-w", "1").stdout
                self.assertEqual([float(one) for one in re.findall(r"length = ([0-9.]+)", output)], lengths)

    def test_the_best_segments_are_those_of_the_plan(self):
        job = self.write("job.toml", common.WATER + '[basis]\nname = "sto-3g"\n[method]\nname = "scf"\n'
                         '[segments]\nao = 3\n')
        results = self.results_of("run", job, "--segments", "best")
        self.assertAlmostEqual(results["energies"]["scf"], self.results_of("run", job)["energies"]["scf"], 8)
        self.assertIn("segments: ao ", self.run_well("run", job, "--segments", "best", "-w", "1").stderr)
        program = self.write("segments.sial", SEGMENTS)
        self.assertIn("error: --segments best: only", self.says("run", program, "--segments", "best"))

    def test_a_plan_fits_into_the_columns_that_there_are(self):
        job = self.write("job.toml", common.WATER + '[basis]\nname = "sto-3g"\n[method]\nname = "ccsd"\n')
        for columns in (80, 60, 45):
            output = self.assert_fits(columns, "plan", job, "-w", "2")
            for title in ("largest", "written", "process", "from disk", "virtual"):
                self.assertIn(title, output)

    def test_a_file_after_an_import_folder_is_checked(self):
        self.write("a.sial", "sial a\nx = 1\nendsial a\n")
        self.write("b.sial", SEGMENTS)
        self.assertIn("a.sial", self.run_blockyard("check", "-I", ".", "a.sial", "b.sial").stdout)

    def test_an_import_folder_that_does_not_exist_is_refused(self):
        self.write("b.sial", SEGMENTS)
        for command in ("check", "compile", "run"):
            done = self.run_blockyard(command, "b.sial", "-I", "nowhere")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("nowhere", done.stderr)

    def test_what_an_import_declares_too_is_used(self):
        self.write("defs.sial", "sial defs\npredefined int n\nendsial defs\n")
        path = self.write("main.sial", 'import "defs.sial"\nsial main\npredefined int n\nprint n\nendsial main\n')
        self.assertEqual(self.run_well("check", path).stdout, "")

    def test_a_missing_file_keeps_no_other_from_its_format(self):
        path = self.write("loose.sial", SEGMENTS.replace("static a", "static   a"))
        self.assert_fails(self.run_blockyard("fmt", "absent.sial", path), "absent.sial")
        self.run_well("fmt", "--check", path)

    def test_reports_that_no_run_wrote_are_refused_or_shown(self):
        self.write("deep.json", '{"programs": ' + "[" * 100000 + "]" * 100000 + ', "servers": []}')
        for command in (["report", "deep.json", "-o", "-"], ["compare", "deep.json", "deep.json"]):
            self.assert_fails(self.run_blockyard(*command), "nested too deeply")
        call = '"call": "ga_get", "line": "a.c:1", "calls": 1, "seconds": 1, "most_seconds": 1, "sizes": []'
        self.write("ga.json", '{"blockyard_ga_report": 1, "ranks": [], "arrays": [], "size_limits": [8], "calls": [{' +
                   call + ', "own_bytes": 1, "node_bytes": 1, "far_bytes": 1}]}')
        self.assertIn("ga_get", self.run_well("report", "ga.json", "-o", "-").stdout)
        self.write("ga.json", '{"blockyard_ga_report": 1, "ranks": null}')
        self.assert_fails(self.run_blockyard("report", "ga.json", "-o", "-"), "BLOCKYARD_GA_REPORT writes: key '")

    def test_processes_of_srun_that_do_not_know_each_other_are_refused(self):
        path = self.write("segments.sial", SEGMENTS)
        slurm = {"SLURM_STEP_NUM_TASKS": "4", "SLURM_NTASKS": "4", "SLURM_STEP_ID": "0"}
        done = self.run_blockyard("run", path, "--segments", "ao=1,1,1", environment=slurm)
        self.assert_fails(done, "srun started 4 processes", "--mpi=pmix", "--fabric loopback")
        # In a batch script outside of any step, and where it is asked for, one process runs alone.
        for options, variables in (([], {"SLURM_NTASKS": "4"}), (["--fabric", "loopback"], slurm)):
            done = self.run_blockyard("run", path, "--segments", "ao=1,1,1", *options, environment=variables)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
